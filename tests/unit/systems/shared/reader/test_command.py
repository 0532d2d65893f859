"""Translation of command lines to `launch` and `run`."""

from __future__ import annotations

from typing import Any

import pytest

from trainc.source.load import load
from trainc.source.node import Mapping
from trainc.span import Source
from trainc.systems.shared.reader.command import TranslatedCommand, translate_command
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import RANK_MARK, InjectedEnv
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.report import TranslationReport

MASTER = {"WORLD_SIZE": "2", "RANK": RANK_MARK, "MASTER_ADDR": "j-master-0", "MASTER_PORT": "23456"}
REPLACEMENTS = {"RANK": "$(PET_NODE_RANK)", "MASTER_ADDR": "$(PET_MASTER_ADDR)", "WORLD_SIZE": "2"}
# The training operator's environment of a Master and a Worker with 8 GPUs each.
FIXED = InjectedEnv(
    minimum=2,
    maximum=2,
    gpus=8,
    launcher_fields={"nprocPerNode": "auto", "rendezvous": {"backend": "static"}},
    hosts=("j-master-0",),
    port=23456,
    variables=MASTER,
    replacements=REPLACEMENTS,
)
ELASTIC = InjectedEnv(
    minimum=1,
    maximum=4,
    elastic=True,
    gpus=0,
    launcher_fields={"nprocPerNode": "auto", "maxRestarts": 3, "rendezvous": {"backend": "c10d"}},
    hosts=("j-worker-0",),
    port=23456,
)
WORKERS = InjectedEnv(minimum=2, maximum=2, gpus=8, launcher_fields={"nprocPerNode": "auto"})
TORCHELASTIC_MODULE = "torchelastic.distributed.launch"
TORCHELASTIC = f"python, -m, {TORCHELASTIC_MODULE}"
ETCD = {"id": "j", "endpoint": "e:1"}
SINGLE_POD = FIXED.replace(minimum=1, maximum=1)
NO_ARGUMENTS: dict[str, Any] = {"basic": {}}
STATIC = {"rendezvous": {"backend": "static"}}
OPERATOR_OPTIONS = (
    "--nnodes=$(WORLD_SIZE), --node_rank=$(RANK), --master_addr=$(MASTER_ADDR), --master_port=$(MASTER_PORT)"
)


def translate_container(
    world: InjectedEnv, command: str, args: str = "[]"
) -> tuple[TranslatedCommand, TranslationReport]:
    report = TranslationReport()
    [node], diagnostics = load(Source("job.yaml", f"{{command: {command}, args: {args}}}"))
    assert not diagnostics
    assert isinstance(node, Mapping)
    container = ForeignMapping(node, report)
    command_items, arguments = container.strings("command") or [], container.strings("args") or []
    pod = TranslatedPod(fields={}, command=command_items, args=arguments, patch={}, container=container, span=node.span)
    return translate_command(pod, world), report


@pytest.mark.parametrize(
    ("world", "command", "launch", "run"),
    [
        (FIXED, "[torchrun, train.py, -x]", {"torchrun": STATIC}, {"python": ["train.py", "-x"]}),
        (FIXED, f"[torchrun, {OPERATOR_OPTIONS}, -m, pkg, -x]", {"torchrun": STATIC}, {"module": ["pkg", "-x"]}),
        (FIXED, "[torchrun, --no-python, ./x]", {"torchrun": STATIC}, {"exec": ["./x"]}),
        (FIXED, "[/opt/conda/bin/torchrun, x.py]", {"torchrun": STATIC}, {"python": ["x.py"]}),
        (
            FIXED,
            "[python3, -m, torch.distributed.run, x.py]",
            {"torchrun": {"module": "torch.distributed.run", **STATIC}},
            {"python": ["x.py"]},
        ),
        (
            SINGLE_POD,
            f"[{TORCHELASTIC}, --standalone, --nnodes=1, --nproc_per_node=8, x.py, --a]",
            {"torchrun": {"module": TORCHELASTIC_MODULE}},
            {"python": ["x.py", "--a"]},
        ),
        (
            WORKERS,
            f"[{TORCHELASTIC}, --nnodes=2, --nproc_per_node=4, --rdzv_id=j, '--rdzv_endpoint=e:1', x]",
            {"torchrun": {"nprocPerNode": 4, "module": TORCHELASTIC_MODULE, "rendezvous": ETCD}},
            {"python": ["x"]},
        ),
        (
            WORKERS.replace(minimum=1, maximum=4),
            f"[{TORCHELASTIC}, '--nnodes=1:4', --rdzv_id=j, '--rdzv_endpoint=e:1', --max_restarts=0, -m, pkg]",
            {"torchrun": {"maxRestarts": 0, "module": TORCHELASTIC_MODULE, "rendezvous": ETCD}},
            {"module": ["pkg"]},
        ),
        (
            FIXED,
            "[python, -m, torch.distributed.launch, --use_env, --nproc_per_node, '4', x.py]",
            {"torchrun": {"nprocPerNode": 4, **STATIC}},
            {"python": ["x.py"]},
        ),
        (
            FIXED,
            "[torchrun, --rdzv_backend=c10d, '--rdzv_endpoint=$(MASTER_ADDR):29500', --rdzv_id, '7', x.py]",
            {"torchrun": {"rendezvous": {"id": "7", "port": 29500}}},
            {"python": ["x.py"]},
        ),
        (
            FIXED,
            "[torchrun, --rdzv_backend, etcd-v2, --rdzv_endpoint, 'etcd:2379', '--rdzv_conf=protocol=https', x.py]",
            {
                "torchrun": {
                    "rendezvous": {"backend": "etcd-v2", "endpoint": "etcd:2379", "conf": {"protocol": "https"}}
                }
            },
            {"python": ["x.py"]},
        ),
        (
            FIXED,
            "[torchrun, --tee=3, --monitor-interval, '5', '--local_ranks_filter=0,1', x.py]",
            {"torchrun": {"tee": 3, "monitorInterval": 5.0, "localRanksFilter": [0, 1], **STATIC}},
            {"python": ["x.py"]},
        ),
        (ELASTIC, "[torchrun, x.py]", {"torchrun": {"nprocPerNode": "auto", "maxRestarts": 3}}, {"python": ["x.py"]}),
        (
            ELASTIC,
            "[torchrun, '--nnodes=1:4', --nproc_per_node=2, --max_restarts=0, x.py]",
            {"torchrun": {"nprocPerNode": 2, "maxRestarts": 0}},
            {"python": ["x.py"]},
        ),
        (SINGLE_POD, "[torchrun, --standalone, --nproc_per_node=8, x.py]", {"torchrun": {}}, {"python": ["x.py"]}),
        (FIXED, "[python3, -u, x.py, a]", NO_ARGUMENTS, {"python": ["x.py", "a"]}),
        (FIXED, "[python3, -m, pkg]", NO_ARGUMENTS, {"module": ["pkg"]}),
        (FIXED, "[python, -O, x.py]", NO_ARGUMENTS, {"exec": ["python", "-O", "x.py"]}),
        (FIXED, "[/opt/venv/bin/python, x.py]", NO_ARGUMENTS, {"exec": ["/opt/venv/bin/python", "x.py"]}),
        (
            SINGLE_POD,
            "[deepspeed, --num_gpus=4, --no_local_rank, x.py]",
            {"deepspeed": {"slotsPerWorker": 4, "localRank": False}},
            {"python": ["x.py"]},
        ),
    ],
)
def test_a_launcher_is_removed_from_the_command_line(
    world: InjectedEnv, command: str, launch: dict[str, Any], run: dict[str, Any]
) -> None:
    result, report = translate_container(world, command)
    assert (result.launch, result.run) == (launch, run)
    assert report.diagnostics == []


@pytest.mark.parametrize(
    "text",
    [
        "torchrun --nproc_per_node 8 x.py --name 'a b'",
        "exec torchrun --nnodes=$WORLD_SIZE --node_rank ${RANK} --master_addr=\\\"$MASTER_ADDR\\\" x.py --name 'a b'",
        "torchrun \\\\\\n  x.py --name 'a b';\\n",
    ],
)
def test_a_shell_that_starts_only_a_launcher_is_removed(text: str) -> None:
    result, _ = translate_container(FIXED, f'[bash, -c, "{text}"]')
    assert result.launch == {"torchrun": STATIC}
    assert result.run == {"python": ["x.py", "--name", "a b"]}


@pytest.mark.parametrize(
    "text",
    [
        "cd /x && torchrun x.py",
        "torchrun x.py | tee log",
        "torchrun x.py --data $DATA",
        "torchrun x.py --rank $RANK",
        "torchrun x.py data/*.bin",
        "OMP_NUM_THREADS=4 torchrun x.py",
        "torchrun x.py $(cat args)",
        "torchrun x.py $$HOME",
        "pip install x; torchrun x.py",
    ],
)
def test_other_shell_scripts_are_kept(text: str) -> None:
    result, report = translate_container(FIXED, f"[bash, -c, '{text}']")
    assert result.launch == {"torchrun": {**STATIC, "wrap": False}}
    assert result.run == {"exec": ["bash", "-c", text]}
    assert [diagnostic.code.id for diagnostic in report.diagnostics] == ["TC5002"]


@pytest.mark.parametrize("words", ["python x.py", "python -u -m pkg", "/opt/venv/bin/python3 x.py", "python3 -O x.py"])
def test_a_python_that_trainc_would_not_start_is_kept(words: str) -> None:
    """In an image `python` can be the one of conda, and `python3` that of the distribution."""
    for command in (words.split(), ["sh", "-c", words]):
        assert translate_container(FIXED, str(command))[0].run == {"exec": words.split()}


def test_login_shells_are_kept() -> None:
    assert translate_container(FIXED, "[bash, -lc]", "[torchrun x.py]")[0].run == {
        "exec": ["bash", "-lc", "torchrun x.py"]
    }


@pytest.mark.parametrize(
    "command",
    [
        "[torchrun, --nnodes=3, x.py]",
        "[torchrun, --nnodes, $NODES, x.py]",
        "[torchrun, --node-rank=1, x.py]",
        "[torchrun, --rdzv_backend=c10d, '--rdzv_endpoint=localhost:0', x.py]",
        "[torchrun, --local-addr=10.0.0.1, x.py]",
        "[torchrun, --no-such-option, x.py]",
        "[/opt/venv/bin/torchrun, x.py]",
        "[python, -m, torch.distributed.launch, x.py]",
        "[neuron_parallel_compile, torchrun, x.py]",
    ],
)
def test_a_torchrun_with_unsupported_options_is_kept(command: str) -> None:
    result, _ = translate_container(FIXED, command)
    assert result.launch == {"torchrun": {**STATIC, "wrap": False}}
    assert list(result.run) == ["exec"]


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("[accelerate, launch, x.py]", ["accelerate", "launch", "x.py"]),
        ("[mpirun, -np, '2', x]", ["mpirun", "-np", "2", "x"]),
        ("[deepspeed, x.py]", ["deepspeed", "x.py"]),
        ("[bash, run.sh]", ["bash", "run.sh"]),
    ],
)
def test_other_launchers_and_scripts_get_plain_variables(command: str, program: list[str]) -> None:
    result, _ = translate_container(FIXED, command)
    assert (result.launch, result.run) == (NO_ARGUMENTS, {"exec": program})


def test_without_a_command_the_entrypoint_runs() -> None:
    result, _ = translate_container(FIXED, "[]", "[--backend, nccl]")
    assert (result.launch, result.run) == (NO_ARGUMENTS, {"entrypoint": ["--backend", "nccl"]})


def test_an_elastic_policy_implies_torchrun() -> None:
    result, _ = translate_container(ELASTIC, "[bash, run.sh]")
    assert result.launch == {"torchrun": {"nprocPerNode": "auto", "maxRestarts": 3, "wrap": False}}


def test_variables_of_the_other_system_are_set_from_trainc_s() -> None:
    result, _ = translate_container(FIXED, "[torchrun, x.py, --rank, $(RANK)]")
    assert result.run == {"python": ["x.py", "--rank", "$(RANK)"]}
    assert result.env == {"RANK": "$(PET_NODE_RANK)"}


def test_changes_to_a_launch_do_not_leak_into_the_next_job() -> None:
    first, _ = translate_container(FIXED, "[python, x.py]")
    first.launch["basic"] = {"port": 1}
    assert translate_container(FIXED, "[python, x.py]")[0].launch == NO_ARGUMENTS


def test_a_variable_of_the_static_rendezvous_keeps_the_command_line() -> None:
    options = "--rdzv_backend=c10d, '--rdzv_endpoint=$(MASTER_ADDR):29500'"
    result, _ = translate_container(FIXED, f"[torchrun, {options}, x.py, --rank, $(RANK)]")
    assert result.launch == {"torchrun": {"wrap": False, **STATIC}}
    assert result.env == {"MASTER_ADDR": "$(PET_MASTER_ADDR)", "RANK": "$(PET_NODE_RANK)"}


@pytest.mark.parametrize("launcher", ["accelerate, launch", "mpirun, -np, '2'", "deepspeed"])
def test_other_launchers_are_reported(launcher: str) -> None:
    _, report = translate_container(FIXED, f"[{launcher}, x.py]")
    assert [diagnostic.message.split()[0:2] for diagnostic in report.diagnostics] == [
        [launcher.partition(",")[0], "runs"]
    ]
