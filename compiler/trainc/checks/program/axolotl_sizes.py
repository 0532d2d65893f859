"""Sizes of axolotl's parallelism, in a configuration that the job ships, whose product does not divide the world.

_get_parallel_config_kwargs of axolotl/utils/distributed.py in axolotl 0.19.0 divides the world by each size in turn.
With a rest the product of accelerate's ParallelismConfig is not the world, and it raises a ValueError.
"""

from __future__ import annotations

import posixpath

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.checks.shared.pod_processes import processes_per_pod, product
from trainc.checks.shared.program_command import known_variables, program_command, program_launcher, shipped_text
from trainc.checks.shared.user_fields import workers
from trainc.commandline.word import Word, parse_count
from trainc.launchers.frameworks import started_frameworks
from trainc.source.load import load_mapping
from trainc.source.node import scalar_text

TRIGGERS = ("starts_axolotl()", "runs_shell_script()")

NAMES = {
    "tensor_parallel_size": "tensor",
    "context_parallel_size": "context",
    "expert_parallel_size": "expert",
    "dp_shard_size": "shards",
    "dp_replicate_size": "replicas",
}
_MODULE = "axolotl.cli.train"


def check(context: RuleContext) -> Diagnostics:
    """Check `axolotl train FILE`, and the module that a launcher starts."""
    replicas, processes = context.job.replicas, processes_per_pod(context, program_launcher(context))
    path = _config_path(context)
    if path is None or replicas.elastic or processes is None:
        return
    place = posixpath.normpath(posixpath.join(context.spec.working_dir or "", path.text))
    text = shipped_text(context, place) if place.startswith("/") else None
    config = load_mapping(place.rpartition("/")[2], text) if text is not None else None
    if config is None:
        return
    texts = {label: scalar_text(config.get(name)) for name, label in NAMES.items() if config.get(name)}
    sizes = [(label, size) for label, text in texts.items() if (size := parse_count(text)) is not None and size > 1]
    group, factors = product(sizes)
    world = replicas.maximum * processes
    if world % group:
        message = f"axolotl exits: the world of {world} is not divisible by {group} ({factors} in `{path.text}`)"
        where = path.span or context.spec.run.where(context.spec.run.kind)
        help_ = f"choose sizes whose product divides {world}"
        yield error(codes.PARALLEL_SIZES, message, where, help=help_, related=workers(context))


def _config_path(context: RuleContext) -> Word | None:
    argv = program_command(context).argv
    for start in started_frameworks(argv, known_variables(context)):
        if start.name == "axolotl train" and start.words:
            return _known_path(start.words[0])
    at = next((index for index, word in enumerate(argv) if word.text == _MODULE), len(argv))
    return _known_path(argv[at + 1]) if at + 1 < len(argv) else None


def _known_path(word: Word) -> Word | None:
    return word if word.known and not word.text.startswith("-") else None
