"""What the tests of the state share: small data, an executor without threads, and a count of kernels."""

from concurrent.futures import Executor, Future

import numpy as np

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.pictures.controller import Controller

N_SAMPLES = 90


class Inline(Executor):
    """Runs at once, in the caller's thread."""

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class Later(Executor):
    """Runs what was submitted when told to, the earliest first."""

    def __init__(self):
        self.waiting = []

    def submit(self, fn, /, *args, **kwargs):
        self.waiting.append(lambda: fn(*args, **kwargs))
        return Future()

    def run_one(self):
        self.waiting.pop(0)()

    def run_all(self):
        while self.waiting:
            self.run_one()


class PanelsFirst(Later):
    """Computes panels at once, and colourings that are derived from them when told to."""

    def submit(self, fn, /, *args, **kwargs):
        if not args[0].startswith("derived:"):
            fn(*args, **kwargs)
            return Future()
        return super().submit(fn, *args, **kwargs)


class CountingCache(StageCache):
    """Counts what is computed, by the stage's name."""

    def __init__(self):
        super().__init__()
        self.computed = []

    def memo(self, task):
        remember = super().memo(task)

        def counting(key, compute):
            def counted():
                self.computed.append(key.stage)
                return compute()

            return remember(key, counted)

        return counting

    def count(self, stage):
        return self.computed.count(stage)


def circle_data(n_samples=N_SAMPLES, n_views=2, labels=True, seed=0):
    """Views of one noisy circle: each stretches it along another direction."""
    random = np.random.default_rng(seed)
    angle = np.sort(random.uniform(0.0, 2 * np.pi, n_samples))
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    Xs = []
    for i in range(n_views):
        stretched = ring * np.where(np.arange(2) == i % 2, 1.0, 1.5)
        Xs.append(stretched + 0.05 * random.normal(size=ring.shape))
    return MultiView(
        Xs,
        view_names=[f"v{i + 1}" for i in range(n_views)],
        labels=(angle // (2 * np.pi / 3)).astype(int) if labels else None,
        latent={"angle": angle},
        columns={"weather": np.where(angle > 3, "sun", "rain"), "mass": angle**2},
    )


def pair_distances(X):
    """All squared distances of samples (M, M), without those of a sample to itself."""
    D = np.square(X[:, None] - X[None]).sum(axis=-1)
    return D[~np.eye(len(X), dtype=bool)]


def opened(data=None, **changes):
    """A document that shows `data` in the state in which it opens, with nothing to undo."""
    data = circle_data() if data is None else data
    document = Document()
    state = commands.initial_state(data, ("ring.csv",), None, False)
    params = {**state.params, "n_components": 4}
    document.reset(state.model_copy(update={"params": params, **changes}), data)
    return document


def controlled(document, executor=None, cache=None):
    """A controller without threads that has computed what the document asks for."""
    cache = CountingCache() if cache is None else cache
    controller = Controller(document, executor=executor or Inline(), background=Inline(), cache=cache)
    document.reset(document.state, document.data.replace())
    return controller
