"""Widgets that do not depend on the document."""
