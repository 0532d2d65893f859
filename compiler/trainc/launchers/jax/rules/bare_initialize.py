"""Programs that call jax.distributed.initialize without the number of processes and the process id.

https://github.com/jax-ml/jax/issues/12415: JAX reads neither from the environment, and exits with a ValueError.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.commandline.word import Places
from trainc.launchers.jax.initialize_calls import bare_calls
from trainc.launchers.jax.texts import program_texts
from trainc.launchers.jax.variables import PROCESS_ID, PROCESSES
from trainc.tpu import TPU

TRIGGERS = ("launch.jax",)

_VARIABLES = {"num_processes": PROCESSES, "process_id": PROCESS_ID}


def check(context: RuleContext) -> Diagnostics:
    """Check the texts of the program that the input has.

    A job with a service account may let JAX ask the API server: jax/_src/clusters/k8s_cluster.py. On TPUs JAX reads
    variables of GKE.
    """
    if context.job.account or TPU in context.pod.main.limits:
        return
    for program in program_texts(context):
        for call in bare_calls(program.text):
            line = program.text.count("\n", 0, call.start) + 1
            place = f" (line {line} of `{program.file}`)" if program.file else ""
            missing = " and ".join(f"`{name}`" for name in call.missing)
            where = None if program.file else Places(program.text, program.where).part(call.start, call.end)
            arguments = ", ".join(f'{name}=int(os.environ["{_VARIABLES[name]}"])' for name in call.missing)
            yield error(
                codes.BARE_INITIALIZE,
                f"jax.distributed.initialize fails without {missing}, which no variable passes to it{place}",
                where or program.where,
                help=f"pass `{arguments}`",
            )
