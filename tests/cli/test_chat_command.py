"""`talkfield chat` in a real terminal: what is shown, what keys do, and how it ends (Z4)."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

from cli.pseudo_terminal import CTRL_C, CTRL_D, UP, PseudoTerminal, in_terminal
from cli.terminal import environment, run

PROMPT = "\n> "


def reply_to(terminal: PseudoTerminal, text: str) -> str:
    """Say something at the prompt; all that is shown until the next prompt."""
    terminal.say(text)
    terminal.until(text)
    return terminal.until(PROMPT).strip()


def leave(terminal: PseudoTerminal) -> None:
    terminal.press(CTRL_D)
    assert terminal.ends() == 0


def test_Z4_a_chat_streams_thinks_counts_and_remembers(own_home: Path) -> None:
    with in_terminal(own_home, "chat", "--system", "Be kind.") as terminal:
        assert terminal.until(PROMPT).splitlines() == [
            "Scripted replies, scripted-1",
            "Ctrl-C stops a reply, Ctrl-D leaves. /model, /system, /cost and /clear act on this chat.",
        ]
        assert reply_to(terminal, "think then answer").splitlines() == [
            "Let me think about what was asked. The message has 3 words.",
            "I thought about it, and this is the answer.",
            "scripted-1 · 7 in, 26 out · $0.000033",
        ]
        assert "\x1b[2mLet" in terminal.raw
        assert "\x1b[2mI" not in terminal.raw
        recalled = reply_to(terminal, "recall")
        assert "Be kind." in recalled
        assert "this is the answer" in recalled
        assert "chat so far: $0.0" in recalled
        leave(terminal)


def test_R10_ctrl_c_stops_the_reply_and_not_the_program(own_home: Path) -> None:
    with in_terminal(own_home, "chat") as terminal:
        terminal.until(PROMPT)
        terminal.say("stream 1000 words at 50/s")
        terminal.until("word-3")
        terminal.press(CTRL_C)
        assert terminal.until("Stopped.").splitlines()[-1].startswith("scripted-1 · about ")
        terminal.until(PROMPT)
        assert "word-1 word-2 word-3" in reply_to(terminal, "recall")
        terminal.say("stream 1 words\\")
        terminal.say("slow")
        terminal.until("word-1")
        terminal.press(CTRL_C)  # the provider says nothing more, and no end
        terminal.until("Stopped.")
        terminal.until(PROMPT)
        leave(terminal)


def test_Z4_ctrl_c_at_the_prompt_takes_the_line_back_and_the_second_leaves(own_home: Path) -> None:
    with in_terminal(own_home, "chat") as terminal:
        terminal.until(PROMPT)
        terminal.press("never mi")
        terminal.until("never mi")
        terminal.interrupt("Ctrl-C once more, or Ctrl-D, leaves.")
        terminal.until(PROMPT)
        assert reply_to(terminal, "hello").startswith("echo: hello")
        terminal.interrupt("leaves.")
        terminal.until(PROMPT)
        terminal.interrupt(None)
        assert terminal.ends() == 0


def test_C10_slash_commands_act_here_and_other_slashes_are_said(own_home: Path) -> None:
    with in_terminal(own_home, "chat") as terminal:
        terminal.until(PROMPT)
        assert reply_to(terminal, "/model") == "Model: scripted-1 (the default)"
        assert reply_to(terminal, "/Model scripted-2") == "Model: scripted-2"
        assert reply_to(terminal, "/system Be  brief.") == "System prompt:\n\nBe  brief."
        assert reply_to(terminal, "/etc/hosts is a file").startswith("echo: /etc/hosts is a file\nscripted-2 · ")
        assert "Be  brief." in reply_to(terminal, "recall")
        assert "Cost: n/a" in reply_to(terminal, "/cost")
        assert reply_to(terminal, "/clear") == "The conversation is empty."
        assert reply_to(terminal, "/cost").startswith("0 tokens")
        recalled = reply_to(terminal, "recall")
        assert "hosts" not in recalled
        assert "Be  brief." in recalled
        leave(terminal)


def test_W13_what_failed_says_what_to_do_and_enter_tries_again(own_home: Path) -> None:
    with in_terminal(own_home, "chat") as terminal:
        terminal.until(PROMPT)
        first = reply_to(terminal, "fail after 2 words")
        assert first.startswith("word-1 word-2\n")
        assert first.endswith("\nPress Enter to try again.")
        assert reply_to(terminal, "").startswith("word-1 word-2\n")
        assert reply_to(terminal, "recall").count("word-1") == 1
        assert reply_to(terminal, "") == ""
        leave(terminal)


def test_R2_without_the_provider_it_says_so_and_goes_on(own_home: Path) -> None:
    with in_terminal(own_home, "chat", "-p", "nobody") as terminal:
        terminal.until(PROMPT)
        said = reply_to(terminal, "hello")
        assert said.startswith("no chat provider is configured Add one in Settings")
        leave(terminal)


def test_Z4_arrow_keys_bring_back_what_was_typed_also_in_an_earlier_chat(own_home: Path) -> None:
    with in_terminal(own_home, "chat") as terminal:
        terminal.until(PROMPT)
        reply_to(terminal, "hello \u00e9")
        reply_to(terminal, "/cost")
        leave(terminal)
    history = own_home / "chat-history"
    assert [json.loads(line) for line in history.read_text().splitlines()] == ["hello \u00e9", "/cost"]
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    with in_terminal(own_home, "chat") as terminal:
        terminal.until(PROMPT)
        terminal.press(UP + UP)
        terminal.until("hello \u00e9")
        terminal.press("!\r")
        terminal.until("echo: hello \u00e9!")
        terminal.until(PROMPT)
        leave(terminal)


def test_Z4_a_message_may_have_several_lines(own_home: Path) -> None:
    with in_terminal(own_home, "chat") as terminal:
        terminal.until(PROMPT)
        terminal.say("one\\")
        terminal.until(". ")
        terminal.say("two")
        terminal.until("echo: one\ntwo")
        terminal.until(PROMPT)
        terminal.press("\x1b[200~three\nfour\x1b[201~\r")  # as terminals send what is pasted
        terminal.until("echo: three\nfour")
        terminal.until(PROMPT)
        leave(terminal)


def test_T6_a_card_is_answered_by_a_key(own_home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    with in_terminal(own_home, "chat", "--tools", folder=folder) as terminal:
        terminal.until(PROMPT)
        terminal.say('call write_file {"path": "a.txt", "content": "one"}')
        card = terminal.until("[A]pprove, [D]eny, [R]emember or [E]dit write_file? ")
        assert "write_file wants to run" in card
        assert "a.txt" in card
        assert not (folder / "a.txt").exists()
        terminal.press("A")
        terminal.until("✓ write_file: ")
        terminal.until(PROMPT)
        assert (folder / "a.txt").read_text() == "one"
        leave(terminal)
    entries = [json.loads(line) for line in (own_home / "chat-audit.jsonl").read_text().splitlines()]
    assert [(entry["tool"], entry["decision"], entry["outcome"]) for entry in entries] == [
        ("write_file", "person", "started"),
        ("write_file", "person", "done"),
    ]


def test_T9_a_card_shows_the_change_and_no_tool_enters_talkfields_own_folder(own_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old\n")
    with in_terminal(own_home, "chat", "--tools", folder=tmp_path) as terminal:
        terminal.until(PROMPT)
        terminal.say('call write_file {"path": "a.txt", "content": "new"}')
        card = terminal.until("[E]dit write_file? ")
        assert "│ -old " in card
        assert "│ +new" in card
        terminal.press("d")
        terminal.until("no reason) ")
        terminal.press("\r")
        terminal.until(PROMPT)
        said = reply_to(terminal, 'call read_file {"path": "talkfield-home/chat-history"}')
        assert "✗ read_file: " in said
        leave(terminal)


def test_T5_a_denial_may_say_why(own_home: Path, tmp_path: Path) -> None:
    with in_terminal(own_home, "chat", "--tools", folder=tmp_path) as terminal:
        terminal.until(PROMPT)
        terminal.say('call write_file {"path": "a.txt", "content": "one"}')
        terminal.until("[E]dit write_file? ")
        terminal.press("d")
        terminal.until("Why? (Enter for no reason) ")
        terminal.say("not today")
        terminal.until("✗ write_file: denied by user: not today")
        terminal.until(PROMPT)
        assert not (tmp_path / "a.txt").exists()
        leave(terminal)


def test_T6_what_runs_is_what_was_edited_and_shown(own_home: Path, tmp_path: Path) -> None:
    with in_terminal(own_home, "chat", "--tools", folder=tmp_path) as terminal:
        terminal.until(PROMPT)
        terminal.say('call write_file {"path": "a.txt", "content": "one"}')
        terminal.until("[E]dit write_file? ")
        terminal.press("e")
        terminal.until('arguments: {"path": "a.txt", "content": "one"}')
        terminal.press("\x7f!\r")  # no JSON any more
        terminal.until("the arguments are not valid JSON")
        terminal.until("arguments: ")
        terminal.press("\x7f" * 5 + 'two"}\r')
        card = terminal.until("[E]dit write_file? ")
        assert "edited by you" in card
        assert "two" in card
        terminal.press("a")
        terminal.until("✓ write_file: ")
        terminal.until(PROMPT)
        assert (tmp_path / "a.txt").read_text() == "two"
        leave(terminal)


def test_T7_a_decision_is_remembered_for_the_folder_and_taken_back(own_home: Path, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    write = 'call write_file {"path": "docs/%s", "content": "one"}'
    with in_terminal(own_home, "chat", "--tools", folder=tmp_path) as terminal:
        terminal.until(PROMPT)
        terminal.say(write % "a.md")
        terminal.until("[E]dit write_file? ")
        terminal.press("r")
        terminal.until("Which calls? ")
        terminal.say("2")
        terminal.until("[P]roject? ")
        terminal.press("p")
        terminal.until("[N]ever? ")
        terminal.press("a")
        said = terminal.until("[B]ack? ")
        assert "Let write_file run without asking in this project: files that fit docs/**." in said
        assert "No call of this tool is on record yet." in said
        terminal.press("k")
        terminal.until("✓ write_file: ")
        terminal.until(PROMPT)
        assert "✓ write_file: " in reply_to(terminal, write % "b.md")
        leave(terminal)
    with in_terminal(own_home, "chat", "--tools", folder=tmp_path) as terminal:
        assert "1  Let write_file run without asking" in terminal.until(PROMPT)
        assert "takes the second of them back" in reply_to(terminal, "/rules 2")
        assert "Nothing is remembered" in reply_to(terminal, "/rules 1")
        terminal.say(write % "c.md")
        terminal.until("[E]dit write_file? ")
        terminal.press("d")
        terminal.until("no reason) ")
        terminal.press("\r")
        terminal.until(PROMPT)
        leave(terminal)
    assert sorted(path.name for path in (tmp_path / "docs").iterdir()) == ["a.md", "b.md"]


def test_T6_all_cards_of_a_reply_are_shown_before_the_first_question(own_home: Path, tmp_path: Path) -> None:
    call = 'call write_file {"path": "%s.txt", "content": "x"}'
    with in_terminal(own_home, "chat", "--tools", folder=tmp_path) as terminal:
        terminal.until(PROMPT)
        terminal.say(f"{call % 'a'}\\")
        terminal.say(call % "b")
        cards = terminal.until("[E]dit write_file? ")
        assert cards.count("wants to run") == 2
        terminal.press("d")
        terminal.until("no reason) ")
        terminal.press("\r")
        terminal.until("[E]dit write_file? ")
        terminal.press("a")
        terminal.until(PROMPT)
        assert [path.name for path in tmp_path.glob("*.txt")] == ["b.txt"]
        leave(terminal)


def test_T6_a_card_hides_nothing_and_what_was_typed_before_it_approves_nothing(own_home: Path, tmp_path: Path) -> None:
    hostile = json.dumps({"path": "a\u202etxt.exe", "content": "\x1b[2J\u200bx"})
    with in_terminal(own_home, "chat", "--tools", folder=tmp_path) as terminal:
        terminal.until(PROMPT)
        terminal.say(f"wait 1 s\\\rcall write_file {hostile}")
        terminal.until("write_file")
        terminal.press("a\ra\r")  # typed ahead, while the reply is on its way
        card = terminal.until("[E]dit write_file? ")
        assert "a⟨U+202E⟩txt.exe" in card
        assert "⟨U+001B⟩[2J⟨U+200B⟩x" in card
        assert "\x1b[2J" not in terminal.raw
        terminal.press(CTRL_C)
        assert "cancelled: not run" in terminal.until("Stopped.")
        terminal.until(PROMPT)
        assert list(tmp_path.glob("*")) == [own_home]
        leave(terminal)


def test_Z4_ctrl_d_at_a_card_leaves_and_runs_nothing(own_home: Path, tmp_path: Path) -> None:
    with in_terminal(own_home, "chat", "--tools", folder=tmp_path) as terminal:
        terminal.until(PROMPT)
        terminal.say('call write_file {"path": "a.txt", "content": "one"}')
        terminal.until("[E]dit write_file? ")
        terminal.press(CTRL_D)
        assert terminal.ends() == 0
        assert not (tmp_path / "a.txt").exists()


def test_check_27_T2_at_the_limit_of_calls_enter_goes_on(own_home: Path, tmp_path: Path) -> None:
    with in_terminal(own_home, "chat", "--tools", folder=tmp_path) as terminal:
        terminal.until(PROMPT)
        first = reply_to(terminal, 'keep calling list_dir {"path": "."}')
        assert first.count("· list_dir") == 10
        assert first.endswith("Press Enter to let it go on.")
        assert reply_to(terminal, "").count("· list_dir") == 10
        leave(terminal)


def test_Z4_lines_may_come_from_a_pipe(own_home: Path) -> None:
    ended = run(own_home, "chat", stdin="hello\n/cost\n")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.startswith("echo: hello\nscripted-1 · 2 in, 3 out · $0.000005\n5 tokens: 2 in, 3 out\n")
    assert not own_home.exists()


def test_T6_cards_are_answered_from_a_pipe_too(own_home: Path, tmp_path: Path) -> None:
    lines = 'call write_file {"path": "a.txt", "content": "one"}\nd\nno\n'
    done = subprocess.run(
        [sys.executable, "-m", "talkfield", "chat", "--tools"],
        input=lines.encode(),
        capture_output=True,
        cwd=tmp_path,
        env=environment(own_home),
        timeout=50,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "✗ write_file: denied by user: no" in done.stdout.decode()
    assert not (tmp_path / "a.txt").exists()


def test_Z4_a_reader_that_goes_away_ends_it(own_home: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "talkfield", "chat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(own_home),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"stream 100000 words at 1000/s\n")
        process.stdin.flush()
        assert process.stdout.read(6) == b"word-1"
        process.stdout.close()
        assert process.wait(20) == 141
        assert process.stderr.read() == b""


def test_Z4_a_chat_that_cannot_start_says_why(own_home: Path) -> None:
    ended = run(own_home, "chat", TALKFIELD_SCRIPTED="/nowhere/script.json")
    assert (ended.status, ended.out, ended.err.count("\n")) == (1, "", 1)
    assert "/nowhere/script.json" in ended.err


def test_Z4_without_a_place_for_it_nothing_is_remembered(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "blobs").write_text("in the way")
    with in_terminal(home, "chat") as terminal:
        assert "What you type is not kept." in terminal.until(PROMPT)
        assert reply_to(terminal, "hello").startswith("echo: hello")
        leave(terminal)
