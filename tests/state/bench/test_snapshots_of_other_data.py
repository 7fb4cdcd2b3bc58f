"""Snapshots in a window that shows other data meanwhile: they stay, and lead back."""

import numpy as np
import pytest
from desk import Desk


@pytest.fixture
def desk():
    desk = Desk(keeps=False)
    yield desk
    desk.close()


def write(path, seed, n=14):
    random = np.random.default_rng(seed)
    np.savez(path, a=random.normal(size=(n, 3)), b=random.normal(size=(n, 2)))
    return path


def show(desk, name):
    before = len(desk.opened) + len(desk.refused)
    desk.library.show_snapshot(name)
    desk.turn_until(lambda: len(desk.opened) + len(desk.refused) > before)
    desk.rest()


def test_a_snapshot_opens_its_own_data_again_and_undo_leads_back(desk, tmp_path):
    desk.open(write(tmp_path / "first.npz", 1))
    desk.bench.editor.set_scale(3.0)
    desk.bench.editor.select((1, 13))
    desk.bench.editor.keep_snapshot("wide")
    first = desk.document.data.fingerprint
    desk.open(write(tmp_path / "second.npz", 2))
    assert desk.document.state.snapshots.names == ("wide",)
    second = desk.document.state
    show(desk, "wide")
    assert (desk.document.state.epsilon_scale, desk.document.state.selection) == (3.0, (1, 13))
    assert desk.document.data.fingerprint == first
    assert desk.document.state.snapshots.names == ("wide",)
    desk.document.undo()
    assert desk.document.state == second


def test_a_snapshot_whose_data_is_gone_or_others_says_so_and_stays(desk, tmp_path):
    file = write(tmp_path / "first.npz", 1)
    desk.open(file)
    desk.bench.editor.select((12, 13))
    desk.bench.editor.keep_snapshot("here")
    desk.open(write(tmp_path / "second.npz", 2))
    before = desk.document.state
    file.unlink()
    show(desk, "here")
    (refused,) = desk.refused
    assert "The data of the snapshot “here” cannot be opened" in refused.message
    assert "first.npz" in refused.message
    assert "stays" in refused.hint
    assert desk.document.state == before
    np.savez(file, other=np.ones((9, 2)) * np.arange(9)[:, None])
    show(desk, "here")
    assert len(desk.refused) == 2
    assert desk.document.state == before
    write(file, 1, n=13)  # a sample less: what was selected stays where it is
    show(desk, "here")
    assert desk.document.state.selection == (12,)
