// Runs in every page that is measured: when was which word painted, and when the end of the long conversation?
// `painted`: wall-clock milliseconds by the number of the word. `end`: milliseconds since the page was asked for.
window.watched = { painted: [], end: null };
(() => {
  let most = -1;
  const afterPaint = (then) =>
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = then;
      channel.port2.postMessage(0);
    });
  const isLaidOut = () => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode())
      if (walker.currentNode.data.includes("END") && walker.currentNode.parentElement.getClientRects().length) return true;
    return false;
  };
  const look = (changes) => {
    let last = -1;
    let isEnd = false;
    for (const change of changes)
      for (const text of change.type === "characterData" ? [change.target.data] : [...change.addedNodes].map((node) => node.nodeName === "SCRIPT" ? "" : node.textContent)) {
        for (const found of text.matchAll(/w(\d+)q/g)) last = Math.max(last, Number(found[1]));
        isEnd ||= text.includes("END");
      }
    if (last > most) {
      const first = most + 1;
      most = last;
      afterPaint(() => {
        for (let number = first; number <= last; number++) window.watched.painted[number] = performance.timeOrigin + performance.now();
      });
    }
    if (isEnd && window.watched.end === null)
      afterPaint(() => {
        if (isLaidOut()) window.watched.end ??= performance.now();
      });
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
})();
