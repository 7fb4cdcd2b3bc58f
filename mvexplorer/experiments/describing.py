"""How an experiment was made, in names and values: its data, bandwidth and maps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from mvexplorer.engine.methods import get_method
from mvexplorer.experiments.experiment import GROUPS, MARKS, Experiment, Kind, ShownPanel, Source


def title_of(method: str) -> str:
    """A method as figures name it."""
    return get_method(method).title


def where_words(experiment: Experiment) -> str:
    """The origin of an experiment, and its mark: “Multi-view diffusion maps, figure 2 · identity”."""
    mark = "" if experiment.paper is None else MARKS[experiment.kind]
    return " · ".join(filter(None, (f"{GROUPS[experiment.group]}, {experiment.figure}", mark)))


def counts_words(rows: Iterable[tuple[Kind, str]]) -> str:
    """The number of each verdict, kind by kind: “The papers’ claims: 2 reproduce, 1 in part. Identities: …”.

    What the papers do not claim is counted apart: it says nothing of whether they reproduce.
    """
    counts = Counter(rows)
    sentences = []
    plurals = {"reproduces": "reproduce", "in part": "in part", "does not": "do not", "not computed": "not computed"}
    kinds: dict[Kind, str] = {"claim": "The papers’ claims", "ours": "Our own", "identity": "Identities"}
    for kind, title in kinds.items():
        numbers = ((counts[kind, verdict], verdict, several) for verdict, several in plurals.items())
        each = [f"{n} {several if n > 1 else verdict}" for n, verdict, several in numbers if n]
        sentences += [f"{title}: {', '.join(each)}."] if each else []
    return " ".join(sentences)


def parameters(experiment: Experiment) -> tuple[tuple[str, str], ...]:
    """The settings that decide an experiment's pictures in the window, as names and values."""
    panels = list(dict.fromkeys(_map(shown) for shown in experiment.panels))
    return (
        ("Data", _data(experiment.source)),
        ("Bandwidth ε", f"{experiment.epsilon:g}" if isinstance(experiment.epsilon, float) else experiment.epsilon),
        ("Maps", "; ".join(panels)),
    )


def sizes(forms: Mapping[str, tuple[Any, Any]], *, full: bool) -> tuple[tuple[str, str], ...]:
    """The sizes of a run, as names and values; in the quick form beside the sizes in full."""
    rows = []
    for what, (quick, whole) in forms.items():
        now = _size(whole if full else quick)
        more = "" if full or quick == whole else f" (in full {_size(whole)})"
        rows.append((what[:1].upper() + what[1:], now + more))
    return tuple(rows)


def _size(value: Any) -> str:
    """A number, or the values of a list as far as there are few."""
    if not isinstance(value, list | tuple):
        return f"{value:,}"
    few = [f"{each:g}" for each in value]
    return ", ".join(few) if len(few) <= 8 else f"{few[0]} to {few[-1]}, {len(few)} values"


def _data(source: Source) -> str:
    if source.sample is not None:
        return f"sample {source.sample}"
    return f"{source.generator}({_in_a_row(source.keywords)})"


def _map(shown: ShownPanel) -> str:
    title, pins = title_of(shown.method), _in_a_row(shown.pins)
    return " ".join([title, *([f"of {shown.view}"] if shown.view else []), *([f"({pins})"] if pins else [])])


def _in_a_row(values: Mapping[str, object]) -> str:
    return ", ".join(
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value!r}" for name, value in values.items()
    )
