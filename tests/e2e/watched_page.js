// Runs in each page before its own scripts: notes which commands the page has had answers to, and, if asked to, makes
// the connection slow. A slow one brings out what a quick one hides: tests, and parts of the page, that count on an
// answer being there already.
((lagMs) => {
  const asked = new Map();
  const done = new Set();
  window.talkfieldTest = {
    /** Whether nothing is asked that is not answered, and `command` was answered since it was last asked about. */
    answered: (command) => asked.size === 0 && (command === "" || done.delete(command)),
  };
  const sent = (text) => {
    const message = JSON.parse(text);
    if (message.type === "do") asked.set(message.id, message.command.do);
  };
  const came = (text) => {
    const message = JSON.parse(text);
    if (message.type !== "ack" && message.type !== "rejected") return;
    if (!asked.has(message.id)) return;
    done.add(asked.get(message.id));
    asked.delete(message.id);
  };

  /** Calls what it is given later, in the order it was given: timers alone would keep it to a millisecond. */
  const road = () => {
    const waiting = [];
    let dueMs = 0;
    return (act) => {
      if (lagMs === 0) return act();
      waiting.push(act);
      dueMs = Math.max(dueMs, performance.now() + Math.random() * lagMs);
      setTimeout(() => waiting.shift()(), dueMs - performance.now());
    };
  };

  const Real = window.WebSocket;
  window.WebSocket = class extends Real {
    #there = road();
    #back = road();
    #onmessage = null;
    #onclose = null;
    constructor(...given) {
      super(...given);
      super.onmessage = (event) =>
        this.#back(() => {
          this.#onmessage?.(event);
          came(event.data);
        });
      super.onclose = (event) => this.#back(() => this.#onclose?.(event));
    }
    get onmessage() {
      return this.#onmessage;
    }
    set onmessage(handler) {
      this.#onmessage = handler;
    }
    get onclose() {
      return this.#onclose;
    }
    set onclose(handler) {
      this.#onclose = handler;
    }
    send(data) {
      sent(data);
      this.#there(() => {
        if (this.readyState === Real.OPEN) super.send(data);
      });
    }
  };

  if (lagMs === 0) return;
  const fetched = window.fetch.bind(window);
  const wait = () => new Promise((over) => setTimeout(over, Math.random() * lagMs));
  window.fetch = async (...given) => {
    await wait();
    const answer = await fetched(...given);
    await wait();
    return answer;
  };
})(LAG_MS);
