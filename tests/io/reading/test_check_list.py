"""The check list before files are opened: what is fine, what is proposed, what only the user can decide."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.io import savemat

from mvexplorer.engine.core.notices import UNLIKE_VIEWS
from mvexplorer.errors import MissingValuesError, MixedColumnError, RowsError, ways_out
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.check_list import check_list, proposal, whole_check_list
from mvexplorer.io.reading.inspection import inspect_files

X = np.random.default_rng(2).normal(size=(40, 3)).round(3)


@pytest.fixture
def write(tmp_path):
    def written(name, heads, columns):
        lines = [heads, *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
        (tmp_path / name).write_text("\n".join(lines))
        return str(tmp_path / name)

    return written


def cards(files, options=None, **more):
    return {card.name: card for card in check_list(inspect_files(files, options), options, **more)}


def ids(start=0, count=40):
    return [f"p{i:02d}" for i in range(start, start + count)]


def test_a_table_without_doubts_is_fine_in_four_cards(write):
    kinds = ["ill" if i % 4 else "well" for i in range(40)]
    file = write("a.csv", "patient,u,v,label", [ids(), X[:, 0], X[:, 1], kinds])
    checked = cards([file])
    assert {name: card.state for name, card in checked.items()} == dict.fromkeys(
        ("pairing", "label", "missing", "scales"), "fine"
    )
    assert checked["pairing"].remarks[0].text == "40 samples, named by column “patient”."
    assert checked["label"].remarks[0].text == "“label” is the label: 2 classes (ill 30, well 10)."


def test_samples_that_only_some_files_have_are_a_proposal_and_never_block(write):
    files = [write("a.csv", "id,u", [ids(), X[:, 0]]), write("b.csv", "id,v", [ids(5), X[:, 1]])]
    look = inspect_files(files)
    assert isinstance(look.error, RowsError)
    best = proposal(look)
    assert best.options == {"join": "intersect"}
    pairing = cards(files)["pairing"]
    assert (pairing.state, pairing.blocks) == ("proposal", False)
    taken = ReadOptions(**best.options)
    guessed = cards(files, taken, proposed={"join"}, answered=[look.error])["pairing"]
    assert (guessed.state, guessed.remarks[0].chosen) == ("proposal", best)
    assert guessed.remarks[0].text.startswith("Kept the 35 samples present in all files")
    assert [offer.title for offer in guessed.remarks[0].offers][1].startswith("Keep all 45")
    assert cards(files, taken, answered=[look.error])["pairing"].state == "fine"  # the user's own choice


def test_files_of_other_samples_block_with_a_sentence(write):
    files = [write("a.csv", "id,u", [ids(), X[:, 0]]), write("b.csv", "id,v", [ids(60, 30), X[:30, 1]])]
    look = inspect_files(files)
    assert proposal(look) is None
    pairing = cards(files)["pairing"]
    assert (pairing.state, pairing.blocks) == ("decide", True)
    assert pairing.remarks[0].text.endswith("Give every file the same samples.")


@pytest.mark.parametrize(("gaps", "how"), [(1, "drop"), (10, "median")])
def test_few_samples_with_gaps_are_left_out_and_many_are_filled_in(write, gaps, how):
    u = ["" if i < gaps else value for i, value in enumerate(X[:, 0])]
    file = write("a.csv", "u,v", [u, X[:, 1]])
    look = inspect_files([file])
    assert isinstance(look.error, MissingValuesError)
    assert proposal(look).options == {"missing": how}
    options = ReadOptions(missing=how)
    card = cards([file], options, proposed={"missing"})["missing"]
    assert (card.state, card.remarks[0].chosen.options) == ("proposal", {"missing": how})
    assert str(gaps) in card.remarks[0].text
    assert cards([file], options)["missing"].state == "fine"


def test_a_word_among_numbers_is_proposed_as_a_colouring(write):
    u = ["n.d." if i == 3 else value for i, value in enumerate(X[:, 0])]
    file = write("a.csv", "u,v", [u, X[:, 1]])
    look = inspect_files([file])
    assert isinstance(look.error, MixedColumnError)
    card = next(iter(check_list(look)))
    assert (card.title, card.state) == ("Text among numbers", "proposal")
    options = ReadOptions(**proposal(look).options)
    assert {item.name: item.role for item in inspect_files([file], options).items} == {"u": "colour", "v": "view"}
    assert ways_out(ValueError()) == ()


def test_columns_of_other_scales_are_the_users_decision_with_one_cure(write):
    file = write("a.csv", "u,v", [X[:, 0], X[:, 1] * 1e5])
    card = cards([file])["scales"]
    assert (card.state, card.blocks) == ("decide", False)
    (cure,) = card.remarks[0].offers
    assert cure.in_shell == "--preprocess zscore"
    assert cards([file], ReadOptions(**cure.options))["scales"].state == "fine"


def test_views_that_are_uneven_in_two_ways_have_one_cure(write):
    files = [
        write("a.csv", "id,u,v", [ids(), X[:, 0], X[:, 1] * 1e5]),
        write("b.csv", "id,p,q,r", [ids(), X[:, 0], X[:, 1], X[:, 2] * 100]),
    ]
    (remark,) = cards(files)["scales"].remarks
    assert "1000-fold in a" in remark.text
    assert "“r” makes more than 99 %" in remark.text
    assert [offer.in_shell for offer in remark.offers] == ["--preprocess zscore,zscore"]


def test_views_of_other_scales_are_told_with_the_scales(tmp_path):
    savemat(tmp_path / "a.mat", {"X1": X, "X2": X[::-1] * 1e8, "Y": np.arange(40)[:, None] % 3})
    checked = cards([tmp_path / "a.mat"])
    assert checked["scales"].remarks[0].text.startswith("View X1 is 1e8 times smaller than X2")
    assert checked["label"].remarks[0].text == "“Y” is the label: 3 classes (0 14, 1 13, 2 13)."
    assert checked["pairing"].remarks[0].text.endswith("row i of every view is the same sample.")
    assert any(note.code == UNLIKE_VIEWS for note in inspect_files([tmp_path / "a.mat"]).notes)


def test_a_label_that_is_possible_or_a_number_is_offered(write):
    kinds = ["ill" if i % 4 else "well" for i in range(40)]
    card = cards([write("a.csv", "u,v,kind", [X[:, 0], X[:, 1], kinds])])["label"]
    assert (card.state, card.remarks[0].offers[0].options) == ("fine", {"labels": "kind"})
    numbers = [i % 3 for i in range(40)]
    card = cards([write("b.csv", "u,v,w,kind", [*X.T, numbers])])["label"]
    assert (card.state, card.remarks[0].offers[0].options) == ("proposal", {"labels": "kind"})


def test_doubts_about_nothing_common_have_cards_of_their_own(write, tmp_path):
    (tmp_path / "a.csv").write_text("\n".join(f"{i};1.{i:03d}" for i in range(100, 140)))
    others = [card for card in check_list(inspect_files([tmp_path / "a.csv"])) if card.name == "other"]
    assert [(card.title, card.state) for card in others] == [("Decimal sign", "proposal"), ("Header", "fine")]


def test_nothing_is_called_fine_before_it_could_be_read(tmp_path):
    (tmp_path / "a.csv").write_text("")
    first, *others = check_list(inspect_files([tmp_path / "a.csv"]))
    assert (first.name, first.blocks) == ("files", True)
    assert {card.state for card in others} == {"unknown"}


def test_a_turned_table_has_a_header_where_others_have_a_column(write, tmp_path):
    (tmp_path / "genes.csv").write_text(
        "gene," + ",".join(ids()) + "\n" + "\n".join(f"g{j}," + ",".join(map(str, X[:, j])) for j in range(3))
    )
    look = inspect_files([tmp_path / "genes.csv", write("clinic.csv", "who,age", [ids(), X[:, 0]])])
    (header,) = [item for item in look.items if item.header]
    assert (header.name, header.title, header.role) == ("gene", "header", "id")
    assert "The header of genes.csv and column “who” of clinic.csv were taken" in look.join


def test_cards_do_not_grow_with_columns(write):
    texts = [["abc"[i * j % 3] for i in range(40)] for j in range(1, 200, 3)]
    heads = ",".join(["u", "v", *(f"kind {j}" for j in range(len(texts)))])
    card = cards([write("a.csv", heads, [X[:, 0], X[:, 1], *texts])])["label"]
    assert len(card.remarks) == 7
    assert [bool(remark.offers) for remark in card.remarks] == [True] * 6 + [False]
    assert card.remarks[-1].text.startswith(f"And {len(texts) - 6} more like these: ")


def test_all_cards_are_listed_behind_refusals(write):
    words = [["n.d." if i == j else value for i, value in enumerate(X[:, j % 3])] for j in range(30)]
    u = ["" if i < 10 else value for i, value in enumerate(X[:, 0])]
    heads = ",".join(["id", "u", *(f"w{j}" for j in range(30))])
    files = [write("a.csv", heads, [ids(), u, *words]), write("b.csv", "id,v", [ids(5), X[:, 1]])]
    looks = []

    def look(options):
        looks.append(options)
        return inspect_files(files, options)

    first = inspect_files(files)
    found = whole_check_list(first, ReadOptions(), look)
    assert len(looks) == 3  # words, pairing and gaps are settled one after the other, thirty columns at once
    chosen = {card.title: remark.chosen.in_shell for card in found for remark in card.remarks if remark.chosen}
    assert chosen.pop("Text among numbers").count("--role ") == 30
    assert chosen == {"Pairing": "--join intersect", "Missing values": "--missing median"}
    assert [(card.title, card.state) for card in found] == [
        ("Text among numbers", "proposal"), ("Pairing", "proposal"), ("Label", "fine"), ("Missing values", "proposal"),
        ("Scales", "fine"),
    ]  # fmt: skip
    own = ReadOptions(join="id", roles={f"w{j}": "view" for j in range(30)})
    blocked = whole_check_list(inspect_files(files, own), own, look)
    assert next((card.title, card.state) for card in blocked) == ("Text among numbers", "decide")
    assert len(looks) == 3


def test_the_decimal_sign_of_the_same_columns_is_asked_once_for_all_files(tmp_path):
    for folder in ("calm", "storm", "fog"):
        (tmp_path / folder).mkdir()
        rows = "\n".join(f"{folder}{k};4,{100 + 7 * k + len(folder)};9,{200 + 3 * k}" for k in range(12))
        (tmp_path / folder / "wind.csv").write_text(f"day;speed;gust\n{rows}\n", "utf-8")
    cards = check_list(inspect_files([str(tmp_path)]))
    (card,) = [card for card in cards if card.title == "Decimal sign"]
    (remark,) = card.remarks
    assert remark.text.endswith("it could be a separator of thousands. The same was assumed in other files.")
    assert [offer.options for offer in remark.offers] == [{"decimal": "."}, {"decimal": ","}]
