"""`--cluster`: entries by file, by name and by path, and what commands do with them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from xml.etree import ElementTree

import jsonschema
import pytest
import yaml

from tests.support import build
from tests.support.command import fail, trainc
from tests.support.examples import example_path
from tests.support.files import write
from tests.support.git import create_repository
from trainc.project import load
from trainc.project.targets import cluster_of
from trainc.resources import read_text
from trainc.source.load import load_document
from trainc.well_known import API_VERSION

BIG = {"nodes": [{"name": "gpu", "count": 4, "allocatable": {"cpu": 94, "memory": "1Ti", "nvidia.com/gpu": 8}}]}
SMALL = {"kubernetes": "1.30", "backend": "jobset", "nodes": [{"name": "cpu", "count": 2, "allocatable": {"cpu": 8}}]}
RESOURCES = {"cpu": 32, "memory": "256Gi", "gpu": 8}


def entry(spec: dict[str, Any], name: str = "test") -> dict[str, Any]:
    return {"apiVersion": "trainc.dev/v1alpha1", "kind": "Cluster", "metadata": {"name": name}, "spec": spec}


@pytest.fixture
def repository(here: Path) -> Path:
    """Directory with the same job in `a` and in `b`, and two files of clusters."""
    for name in ("a", "b"):
        (here / name).mkdir()
        text = build.job_text(workers=4, launch={"torchrun": {}}, resources=RESOURCES)
        (here / name / "job.yaml").write_text(text)
    for name, spec in (("big", BIG), ("small", SMALL)):
        (here / f"{name}.yaml").write_text(yaml.safe_dump(entry(spec)))
    return here


def project(folder: Path, clusters: dict[str, Any], **more: Any) -> None:
    content = {"apiVersion": "trainc.dev/v1alpha1", "kind": "Project", "jobs": ["a", "b"], "clusters": clusters, **more}
    (folder / "trainc.yaml").write_text(yaml.safe_dump(content, sort_keys=False))


IGNORED = [{"codes": ["TC7002", "TC3220"]}]
ASSIGNED: dict[str, Any] = {
    "big": {"file": "big.yaml", "jobs": ["a/"]},
    "small": {"file": "small.yaml", "jobs": ["b/**"]},
}


@pytest.mark.usefixtures("repository")
def test_a_file_is_an_entry() -> None:
    assert trainc("check", "a/job.yaml", "--cluster", "big.yaml").code == 0
    err = fail("check", "a/job.yaml", "--cluster", "small.yaml", "--message-format", "concise")
    assert "none of 4 pods gets a node of cluster `test`: 2 nodes: 2 lack 8 nvidia.com/gpu, none fits" in err


def test_the_toleration_of_a_help_lets_the_pods_run(repository: Path) -> None:
    nodes = [{**each, "taints": [{"key": "team", "value": "vision", "effect": "NoSchedule"}]} for each in BIG["nodes"]]
    (repository / "tainted.yaml").write_text(yaml.safe_dump(entry({"nodes": nodes})))
    done = trainc("check", "a/job.yaml", "--cluster", "tainted.yaml")
    toleration = "{key: team, operator: Exists, effect: NoSchedule}"
    assert f"help: tolerate the taint: `scheduling.tolerations: [{toleration}]`" in done.err
    tolerant = f"spec.scheduling.tolerations=[{toleration}]"
    assert trainc("check", "a/job.yaml", "--cluster", "tainted.yaml", "--set", tolerant).code == 0


def test_a_name_is_an_entry_of_the_project_file_or_its_file(repository: Path) -> None:
    project(repository, {"large": "big.yaml", "laptop": {"spec": SMALL}})
    assert trainc("check", "a/job.yaml", "--cluster", "large").code == 0
    done = trainc("check", "a/job.yaml", "--cluster", "laptop", "--message-format", "concise")
    assert "of cluster `laptop`" in done.err
    assert "the project file has large, laptop" in fail("check", "a/job.yaml", "--cluster", "moon", code=2)


def test_the_entry_selects_back_end_and_version_and_options_override_it(repository: Path) -> None:
    compiled = trainc("compile", "a/job.yaml", "--cluster", "small.yaml").out
    assert "kind: JobSet" in compiled
    assert "kind: JobSet" not in trainc("compile", "a/job.yaml", "--cluster", "small.yaml", "-b", "job").out
    write(repository / "gang.yaml", build.job_text(scheduling={"gang": "kubernetes"}))
    (repository / "new.yaml").write_text(yaml.safe_dump(entry({"kubernetes": "1.36"})))
    assert trainc("check", "gang.yaml").code == 1  # requires 1.35
    assert trainc("check", "gang.yaml", "--cluster", "new.yaml").code == 0


def test_jobs_belong_to_the_cluster_of_their_path(repository: Path) -> None:
    project(repository, ASSIGNED)
    err = fail("check", "--message-format", "concise")
    assert "TC3002" not in err  # the same objects, in two clusters
    assert [line.partition(":")[0] for line in err.splitlines() if "TC7002" in line] == ["b/job.yaml"]
    assert trainc("check", "--cluster", "big").code == 0
    project(repository, {})
    assert "TC3002" in trainc("check", "--message-format", "concise").err


def test_jobs_of_several_clusters_are_not_compiled_together(repository: Path) -> None:
    project(repository, ASSIGNED)
    done = trainc("compile")
    assert done.code == 2
    assert "the jobs belong to the clusters big, small" in done.err
    assert not done.out


def test_all_clusters_have_a_directory_each(repository: Path) -> None:
    project(repository, ASSIGNED)
    assert trainc("compile", "--cluster", "all", "-o", "out/").code == 0
    files = {str(file.relative_to(repository / "out")) for file in (repository / "out").rglob("*.yaml")}
    assert files == {"big/mnist.yaml", "small/mnist.yaml"}
    assert "kind: JobSet" in (repository / "out/small/mnist.yaml").read_text()
    assert trainc("compile", "--cluster", "all", "-o", "out/", "--check").code == 0
    (repository / "out/small/mnist.yaml").write_text("")
    assert trainc("compile", "--cluster", "all", "-o", "out/", "--check").code == 1


def test_nothing_is_written_if_a_job_does_not_compile_for_one_cluster(repository: Path) -> None:
    project(repository, {"old": {"spec": {"kubernetes": "1.30"}}, "new": {"spec": {"kubernetes": "1.36"}}}, jobs=["g"])
    write(repository / "g" / "job.yaml", build.job_text(scheduling={"gang": "kubernetes"}))
    assert "TC4004" in fail("compile", "--cluster", "all", "-o", "out/")
    assert not (repository / "out").exists()


def two_old_clusters(repository: Path) -> None:
    """Let a job compile for neither `old` nor `older`, and for `new`, with a warning about its image for each."""
    entries = {"new": "1.36", "old": "1.30", "older": "1.29"}
    project(repository, {name: {"spec": {"kubernetes": version}} for name, version in entries.items()}, jobs=["g"])
    (repository / "g").mkdir()
    job = build.job_text(scheduling={"gang": "kubernetes"}, image="image:latest")
    (repository / "g" / "job.yaml").write_text(job)


def test_diagnostics_for_all_clusters_are_one_document_with_their_names(repository: Path) -> None:
    two_old_clusters(repository)

    def written(form: str) -> str:
        return trainc("compile", "--cluster", "all", "-o", "out/", "--message-format", form).err

    messages = json.loads(written("json"))
    names = [each["cluster"] for each in messages if each["code"] == "TC4004"]
    assert names == ["old", "older"]
    assert {each["cluster"] for each in messages if each["code"] == "TC3088"} == {"new", "old", "older"}
    (run,) = json.loads(written("sarif"))["runs"]
    results = [each for each in run["results"] if each["ruleId"] == "TC4004"]
    assert [each["properties"]["cluster"] for each in results] == ["old", "older"]
    assert "cluster: older" in results[1]["message"]["text"]
    names = [case.get("name") for case in ElementTree.fromstring(written("junit")).iter("testcase")]
    assert [name.rpartition(" on ")[2] for name in names if name.startswith("TC4004")] == [
        "cluster old",
        "cluster older",
    ]
    assert written("github").count("cluster: older") == written("full").count("[TC4004]")


def test_a_document_for_all_clusters_is_one_also_if_manifests_are_written(repository: Path) -> None:
    project(repository, ASSIGNED)
    for form in ("json", "sarif"):
        json.loads(trainc("compile", "--cluster", "all", "-o", "out/", "--message-format", form).err)


def test_a_job_that_moves_to_another_cluster_starts_there_and_stays_in_the_first(repository: Path) -> None:
    """The manifests are the same, but `kubectl apply` to one cluster deletes nothing in the other."""
    entries = {name: {"jobs": [f"{name}/"], "spec": {}} for name in "ab"}
    project(repository, entries)
    shutil.rmtree(repository / "b")
    create_repository()
    (repository / "b").mkdir()
    (repository / "a" / "job.yaml").rename(repository / "b" / "job.yaml")
    done = trainc("diff", "--git", "HEAD", "a", "b")
    assert done.code == 1
    assert "mnist: is left running (Job, cluster a)" in done.out
    assert "mnist: starts (Job, cluster b)" in done.out
    document = json.loads(trainc("diff", "--git", "HEAD", "a", "b", "-f", "json").out)
    assert [(each["cluster"], each["training"]) for each in document] == [("a", "left running"), ("b", "starts")]
    assert trainc("diff", "--git", "HEAD", "a", "b", "--summary").out.startswith("1 of 1 job change")


@pytest.mark.parametrize("name", ["../b", "/etc/x", "a b", "a\nb", ".."])
def test_the_name_of_a_cluster_leads_to_no_other_directory(repository: Path, name: str) -> None:
    project(repository, {name: "big.yaml"})
    err = fail("compile", "a/job.yaml", "--cluster", "all", "-o", "out/", code=2)
    assert not (repository / "out").exists()
    assert "Traceback" not in err


def test_a_plan_has_the_nodes_for_each_requirement(repository: Path) -> None:
    nodes = [
        *BIG["nodes"],
        {"name": "spare", "allocatable": {"cpu": 2}, "taints": [{"key": "a", "effect": "NoExecute"}]},
    ]
    (repository / "big.yaml").write_text(yaml.safe_dump(entry({"nodes": nodes})))
    done = trainc("plan", "a/job.yaml", "--cluster", "big.yaml", "-f", "json")
    (plan,) = json.loads(done.out)
    (placement,) = plan["placement"]
    assert placement["removed"] == {
        "lacks 8 nvidia.com/gpu": 1,
        "lacks 32 CPUs": 1,
        "lacks 256Gi memory": 1,
        "has the taint a:NoExecute": 1,
    }
    assert (placement["count"], placement["nodes"], placement["fitting"], placement["least"]) == (4, 5, 4, 4)
    jsonschema.validate(json.loads(done.out), json.loads(read_text("schemas", "plan.json")))
    assert "5 nodes: 1 lacks 8 nvidia.com/gpu, 4 fit" in trainc("plan", "a/job.yaml", "--cluster", "big.yaml").out


@pytest.mark.parametrize(
    ("example", "unjudged"),
    [
        ("jax-tpu", ["whether TPUs are in one slice"]),
        ("nvlink-domain", ["claims of devices"]),
        ("volumes", ["zones of volumes"]),
        ("torchrun", None),
    ],
)
def test_a_plan_names_what_is_not_judged(repository: Path, example: str, unjudged: list[str] | None) -> None:
    command: list[str | Path] = ["plan", example_path(example), "--cluster", "big.yaml", "--kubernetes-version", "1.34"]
    document = json.loads(trainc(*command, "-f", "json").out)
    assert document[0].get("notJudged") == unjudged
    jsonschema.validate(document, json.loads(read_text("schemas", "plan.json")))
    text = " ".join(trainc(*command).out.split())
    assert ("not judged" in text) == (unjudged is not None)
    assert all(each in text for each in unjudged or ())


def test_manifests_are_planned_on_a_cluster(repository: Path) -> None:
    manifests = trainc("compile", "a/job.yaml").out
    done = trainc("plan", "--manifests", "-", "--cluster", "small.yaml", stdin=manifests)
    assert "none of 4 pods gets a node of cluster `test`" in " ".join(done.out.split())


INVALID = [
    "", "[", "kind: Cluster", "a: 1", "kind: TrainingJob\n", "--- 1\n--- 2\n",
    json.dumps(entry({"nodes": [{"name": "a", "allocatable": {"cpu": "x"}}]})),
    json.dumps(entry({"nodes": [{"name": "a", "count": 10**9, "allocatable": {}}]})),
    json.dumps(entry({"nodes": [{"name": "a", "count": 20000, "allocatable": {}}] * 3})),
    json.dumps(entry({"nodes": [{"name": "a", "racks": {"label": "r", "nodes": {"x": -1}}, "allocatable": {}}]})),
    json.dumps(entry({"nodes": 3})),
]  # fmt: skip


@pytest.mark.parametrize("text", INVALID, ids=range(len(INVALID)))
def test_an_invalid_entry_is_an_error_at_its_place(repository: Path, text: str) -> None:
    (repository / "wrong.yaml").write_text(text)
    for command in ("check", "compile", "plan"):
        done = trainc(command, "a/job.yaml", "--cluster", "wrong.yaml")
        assert done.code != 0
        assert "wrong.yaml" in done.err
        assert "TC9001" not in done.err
        assert not done.out


@pytest.mark.parametrize(("content", "field"), [({"backend": "job", "spec": {}}, "backend"), ({"nodes": []}, "nodes")])
def test_a_field_of_an_entry_outside_its_spec_is_one_mistake(
    repository: Path, content: dict[str, Any], field: str
) -> None:
    project(repository, {"east": content})
    done = trainc("check", "a/job.yaml", "--cluster", "east", "--message-format", "concise")
    message, total = done.err.splitlines()
    assert message.endswith(f"TC2002 unknown field `{field}` in `clusters.east`; help: write it in `spec`")
    assert total == "1 error"


def named(folder: Path, cluster: str, path: str = "a/job.yaml", **more: Any) -> None:
    """Write a job that names its cluster."""
    text = build.job_text(workers=4, launch={"torchrun": {}}, resources=RESOURCES, cluster=cluster, **more)
    (folder / path).write_text(text)


def test_a_job_names_its_cluster_and_the_option_overrides_it(repository: Path) -> None:
    project(repository, ASSIGNED)
    named(repository, "small")  # its path belongs to `big`
    for command in ("check", "plan"):
        done = trainc(command, "a/job.yaml")
        assert "of cluster `small`: 2 nodes: 2 lack 8 nvidia.com/gpu" in " ".join((done.out + done.err).split())
        done = trainc(command, "a/job.yaml", "--cluster", "big")
        assert "lack" not in done.out + done.err
    compiled = trainc("compile", "a/job.yaml").out
    assert "kind: JobSet" in compiled  # the back end of `small`
    assert "small" not in compiled
    assert compiled == trainc("compile", "a/job.yaml", "--cluster", "small.yaml").out
    assert "kind: Job\n" in trainc("compile", "a/job.yaml", "--cluster", "big").out


@pytest.mark.parametrize(("clusters", "help_"), [
    (ASSIGNED, "did you mean `small`?"),
    ({"moon": "big.yaml"}, "use one of moon"),
    ({}, "add it to `clusters` of trainc.yaml"),
])  # fmt: skip
def test_an_unknown_cluster_of_a_job_is_an_error(repository: Path, clusters: dict[str, Any], help_: str) -> None:
    project(repository, clusters)
    named(repository, "smal")
    for command in ("check", "compile", "plan"):
        done = trainc(command, "a/job.yaml")
        assert done.code == 1
        assert "error[TC7008]: the project file has no cluster `smal`" in done.err
        assert f"help: {help_}" in done.err
        assert not done.out


def test_the_cluster_of_a_path_has_the_versions_and_the_back_end(repository: Path) -> None:
    """Options override the entry, and the entry overrides the project file."""
    project(repository, ASSIGNED, backend="pytorchjob", versions={"kubernetes": "1.36"})
    assert "kind: PyTorchJob" in trainc("compile", "a/job.yaml").out
    assert "kind: JobSet" in trainc("compile", "b/job.yaml").out
    assert "kind: Job\n" in trainc("compile", "b/job.yaml", "-b", "job").out
    (repository / "b" / "job.yaml").write_text(build.job_text(scheduling={"gang": "kubernetes"}))
    for command in ("check", "compile"):  # requires 1.35; the entry has 1.30
        assert "TC4004" in trainc(command, "b/job.yaml", "-b", "job").err
        assert "TC4004" not in trainc(command, "b/job.yaml", "-b", "job", "--kubernetes-version", "1.36").err


def test_all_clusters_have_the_jobs_that_name_them(repository: Path) -> None:
    project(repository, {"big": "big.yaml", "small": "small.yaml"})
    named(repository, "big", metadata={"name": "large"})
    named(repository, "small", "b/job.yaml", metadata={"name": "little"})
    assert "the jobs belong to the clusters big, small" in trainc("compile").err
    assert trainc("compile", "--cluster", "all", "-o", "out/").code == 0
    files = {str(file.relative_to(repository / "out")) for file in (repository / "out").rglob("*.yaml")}
    assert files == {"big/large.yaml", "small/little.yaml"}


def test_a_resolved_job_compiles_without_the_project_file(repository: Path) -> None:
    project(repository, ASSIGNED)
    named(repository, "small")
    resolved = trainc("compile", "--resolved", "a/job.yaml").out
    options = resolved.splitlines()[0].removeprefix("# trainc compile ").replace("FILE", "-").split()
    assert options == ["--no-config", "--backend", "jobset", "--kubernetes-version", "1.30", "-"]
    assert "# --backend jobset: from small.yaml:6\n# --kubernetes-version 1.30: from small.yaml:7\n" in resolved
    assert trainc("compile", *options, stdin=resolved).out == trainc("compile", "a/job.yaml").out


def test_the_project_ignores_warnings_about_a_cluster(repository: Path) -> None:
    busy = {"nodes": [{**BIG["nodes"][0], "used": {"nvidia.com/gpu": 8}}]}
    (repository / "big.yaml").write_text(yaml.safe_dump(entry(busy)))
    project(repository, {"big": {"file": "big.yaml", "jobs": ["a/"]}})
    assert "warning[TC7002]" in trainc("check", "a/job.yaml").err
    project(repository, {"big": {"file": "big.yaml", "jobs": ["a/"]}}, jobs=["a"], ignores=IGNORED)
    for options in ([], ["a/job.yaml"], ["a/job.yaml", "--cluster", "big"]):
        assert trainc("check", *options) == (0, "", "")


def test_the_places_of_versions_are_those_of_the_cluster_that_applies(repository: Path) -> None:
    project(repository, ASSIGNED, backend="pytorchjob", versions={"kubernetes": "1.36"})
    places = ["--backend jobset           small.yaml:6", "--kubernetes-version 1.30  small.yaml:7"]
    for options in (["b/job.yaml"], ["a/job.yaml", "--cluster", "small"], ["a/job.yaml", "--cluster", "small.yaml"]):
        assert trainc("plan", *options).out.splitlines()[-2:] == places
    plan = trainc("plan", "a/job.yaml", "--cluster", "small.yaml", "--no-config", "--backend", "job").out
    assert plan.splitlines()[-1] == places[1]
    assert "small.yaml" not in trainc("plan", "b/job.yaml", "--cluster", "big").out  # whose entry states neither


@pytest.mark.parametrize("spec", [{"backend": "x"}, {"kubernetes": "1.99"}, {"versions": {"x": "1"}}])
def test_wrong_versions_of_an_entry_are_errors_at_their_place(repository: Path, spec: dict[str, Any]) -> None:
    (repository / "wrong.yaml").write_text(yaml.safe_dump(entry(spec)))
    project(
        repository, {"wrong": {"file": "wrong.yaml", "jobs": ["a/"]}, "gone": {"file": "gone.yaml", "jobs": ["b/"]}}
    )
    for command in ("check", "compile", "plan"):
        for options in ([], ["--cluster", "wrong"]):
            err = fail(command, "a/job.yaml", *options)
            assert "error[TC2005]" in err
            assert "wrong.yaml:" in err
        err = fail(command, "b/job.yaml")
        assert "gone.yaml: no such file or directory" in err
        assert "trainc.yaml:" in err


OLD_MPIJOB = {"group": "kubeflow.org", "kind": "MPIJob", "versions": ["v1"]}


@pytest.mark.parametrize(
    ("backend", "launch", "kinds", "help_"),
    [
        ("trainjob", {"torchrun": {}}, [], "install its operator, or use `--backend job`"),
        # Only MPIJob creates the keys of mpirun.
        ("mpijob", {"mpirun": {}}, [], "install its operator"),
        ("mpijob", {"mpirun": {}}, [OLD_MPIJOB], "update its operator"),
        ("mpijob", {"mpirun": {"sshSecret": "keys"}}, [], "install its operator, or use `--backend job`"),
    ],
)
def test_the_help_for_a_missing_kind_names_only_a_back_end_that_works(
    repository: Path, backend: str, launch: dict[str, Any], kinds: list[dict[str, Any]], help_: str
) -> None:
    (repository / "job.yaml").write_text(build.job_text(workers=2, launch=launch))
    (repository / "kinds.yaml").write_text(yaml.safe_dump(entry({"customResources": kinds})))
    command = ["check", "job.yaml", "--cluster", "kinds.yaml", "--message-format", "json", "--backend"]
    findings = [each for each in json.loads(trainc(*command, backend).out) if each["code"] == "TC7006"]
    assert {each["help"] for each in findings} == {help_}
    assert (trainc(*command, "job").code == 0) == ("job" in help_)


def test_the_help_selects_a_zone_whose_name_is_a_number(repository: Path) -> None:
    zone = "topology.kubernetes.io/zone"
    amounts = {"cpu": 94, "memory": "1Ti", "nvidia.com/gpu": 8}
    shape = {"name": "gpu", "racks": {"label": zone, "nodes": {"1": 4, "2": 2}}, "allocatable": amounts}
    (repository / "zones.yaml").write_text(yaml.safe_dump(entry({"nodes": [shape]})))
    command = ["check", "job.yaml", "--cluster", "zones.yaml", "--ignore", "TC3220", "--message-format", "json"]
    job: dict[str, Any] = {"workers": 4, "launch": {"torchrun": {}}, "resources": RESOURCES}
    (repository / "job.yaml").write_text(build.job_text(**job, scheduling={"topologyKey": zone}))
    (warning,) = json.loads(trainc(*command).out)
    field = warning["help"].split("`")[1].removeprefix("scheduling.")
    assert yaml.safe_load(field) == {"nodeSelector": {zone: "1"}}
    (repository / "job.yaml").write_text(
        build.job_text(**job, scheduling={"topologyKey": zone, **yaml.safe_load(field)})
    )
    assert json.loads(trainc(*command).out) == []


def test_the_diagnostics_of_all_clusters_are_below_their_names(repository: Path) -> None:
    (repository / "b" / "job.yaml").write_text(build.job_text({"name": "other"}, image="train:latest"))
    project(repository, {"one": {"spec": {}}, "two": {"spec": {"backend": "jobset"}}})
    command = ["compile", "b", "--cluster", "all", "-o", "out/", "--message-format"]
    lines = trainc(*command, "concise").err.splitlines()
    assert [line for line in lines if "TC3088" not in line] == ["cluster one:", "1 note", "cluster two:", "1 note"]
    assert [each["code"] for each in json.loads(trainc(*command, "json").err)] == ["TC3088", "TC3088"]
    assert trainc(*command, "concise", "--quiet").err == ""


def test_the_project_file_is_parsed_once_and_each_path_is_compared_once(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The costs of many clusters and many jobs add up, and do not multiply."""
    project(repository, {f"c{number}": {"file": "big.yaml", "jobs": ["b/*"]} for number in range(100)})
    (repository / "b" / "job.yaml").write_text(build.job_text({"name": "other"}))
    parse, compare = Mock(side_effect=load_document), Mock(side_effect=cluster_of)
    monkeypatch.setattr("trainc.project.load.load_document", parse)
    monkeypatch.setattr("trainc.project.projects.cluster_of", compare)
    for command in (["check"], ["plan", "a", "b"], ["list"], ["check", "--cluster", "c0"]):
        load._valid_tree.cache_clear()
        parse.reset_mock()
        compare.reset_mock()
        assert trainc(*command).code == 0
        assert parse.call_count == 1
        assert sorted(call.args[1] for call in compare.call_args_list) == ["a/job.yaml", "b/job.yaml"]


def test_a_project_has_at_most_1000_clusters(repository: Path) -> None:
    for count, code in ((1000, 0), (1001, 1)):
        project(repository, {f"c{number}": {"spec": {}} for number in range(count)})
        done = trainc("check", "a/job.yaml", "--message-format", "concise")
        assert done.code == code
    assert "trainc.yaml:6:1: TC2005 `clusters` has 1,001 entries, but at most 1,000 are possible" in done.err


@pytest.mark.parametrize(
    ("count", "filler", "is_parsed"), [(10_000, 100, False), (1000, 400, True), (1001, 400, False)]
)
def test_too_many_clusters_are_rejected_before_the_file_is_parsed(
    repository: Path, monkeypatch: pytest.MonkeyPatch, count: int, filler: int, is_parsed: bool
) -> None:
    head = f"apiVersion: {API_VERSION}\nkind: Project\njobs: [a]\n"
    entry = f"    # {'x' * filler}\n    spec:\n      nodes: [{{name: n, count: 1, allocatable: {{cpu: 8}}}}]\n"
    text = "".join(f"  c{number}:\n{entry}" for number in range(count))
    (repository / "trainc.yaml").write_text(f"{head}clusters:  # all\n{text}")
    parse = Mock(wraps=load_document)
    monkeypatch.setattr("trainc.project.load.load_document", parse)
    done = trainc("check", "a/job.yaml", "--message-format", "concise")
    assert parse.called == is_parsed
    if is_parsed:
        assert done.code == 0
    else:
        expected = f"trainc.yaml:4:1: TC2005 `clusters` has {count:,} entries, but at most 1,000 are possible"
        assert expected in done.err + done.out
