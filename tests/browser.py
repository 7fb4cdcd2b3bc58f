"""A browser without a window, which says what its page asked of the network and what went wrong in it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

TOOLS = "chromium", "chromedriver"
FLAGS = "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"


def need_browser() -> None:
    """Skip a test where there is no browser, unless the machine is meant to have one."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing and not os.environ.get("MVEXPLORER_REQUIRE_WINDOW"):
        pytest.skip(f"not installed: {', '.join(missing)}")
    assert not missing, f"not installed: {', '.join(missing)}"


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser that is closed at the end."""
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    for flag in FLAGS:
        options.add_argument(flag)
    options.binary_location = str(shutil.which(TOOLS[0]))
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which(TOOLS[1])))
    driver.set_script_timeout(300)  # a loaded machine takes longer than the usual thirty seconds
    try:
        yield Browser(driver)
    finally:
        driver.quit()


class Browser:
    """One tab."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(
        self, page: Path, width: int = 1440, height: int = 1000, scheme: str = "light", ratio: float = 1.0
    ) -> None:
        """Open a file in a window of this size, for a reader of a scheme and a pixel ratio."""
        self.logs("browser")
        self.logs("performance")
        size = {"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.prefer(scheme)
        self.driver.get(page.as_uri())
        self.rest()

    def prefer(self, scheme: str) -> None:
        """Prefer light or dark pages."""
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def feature(self, name: str, value: str) -> None:
        """Have a feature of media queries; which pages open in is that of a scheme."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": name, "value": value}]})

    def by_finger(self, yes: bool) -> None:
        """Have a screen that is touched, whose pointer is coarse, or not."""
        about = {"enabled": yes, "maxTouchPoints": 1} if yes else {"enabled": False}
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", about)

    def run(self, script: str, *arguments: Any) -> Any:
        """What a script in the page returns."""
        return self.driver.execute_script(script, *arguments)

    def wait_for(self, script: str, *arguments: Any) -> Any:
        """What a script in the page gives to its last argument, a function."""
        return self.driver.execute_async_script(script, *arguments)

    def rest(self) -> None:
        """Wait until what was asked for is drawn."""
        self.wait_for("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")

    def text(self, id: str) -> str:
        """The text of an element."""
        return str(self.run("return document.getElementById(arguments[0]).textContent", id))

    def hand(self) -> Any:
        """A hand with a pointer, whose moves take no time of their own."""
        from selenium.webdriver.common.action_chains import ActionChains

        return ActionChains(self.driver, duration=10)

    def touch(self, *points: tuple[float, float]) -> None:
        """Put a finger on the first point, draw it along the others, and take it away."""
        kinds = ["touchStart", *["touchMove"] * (len(points) - 1)]
        for kind, (x, y) in zip(kinds, points, strict=True):
            event = {"type": kind, "touchPoints": [{"x": x, "y": y}]}
            self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", event)
            self.rest()
        self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        self.rest()

    def logs(self, kind: str) -> list[dict[str, Any]]:
        """What was logged since the last call."""
        return list(self.driver.get_log(kind))

    @property
    def errors(self) -> list[str]:
        """What the page complained of since it was opened, or the last call."""
        return [entry["message"] for entry in self.logs("browser")]

    @property
    def requests(self) -> list[str]:
        """The addresses that the page asked for since it was opened, or the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.logs("performance")]
        return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
