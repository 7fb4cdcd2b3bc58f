"""Reads the block of a live page by itself, from what its format says: the tests compare the writer with this."""

import json
import struct
import zlib
from base64 import b64decode

import numpy as np


def read(text):
    """The header, and by panel its columns (rows, g), steps, frames (p, g, d), S and log tr S.

    With `solid` and `etas` where the panel has them.
    """
    content = zlib.decompress(b64decode(text), -15)
    assert content[:4] == b"MVXL"
    version, length, checksum = struct.unpack("<III", content[4:16])
    assert version == 2
    assert zlib.crc32(content[16:]) == checksum
    header = json.loads(content[16 : 16 + length])
    return header, {panel["id"]: panel_of(panel, content[16 + length :]) for panel in header["panels"]}


def numbers(content, place):
    offset, count, run = place
    low, high = np.frombuffer(content, np.uint8, 2 * count, offset).reshape(2, count).astype(int)
    told = low + 256 * high
    steps = np.where(told % 2, -(told + 1) // 2, told // 2).reshape(-1, run)
    return np.cumsum(steps, axis=1).astype(np.int16).ravel().astype(float)


def panel_of(panel, content):
    columns = numbers(content, panel["Q"]).reshape(panel["g"], -1).T * panel["w"] if "Q" in panel else None
    out = all_of(panel, columns, panel.get("unit"), content)
    return {**out, "etas": {each["eta"]: all_of(each, columns, panel.get("unit"), content) for each in panel["etas"]}}


def all_of(words, columns, unit, content):
    solid = {"solid": picture_of(words["solid"], columns, unit, content)} if "solid" in words else {}
    return {**picture_of(words, columns, unit, content), **solid}


def picture_of(panel, columns, unit, content):
    if "stops" in panel:
        points = numbers(content, panel["P"]).reshape(panel["d"], -1, len(panel["stops"])) * panel["scale"]
        return {"stops": panel["stops"], "points": points.transpose(2, 1, 0)}
    g, d, p = columns.shape[1], panel["d"], panel["x"][1]
    return {
        "columns": columns,
        "steps": numbers(content, panel["x"]).astype(int),
        "frames": numbers(content, panel["C"]).reshape(g, d, p).transpose(2, 0, 1) * panel["scale"],
        "told": np.vstack([numbers(content, panel[k]).reshape(-1, p) * panel["steps"][k == "T"] for k in "ST"]).T,
        "unit": unit,
        "t": panel["t"],
        "parts": panel["parts"],
    }


def picture(panel, step, n_samples, t=1.0):
    """A panel's points (M, d) at a step, before they are fitted, as the page draws them; and if that is certified."""
    j = min(max(int(np.searchsorted(panel["steps"], step, "right")) - 1, 0), len(panel["steps"]) - 2)
    h = (step - panel["steps"][j]) / (panel["steps"][j + 1] - panel["steps"][j])
    frame = (1 - h) * panel["frames"][j] + h * panel["frames"][j + 1]
    told = (1 - h) * panel["told"][j] + h * panel["told"][j + 1]
    d = frame.shape[1]
    S = np.zeros((d, d))
    S[np.triu_indices(d)] = told[:-1] * np.exp(told[-1])
    S = S + np.triu(S, 1).T
    lengths, turns = np.linalg.eigh(S)
    power = lengths.clip(0.0) ** (t if panel["t"] is None else panel["t"])
    rows = panel["columns"] @ frame @ (turns * power) @ turns.T
    if panel["unit"]:
        rows /= np.sqrt(1.0 + (rows**2).sum(axis=1, keepdims=True))
    certified = any(part["ok"] and part["a"] <= step <= part["b"] for part in panel["parts"])
    return rows.reshape(-1, n_samples, d).mean(axis=0), certified


def largest_angle(A, B):
    """In radians, between the spaces of the centred columns of two pictures."""
    first, second = (np.linalg.qr(Y - Y.mean(axis=0))[0] for Y in (A, B))
    return float(np.arccos(np.linalg.svd(first.T @ second)[1].clip(max=1.0).min()))


def unlikeness(A, B):
    """Share of B's size that is left once A is turned onto it; lengths count."""
    A, B = A - A.mean(axis=0), B - B.mean(axis=0)
    U, _, Vt = np.linalg.svd(A.T @ B)
    return float(np.linalg.norm(A @ U @ Vt - B) / np.linalg.norm(B))
