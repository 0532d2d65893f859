"""launch.accelerate: command line, variables and configuration file of its pods, and what they are read back as."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from tests.support.build import TARGET, job_text, lower_job
from tests.support.command import trainc
from tools.accelerate_cases import FILE
from trainc.driver import run
from trainc.ir.env import FactArg, PodFact
from trainc.ir.job import Job
from trainc.span import Source

OPTIONS = {version: names.split() for version, names in json.loads(FILE.read_text("utf-8"))["options"].items()}
GPUS = {"resources": {"gpu": 8}}
ALWAYS = ["--mixed_precision=no", "--dynamo_backend=no", "--gpu_ids=all"]


def job(options: dict[str, Any] | None = None, **spec: Any) -> Job:
    return lower_job(launch={"accelerate": options or {}}, **spec)


def args(job: Job) -> list[str]:
    """Return the arguments, with the name of a variable for the worker's number."""
    program = job.pod.program
    assert program.command == ("accelerate", "launch")
    return [f"{each.before}$({each.variable})" if isinstance(each, FactArg) else each for each in program.args]


def env(job: Job) -> dict[str, Any]:
    return {each.name: each.value for each in job.pod.env}


def config(job: Job) -> Any:
    return yaml.safe_load(job.files.texts["config.yaml"]) if job.files is not None else None


def test_all_that_a_file_of_the_image_could_set_is_an_option() -> None:
    result = job(workers=2, **GPUS)
    world = ["--multi_gpu", "--num_processes=16", "--num_machines=2", "--machine_rank=$(NODE_RANK)"]
    endpoint = ["--main_process_ip=mnist-0", "--main_process_port=29500"]
    assert args(result) == [*world, *endpoint, *ALWAYS, "train.py"]
    assert env(result)["NODE_RANK"] is PodFact.INDEX
    assert config(result) is None


def test_a_single_worker_has_no_rank_and_no_address() -> None:
    result = args(job(**GPUS))
    world = ["--multi_gpu", "--num_processes=8", "--num_machines=1", "--main_process_port=29500"]
    assert result == [*world, *ALWAYS, "train.py"]


@pytest.mark.parametrize(
    ("options", "kind"), [({}, "MULTI_GPU"), ({"fsdp": {}}, "FSDP"), ({"deepspeed": {}}, "DEEPSPEED")]
)
def test_a_file_of_the_job_replaces_that_of_the_image(options: dict[str, Any], kind: str) -> None:
    """One process, whose --multi_gpu accelerate rejects, and options that the command line can't unset."""
    result = job(options, resources={"gpu": 1})
    assert config(result) == {"compute_environment": "LOCAL_MACHINE", "distributed_type": kind}
    assert args(result)[0] == "--config_file=/etc/trainc/accelerate/config.yaml"
    assert "--multi_gpu" not in args(result)


def test_fields_are_options_of_the_same_names() -> None:
    fsdp = {"version": 2, "offloadParams": True, "transformerLayerClsToWrap": ["A", "B"], "minNumParams": 100}
    options = {"mixedPrecision": "bf16", "fsdp": fsdp, "parallelism": {"dpShardSize": 16}, "otherArgs": ["--debug"]}
    assert args(job(options, workers=2, **GPUS, run={"module": ["pkg.train"]})) == [
        *("--config_file=/etc/trainc/accelerate/config.yaml", "--use_fsdp", "--use_parallelism_config"),
        *("--num_processes=16", "--num_machines=2", "--machine_rank=$(NODE_RANK)"),
        *("--main_process_ip=mnist-0", "--main_process_port=29500"),
        *("--mixed_precision=bf16", "--dynamo_backend=no", "--gpu_ids=all", "--fsdp_version=2"),
        *("--fsdp_offload_params=true", "--fsdp_transformer_layer_cls_to_wrap=A,B", "--fsdp_min_num_params=100"),
        *("--parallelism_config_dp_shard_size=16", "--debug", "--module", "pkg.train"),
    ]


def test_deepspeed_never_uses_pdsh() -> None:
    deepspeed = {"zeroStage": 3, "zero3InitFlag": False, "gradientClipping": 0.5, "configFile": "ds.json"}
    result = args(job({"deepspeed": deepspeed}, workers=2, **GPUS, run={"exec": ["./x"]}))
    assert result[1:3] == ["--use_deepspeed", "--deepspeed_multinode_launcher=standard"]
    own = ["--zero_stage=3", "--gradient_clipping=0.5", "--zero3_init_flag=false", "--deepspeed_config_file=ds.json"]
    assert result[-6:] == [*own, "--no_python", "./x"]


def test_an_elastic_job_has_torchruns_variables() -> None:
    result = job(elastic={"minReplicas": 2, "maxReplicas": 4}, **GPUS)
    variables = env(result)
    assert variables["PET_NNODES"] == "2:4"
    assert variables["PET_RDZV_ENDPOINT"] == "mnist-0:29400"
    assert variables["PET_RDZV_ID"] is PodFact.RUN
    assert {"--num_processes=8", "--main_process_port=0", "--rdzv_backend=c10d"} <= {*args(result)}
    assert not any(word.startswith(("--num_machines", "--machine_rank")) for word in args(result))
    # As trainc's torchrun: 10 restarts, and 288 where a controller scales the job.
    assert "--max_restarts=10" in args(result)


def test_restarts_need_the_rendezvous_c10d() -> None:
    result = job({"maxRestarts": 3}, workers=2, **GPUS)
    options = ["--rdzv_backend=c10d", "--rdzv_conf=read_timeout=300", "--max_restarts=3"]
    assert args(result)[6:9] == options
    assert args(result)[5] == "--main_process_port=29400"
    assert env(result)["PET_RDZV_ID"] is PodFact.RUN


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, "true"),
        ({"resources": {"gpu": 1}}, None),
        ({"resources": {"limits": {"example.com/npu": 1}}}, None),
        ({"env": {"ACCELERATE_USE_CPU": "false"}}, "false"),
        ({"podTemplate": {"spec": {"runtimeClassName": "nvidia"}}}, None),
    ],
)
def test_processes_without_gpus_are_told_so(spec: dict[str, Any], expected: str | None) -> None:
    assert env(job(workers=2, **spec)).get("ACCELERATE_USE_CPU") == expected


def test_the_content_of_a_configuration_file_is_kept() -> None:
    content = {
        "distributed_type": "FSDP",
        "fsdp_config": {"fsdp_version": 2, "fsdp_offload_params": False},
        "x": "a: b",
    }
    result = job({"configFile": content}, workers=2, **GPUS)
    assert config(result) == content
    assert not any(word.startswith(("--use_", "--multi_gpu", "--mixed", "--dynamo")) for word in args(result))


@pytest.mark.parametrize(
    ("options", "version"),
    [
        ({}, "1.0.1"),
        ({"deepspeed": {"zeroStage": 3}, "maxRestarts": 1}, "1.0.1"),
        ({"fsdp": {"shardingStrategy": "NO_SHARD"}}, "1.0.1"),
        ({"fsdp": {"version": 2}}, "1.6.0"),
        ({"fsdp": {"version": 2}, "parallelism": {"dpShardSize": 16}}, "1.12.0"),
    ],
)
def test_no_option_is_newer_than_the_fields(options: dict[str, Any], version: str) -> None:
    flags = {word.partition("=")[0] for word in args(job(options, workers=2, **GPUS)) if word.startswith("--")}
    assert flags <= {*OPTIONS[version]}


CONFIG = "distributed_type: FSDP\nrdzv_backend: c10d\nfsdp_config: {fsdp_version: 2}\n"
FOREIGN = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: conf}
data: {fsdp.yaml: CONFIG}
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          volumes: [{name: conf, configMap: {name: conf}}]
          containers:
          - name: pytorch
            image: train:1
            command: [accelerate, launch, --config_file=/conf/fsdp.yaml, --num_machines=2, --num_processes=4]
            args: [--machine_rank=$(RANK), --main_process_ip=$(MASTER_ADDR), train.py]
            volumeMounts: [{name: conf, mountPath: /conf}]
""".replace("CONFIG", json.dumps(CONFIG))


def test_a_config_map_of_the_input_is_read() -> None:
    diagnostics = run([Source("job.yaml", FOREIGN)], TARGET).diagnostics
    messages = [each.message for each in diagnostics if each.code.id == "TC3189"]
    assert messages == [
        "the configuration file's `rdzv_backend` never takes effect: accelerate reads it from the command line only"
    ]


@pytest.mark.parametrize("backend", ["job", "pytorchjob", "jobset", "pods", "statefulset", "trainjob"])
@pytest.mark.parametrize(
    "spec",
    [
        {"launch": {"accelerate": {"mixedPrecision": "bf16"}}, "workers": 2},
        {"launch": {"accelerate": {"configFile": yaml.safe_load(CONFIG)}}, "workers": 2},
        {"launch": {"accelerate": {"fsdp": {"version": 2, "stateDictType": "SHARDED_STATE_DICT"}, "maxRestarts": 2}}},
        {"launch": {"accelerate": {"nprocPerNode": 3}}, "elastic": {"minReplicas": 1, "maxReplicas": 2, "metrics": []}},
    ],
    ids=["plain", "file", "fsdp", "elastic"],
)
def test_manifests_are_read_back_as_the_job(spec: dict[str, Any], backend: str) -> None:
    compiled = trainc("compile", "-", "-q", "--backend", backend, stdin=job_text(**spec))
    again = trainc("import", "-", stdin=compiled.out)
    assert yaml.safe_load(again.out)["spec"]["launch"] == spec["launch"]
