"""Stores, secrets and settings: everything Talkfield keeps on disk."""
