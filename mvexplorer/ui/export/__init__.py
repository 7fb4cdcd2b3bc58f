"""Pictures, sheets, web pages and films to files, with or without a window."""
