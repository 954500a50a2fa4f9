"""Which function does what a person asks: `HANDLERS` finds it by the command's type.

The canvas and the chats have modules of their own; here is what belongs to neither.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from talkfield.core.history import Entry
from talkfield.core.records import EdgeRecord, MessageRecord
from talkfield.runtime.config import ProviderChange
from talkfield.wire import client as ask
from talkfield.workspace import (
    again,
    approval,
    branching,
    budget,
    canvas,
    chat,
    fan_out,
    link,
    merging,
    project,
    shelf,
    summary,
    tool_server,
    tool_switch,
)
from talkfield.workspace.answer import Answer

if TYPE_CHECKING:
    from talkfield.workspace.session import Session


def undo(session: Session, _command: ask.Undo) -> Answer:
    return hand_back(session, session.workspace.undo())


def redo(session: Session, _command: ask.Redo) -> Answer:
    return hand_back(session, session.workspace.redo())


def hand_back(session: Session, entry: Entry) -> Answer:
    """What a person had typed into a turn that was undone goes back to its composer, and is taken from it by redo (W4).

    A chat that went with it has none; then it is that of the one chat it had gone on from.
    """
    added = entry.diff.added.values()
    for record in added:
        if not isinstance(record, MessageRecord) or record.role != "user" or record.copied_from or record.source:
            continue
        origins = [edge.source for edge in added if isinstance(edge, EdgeRecord) and edge.target == record.node_id]
        for node in (record.node_id, *(origins if len(origins) == 1 else ())):
            if session.document.node(node) is not None:
                return Answer(made=(node,), text=record.content, attachments=record.attachments)
        return Answer()
    return Answer()


async def save_provider(session: Session, command: ask.SaveProvider) -> Answer:
    made = await session.services.directory.save(
        ProviderChange(
            name=command.name,
            api=command.api,
            base_url=command.base_url,
            provider=command.provider,
            model=command.model,
            key=command.key,
        )
    )
    return Answer(made=(made,))


async def remove_provider(session: Session, command: ask.RemoveProvider) -> Answer:
    await session.services.directory.remove(command.provider)
    return Answer()


def refresh_provider(session: Session, command: ask.RefreshProvider) -> Answer:
    session.services.directory.begin_refresh(command.provider)
    return Answer()


async def change_settings(session: Session, command: ask.ChangeSettings) -> Answer:
    await session.app.change_settings(command)
    return Answer()


Handler = Callable[[Any, Any], Answer | Awaitable[Answer]]

HANDLERS: dict[type[Any], Handler] = {
    ask.AddNode: canvas.add_node,
    ask.PlaceNodes: canvas.place_nodes,
    ask.DuplicateNodes: canvas.duplicate_nodes,
    ask.FoldChats: canvas.fold_chats,
    ask.EditGroup: canvas.edit_group,
    ask.RenameNode: canvas.rename_node,
    ask.RemoveNodes: canvas.remove_nodes,
    ask.ConfigureChat: canvas.configure_chat,
    ask.SaveDraft: canvas.save_draft,
    ask.EditSticky: canvas.edit_sticky,
    ask.EditFile: canvas.edit_file,
    ask.SendMessage: chat.send_message,
    ask.EditQueued: chat.edit_queued,
    ask.RemoveQueued: chat.remove_queued,
    ask.SendQueued: chat.send_queued,
    ask.StopTurn: chat.stop_turn,
    ask.RetryTurn: again.retry_turn,
    ask.RegenerateReply: again.regenerate_reply,
    ask.EditMessage: again.edit_message,
    ask.ContinueTurn: chat.continue_turn,
    ask.BranchChat: branching.branch_chat,
    ask.FanOut: fan_out.ask_several,
    ask.MergeNodes: merging.merge_nodes,
    ask.DecideCall: approval.decide_call,
    ask.SaveRule: approval.save_rule,
    ask.RemoveRule: approval.remove_rule,
    ask.RemoveMessage: chat.remove_message,
    ask.RestoreShelved: shelf.restore_shelved,
    ask.DiscardShelved: shelf.discard_shelved,
    ask.AddEdge: link.add_edge,
    ask.EditLink: link.edit_link,
    ask.RunLink: link.run_link,
    ask.SummarizeLink: summary.summarize_link,
    ask.RemoveEdges: link.remove_edges,
    ask.SetBudget: budget.set_budget,
    ask.Undo: undo,
    ask.Redo: redo,
    ask.SaveProvider: save_provider,
    ask.RemoveProvider: remove_provider,
    ask.RefreshProvider: refresh_provider,
    ask.SwitchTools: tool_switch.switch_tools,
    ask.SaveToolServer: tool_server.save_tool_server,
    ask.EnableToolServer: tool_server.enable_tool_server,
    ask.RemoveToolServer: tool_server.remove_tool_server,
    ask.DecideToolServers: tool_server.decide_tool_servers,
    ask.RestartToolServer: tool_server.restart_tool_server,
    ask.ChangeSettings: change_settings,
    ask.AddProject: project.add_project,
    ask.RenameProject: project.rename_project,
    ask.MoveProject: project.move_project,
    ask.DuplicateProject: project.duplicate_project,
    ask.DeleteProject: project.delete_project,
    ask.ImportConversations: project.import_conversations,
    ask.CancelWork: project.cancel_work,
}
