"""Starts Qt and ends: a process of its own in which a display is tried, since Qt aborts where it cannot start."""

from __future__ import annotations


def main() -> int:
    """Start Qt on the platform that the environment names; returns the exit code, 0 where there is a screen."""
    from PySide6.QtGui import QGuiApplication

    # A platform such as linuxfb starts without its device, and then has no screen to show a window on.
    return 0 if QGuiApplication([]).screens() else 2
