"""Scripts of documents with everything that can be set: each makes the arrays of its document."""

import contextlib
import io
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from inline import circle_data
from scripted import check_script, document_of, embeddings, run_text

from mvexplorer.errors import DataError, MVExplorerError
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.export.script.session import session_code, write_session_code
from mvexplorer.state.session.session import open_session, save_session

M = 60
PATIENTS = [f"patient {i}" for i in range(M)]


def tables(folder, *names, ids=PATIENTS, label="stage"):
    """CSV files of random views of one set of samples."""
    drawn = np.random.default_rng(len(names))
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for i, name in enumerate(names):
        X = drawn.normal(size=(M, 3)) + 4.0 * (np.arange(M) % 3)[:, None]
        head = [f"f{i}{k}" for k in range(3)]
        rows = [[f"{value:.17g}" for value in row] for row in X]
        if ids is not None:
            head, rows = ["id", *head], [[one, *row] for one, row in zip(ids, rows, strict=True)]
        if label is not None and i == 0:
            head, rows = [*head, label, "kind"], [[*row, "abc"[k % 3], "xy"[k % 2]] for k, row in enumerate(rows)]
        path = folder / name
        path.write_text("\n".join(",".join(row) for row in [head, *rows]) + "\n", encoding="utf-8")
        paths.append(str(path))
    return paths


@pytest.fixture
def three(tmp_path):
    """A document of three files beside the script, with named samples and classes."""
    document = document_of(tables(tmp_path, "a.csv", "b.csv", "c.csv"), labels="stage", ids="id")
    few = tuple(panel for panel in document.state.panels if panel.id in ("p1", "p5", "p6"))
    document.reset(document.state.model_copy(update={"panels": few}), document.data)
    return document


def change(document, place, **changes):
    commands.change_panel(document, document.state.panels[place].id, "Change", **changes)


def pin(document, name, value, place=-1):
    commands.pin(document, document.state.panels[place].id, name, value)


def pinned(document):
    for name, value in (("epsilon:a", 30.5), ("kernel:b", "laplacian"), ("eta", 0.25), ("n_components", 5)):
        pin(document, name, value)
    pin(document, "epsilon:a", "median/3", place=0)


def scaled(document):
    commands.set_epsilon(document, "a", "median/9")
    commands.set_epsilon(document, "b", 25.5)
    commands.set_linked(document, "b", False)
    commands.set_scale(document, 2.7)


def at_their_own_epsilon(document):
    scaled(document)
    commands.add_panel(document, "concatenation")
    pin(document, "joint_epsilon", 40.0)
    commands.set_own_scales(document, {panel.id: 0.2 * (i + 1) for i, panel in enumerate(document.state.panels)})


def paired(document):
    for method, pair in (("kernel-cca", ("c", "a")), ("cca", ("b", "c")), ("de-sa", None)):
        commands.add_panel(document, method)
        change(document, -1, pair=pair)


def compared(document):
    """Algorithm 1 compares the views that are ticked, also where one alone is embedded."""
    commands.set_epsilon(document, "a", "multiview")
    commands.tick_view(document, "b", False)
    commands.add_panel(document, "single", "b")
    commands.add_panel(document, "kernel-cca")


def drawn(document):
    change(document, -1, show="b", axes=(2, 0, 11), dims=3)
    change(document, -2, axes=(1, 14, 2))
    change(document, 0, axes=(0, 40, 1))
    commands.add_panel(document, "pca")
    change(document, -1, axes=(8, 9, 10), dims=3)


def treated(document):
    commands.keep_scales(document, ("a", "c"))
    commands.set_preprocess(document, "b", "zscore")
    commands.set_preprocess(document, "c", "pca:2")  # whose scales nobody has looked at
    commands.apply_weights(document, "a", [1.0, 0.25, 3.0])


def approximated(document):
    commands.set_kernel(document, "a", "landmarks-40")
    commands.set_kernel(document, "b", "knn-12")
    document.apply("Seed", lambda s: s.model_copy(update={"subsample": 45, "random_state": 3}))


def parametrised(document):
    for name, value in (("t", 3), ("eta", 0.1), ("alpha", 1.0), ("n_components", 1)):
        commands.set_param(document, name, value)
    commands.add_panel(document, "jade")
    commands.add_panel(document, "concatenation")


def coloured_by(source):
    def edit(document):
        commands.colour_by(document, source)
        commands.select(document, [5, 6, 7, 8, 9, 31])

    return edit


def relabelled(document):
    commands.use_as_label(document, "kind")


def some_classes(document):
    commands.isolate(document, ["a", "c"])
    commands.select(document, range(0, M, 2))


def spread_of_a_part(document):
    commands.set_kernel(document, "a", "knn-12")
    document.apply("Seed", lambda s: s.model_copy(update={"subsample": 45, "random_state": 3}))
    commands.pin(document, "p1", "n_components", 3)
    commands.colour_by(document, "spread:p1")


EDITS = {
    "as it opens": lambda document: None,
    "pins": pinned, "master and rules": scaled, "own epsilon": at_their_own_epsilon, "pairs": paired,
    "rules that compare": compared, "axes": drawn,
    "preprocessing and weights": treated, "kernels, part and seed": approximated, "parameters": parametrised,
    "another label": relabelled, "a feature": coloured_by("feature:b:1"),
    "a coordinate": coloured_by("coordinate:p5:1"), "one colour": coloured_by(""),
    "where two differ": coloured_by("disagreement:p5:p6"), "where views differ": coloured_by("difference:1:0"),
    "some classes": some_classes,
    "clusters": coloured_by("clusters:p6:kmeans:3"), "spectral clusters": coloured_by("clusters:p1:spectral:2"),
    "distances": coloured_by("distance:p6:7:distance"), "steps": coloured_by("distance:p6:7:steps-2-b"),
    "steps from all": coloured_by("distance:p1:7:steps-3"), "spread": coloured_by("spread:p6"),
    "spread of a part": spread_of_a_part,
}  # fmt: skip
LINES = {
    "as it opens": ('epsilon = "robust"', 'files = ["a.csv", "b.csv", "c.csv"]'),
    "pins": ('epsilon="median/3"', "eta=0.25", 'kernel={"b": "laplacian"}'),
    "master and rules": ('epsilon = {"a": "0.3', '*median", "b": 25.5, "c": "2.7*robust"}'),
    "own epsilon": ("joint_epsilon=32.0", '"a": "', 'epsilon={'),
    "pairs": ('views=["c", "a"]', 'views=["b", "c"]', '"de-sa", epsilon=epsilon'),
    "rules that compare": ('view="b", epsilon="robust"', 'views = ["a", "c"]', 'view="a", views=views'),
    "axes": ("multiview_1.view_coordinates[1][:, [2, 0, 11]]", "np.hstack([np.mean("),
    "preprocessing and weights": (
        'preprocess=["none", "zscore", "pca:2"]', "[[1.0, 0.25, 3.0], None, None]",
        "# The scales of the columns of a differ widely and are meant so.",
    ),
    "kernels, part and seed": ('kernel = {"a": "landmarks-40", "b": "knn-12"}', "random_state = 3", "subsample = 45"),
    "parameters": ("t = 3", "alpha = 1.0", "eta=0.1", "n_components = 1"),
    "another label": ('labels="kind"',),
    "a feature": ("colour = data.Xs[1][:, 1]", 'names = ["patient 5", "patient 6"'),
    "a coordinate": ("colour = de_sa_1.coordinates[:, 1]",),
    "one colour": (),
    "where two differ": ("colour = mvx.agreement([de_sa_1, multiview_1], k=15).disagreement(0, 1)",),
    "where views differ": (
        'colour = mvx.difference_of_views(\n    mvx.embed(data, "difference", views=["b", "a"], epsilon=',
        "# The points are coloured by difference of b and a.",
    ),
    "clusters": ('colour = mvx.clusters(multiview_1.coordinates, 3, "kmeans", random_state=0)',),
    "spectral clusters": ('colour = mvx.clusters(single_1.coordinates, 2, "spectral", random_state=0)',),
    "distances": ("colour = np.sqrt(mvx.distances_from(multiview_1, 7).squared)",),
    "steps": ("mvx.transition_probabilities(multiview_1, 7, t=2).sum(axis=1)[multiview_1.views.index('b')]",),
    "steps from all": ("mvx.transition_probabilities(single_1, 7, t=3).sum(axis=1).mean(axis=0)",),
    "spread": ("colour = mvx.stability(", "**multiview_1.params"),
    "spread of a part": ("random_state=single_1.random_state, subsample=45,",),
    "some classes": ('visible = np.isin(colour, ["a", "c"])', "# The selection: 30 of 60 samples."),
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
def test_what_is_set_is_in_the_script(three, tmp_path, edit):
    EDITS[edit](three)
    text, _ = check_script(three, tmp_path / "script.py")
    for words in LINES[edit]:
        assert words in text


def test_how_files_are_read_is_in_the_script(tmp_path):
    (path,) = tables(tmp_path, "all.csv", ids=[*"abc"] * 20)
    text = Path(path).read_text().replace("f01", "g01").replace("f02", "g02").replace("id", "batch")
    Path(path).write_text(text)
    document = document_of(
        path, roles={"stage": "label", "batch": "colour"}, split={"f": ["f*"], "g's": ["g*"]}, names={"g's": "gé"},
        missing="median",
    )  # fmt: skip
    assert document.data.view_names == ("f", "gé")
    commands.select(document, [0, 1, 2, 59])
    text, space = check_script(document, tmp_path / "script.py")
    assert 'names={"g\'s": "gé"}' in text
    assert "selection = np.array([0, 1, 2, 59])" in text
    assert space["data"].columns.keys() == {"batch", "kind"}


def test_waveforms_become_sonograms(tmp_path):
    for name in ("east.npy", "north.npy"):
        np.save(tmp_path / name, np.random.default_rng(len(name)).normal(size=(20, 700)))
    document = document_of([str(tmp_path / name) for name in ("east.npy", "north.npy")])
    from mvexplorer.engine.sonograms import waveform_views

    made = waveform_views(document.data, 40.0, "seismic-events")
    commands.keep_scales(document, ("north",))
    commands.use_sonograms(document, made, 40.0, "seismic-events")
    commands.set_preprocess(document, "east", "centre")
    text, space = check_script(document, tmp_path / "script.py")
    assert 'mvx.waveform_views(data, 40.0, preset="seismic-events")' in text
    assert space["data"].fingerprint == made.fingerprint
    assert "scales" not in text  # those of the waveforms were meant


def test_labels_of_another_file_are_found_with_the_data(tmp_path):
    paths = tables(tmp_path / "tables", "a.csv", "b.csv", label=None)
    answers = tmp_path / "answers.csv"
    answers.write_text("\n".join(["kind", *("xyz"[i % 3] for i in range(M))]))
    document = document_of(paths, labels=str(answers))
    write(document, tmp_path / "scripts" / "run me.py")
    shutil.move(tmp_path, moved := tmp_path.with_name(f"{tmp_path.name} moved"))
    assert "NMI" in started(moved / "scripts" / "run me.py")
    (moved / "answers.csv").unlink()
    assert "Not all of tables/a.csv, tables/b.csv, answers.csv are in" in started(moved / "scripts" / "run me.py")


@pytest.mark.filterwarnings("ignore:.*the same columns:mvexplorer.errors.DataWarning")
def test_sheets_of_a_workbook(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("fastexcel")
    book = openpyxl.Workbook()
    for place, title in enumerate(("One", "Two: it's")):
        sheet = book.create_sheet(title.replace(":", ""))
        for row in [["a", "b"], *np.random.default_rng(place).normal(size=(30, 2)).tolist()]:
            sheet.append(row)
    book.save(tmp_path / "book.xlsx")
    document = document_of([f"{tmp_path / 'book.xlsx'}:{name}" for name in ("One", "Two it's")])
    text, _ = check_script(document, tmp_path / "s.py")
    assert """[folder / "book.xlsx:One", folder / "book.xlsx:Two it's"]""" in text
    assert '(folder / "book.xlsx").exists()' in text


def test_a_session_with_its_data_is_data(three, tmp_path):
    treated(three)
    package = tmp_path / "all.mvx"
    save_session(package, three.state, three.data, "1")
    opened = open_session(package)
    three.reset(opened.state, opened.data)
    text, _ = check_script(three, tmp_path / "s.py")
    assert 'data = mvx.load(folder / "all.mvx")' in text
    commands.set_preprocess(three, "b", "none")
    commands.apply_weights(three, "a", None)
    text, _ = check_script(three, tmp_path / "s.py")
    assert 'mvx.load(folder / "all.mvx", preprocess=["none", "none", "pca:2"])' in text
    assert "feature_weights=[None, None, None]" in text


def test_coordinates_that_came_with_the_data(tmp_path):
    drawn = np.random.default_rng(0)
    np.savez(tmp_path / "d.npz", a=drawn.normal(size=(30, 3)), umap=drawn.normal(size=(30, 2)))
    document = document_of(str(tmp_path / "d.npz"), roles={"umap": "coordinates"})
    commands.add_panel(document, "given", "umap")
    text, _ = check_script(document, tmp_path / "s.py")
    assert 'mvx.embed(data, "given", coordinates="umap")' in text


# Where the data is --------------------------------------------------------------------------------------------------


def small(folder, *names, **options):
    """A document of one panel."""
    document = document_of(tables(folder, *names, **options), labels="stage")
    document.reset(document.state.model_copy(update={"panels": document.state.panels[:1]}), document.data)
    return document


def write(document, path):
    path.parent.mkdir(exist_ok=True, parents=True)
    finished = compute(document.state, document.data)
    write_session_code(document.state, document.data, finished.results, path)


def started(path, where="/"):
    """What a script says that is run from another folder: what it prints, or with what it ends."""
    before = os.getcwd()
    os.chdir(where)
    try:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            runpy.run_path(str(path), run_name="__main__")
        return printed.getvalue()
    except SystemExit as end:
        return str(end)
    finally:
        os.chdir(before)


@pytest.mark.nightly
def test_as_a_process_of_its_own(tmp_path):
    write(small(tmp_path, "a.csv"), tmp_path / "s.py")
    command = [sys.executable, str(tmp_path / "s.py")]
    root = str(Path(__file__).parents[3])
    for code in (0, 1):
        done = subprocess.run(
            command, cwd="/", env={**os.environ, "PYTHONPATH": root}, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        assert ("NMI" in done.stdout) == (code == 0)
        (tmp_path / "a.csv").unlink(missing_ok=True)
    assert done.stderr.startswith("There is no a.csv in")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("data", "script"),
    [
        ("it's one.csv", "s.py"),
        ('sub "é"/two.csv', "s.py"),
        ("d/x.csv", "deep/er/s.py"),
        ("d {0}/x\\.csv", "d {0}/s.py"),
    ],
)
def test_script_and_data_move_together(tmp_path, data, script):
    home = tmp_path / "here"
    document = small((home / data).parent, Path(data).name, ids=None)
    commands.select(document, [3])
    write(document, home / script)
    assert "NMI" in started(home / script)
    shutil.copytree(home, tmp_path / "there")
    shutil.rmtree(home)
    assert "NMI" in started(tmp_path / "there" / script, where=str(tmp_path))


def test_script_and_data_are_put_into_one_folder(tmp_path):
    document = small(tmp_path / "tables", "a.csv", "b.csv")
    write(document, tmp_path / "code" / "s.py")
    mailed = tmp_path / "mailed"
    shutil.move(tmp_path / "tables", mailed)
    shutil.move(tmp_path / "code" / "s.py", mailed / "s.py")
    assert "NMI" in started(mailed / "s.py")


def test_data_that_is_refused_is_one_sentence(tmp_path):
    write(small(tmp_path, "a.csv"), tmp_path / "s.py")
    (tmp_path / "a.csv").write_text("")
    told = started(tmp_path / "s.py")
    assert "a.csv" in told
    assert "\n" not in told


def test_names_that_are_no_utf8(tmp_path):
    home = tmp_path / os.fsdecode(b"caf\xe9")
    document = small(home, os.fsdecode(b"t\xe9.csv"))
    write(document, home / "s.py")
    assert "NMI" in started(home / "s.py")
    home.rename(tmp_path / "other")
    assert "NMI" in started(tmp_path / "other" / "s.py")


def test_a_script_that_moves_alone_finds_the_data_where_it_was(tmp_path):
    document = small(tmp_path / "data", "a.csv", "b.csv")
    write(document, tmp_path / "s.py")
    (tmp_path / "else").mkdir()
    shutil.move(tmp_path / "s.py", tmp_path / "else" / "s.py")
    assert "NMI" in started(tmp_path / "else" / "s.py")


def test_data_of_the_working_folder_is_never_taken(tmp_path):
    document = small(tmp_path / "data", "a.csv")
    write(document, tmp_path / "data" / "s.py")
    tables(tmp_path / "work", "a.csv", "b.csv")
    (tmp_path / "data" / "a.csv").unlink()
    told = started(tmp_path / "data" / "s.py", where=tmp_path / "work")
    place = (tmp_path / "data").resolve()
    assert told == f"There is no a.csv in {place}. Put the data there, or correct the folders in this script."


def test_changed_data_is_told(tmp_path):
    document = small(tmp_path, "a.csv")
    write(document, tmp_path / "s.py")
    assert "has changed" not in started(tmp_path / "s.py")
    text = (tmp_path / "a.csv").read_text()
    (tmp_path / "a.csv").write_text(text.replace("patient 3,", "patient 3,1").replace("1-", "-1"))
    assert "The data has changed since this script was written" in started(tmp_path / "s.py")


# What cannot be written or computed --------------------------------------------------------------------------------


def test_a_panel_that_cannot_be_computed_says_why_and_the_rest_runs(tmp_path):
    document = document_of(tables(tmp_path, "a.csv", "b.csv", label=None))
    commands.add_panel(document, "tensor-cca")
    commands.add_panel(document, "multiview")
    pin(document, "epsilon:a", "class-spectral")
    commands.colour_by(document, f"coordinate:{document.state.panels[-1].id}:0")
    text, space = check_script(document, tmp_path / "s.py")
    comments = " ".join(line.removeprefix("# ") for line in text.splitlines() if line.startswith("#"))
    assert "Tensor CCA. It cannot be computed: Tensor CCA needs at least 3 views and has 2." in comments
    assert "Multi-view · class-spectral in a. It cannot be computed: The data has no labels" in comments
    assert len(embeddings(space)) == len(document.state.panels) - 2


def test_nothing_to_compute(tmp_path):
    document = document_of(tables(tmp_path, "a.csv"), labels="stage")
    document.apply("Close", lambda s: s.model_copy(update={"panels": ()}))
    text, space = check_script(document, tmp_path / "s.py")
    assert "panels" not in space
    assert "colour = data.labels" in text


def test_data_from_memory_alone_cannot_be_written():
    data = circle_data(30)
    document = Document()
    document.reset(commands.initial_state(data, ("memory",), None), data)
    with pytest.raises(DataError, match=r"came from no file, .*\. Save it first: File > Save with data"):
        session_code(document.state, data, {}, Path("s.py"))
    with pytest.raises(MVExplorerError, match="There is no data"):
        session_code(document.state, None, {}, Path("s.py"))


EVIL = 'x"""\n__import__("os").abort()\r\u2028# coding: utf-7\x00 \u202e {0} \\'


def test_names_of_strangers_stay_names(tmp_path):
    path = tmp_path / "d.npz"
    drawn = np.random.default_rng(0)
    np.savez(path, a=drawn.normal(size=(30, 3)), y=np.array([EVIL, "b"] * 15))
    document = document_of(str(path), labels="y", names={"a": EVIL.replace("\0", "")})
    commands.isolate(document, ["b"])
    text, space = check_script(document, tmp_path / "s.py")
    assert space["data"].view_names == document.data.view_names
    assert "\u202e" not in text
    assert not any("coding" in line for line in text.splitlines()[:2])
    write(document, tmp_path / "s.py")
    started(tmp_path / "s.py")


def test_names_of_strangers_stay_names_where_their_difference_colours(tmp_path):
    path = tmp_path / "d.npz"
    drawn = np.random.default_rng(0)
    np.savez(path, **{name: drawn.normal(size=(30, 3)) for name in "abc"})
    document = document_of(str(path), names={"a": EVIL.replace("\0", "")})
    document.reset(document.state.model_copy(update={"panels": document.state.panels[:1]}), document.data)
    commands.colour_by(document, "difference:2:0")
    text, space = check_script(document, tmp_path / "s.py")
    assert 'views=["c", ' in text.partition("mvx.difference_of_views(")[2]
    assert space["data"].view_names == document.data.view_names


@pytest.mark.parametrize(("r", "axes"), [(1, (0, 1, 2)), (2, (1, 2, 0))])
def test_a_ring_of_one_drawn_coordinate_is_not_scored(tmp_path, r, axes):
    """The window draws the last coordinate twice where there are too few."""
    document = document_of("helix-a")
    commands.set_param(document, "n_components", r)
    change(document, 0, axes=axes)
    text = session_code(
        document.state, document.data, compute(document.state, document.data).results, tmp_path / "a.py"
    )
    space = run_text(text)
    assert [list(found) for found in space["scores"].values()] == [["k-NN recovery of a"]] * len(space["panels"])
