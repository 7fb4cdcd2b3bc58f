"""Parses the arguments, and calls the command that they name."""

from __future__ import annotations

import argparse
import difflib
import gc
import os
import re
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from mvexplorer import __version__
from mvexplorer.cli.clusters import add_cluster_flags
from mvexplorer.cli.computing import bandwidth_command, embed_command
from mvexplorer.cli.diagnosing import add_diagnose_flags, diagnose_command
from mvexplorer.cli.experimenting import list_experiments, run_experiments
from mvexplorer.cli.importing import import_command
from mvexplorer.cli.inputs import error_text
from mvexplorer.cli.lists import doctor_command, list_methods, list_rules, list_samples
from mvexplorer.cli.output import ReaderGone, add_csv_flag, finish, note, prepare_streams, say
from mvexplorer.cli.pictures import compare_command, run_command, screenshot_command
from mvexplorer.cli.reading import READING, add_reading_flags, reading
from mvexplorer.cli.scripting import script_command
from mvexplorer.cli.sweeping import sweep_command
from mvexplorer.errors import DataError, MVExplorerError, ParameterError
from mvexplorer.ui.runtime.interrupt import interrupts_wait
from mvexplorer.wording import in_words, one_line, readable

gc.set_threshold(200_000)
"""Hundreds of modules follow, which leave no garbage: looking for some after every 700 objects takes a tenth of the
start."""
COMMANDS = (
    "methods", "rules", "samples", "embed", "diagnose", "compare", "sweep", "bandwidth", "import", "run", "script",
    "screenshot", "experiments", "doctor",
)  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run the `mvexplorer` command; returns its exit code: 0 done, 2 wrong use or bad input, 1 a bug."""
    # One BLAS thread per worker: small products on two threads suffer long spin stalls under load.
    for variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    arguments = list(sys.argv[1:] if argv is None else argv)
    prepare_streams()
    code = _exit_code(_carry_out, arguments)
    printed = _exit_code(finish)
    return code or printed


def _exit_code(work: Callable[..., int | None], *about: Any) -> int:
    """Do some work; returns its exit code, and reports its errors on stderr."""
    try:
        return work(*about) or 0
    except MVExplorerError as error:
        note(error_text(error))
        return 2
    except MemoryError:
        note("The computation ran out of memory. Use fewer samples or views.")
        return 2
    except KeyboardInterrupt:
        note("Interrupted.")
        # Ctrl+C inside exec makes CPython exit by SIGINT, even if caught (a flag); a new exec clears it.
        exec("")
        return 130
    except ReaderGone:
        return 0
    except Exception as error:
        _keep_fault(error)
        raise


def _keep_fault(error: Exception) -> None:
    """Log a fault of the program; Python prints it."""
    from mvexplorer.failures import FailureListener
    from mvexplorer.state.session.settings import log_folder

    listener = FailureListener(log_folder())
    listener.hear(error)
    listener.close()
    note(listener.problem or f"This is a fault of the program; please report it. It is kept in {listener.log_path}.")


def _carry_out(arguments: list[str]) -> int:
    _check_is_given(arguments)
    if arguments and arguments[0] in COMMANDS:
        options = _parser().parse_args(arguments)
        if arguments[0] not in ("methods", "rules", "samples", "doctor"):  # they read no files
            _check_working_folder()
        return int(options.run(options) or 0)
    window_options = _window_parser().parse_args(arguments)
    _check_working_folder()
    return _window(window_options)


def _check_is_given(arguments: list[str]) -> None:
    """Refuse empty arguments: as a path each would be the working folder, as a choice none at all."""
    for before, argument in pairwise(["mvexplorer", *arguments]):
        if not argument or re.fullmatch(r"--[\w-]+=", argument):
            where = f"after “{before}”" if not argument else f"“{argument}”"
            raise ParameterError(f"The argument {where} is empty.", "Leave it out, or say what it stands for.")


def _check_working_folder() -> None:
    """Relative paths need the working folder, which may have been removed meanwhile."""
    with in_words(DataError, "The folder this was started in cannot be used", "Change to another one."):
        os.getcwd()


def window() -> int:
    """Entry point of the graphical script: the window only."""
    return main([a for a in sys.argv[1:] if a not in COMMANDS])


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise ParameterError(f"{message[0].upper()}{message[1:]}.", f"See: {self.prog} --help")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help and version as results are printed."""
        say(message.removesuffix("\n"))
        finish()


def _window_parser() -> argparse.ArgumentParser:
    parser = _Parser("mvexplorer", description="Open the window.", epilog=f"Commands: {', '.join(COMMANDS)}")
    parser.add_argument("sources", nargs="*", metavar="SOURCE", help="a sample, a session, or data files")
    add_reading_flags(parser)
    parser.add_argument("--session", metavar="FILE", help="open a saved session")
    _add_place(parser)
    parser.add_argument("--version", action="version", version=f"mvexplorer {__version__}")
    return parser


def _parser() -> argparse.ArgumentParser:
    parser = _Parser("mvexplorer", description="Multi-view diffusion geometry.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    for name, text, run in (
        ("methods", "list the methods", list_methods),
        ("rules", "list the bandwidth rules", list_rules),
        ("samples", "list the built-in samples", list_samples),
    ):
        lister = commands.add_parser(name, help=text, description=text)
        lister.add_argument("--json", action="store_true", help="print JSON only")
        lister.set_defaults(run=run)
    _add_embed(commands)
    _add_diagnose(commands)
    _add_compare(commands)
    _add_sweep(commands)
    _add_bandwidth(commands)
    _add_import(commands)
    _add_run(commands)
    _add_script(commands)
    _add_screenshot(commands)
    _add_experiments(commands)
    doctor = commands.add_parser("doctor", help="versions, Qt platform, fonts, and what is missing")
    doctor.add_argument(
        "--memory",
        action="store_true",
        help="open the first sample offscreen, drag, and tell what the memory is taken by",
    )
    doctor.set_defaults(run=doctor_command)
    return parser


def _add_experiments(commands: Any) -> None:
    experiments = commands.add_parser("experiments", help="the papers' figures and tables, and whether they reproduce")
    experiments.add_argument("--json", action="store_true", help="print JSON only")
    experiments.set_defaults(run=list_experiments)
    running = experiments.add_subparsers(dest="what", parser_class=_Parser).add_parser("run", help="compute them anew")
    running.add_argument("ids", nargs="*", metavar="ID", help="which ones (default all)")
    running.add_argument(
        "--full", action="store_true", help="the papers' sizes, more repetitions; with --out an interrupted run goes on"
    )
    running.add_argument(
        "--out", metavar="DIR", type=os.path.expanduser, help="write pictures and one web page of all into this folder"
    )
    running.add_argument("--json", action="store_true", help="print JSON only")
    running.set_defaults(run=run_experiments)


def _add_screenshot(commands: Any) -> None:
    shot = commands.add_parser("screenshot", help="the real window, rendered offscreen")
    shot.add_argument("sources", nargs="+", metavar="SOURCE", help="a sample, a session, or data files")
    add_reading_flags(shot)
    _add_place(shot)
    shot.add_argument("--out", required=True, metavar="FILE.png", type=os.path.expanduser)
    shot.add_argument("--size", default="1440x900", help="width x height in pixels (default 1440x900)")
    shot.add_argument("--theme", choices=("light", "dark"), default="light")
    # The pages are known only with Qt loaded: `screenshot` itself refuses unknown ones.
    shot.add_argument(
        "--tab",
        metavar="PAGE",
        help="the page to show below the panels, with all that it can compute, such as bandwidth or sweep",
    )
    shot.set_defaults(run=screenshot_command)


def _data_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help="a sample, or data files (one view each)")
    add_reading_flags(parser)
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        type=readable,
        metavar="NAME=VALUE",
        dest="settings",
        help="a parameter; METHOD.NAME=VALUE for one method only",
    )
    parser.add_argument("--random-state", type=int, default=0, metavar="N")


def _add_import(commands: Any) -> None:
    importer = commands.add_parser("import", help="how files are read, what was assumed and what is in doubt")
    importer.add_argument("sources", nargs="+", metavar="FILE", help="data files (one view each), or a sample")
    add_reading_flags(importer)
    importer.add_argument("--json", action="store_true", help="print JSON only")
    importer.add_argument(
        "--out",
        metavar="FILE.npz",
        type=os.path.expanduser,
        help="write the views, labels, names, columns and images to one file",
    )
    importer.set_defaults(run=import_command)


def _add_embed(commands: Any) -> None:
    embed = commands.add_parser("embed", help="compute one embedding and write its coordinates")
    _data_options(embed)
    embed.add_argument("--method", required=True, metavar="ID")
    embed.add_argument(
        "--out", metavar="FILE", type=os.path.expanduser, help="a .csv, .npz or .parquet file; without it CSV on stdout"
    )
    embed.add_argument(
        "--subsample",
        type=int,
        metavar="N",
        help="solve on N random samples, and place the others by the method's extension",
    )
    embed.add_argument("--memory", type=float, default=4.0, metavar="GB", help="what matrices may take (default 4)")
    embed.add_argument(
        "--error", action="store_true", help="also tell the error against Gaussians of all pairs, on a random part"
    )
    embed.add_argument(
        "--null-test", action="store_true", help="also compare the score with those of 19 shuffles of each view's rows"
    )
    add_csv_flag(embed)
    add_cluster_flags(embed)
    embed.add_argument("--json", action="store_true", help="print JSON only: what was used and found, no coordinates")
    embed.set_defaults(run=embed_command)


def _add_diagnose(commands: Any) -> None:
    text = "how one embedding came about: spectrum, frequencies, ROC, graph, clusters, matrices, and one sample in it"
    diagnose = commands.add_parser("diagnose", help=text)
    _data_options(diagnose)
    add_diagnose_flags(diagnose)
    diagnose.set_defaults(run=diagnose_command)


def _add_compare(commands: Any) -> None:
    compare = commands.add_parser("compare", help="all methods side by side in one picture, with a score table")
    _data_options(compare)
    compare.add_argument("--methods", help="method ids separated by commas (default: all the data admits)")
    compare.add_argument(
        "--out", required=True, metavar="FILE", type=os.path.expanduser, help="a .png, .svg, .pdf or .html file"
    )
    compare.add_argument("--theme", choices=("light", "dark"), default="light")
    compare.add_argument(
        "--save",
        metavar="SESSION",
        type=os.path.expanduser,
        help="keep every panel compared as a session; a .mvx file holds the data as well",
    )
    compare.add_argument(
        "--agreement", action="store_true", help="also tell how far every two panels disagree about nearest neighbours"
    )
    compare.add_argument("--json", action="store_true", help="print JSON only")
    compare.set_defaults(run=compare_command)


def _add_sweep(commands: Any) -> None:
    sweep = commands.add_parser("sweep", help="scores of methods over a grid of parameters, as a table")
    _data_options(sweep)
    sweep.add_argument("--method", required=True, metavar="ID", help="method ids separated by commas")
    sweep.add_argument(
        "--grid",
        required=True,
        action="append",
        type=readable,
        metavar="NAME=FROM:TO:COUNT[:log]",
        help="what changes: epsilon_scale, epsilon:VIEW, view_weight:VIEW, eta, t, n_components or "
        "another number; may be given several times",
    )
    sweep.add_argument("--score", metavar="ID", help="scores separated by commas (default: all the data has)")
    sweep.add_argument("--resamples", type=int, default=0, metavar="N", help="repeat on N random parts of the samples")
    sweep.add_argument(
        "--out",
        required=True,
        metavar="FILE",
        type=os.path.expanduser,
        help="a .csv or .parquet file; an unfinished one goes on where it stopped",
    )
    add_csv_flag(sweep)
    add_cluster_flags(sweep)
    sweep.set_defaults(run=sweep_command)


def _add_bandwidth(commands: Any) -> None:
    bandwidth = commands.add_parser("bandwidth", help="what every rule chooses for every view, and why some cannot")
    _data_options(bandwidth)
    bandwidth.add_argument("--rule", action="append", metavar="ID", help="only this rule; may be given several times")
    bandwidth.add_argument("--json", action="store_true", help="print JSON")
    bandwidth.set_defaults(run=bandwidth_command)


def _add_run(commands: Any) -> None:
    run = commands.add_parser("run", help="compute a session without a window")
    run.add_argument("session", metavar="SESSION")
    run.add_argument(
        "--export",
        metavar="DIR",
        type=os.path.expanduser,
        help="write coordinates, scores, spectrum, selection and pictures there",
    )
    run.add_argument("--tables", choices=("csv", "parquet"), default="csv", help="how tables are written (default csv)")
    add_csv_flag(run)
    _add_place(run)
    run.add_argument("--accept-changed-data", action="store_true", help="use the data although it has changed")
    run.set_defaults(run=run_command)


def _add_script(commands: Any) -> None:
    script = commands.add_parser("script", help="write a session as the Python that makes the same arrays")
    script.add_argument("session", metavar="SESSION")
    script.add_argument("--notebook", action="store_true", help="write a notebook; so does a FILE that ends in .ipynb")
    script.add_argument("--out", required=True, metavar="FILE", type=os.path.expanduser, help="a .py or .ipynb file")
    _add_place(script)
    script.add_argument("--accept-changed-data", action="store_true", help="use the data although it has changed")
    script.set_defaults(run=script_command)


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        metavar="PATH",
        type=os.path.expanduser,
        help="where a session's data is: the folder of its files, or one of them",
    )


def _window(options: argparse.Namespace) -> int:
    _check_is_no_command(options.sources)
    from mvexplorer.ui.runtime.platform_check import use_platform

    if not use_platform():
        return _without_display(options)
    with interrupts_wait():
        from mvexplorer.ui.app import run

    return run(tuple(options.sources), options.session, reading(options), options.data)


def _check_is_no_command(sources: Sequence[str]) -> None:
    """Refuse a mistyped command as such, not as a missing file."""
    near = difflib.get_close_matches(sources[0], COMMANDS, n=1, cutoff=0.75) if sources else []
    if near and not os.path.exists(sources[0]):
        raise ParameterError(f"There is no command called “{sources[0]}”.", f"Did you mean: mvexplorer {near[0]}")


def _without_display(options: argparse.Namespace) -> int:
    """Without a display, write the comparison picture instead of opening a window."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from mvexplorer.state.session.session_file import is_session

    out = Path("mvexplorer.png").resolve()
    if options.session or any(is_session(s) for s in options.sources):
        with interrupts_wait():
            from mvexplorer.ui.offscreen import picture_of_session

        name = one_line(options.session or options.sources[0])
        picture_of_session(options.session or options.sources[0], out, options.data)
    else:
        sources = options.sources or ["helix-a"]
        name = one_line(", ".join(sources))
        arguments = ["compare", *sources, "--out", str(out)]
        comparison = _parser().parse_args(arguments)
        for option in READING:
            setattr(comparison, option, getattr(options, option))
        comparison.run(comparison)
    say(
        f"There is no display for a window, so the comparison picture of {name} was written: "
        f"{out.name} in {one_line(str(out.parent))}"
    )
    return 0
