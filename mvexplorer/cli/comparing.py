"""The command that computes methods side by side, and writes them as a picture, a web page or numbers."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mvexplorer.cli.computing import computing_task
from mvexplorer.cli.inputs import (
    check_picture,
    check_session,
    kernels_by_recipe,
    opening_epsilon,
    settings_of,
)
from mvexplorer.cli.loading import load_named, say_notes
from mvexplorer.cli.offscreen import qt_offscreen
from mvexplorer.cli.output import json_text, note, note_formulas, print_json, print_table, progress_line, say
from mvexplorer.compute.batch.tuning import Judge
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.analysis.agreement import Agreement
from mvexplorer.engine.api.plan import check_applicable
from mvexplorer.engine.api.recipes import with_recipe
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.kernels.affinities import GAUSSIAN
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.errors import ComputeError, DataError, ParameterError
from mvexplorer.io.writing.result_files import write_table
from mvexplorer.state.batches.tuning import BY_DEFAULT, judge_of
from mvexplorer.state.bench.comparing import comparison_state, loaded_title
from mvexplorer.state.bench.headless import ComputedPanels, compute, each_at_its_own
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.export.figure_target import TARGETS, panel_places
from mvexplorer.state.export.live_panels import LivePanelsJob, check_live_size
from mvexplorer.state.export.result_files import numbers_of
from mvexplorer.state.export.result_tables import coordinates_table
from mvexplorer.state.session.portable import pictures_of
from mvexplorer.state.session.session import save_session
from mvexplorer.ui.export.plain.picture import write_plain
from mvexplorer.ui.export.web_page import ENDING, PageContent, page_of, with_live, write_page
from mvexplorer.ui.runtime.interrupt import interrupts_wait
from mvexplorer.ui.runtime.platform_check import INSTALL, has_qt
from mvexplorer.version import __version__
from mvexplorer.wording import finite_or_none
from mvexplorer.writing import writing

PAINTED = (".png", ".svg", ".pdf")


def compare_command(options: argparse.Namespace) -> None:
    """All methods side by side in one picture, web page or table, with a table of scores."""
    _check_flags(options)
    loaded = load_named(options)

    wanted = options.methods.split(",") if options.methods else None
    for id in wanted or ():
        _check_views(get_method(id), loaded.data)
    judge = judge_of(DocumentState(), loaded.data, options.score or BY_DEFAULT) if options.own_epsilon else None
    if _ending(options) in PAINTED and has_qt():
        qt_offscreen()
    if options.live:
        check_live_size(loaded.data)
    settings, epsilon = _settings_of(options, loaded.data), opening_epsilon(loaded, options.recipe)
    state = comparison_state(loaded, wanted, settings, options.random_state, epsilon)
    ids = tuple(panel.id for panel in state.panels)
    chosen = _panels(options)
    places = panel_places(ids if chosen is None else chosen, ids)
    finished = compute(state, loaded.data)
    if judge is not None:
        finished = _at_own_epsilon(finished, judge)
    _write(finished, loaded_title(loaded), places, options)
    say_notes(loaded)
    _give(finished, options)


def _ending(options: argparse.Namespace) -> str:
    return Path(options.out).suffix.lower()


def _check_flags(options: argparse.Namespace) -> None:
    """Refuse what could not be written, and flags without effect, before anything is read."""
    check_picture(options.out, (*PAINTED, ENDING, ".csv", ".json"))
    if options.save is not None:
        check_session(options.save)
    if options.score is not None and not options.own_epsilon:
        raise ParameterError("--score is of --own-epsilon.", "Leave it out, or add --own-epsilon.")
    ending = _ending(options)
    if options.no_ids and ending != ENDING:
        raise ParameterError("--no-ids is of web pages.", "Leave it out, or end the file's name in .html.")
    _check_figure(options)
    _check_live(options)
    if (ending == ".pdf" or options.figure is not None) and not has_qt():
        what = "A figure for print" if options.figure is not None else "A PDF"
        raise DataError(f"{what} is painted by the window, which is not installed.", f"{OTHERWISE} {INSTALL}")


OTHERWISE = "Write the picture as .png or .svg without --figure, or install the window:"


def _check_figure(options: argparse.Namespace) -> None:
    """Refuse what is of figures without one, and a figure that could not be."""
    given = {"--letters": options.letters, "--panels": options.panels, "--type-size": options.type_size}
    if options.figure is None:
        if lone := [flag for flag, value in given.items() if value not in (None, False)]:
            raise ParameterError(f"{lone[0]} needs --figure.", f"Add --figure {', '.join(TARGETS)}, or leave it out.")
        return
    if _ending(options) not in PAINTED:
        kind = "web page" if _ending(options) == ENDING else "table"
        raise ParameterError(f"A figure is no {kind}.", "Leave --figure out, or end --out in .png, .svg or .pdf.")
    if options.theme != "light":
        raise ParameterError("A figure is printed on white.", f"Leave --figure or --theme {options.theme} out.")
    TARGETS[options.figure].checked_type(options.type_size)


def _check_live(options: argparse.Namespace) -> None:
    """Refuse what is of live pages without one."""
    if options.live and _ending(options) != ENDING:
        raise ParameterError("--live is of web pages.", "End the name after --out in .html, or leave --live out.")
    for flag, given in {"--live-eta": options.live_eta, "--live-3d": options.live_3d}.items():
        if given and not options.live:
            raise ParameterError(f"{flag} needs --live.", f"Add --live, or leave {flag} out.")


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


def _write(finished: ComputedPanels, title: str, places: list[int], options: argparse.Namespace) -> None:
    """Write the panels by the file's ending; pictures as the window paints them, or plainly where there is none."""
    ending, out = _ending(options), Path(options.out)
    if ending == ENDING:
        _write_page(finished, title, options)
    elif ending == ".csv":
        numbers = numbers_of(finished.state, finished.data, finished.results.__getitem__, title, finished.colouring)
        table = coordinates_table(numbers)
        write_table(table, out, numbers.record, csv_safe=options.csv_safe)
        texts = (value for name in ("id", "label") if name in table.columns for value in table[name].to_list())
        note_formulas(options, texts)
    elif ending == ".json":
        with writing(out) as file:
            file.write(json_text(_facts(finished, options)).encode(errors="backslashreplace"))
    elif has_qt():
        with interrupts_wait():
            from mvexplorer.ui.compare import FigureAsked, paint_comparison

        figure = options.figure and FigureAsked(options.figure, places, options.type_size, options.letters)
        paint_comparison(finished, title, options.out, options.theme, figure)
    else:
        write_plain(finished, title, out, options.theme)


def _write_page(finished: ComputedPanels, title: str, options: argparse.Namespace) -> None:
    page = page_of(finished, title, PageContent(ids=not options.no_ids))
    if options.live:
        job = LivePanelsJob(
            finished.state, finished.data, finished.results, solid=options.live_3d, eta=options.live_eta
        )
        page = with_live(page, job.run(StageCache(), computing_task()))
    write_page(page, options.out)


def _facts(finished: ComputedPanels, options: argparse.Namespace) -> dict[str, Any]:
    """The facts that --json prints, and that a file ending in .json holds."""
    compared = finished.agreement() if options.agreement else None
    return {"panels": finished.as_json, "agreement": None if compared is None else _as_json(compared)}


def _give(finished: ComputedPanels, options: argparse.Namespace) -> None:
    """Keep the comparison as a session, print its table or facts, and say what failed."""
    if options.save is not None:
        pictures = pictures_of(finished.results)
        save_session(options.save, finished.state, finished.data, __version__, pictures=pictures)
    if options.json:
        print_json(_facts(finished, options))
    else:
        print_table(finished.comparison)
        if options.agreement:
            compared = finished.agreement()
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
