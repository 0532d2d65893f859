"""Fixtures of several modules."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.chromium import Browser, browser


@pytest.fixture(scope="module")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as chrome:
        yield chrome
