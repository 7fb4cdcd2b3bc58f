"""Sessions by the type of each field: values that the field's declaration allows, its limits, and what lies beyond."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

from mutations import damage, damage_text
from structures import lie_in_npy, lie_in_zip, rename_in_zip

DATA = Path(__file__).resolve().parents[1] / "data"
_SOURCES: tuple[list[str], ...] = (
    ["data.npy"], ["../data.npy"] * 2, ["x\0y"], [""], ["loop"], ["pipe"], ["/dev/zero"], ["a"] * 3000, [],
)  # fmt: skip
_TEXTS = (
    "", "view1", "view2", "p1", "p6", "labels", "class", "feature:view1:2", "feature:view1:99", "rows", "parts", "5",
    "single", "multiview", "epsilon:view1", "eta", "t", "median/9", "1e999*median", "0/0", "helix-a", "loop", "pipe",
    "x\0y", "../x", "\ud800", "é", "\n", "x" * 100_000, "(" * 3000,
)  # fmt: skip
_WHOLE = (0, 1, 2, -1, 7, 599, 600, 10**6, 2**31, 2**53 + 1, 2**63, 10**400)
_NUMBERS = (0.0, 1.0, 0.5, -1.0, 1e-320, 1e308, float("nan"), float("inf"), float("-inf"))


@cache
def _base() -> str:
    return (DATA / "session-1.mvx.json").read_text("utf-8")


@cache
def _schema() -> dict[str, Any]:
    from mvexplorer.state.session.session_file import SessionFile

    return SessionFile.model_json_schema()


def drawn(rng: Random, kind: dict[str, Any], depth: int = 0) -> Any:
    """A value of a declared type, or now and then of another."""
    if rng.random() < 0.02:
        return rng.choice((None, True, -1, 1e999, "text", [], {}, [[]], {"": None}))
    if "$ref" in kind:
        return drawn(rng, _schema()["$defs"][kind["$ref"].rpartition("/")[2]], depth)
    if "anyOf" in kind or "oneOf" in kind:
        return drawn(rng, rng.choice(kind.get("anyOf") or kind["oneOf"]), depth)
    if "enum" in kind or "const" in kind:
        return rng.choice(kind.get("enum") or [kind["const"]])
    makes: dict[str, Callable[[Random, dict[str, Any], int], Any]] = {"object": _object, "array": _list}
    made = makes.get(kind.get("type", ""))
    return _plain(rng, kind) if made is None else made(rng, kind, depth + 1)


def _plain(rng: Random, kind: dict[str, Any]) -> Any:
    limits = [kind[name] for name in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if name in kind]
    beyond = [limit + step for limit in limits for step in (-1, 0, 1)]
    values = {"integer": _WHOLE, "number": _NUMBERS, "boolean": (True, False), "null": (None,)}
    return rng.choice((*beyond, *values.get(kind.get("type", ""), _TEXTS)))


def _object(rng: Random, kind: dict[str, Any], depth: int) -> dict[str, Any]:
    known = kind.get("properties", {})
    needed = [name for name in kind.get("required", ()) if rng.random() < 0.97]
    made = {name: drawn(rng, known[name], depth) for name in known if name in needed or rng.random() < 0.3}
    if isinstance(others := kind.get("additionalProperties"), dict):
        made |= {rng.choice(_TEXTS[:23]): drawn(rng, others, depth) for _ in range(rng.randrange(3))}
    return made


def _list(rng: Random, kind: dict[str, Any], depth: int) -> list[Any]:
    if "prefixItems" in kind:
        return [drawn(rng, each, depth) for each in kind["prefixItems"]]
    count = rng.choice((0, 1, 1, 2, 3, 6)) if depth > 1 or rng.random() < 0.95 else 2000
    return [drawn(rng, kind.get("items", {}), depth) for _ in range(count)]


def _retyped(rng: Random, content: dict[str, Any]) -> dict[str, Any]:
    """A session of which some fields, or those of one of its views and panels, were drawn anew."""
    schema = _schema()
    defs = schema["$defs"]
    places = [(content, schema), (content["state"], defs["DocumentState"]), (content["state"], defs["DocumentState"])]
    places += [(view, defs["ViewState"]) for view in content["state"]["views"]]
    places += [(panel, defs["PanelState"]) for panel in content["state"]["panels"]]
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        place, kind = rng.choice(places)
        name = rng.choice(list(kind["properties"]))
        place[name] = drawn(rng, kind["properties"][name])
    return content


def session(rng: Random) -> bytes:
    """A session, of a sample or of files that are there or not."""
    content: dict[str, Any] = json.loads(_base())
    kind = rng.random()
    if kind < 0.6:
        return json.dumps(_retyped(rng, content)).encode("utf-8", "surrogatepass")
    if kind < 0.8:
        content["state"]["source"] = rng.choice(_SOURCES)
    return damage_text(rng, json.dumps(content, indent=1))


def session_with_data(rng: Random) -> bytes:
    """A session with its data, of which one member is another, or the directory, or the file as a whole."""
    whole = (DATA / "session-2.mvx").read_bytes()
    kind = rng.random()
    if kind < 0.4:
        return rng.choice((damage, lie_in_zip, rename_in_zip))(rng, whole)
    stream = BytesIO()
    with zipfile.ZipFile(BytesIO(whole)) as old, zipfile.ZipFile(stream, "w") as new:
        names = old.namelist()
        hit, other = rng.choice(names), rng.choice(names)
        for name in names:
            content = old.read(name)
            if name == hit:
                content = old.read(other) if rng.random() < 0.2 else _other(rng, name, content)
            new.writestr(name, content)
    return stream.getvalue()


def _other(rng: Random, name: str, content: bytes) -> bytes:
    """Another member in the place of one."""
    if name.endswith(".npy"):
        return rng.choice((damage, lie_in_npy))(rng, content)
    if rng.random() < 0.4 and b'"state"' in content:
        found = json.loads(content)
        return json.dumps(_retyped(rng, found) if "views" in found["state"] else found).encode("utf-8", "surrogatepass")
    return damage_text(rng, content.decode())
