"""The document: its state as frozen values, undo, and the commands that edit it."""
