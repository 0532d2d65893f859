"""`trainc plan` for job files."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.command import INVALID_JOB, JOB, fail, succeed, trainc
from tests.support.examples import CASES, accepted, compiled, example_path
from tools import equivalence
from tools.equivalence import by_job
from trainc import compile
from trainc.plan.equivalence import differences
from trainc.plan.plan import Plan, plan
from trainc.systems.registry import NAMES

BASIC = JOB.replace("torchrun: {}", "basic: {}")
GOOD = sorted(file for folder in ("good", "silent") for file in (Path(__file__).parent / folder).rglob("*.yaml"))


@pytest.mark.sample(25)
@pytest.mark.parametrize(("example", "backend"), CASES)
def test_no_example_has_a_finding(example: str, backend: str) -> None:
    if not accepted(example, backend):
        return
    done = succeed("plan", example_path(example), "--backend", backend, "--format", "json")
    assert [finding for job_plan in json.loads(done.out) for finding in job_plan["findings"]] == []


@pytest.mark.parametrize("backend", ["job", "jobset", "statefulset", "pods", "pytorchjob"])
def test_a_known_cluster_domain_is_in_all_names(backend: str) -> None:
    options = ("plan", "-", "-b", backend, "-n", "lab", "--cluster-domain", "k8s.example", "-f", "json")
    done = trainc(*options, stdin=JOB)
    (job,) = json.loads(done.out)
    assert "‹cluster domain›" not in done.out
    if backend != "pytorchjob":  # whose pods have no subdomain
        first = job["pods"][0]["hostname"]
        assert job["pods"][0]["processEnvironment"]["MASTER_ADDR"] == f"{first}.mnist.lab.svc.k8s.example"


@pytest.mark.sample(15)
@pytest.mark.parametrize("file", GOOD, ids=lambda file: file.stem)
def test_good_jobs_have_no_findings_and_no_unexpected_differences(file: Path) -> None:
    plans: dict[str, dict[str, Plan]] = {}
    # Some jobs are valid for one back end only.
    backend_option = re.search(r"^# with: .*--backend (\w+)", file.read_text("utf-8"), flags=re.MULTILINE)
    for backend in (backend_option[1],) if backend_option else NAMES:
        result = compile(file.read_bytes(), backend=backend, filename=file.name)
        for name, objects in by_job(result.objects()).items():
            job_plan = plan(objects)
            # A plan knows neither scripts, which expand `$(DATE)`, nor the variables of the cluster's Services.
            if file.stem == "references-to-variables":
                assert all(
                    "`$(ETCD_SERVICE_HOST)`" in each.message or "`$(DATE)`" in each.message
                    for each in job_plan.findings
                )
            elif job_plan.findings:  # the rendezvous host exists on another back end only
                assert "TC3094" in {diagnostic.code.id for diagnostic in result.diagnostics}
                continue
            plans.setdefault(name, {})[backend] = job_plan
    # An elastic job without `workers` starts with as many as the system has at first.
    allowed = () if "workers:" in file.read_text("utf-8") else equivalence.START
    for plans_of_job in plans.values():
        unexpected = [each for each in differences(plans_of_job) if not each.is_expected]
        assert [each.describe() for each in unexpected if each.name not in allowed] == []


def test_the_default_format_is_text() -> None:
    done = succeed("plan", "-", stdin=JOB)
    assert done.out.startswith("mnist: torchrun, 2 pods × 1 process, world size 2\n")
    assert done.err == ""


def test_target_options_and_overrides_apply() -> None:
    done = trainc("plan", "-", "-b", "statefulset", "-n", "lab", "--set", "spec.workers=3", "-f", "json", stdin=JOB)
    (document,) = json.loads(done.out)
    assert (document["owner"], document["namespace"], len(document["pods"])) == ("StatefulSet/mnist", "lab", 3)


def test_an_invalid_job_has_no_plan(tmp_path: Path) -> None:
    assert "nothing was planned" in fail("plan", "-", "-o", tmp_path / "plan.svg", stdin=INVALID_JOB)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("plan.svg", "<svg"),
        ("plan.html", "<!doctype html>"),
        ("plan.txt", "mnist"),
        ("plan.json", "[\n"),
        ("plan.md", "## mnist"),
        ("plan.mmd", "flowchart"),
        ("plan", "mnist"),
    ],
)
def test_the_file_name_selects_the_format(name: str, start: str, tmp_path: Path) -> None:
    assert trainc("plan", "-", "-o", tmp_path / name, stdin=JOB).code == 0
    assert (tmp_path / name).read_text("utf-8").startswith(start)


def test_an_unknown_extension_is_an_error_that_lists_the_others(tmp_path: Path) -> None:
    done = trainc("plan", "-", "-o", tmp_path / "plan.pdf", stdin=JOB)
    assert (done.code, list(tmp_path.iterdir())) == (2, [])
    assert "expected .svg, .html, .png, .json, .md, .mmd, .txt" in done.err


def test_every_color_of_the_picture_is_an_attribute_for_renderers_without_style_sheets(tmp_path: Path) -> None:
    assert trainc("plan", "-", "-o", tmp_path / "plan.svg", stdin=JOB).code == 0
    root = ElementTree.parse(tmp_path / "plan.svg").getroot()
    shapes = [each for each in root.iter() if each.tag.rpartition("}")[2] in ("rect", "path", "text")]
    assert len(shapes) > 20
    for shape in shapes:
        assert re.fullmatch(r"#[0-9a-f]{6}|none", shape.attrib["fill"])
        assert "style" not in shape.attrib


def test_a_png_has_the_background_of_the_picture(tmp_path: Path) -> None:
    if shutil.which("rsvg-convert") is None:
        pytest.skip("rsvg-convert is not installed")
    assert trainc("plan", "-", "-o", tmp_path / "plan.png", stdin=JOB).code == 0
    header = (tmp_path / "plan.png").read_bytes()[:24]
    assert header[:16] == b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
    width, height = struct.unpack(">II", header[16:])
    assert (width >= 2 * 1040, height > 400) == (True, True)


def test_a_png_without_a_converter_is_an_error_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = trainc("plan", "-", "-o", tmp_path / "plan.png", stdin=JOB)
    assert (done.code, list(tmp_path.iterdir())) == (2, [])
    assert "librsvg2-bin" in done.err


def test_one_pod_has_no_rendezvous_in_its_picture(tmp_path: Path) -> None:
    for count, has_rendezvous in ((1, False), (2, True)):
        text = BASIC.replace("workers: 2", f"workers: {count}")
        assert trainc("plan", "-", "-o", tmp_path / "plan.svg", stdin=text).code == 0
        assert (">rendezvous<" in (tmp_path / "plan.svg").read_text()) == has_rendezvous


def test_the_picture_of_an_elastic_job_has_its_bounds_and_its_size_at_the_start(tmp_path: Path) -> None:
    elastic = JOB.replace("workers: 2", "elastic: {minReplicas: 1, maxReplicas: 4}") + "  resources: {cpu: 1}\n"
    for backend, start in (("job", 4), ("statefulset", 1)):
        assert trainc("plan", "-", "-b", backend, "-o", tmp_path / "plan.svg", stdin=elastic).code == 0
        assert f">1 to 4 workers, {start} at the start<" in (tmp_path / "plan.svg").read_text()


def test_an_image_file_conflicts_with_a_format(tmp_path: Path) -> None:
    assert "--format" in fail("plan", "-", "-o", tmp_path / "plan.svg", "-f", "json", stdin=JOB, code=2)


def test_a_plan_can_be_written_to_a_device() -> None:
    assert trainc("plan", "-", "-o", os.devnull, stdin=JOB).code == 0


@pytest.mark.parametrize("form", ["text", "json", "markdown", "mermaid"])
def test_two_jobs_have_two_plans(form: str) -> None:
    done = succeed("plan", "-", "-f", form, stdin=f"{JOB}---\n{JOB.replace('mnist', 'cifar')}")
    assert "mnist-0" in done.out
    assert "cifar-0" in done.out


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--strict",), 1)])
def test_a_finding_fails_a_strict_plan(options: tuple[str, ...], code: int) -> None:
    done = trainc("plan", "-", *options, stdin=JOB + "  env: {A: $(LOST)}\n")
    assert "`$(LOST)`" in (done.err if options else done.out)
    assert done.code == code


def test_two_back_ends_have_the_same_world_size() -> None:
    """The command line and the API plan the same job."""
    for backend in ("job", "pods"):
        (document,) = json.loads(trainc("plan", example_path("torchrun"), "-b", backend, "-f", "json").out)
        assert (
            document["worldSizes"][0]["worldSize"]
            == plan(compiled("torchrun", backend).objects()).world_sizes[0].world
            == 32
        )
