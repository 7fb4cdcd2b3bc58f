"""What null tests and stability found goes with the panel: into records and captions, and into a colouring."""

import numpy as np
import pytest
from inline import circle_data, controlled, opened

from mvexplorer.state.batches.check_record import CheckRecords
from mvexplorer.state.batches.check_words import reason_against, shuffles
from mvexplorer.state.batches.checks import Checks
from mvexplorer.state.batches.tuner import Tuner
from mvexplorer.state.colourings.derived import Derived
from mvexplorer.state.document import commands
from mvexplorer.state.export.captions import panel_caption
from mvexplorer.state.export.record import document_record
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.panel_result import PanelResult


@pytest.fixture
def checked():
    """A panel of two views, with its checks."""
    document = opened(panels=(commands.new_panel("kernel-sum", "p1"),))
    controller = controlled(document)
    controller.on_idle()
    checks = Checks(controller)
    return (
        document,
        controller,
        checks,
        CheckRecords(checks, Tuner(controller, Editor(document, controller)), controller),
    )


def test_records_and_captions_tell_what_was_found_until_the_picture_changes(checked):
    document, controller, checks, _ = checked
    checks.null_test("p1", "v2", 3)
    checks.stability("p1", "parts", 3)
    record = document_record(document.state, document.data, "ring", controller.result, None)
    told = record["panels"][0]["checks"]
    band, known = checks.of("p1").null["v2"], checks.of("p1").stability["parts"]
    assert (told["null"][0]["view"], told["null"][0]["p"], told["null"][0]["shuffle"]) == ("v2", band.p, "rows")
    assert told["null"][0]["shuffled"] == band.shuffled.tolist()
    assert (told["stability"][0]["runs"], told["stability"][0]["number"]) == (3, known.number)
    caption = panel_caption(record["panels"][0], record)
    assert band.words.rstrip(".") in caption
    assert "Median displacement" in caption
    commands.set_scale(document, 3.0)
    assert document_record(document.state, document.data, "ring", controller.result, None)["panels"][0].get(
        "checks"
    ) is None  # fmt: skip


def test_samples_are_coloured_by_how_far_they_move_also_before_the_page_was_asked(checked):
    document, controller, checks, _ = checked
    derived = Derived(controller)
    own = derived.colouring("spread:p1").values
    assert "spread:p1" not in str(document.state)
    checks.stability("p1", "parts", 10)
    known = checks.of("p1").stability["parts"].spread
    found = derived.colouring("spread:p1")
    assert found.title == "spread of Kernel sum"
    np.testing.assert_array_equal(found.values, known)
    np.testing.assert_allclose(own, known)
    assert derived.colouring("spread:p9") is None


def test_only_columns_that_name_bursts_are_offered_for_shuffling():
    data = circle_data()
    assert shuffles(data) == {"circular": "Circular", "bursts:weather": "Bursts: weather"}


def test_a_panel_that_is_still_computed_says_so():
    words = reason_against(commands.new_panel("kernel-sum", "p1"), PanelResult(status="computing"))
    assert words.startswith("This panel has no picture yet")
