"""The commands' flags, and the function that carries out each, as `module.function` of this package.

A command's module is imported when it is called: it may import whatever it needs.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any

from mvexplorer import __version__
from mvexplorer.cli.output import finish, say
from mvexplorer.errors import ParameterError
from mvexplorer.state.export.figure_target import TARGETS
from mvexplorer.wording import readable

COMMANDS = (
    "methods", "rules", "recipes", "samples", "embed", "diagnose", "compare", "sweep", "bandwidth", "import", "run",
    "script", "screenshot", "experiments", "lessons", "doctor",
)  # fmt: skip
READING = (
    "views", "labels", "ids", "preprocess", "drop_missing", "missing", "join", "transpose", "roles", "split", "names",
    "half", "samples", "truncate", "sonograms", "repeated", "decimal", "header", "dates",
)  # fmt: skip
"""The flags, as an argument parser names them."""


class _Parser(argparse.ArgumentParser):
    unnamed = ""
    """The command below this one that is meant where something else than one of them is named."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self.unnamed and args and not args[0].startswith("-"):
            (below,) = (action.choices for action in self._actions if isinstance(action.choices, dict))
            args = args if args[0] in below else [self.unnamed, *args]
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> Any:
        raise ParameterError(f"{message[0].upper()}{message[1:]}.", f"See: {self.prog} --help")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help and version as results are printed."""
        say(message.removesuffix("\n"))
        finish()


def window_parser() -> argparse.ArgumentParser:
    parser = _Parser("mvexplorer", description="Open the window.", epilog=f"Commands: {', '.join(COMMANDS)}")
    parser.add_argument("sources", nargs="*", metavar="SOURCE", help="a sample, a session, or data files")
    add_reading_flags(parser)
    parser.add_argument("--session", metavar="FILE", help="open a saved session")
    _add_place(parser)
    parser.add_argument("--version", action="version", version=f"mvexplorer {__version__}")
    return parser


def command_parser() -> argparse.ArgumentParser:
    parser = _Parser("mvexplorer", description="Multi-view diffusion geometry.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    for name, text, run in (
        ("methods", "list the methods", "lists.list_methods"),
        ("rules", "list the bandwidth rules", "lists.list_rules"),
        ("recipes", "list the recipes: names for values of a walk's ingredients", "lists.list_recipes"),
        ("samples", "list the built-in samples", "lists.list_samples"),
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
    _add_lessons(commands)
    doctor = commands.add_parser("doctor", help="versions, Qt platform, fonts, and what is missing")
    doctor.add_argument(
        "--memory",
        action="store_true",
        help="open the first sample offscreen, drag, and print the memory by kind",
    )
    doctor.set_defaults(run="doctor.doctor_command")
    return parser


def _add_experiments(commands: Any) -> None:
    experiments = commands.add_parser("experiments", help="the papers' figures and tables, and whether they reproduce")
    experiments.add_argument("--json", action="store_true", help="print JSON only")
    experiments.set_defaults(run="experimenting.list_experiments")
    running = experiments.add_subparsers(dest="what", parser_class=_Parser).add_parser("run", help="recompute them")
    running.add_argument("ids", nargs="*", metavar="ID", help="which ones (default all)")
    running.add_argument(
        "--full", action="store_true", help="the papers' sizes, more repetitions; with --out an interrupted run goes on"
    )
    running.add_argument(
        "--out", metavar="DIR", type=os.path.expanduser, help="write pictures and one web page of all into this folder"
    )
    running.add_argument("--json", action="store_true", help="print JSON only")
    running.set_defaults(run="experimenting.run_experiments")


def _add_lessons(commands: Any) -> None:
    lessons = commands.add_parser(
        "lessons",
        help="open a lesson or the list of all, check them, write them as web pages",
        usage="mvexplorer lessons [--json | ID | check [ID ...] | export [ID ...] --out DIR]",
        description="An ID opens that lesson; without one the window opens on the list of all.",
    )
    lessons.add_argument("--json", action="store_true", help="print the list as JSON only")
    lessons.set_defaults(run="teaching.list_lessons")
    lessons.unnamed = "open"
    kinds = lessons.add_subparsers(
        dest="what", parser_class=_Parser, metavar="{check,export}", prog="mvexplorer lessons"
    )
    opening = kinds.add_parser(lessons.unnamed)
    opening.add_argument("id", metavar="ID")
    opening.set_defaults(run="teaching.open_lesson")
    checking = kinds.add_parser("check", help="do every step of lessons, right and wrong, and measure")
    checking.add_argument("ids", nargs="*", metavar="ID", help="which ones (default all)")
    checking.add_argument("--json", action="store_true", help="print JSON only")
    checking.set_defaults(run="teaching.check_lessons")
    exporting = kinds.add_parser("export", help="write lessons as web pages whose reader moves ε, with a list of them")
    exporting.add_argument("ids", nargs="*", metavar="ID", help="which ones (default all)")
    exporting.add_argument(
        "--out", required=True, metavar="DIR", type=os.path.expanduser, help="the folder for index.html and the pages"
    )
    exporting.set_defaults(run="teaching.export_lessons")


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
    shot.set_defaults(run="pictures.screenshot_command")


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
    parser.add_argument(
        "--recipe",
        choices=("paper", "sphere", "neighbours"),
        help="values of metric, kernel, self-loops, unit rows and t where --set gives none; see mvexplorer recipes",
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
    importer.set_defaults(run="importing.import_command")


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
        "--error", action="store_true", help="also print the error against Gaussians of all pairs, on a random part"
    )
    embed.add_argument(
        "--null-test",
        action="store_true",
        help="permutation test: compare the score with those of 19 shuffles of each view's rows",
    )
    _add_csv_flag(embed)
    _add_cluster_flags(embed)
    embed.add_argument("--json", action="store_true", help="print JSON only: what was used and found, no coordinates")
    embed.set_defaults(run="computing.embed_command")


def _add_diagnose(commands: Any) -> None:
    text = (
        "how one embedding came about: spectrum, frequencies, ROC, graph, clusters, matrices, and one sample in it; or "
        "how a selection of samples differs from others"
    )
    diagnose = commands.add_parser("diagnose", help=text)
    _data_options(diagnose)
    _add_diagnose_flags(diagnose)
    diagnose.set_defaults(run="diagnosing.diagnose_command")


def _add_compare(commands: Any) -> None:
    compare = commands.add_parser("compare", help="all methods side by side in one picture, with a score table")
    _data_options(compare)
    compare.add_argument("--methods", help="method ids separated by commas (default: all the data admits)")
    compare.add_argument(
        "--out",
        required=True,
        metavar="FILE",
        type=os.path.expanduser,
        help="a picture (.png, .svg, .pdf), a web page (.html), the coordinates of all panels (.csv) or what "
        "--json prints (.json)",
    )
    compare.add_argument(
        "--live", action="store_true", help="of a .html file: its reader can move ε, and all panels follow"
    )
    compare.add_argument("--live-eta", action="store_true", help="with --live: its reader can also choose η, in stops")
    compare.add_argument("--live-3d", action="store_true", help="with --live: also three coordinates of each panel")
    compare.add_argument("--theme", choices=("light", "dark"), default="light")
    compare.add_argument("--no-ids", action="store_true", help="leave the samples' ids out of a .html file")
    _add_figure_flags(compare)
    compare.add_argument(
        "--save",
        metavar="SESSION",
        type=os.path.expanduser,
        help="keep every panel compared as a session; a .mvx file holds the data as well",
    )
    compare.add_argument(
        "--agreement", action="store_true", help="also print how far every two panels disagree about nearest neighbours"
    )
    compare.add_argument(
        "--own-epsilon",
        action="store_true",
        help="draw each panel at its own factor on every ε, the best by a score; print its scores at the shared ε, too",
    )
    compare.add_argument(
        "--score", metavar="ID", help="of --own-epsilon: what chooses (default trustworthiness, which needs no labels)"
    )
    _add_csv_flag(compare)
    compare.add_argument("--json", action="store_true", help="print JSON only")
    compare.set_defaults(run="comparing.compare_command")


def _add_figure_flags(compare: argparse.ArgumentParser) -> None:
    """Add what makes the picture of a comparison a figure for print."""
    add = compare.add_argument_group("a figure for a paper or a slide, on white").add_argument
    add(
        "--figure",
        choices=tuple(TARGETS),
        help="instead of the picture with all details: 85 mm wide, 178 mm wide, or a slide of 16:9",
    )
    add("--letters", action="store_true", help="a, b, c before the titles of its panels")
    add(
        "--panels",
        metavar="ID,...",
        help="only these panels, in this order; --json prints their ids, p1 for the first panel and so on",
    )
    add(
        "--type-size",
        type=float,
        metavar="PT",
        help="of titles: 6 to 14 (default 8), on a slide 10 to 40 (default 18); nothing is smaller than 6",
    )


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
        "another number; or words, such as unit_rows=true,false, metric=euclidean,cosine and kernel=gaussian,knn-10; "
        "may be given several times",
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
    _add_csv_flag(sweep)
    _add_cluster_flags(sweep)
    sweep.set_defaults(run="sweeping.sweep_command")


def _add_bandwidth(commands: Any) -> None:
    bandwidth = commands.add_parser("bandwidth", help="what every rule chooses for every view, and why some cannot")
    _data_options(bandwidth)
    bandwidth.add_argument("--rule", action="append", metavar="ID", help="only this rule; may be given several times")
    instead = bandwidth.add_mutually_exclusive_group()
    instead.add_argument(
        "--regimes",
        dest="run",
        action="store_const",
        const="verdicts.regimes_command",
        help="instead what each view's ε does to it: isolated, flat, wide or local, why, and what to do",
    )
    instead.add_argument(
        "--spectrum",
        dest="run",
        action="store_const",
        const="spectra.spectrum_command",
        help="instead the eigenvalues of a method over a range of ε or η",
    )
    instead.add_argument(
        "--tune",
        dest="run",
        action="store_const",
        const="tuning.tune_command",
        help="instead choose one view's ε after another by a score of a method's picture",
    )
    bandwidth.add_argument(
        "--method", metavar="ID", help="of --spectrum and --tune: the method (default multiview or single)"
    )
    bandwidth.add_argument(
        "--score", metavar="ID", help="of --tune: what chooses (default trustworthiness, which needs no labels)"
    )
    bandwidth.add_argument(
        "--parameter",
        choices=("epsilon_scale", "eta"),
        help="of --spectrum: what moves, a factor on all ε from 1/8 to 8 (default) or η from 0 to 1",
    )
    bandwidth.add_argument(
        "--out",
        metavar="FILE",
        type=os.path.expanduser,
        help="of --spectrum: a .csv file of all values, or a .png, .svg or .pdf file of their curves",
    )
    _add_csv_flag(bandwidth)
    bandwidth.add_argument("--json", action="store_true", help="print JSON")
    bandwidth.set_defaults(run="computing.bandwidth_command")


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
    _add_csv_flag(run)
    _add_place(run)
    run.add_argument("--accept-changed-data", action="store_true", help="use the data although it has changed")
    run.set_defaults(run="pictures.run_command")


def _add_script(commands: Any) -> None:
    script = commands.add_parser("script", help="write a session as the Python that makes the same arrays")
    script.add_argument("session", metavar="SESSION")
    script.add_argument("--notebook", action="store_true", help="write a notebook; so does a FILE that ends in .ipynb")
    script.add_argument("--out", required=True, metavar="FILE", type=os.path.expanduser, help="a .py or .ipynb file")
    _add_place(script)
    script.add_argument("--accept-changed-data", action="store_true", help="use the data although it has changed")
    script.set_defaults(run="scripting.script_command")


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        metavar="PATH",
        type=os.path.expanduser,
        help="where a session's data is: the folder of its files, or one of them",
    )


def _add_diagnose_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of `diagnose`, after those of all commands that take data."""
    parser.add_argument("--method", metavar="ID", help="needed but for --selection")
    parser.add_argument(
        "--selection",
        metavar="NAME|COLUMN=VALUE",
        help="describe these samples: features, columns and classes in which they differ from the rest, with effect "
        "and false discovery rate; a session's named selection, or all samples with a value of the label or a column",
    )
    parser.add_argument(
        "--against", metavar="NAME|COLUMN=VALUE", help="of --selection: compare with these samples, not with the rest"
    )
    parser.add_argument(
        "--of",
        metavar="NAME,...",
        help="spectrum, fourier, roc, graph, clusters, point, kernel, distances, transition or metric "
        "(default: all that are there, but no matrices)",
    )
    parser.add_argument(
        "--view",
        default="",
        metavar="NAME",
        help="whose graph or matrix (default: the method's own, and every view's graph)",
    )
    parser.add_argument("--component", type=int, default=1, metavar="N", help="whose frequencies (default 1)")
    parser.add_argument("--time", metavar="COLUMN", help="measure frequencies against this (default: sample order)")
    parser.add_argument(
        "--metric",
        choices=("pairs", "sample", "mean"),
        default="pairs",
        help="local CCA's distances D, or its metric A at the sample or in the mean",
    )
    parser.add_argument("--clusters", type=int, metavar="K", help="how many (default: as many as classes, else 8)")
    parser.add_argument("--clustering", choices=("kmeans", "spectral", "density"), default="kmeans")
    parser.add_argument(
        "--sample", metavar="ID", help="print the neighbours of this sample, and the random walk from it"
    )
    parser.add_argument("--neighbours", type=int, default=8, metavar="K", help="of the sample (default 8)")
    parser.add_argument("--steps", type=int, default=1, metavar="T", help="of the walk from it (default 1)")
    parser.add_argument("--start", default="", metavar="VIEW", help="in which the walk starts (default: in any)")
    parser.add_argument("--spread", type=int, default=10, metavar="N", help="samples spread from it (default 10)")
    parser.add_argument(
        "--subsample",
        type=int,
        metavar="N",
        help="solve on N random samples, and place the others by the method's extension",
    )
    parser.add_argument("--memory", type=float, default=4.0, metavar="GB", help="what matrices may take (default 4)")
    parser.add_argument("--json", action="store_true", help="print JSON only, with all numbers")
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=os.path.expanduser,
        help="write all numbers there, as CSV files; of --selection without --method: one .csv file",
    )
    _add_csv_flag(parser)
    _add_place(parser)
    parser.add_argument("--accept-changed-data", action="store_true", help="use a session's data although it changed")


def add_reading_flags(parser: argparse.ArgumentParser) -> None:
    """Give a command that takes a SOURCE the flags."""
    add = parser.add_argument_group("how files are read, where they leave it open").add_argument
    add("--views", help="names of the views to use, separated by commas")
    add("--labels", help="the column, variable or file that holds the classes")
    add("--ids", help="the column, variable or file that holds the samples' names")
    add("--preprocess", help="none, centre, zscore, unit, log1p or pca:K, or one per view separated by commas")
    add(
        "--missing",
        choices=("drop", "median", "knn"),
        help="samples with missing numbers: drop them in all views, or fill the numbers in",
    )
    add("--drop-missing", action="store_true", help="the same as --missing drop")
    how = "how rows of several files belong together; default: by name, where the files name their samples"
    add("--join", choices=("id", "position", "intersect"), help=how)
    add(
        "--transpose",
        metavar="FILES",
        help="tables whose columns are the samples, separated by commas; or all, or none",
    )
    add(
        "--role",
        action="append",
        default=[],
        metavar="NAME=ROLE",
        dest="roles",
        help="what a column or variable is: view, label, id, colour, coordinates, kernel or ignore; FILE:NAME=ROLE "
        "for that of one file; may be given several times",
    )
    add(
        "--split",
        action="append",
        default=[],
        metavar="VIEW=PATTERN",
        help="the columns that make up a view, such as wt=wt_*, several separated by commas; may be given several "
        "times",
    )
    add(
        "--name",
        action="append",
        default=[],
        metavar="OLD=NEW",
        dest="names",
        help="a view's other name; may be given several times",
    )
    _add_choices(add)


def _add_choices(add: Callable[..., object]) -> None:
    """The flags that choose one of a few."""
    add("--half", choices=("both", "train", "test"), help="which samples, where a file holds training and test halves")
    add("--samples", choices=("intersection", "union"), help="which samples to keep where a view has not all of them")
    add("--truncate", action="store_true", help="cut recordings to their common start and to the shortest")
    add(
        "--sonograms",
        choices=("seismic-events", "seismic-manifold"),
        help="turn recordings into sonograms, of 12 bands or of 512 frequencies",
    )
    add("--repeated", choices=("first", "drop"), help="which rows, where several share an id: the first, or none")
    add("--decimal", choices=(".", ","), help="the decimal sign of text tables; the other one separates thousands")
    add("--header", choices=("first", "none"), help="whether the first row of tables is a header, or a sample")
    add("--dates", choices=("day-first", "month-first"), help="the order of dates such as 03/04/2024")


def _add_cluster_flags(parser: argparse.ArgumentParser) -> None:
    """Add --cluster, and the flag that allows an address that is not safe."""
    parser.add_argument(
        "--cluster",
        metavar="WHERE",
        help="compute in local:N processes, or on the Dask cluster whose scheduler has the address "
        "tcp://HOST:PORT or tls://HOST:PORT, or wrote this file",
    )
    parser.add_argument(
        "--allow-plain-tcp",
        action="store_true",
        help="use an address although it is neither encrypted nor on this computer",
    )


def _add_csv_flag(parser: argparse.ArgumentParser) -> None:
    """Give a command that writes CSV the choice between names as they are and names that no spreadsheet calculates."""
    parser.add_argument(
        "--csv-safe",
        action="store_true",
        help="in CSV, put an apostrophe before ids, labels and names that begin with = + - @, a tab or "
        "a carriage return, which spreadsheets take for formulas; numbers stay as they are, and "
        "names changed so no longer pair with those of other files",
    )
