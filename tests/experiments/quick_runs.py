"""One quick run of each experiment, for all tests of it; and which of them take long."""

from functools import cache

from mvexplorer.experiments.running import run_experiment
from mvexplorer.experiments.table import find_experiment

LONG = {
    "own-drowned-views",
    "own-who-stays",
    "own-whose-epsilon",
    "own-ingredients",
    "own-does-not-melt",
    "own-where-is-the-tear",
    "own-what-fac-knows",
    "lindenbaum2015-fig5",
    "lindenbaum2015-fig7",
    "lindenbaum2015-fig22",
    "lindenbaum2015-fig23",
    "lindenbaum2015-fig24",
    "lindenbaum2015-fig26",
    "lindenbaum2015-table1",
    "lindenbaum2015-table3",
    "yair2016-fig10",
    "yair2016-fig12",
    "bandwidth-fig4.3",
    "bandwidth-fig4.5",
    "bandwidth-fig4.7",
    "bandwidth-fig4.10",
    "bandwidth-fig4.11-0.02",
    "bandwidth-fig4.11-0.04",
    "bandwidth-fig4.12",
    "bandwidth-fig5.4",
    "bandwidth-fig5.5",
    "salhov2015-fig6.1",
    "eynard2012-fig3",
    "eynard2012-fig7",
    "eynard2012-fig8",
    "eynard2012-table1-blobs",
    "eynard2012-table1-circles",
}
"""Those that take a second or more even in their quick form, and are run every night."""


@cache
def finished(id):
    """What a quick run of an experiment finds."""
    return run_experiment(find_experiment(id))
