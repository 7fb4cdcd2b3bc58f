"""Lessons: what one sees, predicts, does, and why; read from files, checked without a window."""
