"""What the terminal's commands share: writing to it, reading from it, cards of tool calls, the runtime beside it.

Everything here is synchronous and on the main thread, but for the runtime, which has a loop and a thread of its own:
reading a line blocks, and a provider must not wait for a person who thinks.
"""
