"""The embedded model's own process: llama.cpp behind an OpenAI-compatible server on a loopback port.

Started by `local.LocalModel` as `python local_server.py`, never imported by Talkfield and importing nothing of it, so
that it is up in half a second. It is told what to serve by one JSON line on stdin (`Order`), answers with one JSON line
on stdout, `{"address": "http://127.0.0.1:34297"}` or `{"error": "…"}`, and then serves until stdin ends. Stdin ends
when Talkfield does, however it does: that is the whole life line, and it works on every system. On Linux the kernel is
asked to end this process too, for the moments when loading keeps Python from looking at stdin.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
import threading
from typing import Any, TypedDict


class Order(TypedDict):
    """What to serve. `key` is what every request has to carry; it travels by stdin alone, unseen."""

    model: str
    alias: str
    key: str
    context_tokens: int
    slots: int
    reply_tokens: int
    threads: int
    parent: int


def main() -> None:
    # llama.cpp may print on its own: stdout is kept for the answer, whatever else is printed goes to stderr.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    order: Order = json.loads(sys.stdin.readline())
    end_with_parent(order["parent"])
    threading.Thread(target=end_with_stdin, daemon=True).start()
    # Replies must not starve Talkfield's own event loop: sixty other things are on screen.
    if sys.platform != "win32":
        os.nice(5)
    try:
        server = serve(order)
        answer.write(json.dumps({"address": server.listening_address}) + "\n")
    except Exception as error:  # whatever keeps it from serving is for the person to read
        answer.write(json.dumps({"error": str(error) or type(error).__name__}) + "\n")
        answer.flush()
        os._exit(1)
    answer.flush()
    threading.Event().wait()


def serve(order: Order) -> Any:
    """A running llama.cpp server, the model loaded. It ends when the result is deleted."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = order["model"]
    params.model_alias = {order["alias"]}
    params.api_keys = [order["key"]]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.cors_origins = ""
    params.cors_credentials = False
    params.ui = False
    params.endpoint_slots = False
    params.offline = True
    params.use_jinja = True
    params.verbosity = 0
    params.n_parallel = order["slots"]
    params.n_ctx = order["slots"] * order["context_tokens"]
    params.n_predict = order["reply_tokens"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = order["threads"]
    # Eight-bit key and value cache: half the memory (347 MB in all instead of 520), same speed, no difference to read.
    params.cache_type_k = params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_Q8_0
    # Prompts of chats that lost their slot; the default may grow to 8 GB.
    params.cache_ram_mib = 256
    # What SmolLM2's makers advise: a model this small wanders off at llama.cpp's 0.8. The last breaks its loops.
    params.sampling.temp = 0.2
    params.sampling.top_p = 0.9
    params.sampling.dry_multiplier = 0.8
    return xllamacpp.Server(params)


def end_with_stdin() -> None:
    with contextlib.suppress(OSError, ValueError):
        while sys.stdin.buffer.read(4096):
            pass
    os._exit(0)


def end_with_parent(parent: int) -> None:
    """Linux: be killed when the thread that started us ends. Elsewhere nothing: stdin has to do."""
    if sys.platform != "linux":
        return
    set_parent_death_signal = 1
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the kernel knew that we want to go with it
        os._exit(0)


if __name__ == "__main__":
    main()
