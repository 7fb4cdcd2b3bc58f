"""Tables as analysts' programs write them: each convention is read rightly, or asked about with an offer that is right.

Every convention is a hypothesis strategy. Its files are written by pandas, numpy or the csv module, and the arrays they
were made of are the truth.
"""

from __future__ import annotations

import csv
import io
import string
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mvexplorer.errors import MissingValuesError, Offer, RowsError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.inspection import Inspection, inspect_files
from mvexplorer.io.reading.questions import offers_of

pd = pytest.importorskip("pandas")

Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass
class Case:
    """Files, by name, and what they mean; `labels_in` is a file of labels that is named as such."""

    files: dict[str, bytes]
    views: list[np.ndarray]
    labels: list[str] | None = None
    ids: list[str] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    labels_in: str = ""


# What is written --------------------------------------------------------------------------------------------------


@st.composite
def tables(draw: Draw, n_samples: int | None = None, fewest: int = 1, most: int = 6) -> np.ndarray:
    """A view (M, D) of fractions, counts or both, of any scale, in digits that CSV keeps."""
    M = n_samples or draw(st.integers(6, 30))
    D = draw(st.integers(fewest, most))
    # A second view never repeats the first one: whole numbers that two files share would be the samples' names.
    rng = np.random.default_rng([int(n_samples is not None), draw(st.integers(0, 2**32))])
    X = rng.normal(size=(M, D)) * 10.0 ** draw(st.integers(-3, 3))
    if draw(st.booleans()):
        X[:, 0] = rng.integers(0, 500, M)
    return np.round(X, 6)


def features(X: np.ndarray, stem: str = "f") -> list[str]:
    return [f"{stem}{string.ascii_lowercase[j]}" for j in range(X.shape[1])]


@st.composite
def classes(draw: Draw, n_samples: int) -> list[str]:
    """Labels as text, numbers from 0 or 1, or quoted words with a comma."""
    kinds = draw(st.sampled_from([["0", "1"], ["1", "2", "3"], ["wild", "mutant"], ["a, b", 'the "rest"']]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return [*kinds, *rng.choice(kinds, n_samples - len(kinds)).tolist()]


@st.composite
def names(draw: Draw, n_samples: int) -> list[str]:
    """Names of samples: words with numbers, numbers, or barcodes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    numbers = rng.permutation(9000)[:n_samples] + 1000
    form = draw(st.sampled_from(["p{}", "{}", "TCGA-{}-x", "Ü {}", "00{}"]))
    return [form.format(number) for number in numbers]


def dialect(draw: Draw) -> dict[str, Any]:
    """How pandas writes: separator, decimal sign, quotes and line ends."""
    separator, decimal = draw(st.sampled_from([(",", "."), ("\t", "."), (";", "."), (";", ",")]))
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]))
    return {"sep": separator, "decimal": decimal, "quoting": quoting,
            "lineterminator": draw(st.sampled_from(["\n", "\r\n"]))}  # fmt: skip


def written(draw: Draw, frame: Any, **more: Any) -> bytes:
    text = frame.to_csv(**{"index": False, **dialect(draw), **more})
    return text.encode(draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])))


def framed(X: np.ndarray, stem: str = "f", **columns: list[str]) -> Any:
    return pd.DataFrame({**columns, **dict(zip(features(X, stem), X.T, strict=True))})


# The conventions --------------------------------------------------------------------------------------------------


@st.composite
def with_a_header(draw: Draw) -> Case:
    X = draw(tables())
    return Case({"a.csv": written(draw, framed(X))}, [X])


@st.composite
def without_a_header(draw: Draw) -> Case:
    X = draw(tables(fewest=2))
    text = io.StringIO()
    np.savetxt(text, X, fmt="%.12g", delimiter=draw(st.sampled_from([",", "\t", " ", ";"])))
    return Case({draw(st.sampled_from(["a.csv", "a.txt", "a.dat"])): text.getvalue().encode()}, [X])


@st.composite
def numbered_header(draw: Draw) -> Case:
    X = draw(tables(fewest=3))
    return Case({"a.csv": written(draw, pd.DataFrame(X), quoting=csv.QUOTE_MINIMAL)}, [X])


@st.composite
def label_last(draw: Draw) -> Case:
    """Headers of numbers, or none, and the label in the last column."""
    X = draw(tables(fewest=3))
    labels = draw(classes(len(X)))
    frame = pd.DataFrame({**dict(enumerate(X.T)), X.shape[1]: [int(c) if c.isdigit() else c for c in labels]})
    header = draw(st.booleans())
    return Case({"a.csv": written(draw, frame, header=header, quoting=csv.QUOTE_MINIMAL)}, [X], labels)


@st.composite
def label_column(draw: Draw) -> Case:
    X = draw(tables())
    labels = draw(classes(len(X)))
    name = draw(st.sampled_from(["label", "Class", "target", "LABELS"]))
    frame = framed(X)
    frame.insert(draw(st.integers(0, X.shape[1])), name, labels)
    return Case({"a.csv": written(draw, frame)}, [X], labels)


@st.composite
def label_file(draw: Draw) -> Case:
    """Labels in a file of their own, named as such or opened beside the others."""
    X = draw(tables())
    labels = draw(classes(len(X)))
    header = draw(st.booleans())
    separate = pd.DataFrame({"label": labels})
    files = {"a.csv": written(draw, framed(X)), "labels.csv": written(draw, separate, header=header, sep=",")}
    named = draw(st.booleans())
    return Case(files, [X], labels, labels_in="labels.csv" if named else "")


@st.composite
def names_of_samples(draw: Draw) -> Case:
    X = draw(tables())
    ids = draw(names(len(X)))
    usual = draw(st.booleans())
    frame = framed(X, **{draw(st.sampled_from(["id", "sample", "ID"])) if usual else "who": ids})
    return Case({"a.csv": written(draw, frame)}, [X], None, ids, {} if usual else {"ids": "who"})


@st.composite
def roles_told(draw: Draw) -> Case:
    """Any column is what it is told to be."""
    X = draw(tables(fewest=2))
    ids, labels = draw(names(len(X))), draw(classes(len(X)))
    frame = framed(X, x1=ids, x2=labels, label=[str(i) for i in range(len(X))])
    told = {"x1": "id", "x2": "label", "label": draw(st.sampled_from(["ignore", "colour"])), "fa": "ignore"}
    return Case({"a.csv": written(draw, frame)}, [X[:, 1:]], labels, ids, {"roles": told})


@st.composite
def files_joined_by_name(draw: Draw) -> Case:
    """Each file names the samples in a column of its own, in an order of its own."""
    X = draw(tables())
    ids = draw(names(len(X)))
    files, views = {"a.csv": written(draw, framed(X, "a", patient=ids))}, [X]
    for stem in "bc"[: draw(st.integers(1, 2))]:
        Y = draw(tables(len(X)))
        order = np.random.default_rng(draw(st.integers(0, 2**32))).permutation(len(X))
        column = draw(st.sampled_from(["patient", "who", "Kürzel"]))
        frame = framed(Y, stem, **{column: ids}).iloc[order]
        files[f"{stem}.csv"] = written(draw, frame)
        views.append(Y)
    return Case(files, views, None, ids)


@st.composite
def files_joined_by_position(draw: Draw) -> Case:
    X = draw(tables())
    Y = draw(tables(len(X)))
    labels = draw(classes(len(X)))
    return Case({"a.csv": written(draw, framed(X, "a", label=labels)), "b.csv": written(draw, framed(Y, "b"))},
                [X, Y], labels)  # fmt: skip


@st.composite
def files_of_other_samples(draw: Draw) -> Case:
    """Some samples are in one file only: the intersection is offered."""
    X = draw(tables())
    M = len(X)
    Y, ids = draw(tables(M)), draw(names(M))
    kept = list(range(2, M))
    second = framed(Y, "b", id=ids).iloc[kept[::-1]]
    files = {"a.csv": written(draw, framed(X, "a", id=ids)), "b.csv": written(draw, second)}
    return Case(files, [X[kept], Y[kept]], None, [ids[i] for i in kept])


@st.composite
def files_joined_by_number(draw: Draw) -> Case:
    """Names that are numbers, below zero as well, or 1.1 and 1.10, in columns that nothing marks."""
    X = draw(tables())
    M = len(X)
    Y, rng = draw(tables(M)), np.random.default_rng(draw(st.integers(0, 2**32)))
    ids = draw(st.sampled_from([
        rng.permutation(9000)[:M] - 4500, rng.permutation(M) + 1, rng.permutation(M) - M // 2,
        [f"{i // 6}.{(1, 10, 2, 20, 3, 30)[i % 6]}" for i in range(M)],
    ]))  # fmt: skip
    ids = [str(name) for name in ids]
    order, column = rng.permutation(M), draw(st.sampled_from(["who", "Kürzel"]))
    second = framed(Y, "b", **{column: ids}).iloc[order]
    plain = {"decimal": ".", "sep": ","}
    files = {"a.csv": written(draw, framed(X, "a", who=ids), **plain), "b.csv": written(draw, second, **plain)}
    return Case(files, [X, Y], None, ids)


@st.composite
def parquet_with_an_index(draw: Draw) -> Case:
    """The first table counts its rows in no column; the second follows, reversed or shuffled."""
    X = draw(tables())
    M = len(X)
    Y, seed = draw(tables(M)), draw(st.integers(0, 2**32))
    rows = draw(st.sampled_from([slice(None), slice(None, None, -1), np.random.default_rng(seed).permutation(M)]))
    frames = {"a": framed(X, "a"), "b": framed(Y, "b").iloc[rows]}
    files = {f"{name}.parquet": frame.to_parquet() for name, frame in frames.items()}
    return Case(files, [X, Y], None, [str(i) for i in range(M)])


@st.composite
def ids_written_twice(draw: Draw) -> Case:
    """Some samples were measured again below the others: the first of each is offered."""
    X = draw(tables())
    M = len(X)
    Y, ids = draw(tables(M)), draw(names(M))
    order = np.random.default_rng(draw(st.integers(0, 2**32))).permutation(M)
    second = framed(Y, "b", id=ids).iloc[[*order, *order[: draw(st.integers(1, 3))]]].reset_index(drop=True)
    second.loc[M:, "ba"] += 1.0
    return Case({"a.csv": written(draw, framed(X, "a", id=ids)), "b.csv": written(draw, second)}, [X, Y], None, ids)


@st.composite
def samples_in_columns(draw: Draw) -> Case:
    """A matrix of features by samples beside a table of the same samples in rows."""
    X = draw(tables(fewest=2))
    Y, ids = draw(tables(len(X))), draw(names(len(X)))
    turned = framed(Y, "gene").T
    turned.columns = ids
    files = {"a.csv": written(draw, framed(X, "a", id=ids)), "b.csv": written(draw, turned, index=True)}
    return Case(files, [X, Y], None, ids)


@st.composite
def samples_in_columns_alone(draw: Draw) -> Case:
    """Features by samples, without anything else: turned by its labels, or when asked."""
    X = draw(tables(fewest=2, most=4))
    turned = framed(X, "gene").T
    turned.columns = [f"P{i:02d}" for i in range(len(X))]
    labels = draw(classes(len(X)))
    files = {
        "a.csv": written(draw, turned, index=True),
        "kinds.csv": written(draw, pd.DataFrame({"k": labels}), sep=","),
    }
    return Case(files, [X], labels, list(turned.columns), labels_in="kinds.csv")


@st.composite
def views_in_the_header(draw: Draw) -> Case:
    X = draw(tables())
    Y = draw(tables(len(X)))
    frame = pd.concat([framed(X, "left:a"), framed(Y, "right:b")], axis=1)
    return Case({"a.csv": written(draw, frame)}, [X, Y])


@st.composite
def split_by_prefix(draw: Draw) -> Case:
    """The same words after two beginnings: a split is offered."""
    X = draw(tables(fewest=2))
    Y = draw(tables(len(X), X.shape[1], X.shape[1]))
    separator = draw(st.sampled_from([" ", "_", "."]))
    frame = pd.concat([framed(X, f"wt{separator}"), framed(Y, f"mut{separator}")], axis=1)
    options = {"split": {"wt": [f"wt{separator}*"], "mut": [f"mut{separator}*"]}} if draw(st.booleans()) else {}
    return Case({"a.csv": written(draw, frame)}, [X, Y], None, None, options)


@st.composite
def written_with_an_index(draw: Draw) -> Case:
    """The index of pandas, or the row names of R, whose header is one field short."""
    X = draw(tables(fewest=2))
    ids = draw(names(len(X)))
    frame = framed(X)
    frame.index = ids
    if draw(st.booleans()):
        return Case({"a.csv": written(draw, frame, index=True)}, [X], None, ids)
    text = io.StringIO()
    csv.writer(text, delimiter="\t", quoting=csv.QUOTE_NONNUMERIC).writerows(
        [list(frame.columns), *([i, *map(float, x)] for i, x in zip(ids, X, strict=True))]
    )
    return Case({"a.tsv": text.getvalue().encode()}, [X], None, ids)


@st.composite
def missing_numbers(draw: Draw) -> Case:
    """Gaps written as programs write them: dropping the samples is offered."""
    X = draw(tables(fewest=2))
    gone = draw(st.sets(st.integers(0, len(X) - 1), min_size=1, max_size=3))
    ids = [f"s{i}" for i in range(len(X))]
    frame = framed(X, id=ids).astype(object)
    for row in gone:
        frame.iloc[row, 1 + draw(st.integers(0, X.shape[1] - 1))] = np.nan
    gap = draw(st.sampled_from(["", "NA", "NaN", "null", "?"]))
    kept = [i for i in range(len(X)) if i not in gone]
    return Case({"a.csv": written(draw, frame, na_rep=gap)}, [X[kept]], None, [ids[i] for i in kept])


@st.composite
def numbers_for_people(draw: Draw) -> Case:
    """Thousands apart, decimal commas, percent signs: read, or asked about where dots and commas could be either."""
    M = draw(st.integers(6, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    digits = draw(st.integers(0, 3))
    X = np.round(rng.lognormal(6, 3, size=(M, draw(st.integers(1, 3)))), digits)
    german, after = draw(st.booleans()), draw(st.sampled_from(["", "%", " %", "€"]))
    swap = str.maketrans(",.", ".,") if german else {}
    cells = [[f"{value:,.{digits}f}".translate(swap) + after for value in column] for column in X.T]
    frame = pd.DataFrame(dict(zip(features(X), cells, strict=True)))
    return Case({"a.csv": frame.to_csv(index=False, sep=";" if german else ",").encode()}, [X])


@st.composite
def years_above(draw: Draw) -> Case:
    """A word and years in the first row: a header, or asked about."""
    X = draw(tables(fewest=2))
    ids, first = draw(names(len(X))), draw(st.integers(1950, 2000))
    frame = pd.DataFrame(X, columns=[first + j for j in range(X.shape[1])])
    frame.insert(0, "patient", [f"p{name}" for name in ids])
    return Case({"a.csv": written(draw, frame)}, [X], None, [f"p{name}" for name in ids], {"ids": "patient"})


@st.composite
def wider_than_long(draw: Draw) -> Case:
    """More features than samples, with a header, with names of samples, or with neither, which is asked about."""
    X = draw(tables(draw(st.integers(6, 12)), 20, 60))
    ids = draw(names(len(X)))
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(X.shape[1])])
    how = draw(st.sampled_from(["header", "names", "array"]))
    if how == "array":
        return Case({"a.npy": saved(np.save, X)}, [draw(st.sampled_from([X, X.T]))])
    if how == "names":
        frame.insert(0, "id", ids)
    return Case({"a.csv": written(draw, frame)}, [X], None, ids if how == "names" else None)


def saved(save: Callable[..., None], *arrays: np.ndarray, **more: np.ndarray) -> bytes:
    stream = io.BytesIO()
    save(stream, *arrays, **more)
    return stream.getvalue()


@st.composite
def arrays_by_name(draw: Draw) -> Case:
    """Views, labels and names in an NPZ, of any type of number, samples in rows or in columns."""
    X = draw(tables(fewest=2))
    M = len(X)
    Y = (
        np.random.default_rng(M)
        .integers(0, 255, (M, draw(st.integers(2, 5))))
        .astype(draw(st.sampled_from(["u1", "i4", "f4"])))
    )
    labels, ids = draw(classes(M)), draw(names(M))
    both = {"X": X, "Y": Y}
    if draw(st.booleans()) and M not in (X.shape[1], Y.shape[1]):
        both = {name: table.T for name, table in both.items()}
    plain = np.array([int(c) if c.isdigit() else c for c in labels])
    vectors = {draw(st.sampled_from(["label", "y", "gnd", "truth"])): plain, "ids": np.array(ids)}
    content = saved(np.savez, **both, **vectors)
    return Case({"a.npz": content}, [X, Y.astype(float)], labels, ids)


@st.composite
def labels_for_some(draw: Draw) -> Case:
    """Empty cells among the labels: these samples have none."""
    X = draw(tables())
    labels = draw(classes(len(X)))
    gone = draw(st.sets(st.integers(2, len(X) - 1), min_size=1, max_size=3))
    some: list[str | None] = [None if i in gone else label for i, label in enumerate(labels)]
    told = ["unlabelled" if label is None else label for label in some]
    return Case({"a.csv": written(draw, framed(X, label=some))}, [X], told)


CONVENTIONS: dict[str, Callable[[], st.SearchStrategy[Case]]] = {
    made.__name__.replace("_", " "): made
    for made in (
        with_a_header, without_a_header, numbered_header, label_last, label_column, label_file, names_of_samples,
        roles_told, files_joined_by_name, files_joined_by_position, files_of_other_samples, files_joined_by_number,
        ids_written_twice, parquet_with_an_index, samples_in_columns, samples_in_columns_alone, views_in_the_header,
        split_by_prefix, written_with_an_index, missing_numbers, wider_than_long, arrays_by_name, labels_for_some,
        numbers_for_people, years_above,
    )
}  # fmt: skip


# Right, or asked --------------------------------------------------------------------------------------------------


def right(found: Inspection, case: Case) -> bool:
    """Whether what was read is what was written."""
    data = found.loaded.data if found.loaded is not None else None
    if data is None or [X.shape for X in data.Xs] != [X.shape for X in case.views]:
        return False
    same = all(np.allclose(X, truth, rtol=1e-9) for X, truth in zip(data.Xs, case.views, strict=True))
    labels = None if data.labels is None else [str(label) for label in data.labels]
    named = case.ids is None or [name.strip() for name in data.sample_ids] == case.ids
    return same and named and labels == case.labels


def offered(found: Inspection) -> Iterator[Offer]:
    """The choices that are put to the user."""
    if isinstance(found.error, RowsError | MissingValuesError):
        yield from found.error.offers
    for notice in (*found.doubts, *found.notes):
        if notice.code == "possible-label":
            yield Offer("", {"labels": notice.subjects[0]})
        yield from offers_of(notice)


def right_or_asked(paths: list[Path], options: ReadOptions, case: Case, depth: int = 2) -> bool:
    found = inspect_files(paths, options)
    if right(found, case):
        return True
    again = (replace(options, **offer.options) for offer in offered(found) if depth)
    return any(right_or_asked(paths, choice, case, depth - 1) for choice in again)


def check(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in case.files]
        for path, content in zip(paths, case.files.values(), strict=True):
            path.write_bytes(content)
        options = ReadOptions(**case.options)
        if case.labels_in:
            options = replace(options, labels=str(Path(folder) / case.labels_in))
            paths = [path for path in paths if path.name != case.labels_in]
        if not right_or_asked(paths, options, case):
            found = inspect_files(paths, options)
            read = None if found.loaded is None else (found.loaded.data, found.loaded.data.labels)
            texts = {name: content[:300] for name, content in case.files.items()}
            raise AssertionError(f"{texts}\n{case}\n{found.error}\n{read}\n{found.notes}\n{found.doubts}")


CALM = {"deadline": None, "suppress_health_check": list(HealthCheck), "database": None}


@pytest.mark.parametrize("name", CONVENTIONS)
def test_a_convention_is_read_rightly_or_asked_about(name: str) -> None:
    @settings(max_examples=2, derandomize=True, **CALM)
    @given(CONVENTIONS[name]())
    def run(case: Case) -> None:
        check(case)

    run()


@pytest.mark.nightly
@pytest.mark.parametrize("name", CONVENTIONS)
def test_a_convention_in_many_forms(name: str) -> None:
    @settings(max_examples=110, **CALM)
    @given(CONVENTIONS[name]())
    def run(case: Case) -> None:
        check(case)

    run()


def test_the_check_finds_what_is_wrong() -> None:
    X = np.round(np.random.default_rng(0).normal(size=(8, 2)), 3)
    content = framed(X).to_csv(index=False).encode()
    check(Case({"a.csv": content}, [X]))
    with pytest.raises(AssertionError):
        check(Case({"a.csv": content}, [X[::-1]]))
    with pytest.raises(AssertionError):
        check(Case({"a.csv": content}, [X], ["a"] * 8))
