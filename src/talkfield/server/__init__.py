"""The server: lets browsers and scripts reach the owner, and keeps everyone else out.

It holds no truth of its own. It reads frames and events from `workspace.base` and hands commands to it; a browser that
is slow, gone or talking nonsense costs the owner nothing.
"""
