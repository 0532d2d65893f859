"""Commands that run git: `diff --git` and `--changed-since` in every kind of repository, offline."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import JOB, CommandResult, fail, job, succeed, trainc
from tests.support.git import commit, create_repository, git

LOCAL = "  volumes:\n  - {name: code, mountPath: /code, files: [train.py]}\n"
# Names that git quotes, takes for patterns or options, or can't print.
HOSTILE = ("a b", "-x", "--help", ":(glob)*", "*", "line\nbreak", 'quo"te', "back\\slash", "tab\t", "ümlaut", b"\xff")


def changed(*files: str | Path, revision: str = "HEAD") -> list[str]:
    """Return the names of the jobs that `--changed-since` compiles."""
    done = succeed("compile", "-q", "--changed-since", revision, "-f", "json", *files)
    items = json.loads(done.out)["items"] if done.out else []
    return sorted(each["metadata"]["name"] for each in items if each["kind"] == "Job")


def states(*files: str | Path, revision: str = "HEAD") -> dict[str, str]:
    """Return the effect on the training of each job that `diff --git` compares, empty for no change."""
    done = trainc("diff", "--git", revision, "-f", "json", *files)
    assert done.code in (0, 1), done.err
    return {each["name"]: each["training"] if each["changes"] else "" for each in json.loads(done.out)}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current directory: a repository with jobs a and local."""
    path = tmp_path / "repository"
    (path / "jobs").mkdir(parents=True)
    monkeypatch.chdir(path)
    Path("jobs/a.yaml").write_text(job("a"))
    Path("jobs/local.yaml").write_text(job("local", LOCAL))
    Path("jobs/train.py").write_text("print(1)\n")
    create_repository()
    return path


def edit(name: str) -> None:
    path = Path(name)
    path.write_text(path.read_text().replace("workers: 2", "workers: 3"))


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("name", HOSTILE, ids=repr)
def test_names_of_files_are_no_syntax(name: str | bytes) -> None:
    folder = os.fsdecode(name)
    os.mkdir(folder)
    file = f"./{folder}/{folder}.yaml"
    Path(file).write_text(job("b"))
    commit()
    assert (changed(file), states(file)) == ([], {"b": ""})
    assert (changed(f"./{folder}"), states(f"./{folder}")) == ([], {"b": ""})
    edit(file)
    assert (changed(file, "jobs"), states(file)) == (["b"], {"b": "needs re-creation"})


def test_a_hook_has_variables_of_another_repository(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git("init", "-q", str(other))
    edit("jobs/a.yaml")
    with pytest.MonkeyPatch.context() as patched:
        for name, value in {
            "GIT_DIR": f"{other}/.git",
            "GIT_WORK_TREE": f"{other}",
            "GIT_INDEX_FILE": f"{other}/index",
            "GIT_PREFIX": "jobs/",
            "GIT_GLOB_PATHSPECS": "1",
            "GIT_EXTERNAL_DIFF": "false",
        }.items():
            patched.setenv(name, value)
        assert (changed("jobs"), states("jobs")["a"]) == (["a", "local"], "needs re-creation")
        patched.chdir("jobs")
        assert (changed("."), states(".")["a"]) == (["a", "local"], "needs re-creation")


def test_a_linked_worktree_and_a_subdirectory_are_repositories(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("worktree", "add", "-q", str(tmp_path / "linked"))
    monkeypatch.chdir(tmp_path / "linked" / "jobs")
    assert (changed("."), states(".")) == ([], {"a": "", "local": ""})
    edit("a.yaml")
    assert (changed("."), states(".")) == (["a", "local"], {"a": "needs re-creation", "local": ""})
    monkeypatch.chdir(repository)
    assert changed("jobs") == []
    assert states(tmp_path / "linked" / "jobs")["a"] == "needs re-creation"  # the repository of the file


def test_a_submodule_changes_its_jobs(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outer = tmp_path / "outer"
    git("init", "-q", str(outer))
    monkeypatch.chdir(outer)
    Path("b.yaml").write_text(job("b"))
    git("submodule", "--quiet", "add", str(repository), "team")
    commit()
    assert changed(".", "team/jobs") == []
    assert states(".") == {"a": "", "b": "", "local": ""}
    edit("team/jobs/a.yaml")
    assert changed(".") == ["a", "local"]  # git compares a submodule as a whole
    assert states(".") == {"a": "needs re-creation", "b": "", "local": ""}
    git("-C", "team", "commit", "-qam", "edit")
    assert changed(".") == ["a", "local"]
    assert states("team/jobs/a.yaml") == {"a": ""}  # in the submodule's own history


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("command", "revision"),
    [
        (command, revision)
        for command in ("diff", "check")
        for revision in ("nope", "--output=x", "HEAD:jobs", "a..b", "")
    ],
)
def test_an_unknown_revision_is_a_usage_error(command: str, revision: str) -> None:
    option = "--git" if command == "diff" else "--changed-since"
    err = fail(command, "jobs", f"{option}={revision}", code=2)
    assert f"Invalid value for {option}: `{revision}` is not a revision of the repository" in err
    assert not Path("x").exists()


def unusable(done: CommandResult, message: str) -> bool:
    return done.code == 2 and message in " ".join(done.err.split()) and "Traceback" not in done.err


@pytest.mark.parametrize("options", [["--depth=1"], ["--filter=blob:none"]], ids=["shallow", "partial"])
def test_a_clone_without_the_revision_asks_no_server(
    options: list[str], repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("jobs/local.yaml").unlink()
    edit("jobs/a.yaml")
    commit()
    git("config", "uploadpack.allowFilter", "true")
    git("clone", "-q", *options, f"file://{repository}", str(tmp_path / "clone"))
    monkeypatch.chdir(tmp_path / "clone")
    done = trainc("diff", "--git", "HEAD~1", "jobs")
    check = trainc("check", "--changed-since", "HEAD~1", "jobs")
    if options == ["--depth=1"]:
        assert unusable(done, "the clone is shallow: fetch it, as by `git fetch --unshallow` or `fetch-depth: 0`")
        assert unusable(check, "`fetch-depth: 0`")
    else:
        assert unusable(done, "the clone lacks a file: fetch it")
        assert check.code == 0  # names of files suffice
        assert states("jobs") == {"a": ""}


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("remove", "inputs"),
    [
        (lambda: Path("jobs/a.yaml").unlink(), ["jobs/a.yaml"]),
        (lambda: git("rm", "-rq", "jobs"), ["jobs/a.yaml"]),
        (lambda: git("rm", "-rq", "jobs"), ["jobs"]),
        (lambda: git("rm", "-rq", "jobs"), ["jobs/"]),
        (lambda: git("mv", "jobs/a.yaml", "jobs/moved.yaml"), ["jobs/a.yaml"]),
    ],
)
def test_a_deleted_file_is_known_from_the_revision(remove: Callable[[], object], inputs: list[str]) -> None:
    remove()
    assert states(*inputs)["a"] == "left running"


@pytest.mark.usefixtures("repository")
def test_a_directory_without_jobs_is_compared() -> None:
    git("rm", "-rq", "jobs")
    Path("jobs").mkdir()
    Path("jobs/.gitkeep").touch()
    assert states("jobs")["a"] == "left running"
    commit()
    assert states("jobs") == {}
    git("rm", "-rq", "jobs")
    assert states("jobs") == {}


@pytest.mark.usefixtures("repository")
def test_a_file_that_no_version_has_is_a_usage_error() -> None:
    for name in ("jobs/nope.yaml", "gone/nope.yaml", "jobs/*.yml"):
        assert unusable(trainc("diff", "--git", "HEAD", name), f"{name} exists neither here nor in HEAD")
    Path("jobs/new.yaml").write_text(job("new"))
    assert states("jobs/new.yaml") == {"new": "starts"}


@pytest.mark.usefixtures("repository")
def test_links_of_a_revision_lead_to_its_files() -> None:
    Path("link.yaml").symlink_to("jobs/second.yaml")
    Path("jobs/second.yaml").symlink_to("../jobs/a.yaml")
    Path("outside.yaml").symlink_to("/etc/hostname")
    Path("loop.yaml").symlink_to("loop.yaml")
    commit()
    assert (changed("link.yaml"), states("link.yaml")) == ([], {"a": ""})
    edit("jobs/a.yaml")
    assert (changed("link.yaml"), states("link.yaml")) == (["a"], {"a": "needs re-creation"})
    for name in ("outside.yaml", "loop.yaml"):
        assert unusable(trainc("diff", "--git", "HEAD", name), f"{name} is a link in HEAD that leads out of")


@pytest.mark.usefixtures("repository")
def test_attributes_do_not_change_the_files_of_a_revision() -> None:
    Path(".gitattributes").write_text("jobs/*.yaml export-ignore\n*.py export-subst filter=evil\n")
    Path("jobs/train.py").write_text("$Format:%H$\n")
    git("config", "filter.evil.smudge", "touch evil")
    git("config", "filter.evil.clean", "cat")
    git("config", "core.fsmonitor", "touch evil")
    commit()
    Path("evil").unlink(missing_ok=True)  # git's own
    assert states("jobs") == {"a": "", "local": ""}
    assert changed("jobs") == []
    assert not Path("evil").exists()


def test_a_tree_with_dots_writes_nothing_outside(repository: Path, tmp_path: Path) -> None:
    blob = git("hash-object", "-w", "--stdin", stdin=job("evil"))
    tree = git("mktree", stdin=f"100644 blob {blob}\tevil.yaml\n")
    entry = b"40000 ..\0" + bytes.fromhex(tree) + b"100644 a.yaml\0" + bytes.fromhex(blob)
    root = git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=entry)
    revision = git("commit-tree", "-m", "evil", root)
    before = set(tmp_path.rglob("*")) | set(tmp_path.parent.glob("*.yaml"))
    assert trainc("diff", "--git", revision, ".").code == 1
    assert set(tmp_path.rglob("*")) | set(tmp_path.parent.glob("*.yaml")) == before


@pytest.mark.parametrize("command", [("diff", "--git"), ("check", "--changed-since")])
def test_outside_of_a_repository_is_a_usage_error(
    command: tuple[str, str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(here.parent))
    Path("job.yaml").write_text(JOB)
    name, option = command
    assert unusable(trainc(name, option, "HEAD", "job.yaml"), "git fails: not a git repository")
    monkeypatch.setenv("PATH", "")
    assert unusable(trainc(name, option, "HEAD", "job.yaml"), "git is not installed")
