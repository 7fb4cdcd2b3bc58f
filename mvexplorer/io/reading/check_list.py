"""The check list before files are opened: pairing, label, missing values, scales; each with what settles it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from mvexplorer.engine.core.classes import known_classes
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.notices import (
    ABSENT,
    BY_POSITION,
    DATES,
    DATES_READ,
    DECIMAL_SIGN,
    DOMINANT_COLUMN,
    HALVES,
    HEADER,
    MANY_FEATURES,
    MIXED,
    NO_HEADER,
    NUMBERS_AS_NAMES,
    NUMERIC_LABEL,
    POSSIBLE_IDS,
    POSSIBLE_LABEL,
    POSSIBLE_SPLIT,
    POSSIBLY_TURNED,
    RAW_COUNTS,
    REPEATED_IDS,
    SAME_COLUMNS,
    SHARED_NUMBERS,
    SIMILARITY,
    SOME_UNLABELLED,
    TWO_IDS,
    UNEVEN_SCALES,
    UNLIKE_VIEWS,
    WAVEFORMS,
    Notice,
)
from mvexplorer.errors import MissingValuesError, MixedColumnError, MVExplorerError, Offer, RowsError, ways_out
from mvexplorer.io.base.missing import DROPPED, FILLED
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.base.parts import MOST_CLASSES, are_measurements
from mvexplorer.io.reading.inspection import Inspection
from mvexplorer.io.reading.questions import offers_of
from mvexplorer.wording import counted, listed, number

State = Literal["fine", "proposal", "decide", "unknown"]
TREATMENTS = {
    RAW_COUNTS: ("log1p", "log(1 + x) of {}"),
    UNEVEN_SCALES: ("zscore", "z-score {}"),
    DOMINANT_COLUMN: ("zscore", "z-score {}"),
}
"""Code of a notice -> the preprocessing that helps, and the words on its button."""
PAIRING = (
    BY_POSITION,
    NUMBERS_AS_NAMES,
    SHARED_NUMBERS,
    SAME_COLUMNS,
    REPEATED_IDS,
    TWO_IDS,
    POSSIBLY_TURNED,
    MANY_FEATURES,
    HALVES,
    ABSENT,
)
"""Codes of notices about which rows are which samples."""
LABEL = (NUMERIC_LABEL, POSSIBLE_LABEL, POSSIBLE_IDS, SOME_UNLABELLED)
OTHERS = {
    HEADER: "Header",
    NO_HEADER: "Header",
    DATES: "Dates",
    DATES_READ: "Dates",
    DECIMAL_SIGN: "Decimal sign",
    SIMILARITY: "Kernel",
    POSSIBLE_SPLIT: "Views",
    WAVEFORMS: "Recordings",
    MIXED: "Text among numbers",
}
"""Code of a notice about nothing that every data set is checked for -> the title of its card."""
MOST_PROPOSALS = 20
"""Proposals that are taken in a row."""
Settling: TypeAlias = Callable[[Notice], tuple[Offer, ...]]
"""The offers that settle a notice."""


@dataclass(frozen=True)
class Remark:
    """One sentence of a card, with the ways to settle it; `chosen` is the one that is applied."""

    text: str
    offers: tuple[Offer, ...] = ()
    chosen: Offer | None = None


@dataclass(frozen=True)
class ImportCheck:
    """One thing that is checked before files are opened.

    Its state is *proposal* where the program has chosen, *decide* where only the user can, *unknown* as long as the
    files cannot be read. Where it `blocks`, nothing can be opened, and nothing can be proposed.
    """

    name: str
    title: str
    state: State
    remarks: tuple[Remark, ...]

    @property
    def blocks(self) -> bool:
        """True if the files cannot be opened, and no offer settles that."""
        return self.state == "decide" and not any(remark.offers for remark in self.remarks)


def check_list(
    inspection: Inspection,
    options: ReadOptions | None = None,
    settling: Settling | None = None,
    *,
    proposed: Collection[str] = (),
    answered: Sequence[MVExplorerError] = (),
) -> tuple[ImportCheck, ...]:
    """List what is checked: first what stands in the way of opening, then the four things that all files are asked.

    `proposed` are the names of options that the program chose by itself; `answered` are the errors that options settle.

    Examples
    --------
    >>> from pathlib import Path
    >>> from mvexplorer.io.reading.check_list import check_list
    >>> from mvexplorer.io.reading.inspection import inspect_files
    >>> n = Path("petals.csv").write_text("id,width,kind\\na,1,x\\nb,,y\\nc,9,x\\nd,7,y\\n")
    >>> [(card.name, card.state) for card in check_list(inspect_files(["petals.csv"]))]
    [('pairing', 'fine'), ('label', 'unknown'), ('missing', 'proposal'), ('scales', 'unknown')]
    """
    options = options or ReadOptions()
    settle = settling or (lambda notice: settling_offers(notice, inspection))
    cards = [
        *_obstacles(inspection.error),
        *_words_among_numbers(answered, options, proposed),
        _pairing(inspection, options, settle, proposed, answered),
        _label(inspection, settle),
        _missing(inspection, options, proposed),
        _scales(inspection, settle),
    ]
    return tuple(map(_with_few_remarks, (*cards, *_others(inspection, options, settle))))


def _with_few_remarks(card: ImportCheck) -> ImportCheck:
    """A card that does not grow with the columns: the first remarks, and how many more there are."""
    few = 6
    left = len(card.remarks) - few
    if left < 2:
        return card
    rest = f"And {left:,} more like these: give any column its role by name, in the list of all columns."
    return replace(card, remarks=(*card.remarks[:few], Remark(rest)))


def proposal(inspection: Inspection) -> Offer | None:
    """The way out that suits most files which cannot be opened as they stand; None where nothing can be proposed."""
    error = inspection.error
    offers = ways_out(error)
    few = 0.05  # of the samples: leaving out more may leave out a kind of them
    if isinstance(error, MissingValuesError) and len(error.rows) > few * (inspection.n_samples or 0):
        return next((offer for offer in offers if offer.options.get("missing") == "median"), None)
    return next(iter(offers), None)


def changes_of(offer: Offer, options: ReadOptions) -> dict[str, Any]:
    """The options of an offer, by name; its roles are added to those that were given before."""
    roles = {**dict(options.roles), **dict(offer.options.get("roles", {}))}
    return {**offer.options, **({"roles": roles} if "roles" in offer.options else {})}


def as_proposed(
    inspection: Inspection, options: ReadOptions, proposed: Collection[str] = frozenset()
) -> ReadOptions | None:
    """The options with what is proposed where files cannot be opened; None where the user chose otherwise.

    `proposed` are the names of options that the program chose before.
    """
    offer = proposal(inspection)
    if offer is None:
        return None
    own = options.plain.keys() - set(proposed) - {"roles"}
    given = dict(options.roles).keys() & dict(offer.options.get("roles", {})).keys()
    changed = replace(options, **changes_of(offer, options))
    return None if own & offer.options.keys() or given or changed == options else changed


def whole_check_list(
    first: Inspection, options: ReadOptions, look: Callable[[ReadOptions], Inspection]
) -> tuple[ImportCheck, ...]:
    """All cards at once: those behind a refusal as they stand once what is proposed is taken.

    `first` is how the files look with these options, `look` how they look with others.
    """
    inspection, proposed, refused = first, frozenset[str](), list[ImportCheck]()
    while len(refused) < MOST_PROPOSALS and (changed := as_proposed(inspection, options, proposed)) is not None:
        offer = proposal(inspection)
        assert offer is not None
        card = _card_of_refusal(check_list(inspection, options), inspection)
        refused.append(replace(card, remarks=(replace(card.remarks[0], chosen=offer),)))
        proposed, options = proposed | offer.options.keys(), changed
        inspection = look(options)
    cards = check_list(inspection, options)
    if ways_out(inspection.error):
        last = _card_of_refusal(cards, inspection)
        cards = tuple(replace(card, state="decide") if card is last else card for card in cards)
    return _with_refusals(cards, refused)


def _card_of_refusal(cards: Sequence[ImportCheck], inspection: Inspection) -> ImportCheck:
    """The card of an error that offers ways out."""
    return next(card for card in cards if card.remarks[0].offers == ways_out(inspection.error))


def _with_refusals(cards: Sequence[ImportCheck], refused: Sequence[ImportCheck]) -> tuple[ImportCheck, ...]:
    """The cards, where files were refused with the refusal in place of what its proposal leads to."""
    whole: dict[str, ImportCheck] = {}
    for card in refused:
        before = whole[card.title].remarks if card.title in whole else ()
        whole[card.title] = replace(card, remarks=(*before, *card.remarks))
    front = [card for title, card in whole.items() if title not in {each.title for each in cards}]
    rest = []
    for card in cards:
        refusal = whole.get(card.title)
        ways = [offer.options for remark in (refusal.remarks if refusal else ()) for offer in remark.offers]
        left = tuple(
            remark for remark in card.remarks if card.blocks or any(one.options not in ways for one in remark.offers)
        )
        state = card.state if card.state == "decide" else "proposal"
        rest.append(card if refusal is None else replace(card, state=state, remarks=(*refusal.remarks, *left)))
    return (*front, *rest)


def settling_offers(notice: Notice, inspection: Inspection) -> tuple[Offer, ...]:
    """The offers that settle a notice, as options of reading."""
    if notice.code == POSSIBLE_LABEL:
        return (Offer(f"Use “{notice.subjects[0]}” as the label", {"labels": notice.subjects[0]}),)
    if notice.code == SAME_COLUMNS:
        return (Offer("They are views", {"join": "position"}),)
    if notice.code not in TREATMENTS:
        return offers_of(notice)
    each = {view.name: view.preprocess for view in inspection.views}
    raw = tuple(view for view in notice.subjects if each.get(view) == "none")
    treated = treatment_offers(notice, raw, len(each))
    return tuple(
        Offer(offer.title, {"preprocess": tuple(how if view in raw else own for view, own in each.items())})
        for offer in treated
        for how in (TREATMENTS[notice.code][0],)
    )


def treatment_offers(notice: Notice, raw: tuple[str, ...], n_views: int) -> tuple[Offer, ...]:
    """Offer the preprocessing that a notice proposes, of the views that are still as they are in the files."""
    if notice.code not in TREATMENTS or not raw:
        return ()
    how, words = TREATMENTS[notice.code]
    most = 3  # names on a button
    which = "all views" if len(raw) == n_views > 1 else ", ".join(raw[:most])
    return (Offer(words.format(which), {"treatment": (raw, how)}),)


# The cards ----------------------------------------------------------------------------------------------------------


def _obstacles(error: MVExplorerError | None) -> list[ImportCheck]:
    """The card of an error that is about none of the four things."""
    if error is None or isinstance(error, MissingValuesError | RowsError):
        return []
    if isinstance(error, MixedColumnError):
        return [ImportCheck("files", OTHERS[MIXED], "proposal", (Remark(error.message, error.offers),))]
    return [ImportCheck("files", "Files", "decide", (Remark(f"{error.message} {error.hint}".strip()),))]


def _words_among_numbers(
    answered: Sequence[MVExplorerError], options: ReadOptions, proposed: Collection[str]
) -> list[ImportCheck]:
    """The card of columns that were to be features, and are used otherwise since they hold words."""
    refusals = [each for each in answered if isinstance(each, MixedColumnError)]
    remarks = [remark for each in refusals if (remark := _answer(each, options, proposed)) is not None]
    state: State = "proposal" if "roles" in proposed else "fine"
    return [ImportCheck("files", OTHERS[MIXED], state, tuple(remarks))] if remarks else []


def _pairing(
    inspection: Inspection,
    options: ReadOptions,
    settle: Settling,
    proposed: Collection[str],
    answered: Sequence[MVExplorerError],
) -> ImportCheck:
    title, error = "Pairing", inspection.error
    if isinstance(error, RowsError):
        hint = "" if error.offers else f" {error.otherwise}".rstrip()
        state: State = "proposal" if error.offers else "decide"
        return ImportCheck("pairing", title, state, (Remark(f"{error.message}{hint}", error.offers),))
    notices = [note for note in (*inspection.doubts, *inspection.notes) if note.code in PAIRING]
    absent = next((str(note) for note in notices if note.code == ABSENT), "")
    refusals = [each for each in answered if isinstance(each, RowsError)]
    remarks = [remark for each in refusals if (remark := _answer(each, options, proposed, absent)) is not None]
    mine = any(remark.chosen is not None and remark.chosen.options.keys() & set(proposed) for remark in remarks)
    if remarks:
        notices = [note for note in notices if note.code != ABSENT]
    doubtful = any(note.code != ABSENT for note in notices) or (bool(absent) and "join" in proposed)
    remarks += [Remark(str(note), settle(note)) for note in notices]
    if remarks:
        return ImportCheck("pairing", title, "proposal" if mine or doubtful else "fine", tuple(remarks))
    if inspection.n_samples is None:
        return ImportCheck("pairing", title, "unknown", (Remark("Rows are paired once the files can be read."),))
    return ImportCheck("pairing", title, "fine", (Remark(_paired(inspection)),))


def _answer(
    error: RowsError | MixedColumnError, options: ReadOptions, proposed: Collection[str], absent: str = ""
) -> Remark | None:
    """A question that was in the way, with the way that the options take; None where they take none any more."""
    chosen = next((offer for offer in error.offers if _is_taken(offer, options)), None)
    if chosen is None:
        return None
    if absent and chosen.options.get("join") == "intersect":
        return Remark(absent, error.offers, chosen)
    words = f" Proposed and applied: {chosen.title[0].lower()}{chosen.title[1:]}."
    return Remark(f"{error.message}{words * bool(chosen.options.keys() & set(proposed))}", error.offers, chosen)


def _is_taken(offer: Offer, options: ReadOptions) -> bool:
    roles = offer.options.get("roles", {}).items()
    others = [(name, value) for name, value in offer.options.items() if name != "roles"]
    return roles <= dict(options.roles).items() and all(getattr(options, name) == value for name, value in others)


def _paired(inspection: Inspection) -> str:
    """Say in words how rows belong together where nothing is in doubt."""
    if len(inspection.files) > 1 and inspection.join:
        return inspection.join
    header = any(item.header for item in inspection.items)
    name = f"column “{inspection.ids}”" if inspection.ids else "the first column"
    names = "their row numbers" if inspection.ids is None else "the header" if header else name
    together = ": row i of every view is the same sample" if len(inspection.views) > 1 else ""
    return f"{counted(inspection.n_samples or 0, 'sample')}, named by {names}{together}."


def _label(inspection: Inspection, settle: Settling) -> ImportCheck:
    notices = [note for note in (*inspection.doubts, *inspection.notes) if note.code in LABEL]
    remarks = [Remark(str(note), settle(note)) for note in notices]
    data = None if inspection.loaded is None else inspection.loaded.data
    if data is not None and data.labels is not None:
        remarks.insert(0, Remark(_classes(data, inspection.label or data.label_name or "label")))
    elif inspection.label is not None:
        remarks.insert(0, Remark(f"“{inspection.label}” is the label."))
    elif data is None and not remarks:
        return ImportCheck("label", "Label", "unknown", (Remark("Labels are looked for once the files can be read."),))
    elif not remarks:
        remarks.append(Remark("There is no label. Methods need none; scores of classes are left out."))
    doubtful = any(note.code in (NUMERIC_LABEL, POSSIBLE_IDS) for note in notices)
    return ImportCheck("label", "Label", "proposal" if doubtful else "fine", tuple(remarks))


def _classes(data: MultiView, name: str) -> str:
    """The label's classes with their counts, or its range where it measures something."""
    labels = data.labels
    assert labels is not None
    classes, codes, _ = known_classes(labels)
    if are_measurements(labels) or len(classes) > MOST_CLASSES:
        numeric = labels.dtype.kind in "biuf" and len(classes) > 0
        span = f", from {number(float(classes[0]))} to {number(float(classes[-1]))}" if numeric else ""
        return f"“{name}” is the label: {len(classes):,} values{span}."
    counts, most = np.bincount(codes, minlength=len(classes)), 6
    each = [f"{one} {count:,}" for one, count in zip(classes[:most], counts[:most].tolist(), strict=True)]
    more = f" and {len(classes) - most} more" if len(classes) > most else ""
    return f"“{name}” is the label: {counted(len(classes), 'class')} ({', '.join(each)}{more})."


def _missing(inspection: Inspection, options: ReadOptions, proposed: Collection[str]) -> ImportCheck:
    title, error = "Missing values", inspection.error
    if isinstance(error, MissingValuesError):
        return ImportCheck("missing", title, "proposal", (Remark(error.message, error.offers),))
    done = next((note for note in inspection.notes if note.code in (DROPPED, FILLED)), None)
    if done is not None:
        ways = MissingValuesError("").offers
        offers = (Offer("Leave them out", ways[0].options), *ways[1:])
        chosen = next((offer for offer in offers if _is_taken(offer, options)), None)
        state: State = "proposal" if "missing" in proposed else "fine"
        return ImportCheck("missing", title, state, (Remark(str(done), offers, chosen),))
    gaps = [f"{item.title} {item.n_missing:,}" for item in inspection.items if item.n_missing and item.role != "ignore"]
    if inspection.loaded is None:
        return ImportCheck("missing", title, "unknown", (Remark("Gaps are looked for once the files can be read."),))
    most = 4
    more = f" and {len(gaps) - most:,} more columns" if len(gaps) > most else ""
    beside = f" Empty cells are in {listed(gaps[:most])}{more}, of which methods see nothing." if gaps else ""
    return ImportCheck("missing", title, "fine", (Remark(f"No view lacks a number.{beside}"),))


def _scales(inspection: Inspection, settle: Settling) -> ImportCheck:
    title = "Scales"
    if inspection.loaded is None:
        return ImportCheck("scales", title, "unknown", (Remark("Scales are compared once the files can be read."),))
    notices = [note for note in inspection.notes if note.code in (*TREATMENTS, UNLIKE_VIEWS)]
    uneven = [note for note in notices if note.code in (UNEVEN_SCALES, DOMINANT_COLUMN) and settle(note)]
    subjects = tuple(dict.fromkeys(name for note in uneven for name in note.subjects))  # one cure for all
    remarks = [Remark(" ".join(uneven), settle(Notice(UNEVEN_SCALES, "", subjects)))] if uneven else []
    others = [note for note in notices if note.code in (RAW_COUNTS, UNLIKE_VIEWS)]
    remarks += [Remark(str(note), settle(note)) for note in others if settle(note) or note.code == UNLIKE_VIEWS]
    if remarks:
        urgent = any(remark.offers for remark in remarks)
        return ImportCheck("scales", title, "decide" if urgent else "fine", tuple(remarks))
    done = list(dict.fromkeys(name for note in notices for name in note.subjects))
    words = f"Preprocessing is chosen for {listed(done)}." if done else "In every view, no column outweighs the others."
    return ImportCheck("scales", title, "fine", (Remark(words),))


def _others(inspection: Inspection, options: ReadOptions, settle: Settling) -> list[ImportCheck]:
    """A card for each kind of doubt or offer that is about none of the four things."""
    dealt_with = {*PAIRING, *LABEL, *TREATMENTS, UNLIKE_VIEWS}
    cards: dict[str, tuple[State, list[Remark]]] = {}
    doubtful: list[tuple[State, tuple[Notice, ...]]] = [("proposal", inspection.doubts), ("fine", inspection.notes)]
    for state, notices in doubtful:
        for note in _once(notices):
            offers = () if note.code in dealt_with else settle(note)
            if note.code in (DATES, DATES_READ):  # one order is always in force: by proposal, the first
                offers = settle(Notice(DATES, note, note.subjects))
                chosen = next((offer for offer in offers if _is_taken(offer, options)), offers[0])
            else:
                chosen = None
            if offers:
                title = OTHERS.get(note.code, "Columns")
                cards.setdefault(title, (state, []))[1].append(Remark(str(note), offers, chosen))
    return [ImportCheck("other", title, state, tuple(remarks)) for title, (state, remarks) in cards.items()]


def _once(notices: Sequence[Notice]) -> list[Notice]:
    """The notices, but a question about the decimal sign of the same columns only once: one answer is for all files."""
    files = Counter(note.subjects for note in notices if note.code == DECIMAL_SIGN)
    each = []
    for note in notices:
        others = files.pop(note.subjects, 0) - 1 if note.code == DECIMAL_SIGN else 0
        more = " The same was assumed in other files." if others > 0 else ""
        each += [Notice(note.code, f"{note}{more}", note.subjects) if more else note] if others >= 0 else []
    return each
