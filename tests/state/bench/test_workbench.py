"""The workbench: one document with all that works on it, and preferences that are followed and kept."""

import pytest

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.session.settings import HOME_VARIABLE, MEBIBYTE, Settings, read_settings


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def make():
    made = []

    def new(**options):
        made.append(Workbench(Settings(memory_mebibytes=64, align=False), **options))
        return made[-1]

    yield new
    for bench in made:
        bench.controller.shutdown()


def test_everything_works_on_one_document(make):
    bench = make(keeps_settings=False)
    assert bench.controller.document is bench.document
    assert bench.editor.state is bench.document.state


def test_preferences_are_followed_from_the_beginning_and_when_they_change(make):
    bench, seen = make(keeps_settings=False), []
    bench.settings_changed.connect(seen.append)
    assert bench.controller.cache.limit == 64 * MEBIBYTE
    assert not bench.controller.align
    bench.change_settings(memory_mebibytes=128, align=True)
    assert bench.controller.cache.limit == 128 * MEBIBYTE
    assert bench.controller.align
    assert seen == [bench.settings]


@pytest.mark.nightly
def test_preferences_are_kept_beside_what_other_windows_change(make):
    one, two = make(), make()
    one.change_settings(theme="dark")
    two.change_settings(animate=False)
    two.edit_settings(lambda settings: settings.with_recent(("a.csv",)))
    stored, _ = read_settings()
    assert (stored.theme, stored.animate, stored.recent) == ("dark", False, (("a.csv",),))
    one.change_settings(align=True)
    assert one.settings.recent == (("a.csv",),)
    assert one.settings.animate  # a window does not change its looks because another one did


def test_a_workbench_that_leaves_no_trace_writes_nothing(make, home):
    make(keeps_settings=False).change_settings(theme="dark")
    assert not home.exists()


def test_preferences_that_cannot_be_kept_are_told_once(make, home):
    home.write_text("a file where the folder should be")
    bench, told = make(), []
    bench.settings_failed.connect(told.append)
    bench.change_settings(animate=False)
    bench.change_settings(animate=True)
    assert len(told) == 1
    assert "cannot be kept" in told[0]
