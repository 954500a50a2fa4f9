"""The commands and their flags. Imported only when a command is run: this takes a tenth of a second."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, Literal

import typer

from talkfield.core.ids import ProviderId

app = typer.Typer(
    name="talkfield",
    help="A canvas of LLM conversations: many chats side by side, any provider, everything on your own machine.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def talkfield() -> None:
    """Runs before every command."""
    debugging = bool(os.environ.get("TALKFIELD_DEBUG"))
    logging.basicConfig(level=logging.INFO if debugging else logging.WARNING, format="talkfield: %(message)s")


@app.command("open")
def open_command(
    folder: Annotated[
        str | None,
        typer.Argument(help="A project folder: its chats are kept there, and its tools work in it."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(help="Port to listen on; 0 for any that is free.", min=0, max=65535),
    ] = None,
    host: Annotated[
        str,
        typer.Option(help="Address to listen on. Other machines can reach any but this one's own."),
    ] = "127.0.0.1",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="A further name[:port] by which browsers may reach the server. May be given more than once."),
    ] = None,
    public_url: Annotated[
        str | None,
        typer.Option(help="Where a reverse proxy offers this server to browsers, such as https://talk.example.org."),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the link in the browser.")] = True,
    scratch: Annotated[bool, typer.Option("--scratch", help="Keep the canvas in memory only.")] = False,
) -> None:
    """Open the canvas in the browser."""
    from talkfield.open import open_canvas

    hosts = tuple(allow_host or ())
    run(
        open_canvas(
            folder=folder,
            port=port,
            host=host,
            allow_hosts=hosts,
            public_url=public_url,
            browser=browser,
            scratch=scratch,
        )
    )


@app.command("ask")
def ask_command(
    prompt: Annotated[
        str | None,
        typer.Argument(help="What to ask. Piped text is added to it, or taken for it."),
    ] = None,
    provider: Annotated[str | None, typer.Option("--provider", "-p", help="Id of a provider.")] = None,
    model: Annotated[str | None, typer.Option("--model", "-m", help="Model to ask.")] = None,
    system: Annotated[str, typer.Option(help="System prompt.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end instead of text.")] = False,
) -> None:
    """Ask a model one question in the terminal; the status says whether it answered."""
    from talkfield.ask import Question, ask, question_text

    text = question_text(prompt, sys.stdin)
    run(ask(Question(text=text, provider=provider, model=model, system=system, as_json=as_json)))


@app.command("chat")
def chat_command(
    provider: Annotated[str | None, typer.Option("--provider", "-p", help="Id of a provider.")] = None,
    model: Annotated[str | None, typer.Option("--model", "-m", help="Model to ask.")] = None,
    system: Annotated[str, typer.Option(help="System prompt.")] = "",
    tools: Annotated[bool, typer.Option("--tools", help="Let the model work in this folder, card by card.")] = False,
) -> None:
    """Talk with a model in the terminal."""
    from talkfield.chat import Choice, chat

    asked = None if provider is None else ProviderId(provider)
    raise typer.Exit(chat(Choice(provider=asked, model=model, system=system, tools=tools), loop_factory()))


@app.command("mcp")
def mcp_command() -> None:
    """Be an MCP server over standard input and output: lets another program use the Talkfield that runs."""
    from talkfield.mcp_server import serve

    run(serve(os.environ))


@app.command("doctor")
def doctor_command() -> None:
    """Show what is configured, found and missing on this machine."""
    from talkfield.doctor import examine

    run(examine(os.environ))


@app.command("probe")
def probe_command(
    base_url: Annotated[str, typer.Argument(help="The endpoint's address, in whatever form it was given to you.")],
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="Model to ask; else the first in its list.")
    ] = None,
    api: Annotated[
        str | None, typer.Option(help="The wire it speaks: openai or anthropic. Else both are tried.")
    ] = None,
    key_env: Annotated[str | None, typer.Option(help="Environment variable that holds the key. Never shown.")] = None,
    save: Annotated[bool, typer.Option("--save/--no-save", help="Keep what is found in the settings.")] = True,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be asked; send and keep nothing.")
    ] = False,
) -> None:
    """Find out by short calls what an endpoint accepts, and keep it for the chats with it."""
    from talkfield.probe import Wish, probe

    wish = Wish(base_url=base_url, model=model, api=api, key_variable=key_env, dry_run=dry_run, save=save)
    run(probe(wish, os.environ))


@app.command("replay")
def replay_command(
    file: Annotated[str, typer.Argument(help="A captured answer's body, or a record; - for standard input.")],
    api: Annotated[
        str | None, typer.Option(help="The wire it is on: openai or anthropic. Else it is seen from the stream.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
) -> None:
    """Show what Talkfield makes of a captured stream; the status says whether it is a whole answer."""
    from talkfield.replay import replay

    raise typer.Exit(replay(file, api, as_json=as_json))


@app.command("diff")
def diff_command(
    before: Annotated[str, typer.Argument(help="A talkfield.json, or a folder that holds one.")],
    after: Annotated[str, typer.Argument(help="Another version of it.")],
) -> None:
    """Say in words what differs between two versions of a project."""
    from talkfield.project_commands import diff

    raise typer.Exit(diff(before, after))


@app.command("merge")
def merge_command(
    base: Annotated[str, typer.Argument(help="What both versions come from (git: %O).")],
    ours: Annotated[str, typer.Argument(help="Our version; the result is written to it (git: %A).")],
    theirs: Annotated[str, typer.Argument(help="The other version (git: %B).")],
    path: Annotated[str, typer.Argument(help="What to call the file in messages (git: %P).")] = "talkfield.json",
) -> None:
    """Unite two versions of a project, as a merge driver of git; status 1 tells of conflicts."""
    from talkfield.project_commands import merge

    raise typer.Exit(merge(base, ours, theirs, path))


@app.command("send")
def send_command(
    node: Annotated[str, typer.Argument(help="Id of a chat on the canvas.")],
    text: Annotated[str | None, typer.Argument(help="What to say. Piped text is added to it, or taken for it.")] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the reply and print it.")] = True,
) -> None:
    """Say something in a chat of the canvas that runs."""
    from talkfield.ask import question_text
    from talkfield.canvas_commands import send

    run(send(node, question_text(text, sys.stdin), wait=wait))


@app.command("run")
def run_command(
    node: Annotated[str, typer.Argument(help="Id of a chat on the canvas.")],
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the reply and print it.")] = False,
) -> None:
    """Bring a chat's linked context up to date and send what stands in its composer."""
    from talkfield.canvas_commands import run_node

    run(run_node(node, wait=wait))


@app.command("fan-out")
def fan_out_command(
    text: Annotated[str | None, typer.Argument(help="What to ask. Piped text is added to it, or taken for it.")] = None,
    model: Annotated[
        list[str] | None, typer.Option(help="A model, or PROVIDER=MODEL; once for each. None: the default one.")
    ] = None,
    node: Annotated[str, typer.Option(help="Id of a chat that all of them go on from.")] = "",
    project: Annotated[str, typer.Option(help="Id of a project; else the one that was opened last.")] = "",
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the replies and print them.")] = True,
) -> None:
    """Ask several models the same, each in a new chat on the canvas that runs."""
    from talkfield.ask import question_text
    from talkfield.together_commands import fan_out

    run(fan_out(question_text(text, sys.stdin), model or [], node, project, wait=wait))


@app.command("merge-replies")
def merge_replies_command(
    nodes: Annotated[list[str], typer.Argument(help="Ids of the nodes whose last words are merged.")],
    instruction: Annotated[str, typer.Option(help="What is to be made of them.")] = "Unite these replies into one.",
    model: Annotated[str, typer.Option(help="A model, or PROVIDER=MODEL; else the default one.")] = "",
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the reply and print it.")] = True,
) -> None:
    """Ask about what several nodes of the canvas that runs said last, in one new chat."""
    from talkfield.together_commands import merge_replies

    run(merge_replies(nodes, instruction, model, wait=wait))


link_app = typer.Typer(help="Links of the canvas that runs.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(link_app, name="link")


@link_app.command("run")
def link_run_command(
    link: Annotated[str, typer.Argument(help="Id of a link.")],
    allow: Annotated[str, typer.Option(help='What a link that writes may do from now on, as "append notes.md".')] = "",
) -> None:
    """Let a link deliver now; what it delivered before is replaced."""
    from talkfield.canvas_commands import run_link

    run(run_link(link, allow))


@link_app.command("summarize")
def link_summarize_command(
    link: Annotated[str, typer.Argument(help="Id of a link that delivers a summary.")],
    model: Annotated[str, typer.Option(help="A model, or PROVIDER=MODEL; else the default one.")] = "",
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the summary and print it.")] = True,
) -> None:
    """Let a model sum up what a link's source says; the link delivers that from then on."""
    from talkfield.canvas_commands import summarize_link

    run(summarize_link(link, model, wait=wait))


@link_app.callback()
def link_command() -> None:
    """Links of the canvas that runs."""


@app.command("cost")
def cost_command(
    by: Annotated[Literal["model", "chat", "day"], typer.Option(help="What to add up by.")] = "model",
    days: Annotated[int, typer.Option(help="So many days up to today; chats count whole.", min=1, max=3660)] = 30,
) -> None:
    """Print what the canvas that runs has spent."""
    from talkfield.canvas_commands import cost

    run(cost(by, days))


def run(work: Coroutine[Any, Any, int]) -> None:
    """Run a command's work on the quickest event loop there is, and end with its status."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        raise typer.Exit(runner.run(work))


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # not on Windows
        return None
    return uvloop.new_event_loop
