"""Commands that paint, offscreen: comparisons, screenshots, and sessions without a window."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mvexplorer.cli.computing import computing_task
from mvexplorer.cli.inputs import (
    check_folder,
    check_picture,
    check_session,
    kernels_by_recipe,
    opening_epsilon,
    settings_of,
)
from mvexplorer.cli.loading import load_named, say_notes
from mvexplorer.cli.offscreen import qt_offscreen
from mvexplorer.cli.output import note, note_formulas, print_json, print_table, progress_line, say, tell
from mvexplorer.cli.reading import reading
from mvexplorer.compute.batch.tuning import Judge
from mvexplorer.engine.analysis.agreement import Agreement
from mvexplorer.engine.api.plan import check_applicable
from mvexplorer.engine.api.recipes import with_recipe
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.kernels.affinities import GAUSSIAN
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.errors import ComputeError, ParameterError
from mvexplorer.state.batches.tuning import BY_DEFAULT, judge_of
from mvexplorer.state.bench.headless import ComputedPanels, each_at_its_own, run_session
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.export.figure_target import TARGETS
from mvexplorer.state.session.portable import pictures_of
from mvexplorer.state.session.session import save_session
from mvexplorer.ui.runtime.interrupt import interrupts_wait
from mvexplorer.version import __version__
from mvexplorer.wording import finite_or_none, one_line


def compare_command(options: argparse.Namespace) -> None:
    """All methods side by side in one picture or web page, with a table of scores."""
    check_picture(options.out, (".png", ".svg", ".pdf", ".html"))
    if options.save is not None:
        check_session(options.save)
    if options.score is not None and not options.own_epsilon:
        raise ParameterError("--score is of --own-epsilon.", "Leave it out, or add --own-epsilon.")
    if options.no_ids and Path(options.out).suffix.lower() != ".html":
        raise ParameterError("--no-ids is of web pages.", "Leave it out, or end the file's name in .html.")
    _check_figure(options)
    if options.live and Path(options.out).suffix.lower() != ".html":
        raise ParameterError("--live is of web pages.", "End the name after --out in .html, or leave --live out.")
    loaded = load_named(options)

    wanted = options.methods.split(",") if options.methods else None
    for id in wanted or ():
        _check_views(get_method(id), loaded.data)
    judge = judge_of(DocumentState(), loaded.data, options.score or BY_DEFAULT) if options.own_epsilon else None
    qt_offscreen()
    with interrupts_wait():
        from mvexplorer.ui.compare import FigureAsked, compare

    settings = _settings_of(options, loaded.data)
    finished = compare(
        loaded,
        wanted,
        settings,
        options.random_state,
        options.out,
        options.theme,
        default_epsilon=opening_epsilon(loaded, options.recipe),
        own=None if judge is None else lambda shared: _at_own_epsilon(shared, judge),
        with_ids=not options.no_ids,
        figure=None
        if options.figure is None
        else FigureAsked(options.figure, options.type_size, options.letters, _panels(options)),
        live=computing_task() if options.live else None,
    )
    say_notes(loaded)
    _give(finished, options)


def _check_figure(options: argparse.Namespace) -> None:
    """Refuse what is of figures without one, and a figure that could not be, before anything is read."""
    given = {"--letters": options.letters, "--panels": options.panels, "--type-size": options.type_size}
    if options.figure is None:
        if lone := [flag for flag, value in given.items() if value not in (None, False)]:
            raise ParameterError(f"{lone[0]} needs --figure.", f"Add --figure {', '.join(TARGETS)}, or leave it out.")
        return
    if options.out.lower().endswith(".html"):
        raise ParameterError("A figure is no web page.", "Leave --figure out, or end --out in .png, .svg or .pdf.")
    if options.theme != "light":
        raise ParameterError("A figure is printed on white.", f"Leave --figure or --theme {options.theme} out.")
    TARGETS[options.figure].checked_type(options.type_size)


def _panels(options: argparse.Namespace) -> tuple[str, ...] | None:
    """The ids of the panels that a figure is to show; None for all."""
    return None if options.panels is None else tuple(id.strip() for id in options.panels.split(",") if id.strip())


def _settings_of(options: argparse.Namespace, data: MultiView) -> Callable[[str], dict[str, Any]]:
    """Each method's settings: those given, and those in which a recipe departs from the method's defaults."""
    every_view = "kernel-sum"
    kernels_by_recipe(options.recipe, settings_of(options.settings, every_view), data)

    def of(method: str) -> dict[str, Any]:
        given, declared = settings_of(options.settings, method), get_method(method)
        settings, _ = with_recipe(options.recipe, declared, data, given)
        usual = {param.name: param.default for param in declared.params}
        return {n: v for n, v in settings.items() if n in given or n not in usual or v != usual[n]}

    return of


def _at_own_epsilon(finished: ComputedPanels, judge: Judge) -> ComputedPanels:
    """Give each panel its own ε, and say how that was chosen."""
    with progress_line() as bar:
        own = each_at_its_own(finished, judge, computing_task(bar=bar))
    note(f"Each panel at its own ε, {judge.basis}.")
    said = {**{id: one.sentence for id, one in own.own.items()}, **own.problems_of_own}
    for panel in finished.state.panels:
        if panel.id in said:
            note(f"{panel_title(finished.state, panel)}: {said[panel.id]}")
    return own


def _give(finished: ComputedPanels, options: argparse.Namespace) -> None:
    """Keep the comparison as a session, print its table or facts, and say what failed."""
    if options.save is not None:
        pictures = pictures_of(finished.results)
        save_session(options.save, finished.state, finished.data, __version__, pictures=pictures)
    compared = finished.agreement() if options.agreement else None
    if options.json:
        print_json({"panels": finished.as_json, "agreement": None if compared is None else _as_json(compared)})
    else:
        print_table(finished.comparison)
        if compared is not None:
            say(f"\nDisagreement about the {compared.k} nearest neighbours (by chance {compared.by_chance:.2f})")
            print_table(_as_table(compared))
    if problems := finished.problems:
        raise ComputeError(f"No result for {', '.join(problems)}: {next(iter(problems.values()))}")


def _as_json(compared: Agreement) -> dict[str, Any]:
    return {"panels": list(compared.names), "matrix": [finite_or_none(row) for row in compared.matrix], "k": compared.k}


def _as_table(compared: Agreement) -> list[tuple[str, ...]]:
    """A row and a column for each panel, the columns by the rows' numbers; dashes where a panel failed."""
    head = "", *(str(number) for number in range(1, len(compared.names) + 1))
    rows = zip(compared.names, compared.matrix.tolist(), strict=True)
    return [
        head,
        *(
            (f"{number} {name}", *("–" if value != value else f"{value:.2f}" for value in row))
            for number, (name, row) in enumerate(rows, 1)
        ),
    ]


def _check_views(method: Method, data: MultiView) -> None:
    """Refuse a requested method that needs more views, before anything is computed."""
    refused = check_applicable(method, data.view_names, [GAUSSIAN] * data.n_views)
    if refused is not None:
        raise refused


def screenshot_command(options: argparse.Namespace) -> None:
    """The real window, rendered offscreen."""
    check_picture(options.out, (".png",))
    try:
        width, height = (int(v) for v in options.size.lower().split("x"))
    except ValueError:
        raise ParameterError(f"--size {options.size} cannot be read.", "Write it as 1440x900.") from None
    sides = range(200, 8193)  # Qt cannot address larger pictures
    if width not in sides or height not in sides:
        limits = f"{sides[0]} to {sides[-1]}"
        raise ParameterError(f"No window is {options.size} pixels large.", f"Give sides of {limits} pixels.")
    qt_offscreen()
    with interrupts_wait():
        from mvexplorer.ui.offscreen import screenshot

    screenshot(
        tuple(options.sources), options.out, (width, height), options.theme, options.tab, reading(options), options.data
    )


def run_command(options: argparse.Namespace) -> None:
    """Compute a session; with --export its numbers, pictures and web page are written."""
    if options.export:
        check_folder(options.export)
        qt_offscreen()
    panels = run_session(options.session, accept_changed=options.accept_changed_data, data=options.data, say=note)
    print_table([panels.head, *panels.rows])
    if options.export:
        with interrupts_wait():
            from mvexplorer.ui.offscreen import export_session
            from mvexplorer.ui.window.exports.exporter import Tables

            paths = export_session(panels, Path(options.export), Tables(f".{options.tables}", options.csv_safe))
        tell("".join(f"{one_line(str(path))}\n" for path in paths))
        if options.tables == "csv":
            labels = [] if panels.data.labels is None else panels.data.labels.tolist()
            note_formulas(options, [*panels.data.sample_ids, *labels, *panels.data.view_names])
        if panels.colour_problem:
            note(panels.colour_problem)
    if panels.failed:
        raise ParameterError(f"{panels.failed[0]}")
