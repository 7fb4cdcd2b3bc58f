"""`mvexplorer bandwidth`: what every rule finds for every view, as a table and as JSON, and why some find nothing."""

import json
import re

import numpy as np
import pytest
from command import main_in, mvexplorer_in, write_csv

import mvexplorer as mvx
from mvexplorer.cli import main
from mvexplorer.engine.bandwidth.table import bandwidth_rules

CLASS_RULES = ("class-geometric", "class-spectral", "class-probabilistic")
QUICK = ("max-min", "median", "std", "self-tuning", "multiview")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two views of three classes, `x.csv` (with the classes) and `y.csv`; one that is all the same, and one feature."""
    folder = tmp_path_factory.mktemp("bandwidth")
    random = np.random.default_rng(0)
    names = np.repeat(["ape", "bee", "cat"], 20)
    X = 4.0 * np.eye(3)[np.arange(60) // 20] + random.standard_normal((60, 3))
    write_csv(folder / "plain.csv", X)
    lines = (folder / "plain.csv").read_text().splitlines()
    rows = [f"{line},{name}" for line, name in zip(lines[1:], names, strict=True)]
    (folder / "x.csv").write_text("\n".join([f"{lines[0]},animal", *rows, ""]))
    write_csv(folder / "y.csv", X[:, :2] + random.standard_normal((60, 2)))
    write_csv(folder / "flat.csv", np.ones((60, 2)))
    write_csv(folder / "thin.csv", X[:, :1])
    return folder


@pytest.fixture
def run(files, monkeypatch, capfd):
    """The command in this process: its exit code, and what it printed and complained of."""
    monkeypatch.chdir(files)

    def run(*arguments, code=0):
        assert main(["bandwidth", *arguments]) == code
        return capfd.readouterr()

    return run


def rows_of(text):
    """The table as a list of rows, its columns taken from where the header's begin."""
    lines = text.splitlines()
    starts = [m.start() for m in re.finditer(r"(?<=  )\S|^\S", lines[0])]
    assert [lines[0][a:b].strip() for a, b in zip(starts, [*starts[1:], None], strict=True)] == [
        "view", "rule", "ε", "σ", "ε / median",
    ]  # fmt: skip
    return [re.split(r"\s{2,}", line.strip()) for line in lines[1:]]


ALL = [(view, rule.id) for view in ("x", "y") for rule in bandwidth_rules()]


@pytest.mark.filterwarnings("ignore:.* has no peak|The dimension of view|This ε of view")
def test_the_real_command_as_json(files):
    done = mvexplorer_in(files, "bandwidth", "x.csv", "y.csv", "--labels", "animal", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [(view, rule) for view, rules in found.items() for rule in rules] == ALL
    data = mvx.load([files / "x.csv", files / "y.csv"], labels="animal")
    medians = mvx.select_epsilon(data, "median")
    for rule in (*QUICK, *CLASS_RULES, "log-sum"):
        for view, expected, median in zip(("x", "y"), mvx.select_epsilon(data, rule), medians, strict=True):
            value = found[view][rule]
            assert set(value) == {"epsilon", "sigma", "of_median"}
            assert value["epsilon"] == pytest.approx(expected, rel=1e-9)
            assert value["sigma"] ** 2 == pytest.approx(expected, rel=1e-9)
            assert value["of_median"] == pytest.approx(expected / median, rel=1e-9)
    assert "Traceback" not in done.stderr


def test_the_command_as_a_table(files):
    done = main_in(files, "bandwidth", "x.csv", "y.csv", "--labels", "animal")
    assert done.returncode == 0, done.stderr
    assert "%" not in done.stderr  # progress is for people who watch
    rows = rows_of(done.stdout)
    assert [(view, rule) for view, rule, *_ in rows] == ALL
    data = mvx.load([files / "x.csv", files / "y.csv"], labels="animal")
    for rule in QUICK:
        for view, expected in zip(("x", "y"), mvx.select_epsilon(data, rule), strict=True):
            (found,) = (numbers for v, r, *numbers in rows if (v, r) == (view, rule))
            assert [float(n) for n in found[:2]] == pytest.approx([expected, expected**0.5], rel=1e-3)
    assert all(len(row) == 5 for row in rows)  # numbers everywhere, and nothing to explain


def test_one_rule_or_a_few(run):
    found = json.loads(run("x.csv", "y.csv", "--rule", "median", "--rule", "max-min", "--json").out)
    assert {view: list(rules) for view, rules in found.items()} == {v: ["median", "max-min"] for v in ("x", "y")}
    assert found["x"]["median"]["of_median"] == 1.0
    (row,) = rows_of(run("plain.csv", "--rule", "std").out)
    assert row[:2] == ["plain", "std"]


def test_where_there_is_no_value_there_is_a_reason(run):
    found = json.loads(run("plain.csv", "--json").out)["plain"]
    for rule in CLASS_RULES:
        assert found[rule]["epsilon"] is None
        assert found[rule]["reason"].startswith("The data has no labels, so no class rule applies.")
    assert found["multiview"] == {
        "epsilon": None, "reason": "The multi-view rule compares two views. Load a second view, or choose max-min.",
    }  # fmt: skip
    assert found["max-min"]["epsilon"] > 0
    (row,) = rows_of(run("plain.csv", "--rule", "multiview").out)
    assert row == ["plain", "multiview", "–", "–", "–", found["multiview"]["reason"]]


def test_one_view_that_is_all_the_same_leaves_the_others_their_values(run):
    found = json.loads(run("x.csv", "flat.csv", "--labels", "animal", "--json").out)
    assert all("flat" in value["reason"] for value in found["flat"].values())
    assert found["x"]["median"]["epsilon"] > 0
    assert found["x"]["class-probabilistic"]["epsilon"] > 0


@pytest.mark.parametrize("kernel", ["laplacian", "x:correlation,y:laplacian"])
def test_the_kernel_decides_on_the_distance(run, kernel):
    said = run("x.csv", "y.csv", "--labels", "animal", "--set", f"kernel={kernel}", "--rule", "median", "--json")
    expected = mvx.select_epsilon(mvx.load(["x.csv", "y.csv"], labels="animal"), "median", kernel=kernel)
    assert [rules["median"]["epsilon"] for rules in json.loads(said.out).values()] == pytest.approx(expected)


def test_a_kernel_that_does_not_fit_is_a_reason(run):
    found = json.loads(run("thin.csv", "--set", "kernel=correlation", "--json").out)["thin"]
    assert "has no correlations between samples" in found["max-min"]["reason"]


def test_views_and_preprocessing(run):
    found = json.loads(run("x.csv", "y.csv", "--views", "y", "--preprocess", "zscore", "--rule", "std", "--json").out)
    assert list(found) == ["y"]
    assert found["y"]["std"]["epsilon"] == pytest.approx(2.0)


@pytest.mark.nightly
def test_a_seed_for_rules_that_draw_samples(run):
    """Feature weights are learnt from a random part of many samples: another seed, another part."""
    found = [
        json.loads(run("noisy-swiss-roll", "--rule", "manifold", "--random-state", seed, "--json").out)
        for seed in ("0", "0", "7")
    ]
    assert found[0] == found[1] != found[2]


REFUSED = {
    "a rule there is not": (("x.csv", "--rule", "best"), r"There is no bandwidth rule called “best”\. Rules: max-min,"),
    "a rule among others": (("x.csv", "--rule", "median", "--rule", "mean"), "no bandwidth rule called “mean”"),
    "a parameter of methods": (("x.csv", "--set", "eta=1"), "The bandwidth rules do not know --set eta=1"),
    "an epsilon": (("x.csv", "--set", "epsilon=1"), "The bandwidth rules do not know --set epsilon=1"),
    "one wrong setting of two": (("x.csv", "--set", "kernel=knn", "--set", "eta=1"), "do not know --set eta=1"),
    "a setting without value": (("x.csv", "--set", "kernel"), r"kernel.* Write --set|There is no kernel “”"),
    "a kernel there is not": (("x.csv", "--set", "kernel=box"), r"There is no kernel “box”\. Kernels: gaussian"),
    "a kernel for no view": (("x.csv", "--set", "kernel=z:knn"), "A kernel is given for view “z”. The views are x"),
    "a view there is not": (("x.csv", "--views", "z"), "There is no view called “z”. The views are x"),
    "labels there are not": (("x.csv", "--labels", "plant"), "plant"),
    "no file": (("none.csv",), "There is no sample or file called “none.csv”"),
    "nothing": ((), "The following arguments are required: SOURCE"),
    "an unknown option": (("x.csv", "--rules", "median"), "nrecognized arguments: --rules"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(run, name):
    arguments, sentence = REFUSED[name]
    said = run(*arguments, code=2)
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert said.err.startswith("mvexplorer: ")
    assert re.search(sentence, said.err)


def test_a_wrong_rule_is_refused_before_anything_is_read(run):
    assert "no bandwidth rule" in run("none.csv", "--rule", "best", code=2).err


def test_the_exit_code_of_the_real_command(files):
    done = mvexplorer_in(files, "bandwidth", "x.csv", "--rule", "best")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[0].startswith("mvexplorer: There is no bandwidth rule called “best”.")
    assert len(done.stderr.splitlines()) == 1


def test_any_encoding(files):
    done = mvexplorer_in(files, "bandwidth", "plain.csv", "--rule", "median", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].startswith("plain  median")
    done = main_in(files, "bandwidth", "plain.csv", "--rule", "multiview", "--json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)["plain"]["multiview"]["epsilon"] is None


def test_what_is_odd_about_the_data_is_said_beside_it(run):
    said = run("x.csv", "flat.csv", "--rule", "median")
    assert "mvexplorer: " in said.err
    assert "flat" in said.err
    assert rows_of(said.out)[0][:2] == ["x", "median"]


# --- parameters of rules ------------------------------------------------------------------------------------------


def test_a_rule_is_given_its_parameters(run):
    plain, wide = (json.loads(run("plain.csv", "--json", "--rule", "max-min", *more).out)["plain"]["max-min"]
                   for more in ((), ("--set", "rule.C=2")))  # fmt: skip
    assert wide["epsilon"] == pytest.approx(2 * plain["epsilon"], rel=1e-12)
    streams = run("plain.csv", "--json", "--rule", "manifold", "--set", "rule.dimension=2")
    assert json.loads(streams.out)["plain"]["manifold"]["epsilon"] > 0
    assert "belongs to the view with the feature weights" in streams.err
    assert "estimate" not in streams.err
    assert "is an estimate: d̂ = " in run("plain.csv", "--rule", "manifold").err


def test_an_unknown_parameter_of_a_rule_is_refused(run):
    streams = run("plain.csv", "--set", "rule.dimesion=2", code=2)
    assert "No bandwidth rule has a parameter called dimesion" in streams.err
    assert "Did you mean dimension?" in streams.err
    assert streams.out == ""


def test_embed_gives_the_rule_its_parameters(files, capfd, monkeypatch):
    monkeypatch.chdir(files)
    common = ["embed", "plain.csv", "--method", "single", "--set", "epsilon=manifold", "--out"]
    assert main([*common, "given.npz", "--set", "rule.dimension=2"]) == 0
    assert "is an estimate" not in capfd.readouterr().err
    assert main([*common, "written.npz", "--set", "epsilon=manifold(dimension=2)"]) == 0
    assert main([*common, "estimated.npz"]) == 0
    assert "is an estimate" in capfd.readouterr().err
    given, written = (np.load(files / f"{name}.npz")["coordinates"] for name in ("given", "written"))
    np.testing.assert_array_equal(given, written)
