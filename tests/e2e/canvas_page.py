"""The canvas as a person uses it: what the tests do and look for, in the words of the screen.

Finds things by `data-testid` alone (`web/src/testIds.ts`), so that wording and looks may change.
"""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, expect

STILL = """() => new Promise((done) => {
  let [last, frames] = ["", 0];
  const look = () => {
    const now = document.querySelector(".react-flow__viewport").style.transform;
    frames = now === last ? frames + 1 : 0;
    last = now;
    if (frames > 15) done(now);
    else requestAnimationFrame(look);
  };
  look();
})"""


class CanvasPage:
    """One tab."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def answered(self, command: str = "") -> None:
        """Waits until this page has had the answers to all that it asked of the server.

        One to `command` must be among them, since this was last called for it.
        """
        self.page.wait_for_function("command => window.talkfieldTest.answered(command)", arg=command)

    def still(self) -> str:
        """Waits until the view moves no more; where it then is."""
        return str(self.page.evaluate(STILL))

    def view_is(self, view: str) -> None:
        """Waits until the view is there."""
        self.page.wait_for_function(
            'view => document.querySelector(".react-flow__viewport").style.transform === view', arg=view
        )

    def part(self, test_id: str) -> Locator:
        return self.page.get_by_test_id(test_id)

    def loaded(self) -> None:
        """Waits until the canvas shows what the server has."""
        expect(self.part("canvas")).to_be_visible()

    def reload(self) -> None:
        self.page.reload()
        self.loaded()

    @property
    def chats(self) -> Locator:
        return self.part("chat-node")

    def chat(self, number: int = 0) -> ChatNode:
        """A chat by its order of creation on screen."""
        return ChatNode(self.chats.nth(number))

    def chat_of(self, node_id: str) -> ChatNode:
        return ChatNode(self.page.locator(f'[data-testid="chat-node"][data-node-id="{node_id}"]'))

    def ask_first(self, text: str) -> ChatNode:
        """Types into the composer of the empty canvas and sends: the first chat there is, with the message in it.

        By then it has taken the focus, which it would else take away from what comes next.
        """
        composer = self.part("first-composer")
        composer.locator("textarea").or_(composer).last.fill(text)
        self.page.keyboard.press("Enter")
        expect(self.chats).to_have_count(1)
        chat = self.chat(0)
        expect(chat.messages.first).to_be_attached()
        expect(chat.composer).to_be_focused()
        return chat

    def add_chat(self) -> ChatNode:
        """A new chat by the button of the top bar."""
        before = self.chats.evaluate_all("nodes => nodes.map(node => node.dataset.nodeId)")
        self.part("add-chat").click()
        expect(self.chats).to_have_count(len(before) + 1)
        after = self.chats.evaluate_all("nodes => nodes.map(node => node.dataset.nodeId)")
        (made,) = set(after) - set(before)
        expect(self.page.locator(f'.react-flow__node.selected:has([data-node-id="{made}"])')).to_be_attached()
        self.still()
        return self.chat_of(made)

    def place(self, chat: ChatNode) -> str:
        """Where a chat stands on the canvas, whatever the view."""
        node = self.page.locator(f'.react-flow__node:has([data-node-id="{chat.id}"])')
        return str(node.evaluate("node => node.style.transform"))

    def at(self, chat: ChatNode, place: str) -> None:
        """Waits until a chat stands there."""
        self.page.wait_for_function(
            '([id, place]) => document.querySelector(`.react-flow__node:has([data-node-id="${id}"])`)'
            "?.style.transform === place",
            arg=[chat.id, place],
        )

    def move(self, chat: ChatNode, right: float, down: float) -> str:
        """Drags a chat by the free part of its header; where it then stands."""
        before = self.place(chat)
        self.still()
        box = chat.node.locator("header").bounding_box()
        assert box
        x, y = box["x"] + box["width"] * 0.55, box["y"] + box["height"] * 0.75
        mouse = self.page.mouse
        mouse.move(x, y)
        mouse.down()
        for step in range(1, 11):
            mouse.move(x + right * step / 10, y + down * step / 10)
        mouse.up()
        after = self.place(chat)
        assert after != before, "the drag moved nothing"
        return after

    def compose(self, *steps: str) -> None:
        """Text an input method has not made into a word yet, where the cursor is (Input.imeSetComposition)."""
        for text in steps:
            span = {"selectionStart": len(text), "selectionEnd": len(text)}
            self._input("imeSetComposition", text=text, **span)

    def choose(self, word: str) -> None:
        """Ends the composition with this word, by an Enter that is the input method's."""
        key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229, "nativeVirtualKeyCode": 229}
        self._input("dispatchKeyEvent", type="rawKeyDown", **key)
        self._input("insertText", text=word)
        self._input("dispatchKeyEvent", type="keyUp", **key)

    def _input(self, command: str, **arguments: Any) -> None:
        session = self.page.context.new_cdp_session(self.page)
        session.send(f"Input.{command}", arguments)
        session.detach()

    def undo(self) -> None:
        self.part("undo").click()

    def redo(self) -> None:
        self.part("redo").click()


class ChatNode:
    """One chat."""

    def __init__(self, node: Locator) -> None:
        self.node = node

    def part(self, test_id: str) -> Locator:
        return self.node.get_by_test_id(test_id)

    @property
    def id(self) -> str:
        found = self.node.get_attribute("data-node-id")
        assert found
        return found

    @property
    def composer(self) -> Locator:
        return self.part("composer")

    def send(self, text: str) -> None:
        self.composer.fill(text)
        self.composer.press("Enter")

    @property
    def messages(self) -> Locator:
        return self.part("message")

    def of_role(self, role: str) -> Locator:
        return self.node.locator(f'[data-testid="message"][data-role="{role}"]')

    @property
    def reply(self) -> Locator:
        """The last answer."""
        return self.of_role("assistant").last

    def busy(self) -> None:
        """Waits until a reply is under way."""
        expect(self.part("stop")).to_be_visible()

    def idle(self, *, timeout_s: float = 20.0) -> None:
        """Waits until no reply is under way."""
        expect(self.part("stop")).to_have_count(0, timeout=timeout_s * 1000)

    def says(self, text: str, *, timeout_s: float = 20.0) -> None:
        expect(self.reply).to_contain_text(text, timeout=timeout_s * 1000)

    def stop(self) -> None:
        self.part("stop").click()
