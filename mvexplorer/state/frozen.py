"""The base of all state: frozen values whose invalid changes raise the program's own errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from mvexplorer.errors import MVExplorerError


@contextmanager
def own_errors() -> Iterator[None]:
    """Raise the program's errors unchanged: as they are `ValueError`s, pydantic puts them into its report."""
    try:
        yield
    except ValidationError as report:
        for fault in report.errors():
            own = fault.get("ctx", {}).get("error")
            if isinstance(own, MVExplorerError):
                raise own from None
        raise


class Frozen(BaseModel):
    """Base of all state: immutable, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    former_names: ClassVar[Mapping[str, str]] = {}
    """Names that fields had in older sessions -> their names now."""

    def __init__(self, **values: Any) -> None:
        with own_errors():
            super().__init__(**values)

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # nested models are made without it

    @model_validator(mode="before")
    @classmethod
    def _with_names_of_now(cls, values: Any) -> Any:
        if not isinstance(values, dict) or cls.former_names.keys().isdisjoint(values):
            return values
        return {cls.former_names.get(name, name): value for name, value in values.items()}


M = TypeVar("M", bound=Frozen)


def updated(model: M, changes: Mapping[str, Any]) -> M:
    """A validated copy with some fields changed."""
    with own_errors():
        return type(model).model_validate({**dict(model), **changes})
