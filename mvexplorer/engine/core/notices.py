"""Notices beside a result: a sentence for people; a code, names and a level for the program."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self, TypeAlias

Level: TypeAlias = Literal["info", "warning"]

ASSUMED = "assumed"
CONVERTED = "converted"
"""The numbers of a file are larger than the memory limit and were written to a file of their own."""
PIECES = "pieces"
"""A picture's graph is in pieces, each large enough for a cluster."""
VIEWS_APART = "views-apart"
"""Leading coordinates of a walk between views tell these apart, and nothing of the samples."""
FORGETS = "forgets"
"""One step of a picture's walk forgets nearly all."""
SHIFTED = "shifted"
"""What is common by chance was learnt from shifts in time, which of periodic samples tell nothing."""
STEPS_STAY = "steps-stay"
"""Many steps of a picture's walk stay at their sample."""
MATCHED_REACH = "matched-reach"
"""The ε of a view was moved until its steps reach as far as another view's; its name is the subject."""
QUALITY = "quality"
"""Something about the data is odd, but no reason to refuse it."""
VIEWS = "views"
"""A method uses only some of the views."""
RECIPE = "recipe"
"""A recipe leaves some views as they are; their names are the subjects."""
ROUGH = "rough"
"""A draft is visibly inexact; the answer that replaces it is exact."""
DRAFT_OF_PART = "draft-of-part"
"""A draft solves a random part of the samples; the answer that replaces it solves all."""
NO_HEADER = "no-header"
OFFERED_COLUMN = "offered-column"
"""A column was kept to colour by; its name is the subject."""
SAMPLE_NAMES = "sample-names"
"""A column was taken as the samples' names; its name is the subject."""
REORDERED = "reordered"
"""Rows of files were put into the order of the first; the subjects are the names of the files."""
UNEVEN_SCALES = "uneven-scales"
"""Views whose columns differ much in scale; their names are the subjects."""
RAW_COUNTS = "raw-counts"
"""Views that hold counts, of which a few are very large; their names are the subjects."""
DOMINANT_COLUMN = "dominant-column"
"""Views of which one column makes nearly all of the squared distances; their names are the subjects."""
UNLIKE_VIEWS = "unlike-views"
"""Two views whose scales are far apart: the smaller and the larger are the subjects."""
POSSIBLE_LABEL = "possible-label"
"""A column of text that could be the label; its name is the subject."""
POSSIBLY_TURNED = "possibly-turned"
"""Tables whose columns may be the samples; the names of the files are the subjects."""

MANY_FEATURES = "many-features"
"""A view without names that is wider than long: it, the subject, may have its samples in columns."""
SIMILARITY = "similarity"
"""A view that looks like similarities between samples."""
SAME_COLUMNS = "same-columns"
"""Files of the same columns, which may be more samples rather than more views."""
POSSIBLE_IDS = "possible-ids"
"""A column that is called a label, and differs in nearly every sample."""
TWO_IDS = "two-ids"
"""Columns that could each name the samples."""
REPEATED_IDS = "repeated-ids"
"""A column taken as the samples' names that names some of them alike."""
SHARED_NUMBERS = "shared-numbers"
"""A column of fractions that recurs in every file, and may name the samples."""
BY_POSITION = "by-position"
"""A file that does not name its samples beside one that does: the subject, paired by position."""
NUMBERS_AS_NAMES = "numbers-as-names"
"""Rows were brought into one order by columns of numbers that nothing marks as names."""
NUMERIC_LABEL = "numeric-label"
"""A column of numbers that could be the label."""
MIXED = "mixed"
"""A column holds text among its numbers."""
SOME_UNLABELLED = "some-unlabelled"
"""Some samples have no label."""
POSSIBLE_SPLIT = "possible-split"
"""A view whose columns fall into groups by their names; the view and patterns of names are the subjects."""
HALVES = "halves"
"""Training and test samples were stacked; the subjects are the names of the halves."""
SPARSE = "sparse"
"""Sparse tables were left out, whose zeros would fill the memory; their names are the subjects, the last one is what
preprocessing of the views, separated by commas, would reduce them."""
GIVEN = "given"
"""Columns or variables that were taken as coordinates that are given; their names are the subjects."""
LEFT_OUT = "left-out"
"""Tables that were taken as nothing, and could be views; their names are the subjects."""
NO_VIEW = "no-view"
"""Columns beside others whose names begin with their view; their names are the subjects."""
DECIMAL_SIGN = "decimal-sign"
"""Numbers whose dot or comma may be a decimal point or separate thousands; the subjects are the columns."""
DATES = "dates"
"""Dates of which day and month could change places; the subjects are the columns."""
DATES_READ = "dates-read"
"""Such dates, read in the order that was chosen; the subjects are the columns."""
HEADER = "header"
"""A first row of which it is not certain whether it is a header or a sample."""
WAVEFORMS = "waveforms"
"""Views are waveforms, to be compared by their sonograms; the subjects are the views."""
ABSENT = "absent"
"""Views lack some samples, which were left out or filled in; the subjects are the views."""


FACTS = frozenset(
    {VIEWS, ROUGH, DRAFT_OF_PART, PIECES, FORGETS, VIEWS_APART, SHIFTED, STEPS_STAY, RECIPE, MATCHED_REACH}
)
"""Codes of notices about a computation whose result is as good as without them."""


class Notice(str):
    """One thing that was assumed, is odd or is doubtful.

    A notice is a string, so that it can be shown, joined and written like any text. Code never parses its sentence: it
    decides by the other attributes. `code` is the kind of thing, short and stable; `subjects` name the views, columns
    or files concerned; `level` ``warning`` tells that the result is to be trusted less; `caption` says under a picture
    which samples were dropped or filled in, and is empty where that is not what the notice is about.
    """

    code: str
    subjects: tuple[str, ...]
    level: Level
    caption: str

    def __new__(
        cls, code: str, text: str, subjects: tuple[str, ...] = (), level: Level = "info", caption: str = ""
    ) -> Self:
        notice = super().__new__(cls, text)
        notice.code, notice.subjects, notice.level, notice.caption = code, subjects, level, caption
        return notice

    def __getnewargs__(self) -> tuple[str, str, tuple[str, ...], Level, str]:  # type: ignore[override]
        return self.code, str(self), self.subjects, self.level, self.caption

    @property
    def key(self) -> str:
        """Code and subjects in one word: of notices that share it, only the latest is kept."""
        return ":".join((self.code, *self.subjects))


def captions(notices: Iterable[Notice]) -> tuple[str, ...]:
    """The words of notices about reading for captions: which samples were dropped or filled in."""
    return tuple(notice.caption for notice in notices if notice.caption)


Told: TypeAlias = tuple[tuple[str, Notice], ...]
"""(key, notice) pairs, one for each key."""


def doubt(code: str, text: str, subjects: tuple[str, ...] = ()) -> Notice:
    """A notice about a computation: a warning, unless its code says that the result is as good as without it."""
    return Notice(code, text, subjects, "info" if code in FACTS else "warning")


def notices_of(pairs: Iterable[tuple[str, str]]) -> Told:
    """The same pairs with notices as texts, the latest of each key."""
    return tuple((k, t if isinstance(t, Notice) else doubt(k, t)) for k, t in dict(pairs).items())
