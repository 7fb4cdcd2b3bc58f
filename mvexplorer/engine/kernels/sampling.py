"""Some of the samples, drawn at random."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def random_rows(n_samples: int, count: int, seed: int) -> npt.NDArray[np.intp]:
    """At most `count` samples (m,), drawn at random, ascending; a larger draw holds a smaller one."""
    return np.sort(np.random.default_rng(seed).permutation(n_samples)[:count])
