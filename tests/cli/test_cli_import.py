"""`mvexplorer import`: what is read, assumed and in doubt, as text and JSON; one file that opens again equal."""

import json
import os
import wave
from argparse import ArgumentParser

import numpy as np
import pytest

from mvexplorer.cli.entry import main
from mvexplorer.cli.flags import add_reading_flags
from mvexplorer.cli.reading import flags_of, reading
from mvexplorer.datasets.loading import load, load_source
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.notices import Notice
from mvexplorer.errors import Offer, ParameterError, RowsError
from mvexplorer.io.arrays.archive import write_archive
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.state.session.settings import HOME_VARIABLE, read_settings

TABLE = "name,height,width,depth,kind\n" + "".join(
    f"s{i},{1.5 * i},{i * i % 7},{'' if i == 3 else i % 4},{'xy'[i % 2]}\n" for i in range(12)
)
MAP = "name,umap1,umap2\n" + "".join(f"s{i},{0.3 * (i % 5)},{0.7 * i}\n" for i in reversed(range(12)))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(TABLE)
    (tmp_path / "map.csv").write_text(MAP)
    return tmp_path


def run(capsys, *arguments):
    code = main(["import", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


# Flags ------------------------------------------------------------------------------------------------------------


def options(*flags):
    parser = ArgumentParser()
    add_reading_flags(parser)
    return reading(parser.parse_args(flags))


def test_flags_say_all_that_can_be_chosen():
    told = options(
        "--views", "a,b", "--labels", "kind", "--ids", "name", "--preprocess", "pca:3,zscore", "--missing", "knn",
        "--join", "intersect", "--transpose", "x.csv", "--role", "stage=label", "--role", "b.csv:k=v=ignore",
        "--split", "wt=wt_*,age", "--split", "ko=ko_*", "--split", "wt=mass", "--name", "a=first", "--half", "train",
        "--samples", "union",
    )  # fmt: skip
    assert told == ReadOptions(
        views=("a", "b"), labels="kind", ids="name", preprocess=("pca:3", "zscore"), missing="knn", join="intersect",
        transpose=("x.csv",), roles={"stage": "label", "b.csv:k=v": "ignore"},
        split={"wt": ("wt_*", "age", "mass"), "ko": ("ko_*",)}, names={"a": "first"}, half="train", samples="union",
    )  # fmt: skip
    assert set(ReadOptions().plain) == set()
    assert options() == ReadOptions()
    assert options("--drop-missing").missing == "drop"
    assert options("--transpose", "none").transpose is False


@pytest.mark.parametrize(("flags", "words"), [
    (["--role", "kind"], "--role kind cannot be read. Write --role NAME=ROLE, such as stage=label."),
    (["--role", "kind=boss"], "A column cannot have the role “boss”. Use one of view, label"),
    (["--split", "=wt"], "--split =wt cannot be read. Write --split VIEW=PATTERN."),
    (["--role", "kind=label", "--role", "kind=id"], "--role gives “kind” two values, label and id. Choose one"),
    (["--missing", "knn", "--drop-missing"], "cannot be dropped and filled in (knn) at the same time. Choose one"),
    (["--name", "a="], "--name a= cannot be read. Write --name OLD=NEW."),
])  # fmt: skip
def test_flags_that_cannot_be_read(flags, words):
    with pytest.raises(ParameterError) as found:
        options(*flags)
    assert words in str(found.value)


def test_an_offer_of_roles_is_told_as_flags():
    doubt = RowsError(
        "It is not clear.", [Offer("Take it", {"roles": {"my kind": "label"}, "split": {"a": ("x", "y")}})]
    )
    assert doubt.in_shell == "It is not clear. Take it (--role 'my kind=label' --split a=x,y)."
    assert RowsError("Which?", [Offer("Turn", {"transpose": True})]).in_shell == "Which? Turn (--transpose all)."


def test_every_command_with_a_source_reads_alike(capsys):
    for command in (
        "embed --method single",
        "compare --out x.png",
        "bandwidth",
        "sweep --method single --grid t=1:2:2 --out s.csv",
    ):
        assert main([*command.split(), "a.csv", "--role", "kind=boss"]) == 2
        assert "cannot have the role “boss”" in capsys.readouterr().err


# The report ---------------------------------------------------------------------------------------------------------


def test_the_report_says_what_was_read_and_assumed(capsys):
    code, out, err = run(capsys, "a.csv", "map.csv", "--labels", "kind", "--missing", "median")
    assert code == 0
    lines = out.splitlines()
    assert " ".join(lines[0].split()).startswith("view samples x features median distance² constant repeated missing")
    assert lines[1].split()[:4] == ["a", "12", "x", "3"]
    assert lines[1].split()[-2:] == ["1", "none"]  # one missing
    assert any(line.split()[:5] == ["height", "view", "a", "float64", "0"] for line in lines)
    assert any(line.startswith("umap1") and "coordinates" in line for line in lines)
    assert {"labels: kind", "names of the samples: name", "given coordinates: umap"} <= set(lines)
    assert "column “kind” was taken as the label" in err
    assert "not as a view. (--role umap1=view --role umap2=view)" in err


def test_json_has_the_promised_names_and_nothing_else_on_stdout(capsys):
    code, out, err = run(capsys, "a.csv", "map.csv", "--role", "kind=label", "--drop-missing", "--json")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert facts["labels"] == "kind"
    assert facts["ids"] == "name"
    (view,) = facts["views"]
    assert (view["name"], view["shape"]) == ("a", [11, 3])
    assert facts["coordinates"] == ["umap"]
    assert all(isinstance(note, str) for note in facts["notes"])
    assert {item["name"]: item["role"] for item in facts["items"]} == {
        "name": "id", "height": "view", "width": "view", "depth": "view", "kind": "label", "umap1": "coordinates",
        "umap2": "coordinates",
    }  # fmt: skip
    assert facts["error"] is None
    assert {item["name"]: item["range"] for item in facts["items"]}["height"] == "0 … 16.5"
    assert [(card["name"], card["state"]) for card in facts["checks"]] == [
        ("pairing", "fine"), ("label", "fine"), ("missing", "fine"), ("scales", "fine"), ("other", "fine"),
    ]  # fmt: skip


def test_the_check_list_says_what_is_proposed_with_its_flags(capsys, folder):
    _, out, _ = run(capsys, "a.csv")
    assert "Missing values: a proposal" in out
    assert "proposed: Fill in medians (--missing median)" in out  # one of twelve is too much to leave out
    assert "or: Drop 1 row (--missing drop)" in out
    heads = "".join(f"gene_{j}," for j in range(300))
    rows = "".join(f"{','.join(str((i * j) % 7 * 10 ** (j % 2 * 5) + 0.5) for j in range(300))}\n" for i in range(12))
    (folder / "genes.csv").write_text(heads.rstrip(",") + "\n" + rows)
    _, out, _ = run(capsys, "genes.csv")
    assert "gene_0 … gene_299 (300)  view genes" in out
    assert "Scales: for you to decide" in out
    assert "z-score genes (--preprocess zscore)" in out
    _, out, _ = run(capsys, "genes.csv", "--preprocess", "zscore")
    assert "Scales: fine" in out


HOLED = "id,u,v\n" + "".join(f"s{i},{i * i % 11},{'n.d.' if i == 6 else i % 5}\n" for i in range(20))
OTHERS = "id,w,x,visit\n" + "".join(
    f"s{i},{'' if i == 9 else i % 7},{1e5 * (i % 3)},{1 + i % 9:02d}/{1 + i % 7:02d}/2024\n" for i in range(2, 22)
)


def cards_of(facts):
    return {card["title"]: card for card in facts["checks"]}


def test_all_cards_are_told_at_once_with_what_is_proposed_and_the_flags_of_it(capsys, folder):
    """Behind the first refusal stand others: each would be asked one after the other."""
    (folder / "holed.csv").write_text(HOLED)
    (folder / "others.csv").write_text(OTHERS)
    code, out, err = run(capsys, "holed.csv", "others.csv", "--json")
    assert (code, err.count("\n")) == (2, 1)
    facts = json.loads(out)
    assert facts["views"] == []
    assert "“n.d.” on line 8" in facts["error"]
    cards = cards_of(facts)
    assert {title: card["state"] for title, card in cards.items()} == {
        "Text among numbers": "proposal", "Pairing": "proposal", "Label": "fine", "Missing values": "proposal",
        "Scales": "decide", "Dates": "proposal",
    }  # fmt: skip
    chosen = {
        title: [one["flags"] for remark in card["remarks"] for one in remark["offers"] if one["chosen"]]
        for title, card in cards.items()
    }
    assert chosen == {
        "Text among numbers": ["--role v=colour"], "Pairing": ["--join intersect"], "Label": [],
        "Missing values": ["--missing median"], "Scales": [], "Dates": ["--dates day-first"],
    }  # fmt: skip
    (gap,) = cards["Missing values"]["remarks"]
    assert gap["text"].startswith("1 of 18 rows hold missing")
    assert len(cards["Pairing"]["remarks"]) == 1  # what was kept is no second question
    assert facts["proposed"] == ["--role v=colour", "--join intersect", "--missing median", "--dates day-first"]
    code, out, _ = run(capsys, "holed.csv", "others.csv")
    assert code == 2
    assert "proposed: Use “v” for colouring (--role v=colour)" in out
    assert "or: Keep all 22, filled in from the other views (--samples union)" in out
    assert out.endswith(f"To read the files as proposed, add {' '.join(facts['proposed'])}\n")
    taken = [flag for flags in facts["proposed"] for flag in flags.split()]
    code, out, _ = run(capsys, "holed.csv", "others.csv", *taken, "--json")
    assert code == 0
    assert [view["shape"] for view in json.loads(out)["views"]] == [[18, 1], [18, 2]]
    assert json.loads(out)["proposed"] == []


def test_a_refusal_that_a_proposal_leads_to_stands_beside_it(capsys, folder):
    (folder / "u.csv").write_text("id,u\n" + "".join(f"s{i},{i if i < 2 else ''}\n" for i in range(6)))
    code, out, _ = run(capsys, "u.csv", "--missing", "drop")
    assert code == 2
    assert "Files: cannot be opened" in out
    (folder / "v.csv").write_text("id,v,k\n" + "".join(f"s{i},{i % 3},{'x' if i == 4 else i}\n" for i in range(6)))
    facts = json.loads(run(capsys, "u.csv", "v.csv", "--missing", "drop", "--json")[1])
    (remark,) = cards_of(facts)["Text among numbers"]["remarks"]
    assert remark["text"] == "Column “k” of “v.csv” holds text where numbers belong: “x” on line 6."
    assert cards_of(facts)["Files"]["state"] == "decide"


def test_flags_that_were_given_are_not_proposed_otherwise(capsys, folder):
    (folder / "holed.csv").write_text(HOLED)
    (folder / "others.csv").write_text(OTHERS)
    facts = json.loads(run(capsys, "holed.csv", "others.csv", "--role", "v=ignore", "--join", "id", "--json")[1])
    cards = cards_of(facts)
    assert "Text among numbers" not in cards
    assert cards["Pairing"]["state"] == "decide"
    assert not any(one["chosen"] for remark in cards["Pairing"]["remarks"] for one in remark["offers"])
    assert facts["proposed"] == []


def test_rows_that_may_belong_together_in_another_order_are_a_proposal_that_says_so(capsys, folder):
    times = [f"{5.1 + 0.37 * i:.2f}" for i in range(12)]
    (folder / "p.csv").write_text("time,u\n" + "".join(f"{t},{i % 5}\n" for i, t in enumerate(times)))
    (folder / "q.csv").write_text("time,v\n" + "".join(f"{t},{i % 3}\n" for i, t in enumerate(reversed(times))))
    code, out, _ = run(capsys, "p.csv", "q.csv")
    assert code == 2
    assert "Pairing: a proposal" in out
    assert "in another order, and nothing says whether it names the samples." in out
    assert "proposed: Join by time (--ids time)" in out
    assert "or: Pair by position (--join position)" in out
    assert out.endswith("To read the files as proposed, add --ids time\n")
    (folder / "named.csv").write_text("id,u\n" + "".join(f"s{i},{i % 5}\n" for i in range(12)))
    (folder / "bare.csv").write_text("v,w\n" + "".join(f"{i % 3},{i % 7}\n" for i in range(12)))
    code, out, _ = run(capsys, "named.csv", "bare.csv")
    assert code == 0
    assert "Pairing: a proposal" in out
    assert "bare.csv does not name its samples; its rows were paired with those of named.csv by position" in out
    assert "Pair by position (--join position)" in out


DEAD_ENDS = {
    "empty": ({"x.csv": ""}, "The file “x.csv” is empty. Export it again, with one row per sample."),
    "a header alone": ({"x.csv": "a,b\n"}, "“x.csv” has a header (“a”, “b”) but no rows. Give one row per sample."),
    "text alone": (
        {"x.csv": "k,l\na,b\nc,d\ne,f\n"},
        "There is no table of numbers in “x.csv”: “column 1” holds text, such as “k”. Give at least one column",
    ),
    "ids that repeat": (
        {"x.csv": "id,u\na,1\nb,2\na,3\nc,4\n", "y.csv": "id,v\na,1\nb,2\nc,3\nd,4\n"},
        "proposed: Keep the first of each repeated id (--repeated first)",
    ),
    "no id in both": (
        {"x.csv": "id,u\na,1\nb,2\nc,3\n", "y.csv": "id,v\nd,1\ne,2\nf,3\ng,4\n"},
        "0 of 3 and 0 of 4 samples are in both files. Give every file the same samples.",
    ),
    "other rows": ({"x.csv": "u\n1\n2\n3\n", "y.csv": "a,b\n"}, "“y.csv” has 1 row, where “x.csv” has 3 samples."),
    "a folder of other files": ({"x/readme.md": "no"}, "The folder “x” holds no pictures"),
}


@pytest.mark.parametrize("order", ["day-first", "month-first"])
def test_the_order_of_dates_in_force_is_told(capsys, folder, order):
    lines = [f"{1 + k % 6:02d}/{1 + k % 3:02d}/2024,{k},{k * k % 7}" for k in range(18)]
    (folder / "visits.csv").write_text("\n".join(["visit,a,b", *lines]), "utf-8")
    _, plain, _ = run(capsys, "visits.csv")
    assert "proposed: Day first (--dates day-first)" in plain
    _, out, _ = run(capsys, "visits.csv", "--dates", order)
    assert f"chosen: {order.replace('-', ' ').capitalize()} (--dates {order})" in out
    assert out.count("chosen: ") == 1


@pytest.mark.parametrize("case", DEAD_ENDS)
def test_a_dead_end_is_a_proposal_or_a_sentence(capsys, folder, case):
    files, words = DEAD_ENDS[case]
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    code, out, _ = run(capsys, *dict.fromkeys(name.partition("/")[0] for name in files))
    assert code == 2
    assert words in out
    assert ("cannot be opened" in out) != ("proposed: " in out)


def test_one_column_is_a_view_and_one_recording_is_one_sample(capsys, folder):
    (folder / "one.csv").write_text("x\n1\n2\n4\n8\n")
    assert run(capsys, "one.csv")[0] == 0
    with wave.open("one.wav", "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(800))
    code, out, _ = run(capsys, "one.wav")
    assert code == 2
    assert "“one.wav” is one recording, which is 1 sample; at least 3 are needed. Open the folder" in out


def record(path, hertz):
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes((1000 * np.sin(np.arange(400) * hertz / 80.0)).astype("<i2").tobytes())


@pytest.mark.parametrize("named", [("well", "ill"), ("blood",)])
def test_folders_of_tables_and_of_recordings_have_their_folders_as_label(capsys, folder, named):
    home = folder if len(named) > 1 else folder / "blood"
    for kind, step in (("well", 1.0), ("ill", 2.5)):
        (home / kind).mkdir(parents=True)
        (home / kind / "t.csv").write_text("u,v\n" + "".join(f"{i * step},{i * i % 7}\n" for i in range(6)))
    code, out, _ = run(capsys, *named, "--json")
    facts = json.loads(out)
    assert (code, facts["labels"], facts["samples"], len(facts["views"])) == (0, "folder", 12, 1)
    (label,) = (card for card in facts["checks"] if card["name"] == "label")
    assert label["remarks"][0]["text"] == "“folder” is the label: 2 classes (ill 6, well 6)."
    for kind in ("well", "ill"):
        (home / kind / "t.csv").unlink()
        for i in range(3):
            record(home / kind / f"{kind}{i}.wav", 5 + i)
    code, out, _ = run(capsys, *named, "--json")
    facts = json.loads(out)
    assert (code, facts["samples"], len(facts["views"])) == (0, 6, 1)
    (label,) = (card for card in facts["checks"] if card["name"] == "label")
    assert "is the label: 2 classes (ill 3, well 3)." in label["remarks"][0]["text"]


def test_which_number_is_the_day_is_asked_settled_by_a_flag_and_then_told(capsys, folder):
    days = "".join(f"s{i},{i % 5},{1 + i % 9:02d}/{1 + i % 7:02d}/2024\n" for i in range(12))
    (folder / "days.csv").write_text(f"id,u,visit\n{days}")
    code, out, err = run(capsys, "days.csv")
    assert code == 0
    assert "Dates: a proposal" in out
    assert "proposed: Day first (--dates day-first)" in out
    assert "or: Month first (--dates month-first)" in out
    assert "02/02/2024" not in err  # which is one day either way
    assert "(--dates day-first or --dates month-first)" in err
    code, out, _ = run(capsys, "days.csv", "--dates", "month-first")
    assert code == 0
    assert "Dates: fine" in out
    assert "chosen: Month first (--dates month-first)" in out
    assert "or: Day first (--dates day-first)" in out
    code, out, err = run(capsys, "days.csv", "--dates", "year-first")
    assert (code, out) == (2, "")
    assert err.startswith("mvexplorer: Argument --dates: invalid choice: ")


@pytest.mark.parametrize(("flags", "words"), [
    ([], "Drop these rows in all views with --drop-missing, or fill the numbers in with --missing median or knn."),
    (["--role", "knd=label"], "There is no column or variable called “knd”. Did you mean kind?"),
])  # fmt: skip
def test_what_cannot_be_read_ends_in_2_with_the_flag_that_decides_it(capsys, flags, words):
    code, out, err = run(capsys, "a.csv", *flags, "--json", "--out", "x.npz")
    assert code == 2
    assert words in err
    assert err.count("\n") == 1
    code, text, again = run(capsys, "a.csv", *flags)
    assert (code, again) == (2, err)
    assert "not known yet" not in text
    facts = json.loads(out)
    assert words in facts["error"]
    assert [item["name"] for item in facts["items"]][:2] == ["name", "height"]
    assert not os.path.exists("x.npz")


def test_scales_are_those_before_and_after_preprocessing(capsys):
    code, out, _ = run(capsys, "a.csv", "--preprocess", "zscore", "--drop-missing")
    assert code == 0
    assert "median distance², in the file" in out
    assert "first values, in the file" in out
    head, view = (line for line in out.splitlines()[:2])
    assert head.endswith("distance² after it")
    X = (frame := load("a.csv", drop_missing=True).Xs[0]) - frame.mean(axis=0)
    X = X / X.std(axis=0)
    squares = ((X[:, None] - X) ** 2).sum(axis=2)[np.triu_indices(len(X), 1)]
    assert float(view.split()[-1]) == pytest.approx(np.median(squares), rel=0.01)
    facts = json.loads(run(capsys, "a.csv", "--preprocess", "zscore", "--drop-missing", "--json")[1])
    assert facts["views"][0]["median_squared_distance_preprocessed"] == pytest.approx(np.median(squares))


def test_json_tells_the_flags_of_notes(capsys, folder):
    (folder / "n.csv").write_text("".join(f"{i},{i * i % 7}\n" for i in range(12)))
    facts = json.loads(run(capsys, "n.csv", "--json")[1])
    (choice,) = [one for one in facts["choices"] if "there is no header" in one["text"]]
    assert choice["flags"] == ["--header first"]


def test_a_doubt_about_rows_names_its_flag(capsys, folder):
    (folder / "b.csv").write_text("name,mass\n" + "".join(f"s{i},{i}\n" for i in range(3, 12)))
    code, _, err = run(capsys, "a.csv", "b.csv", "--missing", "median")
    assert code == 2
    assert "--join intersect" in err
    assert run(capsys, "a.csv", "b.csv", "--missing", "median", "--join", "intersect")[0] == 0


def test_a_sample_and_a_slip(capsys):
    code, out, _ = run(capsys, "helix-a", "--json")
    assert code == 0
    assert [view["shape"] for view in json.loads(out)["views"]] == [[600, 3], [600, 3]]
    assert run(capsys, "helix-z")[::2] == (2, run(capsys, "helix-z")[2])
    assert "Did you mean the sample helix-a" in run(capsys, "helix-z")[2]
    assert "End the file's name in .npz" in run(capsys, "a.csv", "--out", "x.csv")[2]


# One file -----------------------------------------------------------------------------------------------------------


def check_equal(ours, theirs):
    assert theirs.view_names == ours.view_names
    for X, Y in zip(ours.Xs, theirs.Xs, strict=True):
        np.testing.assert_array_equal(X, Y)
    np.testing.assert_array_equal(ours.labels, theirs.labels)
    assert theirs.sample_ids == ours.sample_ids
    np.testing.assert_array_equal(ours.images, theirs.images)
    assert theirs.feature_names == ours.feature_names
    for mapping in ("columns", "coordinates"):
        a, b = getattr(ours, mapping), getattr(theirs, mapping)
        assert list(a) == list(b)
        for name in a:
            np.testing.assert_array_equal(a[name], b[name])
    assert theirs.fingerprint == ours.fingerprint


def test_what_is_written_opens_again_equal(capsys):
    flags = ["a.csv", "map.csv", "--labels", "kind", "--missing", "knn"]
    assert run(capsys, *flags, "--out", "x.npz")[0] == 0
    check_equal(load_source(["a.csv", "map.csv"], options(*flags[2:])).data, load("x.npz"))


AWKWARD = {
    "thin views that are called like labels": MultiView(
        {"y": np.arange(5.0)[:, None], "labels": np.eye(5), "id": np.eye(5)[:, :1], "images": np.eye(5)},
        labels=["a", "", "c", "a", "é"], sample_ids=["r", "q", "p", "o", "n"],
    ),
    "square and wide": MultiView({"a": np.eye(5), "b": np.arange(15.0).reshape(5, 3)}, labels=[3, 1, 1, 2, 3]),
    "images, columns, coordinates": MultiView(
        {"file": np.eye(4), "allow_pickle": np.ones((4, 2)), "a/b: ü": np.eye(4)},
        images=np.arange(4 * 6, dtype=np.uint8).reshape(4, 2, 3),
        columns={"labels": [1.5, np.nan, 2, 3], "t": list("abcd")},
        coordinates={"umap": np.eye(4)[:, :2], "t": np.eye(4)[:, :3]},
        feature_names=[list("wxyz"), None, list("abcd")], labels=[0.5, 1.5, np.nan, 2.5],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", AWKWARD)
def test_awkward_data_opens_again_equal(case):
    write_archive(AWKWARD[case], "x.npz")
    check_equal(AWKWARD[case], load_source("x.npz").data)
    with np.load("x.npz") as plain:
        assert {X.shape for X in AWKWARD[case].Xs} <= {plain[key].shape for key in plain}


def test_roles_can_be_given_to_what_was_written():
    write_archive(MultiView({"a": np.eye(5), "b": np.ones((5, 2))}, labels=list("abcab")), "x.npz")
    read = load_source("x.npz", ReadOptions(roles={"b": "coordinates", "labels": "colour"})).data
    assert (read.view_names, list(read.coordinates), list(read.columns)) == (("a",), ["b"], ["labels"])


@pytest.mark.parametrize(("code", "subjects", "flags"), [
    ("possible-label", ("my kind",), ["--labels 'my kind'"]),
    ("halves", ("train", "test"), ["--half train", "--half test"]),
    ("possible-split", ("a", "wt_*", "ko_*"), ["--split 'wt=wt_*' --split 'ko=ko_*'"]),
    ("two-ids", ("name", "code"), ["--ids name", "--ids code"]),
    ("absent", ("a",), ["--samples intersection", "--samples union"]),
    ("assumed", ("a",), []),
])  # fmt: skip
def test_a_notice_is_answered_by_flags(code, subjects, flags):
    assert flags_of(Notice(code, "Is it?", subjects)) == flags


def test_the_window_reads_the_files_as_flags_said(capsys, folder):
    code, _, _ = run(capsys, "a.csv", "--labels", "kind", "--missing", "drop")
    assert code == 0
    source = (str((folder / "a.csv").resolve()),)
    assert read_settings()[0].reading_of(source).reading == ReadOptions(labels="kind", missing="drop")
    run(capsys, "a.csv", "--json")  # a look only
    assert read_settings()[0].reading_of(source) is not None
