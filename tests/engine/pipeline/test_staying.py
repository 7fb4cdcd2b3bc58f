"""A view in which every sample neighbours only itself: what it adds to joined walks, and where that is told."""

from __future__ import annotations

import json

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.cli.entry import main
from mvexplorer.datasets.catalogue import open_sample, samples
from mvexplorer.engine.api.embedding import as_multiview
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.api.preparing import EmbedOptions, prepare
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.operators import as_array
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline import view_kernel
from mvexplorer.engine.pipeline.stages import remember_once
from mvexplorer.engine.pipeline.staying import ALONE, probability_to_stay, staying_views
from mvexplorer.state.document.fresh import initial_state
from mvexplorer.state.pictures.requests import request_of

M = 200
JOINED = ["multiview", "de-sa", "kernel-sum", "alternating"]
SLOW = ("uci-digits", "noisy-digits", "seismic-events")


def strip():
    return np.random.default_rng(0).uniform(size=(M, 2)) * [5.0, 1.0]


def lonely_and_strip():
    return mvx.MultiView({"A": 1e4 * np.arange(float(M))[:, None], "B": strip()})


def alone_in(embedding):
    return {notice.subjects for _, notice in embedding.warnings if notice.code == ALONE}


def stages_of(data, method, *, epsilon="median", kernel="gaussian"):
    data = as_multiview(data)
    made = plan(get_method(method), data, None, kernel, epsilon, {})
    return prepare(made, data, EmbedOptions(Task(), remember_once()))


@pytest.mark.parametrize("method", JOINED)
def test_a_view_of_hermits_is_told(method):
    found = mvx.embed(lonely_and_strip(), method, epsilon=(1.0, 0.1))
    ((key, notice),) = found.warnings
    assert (key, notice.code, notice.subjects, notice.level) == (ALONE, ALONE, ("A",), "warning")
    assert notice == (
        "Every sample of A neighbours only itself: at this ε A adds nothing. Enlarge its ε, or leave it out."
    )


def test_of_a_view_of_hermits_multi_view_is_the_other_views_own_walk():
    joined = mvx.embed(lonely_and_strip(), "multiview", epsilon=(1.0, 0.1))
    alone = mvx.embed([strip()], "single", epsilon=0.1)
    np.testing.assert_allclose(joined.eigenvalues, alone.eigenvalues, atol=1e-12)


def test_a_link_in_one_view_is_enough_for_multi_view_and_not_for_the_product():
    whole = np.sort(np.random.default_rng(1).uniform(0.0, 10.0, 300))[:, None]
    torn = whole + 100.0 * (whole > 5.0)
    second = {
        m: float(mvx.embed([torn, whole], m, epsilon=1.0).eigenvalues[1]) for m in ("multiview", "kernel-product")
    }
    assert second["multiview"] < 0.99
    assert second["kernel-product"] > 1.0 - 1e-9


@pytest.mark.parametrize("method", ["kernel-product", "concatenation", "single"])
def test_methods_of_one_kernel_do_not_tell_it(method):
    """A product falls into pieces, and one view may show its shape by ever so small affinities."""
    assert not alone_in(mvx.embed(lonely_and_strip(), method, epsilon=(1.0, 0.1)))


def test_several_views_are_told_in_one_sentence():
    data = lonely_and_strip()
    three = mvx.MultiView({"A": data.Xs[0], "B": data.Xs[1], "C": data.Xs[0] + 5.0})
    ((_, notice),) = mvx.embed(three, "multiview", epsilon=(1.0, 0.1, 1.0)).warnings
    assert notice == (
        "Every sample of A and C neighbours only itself: at these ε A and C add nothing. "
        "Enlarge their ε, or leave them out."
    )
    both = dict(mvx.embed(data, "kernel-sum", epsilon=(1.0, 1e-9)).warnings)[ALONE]
    assert both == (
        "Every sample of A and B neighbours only itself: at these ε hardly a step leaves its sample. Enlarge their ε."
    )


def test_a_kernel_without_bandwidth_is_told_to_be_another():
    data = mvx.MultiView({"K": np.eye(M), "B": strip()})
    warnings = dict(mvx.embed(data, "multiview", kernel={"K": "precomputed"}, epsilon=0.1).warnings)
    assert warnings[ALONE] == (
        "Every sample of K neighbours only itself: K adds nothing. Choose another kernel, or leave it out."
    )


@pytest.mark.parametrize("kernel", ["knn", "landmarks-200", "laplacian"])
def test_it_is_told_of_kernels_that_are_known_otherwise(kernel):
    found = mvx.embed(lonely_and_strip(), "multiview", epsilon=(1.0, 0.1), kernel=(kernel, "gaussian"))
    assert alone_in(found) == {("A",)}


@pytest.mark.parametrize("held", ["in double precision", "in single precision"])
@pytest.mark.parametrize("kernel", ["gaussian", "knn", "laplacian", "self-tuning", "landmarks-200"])
def test_the_probability_to_stay_is_that_of_the_dense_walk(kernel, held, monkeypatch):
    if "single" in held:
        monkeypatch.setattr(view_kernel, "FLOAT32_SAMPLES", 50)
    stages = stages_of([strip(), strip()], "kernel-sum", epsilon="median/50", kernel=kernel)
    K = as_array(view_kernel.dense_kernel_of(stages, 0))
    expected = np.mean([K[i, i] / K[i].sum() for i in range(M)])
    assert probability_to_stay(stages, 0) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("landmarks", [100, 190])
def test_samples_other_than_landmarks_stay_nowhere(landmarks):
    """One that is none is near to a landmark, or out of reach of all."""
    groups = np.repeat(1e4 * np.arange(M / 20.0), 20)[:, None]
    stages = stages_of([groups, strip()], "kernel-sum", epsilon=1.0, kernel=f"landmarks-{landmarks}")
    dense = as_array(view_kernel.dense_kernel_of(stages, 0))
    assert probability_to_stay(stages, 0) <= np.mean(np.diag(dense) / dense.sum(axis=1)) + 1e-9 <= 0.06


@pytest.mark.parametrize("leaving", [0.02, 0.009])
def test_the_limit_is_a_mean_probability_to_stay_of_99_percent(leaving):
    affinity = leaving / (1.0 - leaving)
    K = np.kron(np.eye(M // 2), [[1.0, affinity], [affinity, 1.0]])
    data = mvx.MultiView({"K": K, "B": strip()})
    stages = stages_of(data, "multiview", kernel={"K": "precomputed"})
    assert probability_to_stay(stages, 0) == pytest.approx(1.0 - leaving)
    assert bool(staying_views(get_method("multiview"), stages)) == (leaving < 0.01)


def test_a_step_of_a_drag_does_not_look_for_it(monkeypatch):
    looked = []
    monkeypatch.setattr("mvexplorer.engine.pipeline.solve.staying_views", lambda *_: looked.append(1) or ())
    draft = mvx.embed(lonely_and_strip(), "multiview", epsilon=(1.0, 0.1), interactive=True)
    assert not looked
    memo, task = remember_once(), Task()
    for t in (1, 2, 3):
        mvx.embed(lonely_and_strip(), "multiview", epsilon=(1.0, 0.1), memo=memo, task=task, t=t, start=[draft])
    assert len(looked) == 1
    assert task.affinities == 2


@pytest.mark.parametrize("sample", [
    pytest.param(m, id=m.id, marks=[pytest.mark.nightly] if m.id in SLOW else []) for m in samples()
])  # fmt: skip
def test_no_sample_opens_with_it(sample):
    data = open_sample(sample.id)
    state, memo = initial_state(data, (sample.id,), sample), remember_once()
    for panel in state.panels:
        asked = request_of(state, data, panel).plan
        if asked.method.walk is not None:
            stages = prepare(asked, data, EmbedOptions(Task(), memo))
            assert staying_views(asked.method, stages) == ()


def test_json_and_lines_of_the_command_line_tell_it(tmp_path, capsys):
    files = []
    for name, X in zip("AB", lonely_and_strip().Xs, strict=True):
        files.append(str(tmp_path / f"{name}.npy"))
        np.save(files[-1], X)
    command = ["embed", *files, "--method", "multiview", "--set", "epsilon=1.0"]
    assert main([*command, "--json"]) == 0
    told = dict(json.loads(capsys.readouterr().out)["warnings"])
    assert "A adds nothing" in told[ALONE]
    assert main([*command, "--out", str(tmp_path / "out.csv")]) == 0
    assert "A adds nothing" in capsys.readouterr().err
