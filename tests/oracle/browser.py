"""A headless Chromium that tests drive: pages are opened, typed into, asked and photographed, over its own pipe."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--remote-debugging-pipe",
)  # fmt: skip


def path_of_browser() -> str | None:
    """The program, or None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


# The browser reads from file 3 and writes to file 4; both numbers may be taken by the other pipe before.
START = """
import fcntl, os, sys
pipes = [fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3]]
for wanted, number in zip((3, 4), pipes):
    os.dup2(number, wanted)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One browser with one page. Each command waits for its answer, so no test looks at the clock."""

    def __init__(self, folder: Path) -> None:
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        program = path_of_browser()
        assert program is not None
        command = [sys.executable, "-c", START, str(theirs_in), str(theirs_out), program, *FLAGS]
        self.process = subprocess.Popen(
            [*command, f"--user-data-dir={folder}", "about:blank"],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.input = os.fdopen(ours_in, "rb")
        self.output = os.fdopen(ours_out, "wb")
        self.pending = b""
        self.number = 0
        self.session = ""
        self.loaded: set[str] = set()  # pages that were loaded whole, by the id of the load
        self.logged: list[str] = []  # errors of pages
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")
        self.send("Page.setLifecycleEventsEnabled", enabled=True)

    def send(self, method: str, **parameters: Any) -> Any:
        """Send a command and return its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.output.write(json.dumps(message).encode() + b"\0")
        self.output.flush()
        while True:
            found = self.receive()
            if found.get("id") == self.number:
                assert "error" not in found, found["error"]
                return found["result"]

    def receive(self) -> Any:
        """The next message of the browser."""
        while b"\0" not in self.pending:
            part = os.read(self.input.fileno(), 1 << 20)
            assert part, "the browser has ended"
            self.pending += part
        message, _, self.pending = self.pending.partition(b"\0")
        found = json.loads(message)
        if found.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown"):
            self.logged.append(json.dumps(found["params"]))
        if found.get("method") == "Page.lifecycleEvent" and found["params"]["name"] == "load":
            self.loaded.add(found["params"]["loaderId"])
        return found

    def open(self, url: str, width: int = 1400, is_dark: bool = False, height: int = 900) -> None:
        """Open a page and wait until it is loaded."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        feature = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[feature])
        load = self.send("Page.navigate", url=url)["loaderId"]  # the blank page before may end to load only now
        while load not in self.loaded:
            self.receive()

    def value(self, expression: str) -> Any:
        """The value of an expression of JavaScript in the page; of a promise, what it comes to."""
        found = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait until a condition of the page holds."""
        self.value(
            f"new Promise(done => {{ const look = () => {{ if ({condition}) done(); else setTimeout(look, 10); }}; "
            "look(); })"
        )

    def photograph(self, path: Path) -> None:
        """Write the whole page as PNG."""
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        """End the browser."""
        self.output.close()
        self.process.terminate()
        self.process.wait()
        self.input.close()
