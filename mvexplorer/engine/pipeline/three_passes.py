"""Walks on kernels of landmarks in three passes over the samples, of which none but a block of rows is in memory.

With F_a = C_a W_a^-1/2 the kernels are K_a = F_a F_aᵀ, and the operators F C Fᵀ of walks on them are known by sums that
are as small as the landmarks are few. The first pass sums up c_a = F_aᵀ 1 and G_ab = F_aᵀ F_b, from which C and the
degrees e_a = F_a q_a, q = C c, follow; the second S_a = F_aᵀ diag(1/e_a) F_a. Right eigenvectors of the walk are
ψ_a = diag(1/e_a) F_a x_a with C S x = λ x, and the third pass makes them. Where densities are normalised, by weights
w_a = (F_a q_a)^-α, one more pass finds c_a = F_aᵀ w_a, and S_a = F_aᵀ diag(w_a/e_a) F_a.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from typing import Protocol, cast

import numpy as np

from mvexplorer.engine.core.maps import new_table, row_blocks
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.block_pass import BlockPass, Preparation, Sums, Term
from mvexplorer.engine.kernels.landmarks import check_reach, root_of
from mvexplorer.engine.pipeline.landmark_form import Joint, LandmarkForm
from mvexplorer.engine.pipeline.pass_time import tell_time
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.steps_that_stay import STEPS_THAT_STAY
from mvexplorer.engine.pipeline.view_kernel import landmarks_of
from mvexplorer.engine.pipeline.view_weights import equal_volume, told_weights
from mvexplorer.engine.spectral.diagnostics import walk_diagnostics
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.engine.spectral.nonsymmetric import real_pairs
from mvexplorer.errors import ParameterError

SPAN = 1 << 15
"""Rows whose sums are handed over together."""
RESOLVED = 1e-7
"""Eigenvalues below this are rounding."""

Small = list["Array"]
"""Numbers for the landmarks of each factor, W^-1/2 applied."""


class Carry(Protocol):
    """Carries out a pass over spans of rows, in any way, and gives what it found in the order of the spans."""

    def __call__(self, step: BlockPass, tables: Sequence[Array], spans: Sequence[slice]) -> Iterator[Sums]: ...


def on_threads(task: Task) -> Carry:
    """The way that uses the threads lent to a task, by which it is stopped between two blocks."""
    at_once = 2 * (os.cpu_count() or 1)

    def carry(step: BlockPass, tables: Sequence[Array], spans: Sequence[slice]) -> Iterator[Sums]:
        for start in range(0, len(spans), at_once):
            sums_at: dict[int, Sums] = {}

            def work(some: slice, start: int = start, sums_at: dict[int, Sums] = sums_at) -> None:
                sums_at[some.start] = step.over(tables, spans[start + some.start], lambda _: task.checkpoint())

            count = min(at_once, len(spans) - start)
            task.map_blocks(count, 1, work)
            for i in range(count):
                yield sums_at.pop(i)

    return carry


def in_passes(stages: Stages, form: LandmarkForm, carry: Carry | None = None) -> Decomposition:
    """Solve a walk on kernels of landmarks, for any number of samples.

    `carry` carries out the passes, by default on the threads lent to the task. ParameterError where there are fewer
    landmarks than coordinates need; ComputeError where samples lie out of reach of all landmarks.
    """
    return _Walk(stages, form, carry or on_threads(stages.task)).decompose()


@dataclass(frozen=True, eq=False)
class _Solved:
    """Eigenvalues (k,) of some of the factors, and x_a (r_a, k) of each."""

    factors: tuple[int, ...]
    values: Array
    x: Small


class _Walk:
    """One walk, solved by passes over the samples."""

    def __init__(self, stages: Stages, form: LandmarkForm, carry: Carry) -> None:
        self.stages, self.form, self._carry, self._passes = stages, form, carry, 0
        prepare = tuple(_preparation(stages, i) for i in range(stages.n_views))
        factors = tuple(tuple(_term(stages, joint, prepare) for joint in joints) for joints in form.factors)
        alpha = float(cast("float", stages.params.get("alpha") or 0.0))
        self._step = BlockPass(prepare, factors, alpha=alpha)
        self._roots = self._roots_of(form)
        _check_count(self._roots, stages.n_vectors)

    def decompose(self) -> Decomposition:
        """The passes, and the small problem between the second and the third."""
        form, step = self.form, replace(self._step, pairs=self.form.products)
        settings = form.factors, form.products, self.stages.random_state
        first = self.stages.fused("first-pass", *settings, compute=lambda: self._first(step))
        if not self._passes:  # another panel made it
            self._tell_time(first_done=True)
            self._passes = 1
        if form.by_volume:
            form = self.form = self._weighed(first)
            self._roots = self._roots_of(form)
        totals, grams = self._totals(first), dict(zip(form.products, self._grams(step, first), strict=True))
        constant, step = _mixed(form, grams, totals), replace(self._step, reach=self._row_sums(totals))
        if step.alpha:
            step = replace(step, densities=self._raised(constant))
            totals = self._totals(self._sums(step))
            constant = _mixed(form, grams, totals)
        step = replace(step, degrees=self._raised(constant), pairs=form.squares)
        S = self._grams(step, self._sums(step))
        step = replace(step, pairs=(), densities=(), reach=())
        if form.coupling == "turns":
            return self._turning(step, S[0] @ S[1], constant[0])
        n = len(form.factors)
        groups = [(a,) for a in range(n)] if form.alone else [tuple(range(n))]
        solved = [_solved(self.stages.n_vectors, group, form, grams, S, constant, totals) for group in groups]
        stays = [grams[a, a] @ totals[a] for a in range(n)] if 0.0 < form.eta < 1.0 else []
        solution = self._hopping(step, solved, stays)
        if form.coupling != "one":
            return solution
        share = float(np.trace(S[0])) / self.stages.n_samples  # Σ w_i K_ii / e_i, which are the p_ii
        return replace(solution, info={**solution.info, STEPS_THAT_STAY: share})

    # Between what is summed up and what is small -----------------------------------------------------------------

    def _raised(self, small: Small) -> tuple[Array, ...]:
        return tuple(R @ x for R, x in zip(self._roots, small, strict=False))

    def _roots_of(self, form: LandmarkForm) -> Small:
        return [_root(*each) for each in zip(self._step.factors, form.factors, strict=True)]

    def _weighed(self, first: Sums) -> LandmarkForm:
        """The form with every view's Gaussian weighed by its sum 1ᵀF Fᵀ1, which the first pass gives."""
        parts = [np.split(c, len(joints)) for c, joints in zip(first.totals, self.form.factors, strict=True)]
        roots = [[root_of(term.affinities(term.landmarks)) for term in terms] for terms in self._step.factors]
        pairs = zip(chain.from_iterable(roots), chain.from_iterable(parts), strict=True)
        volumes = [float(np.square(R.T @ c).sum()) for R, c in pairs]
        names = [self.stages.view_name(i) for i in range(self.stages.n_views)]
        weights = equal_volume(volumes, names)
        each = iter(weights.tolist())
        factors = tuple(tuple(joint._replace(weight=next(each)) for joint in joints) for joints in self.form.factors)
        info = {**self.form.info, **told_weights(self.stages, weights)}
        return replace(self.form, factors=factors, info=info)

    def _totals(self, sums: Sums) -> Small:
        return [R.T @ c for R, c in zip(self._roots, sums.totals, strict=True)]

    def _grams(self, step: BlockPass, sums: Sums) -> Small:
        pairs = zip(step.pairs, sums.grams, strict=True)
        return [self._roots[a].T @ gram @ self._roots[b] for (a, b), gram in pairs]

    def _row_sums(self, totals: Small) -> tuple[Array, ...]:
        """Return the columns (m_a, T_a) that give the row sums of every term's kernel."""
        out = []
        for terms, raised in zip(self._step.factors, self._raised(totals), strict=True):
            ends = np.cumsum([len(term.landmarks[0]) for term in terms])
            whose = np.searchsorted(ends, np.arange(len(raised)), side="right")
            out.append(np.where(whose[:, None] == np.arange(len(terms)), raised[:, None], 0.0))
        return tuple(out)

    def _tell_time(self, *, first_done: bool) -> None:
        """Say how long the passes will take, by passes like them."""
        ones, step = tuple(np.ones(len(R)) for R in self._roots), self._step
        densities = ones if step.alpha else ()
        vectors = tuple(np.ones((len(R), self.stages.n_vectors)) for R in self._roots)
        passes = [
            *([] if first_done else [replace(step, pairs=self.form.products)]),
            *([replace(step, densities=densities)] if step.alpha else []),
            replace(step, densities=densities, degrees=ones, pairs=self.form.squares),
            replace(step, degrees=ones, vectors=vectors),
        ]
        tell_time(passes, self._tables, self.stages.task)

    # Passes ------------------------------------------------------------------------------------------------------

    @property
    def _tables(self) -> list[Array]:
        return [self.stages.data.Xs[i] for i in self.stages.views]

    def _first(self, step: BlockPass) -> Sums:
        self._tell_time(first_done=False)
        return self._sums(step)

    def _carried(self, step: BlockPass) -> Iterator[Sums]:
        n, task = self.stages.n_samples, self.stages.task
        task.affinities += sum(len(factor) for factor in step.factors)
        spans = [slice(start, min(start + SPAN, n)) for start in range(0, n, SPAN)]
        for done, sums in enumerate(self._carry(step, self._tables, spans), 1):
            task.progress((self._passes + done / len(spans)) / (4 if step.alpha else 3))
            yield sums
        self._passes += 1

    def _sums(self, step: BlockPass) -> Sums:
        sums = reduce(Sums.add, self._carried(step))
        check_reach(sums.lost, self.stages.n_samples, min(kernel.landmarks for kernel in self.stages.kernels))
        return sums

    def _third(self, step: BlockPass) -> tuple[Array, ...]:
        """The vectors (M, k) of each factor that has some."""
        out = tuple(new_table((self.stages.n_samples, X.shape[1])) for X in step.vectors)
        start = 0
        for sums in self._carried(step):
            for blocks in sums.vectors:
                for table, block in zip(out, blocks, strict=True):
                    table[start : start + len(block)] = block
                start += len(blocks[0])
        return out

    # Walks -------------------------------------------------------------------------------------------------------

    def _hopping(self, step: BlockPass, solved: Sequence[_Solved], stays: Small) -> Decomposition:
        """Solve a symmetric operator. `stays` gives, divided by e_a, the probability to stay in a factor, over η."""
        x = [part for each in solved for part in each.x]
        beside = [np.column_stack(each) for each in zip(x, stays, strict=True)] if stays else x
        tables = self._third(replace(step, vectors=self._raised(beside)))
        info = dict(self.form.info)
        if self.form.coupling == "hops":
            within = [float(Y[:, -1].mean()) for Y in tables] if stays else [float(self.form.alone)]
            info["within_view_probability"] = (self.form.eta if stays else 1.0) * float(np.mean(within))
        blocks = tuple(Y[:, :-1] for Y in tables) if stays else tables
        warnings: list[tuple[str, str]] = []
        for each in solved:
            own = [blocks[a] for a in each.factors]
            _turn(own, [x[a] for a in each.factors])
            warnings += walk_diagnostics(each.values, _leading(own), len(own)) if not warnings else ()
            warnings += _unresolved(each.values)
        values = np.sort(np.concatenate([each.values for each in solved]))[::-1]
        apart = tuple(each.values for each in solved) if self.form.alone else ()
        place = replace(step, vectors=self._raised(x)).place
        notes = (*self.form.notes, *dict(warnings).items())
        return Decomposition(values, blocks, info, notes, apart, place=place)

    def _turning(self, step: BlockPass, both: Array, constant: Array) -> Decomposition:
        """Solve a walk of one step in the first factor and one in the second, which is not symmetric."""
        k = self.stages.n_vectors
        values, x, twisted = real_pairs(*np.linalg.eig(both), k)
        x[:, 0] = constant
        step = replace(step, factors=step.factors[:1], degrees=step.degrees[:1])
        (Y,) = self._third(replace(step, vectors=self._raised([x])))
        squares = sum((np.square(Y[rows]).sum(axis=0) for rows in row_blocks(Y)), np.zeros(k))
        size = np.sqrt(squares / len(Y))
        size[0] = 1.0
        _turn([Y], [x], np.maximum(size, np.finfo(float).tiny))
        warnings = (*walk_diagnostics(values, _leading([Y])), *_unresolved(values))
        info, notes = dict(self.form.info), (*self.form.notes, *warnings)
        turned = int(np.count_nonzero(twisted))
        if turned:
            text = f"{turned} eigenvalues are complex: their coordinates turn around each other in pairs."
            return Decomposition(values, (Y,), info, (*notes, ("complex", text)))
        place = replace(step, vectors=self._raised([x])).place
        return Decomposition(values, (Y,), info, notes, place=place)


# What is small --------------------------------------------------------------------------------------------------------


def _preparation(stages: Stages, i: int) -> Preparation:
    stages.check_directions(i)  # by name: a pass knows its rows by their place in a block only
    weights = stages.data.feature_weights[stages.views[i]]
    return Preparation(stages.treatment(i), weights, stages.kernels[i].metric, stages.view_name(i))


def _term(stages: Stages, joint: Joint, prepare: Sequence[Preparation]) -> Term:
    rows = landmarks_of(stages, joint.views[0])
    chosen = tuple(prepare[i].apply(stages.data.Xs[stages.views[i]][rows]) for i in joint.views)
    return Term(joint.views, chosen, joint.scales)


def _root(terms: Sequence[Term], joints: Sequence[Joint]) -> Array:
    """√w W^-1/2 (m_a, r_a) of a factor: of several terms, one beside the other."""
    roots = [
        np.sqrt(joint.weight) * root_of(term.affinities(term.landmarks))
        for term, joint in zip(terms, joints, strict=True)
    ]
    out, row, column = np.zeros(np.sum([R.shape for R in roots], axis=0)), 0, 0
    for R in roots:
        out[row : row + R.shape[0], column : column + R.shape[1]] = R
        row, column = row + R.shape[0], column + R.shape[1]
    return out


def _check_count(roots: Small, n_vectors: int) -> None:
    least = min(R.shape[1] for R in roots)
    if n_vectors > least:
        raise ParameterError(
            f"{n_vectors - 1} coordinates are too many for {least} landmarks that differ at this ε.",
            "Take more landmarks, ask for fewer coordinates, or lower ε.",
        )


def _mixing(form: LandmarkForm, grams: dict[tuple[int, int], Array], a: int, b: int) -> Array | None:
    """C_ab of a walk that hops; None for 0."""
    if a == b:
        return form.eta * grams[a, a] if form.eta > 0.0 else None
    across = (1.0 - form.eta) / (len(form.factors) - 1)
    return None if form.alone else across * (grams[a, b] if a < b else grams[b, a].T)


def _mixed(form: LandmarkForm, grams: dict[tuple[int, int], Array], c: Small) -> Small:
    """C c."""
    if form.coupling != "hops":
        return c
    n = range(len(form.factors))
    each = [[_mixing(form, grams, a, b) for b in n] for a in n]
    return [sum((C @ c[b] for b, C in zip(n, row, strict=True) if C is not None), np.zeros(1)) for row in each]


def _solved(
    k: int,
    group: tuple[int, ...],
    form: LandmarkForm,
    grams: dict[tuple[int, int], Array],
    S: Small,
    constant: Small,
    totals: Small,
) -> _Solved:
    """The k largest eigenpairs of C S among some factors, the known one first, scaled so that ψ has ψ_0 = 1."""
    T = [_half(S[a]) for a in group]
    trivial = np.concatenate([half.T @ constant[a] for half, a in zip(T, group, strict=True)])
    trivial /= np.linalg.norm(trivial)
    ends = np.cumsum([0, *(half.shape[1] for half in T)])
    A = np.zeros((ends[-1], ends[-1]))
    for i, a in enumerate(group):
        for j, b in enumerate(group):
            C = _mixing(form, grams, a, b) if form.coupling == "hops" else np.eye(len(T[0]))
            if C is not None:
                A[ends[i] : ends[i + 1], ends[j] : ends[j + 1]] = T[i].T @ C @ T[j]
    # The known vector is moved to the bottom of the spectrum, so that it cannot mix with others of eigenvalue 1.
    values, U = np.linalg.eigh(0.5 * (A + A.T) - 3.0 * np.outer(trivial, trivial))
    values, U = np.concatenate([[1.0], values[::-1][: k - 1]]), np.column_stack([trivial, U[:, ::-1][:, : k - 1]])
    small = np.array_split(U, ends[1:-1])
    steps = [half @ u for half, u in zip(T, small, strict=True)]
    if form.coupling == "hops":
        among = dict(zip(group, steps, strict=True))
        mixed = [[(_mixing(form, grams, a, b), among[b]) for b in group] for a in group]
        steps = [sum((C @ y for C, y in row if C is not None), np.zeros(1)) for row in mixed]
    scale = np.sqrt(sum(float(totals[a] @ constant[a]) for a in group))
    usable = np.abs(values) > RESOLVED
    out = [scale * np.where(usable, y / np.where(usable, values, 1.0), 0.0) for y in steps]
    for x, a in zip(out, group, strict=True):
        x[:, 0] = constant[a]
    return _Solved(group, values, out)


def _half(S: Array) -> Array:
    """T (r, r') with T Tᵀ = S, without directions that are rounding."""
    values, vectors = np.linalg.eigh(0.5 * (S + S.T))
    empty = 1e-14  # Directions of S with less than this part of its largest eigenvalue are rounding.
    kept = values > empty * values[-1]
    return cast("Array", vectors[:, kept] * np.sqrt(values[kept]))


# What is large --------------------------------------------------------------------------------------------------------


def _turn(blocks: Sequence[Array], x: Small, size: Array | float = 1.0) -> None:
    """Divide columns by `size` and give them the sign that makes their largest entry positive, in place; x alike."""
    k = x[0].shape[1]
    largest, signs = np.zeros(k), np.ones(k)
    for Y in blocks:
        for rows in row_blocks(Y):
            place = np.abs(Y[rows]).argmax(axis=0), np.arange(k)
            beyond = np.abs(Y[rows][place]) > largest
            signs = np.where(beyond, np.where(Y[rows][place] < 0.0, -1.0, 1.0), signs)
            largest = np.where(beyond, np.abs(Y[rows][place]), largest)
    factor = signs / size
    factor[0] = 1.0
    for part in x:
        part *= factor
    for Y in blocks:
        for rows in row_blocks(Y):
            Y[rows] *= factor
            Y[rows, 0] = 1.0


def _leading(blocks: Sequence[Array]) -> Array:
    """The first two columns (n, 2) of all blocks."""
    return np.concatenate([Y[:, :2] for Y in blocks])


def _unresolved(values: Array) -> tuple[tuple[str, str], ...]:
    lost = int(np.count_nonzero(np.abs(values) <= RESOLVED))
    if not lost:
        return ()
    which = f"The last {lost} of {len(values) - 1} coordinates are below rounding"
    return (("unresolved", f"{which}: choose a smaller ε or fewer of them."),)
