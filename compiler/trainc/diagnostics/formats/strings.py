"""Strings and file names for programs that read a report."""

from __future__ import annotations

import os
import re

from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.remedy import Fix
from trainc.secrets.text import redact


def replace_surrogates(text: str) -> str:
    """Replace the surrogates that Python uses for bytes of a file name that aren't UTF-8.

    A strict parser rejects a whole JSON document with one of them.
    """
    return text if text.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", text)


def checkout_path(name: str) -> str | None:
    """Return a file's path relative to the root of the checkout, or None outside it.

    The root is GITHUB_WORKSPACE, also for a step that runs in a subfolder
    (https://docs.github.com/en/actions/reference/workflows-and-actions/variables), else the working directory.
    """
    path = os.path.relpath(name or os.curdir, os.environ.get("GITHUB_WORKSPACE") or os.curdir)
    if path == os.pardir or path.startswith(os.pardir + os.sep):
        return None
    return path.replace(os.sep, "/")


def public_fix(diagnostic: Diagnostic) -> Fix | None:
    """Return the fix unless its texts contain a secret, which no output may repeat."""
    fix = diagnostic.fix
    return fix if fix and all(redact(edit.text) == edit.text for edit in fix.edits) else None
