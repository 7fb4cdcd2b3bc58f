"""Makes the pictures of README.md, of the help pages and of the gallery anew: `python tests/quality/pictures.py`.

Each is what a command of the program writes, or its window shows, so that none shows what the program no longer looks
like. Large ones are made smaller, with few colours: they are for looking at, and stay in the repository for ever.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import thumbnails
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from mvexplorer.io.options import ReadOptions
from mvexplorer.ui.app import application, no_display_settings
from mvexplorer.ui.offscreen import grab_window, wait_until_idle
from mvexplorer.ui.window.main_window import MainWindow

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "resources" / "help"
PICTURES = {
    "window.png": ("screenshot", "uci-digits", "--size", "1440x900"),
    "comparison.png": ("compare", "uci-digits"),
    "bandwidth.png": ("screenshot", "coupled-circles", "--size", "1280x800", "--tab", "bandwidth"),
    "real.png": ("screenshot", "noisy-digits", "--size", "1440x800", "--tab", "real"),
    "agreement.png": ("screenshot", "uci-digits", "--size", "1440x800", "--tab", "agreement"),
    "views.png": ("screenshot", "uci-digits", "--size", "1440x800", "--tab", "views"),
    "diagnostics.png": ("screenshot", "pendulums", "--size", "1440x800", "--tab", "diagnostics"),
    "sweep.png": ("screenshot", "uci-digits", "--size", "1280x800", "--tab", "sweep"),
}
"""The arguments of the command that writes each picture."""
IMPORTED = "import-page.png", "import-opened.png"
"""Pictures of the import page, and of what it leads to."""
WEB_PAGE = "web-page.png"
"""What a browser shows of a session."""
WIDEST = 2048


def main() -> None:
    """Write all of them."""
    for name, (command, *rest) in PICTURES.items():
        print(name, flush=True)
        subprocess.run(
            [sys.executable, "-m", "mvexplorer", command, *rest, "--out", str(FOLDER / name)], cwd=ROOT, check=True
        )
        shrink(FOLDER / name)
    thumbnails.main([])
    with TemporaryDirectory() as folder:
        picture_page(Path(folder) / "page.html", FOLDER / WEB_PAGE)
        picture_imported(cancer_tables(Path(folder)), *(FOLDER / name for name in IMPORTED))


def picture_page(page: Path, picture: Path) -> None:
    """What a browser shows of a session's web page."""
    methods = "concatenation,kernel-sum,kernel-product,multiview,laplacian-mean,jade"
    command = [sys.executable, "-m", "mvexplorer", "compare", "uci-digits", "--methods", methods, "--out", str(page)]
    subprocess.run(command, cwd=ROOT, check=True)
    size = ("--window-size=1280,960", f"--screenshot={picture}", "--hide-scrollbars", "--virtual-time-budget=4000")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("There is no browser: install chromium.")
    subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", *size, page.as_uri()], check=True)


def cancer_tables(folder: Path) -> tuple[str, ...]:
    """The breast-cancer table of scikit-learn in three files, as an analyst may have them."""
    from sklearn.datasets import load_breast_cancer

    found, files = load_breast_cancer(), []
    kinds = [str(found.target_names[k]) for k in found.target]
    for place, stem in enumerate(("mean", "error", "worst")):
        columns = range(10 * place, 10 * place + 10)
        lines = [["patient", *(["diagnosis"] if place == 0 else []), *(found.feature_names[j] for j in columns)]]
        for i, row in enumerate(found.data):
            lines.append([f"P{i:03d}", *([kinds[i]] if place == 0 else []), *(f"{row[j]:g}" for j in columns)])
        path = folder / f"{stem}.csv"
        path.write_text("\n".join(",".join(line) for line in lines), "utf-8")
        files.append(str(path))
    return tuple(files)


def picture_imported(files: tuple[str, ...], page: Path, opened: Path) -> None:
    """Grab the import page with a label chosen and every view z-scored, and the window once they are open."""
    application("light", exported=True)
    window = MainWindow(no_display_settings(), keep_settings=False)
    window.resize(1280, 800)
    window.show()
    window.library.imports.begin(files, ReadOptions(roles={"diagnosis": "label"}))
    wait_until_idle(window)
    importing = window.library.imports.present
    assert importing is not None
    for view in importing.views:
        importing.set_preprocess(view, "zscore")
    wait_until_idle(window)
    grab_window(window, page)
    importing.open()
    wait_until_idle(window)
    grab_window(window, opened)
    window.discard()


def shrink(path: Path) -> None:
    """Make a picture wider than WIDEST smaller."""
    image = QImage(str(path))
    if image.width() > WIDEST:
        small = image.scaledToWidth(WIDEST, Qt.TransformationMode.SmoothTransformation)
        small.convertToFormat(QImage.Format.Format_Indexed8).save(str(path))


if __name__ == "__main__":
    main()
