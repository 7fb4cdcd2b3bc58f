"""The names that scripts may rely on: they exist, answer, and say what they do."""

import copy
import importlib
import inspect
import pickle
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer import datasets, engine, errors, io

METHODS = {
    "single", "concatenation", "kernel-product", "kernel-sum", "kernel-cca", "de-sa", "multiview", "alternating",
    "local-cca", "tensor-cca", "jade", "laplacian-mean", "harmonic-mean", "squared-mean", "co-regularized", "low-rank",
    "jointly-smooth", "view-specific", "difference", "mgc", "diffusion-representation", "pca", "cca",
}  # fmt: skip
RULES = {
    "std", "median", "max-min", "self-tuning", "multiview", "class-geometric", "class-spectral", "class-probabilistic",
}  # fmt: skip
SAMPLES = {
    "uci-digits", "helix-a", "helix-b", "gap-rolls", "rotated-rolls", "gaussian-mixture", "coupled-circles",
    "toy-train", "noisy-digits", "pendulums", "rotating-icons", "shared-latent", "touching-rolls", "blobs", "circles",
    "two-squares", "noisy-swiss-roll", "rotated-digit", "spiral-classes", "seismic-events", "tori",
}  # fmt: skip
GENERATORS = {
    "make_helix_a", "make_helix_b", "make_gap_rolls", "make_rotated_rolls", "make_touching_rolls",
    "make_gaussian_mixture", "make_coupled_circles", "make_toy_train", "make_noisy_digits", "make_pendulums",
    "make_rotating_icons", "make_shared_latent", "make_noisy_swiss_roll", "make_rotated_digit", "make_spiral_classes",
    "make_blobs", "make_circles", "make_two_squares", "make_seismic_events", "make_gaussian_pair",
    "make_tori",
}  # fmt: skip
NAMES = {
    "load", "samples", "methods", "recipes", "bandwidth_rules", "MultiView", "embed", "Embedding", "select_epsilon",
    "MultiViewEmbedding", "sweep", "lessons", "metrics", "datasets", "errors",
}  # fmt: skip


@pytest.fixture(scope="module")
def data():
    return mvx.load("helix-a")


def test_names():
    assert set(mvx.__all__) >= NAMES
    assert set(dir(mvx)) >= NAMES
    assert all(getattr(mvx, name) is not None for name in NAMES)
    assert mvx.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="no attribute 'magic'"):
        mvx.magic  # noqa: B018


@pytest.mark.parametrize("module", ["metrics", "datasets", "errors"])
def test_modules_are_imported_as_such_without_what_is_slow(module):
    """In a process of its own, in which nothing else has imported them."""
    name = sorted(getattr(mvx, module).__all__)[-1] if module != "errors" else "DataError"
    code = (
        f"import sys, mvexplorer.{module}, mvexplorer as mvx; from mvexplorer.{module} import {name}; "
        f"assert mvx.{module} is mvexplorer.{module} and mvx.{module}.{name} is {name}; "
        "print(sorted({'scipy', 'sklearn', 'PySide6'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_metrics_are_those_of_the_engine():
    from mvexplorer.engine import hidden_scores, metrics

    modules = (metrics, hidden_scores)
    own = {name for m in modules for name, value in vars(m).items() if getattr(value, "__module__", "") == m.__name__}
    assert set(mvx.metrics.__all__) == {name for name in own if not name.startswith("_")}


def test_methods_say_what_they_are_and_need():
    found = {m.id: m for m in mvx.methods()}
    assert set(found) >= METHODS
    for method in found.values():
        assert method.title
        assert method.source
        assert method.min_views >= (0 if method.shows_given else 1)
        assert method.max_views is None or method.max_views >= method.min_views
        assert len({p.name for p in method.params}) == len(method.params)
    assert "eta" in [p.name for p in found["multiview"].params]
    assert "view" in [p.name for p in found["single"].params]
    assert (found["de-sa"].min_views, found["de-sa"].max_views) == (2, 2)


def test_rules_say_what_they_are():
    found = {r.id: r for r in mvx.bandwidth_rules()}
    assert set(found) >= RULES
    assert all(r.title and r.summary and r.source for r in found.values())


def test_samples_have_one_line_each():
    found = {s.id: s for s in mvx.samples()}
    assert set(found) >= SAMPLES
    assert all(s.title and s.summary and "\n" not in s.summary and s.licence for s in found.values())


def test_data_is_frozen_and_complete(data):
    assert isinstance(data, mvx.MultiView)
    assert (data.view_names, [X.shape[0] for X in data.Xs]) == (("view1", "view2"), [600, 600])
    assert (data.labels, data.images) == (None, None)
    assert len(data.sample_ids) == 600
    assert data.Xs[0].dtype == np.float64
    with pytest.raises(ValueError):
        data.Xs[0][0, 0] = 1.0
    with pytest.raises(AttributeError):
        data.labels = np.zeros(600)
    digits = mvx.load("uci-digits")
    assert digits.n_views == 6
    assert len(np.unique(digits.labels)) == 10
    assert digits.images.dtype == np.uint8
    assert len(digits.images) == 2000


def test_data_can_be_made_from_arrays():
    X, Y = np.zeros((4, 2)), np.ones((4, 3))
    keywords = {
        "labels": list("aabb"),
        "sample_ids": list("wxyz"),
        "columns": {"c": range(4)},
        "latent": {"l": range(4)},
    }
    made = mvx.MultiView([X, Y], view_names=["a", "b"], images=np.zeros((4, 5, 6)), preprocess="zscore", **keywords)
    assert (made.view_names, made.sample_ids, made.preprocess) == (("a", "b"), tuple("wxyz"), ("zscore", "zscore"))
    assert mvx.MultiView({"p": X, "q": Y}).view_names == ("p", "q")
    assert mvx.MultiView([X, Y]).view_names == ("view1", "view2")


def test_files_are_loaded_by_path_and_lists(tmp_path):
    for name in "ab":
        np.save(tmp_path / f"{name}.npy", np.arange(12.0).reshape(4, 3))
    loaded = mvx.load([tmp_path / "a.npy", str(tmp_path / "b.npy")], views=["b"], preprocess="centre")
    assert (loaded.view_names, loaded.preprocess) == (("b",), ("centre",))
    assert mvx.load(str(tmp_path / "a.npy")).view_names == ("a",)


def test_an_embedding_carries_everything(data):
    e = mvx.embed(data, method="multiview", n_components=2, epsilon="max-min", t=1, random_state=0, eta=0.0)
    assert isinstance(e, mvx.Embedding)
    assert e.coordinates.shape == (600, 4)
    assert [Y.shape for Y in e.view_coordinates] == [(600, 2), (600, 2)]
    np.testing.assert_array_equal(e.coordinates, np.hstack(e.view_coordinates))
    assert e.eigenvalues[0] == 1.0
    assert e.views == ("view1", "view2")
    assert e.epsilon == mvx.select_epsilon(data, rule="max-min")
    assert all(isinstance(code, str) and isinstance(text, str) for code, text in e.warnings)
    again = e.transform([X[:5] for X in data.Xs])
    np.testing.assert_allclose(again, e.coordinates[:5], atol=1e-6)
    assert mvx.embed(data, "kernel-sum").view_coordinates == ()
    with pytest.raises(errors.ParameterError, match="cannot place new samples"):
        mvx.embed(data, "local-cca").transform(data)


def test_a_two_view_method_says_which_views_it_uses():
    three = mvx.MultiView([*mvx.load("helix-a").Xs, np.arange(600.0)])
    e = mvx.embed(three, "de-sa")
    assert e.views == ("view1", "view2")
    assert "view1 + view2" in dict(e.warnings)["views"]


@pytest.mark.parametrize("form", [list, dict, mvx.MultiView], ids=["list", "mapping", "MultiView"])
def test_every_form_of_data_is_taken(data, form):
    given = dict(zip(data.view_names, data.Xs, strict=True)) if form is dict else form(data.Xs)
    found = mvx.embed(given, "kernel-sum", epsilon=[0.36, 0.36])
    np.testing.assert_array_equal(found.coordinates, mvx.embed(data, "kernel-sum", epsilon=0.36).coordinates)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:The dimension of view|This ε of view|.* has no peak")
def test_rules_choose_one_bandwidth_per_view(data):
    labelled = data.replace(labels=np.arange(data.n_samples) // 200)
    for rule in mvx.bandwidth_rules():
        if rule.needs_labels:
            with pytest.raises(mvx.errors.DataError, match="The data has no labels"):
                mvx.select_epsilon(data, rule=rule.id)
        chosen = mvx.select_epsilon(labelled if rule.needs_labels else data, rule=rule.id)
        assert len(chosen) == 2
        assert min(chosen) > 0
    assert mvx.select_epsilon(data, "max-min", C=2.0)[0] == 2 * mvx.select_epsilon(data, "max-min")[0]


def test_the_estimator_works_as_in_scikit_learn(data):
    Xs = list(data.Xs)
    estimator = mvx.MultiViewEmbedding(method="multiview", n_components=3, epsilon=0.36)
    with pytest.raises(errors.ParameterError, match="Call fit first"):
        estimator.transform(Xs)
    assert estimator.get_params().items() >= {"method": "multiview", "n_components": 3, "epsilon": 0.36}.items()
    assert estimator.fit(Xs) is estimator
    Y = estimator.coordinates_
    assert Y.shape == (600, 6)
    np.testing.assert_array_equal(estimator.fit_transform(Xs), Y)
    np.testing.assert_allclose(estimator.transform([X[:3] for X in Xs]), Y[:3], atol=1e-6)
    assert estimator.set_params(method="kernel-sum", n_components=2) is estimator
    assert estimator.fit_transform(Xs).shape == (600, 2)


def test_the_estimator_can_be_cloned():
    from sklearn.base import clone

    estimator = mvx.MultiViewEmbedding(method="kernel-sum", n_components=3)
    copy = clone(estimator)
    assert copy is not estimator
    assert copy.get_params() == estimator.get_params()


def test_the_scores_of_the_window_are_offered():
    for name in ("nmi", "knn_accuracy"):
        assert callable(getattr(mvx.metrics, name))
    labels = np.repeat([0, 1], 20)
    Y = np.column_stack([labels, np.zeros(40)]) + 1e-3 * np.random.default_rng(0).normal(size=(40, 2))
    assert mvx.metrics.nmi(Y, labels).value == pytest.approx(1.0)
    assert mvx.metrics.knn_accuracy(Y, labels).value == 1.0


@pytest.mark.parametrize("name", sorted(GENERATORS))
def test_generators_carry_the_true_parameters(name):
    make = getattr(mvx.datasets, name)
    made = make(n_samples=60, random_state=1)
    assert isinstance(made, mvx.MultiView)
    assert made.n_samples > 0
    assert made.latent or made.labels is not None
    signature = inspect.signature(make)
    assert {"n_samples", "random_state"} <= set(signature.parameters)


def test_errors_say_what_happened_and_what_to_do():
    kinds = (errors.DataError, errors.ParameterError, errors.ComputeError, errors.SessionError)
    assert all(issubclass(kind, errors.MVExplorerError) for kind in kinds)
    error = errors.DataError("It rained.", "Take an umbrella.")
    assert (error.message, error.hint) == ("It rained.", "Take an umbrella.")
    assert str(error) == "It rained. Take an umbrella."


# Documentation ----------------------------------------------------------------------------------------------


def modules():
    for package in (engine, io, datasets):
        yield package
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield importlib.import_module(found.name)


def public(owner, home):
    for name, thing in vars(owner).items():
        function = thing.fget if isinstance(thing, property) else getattr(thing, "func", thing)
        if name.startswith("_") or not (inspect.isfunction(function) or inspect.isclass(function)):
            continue
        if function.__module__ == home:
            yield name, function
            if inspect.isclass(function) and not issubclass(function, BaseException):
                yield from ((f"{name}.{n}", f) for n, f in public(function, home))


@pytest.mark.parametrize("module", list(modules()), ids=lambda m: m.__name__)
def test_everything_public_says_what_it_does(module):
    assert (module.__doc__ or "").strip(), module.__name__
    silent = [
        name for name, thing in public(module, module.__name__)
        if not (inspect.getdoc(thing) or "").strip() and "validator" not in name
    ]  # fmt: skip
    assert silent == []


MODULES = {"metrics", "datasets", "errors"}


@pytest.mark.parametrize("name", mvx.__all__)
def test_every_name_is_what_it_says(name):
    """A function or a class, but for three modules and the version."""
    found = getattr(mvx, name)
    if name == "__version__":
        return
    assert inspect.ismodule(found) == (name in MODULES)
    if name not in MODULES:
        assert callable(found)
        assert found.__name__ == name


def test_sonogram_is_the_function():
    assert mvx.sonogram(np.sin(np.arange(2000.0))[None], 40.0).features.shape[0] == 1


@pytest.mark.parametrize("kind", [errors.DataError, errors.ParameterError, errors.MissingValuesError, errors.RowsError])
def test_wrong_input_is_also_a_value_error(kind):
    assert issubclass(kind, ValueError)


def test_errors_come_back_from_pickle_with_their_fields():
    given = errors.RowsError("It rained.", [errors.Offer("Take a boat", {"join": "id"})], "Stay.")
    lost = errors.MissingValuesError("It rained.", "Dry it.", [3, 5])
    for error in (given, lost, copy.copy(lost)):
        back = pickle.loads(pickle.dumps(error))
        assert (type(back), str(back), back.args, vars(back)) == (type(error), str(error), error.args, vars(error))


def test_complex_numbers_are_refused_for_what_they_are():
    with pytest.raises(errors.DataError, match="complex numbers"):
        mvx.MultiView([np.array([[1.0, 2j], [1.0, 2.0], [3.0, 4.0]])])


@pytest.mark.parametrize(
    ("listed", "id", "near", "wrong"),
    [
        (mvx.methods, "jade", "multiview", "multivew"),
        (mvx.bandwidth_rules, "median", "max-min", "maxmin"),
        (mvx.recipes, "sphere", "neighbours", "neighbors"),
    ],
)
def test_lists_take_positions_and_ids(listed, id, near, wrong):
    found = listed()
    assert found[id].id == id
    assert (found[0], found[-1:]) == (next(iter(found)), tuple(found)[-1:])
    assert pickle.loads(pickle.dumps([m.id for m in found])) == [m.id for m in found]
    with pytest.raises(errors.ParameterError, match=rf"called “{wrong}”\..* Did you mean {near}\?"):
        found[wrong]
