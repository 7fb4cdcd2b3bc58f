"""The first thing a window shows is what is being opened; every sample says in a line what to look at."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from windows import PATIENCE_MS

import mvexplorer
from mvexplorer.datasets.catalogue import samples
from mvexplorer.state.session.settings import HOME_VARIABLE
from mvexplorer.ui.app import first_title
from mvexplorer.ui.widgets.banner import MessageLabel
from mvexplorer.ui.window.start.opening_page import OpeningPage

FIRST_FRAME = """
import sys
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from mvexplorer.cli import main
from mvexplorer.ui.window.main_window import MainWindow

class FirstPaint(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and isinstance(watched, MainWindow):
            page = watched.docks.stand_in
            sys.stdout.write(f"{type(page).__name__}: {getattr(page, 'title', '')}")
            sys.stdout.flush()
            import os
            os._exit(0)
        return False

watch = FirstPaint()
show = MainWindow.show

def watched_show(window):
    QApplication.instance().installEventFilter(watch)
    show(window)

MainWindow.show = watched_show
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("started", "sources", "page"),
    [
        (False, (), "OpeningPage: Helix A: a ring that no single view closes"),
        (True, ("mine.mvx.json",), "OpeningPage: mine.mvx.json"),
        pytest.param(
            True, ("uci-digits",), "OpeningPage: UCI handwritten digits: six feature sets", marks=pytest.mark.nightly
        ),
        pytest.param(True, (), "StartPage: ", marks=pytest.mark.nightly),
    ],
)
def test_the_first_frame_is_that_of_what_is_opened(tmp_path, started, sources, page):
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.json").write_text(json.dumps({"started_before": started}))
    (tmp_path / "mine.mvx.json").write_text("{}")
    variables = {
        **os.environ, HOME_VARIABLE: str(home), "QT_QPA_PLATFORM": "offscreen", "MVEXPLORER_WINDOW": "offscreen",
        "PYTHONPATH": str(Path(mvexplorer.__file__).parents[1]),
    }  # fmt: skip
    words = [sys.executable, "-c", FIRST_FRAME, *sources]
    done = subprocess.run(words, env=variables, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout == page, done.stderr


@pytest.mark.nightly
def test_the_outlines_stay_until_the_data_is_there_and_go_when_it_cannot_be_read(make_window, rest, tmp_path, qtbot):
    window = make_window()
    assert window.start is not None
    window.library.open_source((str(tmp_path / "gone.csv"),))
    assert isinstance(window.docks.stand_in, OpeningPage)
    assert window.start is None
    qtbot.waitUntil(lambda: window.start is not None, timeout=PATIENCE_MS)
    window.library.open_source(("helix-b",))
    page: QWidget = window.docks.stand_in
    assert "Helix B" in page.title
    picture = page.grab().toImage()
    middle = {picture.pixel(x, picture.height() // 2) for x in range(picture.width())}
    assert len(middle) > 3  # outlines and words
    rest(window)
    assert window.docks.stand_in is None
    assert window.grid.isVisible()


@pytest.mark.nightly
def test_no_empty_panels_are_shown_before_the_first_data_is_in_them(make_window, rest):
    window, seen = make_window(), []

    window.document.changed.connect(
        lambda _: seen.append((type(window.docks.stand_in), window.grid.isVisible(), window.bottom.isVisible()))
    )
    window.library.open_source(("helix-b",))
    rest(window)
    assert seen[0] == (OpeningPage, False, False)
    assert window.grid.isVisible()


def test_nothing_is_announced_where_nothing_is_opened(app):
    from mvexplorer.ui.app import no_display_settings

    assert first_title(no_display_settings(), (), None) == ""


def test_every_sample_says_in_one_line_what_to_look_at(app):
    for sample in samples():
        assert sample.look.endswith((".", "?")), sample.id
        assert len(sample.look) <= 120, sample.id
        assert MessageLabel(sample.look, "").fits(500), sample.id  # beside steps and sign in a window of 1280 pixels
    assert len({sample.look for sample in samples()}) == len(samples())


@pytest.mark.nightly
def test_a_sample_opens_with_its_sentence(make_window, rest):
    window = make_window()
    for id in ("helix-b", "blobs"):
        window.library.open_source((id,))
        rest(window)
        (sentence,) = [sample.look for sample in samples() if sample.id == id]
        assert window.banners.texts() == [sentence]
