"""A real headless Chromium, for experiments and tests that go through the real pages.

Looked up in `$ELSEWHERE_BROWSER`, then as chromium, chromium-browser or google-chrome on the path.
Playwright drives it; its own download is not used.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from elsewhere.errors import BrowserError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
WEBGL = (
    # WebGL without a graphics card. The whole page is then painted through it, which costs a core.
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
)
PLAIN = ("--disable-gpu",)
FLAGS = (
    # WebRTC to the same machine: ICE would leave out 127.0.0.1 and hide addresses behind mDNS names.
    "--allow-loopback-in-peer-connection",
    "--disable-features=WebRtcHideLocalIpsWithMdns",
    # A microphone and a camera that need nobody's consent.
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    "--autoplay-policy=no-user-gesture-required",
    # A page that nobody looks at runs at full speed.
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
)


def find_browser() -> str:
    """The path of a Chromium. Raises BrowserError with the remedy where there is none."""
    named = os.environ.get("ELSEWHERE_BROWSER")
    if named:
        found = shutil.which(named)
        if not found:
            raise BrowserError(
                f"$ELSEWHERE_BROWSER names {named}, which is not a program. Name a Chromium, or unset it."
            )
        return found
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return found
    for path in MAC:
        if sys.platform == "darwin" and Path(path).exists():
            return path
    raise BrowserError(
        f"No browser was found ({', '.join(NAMES)}). Install one, on Debian or Ubuntu with "
        "'sudo apt-get install chromium', or name one in $ELSEWHERE_BROWSER."
    )


@contextmanager
def open_browser(flags: Sequence[str] = (), *, webgl: bool = True) -> Iterator[Any]:
    """A running headless Chromium as Playwright's (synchronous) `Browser`, closed at the end.

    Without `webgl` pages are painted by the processor directly, which is much cheaper.
    """
    path = find_browser()
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError as error:
        raise BrowserError(
            "The Python package playwright, which drives the browser, is not installed. "
            "Install it with: pip install playwright."
        ) from error
    # Chromium's own sandbox does not start for root (containers).
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=path,
                headless=True,
                args=[*FLAGS, *(WEBGL if webgl else PLAIN), *root, *flags],
            )
        except Error as error:
            first = str(error).strip().splitlines()[0]
            raise BrowserError(
                f"The browser {path} does not start: {first}. Name another in $ELSEWHERE_BROWSER."
            ) from error
        try:
            yield browser
        finally:
            browser.close()
