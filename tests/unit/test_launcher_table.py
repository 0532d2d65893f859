"""Table of launchers: what it says of a back end is what the compiler says."""

from __future__ import annotations

import pytest

from tests.support.build import job_text
from tools.launcher_table import LAUNCHERS, proven
from trainc.diagnostics import codes
from trainc.driver import run
from trainc.launchers.registry import FIELDS
from trainc.span import Source
from trainc.systems.registry import NAMES
from trainc.target import Target

UNSUPPORTED = {codes.LAUNCHER_UNSUPPORTED, codes.LAUNCHER_POD}


def test_the_table_has_all_launchers() -> None:
    assert tuple(LAUNCHERS) == FIELDS


@pytest.mark.parametrize("backend", NAMES)
@pytest.mark.parametrize("launcher", FIELDS)
def test_a_cell_is_what_the_compiler_does(launcher: str, backend: str) -> None:
    fields = {"sshSecret": "keys"} if launcher == "mpirun" else {}
    text = job_text({}, launch={launcher: fields}, workers=2)
    diagnostics = run([Source("job.yaml", text)], Target(backend=backend)).diagnostics
    is_rejected = any(each.code in UNSUPPORTED for each in diagnostics)
    assert is_rejected == ((launcher, backend) not in proven())
