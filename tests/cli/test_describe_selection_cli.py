"""`mvexplorer diagnose --selection`: who the samples of a named selection or of a column's value are, and bad input."""

import csv
import json
import os

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import false_discovery_control, mannwhitneyu

from mvexplorer.cli import main
from mvexplorer.state.session.settings import HOME_VARIABLE

KIND = np.array(["low", "high", "mid"] * 20)
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 3)), RNG.normal(size=(60, 4))
X[KIND == "high", 1] += 2.0


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    head = ["id,kind,stage=now,=x 0,<b>long</b> name,x 2", "id,y0,y1,y2,y3"]
    for name, values, line in zip("ab", (X, Y), head, strict=True):
        about = [[f"s{i:02d}", *((KIND[i], str(i % 2)) if name == "a" else ())] for i in range(60)]
        rows = [",".join([*words, *map(repr, row.tolist())]) for words, row in zip(about, values, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join([line, *rows, ""]))
    return tmp_path


SOURCE = ("a.csv", "b.csv", "--labels", "kind", "--role", "stage=now=colour")


@pytest.fixture
def session(folder, capsys):
    assert main(["compare", *SOURCE, "--methods", "pca", "--out", "p.csv", "--save", "s.mvx.json"]) == 0
    content, high = json.loads((folder / "s.mvx.json").read_text()), np.flatnonzero(KIND == "high").tolist()
    content["state"]["selections"] = {
        "named": [
            {"name": "the <b>high</b> = ones", "samples": high, "origin": "lasso in PCA 2-D"},
            {"name": "early", "samples": [0, 3, 6, 9, 12, 15], "origin": "class low"},
        ]
    }
    (folder / "s.mvx.json").write_text(json.dumps(content))
    capsys.readouterr()
    return "s.mvx.json"


def records(capsys, *command):
    assert main(["diagnose", *command, "--json"]) == 0
    out, err = capsys.readouterr()
    return json.loads(out), err


def test_records_are_those_of_scipy_with_the_columns_they_were_chosen_by_left_out(capsys):
    rows, _ = records(capsys, *SOURCE, "--selection", "kind=high")
    assert all(list(row)[:6] == ["view", "feature", "d", "auc", "p", "q"] for row in rows)
    features = {(row["view"], row["feature"]): row for row in rows}
    assert (rows[0]["view"], rows[0]["feature"]) == ("a", "<b>long</b> name")
    chosen = KIND == "high"
    for view, values, names in (("a", X, ("=x 0", "<b>long</b> name", "x 2")), ("b", Y, ("y0", "y1", "y2", "y3"))):
        for j, name in enumerate(names):
            x, y = values[chosen, j], values[~chosen, j]
            test, row = mannwhitneyu(x, y, method="asymptotic"), features[view, name]
            d = (x.mean() - y.mean()) / np.sqrt((19 * x.var(ddof=1) + 39 * y.var(ddof=1)) / 58)
            assert (row["d"], row["p"]) == pytest.approx((d, test.pvalue), abs=1e-12)
            assert row["auc"] == pytest.approx(test.statistic / 800, abs=1e-12)
    rates = false_discovery_control([row["p"] for row in rows])
    assert [row["q"] for row in rows] == pytest.approx(rates, abs=1e-12)
    assert {row["feature"] for row in rows if row["view"] is None} == {"stage=now"}


def test_a_second_value_is_compared_with_and_names_with_equals_signs_are_understood(capsys):
    rows, _ = records(capsys, *SOURCE, "--selection", "kind=high", "--against", "label=low")
    high, low = X[KIND == "high", 1], X[KIND == "low", 1]
    assert rows[0]["p"] == pytest.approx(mannwhitneyu(high, low, method="asymptotic").pvalue, abs=1e-12)
    assert rows[0]["others"] == pytest.approx(low.mean())
    rows, _ = records(capsys, *SOURCE, "--selection", "stage=now=1")
    assert {row["kind"] for row in rows} == {"feature", "class"}


def test_the_table_says_what_is_claimed_and_what_its_numbers_are(capsys, folder):
    assert main(["diagnose", *SOURCE, "--selection", "kind=high", "--out", "high.csv"]) == 0
    out, err = capsys.readouterr()
    said = out.splitlines()
    assert said[0].startswith("The 20 selected samples are higher in a <b>long</b> name (d ")
    assert said[0].endswith("1 of 8 comparisons has q ≤ .05.")
    assert said[1].split() == ["view", "feature", "d", "AUC", "p", "p", "(corrected)", "q"]
    assert said[2].split()[:3] == ["–", "column", "stage=now"]
    assert said[3].startswith("a     <b>long</b> name  +")
    assert "Cohen's d" in said[-1]
    assert "Benjamini" in said[-1]
    assert "high.csv\n" in err
    assert "--csv-safe" in err
    with (folder / "high.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [rows[0][name] for name in ("kind", "view", "feature")] == ["feature", "a", "<b>long</b> name"]
    assert main(["diagnose", *SOURCE, "--selection", "kind=high", "--out", "high.csv", "--csv-safe"]) == 0
    assert "a '=x 0" not in (folder / "high.csv").read_text("utf-8")  # only a name that begins so is a formula
    assert ",a,'=x 0," in (folder / "high.csv").read_text("utf-8")
    assert float(rows[0]["effect"]) > 1.0
    assert float(rows[0]["p"]) <= float(rows[0]["q"]) <= float(rows[0]["p_corrected"])


def test_values_that_were_filled_in_are_told_to_count_like_measured_ones(capsys, folder):
    assert main(["diagnose", *SOURCE, "--selection", "kind=high"]) == 0
    assert "filled in" not in capsys.readouterr().out
    lines = (folder / "b.csv").read_text().splitlines()
    lines[4] = ",".join([lines[4].split(",")[0], "", *lines[4].split(",")[2:]])
    (folder / "b.csv").write_text("\n".join([*lines, ""]))
    assert main(["diagnose", *SOURCE, "--missing", "median", "--selection", "kind=high"]) == 0
    meant = "Values that were filled in count like measured ones: missing values of 1 sample (b) imputed from "
    assert capsys.readouterr().out.splitlines()[-1].startswith(meant)


def test_named_selections_of_a_session_are_described_and_lassos_called_circular(session, capsys):
    rows, err = records(capsys, session, "--selection", "the <b>high</b> = ones", "--against", "early")
    (row,) = (row for row in rows if row["feature"] == "<b>long</b> name")
    x, y = X[KIND == "high", 1], X[[0, 3, 6, 9, 12, 15], 1]
    assert row["p"] == pytest.approx(mannwhitneyu(x, y, method="asymptotic").pvalue, abs=1e-12)
    assert "made in a picture" in err
    assert main(["diagnose", session, "--selection", "early"]) == 0
    out, _ = capsys.readouterr()
    assert "made in a picture" not in out
    assert main(["diagnose", session, "--selection", "the <b>high</b> = ones"]) == 0
    assert "made in a picture" in capsys.readouterr().out
    assert main(["diagnose", session, "--selection", "kind=high", "--against", "early"]) == 0


def test_both_groups_are_named_in_words_json_and_csv_and_their_names_stay_text(session, capsys, folder):
    content = json.loads((folder / session).read_text())
    content["state"]["selections"]["named"][1]["name"] = '=HYPERLINK("<b>x</b>")'
    (folder / session).write_text(json.dumps(content))
    command = ["diagnose", session, "--selection", "the <b>high</b> = ones", "--against", '=HYPERLINK("<b>x</b>")']
    rows, _ = records(capsys, *command[1:])
    sides = {"selection": command[3], "compared_with": command[5], "n_selection": 20, "n_compared_with": 6}
    assert all(row.items() >= sides.items() for row in rows)
    assert main([*command, "--out", "two.csv", "--csv-safe"]) == 0
    assert capsys.readouterr().out.startswith(f"Compared with the 6 samples of “{command[5]}”, all 20 ")
    with (folder / "two.csv").open(newline="", encoding="utf-8") as file:
        named = [tuple(row[name] for name in sides) for row in csv.DictReader(file)]
    assert set(named) == {(command[3], f"'{command[5]}", "20", "6")}
    assert main(["diagnose", *SOURCE, "--selection", "kind=high", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)[0]
    assert [first[name] for name in sides] == ["kind=high", "rest", 20, 40]


def test_a_column_of_dates_is_one_row_that_is_told_as_dates(capsys, folder):
    days = [f"2023-{1 + i % 9 + 3 * (KIND[i] == 'high'):02d}-11" for i in range(60)]
    table = "".join(f"s{i:02d},{X[i, 0]:.6f},{Y[i, 0]:.6f},{days[i]},{KIND[i]}\n" for i in range(60))
    (folder / "dated.csv").write_text(f"id,x,y,visit,kind\n{table}")
    source = ("dated.csv", "--labels", "kind", "--role", "visit=colour", "--selection", "kind=high")
    rows, _ = records(capsys, *source)
    assert [row["kind"] for row in rows if row["feature"] == "visit"] == ["column"]
    assert main(["diagnose", *source]) == 0
    said = capsys.readouterr().out
    assert said.startswith("The 20 selected samples are later in visit (mean 2023-")
    assert " against 2023-" in said


def test_beside_a_method_it_is_one_more_answer(capsys, folder):
    command = ["diagnose", *SOURCE, "--method", "pca", "--of", "spectrum", "--selection", "kind=high", "--out", "out"]
    assert main([*command, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["method"] == "pca"
    assert answer["selection"][0]["feature"] == "<b>long</b> name"
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["selection.csv", "spectrum.csv"]
    assert main(command) == 0
    assert "The 20 selected samples are higher in" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ((), "The following arguments are required: --method."),
        (("--against", "kind=low"), "--against needs something to compare. Add --selection NAME or COLUMN=VALUE."),
        (("--selection", "high"), "“high” names no samples: only a session has selections with names. Write COLUMN"),
        (("--selection", "knd=high"), "There is no column called “knd”. There are label, stage=now, kind."),
        (
            ("--selection", "y1=3"),
            "There is no column called “y1”. It is a feature of a view; --role y1=colour makes it",
        ),
        (("--selection", "kind=huge"), "No sample has kind “huge”. It has high, low, mid."),
        (("--selection", "kind="), "No sample has kind “”. It has high, low, mid."),
        (("--selection", "stage=now=7"), "No sample has stage=now “7”. It has 0, 1."),
        (("--selection", "stage=now"), "“stage=now” is a column, without a value. Write stage=now=VALUE."),
        (("--selection", "=x"), "There is no column called “”. There are label, stage=now, kind."),
        (("--selection", "="), "There is no column called “”. There are label, stage=now, kind."),
        (("--selection", ""), "The argument after “--selection” is empty."),
        (("--selection", "ki\nnd=high"), "There is no column called “ki nd”. There are label, stage=now, kind."),
        (("--selection", "kind=<b>\n,="), "No sample has kind “<b> ,=”. It has high, low, mid."),
        (("--selection", "kind=high", "--against", "low"), "“low” names no samples: only a session has selections"),
        (("--selection", "kind=high", "--against", "knd=low"), "There is no column called “knd”. There are label,"),
        (("--selection", "kind=high", "--against", "kind=huge"), "No sample has kind “huge”. It has high, low, mid."),
        (("--selection", "kind=high", "--against", ""), "The argument after “--against” is empty."),
        (
            ("--role", "x 2=colour", "--role", "y0=ignore", "--selection", "x 2=7"),
            "No sample has x 2 “7”. It has ",
        ),
        (
            ("--selection", "kind=high", "--against", "kind=high"),
            "Both selections hold the same samples, so there are no two groups to compare. Compare with another one,",
        ),
        (("--selection", "kind=high", "--out", "x.txt"), "Descriptions of a selection cannot be written as “x.txt”."),
    ],
)
def test_what_names_no_samples_is_told_in_one_sentence(capsys, more, sentence):
    assert main(["diagnose", *SOURCE, *more]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1].startswith(f"mvexplorer: {sentence}")


def test_a_name_that_the_session_lacks_is_answered_with_those_it_has(session, capsys):
    assert main(["diagnose", session, "--selection", "late"]) == 2
    err = capsys.readouterr().err
    assert "The session has no selection called “late”. It has the <b>high</b> = ones, early." in err


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (
            ("--selection", "early", "--role", "x 2=colour"),
            "A session says itself how its data is read, so flags of reading would be lost. Leave them out, or name",
        ),
        (("--selection", "early", "--drop-missing"), "A session says itself how its data is read, so flags of reading"),
        (
            ("--selection", "x 2=1"),
            "There is no column called “x 2”. It is a feature of a view; --role 'x 2=colour' beside the files, instead",
        ),
    ],
)
def test_how_the_data_of_a_session_is_read_is_not_changed_by_flags_that_would_be_lost(session, capsys, flags, sentence):
    assert main(["diagnose", session, *flags]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"mvexplorer: {sentence}")


SELECTIONS = {"none": [], "all": [*range(60)], "twin": [0, 3, 6, 9, 12, 15], "kind=low, =<b>": [1, 2, 4]}
"""By name, their samples."""


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (("none",), "“none” holds no sample. Choose another one, or write COLUMN=VALUE."),
        (("early", "none"), "“none” holds no sample. Choose another one, or write COLUMN=VALUE."),
        (("all", "none"), "“none” holds no sample. Choose another one, or write COLUMN=VALUE."),
        (("all",), "“all” holds all samples: there is no rest to compare with. Choose another one, or add --against"),
        (("early", "twin"), "Both selections hold the same samples, so there are no two groups to compare. Compare"),
        (("all", "all"), "Both selections hold the same samples, so there are no two groups to compare. Compare with"),
        (("early", "late"), "The session has no selection called “late”. It has the <b>high</b> = ones, early, none,"),
        (("kind=low, =<i>",), "No sample has kind “low, =<i>”. It has high, low, mid."),
    ],
)
def test_selections_that_leave_nothing_to_compare_are_told_by_name(session, capsys, folder, names, sentence):
    content = json.loads((folder / session).read_text())
    content["state"]["selections"]["named"] += [{"name": name, "samples": own} for name, own in SELECTIONS.items()]
    (folder / session).write_text(json.dumps(content))
    flags = [part for pair in zip(("--selection", "--against"), names, strict=False) for part in pair]
    for more in ((), ("--json",), ("--out", "x.csv")):
        assert main(["diagnose", session, *flags, *more]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.splitlines()[-1].startswith(f"mvexplorer: {sentence}")
    assert not (folder / "x.csv").exists()
    assert main(["diagnose", session, "--selection", "kind=low, =<b>"]) == 0  # its name, not a column's value
    assert capsys.readouterr().out.startswith("The 3 selected samples are ")
    assert main(["diagnose", session, "--selection", "all", "--against", "early"]) == 0
    assert "Compared with the 6 samples of “early”, the 54 selected samples" in capsys.readouterr().out


ODD = ('"two\nlines"', '"a,b"', '"=sum(A1)"', '"<b>"', '"say ""x"""', "flat", "Ünï")


@pytest.fixture
def odd(folder):
    """A table whose names and values hold line breaks, commas, quotes, tags and formulas; one feature is constant."""
    numbers = np.random.default_rng(1).normal(size=(60, len(ODD)))
    numbers[:, 5] = 7.0
    rows = [
        ",".join([f"s{i:02d}", KIND[i], '"up\nor, =<b>"' if i % 2 else "down", "", *map(repr, x.tolist())])
        for i, x in enumerate(numbers)
    ]
    (folder / "odd.csv").write_text("\n".join([",".join(["id", "kind", '"the\nway"', "bare", *ODD]), *rows, ""]))
    return ("odd.csv", "--labels", "kind", "--role", "bare=colour")


def test_names_and_values_are_found_as_they_stand_in_the_file_and_as_they_are_shown(odd, capsys):
    first, _ = records(capsys, *odd, "--selection", "the\nway=up\nor, =<b>")
    second, _ = records(capsys, *odd, "--selection", "the way=up or, =<b>")
    same = {"selection": ""}
    assert [row | same for row in first] == [row | same for row in second]
    assert first[0]["n_selection"] == 30
    assert {row["feature"] for row in first} >= {"a,b", "=sum(A1)", "<b>", 'say "x"', "Ünï"}
    assert not {"flat", "bare"} & {row["feature"] for row in first}  # what is the same for all has no row
    assert main(["diagnose", *odd, "--selection", "bare=1"]) == 2
    assert "No sample has bare “1”. It holds no value at all. Choose another column." in capsys.readouterr().err


def test_the_csv_is_read_back_by_pandas_and_polars_as_json_has_it(odd, capsys, folder):
    command = (*odd, "--selection", "the\nway=up\nor, =<b>", "--against", "the way=down")
    rows, _ = records(capsys, *command)
    assert main(["diagnose", *command, "--out", "x.csv"]) == 0
    by_polars = pl.read_csv(folder / "x.csv").with_columns(pl.col(pl.String).fill_null("")).to_dicts()
    frame = pd.read_csv(folder / "x.csv", keep_default_na=False, float_precision="round_trip")
    assert frame.to_dict("records") == by_polars
    for written, row in zip(by_polars, rows, strict=True):
        assert {**row, "view": row["view"] or ""}.items() >= {
            name: written[name] for name in written.keys() & row.keys() - {"p"}
        }.items()
        assert (written["effect"], written["p"]) == (row["d"], row["p"])
