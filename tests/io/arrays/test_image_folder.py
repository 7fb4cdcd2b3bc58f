"""Folders of pictures, written by Pillow."""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mvexplorer.datasets.loading import load_source
from mvexplorer.errors import DataError
from mvexplorer.io.reading.files import Loaded

Image = pytest.importorskip("PIL.Image")

RNG = np.random.default_rng(0)
GREY = RNG.integers(0, 256, size=(6, 8, 5), dtype=np.uint8)


def save(folder: Path, pictures: Any, *, ending: str = ".png", first: int = 8) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for i, picture in enumerate(pictures):
        Image.fromarray(picture).save(folder / f"shot{first + i}{ending}")
    return folder


def refusal(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        load_source(path)
    assert caught.value.hint
    assert "\n" not in str(caught.value)
    return str(caught.value)


def said(loaded: Loaded) -> str:
    return " ".join(map(str, loaded.notes))


def test_every_picture_is_a_sample_in_the_order_of_its_number(tmp_path: Path) -> None:
    data = load_source(save(tmp_path / "shots", GREY)).data
    assert data.view_names == ("pixels",)
    np.testing.assert_array_equal(data.Xs[0], GREY.reshape(6, -1))
    assert data.images is not None
    np.testing.assert_array_equal(data.images, GREY)
    assert data.sample_ids[:3] == ("shot8.png", "shot9.png", "shot10.png")
    assert data.labels is None


def test_folders_are_the_label(tmp_path: Path) -> None:
    save(tmp_path / "all" / "cats", GREY[:3])
    save(tmp_path / "all" / "dogs", GREY[3:])
    loaded = load_source(tmp_path / "all")
    assert loaded.data.labels is not None
    assert loaded.data.labels.tolist() == ["cats"] * 3 + ["dogs"] * 3
    assert loaded.data.sample_ids[0] == "cats/shot8.png"
    assert "the names of the folders were taken as the label" in said(loaded)
    other = load_source(tmp_path / "all", roles={"folder": "colour"}).data
    assert other.labels is None
    assert set(other.columns["folder"]) == {"cats", "dogs"}


def test_several_folders_of_pictures_are_views_unless_their_names_differ(tmp_path: Path) -> None:
    paths = [
        save(tmp_path / "left", GREY),
        save(tmp_path / "right", 255 - GREY),
        save(tmp_path / "late", GREY, first=90),
    ]
    loaded = load_source(paths[:2])
    assert loaded.data.view_names == ("left", "right")
    way = "Put folders that are classes into one folder, and open that."
    assert f"The pictures in left, right were taken as views of the same samples. {way}" in said(loaded)
    with pytest.raises(DataError, match="“late” names other samples than “left”") as caught:
        load_source(paths[::2])
    assert caught.value.hint == way


def test_large_pictures_of_several_sizes_are_brought_to_one_and_told(tmp_path: Path) -> None:
    ramp = np.tile(np.linspace(0, 255, 120).astype(np.uint8), (60, 1))
    colour = np.stack([ramp, ramp, 255 - ramp], axis=2)
    path = save(tmp_path / "p", [colour, colour, colour[::2, ::2], colour[:, ::-1]])
    loaded = load_source(path)
    assert loaded.data.images is not None
    assert loaded.data.images.shape == (4, 16, 32, 3)
    assert "2 sizes, most often 120 x 60 pixels, were brought to 32 x 16 pixels" in said(loaded)
    np.testing.assert_allclose(loaded.data.Xs[0][2], loaded.data.Xs[0][0], atol=6)
    np.testing.assert_allclose(loaded.data.Xs[0][3].reshape(16, 32, 3)[:, ::-1], loaded.data.images[0], atol=3)


@pytest.mark.parametrize("ending", [".jpg", ".bmp", ".gif", ".tif", ".webp", ".pgm"])
def test_every_ending(tmp_path: Path, ending: str) -> None:
    flat = [np.full((8, 8), 40 * i, dtype=np.uint8) for i in range(4)]
    data = load_source(save(tmp_path / "p", flat, ending=ending)).data
    means = data.Xs[0].mean(axis=1)
    np.testing.assert_allclose(means, [0, 40, 80, 120], atol=4)


def test_deep_grey_and_clear_pictures(tmp_path: Path) -> None:
    deep = [np.full((4, 4), 257 * i, dtype=np.uint16) for i in (0, 100, 255)]
    np.testing.assert_allclose(load_source(save(tmp_path / "deep", deep)).data.Xs[0][:, 0], [0, 100, 255], rtol=1e-6)
    clear = [np.dstack([np.full((4, 4, 3), 10, np.uint8), np.full((4, 4), a, np.uint8)]) for a in (0, 255, 255)]
    np.testing.assert_array_equal(load_source(save(tmp_path / "clear", clear)).data.Xs[0][:, 0], [255, 10, 10])


@pytest.mark.parametrize(
    ("values", "kind", "ending"),
    [((0, 100, 200, 4095), np.uint16, ".png"), ((0, 5, 9, 70_000), np.int32, ".tif"),
     ((0.0, 0.25, 0.5, 0.75), np.float32, ".tif"), ((-3.0, 0.0, 4.0, 7.0), np.float32, ".tif")],
)  # fmt: skip
def test_deep_grey_values_keep_their_proportions(tmp_path: Path, values: Any, kind: Any, ending: str) -> None:
    folder = save(tmp_path / "p", [np.full((40, 40), value, dtype=kind) for value in values], ending=ending)
    loaded = load_source(folder)
    expected = 255 * (np.array(values) - min(values)) / (max(values) - min(values))
    np.testing.assert_allclose(loaded.data.Xs[0][:, 0], expected, rtol=1e-5, atol=1e-4)
    assert loaded.data.images is not None
    assert loaded.data.images.dtype == np.uint8
    assert "were brought to 0 to 255" in said(loaded)


def test_the_first_picture_of_a_moving_one_is_told(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    for i in range(4):
        first, *others = [Image.fromarray(np.full((8, 8), 40 * i + 10 * j, np.uint8)) for j in range(3)]
        first.save(tmp_path / "p" / f"a{i}.gif", save_all=True, append_images=others)
    loaded = load_source(tmp_path / "p")
    np.testing.assert_allclose(loaded.data.Xs[0].mean(axis=1), [0, 40, 80, 120], atol=4)
    assert "of 4 files with several pictures the first was read, as of “a0.gif”" in said(loaded)


@pytest.mark.parametrize(("colour", "width"), [(False, 64), (True, 192)])
def test_palettes_are_grey_or_coloured(tmp_path: Path, colour: bool, width: int) -> None:
    (tmp_path / "p").mkdir()
    palette = [value for i in range(256) for value in (i, i, 255 - i if colour else i)]
    for i in range(4):
        picture = Image.fromarray(np.full((8, 8), 40 * i, np.uint8), "L").convert("P")
        picture.putpalette(palette)
        picture.save(tmp_path / "p" / f"{i}.png")
    data = load_source(tmp_path / "p").data
    assert data.Xs[0].shape == (4, width)
    np.testing.assert_array_equal(data.Xs[0][:, 0], [0, 40, 80, 120])


def test_pixels_can_be_principal_components(tmp_path: Path) -> None:
    loaded = load_source(save(tmp_path / "p", GREY), preprocess="pca:5")
    assert loaded.data.preprocess == ("pca:5",)
    assert loaded.data.prepared_title(0, 4) == "PC 5"
    assert "pca:5 or so" in said(loaded)


def test_other_files_are_told_and_links_are_not_followed(tmp_path: Path) -> None:
    path = save(tmp_path / "p", GREY[:4])
    (path / "notes.txt").write_text("hello")
    (path / ".DS_Store").write_text("hidden")
    (path / "shot99.png").symlink_to(path / "shot8.png")
    loaded = load_source(path)
    assert loaded.data.n_samples == 4
    assert "2 other files are no pictures" in said(loaded)


def test_damaged_pictures_and_other_kinds_are_named(tmp_path: Path) -> None:
    path = save(tmp_path / "p", GREY)
    whole = (path / "shot9.png").read_bytes()
    (path / "shot9.png").write_bytes(whole[: len(whole) // 2])
    assert "The picture “shot9.png” is damaged" in refusal(path)
    (path / "shot9.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n")
    assert "The picture “shot9.png” is damaged" in refusal(path)


def test_a_bomb_is_refused_before_it_is_unfolded(tmp_path: Path) -> None:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0)
    path = save(tmp_path / "p", GREY)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(10**6))) + chunk(b"IEND", b"")
    (path / "shot9.png").write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    assert "“shot9.png” claims more pixels than the 80 million" in refusal(path)


def test_an_empty_folder_and_one_of_texts(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1,2\n")
    assert "holds no pictures, recordings or tables" in refusal(tmp_path)


def test_without_the_library_one_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(tmp_path / "p", GREY)
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert refusal(path) == (
        "Reading pictures needs Pillow, which is not installed. Install it with: python -m pip install pillow"
    )
