"""The owner: one workspace a project holds the document, its history and its frames; nobody else writes them."""
