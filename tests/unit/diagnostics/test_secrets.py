"""A secret is known by its name or its form, and no excerpt shows it."""

from __future__ import annotations

import pytest

import trainc
from tests.support.build import job_text
from trainc.diagnostics.secrets import is_secret_name, may_be_secret, secret_kind
from trainc.diagnostics.text import render

TOKEN = "hf_" + "a1B2c3D4" * 4
HIDDEN = "*" * len(TOKEN)


@pytest.mark.parametrize(
    "name",
    [
        *("HF_TOKEN", "GITHUB_TOKEN", "WANDB_API_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "DB_PASSWORD"),
        *("PASSWD", "MYSQL_PASSWORD_2", "CLIENT_SECRET", "GOOGLE_CREDENTIALS", "OPENAI_APIKEY", "azure-storage-key"),
    ],
)
def test_a_name_with_the_words_of_a_secret_is_a_secrets(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *("TOKENIZERS_PARALLELISM", "MAX_TOKENS", "NUM_TOKENS", "TOKENS_PER_SAMPLE", "PAD_TOKEN", "EOS_TOKEN_ID"),
        *("PRIMARY_KEY", "KEYBOARD", "KEY", "TOKEN", "MONKEY", "SSH_KEY_PATH", "TOKEN_FILE", "SECRET_NAME"),
        *("PASSWORD_FILE", "SECRETARY", "GOOGLE_APPLICATION_CREDENTIALS_PATH", "SORT_KEY", "TOKEN_DISPATCHER", ""),
    ],
)
def test_a_name_that_only_looks_like_a_secrets_is_none(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    "value", ["", " ", "/run/secrets/token", "$(OTHER)", "${TOKEN}", "{{ token }}", "[PAD]", "true"]
)
def test_a_value_that_refers_or_switches_is_no_secret(value: str) -> None:
    assert not may_be_secret(value)


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (TOKEN, "a Hugging Face token"),
        (f"--token={TOKEN}", "a Hugging Face token"),
        ("AKIAIOSFODNN7EXAMPLE", "an AWS access key"),  # the example of AWS's own documentation
        ("ghp_" + "a" * 36, "a GitHub token"),
        ("glpat-" + "a" * 20, "a GitLab token"),
        ("sk-proj-" + "a1" * 20, "an API key"),
        ("sk-" + "a1" * 24, "an API key"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "a private key"),
        ("https://me:word@example.com/x", "a password"),
        ("hf_cache", None),
        ("sk-learn-pipeline-of-the-year-2024-with-many-words", None),
        ("task-" + "a1" * 24, None),
        ("https://example.com:443/a@b", None),
        ("https://me:$PASSWORD@example.com", None),
        ("ssh://git@example.com", None),
        ("AKIA", None),
    ],
)
def test_a_secret_is_known_by_its_form(value: str, what: str | None) -> None:
    assert secret_kind(value) == what


def test_nothing_that_is_said_shows_a_secret() -> None:
    job = job_text(env={"HF_TOKEN": "abc123"}, run={"python": ["train.py", TOKEN]}, imagePullPolicy="Always")
    found = trainc.compile(job).diagnostics
    assert [diagnostic.code.id for diagnostic in found] == ["TC3087", "TC3087"]
    for diagnostic in found:
        line = diagnostic.span.source.line(diagnostic.span.line)
        for shown in (
            render([diagnostic]),
            repr(line),
            diagnostic.message,
            diagnostic.help or "",
            str(diagnostic.span),
        ):
            assert "abc123" not in shown
            assert TOKEN not in shown


def test_the_excerpt_of_another_mistake_shows_no_secret_either() -> None:
    """Neither of a job that the schema refuses, nor of a text that is no YAML."""
    for wrong in ("[1]", "["):
        line = f"  env: {{HF_TOKEN: abc123, DEPTH: {wrong}, HUB: {TOKEN}}}"
        job = f"apiVersion: trainc.dev/v1alpha1\nkind: TrainingJob\nspec:\n{line}\n"
        shown = render(trainc.compile(job).diagnostics)
        assert "HF_TOKEN: ******, DEPTH:" in shown
        assert TOKEN not in shown


def test_a_secret_of_several_lines_is_hidden_in_all_of_them() -> None:
    job = job_text().replace('"spec": {', '"spec": {\n"env": [{"name": "DB_PASSWORD", "value":\n"abc\n def"}],')
    (found,) = trainc.compile(job).diagnostics
    shown = "\n".join(found.span.source.lines())
    assert "abc" not in shown
    assert "def" not in shown.replace("default", "")


def test_an_option_shows_no_secret_in_its_place() -> None:
    result = trainc.compile(job_text(), overrides={"spec.env.HF_TOKEN": TOKEN})
    (found,) = result.diagnostics
    assert TOKEN not in render([found])
    assert HIDDEN in str(found.span)
