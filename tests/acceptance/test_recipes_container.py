"""docs/recipes/container.md and the image of docs/recipes/argo-cd.md as they stand, with buildah in place of docker."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support import recipes
from tests.support.command import trainc
from tests.support.container import docker
from tests.support.examples import ROOT
from tests.support.git import WITH_NEW_FILES, copy_checkout

IMAGE = "registry.example.com/trainc:0.1.0"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    base = re.search(r"^FROM (\S+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert base is not None
    folder = tmp_path_factory.mktemp("builder")
    yield docker(folder, base[1])
    shutil.rmtree(folder, ignore_errors=True)  # images of 250 MB


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the files of this checkout."""
    return copy_checkout(tmp_path_factory.mktemp("checkout"), *WITH_NEW_FILES, without=("tests/", "golden/", "bench/"))


@pytest.fixture(scope="module")
def page(checkout: Path, program: Path) -> Path:
    return recipes.run_page("container", checkout, program)


def test_the_image_compiles(page: Path) -> None:
    assert (page / "manifests.yaml").read_text() == trainc("compile", page / "jobs" / "mnist.yaml").out


def test_the_image_has_no_root_user(page: Path, program: Path) -> None:
    run = f"docker run --rm --entrypoint id --volume {page}/jobs:/work:ro {IMAGE} -u"
    assert recipes.run(run, page, program).stdout == "65534\n"


def test_the_image_of_argo_cd_has_what_the_plugin_runs(page: Path, program: Path) -> None:
    recipes.write("argo-cd", page)
    build = "docker build --quiet --file Dockerfile.argo-cd --tag argo-cd ."
    assert recipes.run(build, page, program).returncode == 0
    plugin = "/home/argocd/cmp-server/config/plugin.yaml"
    run = ["docker", "run", "--rm", "--entrypoint"]
    volume = ["--volume", f"{page}/jobs:/work:ro", "argo-cd"]
    done = recipes.run([*run, "cat", *volume, plugin], page, program)
    assert done.returncode == 0, done.stderr
    spec = yaml.safe_load(done.stdout)["spec"]
    for command, expected in ((spec["discover"]["find"], "./mnist.yaml\n"), (spec["generate"], "kind: Job\n")):
        words = [*command["command"], *command["args"]]
        done = recipes.run([*run, words[0], *volume, *words[1:]], page, program)
        assert done.returncode == 0, done.stderr
        assert expected in done.stdout
