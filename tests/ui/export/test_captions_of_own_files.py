"""A picture of files says how many of their samples it lacks and which were imputed, wherever it goes."""

import json

import numpy as np
import pytest
from PySide6.QtGui import QImage

from mvexplorer.io.reading.files import read_files
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document.fresh import initial_state, new_panel
from mvexplorer.state.export.captions import document_caption, panel_caption
from mvexplorer.state.export.record import origin_record
from mvexplorer.state.export.result_files import numbers_of
from mvexplorer.state.session.part import part_state
from mvexplorer.state.session.session import open_session, save_session
from mvexplorer.ui.cloud.encoding import KEY
from mvexplorer.ui.export.render import write_picture
from mvexplorer.ui.export.sheet import computed_sheet
from mvexplorer.ui.export.web_page import page_of

ALL = [f"P{i:02d}" for i in range(42)]


def write_table(path, ids, holes=(), repeated=()):
    """Four columns of numbers beside the ids, without a number where there is a hole."""
    drawn = np.random.default_rng(len(path.name))
    rows = [[name, *(f"{x:.3f}" for x in drawn.normal(size=4))] for name in [*ids, *repeated]]
    for hole in holes:
        rows[hole][2] = ""
    text = [",".join(row) for row in [["id", *(f"{path.stem}_{j}" for j in range(4))], *rows]]
    path.write_text("\n".join(text) + "\n")
    return str(path)


@pytest.fixture
def files(tmp_path):
    """Three tables: 40 of 42 patients are in all of them."""
    lists = {"patients": ALL, "expr": ALL[:-1], "scan": ALL[1:]}
    return [write_table(tmp_path / f"{name}.csv", ids) for name, ids in lists.items()]


def state_of(loaded):
    state = initial_state(loaded.data, loaded.sources, None, reading=loaded.options, notes=loaded.notes)
    return state.model_copy(update={"panels": (new_panel("kernel-sum", "p1"),)})


def caption_of(paths, **how):
    loaded = read_files(paths, **how)
    record = numbers_of(*computed(loaded), "Mine", None).record
    return panel_caption(record["panels"][0], record)


def computed(loaded):
    finished = compute(state_of(loaded), loaded.data)
    return finished.state, finished.data, finished.results.__getitem__


def test_samples_lost_in_the_join_are_told_with_the_preprocessing(files):
    caption = caption_of(files, join="intersect", preprocess="zscore")
    assert "Mine: 40 samples, seed 0; 40 samples present in all 3 files (2 of 42 dropped); mvexplorer" in caption
    assert "patients, expr and scan (z-scored, " in caption


def test_samples_imputed_from_other_views_are_told_view_by_view(files):
    caption = caption_of(files, samples="union")
    assert "; expr of 1 sample and scan of 1 sample imputed from the other views; mvexplorer" in caption
    assert "dropped" not in caption


def test_samples_that_a_view_of_one_file_lacks_are_told(tmp_path):
    views = np.random.default_rng(0).normal(size=(2, 30, 4))
    views[1, :5] = np.nan
    np.savez(tmp_path / "both.npz", first=views[0], second=views[1])
    path = str(tmp_path / "both.npz")
    assert "25 samples present in both views (5 of 30 dropped)" in caption_of([path], samples="intersection")
    views[0, :2] = np.nan
    np.savez(path, first=views[0], second=views[1])
    told = "second of 3 samples imputed from the other views; 2 samples in no view dropped"
    assert told in caption_of([path], samples="union")


@pytest.mark.parametrize(
    ("missing", "told"),
    [
        ("drop", "3 of 42 samples dropped for missing values"),
        ("median", "missing values of 3 samples (scan) imputed from the median of their column"),
        ("knn", "missing values of 3 samples (scan) imputed from their nearest samples in the same view"),
    ],
)
def test_missing_values_are_told_by_what_was_done_to_them(tmp_path, missing, told):
    paths = [write_table(tmp_path / "expr.csv", ALL), write_table(tmp_path / "scan.csv", ALL, holes=(3, 4, 9))]
    assert f"; {told}; mvexplorer" in caption_of(paths, missing=missing)


def test_rows_left_out_for_their_ids_are_told(tmp_path):
    paths = [write_table(tmp_path / "expr.csv", ALL, repeated=["P01"]), write_table(tmp_path / "scan.csv", ALL)]
    assert "1 row of expr.csv dropped for repeated ids" in caption_of(paths, repeated="first")


def test_files_that_are_read_whole_need_no_words(tmp_path):
    paths = [write_table(tmp_path / "expr.csv", ALL), write_table(tmp_path / "scan.csv", ALL)]
    assert state_of(read_files(paths)).dropped_and_imputed == ()
    assert "Mine: 42 samples, seed 0; mvexplorer" in caption_of(paths)


TOLD = "40 samples present in all 3 files (2 of 42 dropped)"


def test_picture_web_page_tables_and_figures_tell_it(app, files, tmp_path):
    loaded = read_files(files, join="intersect", preprocess="zscore")
    finished = compute(state_of(loaded), loaded.data)
    write_picture(computed_sheet(finished, "Mine"), tmp_path / "a.png")
    record = json.loads(QImage(str(tmp_path / "a.png")).text(KEY))
    assert TOLD in record["caption"] == document_caption(record)
    assert TOLD in page_of(finished, "Mine").words["panels"][0]["caption"]
    assert (
        TOLD in numbers_of(finished.state, finished.data, finished.results.__getitem__, "Mine", None).record["caption"]
    )
    of_figure = origin_record(finished.state, "Mine")
    assert of_figure["dropped_and_imputed"] == [TOLD]
    assert of_figure["preprocessing"] == dict.fromkeys(("patients", "expr", "scan"), "z-scored")


@pytest.mark.parametrize("name", ["kept.mvx.json", "kept.mvx"])
def test_a_session_tells_it_again(files, tmp_path, name):
    loaded = read_files(files, join="intersect")
    save_session(tmp_path / name, state_of(loaded), loaded.data, "1.0")
    opened = open_session(tmp_path / name).state
    assert opened.dropped_and_imputed == (TOLD,)
    if name == "kept.mvx":  # whose own data is whole, but not what it was read from
        save_session(tmp_path / "on.mvx.json", opened, open_session(tmp_path / name).data, "1.0")
        assert open_session(tmp_path / "on.mvx.json").state.dropped_and_imputed == (TOLD,)


def test_a_session_of_before_tells_it_once_its_files_are_read(files, tmp_path):
    loaded = read_files(files, join="intersect")
    save_session(tmp_path / "kept.mvx.json", state_of(loaded), loaded.data, "1.0")
    content = json.loads((tmp_path / "kept.mvx.json").read_text())
    del content["state"]["dropped_and_imputed"]
    (tmp_path / "kept.mvx.json").write_text(json.dumps(content))
    assert open_session(tmp_path / "kept.mvx.json").state.dropped_and_imputed == (TOLD,)


def test_a_part_says_that_it_is_about_the_whole(files):
    loaded = read_files(files, join="intersect")
    rows = list(range(12))
    part = part_state(state_of(loaded), loaded.data.take(rows), rows, "12 of 40 samples of Mine")
    assert origin_record(part, "Part")["dropped_and_imputed"] == [f"in the whole data, {TOLD}"]
