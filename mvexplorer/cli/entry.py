"""Parses the arguments, and calls the command that they name."""

from __future__ import annotations

import argparse
import difflib
import gc
import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

from mvexplorer.cli.flags import COMMANDS, READING, command_parser, window_parser
from mvexplorer.cli.output import ReaderGone, error_text, finish, note, prepare_streams, say
from mvexplorer.errors import DataError, MVExplorerError, ParameterError
from mvexplorer.ui.runtime.interrupt import interrupts_wait
from mvexplorer.wording import in_words, one_line

gc.set_threshold(200_000)
"""Hundreds of modules follow, which leave no garbage: looking for some after every 700 objects takes a tenth of the
start."""


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
    sentence = f"Something went wrong in mvexplorer; please report it. It is kept in {listener.log_path}."
    note(listener.problem or sentence)


def _carry_out(arguments: list[str]) -> int:
    _check_is_given(arguments)
    if arguments and arguments[0] in COMMANDS:
        options = command_parser().parse_args(arguments)
        no_files = "methods", "rules", "recipes", "samples", "lessons", "doctor"
        if arguments[0] not in no_files or "out" in options:
            _check_working_folder()
        return int(_command(options)(options) or 0)
    window_options = window_parser().parse_args(arguments)
    _check_working_folder()
    return _window(window_options)


def _command(options: argparse.Namespace) -> Callable[[argparse.Namespace], int | None]:
    """The function of the command that is called; only now is its module imported."""
    module, _, function = options.run.partition(".")
    command: Callable[[argparse.Namespace], int | None] = getattr(import_module(f"mvexplorer.cli.{module}"), function)
    return command


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


def _window(options: argparse.Namespace) -> int:
    _check_is_no_command(options.sources)
    from mvexplorer.ui.runtime.platform_check import use_platform

    if not use_platform():
        return _without_display(options)
    from mvexplorer.cli.reading import reading

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
        comparison = command_parser().parse_args(arguments)
        for option in READING:
            setattr(comparison, option, getattr(options, option))
        _command(comparison)(comparison)
    say(
        f"There is no display for a window, so the comparison picture of {name} was written: "
        f"{out.name} in {one_line(str(out.parent))}"
    )
    return 0
