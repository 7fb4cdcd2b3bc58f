"""The command line: the headless twin of the window. No Qt before it is needed, no traceback for a user's mistake."""

from __future__ import annotations

import argparse
import difflib
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mvexplorer import __version__
from mvexplorer.errors import ComputeError, DataError, MissingValuesError, MVExplorerError, ParameterError, SessionError

if TYPE_CHECKING:
    from mvexplorer.engine.multiview import MultiView
    from mvexplorer.engine.registry import Method
    from mvexplorer.engine.task import Task
    from mvexplorer.io.files import Loaded

COMMANDS = ("methods", "rules", "samples", "embed", "compare", "bandwidth", "run", "screenshot", "doctor")
PICTURE_SIDE = range(200, 8193)
"""Pixels along one side of a screenshot; beyond, Qt runs out of what it can address."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the `mvexplorer` command; returns its exit code: 0 done, 2 wrong use or bad input, 1 a bug."""
    # One BLAS thread per worker: small products on two threads suffer long spin stalls under load.
    for variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    arguments = list(sys.argv[1:] if argv is None else argv)
    _speak_any_encoding()
    if argv is None and arguments[:1] == ["screenshot"]:
        # Offscreen nothing takes a window's hints, and Qt complains of each; nobody can act on that.
        os.environ.setdefault("QT_LOGGING_RULES", "default.warning=false")
    try:
        code = _carry_out(arguments)
        sys.stdout.flush()
        return code
    except MVExplorerError as error:
        print(f"mvexplorer: {error}", file=sys.stderr)
        return 2
    except MemoryError:
        print("mvexplorer: The computation ran out of memory. Use fewer samples or views.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read this has seen enough. What is still buffered must go somewhere when the program ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _carry_out(arguments: list[str]) -> int:
    if arguments and arguments[0] in COMMANDS:
        options = _parser().parse_args(arguments)
        return int(options.run(options) or 0)
    return _window(_window_parser().parse_args(arguments))


def _speak_any_encoding() -> None:
    """Where the terminal's or the pipe's encoding lacks a symbol, write its code instead of failing."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


def window() -> int:
    """Entry point of the graphical script: the window only."""
    return main([a for a in sys.argv[1:] if a not in COMMANDS])


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise ParameterError(f"{message[0].upper()}{message[1:]}.", f"See: {self.prog} --help")


def _window_parser() -> argparse.ArgumentParser:
    parser = _Parser("mvexplorer", description="Open the window.", epilog=f"Commands: {', '.join(COMMANDS)}")
    parser.add_argument("sources", nargs="*", metavar="SOURCE", help="a sample, a session, or data files")
    parser.add_argument("--session", metavar="FILE", help="open a saved session")
    parser.add_argument("--version", action="version", version=f"mvexplorer {__version__}")
    return parser


def _parser() -> argparse.ArgumentParser:
    parser = _Parser("mvexplorer", description="Multi-view diffusion geometry.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    for name, text, run in (
        ("methods", "list the methods", _methods),
        ("rules", "list the bandwidth rules", _rules),
        ("samples", "list the built-in samples", _samples),
    ):
        lister = commands.add_parser(name, help=text, description=text)
        lister.add_argument("--json", action="store_true", help="print JSON only")
        lister.set_defaults(run=run)
    _add_embed(commands)
    _add_compare(commands)
    _add_bandwidth(commands)
    _add_run(commands)
    shot = commands.add_parser("screenshot", help="the real window, rendered offscreen")
    shot.add_argument("sources", nargs="+", metavar="SOURCE", help="a sample, a session, or data files")
    shot.add_argument("--out", required=True, metavar="FILE.png", type=os.path.expanduser)
    shot.add_argument("--size", default="1440x900", help="width x height in pixels (default 1440x900)")
    shot.add_argument("--theme", choices=("light", "dark"), default="light")
    shot.add_argument("--tab", choices=("spectrum", "bandwidth", "sweep", "tasks"), default="spectrum",
                      help="what to show below the panels; bandwidth and sweep are computed first")  # fmt: skip
    shot.set_defaults(run=_screenshot)
    doctor = commands.add_parser("doctor", help="versions, Qt platform, fonts, and what is missing")
    doctor.set_defaults(run=_doctor)
    return parser


def _data_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help="a sample, or data files (one view each)")
    parser.add_argument("--views", help="names of the views to use, separated by commas")
    parser.add_argument("--labels", help="the column, variable or file that holds the classes")
    parser.add_argument("--ids", help="the column, variable or file that holds the samples' names")
    parser.add_argument("--preprocess", help="none, centre or zscore, or one per view separated by commas")
    parser.add_argument("--drop-missing", action="store_true", help="drop rows with missing values in all views")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings",
                        help="a parameter; METHOD.NAME=VALUE for one method only")  # fmt: skip
    parser.add_argument("--random-state", type=int, default=0, metavar="N")


def _add_embed(commands: Any) -> None:
    embed = commands.add_parser("embed", help="compute one embedding and write its coordinates")
    _data_options(embed)
    embed.add_argument("--method", required=True, metavar="ID")
    embed.add_argument(
        "--out", metavar="FILE", type=os.path.expanduser, help="a .csv, .npz or .parquet file; without it CSV on stdout"
    )
    embed.add_argument("--subset", type=int, metavar="N",
                       help="solve on N random samples, and place the others by the method's extension")  # fmt: skip
    embed.add_argument("--memory", type=float, default=4.0, metavar="GB", help="what matrices may take (default 4)")
    embed.add_argument("--error", action="store_true",
                       help="also tell the error against Gaussians of all pairs, on a random part")  # fmt: skip
    embed.set_defaults(run=_embed)


def _add_compare(commands: Any) -> None:
    compare = commands.add_parser("compare", help="all methods side by side in one picture, with a score table")
    _data_options(compare)
    compare.add_argument("--methods", help="method ids separated by commas (default: all the data admits)")
    compare.add_argument("--out", required=True, metavar="FILE", type=os.path.expanduser, help="a .png or .svg file")
    compare.add_argument("--theme", choices=("light", "dark"), default="light")
    compare.set_defaults(run=_compare)


def _add_bandwidth(commands: Any) -> None:
    bandwidth = commands.add_parser("bandwidth", help="what every rule chooses for every view, and why some cannot")
    _data_options(bandwidth)
    bandwidth.add_argument("--rule", action="append", metavar="ID", help="only this rule; may be given several times")
    bandwidth.add_argument("--json", action="store_true", help="print JSON")
    bandwidth.set_defaults(run=_bandwidth)


def _add_run(commands: Any) -> None:
    run = commands.add_parser("run", help="compute a session without a window")
    run.add_argument("session", metavar="SESSION")
    run.add_argument("--export", metavar="DIR", help="write each panel's coordinates and the picture there")
    run.add_argument("--accept-changed-data", action="store_true", help="use the data although it has changed")
    run.set_defaults(run=_run)


# Lists --------------------------------------------------------------------------------------------------------


def _print_json(value: Any) -> None:
    symbols_fit = (sys.stdout.encoding or "").lower().startswith("utf")
    json.dump(value, sys.stdout, ensure_ascii=not symbols_fit, indent=1)
    print()


def _print_table(rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _param_facts(params: Any) -> list[dict[str, Any]]:
    return [
        {"name": p.name, "symbol": p.symbol, "default": p.default, "range": p.range_text, "help": p.help,
         "source": p.source}
        for p in params
    ]  # fmt: skip


def _methods(options: argparse.Namespace) -> None:
    from mvexplorer.engine.registry import methods

    if options.json:
        _print_json([
            {"id": m.id, "title": m.title, "formula": m.formula, "summary": m.summary, "source": m.source,
             "assumes": m.assumes, "cost": m.cost, "remarks": m.remarks, "takes": m.takes,
             "uses_epsilon": m.uses_epsilon, "min_views": m.min_views, "max_views": m.max_views,
             "params": _param_facts(m.params)}
            for m in methods()
        ])  # fmt: skip
    else:
        _print_table([(m.id, m.title, m.summary) for m in methods()])


def _rules(options: argparse.Namespace) -> None:
    from mvexplorer.engine.bandwidth import bandwidth_rules

    if options.json:
        _print_json([
            {"id": r.id, "title": r.title, "summary": r.summary, "source": r.source, "cost": r.cost,
             "remark": r.remark, "needs_labels": r.needs_labels, "params": _param_facts(r.params)}
            for r in bandwidth_rules()
        ])  # fmt: skip
    else:
        _print_table([(r.id, r.title, r.summary) for r in bandwidth_rules()])


def _samples(options: argparse.Namespace) -> None:
    from mvexplorer.datasets.catalogue import samples

    if options.json:
        _print_json([
            {"id": s.id, "title": s.title, "summary": s.summary, "views": list(s.view_names), "citation": s.citation,
             "licence": s.licence}
            for s in samples()
        ])  # fmt: skip
    else:
        _print_table([(s.id, s.title, s.summary) for s in samples()])


# Embeddings ---------------------------------------------------------------------------------------------------


def _load(options: argparse.Namespace) -> Loaded:
    from mvexplorer.datasets.loading import load_source

    preprocess = options.preprocess.split(",") if options.preprocess else None
    views = options.views.split(",") if options.views else None
    try:
        return load_source(
            options.sources[0] if len(options.sources) == 1 else options.sources,
            views=views,
            labels=options.labels,
            ids=options.ids,
            preprocess=preprocess[0] if preprocess and len(preprocess) == 1 else preprocess,
            drop_missing=options.drop_missing,
        )
    except MissingValuesError as error:
        hint = "Drop these rows in all views with --drop-missing, or fill them in before loading."
        raise MissingValuesError(error.message, hint, error.rows) from None


def _say_notes(loaded: Loaded) -> None:
    """What was assumed and what is odd; said when the work is done, so that an error stands alone."""
    if loaded.manifest is None:
        for note in loaded.notes:
            print(f"mvexplorer: {note}", file=sys.stderr)


def _settings(given: Sequence[str], method: str) -> dict[str, Any]:
    """The NAME=VALUE settings that concern one method, the specific ones over the general."""
    from mvexplorer.engine.registry import get_method, methods

    known = {p.name for m in methods() for p in m.params} | {"epsilon", "kernel"}
    own = {p.name for p in get_method(method).params} | {"epsilon", "kernel"}
    general: dict[str, Any] = {}
    specific: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        owner, dot, rest = name.rpartition(".")
        if not equals:
            raise ParameterError(f"--set {text} has no value.", "Write --set name=value.")
        if dot:
            if rest not in {p.name for p in get_method(owner).params} | {"epsilon", "kernel"}:
                raise ParameterError(f"{owner} has no parameter called {rest}.", "See: mvexplorer methods --json")
            if owner == method:
                specific[rest] = value
        elif name not in known:
            raise ParameterError(f"No method has a parameter called {name}.", "See: mvexplorer methods --json")
        elif name in own:
            general[name] = value
    return {**general, **specific}


def _opening_epsilon(loaded: Loaded) -> Any:
    if loaded.manifest is None:
        return "max-min"
    return {name: loaded.manifest.open.epsilon_of(name) or "max-min" for name in loaded.data.view_names}


def _bandwidth(options: argparse.Namespace) -> None:
    from mvexplorer.engine.bandwidth import bandwidth_rules, get_rule
    from mvexplorer.engine.rules.survey import survey
    from mvexplorer.engine.task import Task

    wanted = [get_rule(id) for id in options.rule] if options.rule else list(bandwidth_rules())
    kernel = _bandwidth_kernel(options.settings)
    loaded = _load(options)
    bar = _progress_line() if sys.stderr.isatty() else None
    found = survey(loaded.data, [rule.id for rule in wanted], kernel=kernel,
                   random_state=options.random_state, task=Task(bar), say=bar)  # fmt: skip
    if bar is not None:
        print("\r\033[K", end="", file=sys.stderr)
    _say_notes(loaded)
    if options.json:
        _print_json({view: {rule: value.as_dict() for rule, value in rules.items()} for view, rules in found.items()})
        return
    rows: list[tuple[str, ...]] = [("view", "rule", "ε", "σ", "ε / median", "")]
    for view, rules in found.items():
        for rule, value in rules.items():
            numbers = [f"{x:.4g}" if x is not None else "–" for x in (value.epsilon, value.sigma, value.of_median)]
            rows.append((view, rule, *numbers, value.reason))
    _print_table(rows)


def _bandwidth_kernel(settings: Sequence[str]) -> Any:
    kernel = "gaussian"
    for text in settings:
        name, _, value = text.partition("=")
        if name != "kernel":
            raise ParameterError(f"The bandwidth rules do not know --set {text}.", "Only --set kernel=… matters here.")
        kernel = value
    return kernel


def _progress_line() -> Callable[[float], None]:
    def show(fraction: float) -> None:
        print(f"\r{100 * fraction:3.0f} %", end="", file=sys.stderr, flush=True)

    return show


def _embed(options: argparse.Namespace) -> None:
    from mvexplorer.engine.embedding import embed
    from mvexplorer.state.drawing import column_names

    if options.out is not None:
        _check_table(options.out)
    loaded = _load(options)
    settings = _settings(options.settings, options.method)
    epsilon = settings.pop("epsilon", _opening_epsilon(loaded))
    told = {"epsilon": epsilon, "random_state": options.random_state, "part": options.subset, **settings}
    found = embed(loaded.data, options.method, task=_task(options.memory), **told)
    _say_notes(loaded)
    for _, text in found.warnings:
        _note(text)
    if options.error:
        from mvexplorer.engine.approximation import approximation_error

        _note(approximation_error(loaded.data, options.method, task=_task(options.memory), **told).describe())
    names = column_names(found)
    if options.out is None:
        _write_csv_to_stdout(loaded, found, names)
        return
    from mvexplorer.io.export import write_embedding

    meta = {
        "program": f"mvexplorer {__version__}", "method": found.method, "views": ",".join(found.views),
        "epsilon": ",".join(f"{e:.17g}" for e in found.epsilon),
        **{k: str(v) for k, v in found.params.items()},
        **({} if options.subset is None else {"subset": str(options.subset)}),
    }  # fmt: skip
    write_embedding(
        options.out, found.coordinates, column_names=names, sample_ids=loaded.data.sample_ids,
        labels=loaded.data.labels, eigenvalues=found.eigenvalues, meta=meta,
    )  # fmt: skip
    print(
        f"{options.out}: {found.coordinates.shape[0]} samples, {found.coordinates.shape[1]} coordinates",
        file=sys.stderr,
    )


def _task(memory: float) -> Task:
    """A task with so many GB of memory, and all the processor's cores for its rows."""
    from mvexplorer.compute.rows import RowPool
    from mvexplorer.engine.task import Task

    if not memory > 0.0:
        raise ParameterError(f"--memory {memory:g} leaves no memory at all.", "Give a number of GB, such as 4.")
    return Task(run_all=RowPool(os.cpu_count() or 1).run_all, memory=int(memory * 2**30))


def _write_csv_to_stdout(loaded: Loaded, found: Any, names: Sequence[str]) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    labels = loaded.data.labels
    writer.writerow(["id", *([] if labels is None else ["label"]), *names])
    for i, row in enumerate(found.coordinates):
        label = [] if labels is None else [labels[i]]
        writer.writerow([loaded.data.sample_ids[i], *label, *(repr(float(v)) for v in row)])


# Pictures -----------------------------------------------------------------------------------------------------


def _compare(options: argparse.Namespace) -> None:
    _check_picture(options.out, (".png", ".svg"))
    loaded = _load(options)
    from mvexplorer.engine.registry import get_method

    wanted = options.methods.split(",") if options.methods else None
    for id in wanted or ():
        _check_views(get_method(id), loaded.data)
    _qt_offscreen()
    from mvexplorer.ui.compare import compare

    rows, problems = compare(
        loaded, wanted, lambda method: _settings(options.settings, method), options.random_state, options.out,
        options.theme, default_epsilon=_opening_epsilon(loaded),
    )  # fmt: skip
    _say_notes(loaded)
    table = [("method", "NMI", "k-NN", "seconds"), *rows]
    # Without labels there is nothing to score.
    _print_table(table if loaded.data.labels is not None else [(row[0], row[-1]) for row in table])
    if problems:
        titles = ", ".join(title for title, _ in problems)
        raise ComputeError(f"No result for {titles}: {problems[0][1]}")


def _check_views(method: Method, data: MultiView) -> None:
    """A method asked for by name and short of views is refused before anything is computed."""
    from mvexplorer.engine.embedding import choose_views
    from mvexplorer.engine.task import Task

    choose_views(method, data, None, {p.name: None for p in method.params}, Task())


def _check_picture(path: str, endings: tuple[str, ...]) -> None:
    _check_out(path, "Pictures", endings)


def _check_table(path: str) -> None:
    from mvexplorer.io.export import EXPORT_SUFFIXES

    _check_out(path, "Coordinates", EXPORT_SUFFIXES)


def _check_out(path: str, what: str, endings: tuple[str, ...]) -> None:
    """A wrong ending or a folder that is not there is refused before anything is computed."""
    if Path(path).suffix.lower() not in endings:
        choice = f"{', '.join(endings[:-1])} or {endings[-1]}" if len(endings) > 1 else endings[0]
        raise DataError(f"{what} cannot be written as “{path}”.", f"End the file's name in {choice}.")
    folder = Path(os.path.abspath(path)).parent
    if not folder.is_dir():
        raise DataError(f"There is no folder {folder}.", "Create it, or choose another.")


def _qt_offscreen() -> None:
    from mvexplorer.ui.platform import inspect_platform

    # Asked for first, so that what only a desktop needs is not missed here.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    verdict = inspect_platform()
    if verdict.problem:
        raise MVExplorerError(verdict.problem)


def _screenshot(options: argparse.Namespace) -> None:
    _check_picture(options.out, (".png",))
    try:
        width, height = (int(v) for v in options.size.lower().split("x"))
    except ValueError:
        raise ParameterError(f"--size {options.size} cannot be read.", "Write it as 1440x900.") from None
    if width not in PICTURE_SIDE or height not in PICTURE_SIDE:
        limits = f"{PICTURE_SIDE[0]} to {PICTURE_SIDE[-1]}"
        raise ParameterError(f"No window is {options.size} pixels large.", f"Give sides of {limits} pixels.")
    _qt_offscreen()
    from mvexplorer.ui.offscreen import screenshot

    screenshot(tuple(options.sources), options.out, (width, height), options.theme, options.tab)


def _run(options: argparse.Namespace) -> None:
    if options.export:
        _qt_offscreen()
    from mvexplorer.state.headless import run_session

    try:
        panels = run_session(options.session, accept_changed=options.accept_changed_data, say=_note)
    except SessionError as error:
        hint = error.hint.replace("open the session with the changed data", "add --accept-changed-data")
        raise SessionError(error.message, hint) from None
    _print_table([("panel", "method", "NMI", "k-NN", "seconds"), *panels.rows])
    if options.export:
        from mvexplorer.ui.offscreen import export_session

        for path in export_session(panels, Path(options.export)):
            print(path, file=sys.stderr)
    if panels.failed:
        raise ParameterError(f"{panels.failed[0]}")


def _note(text: str) -> None:
    print(f"mvexplorer: {text}", file=sys.stderr)


def _doctor(options: argparse.Namespace) -> int:
    from mvexplorer.ui.doctor import report

    lines, healthy = report()
    for line in lines:
        print(line)
    return 0 if healthy else 2


def _window(options: argparse.Namespace) -> int:
    _check_is_no_command(options.sources)
    from mvexplorer.ui.platform import inspect_platform

    verdict = inspect_platform()
    if verdict.problem:
        print(f"mvexplorer: {verdict.problem}", file=sys.stderr)
        return 2
    if not verdict.has_display and os.environ.get("MVEXPLORER_WINDOW") != "offscreen":
        return _without_display(options)
    if verdict.platform:
        os.environ["QT_QPA_PLATFORM"] = verdict.platform
    from mvexplorer.ui.app import run

    return run(tuple(options.sources), options.session)


def _check_is_no_command(sources: Sequence[str]) -> None:
    """A mistyped command is not a file that is missing."""
    near = difflib.get_close_matches(sources[0], COMMANDS, n=1, cutoff=0.75) if sources else []
    if near and not os.path.exists(sources[0]):
        raise ParameterError(f"There is no command called “{sources[0]}”.", f"Did you mean: mvexplorer {near[0]}")


def _without_display(options: argparse.Namespace) -> int:
    """On a server the main job still runs: the comparison picture."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    out = Path("mvexplorer.png").resolve()
    if options.session or any(s.endswith(".mvx.json") for s in options.sources):
        from mvexplorer.ui.offscreen import picture_of_session

        name = options.session or options.sources[0]
        picture_of_session(name, out)
    else:
        sources = options.sources or ["helix-a"]
        name = ", ".join(sources)
        arguments = ["compare", *sources, "--out", str(out)]
        found = _parser().parse_args(arguments)
        found.run(found)
    print(f"There is no display for a window, so the comparison picture of {name} was written: "
          f"{out.name} in {out.parent}")  # fmt: skip
    return 0
