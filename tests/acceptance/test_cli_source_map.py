"""`compile --source-map`, `compile --comments` and `explain --manifest`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.command import JOB, fail, succeed, trainc
from tests.support.source_maps import fields

# Objects beside the job, two jobs, an anchor, a merge key, and texts that look like comments.
BESIDE = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}  # settings
data:
  a: |
    b: c
---
"""
NAMED = """\
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata: {name: first, annotations: {note: "a: # b"}}
spec:
  image: &image train:1
  launch: {basic: {}}
  run: {python: ["a # b", "'", "c\\nd: # e\\n", *image]}
  env:
    <<: &common {A: "1"}
    "B": "two"
---
"""
FOREIGN = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: foreign}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - name: pytorch
            image: train:1
            command: [python, train.py]
"""


@pytest.fixture
def folder(here: Path) -> Path:
    (here / "job.yaml").write_text(BESIDE + NAMED + JOB, "utf-8")
    return here


def compile_map(*options: str, output: str = "out.yaml", name: str = "out.map") -> dict[str, Any]:
    done = trainc("compile", "job.yaml", "-q", "-o", output, "--source-map", name, *options)
    assert (done.code, done.out) == (0, "")
    document: dict[str, Any] = json.loads(Path(name).read_text("utf-8"))
    return document


def places(document: dict[str, Any], object_name: str, pointer: str) -> list[str]:
    """Return the places of a field's value, as `input:line pointer`."""
    lines = [line for file in document["files"] for line in file["lines"]]
    line = next(line for line in lines if (line["object"], line["pointer"]) == (object_name, pointer))
    found = [document["places"][number] for number in line["values"]]
    names = [document["inputs"][place["input"]] for place in found]
    return [f"{name}:{place.get('line')} {place.get('pointer')}" for name, place in zip(names, found, strict=True)]


def test_every_job_and_every_other_object_has_its_own_lines(folder: Path) -> None:
    document = compile_map()
    assert places(document, "ConfigMap/settings", "/data/a") == ["job.yaml:5 /data/a"]
    assert places(document, "Job/first", "/metadata/name") == ["job.yaml:10 /metadata/name"]
    assert places(document, "Job/mnist", "/metadata/name") == ["job.yaml:22 /metadata/name"]
    assert places(document, "Job/mnist", "/spec/completions") == ["job.yaml:29 /spec/workers"]
    written = Path("out.yaml").read_text("utf-8")
    expected = [(each.line, pointer) for object_ in fields(written) for pointer, each in object_.items()]
    assert [(line["line"], line["pointer"]) for line in document["files"][0]["lines"]] == expected


def test_aliases_and_merged_keys_have_the_place_of_their_anchor(folder: Path) -> None:
    document = compile_map()
    container = "/spec/template/spec/containers/0"
    assert places(document, "Job/first", f"{container}/args/3") == ["job.yaml:12 /spec/image"]
    objects = yaml.safe_load_all(Path("out.yaml").read_text("utf-8"))
    written = next(each for each in objects if each["kind"] == "Job")
    names = [each["name"] for each in written["spec"]["template"]["spec"]["containers"][0]["env"]]
    assert places(document, "Job/first", f"{container}/env/{names.index('A')}/value") == ["job.yaml:16 /spec/env/A"]


def test_options_are_origins_without_their_values(folder: Path) -> None:
    options = ("--set", "spec.workers=3", "--set", "spec.env.A\\.B=hunter2-hunter2", "--namespace", "research")
    Path("job.yaml").write_text(JOB, "utf-8")
    document = compile_map(*options)
    assert places(document, "Job/mnist", "/spec/completions") == ["--set spec.workers:None None"]
    assert places(document, "Job/mnist", "/metadata/namespace") == ["--namespace:None None"]
    assert "--set spec.env.A\\.B" in document["inputs"]
    assert "hunter2" not in Path("out.map").read_text("utf-8")


def test_the_map_has_no_values(folder: Path) -> None:
    secret = "x7Gq2-only-here"
    Path("job.yaml").write_text(BESIDE.replace("b: c", secret) + JOB + f"  env: {{PASSWORD: {secret}}}\n", "utf-8")
    compile_map()
    assert secret in Path("out.yaml").read_text("utf-8")
    assert secret not in Path("out.map").read_text("utf-8")


def test_jobs_of_other_systems_have_their_own_fields(folder: Path) -> None:
    Path("job.yaml").write_text(FOREIGN, "utf-8")
    image = "/spec/pytorchReplicaSpecs/Worker/template/spec/containers/0/image"
    assert places(compile_map(), "Job/foreign", "/spec/template/spec/containers/0/image") == [f"job.yaml:12 {image}"]


def test_a_list_in_json_has_lines_too(folder: Path) -> None:
    document = compile_map(output="out.json")
    lines = Path("out.json").read_text("utf-8").splitlines()
    for line in document["files"][0]["lines"]:
        key = line["pointer"].rpartition("/")[2].replace("~1", "/")
        assert key.isdigit() or f'"{key}": ' in lines[line["line"] - 1], line


def test_a_folder_has_one_map_for_all_files(folder: Path) -> None:
    document = compile_map(output="out/", name="out/jobs.map")
    assert [file["name"] for file in document["files"]] == ["out/first.yaml", "out/mnist.yaml"]
    assert trainc("explain", "--manifest", "out/mnist.yaml:2").code == 0


@pytest.mark.parametrize("backend", ["job", "statefulset"])
def test_comments_change_no_value_and_no_line(folder: Path, backend: str) -> None:
    command = ("compile", "job.yaml", "-q", "-b", backend, "-n", "research")
    plain, commented = trainc(*command).out, trainc(*command, "--comments").out
    assert list(yaml.safe_load_all(commented)) == list(yaml.safe_load_all(plain))
    assert [line.rstrip() for line in plain.splitlines()] == [
        old if new.startswith(old) else new for old, new in zip(plain.splitlines(), commented.splitlines(), strict=True)
    ]
    assert any(line.endswith("  # job.yaml:29 workers") for line in commented.splitlines())
    assert any(line.split("  # ")[-1] == f"rule: {backend}" for line in commented.splitlines())


def test_comments_are_compared_and_applied_like_any_output(folder: Path) -> None:
    assert trainc("compile", "job.yaml", "-q", "--comments", "-o", "out.yaml").code == 0
    assert trainc("compile", "job.yaml", "-q", "--comments", "-o", "out.yaml", "--check").code == 0
    assert trainc("compile", "job.yaml", "-q", "-o", "out.yaml", "--check").code == 1


def test_no_file_name_breaks_a_comment(folder: Path) -> None:
    name = "a\nb: \u2028c #'\".yaml"
    Path("job.yaml").rename(name)
    done = trainc("compile", name, "-q", "--comments")
    assert list(yaml.safe_load_all(done.out)) == list(yaml.safe_load_all(trainc("compile", name, "-q").out))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--source-map", "-"), "manifests and map would be one stream"),
        (("--source-map", "out.yaml", "-o", "out.yaml"), "requires a file of its own"),
        (("--source-map", "out/map.json", "-o", "out/"), "would read this file"),
        (("--source-map", "out.map", "-o", "out.yaml", "--check"), "conflicts with --check"),
        (("--comments", "-f", "json"), "JSON has no comments"),
        (("--source-map", "job.yaml", "-o", "out.yaml"), "job.yaml is an input"),
    ],
)
def test_conflicts(folder: Path, options: tuple[str, ...], message: str) -> None:
    os.mkdir("out")
    before = Path("job.yaml").read_bytes()
    assert message in " ".join(fail("compile", "job.yaml", "-q", *options, code=2).split())
    assert Path("job.yaml").read_bytes() == before


def test_an_invalid_job_has_no_map(folder: Path) -> None:
    Path("job.yaml").write_text(JOB.replace("workers: 2", "workers: two"), "utf-8")
    assert trainc("compile", "job.yaml", "-o", "out.yaml", "--source-map", "out.map").code == 1
    assert sorted(os.listdir()) == ["job.yaml"]


def line_of(text: str, name: str = "out.yaml") -> str:
    """Return the location of the last line with a text."""
    lines = Path(name).read_text("utf-8").splitlines()
    return f"{name}:{len(lines) - next(number for number, line in enumerate(reversed(lines)) if text in line)}"


@pytest.mark.parametrize("by", ["map", "named map", "job"])
def test_explain_a_line(folder: Path, by: str) -> None:
    Path("job.yaml").write_text(JOB, "utf-8")
    compile_map("-b", "pods" if by == "job" else "job", name="elsewhere.txt" if by != "map" else "out.map")
    options = {"map": [], "named map": ["--source-map", "elsewhere.txt"], "job": ["job.yaml"]}[by]
    done = succeed("explain", "--manifest", line_of("image: train:1"), *options)
    assert "value of  job.yaml:6 image\n" in done.out
    done = trainc("explain", "--manifest", line_of("restartPolicy"), *options)
    assert "(trainc explain spec.lifecycle.restartPolicy)" in done.out
    done = trainc("explain", "--manifest", line_of("  spec:" if by != "job" else "spec:"), *options)
    assert "value of  job.yaml:6 image\n" in done.out
    assert "value of  job.yaml:4 metadata.name\n" in done.out


def test_every_line_can_be_explained(folder: Path) -> None:
    compile_map()
    for number, _ in enumerate(Path("out.yaml").read_text("utf-8").splitlines(), 1):
        assert trainc("explain", "--manifest", f"out.yaml:{number}").code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("out.yaml:1",), "no source map in ."),
        (("out.yaml",), "expected FILE:LINE"),
        (("out.yaml:0",), "expected FILE:LINE"),
        (("out.yaml:²",), "expected FILE:LINE"),
        (("out.yaml:9999",), "has 94 lines"),
        (("missing.yaml:1",), "cannot read the file"),
        (("out.yaml:1", "--source-map", "broken.map"), "is not a source map of version 1"),
        (("out.yaml:1", "--source-map", "job.yaml"), "is not a source map of version 1"),
        (("out.yaml:1", "other.yaml"), "no back end compiles other.yaml"),
        (("out.yaml:1", "job.yaml", "--source-map", "broken.map"), "conflict"),
    ],
)
def test_a_line_that_cannot_be_explained(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    Path("job.yaml").write_text(JOB, "utf-8")
    Path("other.yaml").write_text(JOB.replace("mnist", "other"), "utf-8")
    compile_map(name="elsewhere.txt")
    line = {"line": 1, "end": 1, "object": "a", "pointer": "/a", "values": [5], "conditions": []}
    files = [{"name": "out.yaml", "sha256": "0" * 64, "lines": [line]}]
    broken = {"version": 1, "files": files, "inputs": [], "places": [], "rules": []}
    if "broken.map" in arguments:
        Path("broken.map").write_text(json.dumps(broken), "utf-8")
    assert message in " ".join(fail("explain", "--manifest", *arguments, code=2).split())


def test_an_edited_manifest_is_not_explained(folder: Path) -> None:
    compile_map()
    with open("out.yaml", "a", encoding="utf-8") as file:
        file.write("# edited\n")
    assert "out.yaml was edited" in " ".join(fail("explain", "--manifest", "out.yaml:1", code=2).split())


def test_the_html_page_of_a_plan_has_origins_and_no_secrets(folder: Path) -> None:
    secret = "x7Gq2-only-here"
    beside = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData: {{a: {secret}2}}\n---\n"
    Path("job.yaml").write_text(beside + JOB + f"  env: {{PASSWORD: {secret}, A: <b>}}\n", "utf-8")
    assert trainc("plan", "job.yaml", "-q", "-o", "plan.html").code == 0
    page = Path("plan.html").read_text("utf-8")
    assert '<span title="job.yaml:16 workers">  completions: 2</span>' in page
    assert '<span title="job.yaml:17 env.A">          value: &quot;&lt;b&gt;&quot;</span>' in page
    assert secret not in page
    trainc("compile", "job.yaml", "-q", "-o", "out.yaml")
    assert trainc("plan", "--manifests", "out.yaml", "-q", "-o", "plan.html").code == 0
    assert "<pre>" not in Path("plan.html").read_text("utf-8")
