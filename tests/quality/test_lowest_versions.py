"""The lowest versions that pyproject.toml admits: what the command that installs them reads, and what fails."""

import pytest
from lowest_versions import ROOT, constraints, declared, lowest
from packaging.requirements import Requirement

pytestmark = pytest.mark.skipif(not (ROOT / "pyproject.toml").is_file(), reason="only a checkout declares them")

FAILING = {
    "scikit-learn": "1.5.2",  # has neither the tags nor the validation that its checks of estimators ask for since
    "polars": "1.29.0",  # writes no metadata into Parquet; before 1.2 it reads none of our tables either
    "pydantic": "2.8.2",  # opens no session: numbers equal to true become true in a union
    "filelock": "3.29.7",  # where a file system knows no locks, it makes a mark that a killed process leaves behind
    "pyqtgraph": "0.13.7",  # the bandwidth tab stays empty: axes cannot limit their prefixes
    "scikit-dimension": "0.3.4",  # imports pandas, which it does not ask for
    "hatchling": "1.25.0",  # builds nothing where the licence files are a list
}


@pytest.mark.parametrize("name", FAILING)
def test_versions_that_were_seen_to_fail_are_not_admitted(name):
    found = [r for r in declared() if r.name == name]
    assert found
    assert not any(r.specifier.contains(FAILING[name]) for r in found)


def test_every_requirement_has_one_lowest_version_which_it_admits():
    lines = constraints().splitlines()
    assert len(lines) == len(declared()) >= 20
    assert "pytest-xdist" in {Requirement(line).name for line in lines}
    assert all(r.specifier.contains(lowest(r)) for r in declared())
    pinned = {Requirement(line).name: line for line in lines}
    assert set(pinned.values()) == set(lines), "two different lowest versions of one requirement"
