"""PNG of a plan's picture, drawn by rsvg-convert of librsvg."""

from __future__ import annotations

import shutil
import subprocess

from trainc.cli.parameters import InvalidParameter

_PROGRAM = "rsvg-convert"
_ZOOM = "2"  # pixels for a length of 1, as on screens of high resolution


def require_converter() -> None:
    """Raise InvalidParameter if rsvg-convert is missing."""
    if shutil.which(_PROGRAM) is None:
        problem = f"PNG requires {_PROGRAM} (librsvg2-bin on Debian, librsvg on Homebrew); or write an .svg"
        raise InvalidParameter(problem, "--output")


def to_png(svg: str) -> bytes:
    """Return the picture as PNG. Raises OSError if rsvg-convert fails."""
    command = [_PROGRAM, "--zoom", _ZOOM, "--format", "png"]
    # S603: the command is constant.
    done = subprocess.run(command, input=svg.encode(), capture_output=True, check=False)  # noqa: S603  # no shell
    if done.returncode != 0:
        raise OSError(f"{_PROGRAM} failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
