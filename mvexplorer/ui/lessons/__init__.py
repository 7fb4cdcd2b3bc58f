"""Lessons on screen: their list, the column that teaches one, its live bar, and the outline of what it points to."""
