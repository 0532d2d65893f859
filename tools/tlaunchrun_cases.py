"""Record how tlaunchrun itself parses command lines, for tests/unit/systems/tlaunchrun/tlaunchrun.json.

python3 tools/tlaunchrun_cases.py FOLDER      FOLDER: the unpacked wheel of `pip download --no-deps tlaunch==0.0.2`
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

FILE = Path(__file__).resolve().parents[1] / "tests/unit/systems/tlaunchrun/tlaunchrun.json"
CASES = """
basic train.py
--lpjob_name a --namespace b --image c --image_pull_policy Never basic --num_trainer 3 --set_share_file train.py --x 1
--gpu 4 --gpu_memory=10000 --gpu_cores 100 --set_save_path --set_checkpoint_path basic train.py
--gpu_m 1 --set_c basic --num 2 train.py
--gpu 1 --gpu 2 basic train.py --num_trainer 9
torchrun --nnodes 1:2 --nproc_per_node 4 train.py --save-model
torchrun --nn=4 --nproc 2 --rdzv_id 7 --rdzv_b static train.py --nnodes 3
torchrun train.py --gpu 8
deepspeed --num_nodes 2 --num_gpus 4 train.py --deepspeed --deepspeed_config ds.json
--gpu -1 basic train.py
--namespace "" basic train.py "a b"
--gpu
--gpu two basic train.py
--gpu 2.0 basic train.py
--gpu " 2" basic train.py
--foo basic train.py
--set basic train.py
--set_save_path=yes basic train.py
--image_pull_policy Sometimes basic train.py
horovod train.py
--lpjob_name --gpu basic train.py
basic --set_save_path train.py
torchrun --standalone train.py
torchrun --max_restarts 3 train.py
torchrun --rdzv 1 train.py
torchrun --nproc_per_node auto train.py
deepspeed --hostfile h train.py
deepspeed --num 2 train.py
""".strip().splitlines()


def parser(folder: Path) -> Any:
    """Return tlaunchrun's parse_args with a stub of launchpad, which is not installed."""
    sys.path.insert(0, str(folder))
    sys.modules["launchpad"] = ModuleType("launchpad")
    sys.modules["tlaunch.lp_k8s"] = package = ModuleType("tlaunch.lp_k8s")
    package.__path__ = [str(folder / "tlaunch/lp_k8s")]
    os.environ.pop("TPOD_NAMESPACE", None)
    return import_module("tlaunch.lp_k8s.runner.run").parse_args


def record(parse: Any, case: str) -> dict[str, Any]:
    """Return the options that a case is parsed to, or the error."""
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors):
            options = vars(parse(shlex.split(case)))
    except SystemExit:
        return {"case": case, "error": errors.getvalue().strip().splitlines()[-1].partition("error: ")[2]}
    launcher = options.pop("func").__name__
    if "--lpjob_name" not in case:
        options.pop("lpjob_name")
    return {"case": case, "launcher": launcher, "options": options}


def main() -> int:
    """Write the file."""
    parse = parser(Path(sys.argv[1]))
    records = [json.dumps(record(parse, case)) for case in CASES]
    FILE.write_text("[\n" + ",\n".join(f"  {line}" for line in records) + "\n]\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
