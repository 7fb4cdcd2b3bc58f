"""One's own files in a real window: from the file to scored, compared pictures by mouse alone, and by one command."""

import os

import pytest
from command import main_in, mvexplorer_in
from own_data import KINDS, VIEWS, write_tumours
from xserver import Program, missing_tools, x_server


@pytest.fixture(scope="module")
def display():
    """A display with a window manager."""
    missing = missing_tools()
    if missing and os.environ.get("MVEXPLORER_REQUIRE_WINDOW"):
        pytest.fail(f"a real window needs {', '.join(missing)}")
    if missing:
        pytest.skip(f"a real window needs {', '.join(missing)}")
    with x_server() as name:
        yield name


@pytest.mark.window
@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("kind", "rows"),
    [("csv", 120), ("xlsx", 120), ("parquet", 569), ("h5mu", 569)],
)
def test_from_files_to_scored_pictures_by_mouse_alone(display, tmp_path, kind, rows):
    files = write_tumours(tmp_path, kind, rows)
    with Program(display, tmp_path, *files) as program:

        def click(words, what, holds):
            seen = program.until(words, lambda f: words in f["offers"] or f["more"])
            if words not in seen["offers"]:  # a message behind the first one has it
                press(seen["more"][0])
                seen = program.until(words, lambda f: words in f["offers"])
            press(seen["offers"][words])
            return program.at_rest(what, holds)

        def press(place):
            x, y, width, height = place
            program.hand.click(x + width / 2, y + height / 2)

        program.at_rest("the file", lambda f: f["n"] == rows)
        if kind in ("xlsx", "parquet"):
            click("Split into mittel, fehler, extrem", "three views", lambda f: f["views"] == list(VIEWS))
        click("Use “befund” as the label", "scores", lambda f: f["colour"] == "befund" and all(f["scored"].values()))
        found = click("z-score all views", "scores", lambda f: "z-score all views" not in f["offers"])
        assert found["views"] == list(VIEWS)
        assert len(found["scored"]) == 6
        assert all(found["scored"].values())
        assert "Traceback" not in program.errors


@pytest.mark.parametrize("kind", KINDS)
def test_from_files_to_scored_pictures_by_one_command(tmp_path, kind):
    files = write_tumours(tmp_path, kind, rows=120)
    split = [part for view in VIEWS for part in ("--split", f"{view}={view}_*")] if kind in ("xlsx", "parquet") else []
    command = mvexplorer_in if kind == "csv" else main_in
    done = command(
        tmp_path, "compare", *files, "--labels", "befund", *split, "--preprocess", "zscore",
        "--methods", "single,multiview", "--out", "c.png", PYTHONWARNINGS=None,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    assert "NMI" in head
    assert len(rows) == 4
    assert all("±" in row for row in rows)
    assert (tmp_path / "c.png").stat().st_size > 10_000
