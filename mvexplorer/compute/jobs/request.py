"""A request to the engine: a frozen copy of the settings at one moment."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mvexplorer.engine.api.plan import NO_EFFECT, Plan, plan
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.bandwidth.table import Bandwidth
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.params import Value
from mvexplorer.engine.kernels.affinities import Kernel
from mvexplorer.engine.pipeline.stages import scaled_params
from mvexplorer.engine.spectral.warm_start import PreviousSolution


@dataclass(frozen=True)
class Request:
    """One embedding to compute: a plan, and the data it was made for. Two are equal exactly when their answers are.

    The plan is made once, and serves the main thread for the cost and the worker for the answer.
    """

    data: MultiView
    plan: Plan
    random_state: int = 0
    interactive: bool = False
    """The user is dragging: a visually good answer now beats the exact one later."""
    start: tuple[Embedding | PreviousSolution, ...] = field(default=(), compare=False, repr=False)
    """Former answers, the latest last: the solver starts from a prediction by them."""

    @property
    def method(self) -> str:
        """The method's id."""
        return self.plan.method.id

    @property
    def views(self) -> tuple[str, ...]:
        """The views offered to the method."""
        return self.plan.offered

    @property
    def epsilon(self) -> tuple[Bandwidth, ...]:
        """One bandwidth for each of the views."""
        return self.plan.epsilon

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """One kernel for each of the views."""
        return self.plan.kernels

    @property
    def params(self) -> tuple[tuple[str, Value], ...]:
        """All of the method's parameters."""
        return tuple(self.plan.params.items())

    @property
    def subsample(self) -> int | None:
        """Number of samples the method is solved on; None for all."""
        return self.plan.subsample

    @property
    def varies_with_epsilon(self) -> bool:
        """Whether the answer depends on an ε."""
        return any(bandwidth != NO_EFFECT for bandwidth in self.plan.epsilon[: self.plan.n_used])

    def scaled(self, factor: float) -> Request:
        """The same question at so many times every ε."""
        epsilon = tuple(
            bandwidth if bandwidth == NO_EFFECT else replace(bandwidth, factor=factor * bandwidth.factor)
            for bandwidth in self.plan.epsilon
        )
        params = scaled_params(self.plan.params, factor)
        return replace(self, plan=replace(self.plan, epsilon=epsilon, params=params))

    def with_param(self, name: str, value: Value) -> Request:
        """The same question at another value of a parameter."""
        return replace(self, plan=replace(self.plan, params={**self.plan.params, name: value}))

    def on(self, data: MultiView) -> Request:
        """The same question about other samples with these views; MVExplorerError where they are too few for it."""
        own = self.plan
        again = plan(own.method, data, own.offered, own.kernels, own.epsilon, own.params, own.subsample)
        return replace(self, data=data, plan=again)
