"""Fields of a configuration file of accelerate that never take effect, slow training down, or that accelerate rejects.

A field of the file replaces an option's value only if that is None: the defaults of these options are not (observed
with accelerate 1.15.0, for which a file with all of them changed nothing). `debug` is read in addition (observed with
1.0.1, 1.8.1 and 1.15.0): verify_operation of src/accelerate/utils/operations.py then runs before each collective.
https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/launch.py, _validate_launch_command
"""

from __future__ import annotations

from collections.abc import Callable

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, note, warning
from trainc.checks.shared.program_command import call_span, known_variables, program_launcher
from trainc.launchers.accelerate.config_file import KEYS, LOCAL, TYPES, WITHOUT_EFFECT, default_path
from trainc.launchers.accelerate.in_program import shipped_config
from trainc.launchers.accelerate.options import NAME
from trainc.launchers.accelerate.spec import Accelerate
from trainc.source.node import Mapping, plain, scalar_text
from trainc.span import Span

TRIGGERS = ("launch.accelerate", "starts_launcher()")

# Fields that the options of launch.accelerate always override.
_OF_TRAINC = ("machine_rank", "num_machines", "num_processes", "main_process_ip", "main_process_port", "gpu_ids")
_WITH_ONE_PROCESS = ("NO", "MULTI_CPU", "TP")


def check(context: RuleContext) -> Diagnostics:
    """Check the file that launch.accelerate names, or an accelerate in the program."""
    launch = context.spec.launch
    if isinstance(launch, Accelerate):
        if launch.config_content is not None:
            yield from _content(launch.config_content, None, True)
            yield from _processes(context, launch, launch.config_content, launch.config_content.where)
        elif launch.config_path is not None:
            config, where = shipped_config(context, launch.config_path), launch.where("configFile")
            if config is not None:
                yield from _content(config, where, True)
                yield from _processes(context, launch, config, lambda _: where)
        elif launch.fsdp is None and launch.deepspeed is None:  # else the job carries a file of its own
            config = shipped_config(context, _default_path(context))
            if config is not None:
                yield from _content(config, context.launch_key, True)
        return
    call = program_launcher(context)
    if call is not None and call.launcher == NAME:
        option = call.option("config_file")
        config = shipped_config(context, _default_path(context) if option is None else option.text)
        if config is not None:
            yield from _content(config, call_span(context, call, option), False)


def _default_path(context: RuleContext) -> str:
    variables = known_variables(context)

    def value(name: str) -> str | None:
        word = variables.get(name)
        return word.text if word is not None and word.known else None

    return default_path(value)


def _content(config: Mapping, where: Span | None, is_ours: bool) -> Diagnostics:
    """Check the fields, at their own positions unless the text is elsewhere."""
    prefix = "" if where is None else "the configuration file's "
    for key in config.entries:
        place = where or config.entries[key].key.span
        default = WITHOUT_EFFECT.get(key)
        if default is not None and scalar_text(config.get(key)).lower() not in ("", "no", default):
            message = f"{prefix}`{key}` never takes effect: accelerate reads it from the command line only"
            option = f"--{key}={scalar_text(config.get(key))}" if key == "rdzv_backend" else f"--{key}"
            help_: tuple[str | Message, ...] = (f"pass `{option}` to accelerate",)
            if is_ours and key == "rdzv_backend":
                help_ = (Message("set {launch.accelerate/maxRestarts}, which makes it c10d"), "remove it")
            elif is_ours:
                help_ = ("remove it", Message("set it in {launch.accelerate/otherArgs}"))
            yield warning(codes.ACCELERATE_CONFIG, message, place, help=help_)
        elif is_ours and key in _OF_TRAINC:
            message = f"{prefix}`{key}` has no effect: trainc sets it as an option"
            yield warning(codes.ACCELERATE_CONFIG, message, place, help="remove it")
        elif key not in KEYS:
            message = f"accelerate exits: {prefix or 'the configuration file has the '}unknown field `{key}`"
            yield error(codes.ACCELERATE_CONFIG, message, place, help="remove it")
    if plain(config).get("debug"):
        message = f"with {prefix}`debug: true` each collective operation first compares the tensors of all processes"
        place = where or config.entries["debug"].key.span
        yield note(codes.ACCELERATE_CONFIG, message, place, help="remove it once the program runs")
    environment = scalar_text(config.get("compute_environment"))
    if environment not in ("", LOCAL):
        message = f"accelerate trains in the pods only with `compute_environment: {LOCAL}`, not {environment}"
        place = where or config.where("compute_environment")
        yield error(codes.ACCELERATE_CONFIG, message, place, help=f"set it to {LOCAL}")
        return
    kind = scalar_text(config.get("distributed_type"))
    place = where or (config.where("distributed_type") if kind else config.span)
    if not kind:
        message = "accelerate exits: the configuration file has no `distributed_type`"
        yield error(codes.ACCELERATE_CONFIG, message, place, help="add `distributed_type: MULTI_GPU`")
    elif kind not in TYPES:
        message = f"accelerate exits: it has no `distributed_type: {kind}`"
        yield error(codes.ACCELERATE_CONFIG, message, place, help="set it to MULTI_GPU, FSDP or DEEPSPEED")


def _processes(context: RuleContext, launch: Accelerate, config: Mapping, place: Callable[[str], Span]) -> Diagnostics:
    """Report a type with which accelerate starts one process in each pod, without a rank."""
    kind, job = scalar_text(config.get("distributed_type")), context.job
    several = job.replicas.maximum > 1 or (job.launch.process_count or 1) > 1
    if several and kind in _WITH_ONE_PROCESS and launch.fsdp is None and launch.deepspeed is None:
        message = f"with `distributed_type: {kind}` accelerate starts one process in each pod, without a rank"
        yield error(codes.ACCELERATE_CONFIG, message, place("distributed_type"), help="set it to MULTI_GPU")
