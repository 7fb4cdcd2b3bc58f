"""One file per family of bandwidth rules; importing this package registers them in the order shown."""

from mvexplorer.engine.bandwidth.rules import spread, growth, manifold, classes  # noqa: F401, I001 - the order shown
