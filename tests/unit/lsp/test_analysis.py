"""Analysis of a document when the compiler fails."""

from __future__ import annotations

import pytest

pytest.importorskip("pygls", reason="the package pygls is not installed: pip install 'trainc[lsp]'")

from trainc.lsp import analysis


def test_an_exception_of_the_compiler_is_one_diagnostic_at_the_top(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(analysis, "read_sources", fail)
    result = analysis.analyse("a.yaml", "kind: TrainingJob\n", lambda _: None)
    (found,) = result.diagnostics
    assert (found.code.id, found.span.line, found.span.column) == ("TC9001", 1, 1)
    assert found.message == "trainc failed: ZeroDivisionError: division by zero"
    assert result.jobs == []
