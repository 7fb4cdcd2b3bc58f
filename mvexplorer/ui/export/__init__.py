"""Pictures and tables to files, with or without a window."""
