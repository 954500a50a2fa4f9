"""MCP servers as sources of tools (T10), through the official SDK.

Nothing here is imported before a server is configured; the SDK itself is loaded, in a thread, when one is first needed.
"""
