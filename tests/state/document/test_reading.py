"""How files were read is part of the document: undone, saved, and read the same way again."""

from __future__ import annotations

import json

import numpy as np
import pytest
from counted import counted_calls

from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.colouring import colour_groups, find_features, resolve_colouring
from mvexplorer.state.session.session import open_session, save_session

M = 20
RNG = np.random.default_rng(3)
WHO = [f"p{i}" for i in range(M)]


def write(path, rows, **columns):
    numbers = np.random.default_rng(len(path.name)).normal(size=(M, 2)).round(3)
    lines = [",".join([*columns, "width", "length"])]
    lines += [",".join([*(str(values[i]) for values in columns.values()), *map(str, numbers[i])]) for i in rows]
    path.write_text("\n".join(lines))
    return str(path)


def document(tmp_path, reading=None, **columns):
    """Two files, the second in another order and without its first two samples."""
    rows = RNG.permutation(np.arange(2, M))
    paths = [write(tmp_path / "a.csv", range(M), who=WHO, **columns), write(tmp_path / "bb.csv", rows, name=WHO)]
    loaded = load_source(paths, reading or ReadOptions(join="intersect"))
    opened = Document()
    opened.reset(
        commands.initial_state(loaded.data, loaded.sources, None, reading=loaded.options, notes=loaded.notes),
        loaded.data,
    )
    return opened


def reopened(tmp_path, opened):
    save_session(tmp_path / "s.mvx.json", opened.state, opened.data, "1")
    return open_session(tmp_path / "s.mvx.json")


def test_rows_joined_when_saved_are_joined_when_opened(tmp_path):
    opened = document(tmp_path)
    again = reopened(tmp_path, opened)
    assert again.state == opened.state
    assert again.data.sample_ids == tuple(WHO[2:])
    assert again.data.fingerprint == opened.data.fingerprint
    assert again.data.feature_names == (("width", "length"), ("width", "length"))


@pytest.mark.parametrize(
    "options",
    [
        {"transpose": ("z.csv",)},
        {"transpose": True},
        {"ids": "time", "labels": "kind"},
        {"roles": {"time": "id", "kind": "ignore"}, "split": {"both": ["width", "length"]}, "missing": "knn"},
    ],
)
def test_every_option_comes_back(tmp_path, options):
    numbers = RNG.normal(size=(4, M)).round(3)
    if "transpose" in options:
        (tmp_path / "z.csv").write_text("\n".join(",".join(map(str, row)) for row in numbers))
    else:
        write(tmp_path / "z.csv", range(M), time=[f"{i / 7:.3f}" for i in range(M)], kind=list("ab") * (M // 2))
    loaded = load_source(str(tmp_path / "z.csv"), **options)
    opened = Document()
    opened.reset(commands.initial_state(loaded.data, loaded.sources, None, reading=loaded.options), loaded.data)
    again = reopened(tmp_path, opened)
    assert again.state.reading == ReadOptions(**options)
    assert again.data.n_samples == M
    assert again.data.sample_ids == opened.data.sample_ids


def test_a_file_of_labels_moves_with_the_session(tmp_path):
    (tmp_path / "here").mkdir()
    source = write(tmp_path / "here" / "a.csv", range(M), who=WHO)
    (tmp_path / "here" / "kinds.csv").write_text("\n".join("ab"[i % 2] for i in range(M)))
    loaded = load_source(source, labels=str(tmp_path / "here" / "kinds.csv"))
    state = commands.initial_state(loaded.data, loaded.sources, None, reading=loaded.options)
    save_session(tmp_path / "here" / "s.mvx.json", state, loaded.data, "1")
    (tmp_path / "here").rename(tmp_path / "there")
    again = open_session(tmp_path / "there" / "s.mvx.json")
    assert np.asarray(again.data.labels).tolist() == ["ab"[i % 2] for i in range(M)]


def test_the_first_sessions_had_one_option(tmp_path):
    state = DocumentState.model_validate({"drop_missing": True})
    assert state.reading == ReadOptions(drop_missing=True)
    assert state.drop_missing
    assert not DocumentState.model_validate({"drop_missing": False}).drop_missing
    assert "drop_missing" not in json.loads(state.model_dump_json(exclude={"reading"}))


def test_a_column_becomes_the_label_by_one_edit(tmp_path):
    kinds = [("benign", "malignant")[i % 2] for i in range(M)]
    opened = document(tmp_path, diagnosis=kinds)
    before = opened.state
    commands.use_as_label(opened, "diagnosis")
    assert np.asarray(opened.data.labels).tolist() == kinds[2:]
    assert "diagnosis" not in opened.data.columns
    assert opened.state.colour == "labels"
    again = reopened(tmp_path, opened)
    assert again.state == opened.state
    assert np.asarray(again.data.labels).tolist() == kinds[2:]
    opened.undo()
    assert (opened.state, opened.data.labels) == (before, None)
    assert "diagnosis" in opened.data.columns


def test_features_are_offered_by_name(tmp_path):
    data = document(tmp_path).data
    offered = [group.sources for group in colour_groups(data, {}, most=1)[-2:]]
    assert offered == [{"feature:a:0": "a, width"}, {"feature:bb:0": "bb, width"}]
    assert resolve_colouring("feature:bb:1", data, {}).title == "bb, length"
    assert find_features(data, "LENG", 5) == {"feature:a:1": "a, length", "feature:bb:1": "bb, length"}
    assert find_features(data, "bb 2", 5)["feature:bb:1"] == "bb, length"
    plain = MultiView({"fou": RNG.normal(size=(5, 3))})
    assert colour_groups(plain, {})[-1].sources["feature:fou:2"] == "fou, feature 3"
    assert find_features(plain, "fou, feature 3", 5) == {"feature:fou:2": "fou, feature 3"}
    assert resolve_colouring("feature:fou:2", plain, {}).title == "fou, feature 3"


def test_features_are_found_at_each_key_by_few_calls():
    names = [f"gene {i} of Mouse" for i in range(20_000)]
    data = MultiView({"rna": np.zeros((3, 20_000)), "b": np.eye(3)}, feature_names=[names, list("xyz")])
    with counted_calls() as calls:
        found = find_features(data, "RNA 19999 mouse", 5)
        nothing = find_features(data, "rat", 5)
    assert (found, nothing) == ({"feature:rna:19999": "rna, gene 19999 of Mouse"}, {})
    assert len(find_features(data, "mouse", 5)) == 5
    assert calls[0] < 50


def test_another_label_takes_the_place_of_one_that_was_told(tmp_path):
    kinds, stages = [("benign", "malignant")[i % 2] for i in range(M)], ["xyz"[i % 3] for i in range(M)]
    reading = ReadOptions(join="intersect", roles={"stage": "label", "who": "id"})
    opened = document(tmp_path, reading, diagnosis=kinds, stage=stages)
    assert np.asarray(opened.data.labels).tolist() == stages[2:]
    commands.use_as_label(opened, "diagnosis")
    assert np.asarray(reopened(tmp_path, opened).data.labels).tolist() == kinds[2:]
