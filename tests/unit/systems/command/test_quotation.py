"""Position of a quotation that a script does not close: bash names the same line."""

from __future__ import annotations

import subprocess

import pytest

from trainc.span import Source
from trainc.systems.command.reader import read_script

# Scripts of which bash says `unexpected EOF while looking for matching` → the line of the quote.
UNCLOSED = {
    '#!/bin/bash\ntorchrun --nnodes=2 "unclosed train.py\n': 2,
    "torchrun a.py\n# it's\necho 'x\n": 3,
    'A="$(echo "b")"\necho "\\""\necho "$(echo \'a\')\n': 3,
    "echo $'it\\'s'\ntorchrun 'a.py\n": 2,
}


@pytest.mark.parametrize("text", UNCLOSED)
def test_an_unclosed_quotation_is_reported_at_its_line(text: str) -> None:
    bash = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
    assert f"line {UNCLOSED[text]}: unexpected EOF while looking for matching" in bash.stderr
    [diagnostic] = read_script(Source("run.sh", text)).diagnostics
    assert (diagnostic.code.id, diagnostic.span.line) == ("TC1014", UNCLOSED[text])
    assert diagnostic.message.endswith("the quotation that starts here is not closed")
