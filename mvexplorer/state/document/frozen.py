"""The base of all state: frozen values whose invalid changes raise the program's own errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from mvexplorer.engine.core.params import is_bool
from mvexplorer.errors import MVExplorerError, ParameterError


@contextmanager
def own_errors() -> Iterator[None]:
    """Raise the program's errors themselves: as they are ValueErrors, pydantic puts them into its report."""
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
    def _no_number_is_a_bool(cls, values: Any) -> Any:
        """Refuse true where a number belongs: pydantic would take it for 1."""
        for name in _numeric(cls) if isinstance(values, dict) else ():
            if is_bool(values.get(name)):
                raise ParameterError(f"{name.replace('_', ' ')} is {values[name]}, not a number.", "Give a number.")
        return values

    @model_validator(mode="before")
    @classmethod
    def _with_names_of_now(cls, values: Any) -> Any:
        if not isinstance(values, dict) or cls.former_names.keys().isdisjoint(values):
            return values
        return {cls.former_names.get(name, name): value for name, value in values.items()}


@cache
def _numeric(model: type[Frozen]) -> tuple[str, ...]:
    """The fields that hold a number, and no truth value."""
    kinds = {name: _kinds(field.annotation) for name, field in model.model_fields.items()}
    return tuple(name for name, each in kinds.items() if each & {int, float} and bool not in each)


def _kinds(annotation: Any) -> set[Any]:
    """The types that a value of this annotation may have itself, not those of its items."""
    if get_origin(annotation) is Annotated:
        return _kinds(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return set().union(*map(_kinds, get_args(annotation)))
    return {annotation}


M = TypeVar("M", bound=Frozen)


def updated(model: M, changes: Mapping[str, Any]) -> M:
    """A validated copy with some fields changed."""
    with own_errors():
        return type(model).model_validate({**dict(model), **changes})
