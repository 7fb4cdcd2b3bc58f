"""Builds the wheel of `mvexplorer-core`: the same files, without what the window is made of among the requirements.

    python .ci/core.py [--out FOLDER]

Everything that it says of itself is `pyproject.toml`'s. What the window needs becomes the extra `window`.
"""

import argparse
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.wheel import WheelBuilder
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
WHOLE, CORE = "mvexplorer", "mvexplorer-core"
OF_THE_WINDOW = {"PySide6-Essentials", "pyqtgraph"}


def core_of(config: dict[str, Any]) -> dict[str, Any]:
    """Make the whole's `pyproject.toml` core's: another name, fewer requirements, one extra more."""
    project = config["project"]
    window = [each for each in project["dependencies"] if Requirement(each).name in OF_THE_WINDOW]
    if len(window) != len(OF_THE_WINDOW):
        raise SystemExit(f"pyproject.toml requires {window}, and core leaves out {sorted(OF_THE_WINDOW)}.")
    extras = {
        name: [each.replace(f"{WHOLE}[", f"{CORE}[") for each in needed]
        for name, needed in project["optional-dependencies"].items()
    }
    extras["test"] = [*extras["test"], f"{CORE}[window]"]
    needed = [each for each in project["dependencies"] if each not in window]
    project |= {"name": CORE, "dependencies": needed, "optional-dependencies": {"window": window, **extras}}
    return config


def build(out: Path) -> Path:
    """Build the wheel into a folder, and return its path."""
    plugins = PluginManager()
    config = core_of(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8")))
    metadata = ProjectMetadata(str(ROOT), plugins, config)
    builder = WheelBuilder(str(ROOT), plugin_manager=plugins, config=config, metadata=metadata)
    (wheel,) = builder.build(directory=str(out), versions=["standard"])
    return Path(wheel)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Build the wheel of mvexplorer-core.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", metavar="FOLDER", help="default: dist")
    print(build(parser.parse_args().out.resolve()))
