"""The numbers of a document: of which panels, with what is known of each, and into which files."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import ComputeError, DataError
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.export.result_files import NumbersJob, numbers_of, panels_left_out, write_folder
from mvexplorer.state.export.result_tables import arrays
from mvexplorer.state.pictures.panel_result import PanelResult

M = 40


@pytest.fixture(scope="module")
def finished():
    drawn = np.random.default_rng(0).normal(size=(2, M, 3))
    data = MultiView({"fou": drawn[0], "fac": drawn[1]}, labels=["a", "b"] * (M // 2))
    state = commands.initial_state(data, ("memory",), None)
    panels = tuple(commands.new_panel(m, f"p{i}") for i, m in enumerate(("single", "multiview"), start=1))
    panels = (panels[0], panels[1].model_copy(update={"dims": 3, "axes": (2, 0, 1), "show": "fac"}))
    return compute(state.model_copy(update={"panels": panels, "selection": (3, 7)}), data)


def numbers(finished, **changes):
    state = finished.state.model_copy(update=changes.pop("state", {}))
    results = finished.results | changes.pop("results", {})
    return numbers_of(state, finished.data, lambda id: results[id], "My data", None, **changes)


def written(job: NumbersJob) -> list[Path]:
    paths = job.run(StageCache(0), Task())
    assert paths == job.paths()
    return paths


def test_the_axes_of_the_picture_are_those_of_the_points(finished):
    found = numbers(finished).panels[1]
    np.testing.assert_array_equal(found.shown, found.embedding.view_coordinates[1][:, [2, 0, 1]])


def test_one_table_is_one_file_and_several_share_the_beginning_of_their_names(finished, tmp_path):
    one = numbers(finished, panels=["p2"])
    job = NumbersJob(one, ("coordinates",), "csv", tmp_path / "a.csv")
    assert [p.name for p in written(job)] == ["a.csv", "a.json"]
    told = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert told["panels"][0]["caption"].startswith("Multi-view of fou and fac (raw, Gaussian kernel")
    assert [p["title"] for p in told["panels"]] == ["Multi-view"]
    several = NumbersJob(numbers(finished), ("coordinates", "scores"), "parquet", tmp_path / "b.parquet")
    assert [p.name for p in written(several)] == [
        "b-p1-single-fou.parquet",
        "b-p2-multiview.parquet",
        "b-scores.parquet",
    ]
    assert pl.read_parquet(tmp_path / "b-scores.parquet")["nmi"].null_count() == 0


@pytest.mark.parametrize(("form", "names"), [("npz", ["a.x"]), ("points", ["a-p1-single-fou.x", "a-p2-multiview.x"])])
def test_other_forms(finished, tmp_path, form, names):
    job = NumbersJob(numbers(finished), ("coordinates", "selection"), form, tmp_path / "a.x")
    assert [p.name for p in written(job)] == names


def test_a_stale_panel_is_written_and_said_to_be_stale(finished, tmp_path):
    old = replace(finished.results["p2"], status="computing")
    found = numbers(finished, results={"p2": old})
    assert found.record["panels"][1]["stale"]
    assert "Stale: computed for former settings." in found.record["caption"]
    (path,) = written(NumbersJob(found, ("scores",), "parquet", tmp_path / "a.parquet"))
    assert pl.read_parquet(path)["stale"].to_list() == [False, True]
    assert json.loads(pl.read_parquet_metadata(path)["mvexplorer"])["panels"][1]["stale"]


def test_a_panel_that_failed_is_left_out_and_named(finished):
    failed = PanelResult("failed", error=ComputeError("The kernel is empty.", "Enlarge ε."))
    found = numbers(finished, results={"p2": failed})
    assert [panel.name for panel in found.panels] == ["p1-single-fou"]
    assert panels_left_out(found) == ("Multi-view",)
    assert "Multi-view: no result (The kernel is empty" in found.record["caption"]
    with pytest.raises(DataError, match=r"no coordinates to save \(Multi-view: The kernel is empty") as refused:
        numbers(finished, results={"p2": failed}, panels=["p2"])
    assert refused.value.hint
    with pytest.raises(DataError, match="there is no panel"):
        numbers(finished, state={"panels": ()})


def test_a_strangers_session_cannot_name_a_file_elsewhere(finished, tmp_path):
    panel = finished.state.panels[0].model_copy(update={"id": "../../up"})
    found = numbers(finished, state={"panels": (panel,)}, results={"../../up": finished.results["p1"]})
    folder = tmp_path / "out"
    folder.mkdir()
    paths = write_folder(found, folder, ".csv")
    assert [p.name for p in paths] == [
        "______up-single-fou.csv",
        "scores.csv",
        "spectrum.csv",
        "selection.csv",
        "record.json",
    ]
    assert {p.parent for p in paths} == {folder}


def test_a_folder_holds_the_selection_only_where_there_is_one(finished, tmp_path):
    paths = write_folder(numbers(finished, state={"selection": ()}), tmp_path, ".parquet")
    assert [p.name for p in paths] == [
        "p1-single-fou.parquet", "p2-multiview.parquet", "scores.parquet", "spectrum.parquet", "record.json",
    ]  # fmt: skip


def test_panels_of_like_names_have_files_and_arrays_of_their_own(finished, tmp_path):
    ids = ["a/b", "a_b", "A_b", "x" * 300]
    panels = tuple(finished.state.panels[0].model_copy(update={"id": id}) for id in ids)
    results = dict.fromkeys(ids, finished.results["p1"])
    found = numbers(finished, state={"panels": panels}, results=results)
    names = [panel.name for panel in found.panels]
    assert names[:3] == ["a_b-single-fou", "a_b-single-fou-2", "A_b-single-fou-3"]
    assert len({name.casefold() for name in names}) == 4
    for form in ("csv", "points"):
        paths = written(NumbersJob(found, ("coordinates",), form, tmp_path / f"{form}.x"))
        assert len({str(path).casefold() for path in paths}) == 4 + (form == "csv")
    assert {f"{name}/coordinates" for name in names} <= set(arrays(found, ("coordinates",)))


def test_scores_in_npz_say_of_what_they_are(finished):
    found = arrays(numbers(finished), ("scores",))
    assert found["scores/method"].tolist() == ["single", "multiview"]
    assert found["scores/views"].tolist() == ["fou", "fou,fac"]
    assert np.isnan(found["scores/epsilon"]).tolist() == [[False, True], [False, False]]
