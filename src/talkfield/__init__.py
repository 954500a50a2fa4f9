"""Talkfield: a canvas of LLM conversations.

The names below are the library (docs/library.md); everything else is the program's own and may change. Each is loaded
when it is first asked for: importing the package costs next to nothing, and none of them loads an HTTP library, a
server, a database or the price list before it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from talkfield.core.card import Preview as Preview
    from talkfield.core.concern import Concern as Concern
    from talkfield.core.conversation import Conversation as Conversation
    from talkfield.core.conversation import create_conversation as create_conversation
    from talkfield.core.cost import CostReport as CostReport
    from talkfield.core.cost import cost_label as cost_label
    from talkfield.core.cost import cost_of as cost_of
    from talkfield.core.events import ChatEvent as ChatEvent
    from talkfield.core.events import ContextAdded as ContextAdded
    from talkfield.core.events import Delta as Delta
    from talkfield.core.events import Done as Done
    from talkfield.core.events import MessageFinished as MessageFinished
    from talkfield.core.events import MessageRestarted as MessageRestarted
    from talkfield.core.events import NoteAdded as NoteAdded
    from talkfield.core.events import RetryWaiting as RetryWaiting
    from talkfield.core.events import ThinkingDelta as ThinkingDelta
    from talkfield.core.events import ToolCalled as ToolCalled
    from talkfield.core.events import ToolReturned as ToolReturned
    from talkfield.core.events import UsageReported as UsageReported
    from talkfield.core.ids import CallId as CallId
    from talkfield.core.ids import MessageId as MessageId
    from talkfield.core.ids import NodeId as NodeId
    from talkfield.core.ids import ProviderId as ProviderId
    from talkfield.core.ids import TurnId as TurnId
    from talkfield.core.messages import Attachment as Attachment
    from talkfield.core.messages import Message as Message
    from talkfield.core.messages import MessageCost as MessageCost
    from talkfield.core.messages import MessageError as MessageError
    from talkfield.core.messages import ModelInfo as ModelInfo
    from talkfield.core.messages import ProviderState as ProviderState
    from talkfield.core.messages import Role as Role
    from talkfield.core.messages import ToolCall as ToolCall
    from talkfield.core.messages import Usage as Usage
    from talkfield.core.records import PriceOverride as PriceOverride
    from talkfield.core.serialization import ConversationData as ConversationData
    from talkfield.core.serialization import deserialize_conversation as deserialize_conversation
    from talkfield.core.serialization import serialize_conversation as serialize_conversation
    from talkfield.core.slash import ClearTranscript as ClearTranscript
    from talkfield.core.slash import Configure as Configure
    from talkfield.core.slash import Note as Note
    from talkfield.core.slash import SlashCall as SlashCall
    from talkfield.core.slash import SlashContext as SlashContext
    from talkfield.core.slash import SlashResult as SlashResult
    from talkfield.core.slash import detect_slash_command as detect_slash_command
    from talkfield.core.window import Window as Window
    from talkfield.core.window import cap_conversation_messages as cap_conversation_messages
    from talkfield.errors import CommandRejected as CommandRejected
    from talkfield.errors import ConversationFormatError as ConversationFormatError
    from talkfield.errors import InvalidArgument as InvalidArgument
    from talkfield.errors import NodeBusy as NodeBusy
    from talkfield.errors import NoModel as NoModel
    from talkfield.errors import NoProvider as NoProvider
    from talkfield.errors import ProviderCut as ProviderCut
    from talkfield.errors import ProviderError as ProviderError
    from talkfield.errors import ProviderGarbled as ProviderGarbled
    from talkfield.errors import ProviderLimited as ProviderLimited
    from talkfield.errors import ProviderRefused as ProviderRefused
    from talkfield.errors import ProviderUnreachable as ProviderUnreachable
    from talkfield.errors import TalkfieldError as TalkfieldError
    from talkfield.errors import ToolError as ToolError
    from talkfield.library import Library as Library
    from talkfield.library import driver_for as driver_for
    from talkfield.library import library_runtime as library_runtime
    from talkfield.library import runtime_ports as runtime_ports
    from talkfield.library import user_message as user_message
    from talkfield.prices import DEFAULT_PRICES as DEFAULT_PRICES
    from talkfield.prices import context_limit as context_limit
    from talkfield.prices import conversation_cost as conversation_cost
    from talkfield.prices import price_for as price_for
    from talkfield.providers.scripted import ScriptedDriver as ScriptedDriver
    from talkfield.runtime.chat_runtime import ChatRuntime as ChatRuntime
    from talkfield.runtime.function_tool import tool as tool
    from talkfield.runtime.ports import CallChunk as CallChunk
    from talkfield.runtime.ports import Chunk as Chunk
    from talkfield.runtime.ports import Driver as Driver
    from talkfield.runtime.ports import FinishChunk as FinishChunk
    from talkfield.runtime.ports import Parameters as Parameters
    from talkfield.runtime.ports import ProviderConfig as ProviderConfig
    from talkfield.runtime.ports import ProviderRequest as ProviderRequest
    from talkfield.runtime.ports import RestartChunk as RestartChunk
    from talkfield.runtime.ports import RetryChunk as RetryChunk
    from talkfield.runtime.ports import RuntimePorts as RuntimePorts
    from talkfield.runtime.ports import SendRequest as SendRequest
    from talkfield.runtime.ports import SendResult as SendResult
    from talkfield.runtime.ports import TextChunk as TextChunk
    from talkfield.runtime.ports import ThinkingChunk as ThinkingChunk
    from talkfield.runtime.ports import Tool as Tool
    from talkfield.runtime.ports import ToolContext as ToolContext
    from talkfield.runtime.ports import UsageChunk as UsageChunk
    from talkfield.system import RandomIds as RandomIds
    from talkfield.system import SystemClock as SystemClock

MODULES: dict[str, tuple[str, ...]] = {
    "core.card": ("Preview",),
    "core.concern": ("Concern",),
    "core.conversation": (
        "Conversation",
        "create_conversation",
    ),
    "core.cost": (
        "CostReport",
        "cost_label",
        "cost_of",
    ),
    "core.events": (
        "ChatEvent",
        "ContextAdded",
        "Delta",
        "Done",
        "MessageFinished",
        "MessageRestarted",
        "NoteAdded",
        "RetryWaiting",
        "ThinkingDelta",
        "ToolCalled",
        "ToolReturned",
        "UsageReported",
    ),
    "core.ids": (
        "CallId",
        "MessageId",
        "NodeId",
        "ProviderId",
        "TurnId",
    ),
    "core.messages": (
        "Attachment",
        "Message",
        "MessageCost",
        "MessageError",
        "ModelInfo",
        "ProviderState",
        "Role",
        "ToolCall",
        "Usage",
    ),
    "core.records": ("PriceOverride",),
    "core.serialization": (
        "ConversationData",
        "deserialize_conversation",
        "serialize_conversation",
    ),
    "core.slash": (
        "ClearTranscript",
        "Configure",
        "Note",
        "SlashCall",
        "SlashContext",
        "SlashResult",
        "detect_slash_command",
    ),
    "core.window": (
        "Window",
        "cap_conversation_messages",
    ),
    "errors": (
        "CommandRejected",
        "ConversationFormatError",
        "InvalidArgument",
        "NodeBusy",
        "NoModel",
        "NoProvider",
        "ProviderCut",
        "ProviderError",
        "ProviderGarbled",
        "ProviderLimited",
        "ProviderRefused",
        "ProviderUnreachable",
        "TalkfieldError",
        "ToolError",
    ),
    "library": (
        "Library",
        "driver_for",
        "library_runtime",
        "runtime_ports",
        "user_message",
    ),
    "prices": (
        "DEFAULT_PRICES",
        "context_limit",
        "conversation_cost",
        "price_for",
    ),
    "providers.scripted": ("ScriptedDriver",),
    "runtime.chat_runtime": ("ChatRuntime",),
    "runtime.function_tool": ("tool",),
    "runtime.ports": (
        "CallChunk",
        "Chunk",
        "Driver",
        "FinishChunk",
        "Parameters",
        "ProviderConfig",
        "ProviderRequest",
        "RestartChunk",
        "RetryChunk",
        "RuntimePorts",
        "SendRequest",
        "SendResult",
        "TextChunk",
        "ThinkingChunk",
        "Tool",
        "ToolContext",
        "UsageChunk",
    ),
    "system": (
        "RandomIds",
        "SystemClock",
    ),
}
"""What the imports above say, for when they are not done; a test holds the two together."""

PLACES = {name: module for module, names in MODULES.items() for name in names}

if not TYPE_CHECKING:
    __all__ = ["__version__", *PLACES]


def __getattr__(name: str) -> Any:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{PLACES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *PLACES})
