"""The arrays that clouds of points are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.floating[Any]]
"""A row, or one number, for each point."""
Rows = npt.NDArray[np.intp]
"""Indices of points."""
