"""Talkfield: a canvas of LLM conversations.

The names below are the library (docs/library.md); everything else is the program's own and may change. Importing them
loads no HTTP library, no server and no price list.
"""

__version__ = "0.1.0"

from talkfield.core.conversation import Conversation, create_conversation
from talkfield.core.cost import CostReport, cost_label, cost_of
from talkfield.core.events import (
    ChatEvent,
    ContextAdded,
    Delta,
    Done,
    MessageFinished,
    NoteAdded,
    RetryWaiting,
    ThinkingDelta,
    ToolCalled,
    ToolReturned,
    UsageReported,
)
from talkfield.core.messages import Message, MessageCost, ToolCall, Usage
from talkfield.core.records import PriceOverride
from talkfield.core.serialization import ConversationData, deserialize_conversation, serialize_conversation
from talkfield.core.slash import SlashContext, detect_slash_command
from talkfield.core.window import cap_conversation_messages
from talkfield.errors import ConversationFormatError, ProviderError, TalkfieldError
from talkfield.prices import DEFAULT_PRICES, context_limit, conversation_cost, price_for
from talkfield.runtime.chat_runtime import ChatRuntime
from talkfield.runtime.ports import (
    CallChunk,
    Driver,
    FinishChunk,
    ProviderConfig,
    ProviderRequest,
    RuntimePorts,
    SendRequest,
    SendResult,
    TextChunk,
    ThinkingChunk,
    Tool,
    ToolContext,
    UsageChunk,
)
from talkfield.system import RandomIds, SystemClock

__all__ = [
    "DEFAULT_PRICES",
    "CallChunk",
    "ChatEvent",
    "ChatRuntime",
    "ContextAdded",
    "Conversation",
    "ConversationData",
    "ConversationFormatError",
    "CostReport",
    "Delta",
    "Done",
    "Driver",
    "FinishChunk",
    "Message",
    "MessageCost",
    "MessageFinished",
    "NoteAdded",
    "PriceOverride",
    "ProviderConfig",
    "ProviderError",
    "ProviderRequest",
    "RandomIds",
    "RetryWaiting",
    "RuntimePorts",
    "SendRequest",
    "SendResult",
    "SlashContext",
    "SystemClock",
    "TalkfieldError",
    "TextChunk",
    "ThinkingChunk",
    "ThinkingDelta",
    "Tool",
    "ToolCall",
    "ToolCalled",
    "ToolContext",
    "ToolReturned",
    "Usage",
    "UsageChunk",
    "UsageReported",
    "cap_conversation_messages",
    "context_limit",
    "conversation_cost",
    "cost_label",
    "cost_of",
    "create_conversation",
    "deserialize_conversation",
    "detect_slash_command",
    "price_for",
    "serialize_conversation",
]
