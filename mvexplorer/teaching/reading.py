"""Reads a lesson from its file, and refuses what is not one in a sentence that says where and what is allowed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from mvexplorer.engine.bandwidth.table import parse_bandwidth
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.errors import DataError, MVExplorerError
from mvexplorer.state.document.model import declared_param, default_params
from mvexplorer.teaching.lesson import (
    BARS,
    KINDS,
    MOST_WORDS,
    PANEL_AT,
    PLACES,
    Check,
    Kind,
    Lesson,
    LessonAct,
    LessonStep,
    Stage,
    WrongAct,
)
from mvexplorer.wording import counted

MARGIN = "+++"
"""Stands before and after a lesson's own facts, which are TOML."""
FRONT = ("id", "title", "minutes", "idea", "sample")
BLOCK: Mapping[Kind, tuple[str, ...]] = {
    "What you see": ("set", "point", "claims"),
    "Predict": ("set", "point", "claims"),
    "Do": ("set", "point", "ask", "check", "solution", "wrong", "claims"),
    "Why": ("set", "point", "claims"),
}
"""The fields that may stand in the block of each kind of step."""
POINTS = (
    "epsilon_scale",
    "epsilon",
    "view",
    "view_weights",
    "colour",
    "method",
    "permutation",
    "regime",
    "agreement",
)
"""Controls and readings that a learner can be pointed to, beside parameters; ``epsilon:VIEW`` is that of a view."""
REGIMES = ("isolated", "flat", "wide", "local")
WEIGHTS = ("equal", "equal-volume")
PANEL_BARS = ("largest_gap", "order", "r2", "nmi", "pieces", "p", "neighbours_kept")


class LessonError(DataError):
    """A file is no lesson."""


def read_lesson(path: Path) -> Lesson:
    """Read one lesson; LessonError names the file, the step, the field, and what is allowed there."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise LessonError(f"The lesson {path.name} cannot be read.", "Install mvexplorer again.") from None
    return _Reader(path.name).lesson(text)


class _Reader:
    """Reads one file; knows where it is, for errors."""

    def __init__(self, file: str) -> None:
        self._file, self._where = file, "the facts at the top"

    def _refuse(self, field: str, fault: str, allowed: str) -> NoReturn:
        place = f"{self._file}, {self._where}{f', {field}' if field else ''}"
        raise LessonError(f"{place}: {fault}.", f"Allowed: {allowed}.")

    # The whole ----------------------------------------------------------------------------------------------

    def lesson(self, text: str) -> Lesson:
        parts = re.split(rf"^{re.escape(MARGIN)}$", text, maxsplit=2, flags=re.MULTILINE)
        if len(parts) != 3 or parts[0].strip():
            self._refuse("", "there are none", f"{MARGIN}, lines of TOML, {MARGIN}, then steps")
        facts = self._toml(parts[1])
        self._only(facts, FRONT, "")
        for name in FRONT:
            if name not in facts:
                self._refuse(name, "it is missing", "a value")
        minutes = facts["minutes"]
        if not isinstance(minutes, int) or isinstance(minutes, bool) or not 1 <= minutes <= 30:
            self._refuse("minutes", f"{minutes!r} is no number of minutes", "a whole number from 1 to 30")
        steps = self._steps(parts[2])
        sample = self._texts(facts["sample"], "sample")
        words = {name: self._text(facts[name], name) for name in ("id", "title", "idea")}
        return Lesson(minutes=minutes, sample=sample, steps=steps, **words)

    def _steps(self, text: str) -> tuple[LessonStep, ...]:
        before, *each = re.split(r"^## ", text, flags=re.MULTILINE)
        if before.strip():
            self._refuse("", "words stand before the first step", "steps, each under a line ## and its kind")
        steps = []
        for number, part in enumerate(each, 1):
            heading, _, body = part.partition("\n")
            self._where = f"step {number}"
            kind = next((kind for kind in KINDS if kind == heading.strip()), None)
            if kind is None:
                self._refuse("heading", f"“{heading.strip()}” is no kind of step", ", ".join(KINDS))
            steps.append(self._step(kind, body))
        self._in_order([step.kind for step in steps])
        return tuple(steps)

    def _in_order(self, kinds: Sequence[Kind]) -> None:
        """A prediction comes right before the hand moves, and the reason right after."""
        self._where = "the order of steps"
        if not kinds or kinds[0] != "What you see":
            self._refuse("", "the lesson does not begin with what you see", "What you see as the first step")
        if kinds[-1] != "Why" or "Do" not in kinds:
            self._refuse("", "the lesson has no Do, or does not end with Why", "Predict, Do, Why as the last steps")
        for number, (one, following) in enumerate(pairwise(kinds), 2):
            self._where = f"step {number}"
            if (following == "Do") != (one == "Predict"):
                self._refuse("heading", f"{following} follows {one}", "Do right after each Predict, and nowhere else")
            if one == "Do" and following != "Why":
                self._refuse("heading", f"{following} follows Do", "Why")

    def _step(self, kind: Kind, body: str) -> LessonStep:
        self._where += f" ({kind})"
        prose, *blocks = re.split(r"^```toml\n(.*?)^```$", body, flags=re.MULTILINE | re.DOTALL)
        prose = " ".join(prose.split())
        if len(blocks) > 2 or "".join(blocks[1:]).strip():
            self._refuse("", "more than one block, or words after it", "words, then one block of TOML")
        if "```" in prose:
            self._refuse("", "a block is not closed, or not of TOML", "```toml, lines, ```")
        if not prose or len(prose.split()) > MOST_WORDS:
            self._refuse("words", f"there are {len(prose.split())}", f"1 to {MOST_WORDS}")
        if kind == "Predict" and "?" not in prose:
            self._refuse("words", "nothing is asked", "a question to be answered before the hand moves")
        block = self._toml(blocks[0]) if blocks else {}
        self._only(block, BLOCK[kind], "")
        point = self._point(block["point"]) if "point" in block else ""
        task: dict[str, Any] = self._task(block) if kind == "Do" else {}
        claims = tuple(self._check(claim, "claims") for claim in self._tables(block.get("claims", []), "claims"))
        return LessonStep(kind, prose, self._stage(block.get("set", {})), point, claims=claims, **task)

    def _task(self, block: Mapping[str, Any]) -> dict[str, Any]:
        for name in ("point", "ask", "check", "solution", "wrong"):
            if name not in block:
                self._refuse(name, "it is missing", "a Do has point, ask, check, solution and wrong")
        wrong = self._tables(block["wrong"], "wrong")
        if len(wrong) != 2:
            self._refuse("wrong", f"it has {counted(len(wrong), 'act')}", "two acts, each with do and reason")
        return {
            "ask": self._text(block["ask"], "ask"),
            "check": self._check(block["check"], "check"),
            "solution": self._acts(block["solution"], "solution"),
            "wrong": tuple(self._wrong(each) for each in wrong),
        }

    def _point(self, given: Any) -> str:
        point = self._text(given, "point")
        controls = (*POINTS, *default_params())
        if point.partition(":")[0] not in controls:
            self._refuse("point", f"“{point}” is nothing that can be pointed to", ", ".join(controls))
        return point

    # What stands in a block -----------------------------------------------------------------------------------

    def _stage(self, given: Any) -> Stage:
        fields = self._table(given, "set")
        shared = ("epsilon", "epsilon_scale", "view_weights", "colour", *default_params())
        self._only(fields, ("sample", "methods", "views", "place", *shared), "set")
        source = self._texts(fields["sample"], "set.sample") if "sample" in fields else ()
        panels = self._texts(fields["methods"], "set.methods") if "methods" in fields else ()
        for panel in panels:
            self._panel(panel, "set.methods", placed=False)
        views = self._texts(fields["views"], "set.views") if "views" in fields else ()
        place = fields.get("place")
        if place is not None and place not in PLACES:
            self._refuse("set.place", f"“{place}” is no place", ", ".join(PLACES))
        acts = []
        for name, value in fields.items():
            if isinstance(value, Mapping):
                self._only(value, value if name == "epsilon" else (), f"set.{name}")
                acts += [self._move(f"epsilon:{view}", each, f"set.{name}") for view, each in value.items()]
            elif name in shared:
                acts.append(self._move(name, value, f"set.{name}"))
        return Stage(source, panels, views, tuple(acts), place)

    def _acts(self, given: Any, field: str) -> tuple[LessonAct, ...]:
        acts = tuple(self._act(each, field) for each in self._tables(given, field))
        if not acts:
            self._refuse(field, "nothing is done", "one command or more")
        return acts

    def _act(self, given: Mapping[str, Any], field: str) -> LessonAct:
        verbs = {"set": ("to",), "tick": (), "untick": (), "method": ("of",), "run": ("of", "view", "times")}
        verb = next((verb for verb in verbs if verb in given), None)
        if verb is None:
            self._refuse(field, "a command lacks its verb", ", ".join(verbs))
        self._only(given, (verb, *verbs[verb]), field)
        for name in verbs[verb]:
            if name not in given:
                self._refuse(field, f"“{verb}” lacks “{name}”", f"{verb} with {', '.join(verbs[verb])}")
        name = self._text(given[verb], f"{field}.{verb}")
        if verb == "set":
            return self._move(name, given["to"], f"{field}.set")
        if verb == "method":
            self._panel(name, f"{field}.method", placed=False)
            return LessonAct("method", name, self._panel(given["of"], f"{field}.of"))
        if verb == "run":
            if name != "permutation":
                self._refuse(f"{field}.run", f"“{name}” is no test", "permutation")
            times = given["times"]
            if not isinstance(times, int) or not 1 <= times <= 99:
                self._refuse(f"{field}.times", f"{times!r} is no number of runs", "1 to 99")
            view = self._text(given["view"], f"{field}.view")
            return LessonAct(name, times, self._panel(given["of"], f"{field}.of"), view)
        return LessonAct(f"view:{name}", verb == "tick")

    def _move(self, control: str, value: Any, field: str) -> LessonAct:
        """A control set to a value, which is tried on its declaration."""
        name, _, view = control.partition(":")
        declared = declared_param(name)
        try:
            if name == "epsilon" or (control == "epsilon_scale" and not isinstance(value, str)):
                parse_bandwidth(value)
            elif control == "view_weights":
                if value not in WEIGHTS:
                    self._refuse(field, f"“{value}” are no weights", ", ".join(WEIGHTS))
            elif control == "colour":
                self._text(value, field)
            elif declared is None or view or control not in default_params():
                controls = ("epsilon_scale", "epsilon", "epsilon:VIEW", "view_weights", "colour", *default_params())
                self._refuse(field, f"“{control}” is no control", ", ".join(controls))
            else:
                value = declared.check(value)
        except LessonError:
            raise
        except MVExplorerError as error:
            allowed = error.hint.rstrip(".").removeprefix("Give ")
            self._refuse(field, error.message.rstrip("."), allowed or "another value")
        return LessonAct(control, value)

    def _wrong(self, given: Mapping[str, Any]) -> WrongAct:
        self._only(given, ("do", "reason"), "wrong")
        for name in ("do", "reason"):
            if name not in given:
                self._refuse("wrong", f"“{name}” is missing", "do and reason")
        return WrongAct(self._acts(given["do"], "wrong.do"), self._text(given["reason"], "wrong.reason"))

    def _check(self, given: Any, field: str) -> Check:
        fields = self._table(given, field)
        self._only(fields, ("bar", "of", "view", "at_least", "at_most", "is"), field)
        bar = next((bar for bar in BARS if bar == fields.get("bar")), None)
        if bar is None:
            self._refuse(f"{field}.bar", f"“{fields.get('bar')}” is no bar", ", ".join(BARS))
        of = self._texts(fields.get("of", []), f"{field}.of")
        wanted = 2 if bar == "agreement" else 1
        if len(of) != wanted:
            kind = "the view" if bar == "regime" else counted(wanted, "panel")
            self._refuse(f"{field}.of", f"it names {len(of)}", kind)
        if bar != "regime":
            for panel in of:
                self._panel(panel, f"{field}.of")
        demands = [name for name in ("at_least", "at_most", "is") if name in fields]
        allowed = ("is",) if bar == "regime" else ("at_least", "at_most")
        if len(demands) != 1 or demands[0] not in allowed:
            self._refuse(field, f"{bar} has {' and '.join(demands) or 'no demand'}", f"one of {', '.join(allowed)}")
        value = fields[demands[0]]
        if bar == "regime" and value not in REGIMES:
            self._refuse(f"{field}.is", f"“{value}” is no regime", ", ".join(REGIMES))
        if bar != "regime" and (isinstance(value, bool) or not isinstance(value, int | float)):
            self._refuse(f"{field}.{demands[0]}", f"{value!r} is no number", "a number")
        view = self._text(fields["view"], f"{field}.view") if "view" in fields else ""
        if (bar == "p") != bool(view):
            self._refuse(f"{field}.view", "only p is of a view, and needs one", "the view that is shuffled")
        names = {"at_least": "at_least", "at_most": "at_most", "is": "equals"}
        return Check(bar, of, view, **{names[demands[0]]: value})

    def _panel(self, given: Any, field: str, *, placed: bool = True) -> str:
        text = self._text(given, field)
        if placed and PANEL_AT.fullmatch(text):
            return text
        try:
            get_method(text.partition(":")[0])
        except MVExplorerError:
            each = ", ".join(method.id for method in methods())
            self._refuse(field, f"“{text}” is no method", f"{each}; single:VIEW for one view, panel 2 for a place")
        return text

    # Values ---------------------------------------------------------------------------------------------------

    def _toml(self, text: str) -> dict[str, Any]:
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            self._refuse("", f"the block is no TOML: {error}", "lines name = value")

    def _only(self, given: Mapping[str, Any], allowed: Sequence[str] | Mapping[str, Any], field: str) -> None:
        for name in given:
            if name not in allowed:
                self._refuse(f"{field}.{name}" if field else name, "it is not known", ", ".join(allowed))

    def _table(self, given: Any, field: str) -> dict[str, Any]:
        if not isinstance(given, dict):
            self._refuse(field, f"{given!r} is no table", "{name = value, …}")
        return given

    def _tables(self, given: Any, field: str) -> list[dict[str, Any]]:
        if not isinstance(given, list):
            self._refuse(field, f"{given!r} is no list", "[{…}, {…}]")
        return [self._table(each, field) for each in given]

    def _text(self, given: Any, field: str) -> str:
        if not isinstance(given, str) or not given.strip():
            self._refuse(field, f"{given!r} is no text", "a text that is not empty")
        return given

    def _texts(self, given: Any, field: str) -> tuple[str, ...]:
        return tuple(self._text(each, field) for each in (given if isinstance(given, list) else [given]))
