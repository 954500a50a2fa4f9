"""What of a tool's result goes back to the model (T4)."""

from __future__ import annotations

MAX_RESULT_BYTES = 12 * 1024


def cap_result(text: str, max_bytes: int = MAX_RESULT_BYTES) -> str:
    """The text within `max_bytes` of UTF-8; what is too much is cut at the end, with a marker that says how much.

    What not every service takes (NUL, half a character) becomes U+FFFD.
    """
    text = text.replace("\0", "\ufffd")
    try:
        data = text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        data = text.encode()
    if len(data) <= max_bytes:
        return text
    kept = data[:max_bytes].decode("utf-8", "ignore")
    cut = len(data) - len(kept.encode("utf-8"))
    return f"{kept}\n[cut: {cut} of {len(data)} bytes are not shown]"
