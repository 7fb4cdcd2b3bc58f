"""The parts of a walk where all kernels are those of landmarks: declared by its method, solved in passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from mvexplorer.engine.pipeline.stages import Stages


class Joint(NamedTuple):
    """One Gaussian of some of the views used, times `weight`.

    The Gaussian of several views is the product of theirs; `scales` are the bandwidths of each.
    """

    views: tuple[int, ...]
    scales: tuple[float, ...]
    weight: float = 1.0


@dataclass(frozen=True)
class LandmarkForm:
    """A walk on kernels of landmarks.

    The Gaussians of each factor are added up. By `coupling` it is a walk on the kernel of a single factor ("one"); one
    that changes factor at every step ("hops"), where `eta` weights steps that stay within a factor; or one step in the
    first factor, one in the second, and so on ("turns"). `info` are named numbers about the result, `notes` (code,
    text) that go with it. `by_volume` tells that each Gaussian, one a view, is yet to be weighed by its sum.
    """

    factors: tuple[tuple[Joint, ...], ...]
    coupling: Literal["one", "hops", "turns"] = "one"
    eta: float = 0.0
    info: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[tuple[str, str], ...] = ()
    by_volume: bool = False

    @property
    def alone(self) -> bool:
        """True if a walk that could hop never does."""
        return self.coupling == "hops" and self.eta == 1.0

    @property
    def products(self) -> tuple[tuple[int, int], ...]:
        """The factors whose products the walk consists of."""
        if self.coupling != "hops":
            return ()
        n = len(self.factors)
        across = () if self.alone else tuple((a, b) for a in range(n) for b in range(a + 1, n))
        return (*across, *((a, a) for a in range(n) if self.eta > 0.0))

    @property
    def squares(self) -> tuple[tuple[int, int], ...]:
        """The factors whose products, divided by the degrees, the small problem consists of."""
        return ((0, 1), (1, 0)) if self.coupling == "turns" else tuple((a, a) for a in range(len(self.factors)))


def kernels_apart(stages: Stages, weights: Sequence[float]) -> tuple[Joint, ...]:
    """The kernel of each view at its own ε, times its weight."""
    return tuple(Joint((i,), (stages.epsilon[i],), w) for i, w in enumerate(weights))
