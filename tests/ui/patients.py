"""An analyst's three files about the same patients, as laboratories write them: none fits the next as it is."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np

PATIENTS, SCANNED, GENES, VOXELS = 399, 398, 60, 24
KINDS = ("Typ I", "Typ II", "Typ III")
LATIN = "latin-1"


def patient(i: int) -> str:
    """The id of a patient, the same in all three files."""
    return f"P{1000 + 7 * i}"


def diagnoses() -> list[str]:
    """The class of each patient: three of equal size."""
    return [KINDS[i * len(KINDS) // PATIENTS] for i in range(PATIENTS)]


def write_patients(folder: Path) -> tuple[Path, Path, Path]:
    """Write patients.csv, expr.tsv and scan.npz: three clusters along a ring, whose angle all of them see."""
    drawn = np.random.default_rng(7)
    kind = np.arange(PATIENTS) * len(KINDS) // PATIENTS
    angle = 2 * np.pi / 3 * kind + drawn.uniform(-0.75, 0.75, PATIENTS)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    return (
        _write_clinic(folder / "patients.csv", ring, drawn),
        _write_expression(folder / "expr.tsv", ring, drawn),
        _write_scan(folder / "scan.npz", ring, drawn),
    )


def _write_clinic(path: Path, ring: np.ndarray, drawn: np.random.Generator) -> Path:
    """Latin-1, semicolons, decimal commas, days of admission; one column a thousand times the others."""
    measured = ring @ drawn.normal(size=(2, 5)) + 0.35 * drawn.normal(size=(PATIENTS, 5))
    measured = measured * (12, 0.8, 3, 0.4, 21_000) + (55, 4.2, 27, 1.1, 250_000)
    head = "Patienten-Nr;Diagnose;Aufnahme;Größe des Tumors;Kalium;BMI;Kreatinin;Thrombozyten"
    lines = [head]
    for i, (row, kind) in enumerate(zip(measured, diagnoses(), strict=True)):
        day = date(2021, 3, 1) + timedelta(days=int(drawn.integers(0, 700)))
        numbers = (f"{value:.3f}".replace(".", ",") for value in row)
        lines.append(";".join((patient(i), kind, day.isoformat(), *numbers)))
    path.write_bytes("\n".join([*lines, ""]).encode(LATIN))
    return path


def _write_expression(path: Path, ring: np.ndarray, drawn: np.random.Generator) -> Path:
    """Genes in rows, patients in columns, in another order."""
    order = drawn.permutation(PATIENTS)
    counts = ring @ drawn.normal(size=(2, GENES)) + 0.5 * drawn.normal(size=(PATIENTS, GENES)) + 8
    rows = ["\t".join(["gene", *(patient(i) for i in order)])]
    rows += ["\t".join([f"GEN{100 + k}", *(f"{v:.4f}" for v in counts[order, k])]) for k in range(GENES)]
    path.write_text("\n".join([*rows, ""]))
    return path


def _write_scan(path: Path, ring: np.ndarray, drawn: np.random.Generator) -> Path:
    """One patient was not scanned, the others stand in no order, and some voxels have no number."""
    order = drawn.permutation(PATIENTS)[:SCANNED]
    bent = np.column_stack([ring, ring[:, 0] * ring[:, 1]])
    scan = (bent @ drawn.normal(size=(3, VOXELS)) + 0.3 * drawn.normal(size=(PATIENTS, VOXELS)))[order]
    scan[drawn.choice(SCANNED, 9, replace=False), drawn.choice(VOXELS, 9, replace=False)] = np.nan
    np.savez(path, scan=scan, subject=np.array([patient(i) for i in order]))
    return path
