"""A whole session as a script or a notebook, and one panel as a few lines to paste."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError, MVExplorerError
from mvexplorer.state.colourings.derived import coloured_or_why
from mvexplorer.state.document.model import DocumentState, PanelState
from mvexplorer.state.document.titles import state_title
from mvexplorer.state.export.captions import panel_caption
from mvexplorer.state.export.record import document_record
from mvexplorer.state.export.script.findings import colouring, keeping, scoring, selecting
from mvexplorer.state.export.script.lines import Code, assignment, comment
from mvexplorer.state.export.script.notebook import NotebookCell, notebook_text
from mvexplorer.state.export.script.panels import PanelCode, panel_codes, shared_options
from mvexplorer.state.export.script.source import ScriptPlace, loading
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.state.pictures.requests import request_of
from mvexplorer.version import __version__
from mvexplorer.writing import writing


@dataclass(frozen=True)
class Block:
    """A part of a script: a heading and words for a reader, and statements."""

    heading: str
    words: str
    lines: tuple[str, ...] = ()
    shown: str = ""
    """The variable of which a notebook shows a picture; `caption` stands above that."""
    caption: str = ""


def session_code(state: DocumentState, data: MultiView | None, results: Mapping[str, PanelResult], path: Path) -> str:
    """The script or, where the file ends in .ipynb, the notebook that makes a session's arrays.

    `results`, by panel id, say which panels cannot be computed, and what those that can have drawn, as far as this is
    known. The text finds the data from where `path` is. MVExplorerError where there is no data, or it came from no
    file.
    """
    notebook = path.suffix.lower() == ".ipynb"
    blocks = _blocks(state, data, results, ScriptPlace(path.absolute().parent, notebook))
    return _notebook(state, blocks) if notebook else _script(blocks)


def write_session_code(
    state: DocumentState, data: MultiView | None, results: Mapping[str, PanelResult], path: Path
) -> None:
    """Write the script or notebook; a file of that name is replaced once the new one is complete.

    MVExplorerError as from `session_code`, and for another ending than .py and .ipynb or a file that cannot be written.
    """
    suffixes = (".py", ".ipynb")
    if path.suffix.lower() not in suffixes:
        raise DataError(f"Python cannot be written as “{path.name}”.", "End the file's name in .py or .ipynb.")
    text = session_code(state, data, results, path)
    with writing(path) as file:
        file.write(text.encode())


def panel_script(state: DocumentState, data: MultiView | None, panel: PanelState) -> str:
    """The lines that load the data and compute one panel's embedding, to be pasted anywhere.

    MVExplorerError where the panel cannot be computed as it is, or its data came from no file.
    """
    request = request_of(state, data, panel)
    (code,) = panel_codes(state, data, {}, [panel])
    call = code.lines({})[0]
    lines = ["import mvexplorer as mvx", "", *loading(state, request.data, ScriptPlace()), call]
    return "\n".join([*lines, f"{code.name}.coordinates"]) + "\n"


def _blocks(
    state: DocumentState, data: MultiView | None, results: Mapping[str, PanelResult], place: ScriptPlace
) -> list[Block]:
    """The parts of a script, in the order of its statements."""
    if data is None:
        raise MVExplorerError("There is no data.", "Open a file or a sample.")
    codes = panel_codes(state, data, results, state.panels)
    computed = [code for code in codes if not code.problem]
    shared = shared_options(computed)
    blocks = [Block("Data", _about(state, data), tuple(loading(state, data, place)))]
    if shared:
        common = tuple(assignment(name, value) for name, value in shared.items())
        blocks.append(Block("Shared parameters", "What several panels have in common.", common))
    captions = _captions(state, data, results) if place.notebook else {}
    blocks += [_panel_block(code, shared, captions.get(code.panel.id, "")) for code in codes]
    if computed:
        named = assignment("panels", {code.title: Code(code.name) for code in computed})
        blocks.append(Block("", "The panels by their titles.", (named,)))
        blocks.append(Block("Scores", *_frozen(*scoring(state, data, computed))))
    words, lines = colouring(state, data, computed)
    blocks.append(Block("Colours", words, tuple(lines)))
    blocks.append(Block("Selection", *_frozen(*selecting(state, data, bool(lines)))))
    blocks.append(Block("Named selections", *_frozen(*keeping(state, data))))
    filled = [block for block in blocks if block.words]
    return [_imports(filled), *filled]


def _frozen(words: str, lines: list[str]) -> tuple[str, tuple[str, ...]]:
    return words, tuple(lines)


def _about(state: DocumentState, data: MultiView) -> str:
    most = 12
    widths = zip(data.view_names[:most], data.Xs, strict=False)
    views = ", ".join(f"{name} ({X.shape[1]:,})" for name, X in widths)
    more = ", …" if data.n_views > most else ""
    return f"{state_title(state)}. {data.n_samples:,} samples; views, with their features: {views}{more}."


def _captions(state: DocumentState, data: MultiView, results: Mapping[str, PanelResult]) -> dict[str, str]:
    """The captions of the panels that are computed, by their ids."""
    computed = {id for id, shown in results.items() if shown.result is not None}

    def result_of(id: str) -> PanelResult:
        return results.get(id, PanelResult())

    colouring, _ = coloured_or_why(state, data, result_of)
    record = document_record(state, data, state_title(state), result_of, colouring)
    panels = zip(state.panels, record["panels"], strict=True)
    return {panel.id: panel_caption(entry, record) for panel, entry in panels if panel.id in computed}


def _panel_block(code: PanelCode, shared: Mapping[str, object], caption: str) -> Block:
    if code.problem:
        return Block(code.title, f"It cannot be computed: {code.problem}")
    words = f"Drawn: {code.drawn_words}." if code.drawn_words else "Its coordinates, and those that are drawn."
    return Block(code.title, words, tuple(code.lines(shared)), code.name, caption)


def _imports(blocks: list[Block]) -> Block:
    """The imports that these parts need."""
    text = "\n".join(line for block in blocks for line in block.lines)
    lines = ["from pathlib import Path\n"] if "Path(" in text or "Path.cwd" in text else []
    lines += ["import numpy as np\n"] if "np." in text else []
    return Block("", "", (*lines, "import mvexplorer as mvx"))


def _script(blocks: list[Block]) -> str:
    """The parts one below the other, their words as comments."""
    # The first two lines hold no words of others: Python looks for the file's encoding there.
    head = f"# The panels of a session, computed again with the same numbers. Written by mvexplorer {__version__}."
    parts = [head, "\n".join(blocks[0].lines)]
    for block in blocks[1:]:
        words = f"{block.heading}. {block.words}" if block.shown or not block.lines else block.words
        parts.append("\n".join([comment(words), *block.lines]))
    return "\n\n".join(parts) + "\n"


def _notebook(state: DocumentState, blocks: list[Block]) -> str:
    """The parts as cells, their words as text."""
    about = f"The panels of a session, computed again with the same numbers. Written by mvexplorer {__version__}."
    cells = [
        NotebookCell(about, heading=state_title(state), level=1),
        NotebookCell("\n".join(blocks[0].lines), code=True),
    ]
    for block in blocks[1:]:
        cells.append(NotebookCell(block.caption or block.words, heading=block.heading))
        if block.lines:
            cells.append(NotebookCell("\n".join([*block.lines, *([block.shown] if block.shown else [])]), code=True))
    return notebook_text(cells)
