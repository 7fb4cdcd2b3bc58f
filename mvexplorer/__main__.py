"""`python -m mvexplorer` is the `mvexplorer` command."""

import sys

from mvexplorer.cli import main

sys.exit(main())
