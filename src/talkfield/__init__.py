"""Talkfield: a canvas of LLM conversations."""

__version__ = "0.1.0"
