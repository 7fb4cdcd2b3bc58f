"""How files are to be read: the choices made on the import page, and what they lead to. It needs no Qt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Literal

from psygnal import Signal

from mvexplorer.compute.jobs.jobs import InspectJob
from mvexplorer.compute.run.scheduler import Outcome
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.notices import ABSENT, HALVES, Notice
from mvexplorer.engine.core.preprocessing import check_fits
from mvexplorer.errors import MVExplorerError, Offer, ways_out
from mvexplorer.io.base.options import ReadOptions, Role
from mvexplorer.io.reading.check_list import (
    MOST_PROPOSALS,
    TREATMENTS,
    ImportCheck,
    Remark,
    as_proposed,
    changes_of,
    check_list,
    proposal,
    settling_offers,
    treatment_offers,
)
from mvexplorer.io.reading.files import Loaded
from mvexplorer.io.reading.inspection import Inspection, Item, ViewReport
from mvexplorer.state.bench.import_preview import Prepared, PrepareJob
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.wording import source_title

SLOT = "open"
"""Where the controller reads files; see `Controller.open`."""
Preprocessing = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ImportChoices:
    """The choices so far: the files, how they are read, and how each view is preprocessed afterwards."""

    files: tuple[str, ...]
    options: ReadOptions
    preprocess: Preprocessing | None = None
    """None until the views are known; before, `options` may say it, view by view."""
    proposed: frozenset[str] = frozenset()
    """Names of the options that the program chose, so that the files can be opened."""


class Importing:
    """Files on their way into the document: every choice has them inspected anew in the background.

    `opened` is called with the data that is to be shown; `inspection` is that of the files as read with `options`, if
    it is known.
    """

    changed = Signal()
    """The choices, or what they lead to."""
    progressed = Signal()
    """More of the files is read."""

    def __init__(
        self,
        controller: Controller,
        files: tuple[str, ...],
        options: ReadOptions,
        opened: Callable[[Loaded], object],
        inspection: Inspection | None = None,
    ) -> None:
        self._controller, self._opened = controller, opened
        self.choices = ImportChoices(files, options)
        self.inspection: Inspection | None = None
        """The contents of the files at the last look."""
        self.state: Literal["reading", "ready", "stopped"] = "ready"
        self.problem: MVExplorerError | None = None
        """Why the files could not even be looked at, or the last choice could not be made."""
        self.prepared: tuple[MultiView, dict[str, Prepared]] | None = None
        """The data with its preprocessing, and what the first samples are then, once that is known."""
        self._answered: dict[str, MVExplorerError] = {}
        """Refusals that a choice has settled, so that the choice can be changed."""
        self._open_when_read = False
        self._past: list[tuple[str, ImportChoices]] = []
        self._future: list[tuple[str, ImportChoices]] = []
        controller.tasks_changed.connect(self._tasks_changed)
        if inspection is None:
            self.read()
        else:
            self._take(inspection)

    # What is known ------------------------------------------------------------------------------------------

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the files."""
        return self.choices.files

    @property
    def options(self) -> ReadOptions:
        """How the files are read, what is done to the views included."""
        choices, reports = self.choices, self.inspection.views if self.inspection else ()
        if choices.preprocess is None:
            return choices.options
        each = tuple(self.preprocess_of(view.name) for view in reports)
        return replace(choices.options, preprocess=each if any(how != "none" for how in each) else None)

    @property
    def title(self) -> str:
        """One title for the files together."""
        return source_title(self.files)

    @property
    def items(self) -> tuple[Item, ...]:
        """The columns and variables of the files."""
        return self.inspection.items if self.inspection else ()

    @property
    def views(self) -> tuple[str, ...]:
        """Names of the views that the files lead to."""
        names = [view.name for view in self.inspection.views] if self.inspection else []
        return tuple(dict.fromkeys([*names, *(item.view for item in self.items if item.view)]))

    @property
    def can_open(self) -> bool:
        """Whether there is something to show, now or once it is read."""
        return self.state == "reading" or (self.inspection is not None and self.inspection.loaded is not None)

    @property
    def fraction(self) -> float:
        """How much of the reading is done."""
        return next((task.fraction for task in self._controller.tasks() if task.slot == SLOT), 0.0)

    def preprocess_of(self, view: str) -> str:
        """The preprocessing of a view's columns."""
        return dict(self.choices.preprocess or ()).get(view, "none")

    def shown_raw(self, view: str) -> bool:
        """Whether a view that is to be preprocessed is still shown as it is in the files."""
        done = self.prepared[1] if self.prepared else {}
        return self.preprocess_of(view) != "none" and view not in done

    def scale_of(self, view: ViewReport) -> float:
        """The median squared distance of a view as it will be; as it is in the files where that is not known."""
        done = self.prepared[1] if self.prepared else {}
        return done[view.name].scale if view.name in done else view.median_scale

    def key(self, item: Item) -> str:
        """The name of a column or variable in the options: its own, with the file's where several have it."""
        if self._counts[item.name] == 1:
            return item.name
        return f"{self._file_key(item.file)}:{item.name}"

    def _file_key(self, file: str) -> str:
        """The name of a file in the options: its own, with the folders where several have it."""
        name = PurePath(file).name
        return name if [PurePath(f).name for f in self.files].count(name) == 1 else file

    def offers_for(self, notice: Notice) -> tuple[Offer, ...]:
        """Offers that would settle a doubt, or do what a note proposes."""
        if notice.code in TREATMENTS:
            raw = tuple(view for view in notice.subjects if self.preprocess_of(view) == "none")
            return treatment_offers(notice, raw, len(self.views))
        return () if self.inspection is None else settling_offers(notice, self.inspection)

    @property
    def checks(self) -> tuple[ImportCheck, ...]:
        """The check list; first why the files could not be looked at, or the last choice could not be made."""
        cards: tuple[ImportCheck, ...] = ()
        if self.problem is not None:
            cards = (ImportCheck("files", "Files", "decide", (Remark(str(self.problem)),)),)
        if self.inspection is None:
            return cards
        proposed, answered = self.choices.proposed, tuple(self._answered.values())
        cards += check_list(
            self.inspection, self.choices.options, self.offers_for, proposed=proposed, answered=answered
        )
        open_ways = ways_out(self.inspection.error) if self.state != "reading" else ()
        return tuple(
            replace(card, state="decide") if open_ways and card.remarks[0].offers == open_ways else card
            for card in cards
        )

    def asks(self, option: str) -> bool:
        """True if an option of reading means anything to these files."""
        inspection, chosen = self.inspection, getattr(self.choices.options, option) is not None
        if option == "join":
            return chosen or len(self.files) > 1
        codes = {notice.code for notice in (*inspection.notes, *inspection.doubts)} if inspection is not None else set()
        return chosen or {"half": HALVES, "samples": ABSENT}[option] in codes

    # Choosing -----------------------------------------------------------------------------------------------

    def choose(self, label: str, **changes: Any) -> None:
        """Change options of reading, by name."""
        own = self.choices.proposed - changes.keys()
        self._apply(label, replace(self.choices, options=replace(self.choices.options, **changes), proposed=own))

    def take(self, offer: Offer) -> None:
        """Do what an offer says, instead of another one that settled the same."""
        if "treatment" in offer.options:
            self._preprocess(offer.title, *offer.options["treatment"])
            return
        former = [one.chosen for card in self.checks for one in card.remarks if one.chosen and offer in one.offers]
        usual = {name: getattr(ReadOptions(), name) for one in former for name in one.options if name != "roles"}
        self.choose(offer.title, **{**usual, **changes_of(offer, self.choices.options)})

    def set_role(self, items: Sequence[Item], role: Role) -> None:
        """Say what columns or variables are; there is one label, and one column of ids in each file."""
        roles = dict(self.choices.options.roles)
        changes: dict[str, Any] = {}
        if role == "label":
            items, changes = items[:1], {"labels": None}
        elif role == "id":
            items, changes = list({item.file: item for item in reversed(items)}.values()), {"ids": None}
        if changes:
            files = {item.file for item in items} if role == "id" else {item.file for item in self.items}
            former = [other for other in self.items if other.role == role and other.file in files]
            roles.update({self.key(other): "colour" for other in former})
        keys = [self.key(item) for item in items]
        roles.update(dict.fromkeys(keys, role))
        what = keys[0] if len(keys) == 1 else f"{len(keys):,} columns"
        words: dict[str, str] = {
            "view": "a feature",
            "label": "the label",
            "id": "the id",
            "colour": "a colouring",
            "ignore": "ignored",
            "coordinates": "coordinates",
            "kernel": "a kernel",
        }
        self.choose(f"Make {what} {words[role]}", roles=roles, **changes)

    def set_view(self, items: Sequence[Item], view: str) -> None:
        """Make columns part of a view, which may be new; a variable that is a view gets the name."""
        options = self.choices.options
        names, roles = dict(options.names), dict(options.roles)
        for item in items:
            if item.kind == "array":
                names[_found_name(names, item.view or item.name)] = view
            roles[self.key(item)] = "view"
        columns = [item for item in items if item.kind != "array"]
        changes: dict[str, Any] = {"split": self._moved(columns, view)} if columns else {}
        self.choose(f"Move {len(items):,} to {view}", names=names, roles=roles, **changes)

    def rename_view(self, view: str, name: str) -> None:
        """Give a view another name."""
        name = name.strip()
        if not name or name == view:
            return
        options = self.choices.options
        preprocess = tuple((name if v == view else v, how) for v, how in self.choices.preprocess or ())
        if view in dict(options.split):
            split = {name if v == view else v: columns for v, columns in dict(options.split).items()}
            changed = replace(options, split=split)
        else:
            names = dict(options.names)
            changed = replace(options, names={**names, _found_name(names, view): name})
        if changed.views is not None:
            changed = replace(changed, views=tuple(name if v == view else v for v in changed.views))
        self._apply(f"Rename {view}", replace(self.choices, options=changed, preprocess=preprocess))

    def turn(self, file: str) -> None:
        """Take the columns of a file as samples, or its rows again."""
        self._turn([self._file_key(file)])

    def turn_view(self, view: str) -> None:
        """Take the columns of what a view comes from as samples, or its rows again."""
        of_view = [item for item in self.items if item.view == view]
        names = [item.name if item.kind == "array" else self._file_key(item.file) for item in of_view]
        self._turn(list(dict.fromkeys(names)))

    def _turn(self, tables: Sequence[str]) -> None:
        turned = self.choices.options.transpose
        before = turned if isinstance(turned, tuple) else tuple(map(self._file_key, self.files)) if turned else ()
        now = [*(name for name in before if name not in tables), *(name for name in tables if name not in before)]
        self.choose(f"Turn {', '.join(tables)}", transpose=tuple(now) or False)

    def set_preprocess(self, view: str, how: str) -> None:
        """Say what is done to the columns of a view; nothing has to be read for that."""
        self._preprocess(f"Preprocess {view}", (view,), how)

    def _preprocess(self, label: str, views: Sequence[str], how: str) -> None:
        each = {**dict(self.choices.preprocess or ()), **dict.fromkeys(views, how)}
        loaded = self.inspection.loaded if self.inspection else None
        try:
            for view in views:
                if loaded is not None and view in loaded.data.view_names:
                    check_fits(how, loaded.data.Xs[loaded.data.view_index(view)], view, whole=True)
        except MVExplorerError as error:
            self.problem = error
        else:
            self.problem = None
            self._remember(label, replace(self.choices, preprocess=tuple(each.items())))
            self._prepare()
        self.changed.emit()

    def add_files(self, files: Iterable[str]) -> None:
        """Read more files together with these."""
        more = tuple(dict.fromkeys((*self.files, *files)))
        if more != self.files:
            self._apply("Add files", replace(self.choices, files=more))

    def remove_file(self, file: str) -> None:
        """Read the other files without this one."""
        left = tuple(f for f in self.files if f != file)
        if left and left != self.files:
            self._apply(f"Leave out {PurePath(file).name}", replace(self.choices, files=left))

    def _moved(self, columns: Sequence[Item], view: str) -> dict[str, tuple[str, ...]]:
        """Which columns make up which view once some have moved to `view`."""
        moved = {id(item) for item in columns}
        groups: dict[str, list[str]] = {}
        for item in self.items:
            goes = view if id(item) in moved else item.view
            if item.kind != "array" and goes and (id(item) in moved or item.role == "view"):
                groups.setdefault(goes, []).append(self.key(item))
        return {name: tuple(keys) for name, keys in groups.items()}

    # Back and forth -----------------------------------------------------------------------------------------

    @property
    def undo_label(self) -> str | None:
        """The choice that would be taken back."""
        return self._past[-1][0] if self._past else None

    @property
    def redo_label(self) -> str | None:
        """The choice that would be made again."""
        return self._future[-1][0] if self._future else None

    def undo(self) -> None:
        """Take the last choice back."""
        self._travel(self._past, self._future)

    def redo(self) -> None:
        """Make the choice again that was taken back."""
        self._travel(self._future, self._past)

    def _travel(self, source: list[tuple[str, ImportChoices]], goal: list[tuple[str, ImportChoices]]) -> None:
        if not source:
            return
        label, choices = source.pop()
        goal.append((label, self.choices))
        again = (choices.files, choices.options) != (self.files, self.choices.options)
        self.choices = choices
        if again:
            self.read()
        else:
            self._prepare()
            self.changed.emit()

    def _remember(self, label: str, choices: ImportChoices) -> None:
        self._past.append((label, self.choices))
        self._future.clear()
        self.choices = choices

    def _apply(self, label: str, choices: ImportChoices) -> None:
        if choices != self.choices:
            if choices.files != self.files:
                self._answered.clear()
            self._remember(label, choices)
            self.read()

    # Reading and opening ------------------------------------------------------------------------------------

    def read(self) -> None:
        """Look into the files again, in the background; the latest choice wins."""
        self.state, self.problem = "reading", None

        def arrived(outcome: Outcome) -> None:
            if outcome.error is None:
                self._take(outcome.value)
            else:
                self.state, self.problem, self._open_when_read = "stopped", outcome.error, False
            self.changed.emit()

        self._controller.open(InspectJob(self.files, self.choices.options), arrived)
        self.changed.emit()

    def _tasks_changed(self) -> None:
        if self.state == "reading":
            self.progressed.emit()

    def stop(self) -> None:
        """Stop reading; what was found at the last look stays."""
        if self.state == "reading":
            self._controller.cancel(SLOT)
            self.state, self._open_when_read = "stopped", False
            self.changed.emit()

    def open(self) -> None:
        """Open what was read; while it is being read, as soon as it is."""
        if self.state == "reading":
            self._open_when_read = True
            self.changed.emit()
        elif self.inspection is not None and self.inspection.loaded is not None:
            self._opened(self._prepared(self.inspection.loaded))

    @property
    def opens_soon(self) -> bool:
        """Whether the data is opened as soon as it is read."""
        return self._open_when_read

    def _take(self, inspection: Inspection) -> None:
        self.inspection, self.state, self.problem = inspection, "ready", None
        self._counts = Counter(item.name for item in inspection.items)
        if inspection.error is not None and ways_out(inspection.error):
            self._answered[inspection.error.message] = inspection.error
        if self._takes_proposal(inspection):
            return
        if self.choices.preprocess is None and inspection.views:
            each = tuple((view.name, view.preprocess) for view in inspection.views)
            plain = replace(self.choices.options, preprocess=None)
            self.choices = replace(self.choices, options=plain, preprocess=each)
        elif self.choices.options.preprocess is not None:
            # It may belong to views that are no longer there, and be why nothing can be read.
            plain = replace(self.choices.options, preprocess=None)
            self.choices = replace(self.choices, options=plain)
            self.read()
            return
        self._prepare()
        if self._open_when_read:
            self._open_when_read = False
            self.open()

    def _takes_proposal(self, inspection: Inspection) -> bool:
        """Take what is proposed where the files cannot be opened as they stand, unless the user chose otherwise."""
        offer = proposal(inspection)
        changed = as_proposed(inspection, self.choices.options, self.choices.proposed)
        if offer is None or changed is None or len(self._answered) > MOST_PROPOSALS:
            return False
        self.choices = replace(self.choices, options=changed, proposed=self.choices.proposed | offer.options.keys())
        self.read()
        return True

    def _prepare(self) -> None:
        """Have the first samples preprocessed, to be shown as they will be."""
        background, loaded = self._controller.background, self.inspection.loaded if self.inspection else None
        data = self._prepared(loaded).data if loaded is not None else None
        self.prepared = None
        slot = "import"
        background.cancel(slot)
        if data is None or set(data.preprocess) == {"none"}:
            return

        def arrived(outcome: Outcome) -> None:
            if outcome.value is not None:
                self.prepared = data, outcome.value
                self.changed.emit()

        background.submit(slot, PrepareJob(data), arrived, title="First samples as they will be")

    def _prepared(self, loaded: Loaded) -> Loaded:
        each = tuple(self.preprocess_of(name) for name in loaded.data.view_names)
        data = loaded.data if loaded.data.preprocess == each else loaded.data.replace(preprocess=each)
        options = replace(loaded.options, preprocess=self.options.preprocess)
        done = {name for name in data.view_names if self.preprocess_of(name) != "none"}
        notes = tuple(n for n in loaded.notes if n.code not in TREATMENTS or not done.issuperset(n.subjects))
        return replace(loaded, data=data, notes=notes, options=options)


def _found_name(names: dict[str, str], view: str) -> str:
    """The name that a view was found under."""
    return next((original for original, given in names.items() if given == view), view)
