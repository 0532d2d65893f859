"""Strings and names of files, made fit for a program that reads a report."""

from __future__ import annotations

import os
import re


def whole(text: str) -> str:
    """Without the half characters by which Python keeps bytes of a file's name that are no UTF-8.

    A strict reader refuses a whole JSON document for one of them.
    """
    return text if text.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", text)


def in_checkout(name: str) -> str | None:
    """A file's path from the root of the checkout, or None when it lies elsewhere.

    The root is GitHub's GITHUB_WORKSPACE, from which GitHub counts also when a step works in a folder of it
    (https://docs.github.com/en/actions/reference/workflows-and-actions/variables), else the working directory.
    """
    path = os.path.relpath(name or os.curdir, os.environ.get("GITHUB_WORKSPACE") or os.curdir)
    if path == os.pardir or path.startswith(os.pardir + os.sep):
        return None
    return path.replace(os.sep, "/")
