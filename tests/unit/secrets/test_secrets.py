"""Recognition and redaction of secrets, by a corpus whose secrets a person marked."""

from __future__ import annotations

import re
import time
from pathlib import Path
from unittest.mock import Mock

import pytest
from detect_secrets.core.secrets_collection import SecretsCollection
from detect_secrets.settings import default_settings

import trainc
from tests.support import secret_corpus
from tests.support.build import job_text
from trainc.diagnostics.text import render
from trainc.secrets.formats import find_formats, may_contain_secret
from trainc.secrets.text import find_secrets, redact, redact_args
from trainc.span import Source, Span

FOLDER = Path(__file__).parent
ALPHABETS = {
    "alnum": "aB3dE6gH9jKlMn0pQ2sT4vWxYz",
    "base64": "aB3/dE6+gH9jKlMn0pQ2sT4vWxYz",
    "digits": "1928374650",
    "hex": "0a1b2c3d4e5f6789",
    "upper": "A2B3C4D5E6F7GHIJ",
}
CASES = FOLDER.parent.parent / "acceptance" / "secret_corpus" / "secrets.txt"
HIDDEN = "█"
# Parts of texts for which nested repetition in a pattern takes quadratic or exponential time.
HOSTILE = [
    *("a.", "a=", "://a", '-----BEGIN PRIVATE KEY-----"', "curl ", "--token ", "name: ", " -p x1y2z3", '{"a":', "eyJ"),
    *(
        " ",
        "\n",
        "-",
        "token:",
        'token="',
        "mysql ",
        "docker ",
        "authorization: ",
        "wandb login --a ",
        "wandb login --host a ",
        "echo a | ",
        'login("a',
        "bearer ",
        "xox-",
        *("remote modify ", "git config a ", '--"a" ', "--a `echo ", "${a:-", "printf 'a=%s' ", "login a password "),
        *(";pwd=a", "pwd=a;", "https://" + "a1" * 8, "glsa_", "t1.", "a=", 'a="', "a1B2" * 6 + " ", "<a>", "name=a "),
        *("-H a:", 'a\\"', "a:1:b:c:", "pgpass a:", "-pass pass:", "smbclient -U a%", "a[", "a: [", "\\"),
        *("ssh-keygen -P ", "vault login -a ", "sqlplus a/", "http -a a:", "read a <<< ", "kinit "),
    ),
]
TOKEN = "hf_" + "a1B2c3D4" * 4


def corpus(name: str) -> list[str]:
    """Return the texts of a file, with `<hex:N>` replaced by N characters: no file contains what looks like a token."""

    def expand(match: re.Match[str]) -> str:
        alphabet, length = ALPHABETS[match[1]], int(match[2])
        return (alphabet * (length // len(alphabet) + 1))[:length]

    lines = (FOLDER / name).read_text().splitlines()
    return [re.sub(r"<(\w+):(\d+)>", expand, line) for line in lines if not line.startswith("# ")]


POSITIVE, NEGATIVE = corpus("positive.txt"), corpus("negative.txt")


def without_marks(text: str) -> str:
    return re.sub("[⟦⟧]", "", text)


def test_the_corpus_has_200_texts_of_each_kind() -> None:
    assert len(set(POSITIVE)) >= 200
    assert len(set(NEGATIVE)) >= 200
    assert all("⟦" in text for text in POSITIVE)


@pytest.mark.parametrize("text", POSITIVE)
def test_exactly_the_secret_is_redacted(text: str) -> None:
    assert redact(without_marks(text), HIDDEN) == re.sub("⟦[^⟧]*⟧", HIDDEN, text)


@pytest.mark.sample(60)
@pytest.mark.parametrize("text", NEGATIVE)
def test_a_text_without_a_secret_stays_as_it_is(text: str) -> None:
    assert redact(text, HIDDEN) == text


def test_every_secret_passes_the_cheap_test_of_triggers() -> None:
    # A value after `-p` alone is redacted, but not reported.
    assert [text for text in POSITIVE if not may_contain_secret(without_marks(text))] == ["-p ⟦hunter2⟧"]


@pytest.mark.sample(60)
@pytest.mark.parametrize("case", secret_corpus.read(CASES), ids=lambda case: case.line)
def test_every_secret_of_a_job_passes_it(case: secret_corpus.Case) -> None:
    """A job with the case alone, as triggers join its texts: names and values of variables, arguments."""
    name, _, value = case.text.partition("=") if case.section == "env" else ("", "", case.text)
    assert may_contain_secret(f"{name}\n{value}")


@pytest.mark.parametrize(
    ("args", "redacted"),
    [
        (["login", "--password", "hunter2", "x"], ["login", "--password", HIDDEN, "x"]),
        (["login", "-p", "hunter2", "x"], ["login", "-p", HIDDEN, "x"]),
        (["/bin/mkdir", "-p", "run1a"], ["/bin/mkdir", "-p", "run1a"]),
        (["train.py", "--hf-token", "--lr", "0.1"], ["train.py", "--hf-token", "--lr", "0.1"]),
        (["train.py", "--hf-token=abcdef", "--lr=0.1"], ["train.py", f"--hf-token={HIDDEN}", "--lr=0.1"]),
        (["sh", "-c", "curl -u me:hunter2 x && ls"], ["sh", "-c", f"curl -u me:{HIDDEN} x && ls"]),
    ],
)
def test_arguments_are_redacted_by_the_option_before_them(args: list[str], redacted: list[str]) -> None:
    assert redact_args(args, HIDDEN) == redacted


@pytest.mark.sample(15)
@pytest.mark.parametrize("unit", HOSTILE)
def test_the_search_takes_linear_time(unit: str) -> None:
    """A quadratic search takes 256 times as long for 16 times the text, each time that it is measured."""

    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        redact(text, HIDDEN)
        return time.process_time() - start

    assert any(seconds(2**16) < 80 * max(seconds(2**12), 2e-4) for _ in range(5))


def test_detect_secrets_finds_no_other_secret(tmp_path: Path) -> None:
    """Judge both files by another tool; what it alone reports is listed, and all of it is a false positive."""
    texts = [without_marks(text) for text in POSITIVE] + NEGATIVE
    file = tmp_path / "corpus.yaml"
    file.write_text("\n".join(texts))
    secrets = SecretsCollection()
    with default_settings():
        secrets.scan_file(str(file))
    results = [(texts[secret.line_number - 1], str(secret.secret_value)) for _, secret in secrets]
    assert len(results) > 50
    only_theirs = {
        text
        for text, secret in results
        if not any(secret in text[start:end] or text[start:end] in secret for start, end, _ in find_secrets(text))
    }
    assert only_theirs == {
        *("PASSWORD=REDACTED", "SECRET_NAME=wandb", "SECRETARY=ann", "PWD=workspace", "OLDPWD=workspace2"),
        *('{"password": null}', "secretName: tls-cert2", "imagePullSecrets: regcred2", "sshSecret: ssh-key2"),
    }


def test_no_diagnostic_shows_a_secret() -> None:
    args = ["train.py", TOKEN, "--password", "hunter2", "--db=postgres://me:p4ss@db"]
    job = job_text(env={"HF_TOKEN": "abc123"}, run={"python": args}, imagePullPolicy="Always")
    diagnostics = trainc.compile(job).diagnostics
    assert [diagnostic.code.id for diagnostic in diagnostics] == ["TC3087"] * 4
    for diagnostic in diagnostics:
        line = diagnostic.span.source.line(diagnostic.span.line)
        for text in (render([diagnostic]), repr(line), diagnostic.message, diagnostic.help or "", str(diagnostic.span)):
            assert not re.search(f"abc123|hunter2|p4ss|{TOKEN}", text)


@pytest.mark.parametrize("invalid", ["[1]", "["])
def test_the_excerpt_of_a_rejected_text_shows_no_secret(invalid: str) -> None:
    """Neither of a job that the schema rejects, nor of a text that isn't YAML."""
    line = f"  env: {{HF_TOKEN: abc123, DEPTH: {invalid}, HUB: {TOKEN}}}"
    excerpt = render(trainc.compile(f"apiVersion: trainc.dev/v1alpha1\nkind: TrainingJob\nspec:\n{line}\n").diagnostics)
    assert "HF_TOKEN: ******, DEPTH:" in excerpt
    assert TOKEN not in excerpt


def test_all_lines_of_a_secret_are_hidden() -> None:
    job = job_text().replace('"spec": {', '"spec": {\n"env": [{"name": "DB_PASSWORD", "value":\n"abc\n def"}],')
    (diagnostic,) = trainc.compile(job).diagnostics
    excerpt = "\n".join(diagnostic.span.source.lines())
    assert "abc" not in excerpt
    assert "def" not in excerpt.replace("default", "")


def test_the_position_of_an_option_shows_no_secret() -> None:
    (diagnostic,) = trainc.compile(job_text(), overrides={"spec.env.HF_TOKEN": TOKEN}).diagnostics
    assert TOKEN not in render([diagnostic])
    assert "*" * len(TOKEN) in str(diagnostic.span)


def test_lines_around_a_hidden_block_stay_as_they_are() -> None:
    """A block scalar ends at the start of the next line; hiding it twice changes nothing more."""
    text = f"a:\n  KEY: |\n    {TOKEN}\n    {TOKEN}\n  next: 1\n"
    source = Source("job.yaml", text)
    for _ in range(60):
        source.hide(Span(source, 2, 8, 5, 1))
    assert source.lines() == ["a:", "  KEY: *", "    " + "*" * len(TOKEN), "    " + "*" * len(TOKEN), "  next: 1", ""]


def test_a_short_text_of_many_pods_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan has the same image and the same variables for each pod."""
    search = Mock(side_effect=find_formats)
    monkeypatch.setattr("trainc.secrets.text.find_formats", search)
    secret = "sent once with hf_" + "aB3dE6gH9j" * 4
    results = {redact(secret) for _ in range(100)}
    assert (results, search.call_count) == ({"sent once with ‹hidden›"}, 1)
    assert redact(secret, "x") == "sent once with x"
