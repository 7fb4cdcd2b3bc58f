"""The snapshots of a document, over the window."""
