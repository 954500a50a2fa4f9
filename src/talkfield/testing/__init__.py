"""Doubles that are part of the product: for tests of Talkfield, and of what others build on it. Nothing here runs
otherwise."""
