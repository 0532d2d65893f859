"""Programs of JAX on slices of TPUs: one process per host, which finds its place in the world without arguments.

https://github.com/jax-ml/jax/blob/jax-v0.10.2/jax/_src/clusters/cloud_tpu_cluster.py
"""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.commandline.word import Places
from trainc.launchers.jax.spec import Jax
from trainc.launchers.jax.texts import program_texts
from trainc.launchers.jax.variables import PROCESS_ID, PROCESSES

TRIGGERS = ("resources.tpu",)

_READS = re.compile(rf"""environ\[["']({PROCESSES}|{PROCESS_ID})["']\]""")


def check(context: RuleContext) -> Diagnostics:
    """Report several processes on a host, and texts of the program that require variables of other machines."""
    launch = context.spec.launch
    assert isinstance(launch, Jax)
    if launch.requested_processes > 1:
        message = f"{launch.requested_processes} processes per worker: on TPUs one process has all chips of its host"
        yield error(codes.JAX_ON_TPUS, message, launch.where("nprocPerNode"), help="remove it")
    for program in program_texts(context):
        if match := _READS.search(program.text):
            line = program.text.count("\n", 0, match.start()) + 1
            place = f" (line {line} of `{program.file}`)" if program.file else ""
            where = None if program.file else Places(program.text, program.where).part(match.start(), match.end())
            yield error(
                codes.JAX_ON_TPUS,
                f"`{match[1]}` is not set on TPUs, where JAX finds its place itself{place}",
                where or program.where,
                help="call `jax.distributed.initialize()`",
            )
