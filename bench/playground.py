"""Seconds from opening the playground to its first diagnostics in Chromium: python -m bench.playground [--runs N].

A first visit loads all files from a server on this machine; a later one has them in the browser. Both start Pyodide and
the compiler. `make bench` doesn't run it: seconds depend on the machine and its load, which is printed.
"""

from __future__ import annotations

import argparse
import gzip
import os
import statistics
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.support.chromium import Browser, browser, serve
from tools.playground import build
from tools.site.fragment import fragment

# More processes than GPUs: one error.
JOB = """\
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata: {name: mnist}
spec:
  image: train:1
  launch: {torchrun: {nprocPerNode: 8}}
  run: {python: [train.py]}
  resources: {gpu: 4}
"""
# performance.now() counts from the start of the navigation.
_SHOWN = """
new Promise((done) => {
  const look = () => document.querySelector("#problems .place") && done(performance.now() / 1000);
  new MutationObserver(look).observe(document.body, {attributes: true, childList: true, subtree: true});
  look();
})
"""
MIB = 1024 * 1024


class Visit(NamedTuple):
    """Seconds from the start of the navigation to the first diagnostics; CPU seconds of the whole browser."""

    seconds: float
    cpu: float


def visits(chrome: Browser, url: str) -> tuple[Visit, Visit]:
    """Open the job in a tab with empty storage, then once more with the files that the browser has stored."""
    before, page = _cpu_time(chrome), chrome.page(url + fragment(JOB))
    first = Visit(page.evaluate(_SHOWN), _cpu_time(chrome) - before)
    page.wait("document.body.dataset.offline === 'ready'")
    before = _cpu_time(chrome)
    page.open(url + fragment(JOB))
    return first, Visit(page.evaluate(_SHOWN), _cpu_time(chrome) - before)


def _cpu_time(chrome: Browser) -> float:
    return sum(float(each["cpuTime"]) for each in chrome.send("SystemInfo.getProcessInfo")["processInfo"])


def sizes(folder: Path) -> tuple[float, float]:
    """Return the size of all files in MiB, as they are and compressed by gzip."""
    contents = [file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()]
    return sum(map(len, contents)) / MIB, sum(len(gzip.compress(content)) for content in contents) / MIB


def main() -> int:
    """Build the playground and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.playground", description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--runs", type=int, default=5, help="visits to measure; default: %(default)s")
    runs = parser.parse_args().runs
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "playground"
        build(folder)
        size, compressed = sizes(folder)
        print(f"{size:.1f} MiB, compressed {compressed:.1f} MiB")
        with browser(Path(temporary) / "profile") as chrome, serve(folder) as host:
            measured = [visits(chrome, f"{host}/") for _ in range(runs)]
    print(f"{os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f}, {runs} runs: median, least, most")
    for name, values in zip(("first", "later"), zip(*measured, strict=True), strict=True):
        for unit, figures in zip(("s", "s of CPU"), zip(*values, strict=True), strict=True):
            print(f"{name} visit {statistics.median(figures):6.1f} {min(figures):6.1f} {max(figures):6.1f} {unit}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
