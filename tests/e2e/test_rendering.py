"""What models write, drawn by Chromium as it grows: nothing runs, is fetched, flashes or jumps (U5, X3)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

from e2e.conftest import Canary, Stage
from e2e.hostile_text import vectors
from e2e.puppet import reply

AT_ONCE = 50
"""Fewer than a chat draws at first."""

SEEN = """() => {
  const bad = [];
  const root = document.querySelector("[data-testid=chat-node] section");
  const forbidden = "script,iframe,object,embed,link,meta,base,form,style,template,dialog,video,audio,portal,a[href]";
  for (const element of root.querySelectorAll(`[data-testid=message-content] :is(${forbidden})`)) {
    bad.push(element.outerHTML.slice(0, 200));
  }
  for (const element of root.querySelectorAll("[data-testid=message-content] *")) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on")) bad.push(`${element.localName} ${name}`);
      if (["src", "srcset", "href", "xlink:href", "action", "data", "srcdoc"].includes(name)
        && !/^(data:image\\/|blob:|#)/.test(value)) bad.push(`${element.localName} ${name}`);
    }
  }
  return [...bad, ...(window.evilRan ?? [])];
}"""

DRAWN = f"""() => new Promise((done) => {{
  requestAnimationFrame(() => requestAnimationFrame(() => done(({SEEN})())));
}})"""
"""The same, once what was told is on the screen."""

SCROLL = """async () => {
  for (const message of document.querySelectorAll("[data-testid=message][data-role=assistant]")) {
    message.scrollIntoView();
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }
}"""

PLANT = f"""() => {{
  const planted = document.createElement("a");
  planted.setAttribute("href", "x");
  document.querySelector("[data-testid=message-content]").append(planted);
  const seen = ({SEEN})();
  planted.remove();
  return seen;
}}"""


@pytest.mark.parametrize("batch", range(5))
def test_check_47_48_X3_hostile_text_neither_runs_nor_fetches_at_any_prefix(
    stage: Stage,
    canary: Canary,
    context: BrowserContext,
    batch: int,
) -> None:
    puppet, chat, page = stage()
    blank = context.new_page()
    # A batch takes as many steps as its longest has characters: those of a length go together.
    texts = sorted(vectors(blank, canary.address), key=len)[batch * AT_ONCE : (batch + 1) * AT_ONCE]
    blank.close()
    assert texts
    page.evaluate("() => { window.evilRan = []; window.evil = () => window.evilRan.push('evil() ran'); }")
    puppet.put(*(reply(chat, number) for number in range(len(texts))))
    assert page.evaluate(PLANT) == ['<a href="x"></a>', "a href"]  # the check sees what it must see
    for end in range(max(map(len, texts))):
        puppet.append({f"puppet-{number}": text[end] for number, text in enumerate(texts) if end < len(text)})
        assert page.evaluate(DRAWN) == [], f"at {end} characters"
    puppet.put(*(reply(chat, number, content=text, finish="stop") for number, text in enumerate(texts)))
    page.evaluate(SCROLL)  # formulas and diagrams are drawn when they come into view
    page.wait_for_timeout(1500)
    assert page.evaluate(SEEN) == []
    assert canary.asked == []


GROWING = """# A title

It costs $50 to $100, and `code` is **bold**.[^1]

````markdown
A fence in a fence:

```python
print("inner")
```
````

| a | b |
|---|---|
| 1 | 2 |

- [x] done
- [ ] to do

$$
x^2 + y^2
$$

1. one
   ```sh
   echo "in a list"
   ```
2. two

[^1]: The note.

The end.
"""

BLOCKS = """() => {
  const root = [...document.querySelectorAll("[data-testid=message-content]")].at(-1);
  const groups = [...root.querySelectorAll(".tf-md-group")];
  const blocks = groups.flatMap((group) => [...group.children]);
  const from = root.getBoundingClientRect().top;
  const words = root.cloneNode(true);
  for (const code of words.querySelectorAll("pre, .katex")) code.remove();
  return {
    places: blocks.map((block) => [block.localName, Math.round(block.getBoundingClientRect().top - from)]),
    words: words.textContent,
    code: [...root.querySelectorAll("pre")].map((pre) => pre.textContent),
  };
}"""


def test_U5_growing_text_never_flashes_fences_nor_moves_what_is_finished(
    stage: Stage,
) -> None:
    puppet, chat, page = stage()
    run = {
        "record": "run",
        "id": f"run:{chat.id}",
        "nodeId": chat.id,
        "turn": "t",
        "phase": "streaming",
        "startedAt": 1,
    }
    puppet.put(run, reply(chat, 0, turn="t"))
    before: list[Any] = []
    for end in range(0, len(GROWING), 2):
        puppet.append({"puppet-0": GROWING[end : end + 2]})
        puppet.drawn()
        seen = page.evaluate(BLOCKS)
        assert "```" not in seen["words"], f"at {end}: {seen['words']!r}"
        assert "|---" not in seen["words"], f"at {end}: {seen['words']!r}"
        # The last two may still be growing; a formula is drawn when its renderer has come.
        finished = before[:-2]
        assert seen["places"][: len(finished)] == finished, f"at {end} characters"
        before = seen["places"]
    puppet.put(reply(chat, 0, turn="t", content=GROWING, finish="stop"))
    puppet.drawn()
    seen = page.evaluate(BLOCKS)
    assert "It costs $50 to $100, and code is bold." in seen["words"]
    assert 'A fence in a fence:\n\n```python\nprint("inner")\n```' in seen["code"][0]
    assert seen["code"][1].strip() == 'echo "in a list"'


def test_U5_what_was_written_can_be_read_in_every_form(
    stage: Stage,
) -> None:
    puppet, chat, page = stage()
    diagram = "```mermaid\ngraph TD\n  A[Start] --> B[End]\n```\n"
    puppet.put(reply(chat, 0, content=f"{GROWING}\n\n{diagram}", finish="stop"))
    message = chat.reply
    message.get_by_role("table").wait_for()
    assert message.get_by_role("checkbox").count() == 2
    message.locator(".katex").first.wait_for()
    note = message.get_by_role("button", name="Footnote 1").first
    message.hover()
    page.mouse.wheel(0, -5000)  # up, as a person would: it does not follow the end any more
    note.click()
    expect(message.get_by_text("The note.")).to_be_in_viewport()
    code = message.get_by_role("group", name=re.compile("Code")).first
    wrap = code.get_by_role("button", name="Wrap long lines")
    wrap.scroll_into_view_if_needed()
    wrap.click()
    assert code.locator("pre").get_attribute("data-wraps") == "true"
    page.evaluate("() => navigator.clipboard.writeText('')")
    message.hover()
    message.get_by_test_id("copy").click()
    page.wait_for_function("() => navigator.clipboard.readText().then((text) => text !== '')")
    assert page.evaluate("() => navigator.clipboard.readText()") == f"{GROWING}\n\n{diagram}"
    picture = message.locator("figure").last
    picture.scroll_into_view_if_needed()
    picture.locator("svg, img, iframe").first.wait_for()
    assert message.locator("a[href], script").count() == 0
