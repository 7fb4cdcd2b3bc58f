"""A document of two views, and controllers that are shut down at the end."""

import pytest
from inline import opened

from mvexplorer.state.pictures.controller import Controller


@pytest.fixture
def document():
    return opened()


@pytest.fixture
def make():
    """Controllers with special executors, shut down at the end."""
    made = []

    def build(*args, **kwargs):
        controller = Controller(*args, **kwargs)
        made.append(controller)
        return controller

    yield build
    for controller in made:
        controller.shutdown()
