"""The window's exports: each asks for a file and has it written in the background."""
