"""The main window and what it does."""
