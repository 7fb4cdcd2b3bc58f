"""Files whose names are no UTF-8, as old disks have them: every command takes and makes them."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from mvexplorer.cli import main
from mvexplorer.io.base.path_text import path_from_json
from mvexplorer.state.session.settings import HOME_VARIABLE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")

E = os.fsdecode(b"\xe9")
LEFT, RIGHT, KINDS = f"l{E}.csv", f"r{E}.csv", f"k{E}.csv"
TWO = (LEFT, RIGHT)
FEW = ("--methods", "single,multiview")
COMMANDS = {
    "embed": [
        ["embed", *TWO, "--method", "multiview", *more]
        for more in ([], ["--json"], *(["--out", f"out{E}.{ending}"] for ending in ("csv", "npz", "parquet")))
    ],
    "options": [
        ["embed", *TWO, "--method", "multiview", "--split", f"s{E}=f1", "--views", f"s{E},l{E}", "--out", "split.csv"],
        ["import", *TWO, "--split", f"s{E}=f1", "--labels", KINDS, "--role", f"{LEFT}:f0=ignore", "--json"],
        ["compare", *TWO, *FEW, "--name", f"l{E}=n{E}", "--labels", KINDS, "--role", f"{LEFT}:f0=ignore",
         "--out", "named.svg", "--save", "named.mvx.json"],
        ["run", "named.mvx.json", "--export", "named"],
    ],
    "import": [["import", *TWO, *more] for more in ([], ["--json"], ["--out", f"out{E}.npz"])],
    "bandwidth": [["bandwidth", *TWO, "--rule", "median", *more] for more in ([], ["--json"])],
    "spectrum": [
        ["bandwidth", *TWO, "--spectrum", *more]
        for more in ([], ["--json"], *(["--out", f"out{E}.{ending}"] for ending in ("csv", "svg")))
    ],
    "diagnose": [["diagnose", *TWO, "--method", "multiview", *more] for more in (["--json"], ["--out", f"out{E}"])],
    "describe": [
        ["diagnose", *TWO, "--labels", KINDS, "--selection", "label=a", *more] for more in ([], ["--out", f"d{E}.csv"])
    ],
    "sweep": [
        ["sweep", *TWO, "--labels", KINDS, "--method", "multiview", "--grid", f"epsilon:l{E}=1:2:2",
         "--out", f"out{E}.{ending}"]
        for ending in ("csv", "csv", "parquet", "parquet")  # the second time it goes on
    ],
    "session": [
        ["compare", *TWO, *FEW, "--out", f"out{E}.html", "--save", f"s{E}.mvx.json", "--json"],
        ["run", f"s{E}.mvx.json", "--export", f"res{E}"],
        ["script", f"s{E}.mvx.json", "--out", f"out{E}.py"],
        ["script", f"s{E}.mvx.json", "--out", f"out{E}.ipynb"],
    ],
    "session with data": [
        ["compare", *TWO, *FEW, "--out", f"out{E}.pdf", "--save", f"s{E}.mvx"],
        ["run", f"s{E}.mvx", "--export", f"res{E}"],
        ["run", f"s{E}.mvx", "--export", f"res{E}", "--tables", "parquet"],
        ["compare", f"s{E}.mvx", *FEW, "--out", f"out{E}.png"],
        ["script", f"s{E}.mvx", "--out", f"out{E}.py"],
    ],
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    home = tmp_path / f"d{E}"
    home.mkdir()
    monkeypatch.setenv(HOME_VARIABLE, str(home / "home"))
    monkeypatch.chdir(home)
    t = np.linspace(0.0, 6.0, 16)
    for name, X in ((LEFT, np.c_[np.cos(t), np.sin(t)]), (RIGHT, np.c_[t, t**2])):
        rows = [f"s{i},{a},{b}" for i, (a, b) in enumerate(X.tolist())]
        Path(name).write_text("\n".join(["id,f0,f1", *rows]))
    Path(KINDS).write_text("id,kind\n" + "".join(f"s{i},{'ab'[i % 2]}\n" for i in range(16)))
    return home


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_take_and_make_files_of_any_name(capfdbinary, folder, name):
    for arguments in COMMANDS[name]:
        code = main(arguments)
        out, err = capfdbinary.readouterr()
        assert code == 0, (arguments, err)
        out.decode("utf-8")
        if "--json" in arguments:
            json.loads(out)
    texts = [path for ending in ("csv", "json", "html", "svg", "py", "ipynb") for path in folder.rglob(f"*.{ending}")]
    for path in texts:
        path.read_text("utf-8")


def test_the_record_of_an_export_names_its_source(folder):
    assert main(["compare", *TWO, *FEW, "--out", "a.png", "--save", f"s{E}.mvx"]) == 0
    assert main(["run", f"s{E}.mvx", "--export", "res"]) == 0
    record = json.loads((folder / "res" / "record.json").read_text("utf-8"))
    assert [path_from_json(path) for path in record["source"]] == [str(folder / f"s{E}.mvx")]
    assert record["data"] == "s\\xe9.mvx"
