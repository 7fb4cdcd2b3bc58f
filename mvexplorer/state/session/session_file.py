"""The content of a session file and its reading: versioned JSON, of this program's version, an older or a newer one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_core import from_json, to_json

from mvexplorer.engine.core.notices import Notice
from mvexplorer.errors import MVExplorerError, SessionError
from mvexplorer.io.base.guards import read_document
from mvexplorer.io.base.path_text import path_from_json
from mvexplorer.io.writing.package import is_package
from mvexplorer.state.document.frozen import Frozen, own_errors
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.snapshots import Rotation
from mvexplorer.state.document.titles import data_title
from mvexplorer.state.pictures.panel_result import Turn
from mvexplorer.state.session.places import Place
from mvexplorer.wording import counted, listed, one_line

FORMAT = 1
MINOR = 6
"""1: `places`. 2: `digests`. 3: `whole_classes`, `turns`, `experiment`. 4: `own_work`. 5: `kept_scales`, what was
dropped and imputed, `snapshots`. 6: `notes`, `class_names`."""
NEWER = "newer"
"""Code of a notice that a newer program saved more than this one knows."""
SUFFIX = ".mvx.json"


class SessionFile(Frozen):
    """The content of a session file."""

    format: Literal[1] = 1
    minor: int = 0
    """Grows with every field that is added; a program that knows fewer fields leaves the others out, and tells so."""
    program: str
    fingerprint: str
    """Of the data when it was saved: shows whether it has changed since."""
    digests: dict[str, str] = Field(default_factory=dict)
    """Of what else the data had: sample ids, images, columns and such. None in older sessions."""
    n_samples: int
    class_order: Literal["text", "natural"] = "text"
    """How classes are ordered, which decides their colours: the first programs took “10” before “2”."""
    places: tuple[Place, ...] = ()
    """Where the files were that the state names."""
    state: DocumentState
    cameras: dict[str, Rotation] = Field(default_factory=dict)
    """Panel id -> rotation of its 3-D camera."""
    turns: dict[str, Turn] = Field(default_factory=dict)
    """Panel id -> how its picture is rotated or reflected from its own axes, where it was laid onto a former one."""
    own_work: bool = False
    """Whether it was kept by itself and holds edits that are in no file of the user's: these outlive other work."""

    @field_validator("turns")
    @classmethod
    def _are_rotations(cls, turns: dict[str, Turn]) -> dict[str, Turn]:
        for rows in turns.values():
            if len(rows) not in (2, 3) or any(len(row) != len(rows) for row in rows) or not _is_orthogonal(rows):
                raise ValueError("a picture's turn is no rotation")
        return turns


def _is_orthogonal(rows: Turn) -> bool:
    """Whether the rows are orthonormal."""
    pairs = ((sum(a * b for a, b in zip(x, y, strict=True)), x is y) for x in rows for y in rows)
    return all(abs(product - same) < 1e-6 for product, same in pairs)


def parse_session(text: bytes, name: str) -> tuple[SessionFile, tuple[Notice, ...]]:
    """Read the session called `name`; the notices name fields left out because this program does not know them."""
    content, lost = _checked_format(text, name), list[str]()
    minor = content.get("minor", 0)
    newer = isinstance(minor, int) and minor > MINOR
    while True:
        try:
            with own_errors():
                session = SessionFile.model_validate_json(to_json(content) if lost else text)
            break
        except ValidationError as error:
            faults = error.errors(include_url=False)
            where = [".".join(str(part) for part in fault["loc"]) for fault in faults]
            if newer and all(_drop(content, fault) for fault in faults):
                lost += where
                continue
            raise SessionError(
                f"The session {name} is broken at {where[0]}: {faults[0]['msg']}.",
                "Correct the file, or start again from the data.",
            ) from None
        except MVExplorerError as error:  # a method or a rule that this version does not know
            raise SessionError(f"The session {name} cannot be opened: {error.message}", error.hint) from None
    return session, _told_lost(name, session, lost) if lost else ()


def _told_lost(name: str, saved: SessionFile, lost: list[str]) -> tuple[Notice, ...]:
    left_out = ", ".join(lost[:3]) + (f" and {len(lost) - 3:,} more" if len(lost) > 3 else "")
    message = f"{name} was saved by a newer mvexplorer ({saved.program}), and this one left out what it does not know: "
    return (Notice(NEWER, f"{message}{left_out}."),)


def _drop(content: Any, fault: Any) -> bool:
    """Take a field away that this program does not know; False where something else is wrong."""
    if fault["type"] not in ("extra_forbidden", "unexpected_keyword_argument"):
        return False
    *above, last = fault["loc"]
    try:
        for part in above:
            content = content[part]
        del content[last]
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _checked_format(text: bytes, name: str) -> dict[str, Any]:
    """The JSON of a file that is a session of our format, whatever its fields hold."""
    strange = SessionError(f"{name} is not a session file.", f"Choose a file that ends in {SUFFIX}.")
    try:
        content = from_json(text.decode("utf-8"))
    except UnicodeDecodeError:
        raise strange from None
    except ValueError:
        raise SessionError(
            f"The session {name} is broken: it is not complete JSON.",
            "Open a backup, or start again from the data.",
        ) from None
    if not isinstance(content, dict) or "format" not in content:
        raise strange
    version = content["format"]
    if version != FORMAT:
        newer = isinstance(version, int) and version > FORMAT
        raise SessionError(
            f"The session {name} has format {version}, this program reads format {FORMAT}.",
            "Update mvexplorer, or open it with the version that saved it."
            if newer
            else "Open it with the version of mvexplorer that saved it.",
        )
    return content


def is_session(path: str) -> bool:
    """Whether a path names a session file rather than data."""
    return path.endswith(SUFFIX) or is_package(path)


@dataclass(frozen=True)
class SessionSummary:
    """The subject of a session, read from its file without a check of the rest."""

    title: str
    """Of its data."""
    source: tuple[str, ...]
    panels: int
    selections: tuple[str, ...]
    """The names of those that have one."""
    own_work: bool
    data: str
    """The same for all sessions on the same data: the same files or sample, read alike, or the same part of them."""

    @property
    def line(self) -> str:
        """All of it on one line."""
        few = 3
        shown = list(self.selections[:few])
        shown += [f"{len(self.selections) - few:,} more"] if len(self.selections) > few else []
        named = (f"selection{'s' if len(self.selections) > 1 else ''} {listed(shown)}",) if shown else ()
        return ", ".join((self.title, counted(self.panels, "panel"), *named))


def session_summary(path: Path) -> SessionSummary | None:
    """Summarise a session; None where there is none to continue."""
    try:
        content = _glance(path)
        state = content["state"]
        stored = [path_from_json(name) for name in state["source"]]
        source = tuple(str(path.parent.resolve() / name) if name.startswith("./") else name for name in stored)
        names = tuple(one_line(str(each["name"])) for each in state.get("selections", {}).get("named", ()))
        part = one_line(str(state.get("part_of", "")))
        reading = {option: value for option, value in state.get("reading", {}).items() if value}
        data = to_json([state["source"], reading, part, state.get("sonogram")]).decode()
        own = content.get("own_work") is True
        return SessionSummary(part or data_title(source), source, len(state["panels"]), names, own, data)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def holds_own_work(path: Path) -> bool:
    """Whether a kept session has edits that are in no file of the user's."""
    try:
        return _glance(path).get("own_work") is True
    except (OSError, ValueError, AttributeError):
        return False


def _glance(path: Path) -> dict[str, Any]:
    """A session's content, unchecked. Unlike the json module, this raises ValueError where it is nested too deep."""
    content: dict[str, Any] = from_json(read_document(path))
    return content
