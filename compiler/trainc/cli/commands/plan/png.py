"""PNG of a plan's picture, drawn by rsvg-convert of librsvg."""

from __future__ import annotations

import subprocess

from trainc.cli.commands.plan.output_formats import PNG_CONVERTER
from trainc.plan.formats.svg import svg
from trainc.plan.plan import Plan

_ZOOM = "2"  # pixels for a length of 1, as on screens of high resolution


def png(plans: list[Plan]) -> bytes:
    """Return the picture as PNG. Raises OSError if rsvg-convert fails."""
    command = [PNG_CONVERTER, "--zoom", _ZOOM, "--format", "png"]
    # S603: the command is constant.
    done = subprocess.run(command, input=svg(plans).encode(), capture_output=True, check=False)  # noqa: S603  # no shell
    if done.returncode != 0:
        raise OSError(f"{PNG_CONVERTER} failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
