"""The page of a run of experiments: thumbnails, verdicts, every number against its bar, and what cannot be shown.

The page is in `resources/web`; what it says is written into it here, every word escaped. Its pictures lie beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from mvexplorer.experiments.describing import counts_words, parameters, sizes, where_words
from mvexplorer.experiments.experiment import GROUPS, PAPERS
from mvexplorer.experiments.results_folder import PICTURES
from mvexplorer.experiments.running import Failed, FinishedExperiment
from mvexplorer.experiments.table import MISSING
from mvexplorer.figures import Figure
from mvexplorer.ui.export.web_template import filled, script_of, source_hash, style_of, template
from mvexplorer.version import __version__
from mvexplorer.wording import counted, number

if TYPE_CHECKING:
    from mvexplorer.experiments.experiment import Bar, Experiment, Missing

VERDICTS = {"reproduces": "✓", "in part": "◐", "does not": "✗", "not computed": "–"}
"""Each verdict with its sign."""


def gallery_html(
    done: Sequence[FinishedExperiment | Failed], chosen: Sequence[Experiment], *, full: bool, pictures: bool = True
) -> str:
    """Write the whole page: what is `done`, the first of the `chosen` experiments, and what of them is not.

    Without `pictures` it says that there are none.
    """
    shown = [*done, *(Failed(experiment, "The run had not come to it.") for experiment in chosen[len(done) :])]
    verdicts = set(map(verdict_of, shown))
    style, script = style_of("gallery.css"), script_of("gallery.js")
    parts = {
        "program": f"mvexplorer {escape(__version__)}",
        "form": _form(full, pictures),
        "summary": _summary(shown),
        "papers": _buttons("paper", [("", "All"), *GROUPS.items()]),
        "verdicts": _buttons("verdict", [("", "All"), *((v, f"{VERDICTS[v]} {v}") for v in VERDICTS if v in verdicts)]),
        "tiles": "\n".join(_tile(one, pictures) for one in shown),
        "articles": "\n".join(_article(one, pictures) for one in shown),
        "missing": "\n".join(_missing(each, {e.id for e in chosen}) for each in MISSING),
        "style": style,
        "style_hash": source_hash(style),
        "script": script,
        "script_hash": source_hash(script),
    }
    return filled(template("gallery.html"), parts)


def verdict_of(one: FinishedExperiment | Failed) -> str:
    """The verdict, or that there is none."""
    return one.outcome.verdict if isinstance(one, FinishedExperiment) else "not computed"


def _form(full: bool, pictures: bool) -> str:
    quick = "Quick form: smaller data and fewer repetitions than the papers’."
    words = "Full form: the papers’ sizes, and their numbers of repetitions where these do not take hours."
    without = "" if pictures else " The pictures are left out: Qt, which paints them, is not installed."
    return f"{words if full else quick}{without}"


def _summary(shown: Sequence[FinishedExperiment | Failed]) -> str:
    counts = counts_words((one.experiment.kind, verdict_of(one)) for one in shown)
    return f"{counted(len(shown), 'figure')} and tables. {counts}" if len(shown) > 1 else counts


def _buttons(name: str, choices: Sequence[tuple[str, str]]) -> str:
    return "".join(
        f'<button type="button" data-by="{name}" data-value="{escape(value)}" aria-pressed="{str(not value).lower()}">'
        f"{escape(words)}</button>"
        for value, words in choices
    )


def _chip(verdict: str) -> str:
    kind = verdict.replace(" ", "-")
    return f'<span class="verdict {kind}"><span aria-hidden="true">{VERDICTS[verdict]}</span> {verdict}</span>'


def _data(one: FinishedExperiment | Failed) -> str:
    """The attributes by which the page's filter finds it."""
    return f'data-paper="{one.experiment.group}" data-verdict="{verdict_of(one)}"'


def _image(id: str, place: int, figure: Figure) -> str:
    name = f"{PICTURES}/{escape(id)}-{place}"
    return (
        f'<picture><source srcset="{name}-dark.png" media="(prefers-color-scheme: dark)">'
        f'<img src="{name}.png" width="640" height="480" loading="lazy" alt="{escape(figure.title)}"></picture>'
    )


def _images(one: FinishedExperiment | Failed, pictured: bool) -> list[str]:
    figures = one.outcome.figures if pictured and isinstance(one, FinishedExperiment) else ()
    return [_image(one.experiment.id, place, figure) for place, figure in enumerate(figures, 1)]


def _tile(one: FinishedExperiment | Failed, pictured: bool) -> str:
    """Show an experiment in the overview: its first picture, its name, its verdict."""
    e, pictures = one.experiment, _images(one, pictured)
    nothing = '<span class="none"></span>'
    return (
        f'<a class="tile" href="#{escape(e.id)}" {_data(one)}>{pictures[0] if pictures else nothing}'
        f'<span class="muted">{escape(_where(e))}</span><strong>{escape(e.title)}</strong>{_chip(verdict_of(one))}</a>'
    )


def _where(experiment: Experiment) -> str:
    return where_words(experiment).replace(experiment.figure, experiment.figure.replace(" ", "\N{NO-BREAK SPACE}", 1))


def _article(one: FinishedExperiment | Failed, pictured: bool) -> str:
    """Show an experiment in full."""
    e = one.experiment
    pictures = "".join(
        f'<a href="{PICTURES}/{escape(e.id)}-{place}.png">{image}</a>'
        for place, image in enumerate(_images(one, pictured), 1)
    )
    outcome = _bars(one.outcome.bars) if isinstance(one, FinishedExperiment) else f"<p>{escape(one.problem)}</p>"
    return (
        f'<article id="{escape(e.id)}" {_data(one)}><header><h2>{escape(e.title)}</h2>{_chip(verdict_of(one))}'
        f'<p class="muted">{escape(_where(e))} · <code>{escape(e.id)}</code></p></header>'
        f'<div class="pictures">{pictures}</div><div class="words"><div>{_words(one)}</div>'
        f"<div>{outcome}{_how(one)}</div></div></article>"
    )


def _words(one: FinishedExperiment | Failed) -> str:
    """Write what was done, what to see, and why it fails, the last only where it does."""
    e = one.experiment
    texts = {"": e.caption, "Look for": e.look_for, "Why": e.why, "Try": e.knob, "Stands for": e.stands_for}
    if verdict_of(one) in ("reproduces", "not computed"):
        del texts["Why"]
    return "".join(
        f"<p>{f'<b>{title}</b> ' if title else ''}{escape(_capital(text))}</p>" for title, text in texts.items() if text
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _bars(bars: Sequence[Bar]) -> str:
    """Write every number beside its bar."""
    rows = "".join(
        f"<tr><td>{escape(_capital(bar.what))}</td><td>{number(bar.value)}</td><td>{escape(bar.asked)}</td>"
        f'<td class="{"held" if bar.holds else "missed"}">{"✓ reached" if bar.holds else "✗ missed"}</td>'
        f"<td>{_null(bar)}</td></tr>"
        for bar in bars
    )
    chance = "<th>By chance</th>" if any(bar.null for bar in bars) else "<th></th>"
    return (
        f"<table><thead><tr><th>Measured</th><th>Value</th><th>Asked</th><th></th>{chance}</tr></thead>{rows}</table>"
    )


def _null(bar: Bar) -> str:
    return "" if bar.null is None else f"{number(bar.null[0])} to {number(bar.null[1])}"


def _how(one: FinishedExperiment | Failed) -> str:
    entries = list(parameters(one.experiment))
    if isinstance(one, FinishedExperiment):
        entries += [*sizes(one.sizes, full=one.full), ("Seconds", f"{one.seconds:.1f}")]
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in entries)
    return f"<dl>{rows}</dl>"


def _missing(each: Missing, there: set[str]) -> str:
    """Tell why a figure has no experiment, and what stands for it."""
    instead = "" if each.instead is None else escape(each.instead)
    if each.instead in there:
        instead = f'<a href="#{instead}">{instead}</a>'
    return (
        f'<tr data-paper="{each.paper}"><td>{escape(PAPERS[each.paper])}</td><td>{escape(each.figure)}</td>'
        f"<td>{escape(each.reason)}</td><td>{instead}</td></tr>"
    )
