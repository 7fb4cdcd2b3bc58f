"""How many functions views have in common, in words: the same on a panel, its card, the spectrum and in captions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mvexplorer.wording import counted, number

FACTS = ("common_functions", "common_band", "common_band_by_shifts")
"""What a method that knows how common its functions are says of a picture, and what records of pictures keep."""


def common_count(facts: Mapping[str, Any]) -> str:
    """How many functions are common beyond chance; empty of a picture that does not say."""
    return counted(int(facts["common_functions"]), "common function") if "common_functions" in facts else ""


def common_sentence(facts: Mapping[str, Any]) -> str:
    """The same, with the γ that chance reaches; empty of a picture that does not say."""
    if not (count := common_count(facts)):
        return ""
    views = "views shifted in time" if facts.get("common_band_by_shifts") else "views with shuffled rows"
    return f"{count}: γ above {number(facts['common_band'])}, the most that {views} reach"
