"""`mvexplorer embed` of very many samples: what takes long is told on stderr before it is computed."""

import json

from mvexplorer.cli.entry import main
from mvexplorer.engine.pipeline import footprint, pass_time

ASKED = ("--method", "multiview", "--set", "epsilon=1", "--set", "kernel=landmarks-60", "--json")


def test_the_time_is_told_first(monkeypatch, capsys):
    main(["embed", "helix-a", *ASKED])
    expected = json.loads(capsys.readouterr().out)["eigenvalues"]
    monkeypatch.setattr(footprint, "KEPT_SHARE", 0.0)
    monkeypatch.setattr(pass_time, "MANY_BLOCKS", 0)
    monkeypatch.setattr(pass_time, "LONG", 0.0)
    main(["embed", "helix-a", *ASKED])
    told = capsys.readouterr()
    assert "600 samples are read 3 times" in told.err
    assert "with 120 affinities to landmarks each: about 1 s." in told.err
    found = json.loads(told.out)["eigenvalues"]
    assert max(abs(a - b) for a, b in zip(found, expected, strict=True)) < 1e-9
