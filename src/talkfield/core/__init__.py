"""The pure core: what a conversation is, what a turn may do, what a change is. Nothing here waits, reads or writes."""
