"""The parser of well-formed command lines gives the values that Typer gives, or none."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from trainc.cli import app
from trainc.cli.arguments import parse
from trainc.cli.commands import COMMANDS, load
from trainc.cli.parameters import Parameter, parameters

VALUES = ("job.yaml", "", "-", "--", "-x", "1", "0", "02", "٣", "1_0", "9" * 5000, "1.5", "a=b", "=", "é\udcff")


@cache
def typer_command(name: str) -> Any:
    return typer.main.get_command(app.app(name))


def typer_values(name: str, words: list[str]) -> dict[str, Any] | None:
    """Return what Typer passes to a command, None for a usage error or --help."""
    calls: list[dict[str, Any]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "run", lambda _, values: calls.append(values))
        try:
            typer_command(name).main([name, *words], prog_name="trainc", standalone_mode=False)
        except Exception as problem:
            if not hasattr(problem, "show"):  # of Click's usage errors
                raise
    return calls[0] if calls else None


def forms(parameter: Parameter) -> st.SearchStrategy[list[str]]:
    """Return the words that set an option, in every form, also with values that it doesn't take."""
    values = st.sampled_from(VALUES) | st.sampled_from(parameter.choices or VALUES)
    flags = st.sampled_from(parameter.flags)
    return st.one_of(
        flags.map(lambda flag: [flag]),
        st.tuples(flags, values).map(list),
        st.tuples(flags, values).map(lambda pair: ["=".join(pair)]),
        st.tuples(flags, values).map(lambda pair: ["".join(pair)]),
        st.tuples(flags, values).map(lambda pair: [pair[0][:2] + "q", pair[1]]),
    )


def command_lines(name: str) -> st.SearchStrategy[list[str]]:
    options = [parameter for parameter in parameters(load(name)).values() if parameter.flags]
    other = st.sampled_from([*VALUES, "--help", "-h", "--unknown", "-Z", "---"]).map(lambda word: [word])
    words = st.one_of(*map(forms, options), other, other)
    return st.lists(words, max_size=6).map(lambda parts: [word for part in parts for word in part])


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", COMMANDS)
def test_the_values_are_those_of_typer(name: str) -> None:
    @settings(max_examples=50)
    @given(command_lines(name))
    def compare(words: list[str]) -> None:
        values = parse(parameters(load(name)), words)
        if values is not None:
            assert values == typer_values(name, words)

    compare()


JOB = {"files": ["job.yaml"]}


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("job.yaml", JOB),
        ("", {}),
        ("a.yaml b.yaml", {"files": ["a.yaml", "b.yaml"]}),
        ("-- job.yaml -q", {"files": ["job.yaml", "-q"]}),
        ("--backend pods job.yaml", {**JOB, "backend": "pods"}),
        ("job.yaml --backend=pods", {**JOB, "backend": "pods"}),
        ("job.yaml -b pods -o -", {**JOB, "backend": "pods", "output": "-"}),
        ("job.yaml -bpods", {**JOB, "backend": "pods"}),
        ("job.yaml -f json -f yaml", {**JOB, "format": "yaml"}),
        ("job.yaml --set a=1 --set=b=2", {**JOB, "set": ["a=1", "b=2"]}),
        ("job.yaml --namespace=", {**JOB, "namespace": ""}),
        ("-q job.yaml --strict", {**JOB, "quiet": True, "strict": True}),
    ],
)
def test_well_formed_command_lines_do_not_need_typer(line: str, values: dict[str, Any]) -> None:
    defaults = {name: parameter.default for name, parameter in parameters(load("compile")).items()}
    expected = {**defaults, **values}
    assert parse(parameters(load("compile")), line.split()) == expected == typer_values("compile", line.split())


@pytest.mark.parametrize(
    "line",
    [
        *("job.yaml --help", "job.yaml --unknown", "job.yaml --back job", "job.yaml -b"),
        *("job.yaml --output -x", "job.yaml --strict=yes", "job.yaml -qf json", "job.yaml -f toml", "job.yaml ---"),
    ],
)
def test_typer_answers_all_other_command_lines(line: str) -> None:
    assert parse(parameters(load("compile")), line.split()) is None
