"""Makes the pictures of README.md, of the help pages and of the gallery anew: `python tests/quality/pictures.py`.

Each is what a command of the program writes, or its window shows, so that none shows what the program no longer looks
like. Large ones are made smaller, with few colours: they are for looking at, and stay in the repository for ever.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import thumbnails
from PySide6.QtCore import Qt, QThread
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from mvexplorer.io.base.options import ReadOptions
from mvexplorer.ui.app import application, no_display_settings
from mvexplorer.ui.offscreen import grab_window, wait_until_idle
from mvexplorer.ui.window.main_window import MainWindow

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "resources" / "help"
PICTURES = {
    "window.png": ("screenshot", "uci-digits", "--size", "1440x900"),
    "comparison.png": ("compare", "uci-digits"),
    "common.png": ("compare", "tori", "--methods", "single,jointly-smooth,view-specific", "--figure", "slide"),
    "bandwidth.png": ("screenshot", "coupled-circles", "--size", "1440x1000", "--tab", "tune"),
    "validation.png": ("screenshot", "noisy-digits", "--size", "1440x800", "--tab", "validate"),
    "agreement.png": ("screenshot", "uci-digits", "--size", "1440x800", "--tab", "agreement"),
    "views.png": ("screenshot", "uci-digits", "--size", "1440x800", "--tab", "views"),
    "diagnostics.png": ("screenshot", "pendulums", "--size", "1440x800", "--tab", "diagnostics"),
    "sweep.png": ("screenshot", "uci-digits", "--size", "1280x800", "--tab", "sweep"),
}
"""The arguments of the command that writes each picture."""
IMPORTED = "import-page.png", "import-opened.png"
"""Pictures of the import page, and of what it leads to."""
CLUSTER = "cluster.png"
"""The page Tasks while a sweep runs in two processes."""
GALLERY = "gallery.png", "figure.png"
"""The gallery of the papers, and one of its figures opened."""
WEB_PAGE = "web-page.png"
"""What a browser shows of a session."""
WIDEST = 2048
PATIENCE = 300.0
"""Seconds for a picture of work under way."""


def main() -> None:
    """Write all of them."""
    for name, (command, *rest) in PICTURES.items():
        print(name, flush=True)
        subprocess.run(
            [sys.executable, "-m", "mvexplorer", command, *rest, "--out", str(FOLDER / name)], cwd=ROOT, check=True
        )
        shrink(FOLDER / name)
    thumbnails.main([])
    picture_cluster(FOLDER / CLUSTER)
    picture_gallery(*(FOLDER / name for name in GALLERY))
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


def picture_cluster(picture: Path) -> None:
    """Grab the window while two processes of this computer work at a sweep."""
    application("light", exported=True)
    window = MainWindow(no_display_settings(), keep_settings=False)
    window.resize(1280, 800)
    window.show()
    window.library.open_source(("uci-digits",))
    wait_until_idle(window)
    window.bottom.show_page("tasks")
    wait_until_idle(window)
    there = window.controller.workplace
    there.choose("local:2")
    wait_until(lambda: there.where is not None)
    window.sweeper.start((0.25, 0.35, 0.5, 0.71, 1.0, 1.4, 2.0, 2.8, 4.0), resamples=2)
    wait_until(lambda: window.sweeper.done > window.sweeper.total // 4)
    wait_until(lambda: there.where is not None and all(worker.running for worker in there.where.workers))
    grab_window(window, picture)
    window.discard()


def picture_gallery(cards: Path, opened: Path) -> None:
    """Grab the gallery of the papers, and the window with one of its figures."""
    application("light", exported=True)
    window = MainWindow(no_display_settings(), keep_settings=False)
    window.resize(1280, 800)
    window.show()
    window.gallery.show()
    wait_until_idle(window)
    grab_window(window, cards)
    window.gallery.open("lindenbaum2015-fig9")
    wait_until(lambda: window.document.state.experiment == "lindenbaum2015-fig9")
    wait_until_idle(window)
    grab_window(window, opened)
    window.discard()


def wait_until(true: Callable[[], bool]) -> None:
    """Let the window work until something is true; a cluster never rests."""
    end = monotonic() + PATIENCE
    while not true():
        if monotonic() > end:
            raise SystemExit("A window on a cluster did not get on.")
        QApplication.processEvents()
        QThread.msleep(20)


def shrink(path: Path) -> None:
    """Make a picture wider than WIDEST smaller."""
    image = QImage(str(path))
    if image.width() > WIDEST:
        small = image.scaledToWidth(WIDEST, Qt.TransformationMode.SmoothTransformation)
        small.convertToFormat(QImage.Format.Format_Indexed8).save(str(path))


if __name__ == "__main__":
    main()
