"""Some of the samples, drawn at random."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def random_rows(n_samples: int, count: int, seed: int) -> npt.NDArray[np.intp]:
    """`count` samples (m,) in random order, all of them where there are fewer; a larger draw begins with a smaller."""
    return np.random.default_rng(seed).permutation(n_samples)[:count]
