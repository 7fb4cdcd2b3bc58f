"""Orders in which a view's rows are shuffled: what belongs together in time or in a burst stays together."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.inputs import labelled
from mvexplorer.errors import DataError, ParameterError

Rows = npt.NDArray[np.intp]
Shuffle: TypeAlias = "str | npt.ArrayLike"
"""``rows``, ``circular`` for samples in time, or the name of each sample's burst (M,)."""


def order_maker(shuffle: Shuffle, n_samples: int, rows: Rows, seed: int) -> Callable[[int], Rows]:
    """Make the function that gives each run, by its number, the sample (m,) whose row each of `rows` (m,) gets.

    Samples in `rows` are ascending, in an order positions in `rows`. ``rows`` allows any order; ``circular`` follows
    the samples in time, shifted round by at least a tenth of them; an array (M,) of burst names shuffles whole bursts.
    The same seed gives the same orders. ParameterError or DataError where there is no such shuffle, or the bursts do
    not fit the samples, or are too few.
    """
    m = len(rows)
    if not isinstance(shuffle, str):
        bursts = _bursts(shuffle, n_samples)[rows]
        return lambda number: _whole_bursts(bursts, np.random.default_rng([seed, number]))
    if shuffle == "rows":
        return lambda number: np.random.default_rng([seed, number]).permutation(m)
    if shuffle != "circular":
        raise ParameterError(
            f"There is no shuffle called “{shuffle}”.", "Give rows, circular, or the name of each sample's burst."
        )
    shifts = _shifts_in_turn(m, seed)

    def shifted(number: int) -> Rows:
        if number >= len(shifts):
            raise ParameterError(
                f"{m} samples can be shifted by a tenth or more in {len(shifts)} ways only.",
                f"Ask for at most {len(shifts)} runs, or shuffle rows.",
            )
        return np.roll(np.arange(m), int(shifts[number]))

    return shifted


def circular_shifts(m: int) -> Rows:
    """By how much m samples in time can be shifted round: by a tenth of them at least, forwards or backwards."""
    least = _least_shift(m)
    return np.arange(least, m - least + 1)


def _least_shift(m: int) -> int:
    share = 10  # A circular shift moves every sample by at least one part in so many of all.
    return math.ceil(m / share)


def _shifts_in_turn(m: int, seed: int) -> Rows:
    return np.random.default_rng(seed).permutation(circular_shifts(m))


def shifts_apart(m: int, count: int, number: int, seed: int) -> list[int]:
    """Shifts of so many views in time, of which a first one stays: each is shifted against all others, too.

    Two views that were shifted alike would keep all that they have in common. Of more views than there are tenths some
    lie nearer.
    """
    shifts, least = [0], _least_shift(m)
    for i in range(1, count + 1):
        candidates = np.roll(_shifts_in_turn(m, seed + i), -number)
        around = np.abs(candidates[:, None] - np.array(shifts))
        apart = np.minimum(around, m - around).min(axis=1)
        shifts.append(int(candidates[np.minimum(apart, least).argmax()]))
    return shifts[1:]


def _bursts(given: npt.ArrayLike, n_samples: int) -> npt.NDArray[np.intp]:
    """The burst (M,) of each sample, counted from 0 in the order in which they begin."""
    names = np.asarray(given)
    if names.shape != (n_samples,):
        raise DataError(f"The bursts have shape {names.shape} for {n_samples} samples.", "Give one name per sample.")
    nameless = int(np.count_nonzero(~labelled(names)))
    if nameless:
        have = "has" if nameless == 1 else "have"
        raise DataError(
            f"{nameless:,} of {n_samples:,} samples {have} no burst.", "Name every sample's burst, or shuffle rows."
        )
    _, first, codes = np.unique(names, return_index=True, return_inverse=True)
    fewest_bursts = 5  # Fewer bursts have fewer orders than a null test has runs.
    if len(first) < fewest_bursts:
        raise DataError(
            f"There are {len(first)} bursts, whose orders are too few to tell chance from.",
            f"At least {fewest_bursts} are needed. Choose another column, or shuffle rows.",
        )
    return np.argsort(np.argsort(first))[codes]


def _whole_bursts(bursts: npt.NDArray[np.intp], rng: np.random.Generator) -> Rows:
    """An order in which samples of a burst follow each other as before."""
    places = np.argsort(bursts, kind="stable")
    turned = rng.permutation(int(bursts.max()) + 1)
    order = np.empty(len(bursts), dtype=np.intp)
    order[places] = np.argsort(turned[bursts], kind="stable")
    return order
