"""The list of codes. Their pages, which hold their names, are tested by tests/acceptance/test_error_pages.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code

COMPILER = Path(codes.__file__).resolve().parents[1]
CODES = {name: code for name, code in vars(codes).items() if isinstance(code, Code)}
FAMILIES = set(re.findall(r"TC(\d)xxx", codes.__doc__ or ""))


def test_ids_and_names_are_unique() -> None:
    ids = [code.id for code in CODES.values()]
    assert len(set(ids)) == len(ids)
    names = [code.name for code in CODES.values()]
    assert len(set(names)) == len(names)


@pytest.mark.sample(60)
@pytest.mark.parametrize("code", CODES.values(), ids=repr)
def test_ids_belong_to_a_family_and_names_are_hyphenated(code: Code) -> None:
    assert re.fullmatch(r"TC[1-9]\d{3}", code.id)
    assert code.id[2] in FAMILIES
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", code.name)


def test_codes_are_sorted() -> None:
    ids = [code.id for code in CODES.values()]
    assert ids == sorted(ids)


def test_every_code_is_used() -> None:
    texts = "\n".join(
        file.read_text("utf-8")
        for file in COMPILER.rglob("*.py")
        if file.name != "codes.py" and "templates" not in file.parent.name
    )
    unused = {name for name, code in CODES.items() if f"codes.{name}" not in texts and f'"{code.id}"' not in texts}
    assert unused == set()


def test_texts_refer_to_existing_codes() -> None:
    root = COMPILER.parents[1]
    files = [root / "README.md", *(root / "docs").rglob("*.md"), *COMPILER.rglob("*.py")]
    references = {code for file in files for code in re.findall(r"TC\d{4}", file.read_text("utf-8"))}
    assert references <= {code.id for code in CODES.values()}
