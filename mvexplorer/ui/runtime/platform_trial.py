"""Starts Qt and ends: a process of its own in which a display is tried, since Qt aborts where it cannot start."""

from __future__ import annotations


def main() -> int:
    """Start Qt on the platform that the environment names; returns the exit code."""
    from PySide6.QtGui import QGuiApplication

    QGuiApplication([])
    return 0
