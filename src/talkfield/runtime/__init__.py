"""The runtime: performs turns. Async, but without any I/O of its own: all it needs is injected through `ports`."""
