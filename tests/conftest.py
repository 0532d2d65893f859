"""Options of the test run."""

from __future__ import annotations

import os
import signal
from itertools import pairwise
from zlib import crc32

import pytest
from hypothesis import settings

UPDATE_GOLDEN = "--update-golden"
CASES = "--cases"
QUICK = "--quick"

# The same cases on every machine; TRAINC_RANDOM_TESTS=1 looks for new ones.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
if not os.environ.get("TRAINC_RANDOM_TESTS"):
    settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        UPDATE_GOLDEN, action="store_true", help="rewrite golden/ and messages.txt from the current output"
    )
    parser.addoption(CASES, type=int, help="run at most this number of the cases of each test function, evenly spread")
    parser.addoption(QUICK, action="store_true", help="leave out tests marked `slow`, sample those marked `sample`")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    quick: bool = config.getoption(QUICK)
    functions: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not (quick and item.get_closest_marker("slow")):
            functions.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {each for own in functions.values() for each in _sample(own, _limit(own, config, quick))}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def _limit(cases: list[pytest.Item], config: pytest.Config, quick: bool) -> int:
    """Return how many cases of a test function run."""
    sample = cases[0].get_closest_marker("sample") if quick else None
    return min(config.getoption(CASES) or len(cases), sample.args[0] if sample else len(cases), len(cases))


def _sample(cases: list[pytest.Item], number: int) -> list[pytest.Item]:
    """Return a case of each of `number` equal parts, selected by its name.

    Every n-th case would miss values of a parameter that repeat with a divisor of n, such as half of the back ends.
    """
    bounds = [part * len(cases) // number for part in range(number + 1)]
    return [min(cases[a:b], key=lambda case: crc32(case.nodeid.encode())) for a, b in pairwise(bounds)]


def pytest_configure(config: pytest.Config) -> None:
    # A shell starts background jobs with SIGINT ignored, and nohup ignores SIGHUP: so would all programs under test.
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
    for name in ("GITHUB_ACTIONS", "GITHUB_WORKSPACE"):  # in GitHub Actions the default message format is `github`
        os.environ.pop(name, None)
    if config.getoption(UPDATE_GOLDEN) and os.environ.get("CI"):
        # A run that writes what it then compares with can't fail, so CI would prove nothing.
        raise pytest.UsageError(f"{UPDATE_GOLDEN} is refused where CI is set: update them on your machine and commit")


@pytest.fixture(scope="session")
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Return whether golden files are to be written instead of compared."""
    return bool(request.config.getoption(UPDATE_GOLDEN))
