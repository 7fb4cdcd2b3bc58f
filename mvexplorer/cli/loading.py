"""Loads the sources that the command line names."""

from __future__ import annotations

import argparse

from mvexplorer.cli.output import note
from mvexplorer.cli.reading import flags_of, reading
from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import ParameterError
from mvexplorer.io.reading.files import Loaded

DEFAULT_MEMORY = 4 << 30
"""Bytes that reading and computing may hold where nothing else is said."""


def load_named(options: argparse.Namespace) -> Loaded:
    """The data that the options name."""

    source = options.sources[0] if len(options.sources) == 1 else options.sources
    return load_source(source, reading(options), task=reading_task(options))


def reading_task(options: argparse.Namespace) -> Task:
    """The task of reading, with its memory: larger tables are converted, which a note on stderr says first."""

    return Task(memory=memory_of(options), say=note)


def memory_of(options: argparse.Namespace) -> int:
    """Bytes that reading and computing may hold."""
    given = getattr(options, "memory", None)
    if given is None:
        return DEFAULT_MEMORY
    if not given > 0.0:
        raise ParameterError(f"--memory {given:g} leaves no memory at all.", "Give a number of GB, such as 4.")
    return int(given * 2**30)


def say_notes(loaded: Loaded) -> None:
    """Print what was assumed and what is odd, after the work, so that an error is printed alone."""
    if loaded.manifest is None:
        for notice in loaded.notes:
            flags = flags_of(notice)
            note(f"{notice} ({' or '.join(flags)})" if flags else notice)
