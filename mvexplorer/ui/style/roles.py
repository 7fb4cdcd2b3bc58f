"""The colours of the light and the dark theme by their roles; pages and pictures have them where there is no Qt."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Roles:
    """One set of colours, as #rrggbb."""

    name: str
    window: str
    surface: str
    raised: str
    hairline: str
    text: str
    muted: str
    accent: str
    on_accent: str
    soft: str
    green: str
    amber: str
    amber_soft: str
    red: str
    red_soft: str


LIGHT = Roles(
    "light", window="#f4f5f7", surface="#ffffff", raised="#ffffff", hairline="#dfe3e8", text="#1a1f26",
    muted="#5c6570", accent="#2f62d9", on_accent="#ffffff", soft="#e9effc", green="#1a7040",
    amber="#8a5a00", amber_soft="#fdf3dc", red="#b3261e", red_soft="#fdeceb",
)  # fmt: skip
DARK = Roles(
    "dark", window="#15171b", surface="#1c1f24", raised="#24282f", hairline="#323841", text="#e8eaed",
    muted="#a0a8b3", accent="#7ba3ff", on_accent="#10131a", soft="#27324a", green="#6fce8f",
    amber="#f0bd5b", amber_soft="#3a2f17", red="#ff8a80", red_soft="#3d2322",
)  # fmt: skip
