"""The command that writes a session as Python."""

from __future__ import annotations

import argparse
from pathlib import Path

from mvexplorer.cli.inputs import check_script
from mvexplorer.cli.output import note, tell
from mvexplorer.state.bench.headless import run_session
from mvexplorer.state.export.script.session import write_session_code
from mvexplorer.wording import one_line


def script_command(options: argparse.Namespace) -> None:
    """Write the script or notebook that makes a session's arrays.

    The session is computed: only then is it known which panels cannot be, and what the others have to draw.
    """
    check_script(options.out, notebook=options.notebook)

    answers = run_session(options.session, accept_changed=options.accept_changed_data, data=options.data, say=note)
    write_session_code(answers.state, answers.data, answers.results, Path(options.out))
    for problem in answers.failed:
        note(f"Left out, as a comment says: {problem}")
    if answers.colour_problem:
        note(answers.colour_problem)
    tell(f"{one_line(options.out)}\n")
