"""Every error Talkfield raises on purpose, in one tree.

::

    TalkfieldError                   never raised itself; .code is stable and crosses the wire, .hint says what to do
    ├── CommandRejected              the asker must act; nothing has changed
    │   ├── NodeBusy                 the node already has a run (R1)
    │   ├── BudgetReached            a call may cost more than a limit leaves (P8)
    │   ├── TurnRunning              a running turn holds what the request would touch (UN5)
    │   ├── NoProvider               nothing is configured that could answer (R2)
    │   ├── NoModel                  neither the request nor the provider names a model (R4)
    │   ├── UnknownThing             an id that does not exist: project, node, message, call, provider
    │   ├── AlreadyDecided           a tool call that waits for nobody (R8)
    │   ├── NothingToDo              undo or redo with an empty stack
    │   ├── InvalidArgument          a value the request may not have; .place names the field
    │   └── InvalidChange            a batch of changes the document refuses
    ├── ProviderError                the provider, the key or the network must change; .status, .retryable, .retry_after
    │   ├── ProviderUnreachable      no connection, or it broke before an answer began
    │   ├── ProviderRefused          the provider said no (key, model, request, content)
    │   ├── ProviderLimited          rate limit, overload, no credit
    │   ├── ProviderGarbled          the answer cannot be read
    │   └── ProviderCut              the answer broke off before its end (D4)
    ├── ToolError                    goes back to the model as a result, never up
    ├── ConversationFormatError      a serialised conversation that cannot be read; .place names the spot (C8)
    ├── ProjectError                 a file or folder must change
    │   ├── ProjectLocked            another Talkfield owns the data folder (ST5)
    │   ├── ProjectUnreadable        damaged or not ours (ST9)
    │   ├── ProjectTooNew            written by a newer Talkfield
    │   └── SaveFailed               the disk refused (W9)
    ├── StartFailed                  the program cannot start; its message is for the person at the terminal
    └── IllegalInput                 a bug in our own shell: the turn machine was fed what its table forbids
"""

from __future__ import annotations


class TalkfieldError(Exception):
    """Base of all. `code` is a stable word, `message` says what happened, `hint` what the person can do."""

    code = "error"
    default_hint = ""

    def __init__(self, message: str, *, hint: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint
        if code is not None:
            self.code = code


class CommandRejected(TalkfieldError):
    """The request was refused before anything changed."""

    code = "rejected"


class NodeBusy(CommandRejected):
    """The node already has a run (R1)."""

    code = "busy"
    default_hint = "Wait for the reply to end, or stop it first."

    def __init__(self, message: str = "chat already running for this node", *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)


class ContextFull(CommandRejected):
    """The conversation is more than the model can take in; a person decides what then (C7)."""

    code = "context_full"


class BudgetReached(CommandRejected):
    """What a provider call may cost does not fit into a limit that a person set (P8)."""

    code = "budget"
    default_hint = "Raise the limit, leave out older turns, or choose a cheaper model; then go on."


class TurnRunning(CommandRejected):
    """The request touches what a running turn holds (UN5)."""

    code = "turn_running"
    default_hint = "Stop the running reply first."


class NoProvider(CommandRejected):
    """No provider is configured for the request (R2)."""

    code = "no_provider"
    default_hint = "Add one in Settings, or set TALKFIELD_PROVIDER_KEY_<ID> in the environment."


class NoModel(CommandRejected):
    """Neither the request nor the provider names a model (R4)."""

    code = "no_model"
    default_hint = "Choose a model in the chat's header, or type /model followed by its name."


class UnknownThing(CommandRejected):
    """An id that does not exist (any more)."""

    code = "unknown"


class AlreadyDecided(CommandRejected):
    """The tool call was decided before, or its turn is over (R8)."""

    code = "already_decided"
    default_hint = "Its card shows how it ended."


class NothingToDo(CommandRejected):
    """There is nothing to undo or redo."""

    code = "nothing_to_do"


class WorkCancelled(CommandRejected):
    """A person did not want to wait for this any longer."""

    code = "cancelled"


class InvalidArgument(CommandRejected):
    """A value the request may not have. `place` names the field, as in `nodes[0].x`."""

    code = "invalid_argument"

    def __init__(self, message: str, *, place: str = "", hint: str | None = None) -> None:
        super().__init__(f"{place}: {message}" if place else message, hint=hint)
        self.place = place


class InvalidChange(CommandRejected):
    """The document refuses the batch; it is as it was."""

    code = "invalid_change"


class ProviderError(TalkfieldError):
    """A provider could not answer (D5).

    `status` is the HTTP status, or None when there was no HTTP answer. `retryable` says whether the same request
    may succeed later. `retry_after` is what the provider asked for, in seconds.
    """

    code = "provider_error"

    def __init__(
        self,
        message: str,
        *,
        provider: str = "",
        status: int | None = None,
        code: str | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint, code=code)
        self.provider = provider
        self.status = status
        self.retryable = retryable
        self.retry_after = retry_after


class ProviderUnreachable(ProviderError):
    """No connection, or none that held until an answer began."""

    code = "provider_unreachable"
    default_hint = "Check the network and the provider's address in Settings."


class ProviderRefused(ProviderError):
    """The provider said no."""

    code = "provider_refused"


class ProviderLimited(ProviderError):
    """Too many requests, an overloaded service, or no credit."""

    code = "provider_limited"


class ProviderGarbled(ProviderError):
    """The answer is not what this wire allows."""

    code = "provider_garbled"


class ProviderCut(ProviderError):
    """The answer broke off before its end; what came is kept (D4)."""

    code = "cut"
    default_hint = "Retry, or ask it to continue."


class ToolError(TalkfieldError):
    """A tool failed; the text goes back to the model as the call's error result (T4)."""

    code = "tool_error"


class ConversationFormatError(TalkfieldError, ValueError):
    """A serialised conversation that cannot be read. `place` is like `messages[3].usage.inputTokens` (C8)."""

    code = "conversation_format"

    def __init__(self, message: str, *, place: str = "", hint: str | None = None) -> None:
        super().__init__(f"{place}: {message}" if place else message, hint=hint)
        self.place = place


class ProjectError(TalkfieldError):
    """A file or folder must change before this can work."""

    code = "project_error"


class ProjectLocked(ProjectError):
    """Another Talkfield owns the data folder (ST5)."""

    code = "project_locked"


class ProjectUnreadable(ProjectError):
    """A stored project is damaged or not ours (ST9)."""

    code = "project_unreadable"


class ProjectTooNew(ProjectError):
    """Written by a newer Talkfield."""

    code = "project_too_new"
    default_hint = "Update Talkfield to open it."


class SaveFailed(ProjectError):
    """The disk refused; memory keeps the state and saving is tried again (W9)."""

    code = "save_failed"


class StartFailed(TalkfieldError):
    """The program cannot start. `message` is one line for the person at the terminal."""

    code = "start_failed"


class IllegalInput(TalkfieldError):
    """The turn machine was fed what its table forbids; it is unchanged. A bug in our shell."""

    code = "illegal_input"
