"""Variables of a framework that the program of launch.basic starts once in each of several pods."""

from __future__ import annotations

from trainc.commandline.word import words
from trainc.ir.env import EnvVar, PodFact
from trainc.launchers.frameworks import GPUS, INDEX, NODES, WORLD, started_frameworks
from trainc.launchers.lowering import LaunchContext
from trainc.launchers.script_files import inline_script


def framework_env(context: LaunchContext) -> list[EnvVar]:
    """Return the variables, such as NNODES and NODE_RANK, without those that the job sets itself."""
    own = {variable.name for variable in context.env}
    gpus = context.job.resources.gpu_count
    values: dict[str, str | PodFact | None] = {
        NODES: str(context.nodes[1]),
        INDEX: PodFact.INDEX,
        GPUS: str(gpus) if gpus else None,
        WORLD: str(context.nodes[1] * max(1, gpus)),
    }
    env: dict[str, EnvVar] = {}
    argv = inline_script(words(context.job.run.words), context.job.working_dir, context.shipped_text)
    for start in started_frameworks(argv):
        for variable, kind in start.framework.variables.items():
            value = values.get(kind, kind)
            if variable not in own and value is not None:
                env[variable] = EnvVar(name=variable, value=value)
    return list(env.values())
