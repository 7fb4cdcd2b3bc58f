"""The real command: lists, embeddings, pictures, sessions, and a machine without a display.

`run` starts it as a process of its own, `here` calls it in this one: where only what it says and writes is claimed.
"""

import json
import re
import sys
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from command import NO_DISPLAY, main_in, mvexplorer_in, python_in, two_views, write_csv
from PySide6.QtGui import QImage

import mvexplorer as mvx
from mvexplorer.datasets.loading import load_source
from mvexplorer.state.document import commands
from mvexplorer.state.session.session import save_session
from mvexplorer.ui.runtime.platform_check import APT_LINE

METHODS = {
    "single", "concatenation", "kernel-product", "kernel-sum", "kernel-cca", "de-sa", "multiview", "alternating",
    "local-cca", "tensor-cca", "jade", "laplacian-mean", "harmonic-mean", "squared-mean", "co-regularized", "low-rank",
    "jointly-smooth", "view-specific", "difference", "mgc", "diffusion-representation", "pca", "cca", "given",
}  # fmt: skip
RULES = {
    "std", "median", "max-min", "self-tuning", "multiview", "class-geometric", "class-spectral", "class-probabilistic",
}  # fmt: skip
SAMPLES = {
    "uci-digits", "helix-a", "helix-b", "gap-rolls", "rotated-rolls", "gaussian-mixture", "coupled-circles",
    "toy-train", "noisy-digits", "pendulums", "rotating-icons", "shared-latent", "touching-rolls", "blobs", "circles",
    "two-squares", "noisy-swiss-roll", "rotated-digit", "spiral-classes", "seismic-events", "tori",
}  # fmt: skip


def ending(command, folder):
    def run(*arguments, code=0, **changes):
        done = command(folder, *arguments, **changes)
        assert done.returncode == code, done.stderr
        return done

    return run


@pytest.fixture
def run(tmp_path):
    return ending(mvexplorer_in, tmp_path)


@pytest.fixture
def here(tmp_path):
    return ending(main_in, tmp_path)


def is_picture(path, width=0, height=0):
    image = QImage(str(path))
    assert not image.isNull()
    assert (image.width(), image.height()) == (width, height) or not width
    small = image.scaled(200, 200)
    colours = {small.pixel(x, y) for x in range(200) for y in range(200)}
    return len(colours) > 50


def csv_of(text):
    return pl.read_csv(text.encode())


# Lists ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "ids", "keys"),
    [
        ("methods", METHODS, {"title", "summary", "source", "params", "min_views", "max_views"}),
        ("rules", RULES, {"title", "summary", "source", "params"}),
        ("samples", SAMPLES, {"title", "summary", "views", "citation", "licence"}),
    ],
)
def test_lists(here, command, ids, keys):
    done = here(command, "--json")
    found = json.loads(done.stdout)
    assert {entry["id"] for entry in found} >= ids
    assert all(entry[key] not in ("", None) or key == "max_views" for entry in found for key in keys)
    assert done.stderr == ""
    table = here(command)
    assert [line.split()[0] for line in table.stdout.splitlines()] == [entry["id"] for entry in found]
    assert table.stderr == ""


def test_a_method_lists_its_parameters_with_their_ranges(here):
    found = {m["id"]: m for m in json.loads(here("methods", "--json").stdout)}
    eta = next(p for p in found["multiview"]["params"] if p["name"] == "eta")
    assert (eta["symbol"], eta["default"], eta["range"]) == ("η", 0.0, "a number from 0 to 1")
    assert (found["de-sa"]["min_views"], found["de-sa"]["max_views"]) == (2, 2)


@pytest.mark.nightly
def test_lists_can_be_written_in_any_encoding(run):
    assert "ASCII" not in run("methods", PYTHONIOENCODING="ascii").stderr
    found = json.loads(run("methods", "--json", PYTHONIOENCODING="ascii").stdout)
    assert "η" in [p["symbol"] for m in found for p in m["params"]]


def test_help_and_version(here):
    assert here("--version").stdout == f"mvexplorer {mvx.__version__}\n"
    assert "Commands: methods, rules, recipes, samples, embed" in here("--help").stdout
    assert "--random-state" in here("embed", "--help").stdout


# Embeddings -------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_embedding_to_csv_equals_the_library(run, tmp_path):
    done = run("embed", "helix-a", "--method", "multiview", "--set", "eta=0.25", "--set", "n_components=3",
               "--out", "a.csv")  # fmt: skip
    assert done.stdout == ""
    assert done.stderr == "a.csv: 600 samples, 6 coordinates\n"
    table = pl.read_csv(tmp_path / "a.csv")
    names = [f"{v}_psi{k}" for v in ("view1", "view2") for k in (1, 2, 3)]
    assert table.columns == ["id", *names]
    expected = mvx.embed(mvx.load("helix-a"), "multiview", epsilon=0.36, eta=0.25, n_components=3)
    np.testing.assert_allclose(table.select(names).to_numpy(), expected.coordinates, atol=1e-8)


def test_large_data_by_a_part_or_landmarks_with_the_error(here, tmp_path):
    common = ("embed", "helix-a", "--method", "multiview", "--set", "epsilon=0.36", "--out", "a.csv")
    done = here(*common, "--subsample", "200", "--random-state", "3")
    assert "Solved on a random part of 200 of the 600 samples" in done.stderr
    expected = mvx.embed(mvx.load("helix-a"), "multiview", epsilon=0.36, subsample=200, random_state=3)
    found = pl.read_csv(tmp_path / "a.csv").drop("id").to_numpy()
    np.testing.assert_allclose(found, expected.coordinates, atol=1e-8)
    done = here(*common, "--set", "kernel=landmarks-100", "--error")
    assert "Against Gaussians of all pairs, on 600 random samples: eigenvalues differ by up to " in done.stderr


def test_memory_that_does_not_suffice(here):
    done = here("embed", "helix-a", "--method", "multiview", "--memory", "0.001", code=2)
    assert "Multi-view of 600 samples needs 12 MB of 1 MB; about 1 s: it does not fit." in done.stderr
    assert "or allow more memory." in done.stderr
    assert "leaves no memory at all" in here("embed", "helix-a", "--method", "pca", "--memory", "0", code=2).stderr


def test_embedding_to_stdout_equals_the_file(here, tmp_path):
    text = here("embed", "gaussian-mixture", "--method", "kernel-sum").stdout
    assert "\r" not in text
    here("embed", "gaussian-mixture", "--method", "kernel-sum", "--out", "a.csv")
    printed, written = csv_of(text), pl.read_csv(tmp_path / "a.csv")
    assert printed.columns == written.columns == ["id", "label", "psi1", "psi2"]
    assert printed.equals(written)


def test_embedding_to_npz_and_parquet_with_how_it_was_made(here, tmp_path):
    common = ("embed", "helix-a", "--method", "de-sa", "--set", "epsilon=view1:0.3,view2:max-min")
    here(*common, "--out", "a.npz")
    here(*common, "--out", "a.parquet")
    with np.load(tmp_path / "a.npz") as found:
        table = pl.read_parquet(tmp_path / "a.parquet")
        np.testing.assert_array_equal(found["coordinates"], table.drop("id").to_numpy())
        assert found["eigenvalues"][0] == 1.0
        meta = json.loads(str(found["meta"]))
    assert meta["method"] == "de-sa"
    assert meta["views"] == "view1,view2"
    assert float(meta["epsilon"].split(",")[0]) == 0.3
    assert pl.read_parquet_metadata(tmp_path / "a.parquet")["epsilon"] == meta["epsilon"]


@pytest.mark.parametrize(
    ("text", "factor", "rule"),
    [("2*median", 2.0, "median"), ("median/9", 1 / 9, "median"), ("max-min", 1.0, "max-min"), ("std", 1.0, "std"),
     ("multiview", 1.0, "multiview"), ("0.5", 0.5, None)],
)  # fmt: skip
def test_every_way_to_write_epsilon(here, tmp_path, text, factor, rule):
    here("embed", "helix-a", "--method", "multiview", "--set", f"epsilon={text}", "--out", "a.npz")
    expected = np.full(2, 0.5) if rule is None else factor * np.array(mvx.select_epsilon(mvx.load("helix-a"), rule))
    with np.load(tmp_path / "a.npz") as found:
        meta = json.loads(str(found["meta"]))
    np.testing.assert_allclose([float(e) for e in meta["epsilon"].split(",")], expected, rtol=1e-12)


def test_settings_for_one_method_count_more_than_general_ones(here):
    general = ("embed", "helix-a", "--method", "kernel-sum", "--set", "t=1")
    wanted = here("embed", "helix-a", "--method", "kernel-sum", "--set", "t=4").stdout
    assert here(*general, "--set", "kernel-sum.t=4", "--set", "single.t=9").stdout == wanted
    assert here(*general, "--set", "multiview.eta=0.5").stdout == here(*general).stdout != wanted
    other = here(*general, "--set", "eta=0.5")
    assert other.stdout == here(*general).stdout
    assert "kernel-sum has no parameter called eta: it was not used." in other.stderr


def test_views_are_chosen_in_their_order(here):
    done = here("embed", "uci-digits", "--method", "de-sa", "--views", "mor,zer", "--set", "n_components=1")
    assert done.stderr.startswith("mvexplorer: One step forgets nearly all (λ₁ 0.03): ")
    assert len(done.stderr.splitlines()) == 1
    assert csv_of(done.stdout).columns == ["id", "label", "mor_u0", "zer_u0"]


@pytest.mark.nightly
def test_a_two_view_method_says_which_views_it_uses(here):
    done = here("embed", "uci-digits", "--method", "de-sa", "--out", "a.csv", "--set", "n_components=2")
    assert done.stderr.splitlines()[0] == "mvexplorer: de Sa uses fou + fac of the 6 views."


def test_a_single_view_method_says_which_view_it_uses(here):
    assert "uses view1 of the 2 views" in here("embed", "helix-a", "--method", "single").stderr
    chosen = here("embed", "helix-a", "--method", "single", "--set", "view=view2")
    assert chosen.stderr == ""


def test_own_files_with_labels_names_and_preprocessing(here, tmp_path):
    X, _ = two_views(tmp_path)
    (tmp_path / "classes.csv").write_text("".join(f"{'ab'[i % 2]}\n" for i in range(40)))
    done = here(
        "embed", "x.csv", "y.csv", "--method", "kernel-sum", "--labels", "classes.csv", "--preprocess", "zscore"
    )
    table = csv_of(done.stdout)
    assert table["label"].to_list() == ["a", "b"] * 20
    data = mvx.MultiView([X, load_source(str(tmp_path / "y.csv")).data.Xs[0]], preprocess="zscore")
    np.testing.assert_allclose(
        table.select("psi1", "psi2").to_numpy(), mvx.embed(data, "kernel-sum").coordinates, atol=1e-8
    )
    each = here("embed", "x.csv", "y.csv", "--method", "kernel-sum", "--preprocess", "zscore,none")
    assert each.stdout != done.stdout


# Pictures ---------------------------------------------------------------------------------------------------


def two_classes(folder):
    """Two files of 40 samples in two classes, and the file of their classes; returns how a command is given them."""
    random, kinds = np.random.default_rng(0), np.arange(40) % 2
    for name, d in (("x.csv", 3), ("y.csv", 2)):
        write_csv(folder / name, random.normal(size=(40, d)) + 2 * kinds[:, None])
    (folder / "classes.csv").write_text("".join(f"{'ab'[kind]}\n" for kind in kinds))
    return ("x.csv", "y.csv", "--labels", "classes.csv")


@pytest.mark.nightly
@pytest.mark.parametrize("sample", ["files", "gaussian-mixture"])
def test_comparison_as_png_with_its_table(run, tmp_path, sample):
    source = two_classes(tmp_path) if sample == "files" else (sample,)
    done = run("compare", *source, "--out", "a.png")
    assert done.stderr == ""
    assert "failed" not in done.stdout
    head, *rows = done.stdout.splitlines()
    assert head.split() == ["method", "NMI", "k-NN", "seconds"]
    # All but tensor CCA, which needs a third view, and given coordinates; single views each on their own.
    assert len(rows) == len(METHODS) - 3 + 2
    assert all("±" in row for row in rows)
    assert is_picture(tmp_path / "a.png")


def test_where_there_are_no_classes_the_comparison_scores_the_latent(here, tmp_path):
    done = here("compare", "gap-rolls", "--methods", "kernel-sum,multiview", "--out", "a.png")
    head, *rows = done.stdout.splitlines()
    assert re.split(r" {2,}", head) == ["method", "R² of u", "|Spearman| of u", "order of u", "seconds"]
    assert all(0.9 < float(re.split(r" {2,}", row)[1]) <= 1.0 for row in rows)


@pytest.mark.nightly
def test_comparison_of_chosen_methods(here, tmp_path):
    done = here("compare", "helix-a", "--methods", "multiview,kernel-sum", "--set", "t=2", "--theme", "dark",
               "--out", "dark.png")  # fmt: skip
    assert [row.split("  ")[0] for row in done.stdout.splitlines()[1:]] == ["Multi-view", "Kernel sum"]
    here("compare", "helix-a", "--methods", "multiview,kernel-sum", "--out", "light.png")
    dark, light = QImage(str(tmp_path / "dark.png")), QImage(str(tmp_path / "light.png"))
    assert dark.size() == light.size()
    assert dark.pixelColor(2, 2).lightness() < 80 < 200 < light.pixelColor(2, 2).lightness()


@pytest.mark.nightly
def test_comparison_with_the_panels_disagreement(here, tmp_path):
    asked = (
        "compare",
        "helix-a",
        "--methods",
        "multiview,kernel-sum,single",
        "--out",
        "a.png",
        "--agreement",
        "--set",
        "epsilon=0.36",
    )
    facts = json.loads(here(*asked, "--json").stdout)["agreement"]
    assert facts["panels"][:2] == ["Multi-view", "Kernel sum"]
    matrix = np.array(facts["matrix"])
    assert matrix.shape == (4, 4)
    assert np.array_equal(matrix, matrix.T)
    assert not matrix.diagonal().any()
    assert 0.0 < matrix[0, 1] < matrix[0, 2] < 1.0
    table = here(*asked).stdout.split("\n\n")[1].splitlines()
    assert table[0] == "Disagreement about the 15 nearest neighbours (by chance 0.97)"
    assert table[3].split()[:5] == ["2", "Kernel", "sum", f"{matrix[1, 0]:.2f}", "0.00"]


@pytest.mark.nightly
def test_comparison_as_svg(here, tmp_path):
    here("compare", "helix-a", "--methods", "single,multiview", "--out", "a.svg")
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(list(root.iter())) > 100
    assert "Multi-view" in (tmp_path / "a.svg").read_text("utf-8")


@pytest.mark.nightly
def test_screenshot_of_the_window(run, tmp_path):
    done = run("screenshot", *two_classes(tmp_path), "--out", "a.png", "--size", "1200x800")
    assert (done.stdout, done.stderr) == ("", "")
    assert is_picture(tmp_path / "a.png", 1200, 800)
    assert not (tmp_path / ".home").exists()


@pytest.mark.nightly
@pytest.mark.slow
def test_pictures_of_real_data(run, tmp_path):
    done = run("compare", "uci-digits", "--out", "a.png")
    assert "failed" not in done.stdout
    assert is_picture(tmp_path / "a.png")
    run("screenshot", "uci-digits", "--out", "b.png")
    assert is_picture(tmp_path / "b.png", 1440, 900)


# Sessions ---------------------------------------------------------------------------------------------------


@pytest.fixture
def session(tmp_path):
    two_views(tmp_path)
    loaded = load_source([str(tmp_path / "x.csv"), str(tmp_path / "y.csv")])
    state = commands.initial_state(loaded.data, loaded.sources, None, False)
    path = tmp_path / "work.mvx.json"
    save_session(path, state, loaded.data, mvx.__version__)
    return path


def test_a_comparison_can_be_a_web_page(here, tmp_path):
    done = here("compare", "helix-a", "--methods", "pca,cca", "--out", "both.HTML")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["method", "PCA", "CCA"]
    text = (tmp_path / "both.HTML").read_text("utf-8")
    assert text.startswith("<!doctype html>")
    assert "<title>Helix A: a ring that no single view closes</title>" in text


def test_a_comparison_as_a_web_page_leaves_ids_out_where_asked(here, tmp_path):
    rows = "".join(f"patient-{i},{i % 7},{i * i % 5}\n" for i in range(40))
    (tmp_path / "cohort.csv").write_text(f"id,a,b\n{rows}", "utf-8")
    for flags, inside in (((), True), (("--no-ids",), False)):
        here("compare", "cohort.csv", "--ids", "id", "--methods", "pca", "--out", "page.html", *flags)
        assert ("patient-7" in (tmp_path / "page.html").read_text("utf-8")) == inside
    refused = here("compare", "cohort.csv", "--ids", "id", "--out", "page.png", "--no-ids", code=2)
    assert "--no-ids is of web pages." in refused.stderr


def test_a_session_is_computed_and_exported(here, session, tmp_path):
    done = here("run", session.name, "--export", "out/put")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert rows[0] == ["panel", "method", "trustworthy", "neighbours", "kept", "views", "agree", "gap", "seconds"]
    assert [row[1] for row in rows[1:]] == ["single", "single", "kernel-sum", "kernel-product", "de-sa", "multiview"]
    folder = tmp_path / "out" / "put"
    assert {p.name for p in folder.iterdir()} == {
        "comparison.png", "comparison.svg", "scores.csv", "spectrum.csv", "record.json", "session.html", "session.py",
        "p1-single-x.csv", "p2-single-y.csv", *(f"p{i}-{row[1]}.csv" for i, row in enumerate(rows[3:], start=3))
    }  # fmt: skip
    assert is_picture(folder / "comparison.png")
    table = pl.read_csv(folder / "p3-kernel-sum.csv")
    embedded = here("embed", "x.csv", "y.csv", "--method", "kernel-sum", "--set", "n_components=12").stdout
    np.testing.assert_allclose(table.drop("id").to_numpy(), csv_of(embedded).drop("id").to_numpy(), atol=1e-8)


def test_a_session_without_export_needs_no_pictures(here, session, tmp_path):
    before = {p.name for p in tmp_path.iterdir()}
    assert len(here("run", session).stdout.splitlines()) == 7
    assert {p.name for p in tmp_path.iterdir()} == before


@pytest.mark.nightly
def test_a_session_in_the_window(run, session, tmp_path):
    run("screenshot", session, "--out", "a.png")
    assert is_picture(tmp_path / "a.png", 1440, 900)


def test_a_session_with_changed_data_opens_when_told_to(here, session, tmp_path):
    text = (tmp_path / "x.csv").read_text().splitlines()
    (tmp_path / "x.csv").write_text("\n".join([text[0], "9,9,9", *text[2:]]))
    refused = here("run", session, code=2).stderr
    assert "data has changed" in refused
    assert "Restore the data, or add --accept-changed-data." in refused
    assert here("run", session, "--accept-changed-data").stdout


# What it runs on --------------------------------------------------------------------------------------------


def test_doctor(run):
    done = run("doctor")
    assert done.stdout.startswith(f"mvexplorer {mvx.__version__}\nPython ")
    assert done.stdout.endswith("Everything needed is here.\n")
    for name in ("PySide6-Essentials", "numpy", "scipy", "scikit-learn", "polars", "Qt platform", "Font", "BLAS"):
        assert f"\n{name}" in done.stdout
    assert done.stderr == ""


@pytest.mark.nightly
def test_doctor_tells_what_a_window_holds(run):
    done = run("doctor", "--memory")
    head, *rows = done.stdout.splitlines()
    assert head == "The memory of a window with the first sample, after a drag:"
    sizes = {kind: int(size.removesuffix(" MB")) for kind, size in (re.split(" {2,}", row) for row in rows)}
    assert {"Distances", "Kernels and their products", "Everything else", "Pictures on screen"} < sizes.keys()
    assert abs(sizes.pop("In all") - sum(sizes.values())) <= len(sizes)
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("sources", "name", "process"),
    [
        (("x.csv", "y.csv"), "x.csv, y.csv", "run"),
        pytest.param((), "helix-a", "here", marks=pytest.mark.nightly),
        pytest.param(("circles",), "circles", "here", marks=pytest.mark.nightly),
    ],
)
def test_without_a_display_the_comparison_picture_is_written(request, tmp_path, sources, name, process):
    two_views(tmp_path)
    done = request.getfixturevalue(process)(*sources, **NO_DISPLAY)
    sentence = done.stdout.splitlines()[-1]
    assert sentence == (
        f"There is no display for a window, so the comparison picture of {name} was written: "
        f"mvexplorer.png in {tmp_path.resolve()}"
    )
    assert is_picture(tmp_path / "mvexplorer.png")


@pytest.mark.parametrize(
    ("arguments", "process"),
    [
        (("--session", "work.mvx.json"), "here"),
        pytest.param(("work.mvx.json",), "run", marks=pytest.mark.nightly),
    ],
)
def test_without_a_display_a_session_is_pictured(request, session, tmp_path, arguments, process):
    done = request.getfixturevalue(process)(*arguments, **NO_DISPLAY)
    assert "the comparison picture of work.mvx.json was written" in done.stdout
    assert is_picture(tmp_path / "mvexplorer.png")


@pytest.fixture
def bare_machine(tmp_path):
    """A folder to import from first, in which Qt finds none of its system libraries."""
    package = tmp_path / "bare" / "PySide6"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("__version__ = '6.9.0'\n")
    message = "libEGL.so.1: cannot open shared object file: No such file or directory"
    (package / "QtGui.py").write_text(f"raise ImportError({message!r})\n")
    return package.parent


@pytest.mark.parametrize(
    ("arguments", "display"),
    [
        ((), NO_DISPLAY),
        (("compare", "helix-a", "--out", "a.png"), {}),
        pytest.param(("helix-a",), {}, marks=pytest.mark.nightly),
        pytest.param(("compare", "helix-a", "--out", "a.png"), NO_DISPLAY, marks=pytest.mark.nightly),
        pytest.param(("screenshot", "helix-a", "--out", "a.png"), NO_DISPLAY, marks=pytest.mark.nightly),
        pytest.param(("run", "work.mvx.json", "--export", "out"), NO_DISPLAY, marks=pytest.mark.nightly),
    ],
)
def test_without_the_system_libraries_the_line_that_installs_them_is_printed(
    run, session, tmp_path, bare_machine, arguments, display
):
    done = run(*arguments, code=2, before=[bare_machine], **display)
    assert APT_LINE in done.stderr
    assert "libEGL.so.1" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "a.png").exists()


@pytest.mark.nightly
def test_without_the_system_libraries_numbers_are_computed_all_the_same(run, session, bare_machine):
    assert run("embed", "helix-a", "--method", "single", before=[bare_machine]).stdout
    assert run("run", session, before=[bare_machine]).stdout
    assert APT_LINE in run("doctor", code=2, before=[bare_machine]).stdout


@pytest.mark.nightly
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X libraries are Linux's")
def test_a_missing_cursor_library_is_named_before_qt_aborts(run, tmp_path):
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "sitecustomize.py").write_text(
        "import ctypes\n"
        "class CDLL(ctypes.CDLL):\n"
        "    def __init__(self, name, *args, **kwargs):\n"
        "        if name and 'libqxcb' in str(name):\n"
        "            raise OSError('libxcb-cursor.so.0: cannot open shared object file')\n"
        "        super().__init__(name, *args, **kwargs)\n"
        "ctypes.CDLL = CDLL\n"
    )
    without = {"before": [tmp_path / "bare"], **NO_DISPLAY, "DISPLAY": ":4242"}
    stderr = run("helix-a", code=2, **without).stderr
    assert APT_LINE in stderr
    assert "libxcb-cursor.so.0" in stderr
    two_views(tmp_path)
    run("compare", "x.csv", "--methods", "pca", "--out", "a.png", **without)


# What is imported -------------------------------------------------------------------------------------------

IMPORTS = """
import sys
from mvexplorer.cli import main
code = main(sys.argv[1:])
print(",".join(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
sys.exit(code)
"""


def imported(tmp_path, program, *arguments):
    done = python_in(tmp_path, program, *arguments)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split(","))


LIBRARIES = {"PySide6", "pyqtgraph", "sklearn", "polars"}


@pytest.mark.parametrize(
    ("arguments", "never"),
    [
        (("methods",), LIBRARIES),
        *(pytest.param((name,), LIBRARIES, marks=pytest.mark.nightly) for name in ("rules", "samples")),
        (("embed", "helix-a", "--method", "multiview"), LIBRARIES),
        (("embed", "helix-a", "--method", "multiview", "--out", "a.csv"), {"PySide6", "pyqtgraph"}),
    ],
)
def test_qt_and_other_heavy_libraries_are_not_imported_before_they_are_needed(tmp_path, arguments, never):
    assert not imported(tmp_path, IMPORTS, *arguments) & never
