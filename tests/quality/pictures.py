"""Makes the pictures of README.md and of the help pages anew: `python tests/quality/pictures.py`.

Each is what a command of the program writes, so that none shows what the program no longer looks like. Large ones
are made smaller, with few colours: they are for looking at, and stay in the repository for ever.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "resources" / "help"
PICTURES = {
    "window.png": ("screenshot", "uci-digits", "--size", "1440x900"),
    "comparison.png": ("compare", "uci-digits"),
    "bandwidth.png": ("screenshot", "coupled-circles", "--size", "1280x800", "--tab", "bandwidth"),
    "sweep.png": ("screenshot", "uci-digits", "--size", "1280x800", "--tab", "sweep"),
}
"""The arguments of the command that writes each picture."""
WIDEST = 2048


def main() -> None:
    """Write all of them."""
    for name, (command, *rest) in PICTURES.items():
        print(name, flush=True)
        subprocess.run(
            [sys.executable, "-m", "mvexplorer", command, *rest, "--out", str(FOLDER / name)], cwd=ROOT, check=True
        )
        shrink(FOLDER / name)


def shrink(path: Path) -> None:
    """Make a picture wider than WIDEST smaller."""
    image = QImage(str(path))
    if image.width() > WIDEST:
        small = image.scaledToWidth(WIDEST, Qt.TransformationMode.SmoothTransformation)
        small.convertToFormat(QImage.Format.Format_Indexed8).save(str(path))


if __name__ == "__main__":
    main()
