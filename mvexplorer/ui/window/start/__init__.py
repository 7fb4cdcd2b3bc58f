"""The window before its first data."""
