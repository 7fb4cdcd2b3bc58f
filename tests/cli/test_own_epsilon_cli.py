"""`mvexplorer compare --own-epsilon`: each panel at its own ε, with the scores at the shared one beside."""

import json

import numpy as np
import pytest

from mvexplorer.cli import main
from mvexplorer.state.session.session import open_session

CHOSEN = ["compare", "a.npy", "b.npy", "--labels", "kinds.csv", "--set", "n_components=3", "--methods"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two views of a spiral in three classes: a wide kernel sees the disc."""
    made = tmp_path_factory.mktemp("own")
    rng, s = np.random.default_rng(1), np.linspace(0.2, 1.0, 80)
    spiral = np.c_[s * np.cos(18 * s), s * np.sin(18 * s)] + 0.01 * rng.normal(size=(80, 2))
    np.save(made / "a.npy", np.c_[10 * s, spiral])
    np.save(made / "b.npy", np.c_[spiral, 0.1 * rng.normal(size=(80, 3))])
    (made / "kinds.csv").write_text("\n".join(["kind", *np.repeat(["x", "y", "z"], [20, 40, 20])]))
    return made


@pytest.fixture
def run(folder, monkeypatch, capsys):
    """The command in this process: what it printed and complained of."""
    monkeypatch.chdir(folder)

    def run(*arguments, code=0):
        assert main([*arguments]) == code
        return capsys.readouterr()

    return run


def test_both_scores_are_told(run, folder):
    own = ["--own-epsilon", "--set", "epsilon=20*median"]
    found = run(*CHOSEN, "kernel-sum,multiview,cca", *own, "--json", "--out", "a.html", "--save", "a.mvx.json")
    kernel_sum, multiview, cca = json.loads(found.out)["panels"]
    shared = json.loads(run(*CHOSEN, "kernel-sum,multiview,cca", *own[1:], "--json", "--out", "b.png").out)["panels"]
    assert cca["own"] is None
    for told, before in zip((kernel_sum, multiview), shared, strict=False):
        assert {"nmi", "knn", "trustworthiness"} == set(told["scores"]) == set(told["own"]["scores"])
        assert told["epsilon"] == before["epsilon"]
        assert {id: told["scores"][id] for id in before["scores"]} == pytest.approx(before["scores"])
        assert set(told["own"]) == {"epsilon_scale", "scores"}
    assert multiview["own"]["epsilon_scale"] < 1.0
    assert multiview["own"]["scores"]["trustworthiness"] > multiview["scores"]["trustworthiness"]
    assert "Each panel at its own ε, by trustworthiness; labels were not used." in found.err
    assert "Multi-view: At its own ε, × " in found.err
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert "Multi-view \\u00b7 \\u03b5 \\u00d7 " in page or "Multi-view · ε × " in page
    assert "at the shared" in page
    state = open_session(str(folder / "a.mvx.json")).state
    assert state.panels[1].epsilon_scale == multiview["own"]["epsilon_scale"]


def test_the_table_has_a_row_for_each_of_both(run):
    found = run(
        *CHOSEN, "kernel-sum", "--own-epsilon", "--score", "knn", "--set", "epsilon=40*median", "--out", "a.png"
    )
    rows = found.out.splitlines()
    assert "labels were used" in found.err
    assert rows[0].split() == ["method", "NMI", "k-NN", "seconds"]
    assert rows[1].startswith("Kernel sum ")
    assert len(rows) == 2 + ("× " in rows[-1])


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--score", "knn"], "--score is of --own-epsilon."),
        (["--own-epsilon", "--score", "gap"], "No ε of this data can be chosen by gap."),
        (["--own-epsilon", "--score", "resultant"], "No ε of this data can be chosen by resultant."),
        (["--own-epsilon", "--score", "magic"], "There is no score"),
    ],
)
def test_what_makes_no_sense_is_refused(run, flags, sentence):
    found = run(*CHOSEN, "kernel-sum", *flags, "--out", "a.png", code=2)
    assert sentence in found.err
    assert not found.out
