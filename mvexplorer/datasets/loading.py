"""`load`: a sample by its name, or files."""

from __future__ import annotations

import difflib
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from weakref import WeakKeyDictionary

from mvexplorer.datasets.calls import is_call, make_called
from mvexplorer.datasets.catalogue import find_sample, is_built_in, open_sample, samples
from mvexplorer.engine.core.dates import DayMonth
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.notices import ABSENT
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import DataError, DataWarning, Offer, join_words
from mvexplorer.io.base.options import (
    Decimal,
    Half,
    Header,
    Join,
    Missing,
    ReadOptions,
    Repeated,
    Role,
    Samples,
    Sonograms,
    check_missing,
)
from mvexplorer.io.base.path_text import full_path
from mvexplorer.io.reading.files import Loaded, read_files
from mvexplorer.io.reading.inspection import Inspection
from mvexplorer.io.reading.manifest import Manifest
from mvexplorer.io.reading.objects import read_tables, tables_in_memory
from mvexplorer.io.reading.quality import describe_quality
from mvexplorer.io.tables.excel import split_sheet
from mvexplorer.io.writing.package import is_package, read_package

Source = Any
"""The name of a sample, a path, several of them; or tables in memory, see `mvexplorer.io.reading.objects`."""


def load(
    source: Source,
    *,
    views: Sequence[str] | None = None,
    labels: str | None = None,
    ids: str | None = None,
    preprocess: str | Sequence[str] | None = None,
    drop_missing: bool = False,
    join: Join | None = None,
    transpose: bool | str | Sequence[str] | None = None,
    roles: Mapping[str, Role] | None = None,
    split: Mapping[str, Sequence[str]] | None = None,
    names: Mapping[str, str] | None = None,
    missing: Missing | None = None,
    half: Half | None = None,
    samples: Samples | None = None,
    truncate: bool = False,
    sonograms: Sonograms | None = None,
    repeated: Repeated | None = None,
    decimal: Decimal | None = None,
    header: Header | None = None,
    dates: DayMonth | None = None,
) -> MultiView:
    """Load a built-in sample or files; see `load_source`, which also says what was assumed.

    Parameters
    ----------
    source : str, path, or sequence of them; or tables
        A sample's id; a file (``./name`` where a sample has that name), which may be a session with its data (.mvx);
        or several files, one view each; a generator with its keywords (``make_toy_train(case='noise')``). Also what is
        in memory: a data frame (pandas, polars, Arrow), sparse matrix, AnnData or MuData, a list of them, or a mapping.
    views : sequence of str, optional
        Names of the views to keep, in that order; in a MAT file also the variables that are views.
    labels, ids : str, optional
        Name of the column or variable with the class / name of each sample, or a file with one value per row.
    preprocess : "none", "centre", "zscore", "unit", "log1p", "pca:K", or one per view, optional
        Default: what a sample's manifest says, "none" for files.
    drop_missing : bool
        The same as `missing` "drop".
    join : "id", "position" or "intersect", optional
        How the rows of several files belong together: by the samples' names, row by row, or by name with only the
        samples that all files have. Default: by name where the files name their samples alike, else row by row;
        ambiguous files are refused.
    transpose : bool, str or sequence of str, optional
        Whether columns are the samples: of all tables, of none, or of these files or views. Default: what the other
        files, the labels or the header say.
    roles : mapping, optional
        Name of a column or variable (or ``FILE:NAME``) -> "view", "label", "id", "colour" or "ignore".
    split : mapping, optional
        Name of a view -> the columns it consists of, from any file: names, or patterns such as ``wt_*``.
    names : mapping, optional
        Name of a view -> its new name.
    missing : "drop", "median" or "knn", optional
        Drop samples that lack a number in any view, in all views; or fill it in by the feature's median, or by the mean
        of the 5 nearest samples of the same view. Default: missing numbers are refused.
    half : "both", "train" or "test", optional
        Which samples to read where a file holds a training half and a test half.
    samples : "intersection" or "union", optional
        Which samples to keep where some are missing from a view, or are not named by all files: those in all, or all,
        filled in with the mean of their 5 nearest samples in the other views.
    truncate : bool
        Cut recordings to their common start and to the shortest, where they begin or end apart.
    sonograms : "seismic-events" or "seismic-manifold", optional
        Turn recordings into sonograms, of 12 bands or of 512 frequencies.
    repeated : "first" or "drop", optional
        Which rows to keep where several share an id: the first of them, or none.
    decimal : "." or ",", optional
        The decimal sign of text tables. Default: what their numbers can only mean, else a point.
    header : "first" or "none", optional
        Whether the first row of tables is a header or a sample. Default: what it looks like.
    dates : "day-first" or "month-first", optional
        The order of dates such as 03/04/2024, which are then written as 2024-04-03. Default: they stay as they are.

    Returns
    -------
    MultiView
        The views, with labels, ids and images where the source has them.

    Raises
    ------
    DataError
        There is no such sample or file, or it cannot be used; RowsError where rows or sides are in doubt.

    Warns
    -----
    DataWarning
        What the files leave open although they can be read, and samples that were left out because a view lacks them,
        each with the argument that settles it; and before a table
        is converted that is larger than reading may hold (4 GB, or the environment variable MVEXPLORER_READ_LIMIT), its
        size. All that was assumed is in ``mvexplorer.datasets.loading.load_source(source).notes``.

    Examples
    --------
    >>> mvx.load("helix-a")
    MultiView(view1 600x3, view2 600x3)
    >>> np.save("heights.npy", np.arange(12.0).reshape(4, 3))
    >>> mvx.load("heights.npy", preprocess="centre").view_names
    ('heights',)
    >>> mvx.load("heights.npy", names={"heights": "sizes"}).view_names
    ('sizes',)
    """
    check_missing(drop_missing, missing)
    options = ReadOptions(
        views=None if views is None else tuple(views),
        labels=labels,
        ids=ids,
        preprocess=preprocess if preprocess is None or isinstance(preprocess, str) else tuple(preprocess),
        drop_missing=drop_missing,
        join=join,
        transpose=transpose if transpose is None or isinstance(transpose, bool) else _as_names(transpose),
        roles=roles or (),
        split=split or (),
        names=names or (),
        missing=missing,
        half=half,
        samples=samples,
        truncate=truncate,
        sonograms=sonograms,
        repeated=repeated,
        decimal=decimal,
        header=header,
        dates=dates,
    )
    loaded = load_source(source, options, task=Task(say=lambda sentence: warnings.warn(sentence, DataWarning, 2)))
    _warn(loaded)
    if isinstance(source, str) and is_built_in(source) and options == ReadOptions():
        _samples[loaded.data] = source
    return loaded.data


def sample_name(data: MultiView) -> str | None:
    """The name by which `load` gives this very data again: a sample's id, or a generator's call.

    None where it is not a built-in sample as `load` returned it.
    """
    return _samples.get(data)


_samples: WeakKeyDictionary[MultiView, str] = WeakKeyDictionary()
"""The samples that were loaded, while they are in use."""


def _warn(loaded: Loaded) -> None:
    """Warn a script of what the import page would ask about, and of samples left out though nobody asked for that."""
    from mvexplorer.io.reading.inspection import DOUBTS
    from mvexplorer.io.reading.questions import offers_of

    chosen = loaded.options.samples is not None or loaded.options.join == "intersect"
    keep_common = Offer("Keep those that all have", {"samples": "intersection"})
    for notice in loaded.notes if loaded.manifest is None else ():
        dropped = (keep_common,) if notice.code == ABSENT and not chosen else ()
        if dropped or notice.code in DOUBTS:
            ways = join_words([f"{offer.title} ({offer.in_python})" for offer in (*offers_of(notice), *dropped)])
            warnings.warn(f"{notice} {ways}{'.' * bool(ways)}".strip(), DataWarning, stacklevel=3)


def _as_names(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def load_source(
    source: Source, options: ReadOptions | None = None, *, task: Task | None = None, **changes: Any
) -> Loaded:
    """Load a built-in sample or files, as `load` does, with notes on what was assumed, and a sample's manifest.

    The options say how to read the source where it leaves that open; `changes` are single options by name, over them.
    The task hears how far reading is, and may stop it. DataError where there is no such sample or file, or it cannot be
    used; RowsError where rows or sides are in doubt; MissingValuesError where numbers are missing or infinite and
    `missing` is not given.
    """
    options = replace(options or ReadOptions(), **changes)
    tables = tables_in_memory(source)
    if tables is not None:
        return read_tables(tables, options)
    origin = _find(source)
    ready = _load_ready(origin, options)
    return read_files(cast("list[str | Path]", origin), options, task=task) if ready is None else ready


def inspect_source(source: Source, options: ReadOptions | None = None, task: Task | None = None) -> Inspection:
    """Look at files, or at a built-in sample, as they would be opened: what stands in the way is part of the report.

    The task hears how far reading is, may stop it, and limits the memory. DataError where there is no such sample or
    file.
    """
    from mvexplorer.io.reading.inspection import inspect_files, inspection_of

    origin, options = _find(source), options or ReadOptions()
    ready = _load_ready(origin, options)
    return inspect_files(cast("list[str | Path]", origin), options, task) if ready is None else inspection_of(ready)


def _find(source: Source) -> Manifest | list[str | Path]:
    """The sample that is named, a generator's call, or the files, all of which exist."""
    sources = _sources(source)
    if len(sources) == 1 and isinstance(sources[0], str):
        manifest = find_sample(sources[0])
        if manifest is not None:
            return manifest
        if is_call(sources[0]):
            return sources
    for each in sources:
        _check_exists(each, alone=len(sources) == 1)
    return sources


def _sources(source: Any) -> list[str | Path]:
    """The names and paths in `source`, which may be whatever a script hands over."""
    several = isinstance(source, Iterable) and not isinstance(source, str | os.PathLike | bytes | Mapping)
    given = list(source) if several else [source]
    strange = [type(each).__name__ for each in given if not isinstance(each, str | os.PathLike)]
    if strange:
        message = f"A {strange[0]} is given where the name of a sample or file belongs."
        raise DataError(message, "Give a name, a path or a list of them; arrays are joined by MultiView([X, Y]).")
    return [each if isinstance(each, str) else Path(each) for each in given]


def _load_ready(origin: Manifest | list[str | Path], options: ReadOptions) -> Loaded | None:
    """A sample, generated data, or the data of a session that was saved with it; None for other files."""
    if not isinstance(origin, list):
        data = _as_asked(open_sample(origin.id), options, at_forty_hertz=origin.id == "seismic-events")
        return Loaded(data, describe_quality(data), (origin.id,), origin, options)
    if len(origin) == 1 and is_call(str(origin[0])):
        text = str(origin[0])
        made = _as_asked(make_called(text), options, at_forty_hertz=text.startswith("make_seismic_events"))
        return Loaded(made, (), (text,), None, options)
    packages = [path for path in origin if is_package(path)]
    if not packages:
        return None
    if len(origin) > 1:
        message = f"“{Path(packages[0]).name}” holds all the data of a session, and cannot be joined with other files."
        raise DataError(message, "Open it alone.")
    path = full_path(packages[0])
    return Loaded(_as_asked(read_package(path), options), (), (str(path),), None, options)


def _as_asked(data: MultiView, options: ReadOptions, *, at_forty_hertz: bool = False) -> MultiView:
    """Data that is not read from tables, with views, labels, names, sonograms and preprocessing as the options say.

    Only of the generated events it is known how many samples a second they have.
    """
    from mvexplorer.engine.core.multiview import known_ids

    if options.views is not None:
        keep = [data.view_index(name) for name in options.views]
        data = data.replace(
            Xs=[data.Xs[i] for i in keep],
            view_names=options.views,
            preprocess=[data.preprocess[i] for i in keep],
            feature_weights=[data.feature_weights[i] for i in keep],
            feature_names=[data.feature_names[i] for i in keep],
            bursts=None if data.bursts is None else [data.bursts[i] for i in keep],
        )
    if options.labels is not None:
        data = data.replace(labels=_sample_column(data, options.labels))
    if options.ids is not None:
        data = data.replace(sample_ids=known_ids(_sample_column(data, options.ids)))
    if options.sonograms is not None:
        from mvexplorer.datasets.seismic import SAMPLING_RATE
        from mvexplorer.engine.sonograms import waveform_views

        if not at_forty_hertz:
            raise DataError(
                "How many samples a second these recordings have is not known.", "Make their sonograms in the window."
            )
        data = waveform_views(data, SAMPLING_RATE, options.sonograms)
    if options.preprocess is not None:
        data = data.replace(preprocess=options.preprocess)
    return data


def _sample_column(data: MultiView, name: str) -> list[object]:
    columns = {**data.latent, **data.columns}
    if data.labels is not None:
        columns["labels"] = data.labels
    if name not in columns:
        raise DataError(f"The data has no column called “{name}”.", f"Its columns are {', '.join(columns) or 'none'}.")
    return list(columns[name])


def _check_exists(source: str | Path, *, alone: bool) -> None:
    # pathlib raises for a name too long for the system and for an unknown user's home; neither file exists.
    if os.path.exists(os.path.expanduser(split_sheet(source)[0])):
        return
    names = [manifest.id for manifest in samples()]
    if not alone and str(source) in names:
        raise DataError(f"The sample “{source}” cannot be joined with files.", "Load it alone, or give files only.")
    near = sorted(difflib.get_close_matches(str(source).lower(), names, n=3, cutoff=0.5), key=names.index)
    if near:
        hint = f"Did you mean the sample {' or '.join(near)}?"
    else:
        hint = f"Check the path; the samples are {', '.join(names)}."
    raise DataError(f"There is no sample or file called “{source}”.", hint)
