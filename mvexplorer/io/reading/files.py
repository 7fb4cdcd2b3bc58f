"""Files to `MultiView`: what one file after another holds, then the parts of all files become one data set."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from mvexplorer.engine.core.classes import known_classes
from mvexplorer.engine.core.dates import texts_or_dates
from mvexplorer.engine.core.multiview import MIN_SAMPLES, MultiView, known_ids
from mvexplorer.engine.core.notices import CONVERTED, OFFERED_COLUMN, POSSIBLE_LABEL, Notice
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import DataError, MissingValuesError, join_words
from mvexplorer.io.base.coordinates import take_coordinates
from mvexplorer.io.base.guards import check_views
from mvexplorer.io.base.missing import count_missing, treat
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.base.parts import FILLED_COLUMN, HALF_COLUMN, MOST_CLASSES, UNLABELLED, Parts, gather_notes, seal
from mvexplorer.io.base.path_text import full_path
from mvexplorer.io.base.roles import FileRequest, check_roles
from mvexplorer.io.base.similarity import take_kernels
from mvexplorer.io.base.union import apply_masks, complete
from mvexplorer.io.joining.merge import combine_files
from mvexplorer.io.joining.rows import align_rows
from mvexplorer.io.matlab.mathalves import check_half
from mvexplorer.io.reading.day_month import in_iso, notes_of_order
from mvexplorer.io.reading.labels import label_file, labels_alone, n_rows, take_named
from mvexplorer.io.reading.manifest import Manifest
from mvexplorer.io.reading.orientation import Content, orient
from mvexplorer.io.reading.quality import describe_quality
from mvexplorer.io.reading.questions import open_questions, take_lone_names
from mvexplorer.io.reading.readers import SUFFIXES, TABLE_SUFFIXES, as_parts, read_contents, read_tables_in, sort_files
from mvexplorer.io.reading.splitting import Place, possible_splits, rename_views, split_views
from mvexplorer.io.reading.waveforms import Recordings, read_recordings
from mvexplorer.wording import counted

__all__ = ["SUFFIXES", "TABLE_SUFFIXES", "Loaded", "Reading", "read_files"]


@dataclass(frozen=True)
class Loaded:
    """A data set with notes about it.

    `notes` say what was assumed and what is odd; `sources` are the files read (absolute paths) or the sample's id;
    `manifest` belongs to a sample; `options` read the same data again.
    """

    data: MultiView
    notes: tuple[Notice, ...] = ()
    sources: tuple[str, ...] = ()
    manifest: Manifest | None = None
    options: ReadOptions = field(default_factory=ReadOptions)


def read_files(
    paths: Sequence[str | Path], options: ReadOptions | None = None, *, task: Task | None = None, **changes: Any
) -> Loaded:
    """Read one file, or several that hold one view each; `changes` are single options that override `options`.

    RowsError where it is uncertain which rows are the same sample, or whether rows are samples; MissingValuesError
    where numbers are missing and `missing` is not given.
    """
    return Reading(paths, replace(options or ReadOptions(), **changes), task=task).read()


class Reading:
    """Files on their way to a data set, stage by stage; results of a stage stay where a later one refuses.

    `keep` keeps all columns and variables, to show them.
    """

    def __init__(
        self, paths: Sequence[str | Path], options: ReadOptions, *, keep: bool = False, task: Task | None = None
    ) -> None:
        self.task = task or Task()
        self.files = [full_path(path) for path in paths]
        self.options = options
        self.keep = keep
        self.asked: list[FileRequest] = []
        """The user's request for each file, one for all recordings together."""
        self.contents: list[Content] = []
        self.parts: list[Parts] = []
        """The files' contents, interpreted."""
        self.joined: list[Notice] = []
        """How rows belong together."""
        self.merged: Parts | None = None
        """All files as one."""
        self.doubts: list[Notice] = []
        """Assumptions that the user may have meant otherwise."""
        self.goes: dict[Place, str] = {}
        """Where columns of a view went that was split."""
        self.said: list[Notice] = []
        """Sentences about what takes long, said before it began."""
        self.n_missing: dict[str, int] = {}
        """Per view, how many numbers were missing in the files."""

    def read(self) -> Loaded:
        """Read the files; errors are those of `read_files`."""
        if not self.files:
            raise DataError("No file was given.", "Give at least one file, or the name of a sample.")
        beside = label_file(self.options)
        self._read_contents(n_rows(beside))
        self.contents, turned = orient(self.contents, self.options.transpose, n_rows(beside))
        self._interpret()
        merged = self._join(beside)
        apply_masks(merged, self.parts)
        notes = [*self.said, *gather_notes(self.parts), *turned, *merged.notes, *self.doubts]
        self.n_missing = {name: count_missing(X) for name, X in merged.views.items()}
        notes += complete(merged, self.options.samples)
        if self.options.missing is not None:
            notes += treat(merged, self.options.missing)
        return self._loaded(self._data(merged), merged, notes)

    def _read_contents(self, n_samples: int | None) -> None:
        """Read the files; recordings, one sample each, come first, joined into one."""
        recorded, folders, others = sort_files(self.files)
        count = len(others) + bool(recorded) + bool(folders)
        if recorded:
            self.asked.append(FileRequest(recorded[0], self.options, tick=partial(self._tick, 0, count)))
            self.contents.append(read_recordings(recorded, self.asked[0]))
        if folders:
            wanted = FileRequest(folders[0], self.options, memory=self.task.memory, say=self._say)
            for request, content in read_tables_in(folders, wanted):
                self.asked.append(request)
                self.contents.append(content)
        for path in others:
            tick = partial(self._tick, len(self.contents), count)
            tick(0.0)
            wanted = FileRequest(path, self.options, n_samples, tick=tick, memory=self.task.memory, say=self._say)
            for request, content in read_contents(wanted):
                self.asked.append(request)
                self.contents.append(content)

    def _tick(self, place: int, count: int, part: float) -> None:
        """Report how much is read, of a file and of all; half of the time goes into the work on it afterwards."""
        self.task.progress(0.5 * min(1.0, (place + part) / count))

    def _say(self, sentence: str) -> None:
        """Say what is about to take long, and remember it."""
        self.task.say(sentence)
        self.said.append(Notice(CONVERTED, sentence))

    def _interpret(self) -> None:
        for content, request in zip(self.contents, self.asked, strict=True):
            self.parts.append(labels_alone(as_parts(content, request)))
            take_kernels(self.parts[-1], request)
        check_roles(self.options, self.asked)
        check_half(self.options, self.parts)
        _check_recordings(self.parts)
        if len(self.parts) == 1 and self.options.ids is None:
            take_lone_names(self.parts[0], dict(self.options.roles))

    def _join(self, beside: Parts | None) -> Parts:
        """Join all files, with labels, names and views as the user asked."""
        aligned = [*self.parts, *([beside] if beside is not None else [])]
        self.joined = align_rows(aligned, self.options)
        merged = self.merged = combine_files([labels_alone(part) for part in self.parts], self.joined)
        if not merged.views:
            raise _no_numbers(self.files, merged)
        _check_rows(self.parts)
        take_coordinates(merged, self.parts, self.asked)
        take_named(merged, self.options, beside, self.asked)
        order = self.options.dates
        read = [] if order is None else notes_of_order(merged.columns, order)
        if order is not None:
            merged.columns = in_iso(merged.columns, order)
        self.doubts = read + open_questions(merged, self.parts, self.options)
        if self.options.split:
            self.goes = split_views(merged, dict(self.options.split))
        called = dict(self.options.names)
        rename_views(merged, called)
        if self.options.views is not None and not merged.named.views:
            _select(merged, [called.get(name, name) for name in self.options.views])
        check_views(self.files[0], merged.views)
        if not self.keep:
            self.asked.clear()  # with the tables that were read
            self.contents.clear()
        return merged

    def _loaded(self, data: MultiView, merged: Parts, notes: list[Notice]) -> Loaded:
        for values in (data.labels, *data.columns.values()):
            if values is not None and values.dtype.kind == "U":
                known_classes(values)  # here, where nobody waits for a frame
        possible = _possible_labels(data)
        offered = {(OFFERED_COLUMN, notice.subjects) for notice in possible}
        notes = [note for note in notes if (note.code, note.subjects) not in offered]
        offers = () if self.options.split else possible_splits(merged)
        notes += [*possible, *offers, *describe_quality(data)]
        sources = tuple(str(path.resolve()) for path in self.files)
        return Loaded(data, tuple(notes), sources, options=_absolute(self.options))

    def _data(self, merged: Parts) -> MultiView:
        for X in merged.views.values():
            seal(X)
        numbered = merged.joined.numbered
        try:
            return MultiView(
                merged.views,
                labels=merged.labels,
                label_name=merged.label_name,
                sample_ids=None if merged.ids is None else known_ids(merged.ids.astype(str).tolist()),
                images=merged.images,
                columns=merged.columns,
                coordinates=merged.coordinates,
                preprocess=self.options.preprocess,
                feature_names=[None if name in numbered else merged.features.get(name) for name in merged.views],
            )
        except MissingValuesError as error:
            ways = join_words([f"{offer.title} ({offer.in_python})" for offer in error.offers])
            raise MissingValuesError(error.message, f"{ways}.", error.rows) from None


def _no_numbers(files: Sequence[Path], merged: Parts) -> DataError:
    """Build the error for files without a view: a header alone, or text alone."""
    names = ", ".join(f"“{path.name}”" for path in files)
    texts = [values for values in merged.columns.values() if len(values)]
    if len(files) == 1 and texts and all(len(values) == 1 for values in texts):
        row = ", ".join(f"“{values[0]}”" for values in texts[:3]) + " …" * (len(texts) > 3)
        return DataError(f"{names} has a header ({row}) but no rows.", "Give one row per sample.")
    example = next(
        (f": “{name}” holds text, such as “{own[0]}”" for name, own in merged.columns.items() if len(own)), ""
    )
    return DataError(f"There is no table of numbers in {names}{example}.", "Give at least one column of numbers.")


def _check_rows(parts: Sequence[Parts]) -> None:
    """Refuse files of columns alone that have other rows than the views of the others."""
    base = next(part for part in parts if part.views)
    n_rows = len(next(iter(base.views.values())))
    for part in parts:
        counts = {len(values) for values in part.columns.values()} if not part.views else set()
        if counts - {n_rows}:
            both = f"“{part.path.name}” has {counted(min(counts - {n_rows}), 'row')}"
            message = f"{both}, where “{base.path.name}” has {counted(n_rows, 'sample')}."
            raise DataError(message, "Give one row per sample, or name the samples in both files.")


def _check_recordings(parts: Sequence[Parts]) -> None:
    """Refuse fewer recordings than methods can place: each of them is one sample."""
    recorded = next((part for part in parts if isinstance(part, Recordings)), None)
    count = MIN_SAMPLES if recorded is None else len(next(iter(recorded.views.values())))
    if count < MIN_SAMPLES and recorded is not None:
        which = "is one recording, which is" if count == 1 else f"holds {count} recordings, which are"
        message = f"“{recorded.path.name}” {which} {counted(count, 'sample')}; at least {MIN_SAMPLES} are needed."
        raise DataError(message, "Open the folder that holds the others, too, or several recordings together.")


def _select(merged: Parts, views: Sequence[str]) -> None:
    for name in views:
        if name not in merged.views:
            raise DataError(f"There is no view called “{name}”.", f"The views are {', '.join(merged.views)}.")
    merged.views = {name: merged.views[name] for name in views}


def _possible_labels(data: MultiView) -> list[Notice]:
    """List notices of text columns with few values that could be the label, if there is none."""
    if data.labels is not None:
        return []
    notices = []
    for name, values in data.columns.items():
        classes = set(values.tolist()) - {UNLABELLED} if values.dtype.kind == "U" else set()
        is_one_of_two = f"{name}-2" in data.columns  # a name used by two files is ambiguous
        if name in (HALF_COLUMN, FILLED_COLUMN):
            continue
        few = 2 <= len(classes) <= min(MOST_CLASSES, data.n_samples // 2)
        if few and not is_one_of_two and texts_or_dates(values) == "text":
            text = f"Column “{name}” holds {len(classes)} classes and could be the label."
            notices.append(Notice(POSSIBLE_LABEL, text, (name,)))
    return notices


def _absolute(options: ReadOptions) -> ReadOptions:
    """Return the options with the full paths of the files they name."""

    def full(name: str | None) -> str | None:
        return str(full_path(name).resolve()) if name is not None and os.path.isfile(full_path(name)) else name

    return replace(options, labels=full(options.labels), ids=full(options.ids))
