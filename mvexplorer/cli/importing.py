"""The command that says how files are read: what was assumed, what is in doubt, and what the data is like."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from os.path import isabs
from typing import Any

from mvexplorer.cli.inputs import check_data_file
from mvexplorer.cli.loading import memory_of, reading_task, say_notes
from mvexplorer.cli.output import error_text, note, print_json, print_table, say, tell
from mvexplorer.cli.reading import flags_of, reading
from mvexplorer.datasets.loading import inspect_source
from mvexplorer.engine.core.task import Task
from mvexplorer.io.arrays.archive import write_archive
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.check_list import ImportCheck, whole_check_list
from mvexplorer.io.reading.files import Loaded
from mvexplorer.io.reading.groups import grouped
from mvexplorer.io.reading.inspection import Inspection, Item, ViewReport
from mvexplorer.state.session.settings import keep_reading
from mvexplorer.wording import counted, finite_or_none, one_line, size


def import_command(options: argparse.Namespace) -> int:
    """Report how files are read, and write them as one file; 2 where they cannot be read as they are."""

    if options.out is not None:
        check_data_file(options.out)
    report = inspect_source(options.sources, reading(options), reading_task(options))
    memory = memory_of(options)  # what takes long was said at the first look
    checks = whole_check_list(
        report, reading(options), lambda changed: inspect_source(options.sources, changed, Task(memory=memory))
    )
    if options.json:
        print_json(_facts(report, checks))
    else:
        if report.error is None:
            _print_report(report)
        _print_checks(checks, stopped=report.error is not None)
    if report.error is not None:
        note(error_text(report.error))
        return 2
    assert report.loaded is not None  # without an error
    if not options.json:
        say_notes(report.loaded)
    _keep(report.loaded, reading(options))
    if options.out is not None:
        _write(report.loaded, options.out)
    return 0


def _keep(loaded: Loaded, reading: ReadOptions) -> None:
    """Have the window read the files as the flags say."""

    if reading.plain and all(map(isabs, loaded.sources)) and (problem := keep_reading(loaded.sources, loaded.options)):
        note(problem)


def _write(loaded: Loaded, out: str) -> None:

    write_archive(loaded.data, out)
    tell(f"{one_line(out)}: {counted(loaded.data.n_samples, 'sample')} of {', '.join(loaded.data.view_names)}\n")
    if any(how != "none" for how in loaded.data.preprocess):
        note("The file holds the features as they are; give --preprocess where it is opened.")


def _facts(report: Inspection, checks: Sequence[ImportCheck]) -> dict[str, Any]:
    """All that is known, for JSON."""
    return {
        "choices": [{"text": str(text), "flags": flags_of(text)} for text in report.notes if flags_of(text)],
        "views": [_about_view(view) for view in report.views],
        "labels": report.label,
        "ids": report.ids,
        "notes": [str(text) for text in report.notes],
        "doubts": [{"text": str(text), "flags": flags_of(text)} for text in report.doubts],
        "samples": report.n_samples,
        "joined": report.join,
        "coordinates": [] if report.loaded is None else list(report.loaded.data.coordinates),
        "bytes_of_all_pairs": report.memory,
        "files": list(report.files),
        "items": [_about_item(item) for item in report.items],
        "error": None if report.error is None else error_text(report.error),
        "checks": [_about_card(card) for card in checks],
        "proposed": _proposed(checks),
    }


def _about_card(card: ImportCheck) -> dict[str, Any]:
    remarks = [
        {
            "text": remark.text,
            "offers": [
                {"title": one.title, "flags": one.in_shell, "chosen": one == remark.chosen} for one in remark.offers
            ],
        }
        for remark in card.remarks
    ]
    return {"name": card.name, "title": card.title, "state": card.state, "remarks": remarks}


def _proposed(checks: Sequence[ImportCheck]) -> list[str]:
    """The flags of all that is proposed."""
    chosen = [remark.chosen for card in checks if card.state == "proposal" for remark in card.remarks]
    return list(dict.fromkeys(offer.in_shell for offer in chosen if offer is not None))


def _about_view(view: ViewReport) -> dict[str, Any]:
    scale, prepared = finite_or_none((view.median_scale, view.prepared_scale))
    return {
        "name": view.name,
        "shape": list(view.shape),
        "type": view.dtype,
        "preprocess": view.preprocess,
        "median_squared_distance": scale,
        "median_squared_distance_preprocessed": prepared,
        "constant_columns": view.n_constant,
        "repeated_samples": view.n_duplicates,
        "missing": view.n_missing,
        "bytes": view.bytes,
    }


def _about_item(item: Item) -> dict[str, Any]:
    return {
        "file": item.file,
        "name": item.name,
        "kind": item.kind,
        "shape": list(item.shape),
        "type": item.dtype,
        "role": item.role,
        "view": item.view,
        "first": list(item.preview),
        "missing": item.n_missing,
        "why": item.why,
        "range": item.range,
    }


def _print_report(report: Inspection) -> None:
    before = ", in the file" if any(view.preprocess != "none" for view in report.views) else ""
    if report.views:
        print_table([
            ("view", "samples x features", f"median distance²{before}", "constant", "repeated", "missing",
             "preprocessing", *(["distance² after it"] if before else [])),
            *((v.name, " x ".join(map(str, v.shape)), f"{v.median_scale:.3g}", str(v.n_constant), str(v.n_duplicates),
               str(v.n_missing), v.preprocess, *([f"{v.prepared_scale:.3g}"] if before else [])) for v in report.views),
        ])  # fmt: skip
    rows = _columns(report)
    if rows:
        say("")
        print_table([("found", "taken as", "type", "range", "missing", f"first values{before}"), *rows])
    say("")
    data = None if report.loaded is None else report.loaded.data
    say(f"labels: {report.label or 'none'}")
    header = any(item.header for item in report.items)
    say(f"names of the samples: {'the header' if header else report.ids or 'their row numbers'}")
    if data is not None and data.coordinates:
        say(f"given coordinates: {', '.join(data.coordinates)}")
    worth_telling = 1 << 20
    if report.memory >= worth_telling:
        say(f"all pairs of samples, in every view: {size(report.memory)}")


def _columns(report: Inspection) -> list[tuple[str, ...]]:
    """A line for each group of columns, as on the import page."""
    most_listed, most_values = 40, 4
    lines = [group for _, groups in grouped(report.items) for group in groups]
    rows = []
    for group in lines[:most_listed]:
        whole, n = group.whole, len(group.items)
        taken = f"{whole.role} {whole.view}" if whole.view and whole.role == "view" else whole.role
        title = f"{group.title} ({n:,})" if n > 1 else group.title or "(no name)"
        gaps = f"{whole.n_missing:,}" if whole.n_missing else ""
        rows.append((title, taken, whole.dtype, whole.range, gaps, ", ".join(whole.preview[:most_values])))
    left = len(lines) - most_listed
    return [*rows, *([(f"and {left:,} more", "", "", "", "", "")] if left > 0 else [])]


def _print_checks(checks: Sequence[ImportCheck], *, stopped: bool) -> None:
    """The check list of the import page, with the flags that settle what is not fine."""
    words = {"fine": "fine", "proposal": "a proposal", "decide": "for you to decide"}
    say("")
    for card in checks:
        if card.state == "unknown":
            continue
        say(f"{card.title}: {'cannot be opened' if card.blocks else words[card.state]}")
        for remark in card.remarks:
            say(f"    {one_line(remark.text)}")
            for offer in sorted(remark.offers, key=lambda one: one != remark.chosen):
                first = "proposed: " if card.state == "proposal" else "chosen: "
                which = "" if remark.chosen is None else first if offer == remark.chosen else "or: "
                say(f"      {which}{one_line(offer.title)} ({offer.in_shell})")
    if stopped and (flags := _proposed(checks)):
        say(f"To read the files as proposed, add {one_line(' '.join(flags))}")
