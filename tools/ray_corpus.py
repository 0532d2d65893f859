"""Record how Ray reads command lines as people write them, in tests/unit/launchers/ray_corpus.json.

    PYTHON -m tools.ray_corpus [--check]      PYTHON: the one of `make test-rehearsal`

The lines have the shapes of RayJobs, Slurm scripts and pods in public repositories; names and values are neutral. Ray's
own commands parse them, without starting anything. JAX has no command line: what `jax.distributed.initialize` takes of
arguments and environment is recorded by tools/jax_cases.py.
"""

from __future__ import annotations

import shlex
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from tools.recorded_cases import write_or_check

FILE = Path(__file__).resolve().parents[1] / "tests/unit/launchers/ray_corpus.json"
CASES = """
ray start --head
ray start --head --port=6379 --dashboard-host=0.0.0.0 --dashboard-port=8265 --num-gpus=8 --block
ray start --head --node-ip-address=10.0.0.1 --port=6379 --num-cpus 64 --num-gpus 8 --block --disable-usage-stats
ray start --head --include-dashboard=True --dashboard-host 0.0.0.0 --temp-dir=/tmp/ray --object-store-memory=200000000000
ray start --head --num-cpus=0 --num-gpus=0 --resources='{"head": 1}' --metrics-export-port=9000 --no-monitor
ray start --head --ray-client-server-port=10001 --node-manager-port=53001 --object-manager-port=53003 --min-worker-port=54001 --max-worker-port=54257
ray start --head --port=0 --labels=role=head --include-log-monitor=false
ray start --head --block --system-config='{"health_check_failure_threshold": 10}' -v
ray start --address=node-0:6379 --num-gpus=8 --block
ray start --address node-0:6379 --num-cpus=64 --num-gpus=8 --resources='{"worker_units": 8}' --block
ray start --address='10.0.0.1:6379' --block --verbose --object-store-memory 10000000000
ray start --block --address=node-0:6379 --dashboard-agent-listen-port=52365 --runtime-env-agent-port=53004 --node-name=a
ray start --address=node-0:6379 --redis-username=a --plasma-directory=/dev/shm
ray start --address=auto --labels='role=rollout,rack=a'
ray start --head --num-gpu=8
ray start --head --dashboard --block
ray start --head --num_gpus=8
ray start --head train.py
ray start --head --port
ray start --head --num-gpus=eight
ray start --head --include-dashboard
ray job submit -- python train.py --lr 1
ray job submit --address=http://127.0.0.1:8265 -- python3 -m verl.trainer.main_ppo trainer.nnodes=2 trainer.n_gpus_per_node=8
ray job submit --address="http://node-0:8265" --runtime-env-json='{"env_vars": {"A": "1"}}' -- python train.py --config a.yaml
ray job submit --runtime-env=env.yaml --working-dir=/src --no-wait -- bash run.sh
ray job submit --submission-id=run-1 --entrypoint-num-gpus=1 --entrypoint-num-cpus 4 -- python train.py
ray job submit --verbose --log-style=pretty --metadata-json='{"a": "b"}' python train.py
ray job submit --address http://node-0:8265 --entrypoint-resources='{"head": 1}' --no-wait python train.py -v --lr=1
ray job submit
ray job submit python train.py
ray job submit --working_dir=. -- python train.py
""".strip().splitlines()  # noqa: E501


def main() -> int:
    """Write the record; with --check return 1 if the installed Ray reads a line otherwise."""
    return write_or_check(FILE, {case: parsed(case) for case in CASES})


def parsed(case: str) -> dict[str, Any]:
    """Return the options of the line by their long names, with their values, and the entrypoint; or the error."""
    click, source = import_module("click"), import_module("click.core").ParameterSource
    words = shlex.split(case)
    is_start = words[1] == "start"
    start, submit = ("ray.scripts.scripts", "start"), ("ray.dashboard.modules.job.cli", "submit")
    module, name = start if is_start else submit
    command = getattr(import_module(module), name)
    try:
        context = command.make_context("ray", words[2 if is_start else 3 :])
    except click.ClickException as error:
        return {"error": type(error).__name__}
    options = {}
    for parameter in command.params:
        if context.get_parameter_source(parameter.name) is source.COMMANDLINE and isinstance(parameter, click.Option):
            name = max(parameter.opts, key=len).removeprefix("--")
            options[name] = True if parameter.is_flag else context.params[parameter.name]
    return {"options": options, **({} if is_start else {"entrypoint": list(context.params["entrypoint"])})}


if __name__ == "__main__":
    sys.exit(main())
