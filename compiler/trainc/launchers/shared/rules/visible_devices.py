"""GPUs that `CUDA_VISIBLE_DEVICES` hides from the processes of a pod."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Remedy, RuleContext, codes, error, remove, warning
from trainc.checks.shared.pod_processes import processes_per_pod
from trainc.checks.shared.program_command import program_launcher
from trainc.checks.shared.user_fields import gpu_count
from trainc.commandline.word import parse_int, words
from trainc.launchers.find_launchers import Call
from trainc.span import Span, span_of

TRIGGERS = ("names_visible_devices()",)

# https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/environment-variables.html,
# https://rocm.docs.amd.com/en/latest/conceptual/gpu-isolation.html
NAMES = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")


def check(context: RuleContext) -> Diagnostics:
    """Compare the list with the pod's GPUs, which CUDA numbers from 0, and with its processes.

    deepspeed sets the variable for each of its processes.
    """
    gpus, call = gpu_count(context), program_launcher(context)
    launcher = call.launcher if call is not None else context.spec.launch.traits.name
    if not gpus or launcher == "deepspeed":
        return
    for name, value, where, remedy in _lists(context):
        indices = [parse_int(word) for word in words(value.split(","))] if value.strip() else [-1]
        if None in indices:
            continue  # UUIDs, or unknown
        # The list ends at the first invalid index.
        numbers = [index for index in indices if index is not None]
        invalid = next((place for place, index in enumerate(numbers) if not 0 <= index < gpus), len(numbers))
        visible, processes = len(set(numbers[:invalid])), _processes(context, call)
        help_ = "remove it: a pod sees only its own GPUs"
        if invalid < len(numbers) and numbers[invalid] > 0:
            message = f"`{name}` names GPU {numbers[invalid]}, but the pod's {gpus} are numbered from 0"
            yield error(codes.VISIBLE_DEVICES, message, where, help=help_, remedy=remedy)
        elif 0 < visible < processes <= gpus:
            message = f"{processes} processes per pod, but `{name}` leaves {visible} of {gpus} GPUs"
            yield error(codes.VISIBLE_DEVICES, message, where, help=help_, remedy=remedy)
        elif visible < gpus:
            message = f"`{name}` hides {gpus - visible} of the pod's {gpus} GPUs"
            yield warning(codes.VISIBLE_DEVICES, message, where, help=help_, remedy=remedy)


def _processes(context: RuleContext, call: Call | None) -> int:
    """Return the processes of a pod that do not follow the visible GPUs, as those of `auto` do; 1 if unknown."""
    if call is None and context.in_own_system and not isinstance(context.spec.launch.requested_processes, int):
        return 1
    return processes_per_pod(context, call) or 1


def _lists(context: RuleContext) -> list[tuple[str, str, Span, Remedy | None]]:
    """Return the variables of the pod, and those that the program's own launcher has in a script."""
    lists: dict[str, tuple[str, str, Span, Remedy | None]] = {
        variable.name: (variable.name, variable.value, span_of(variable.value) or variable.span, remove(variable.span))
        for variable in context.pod.main.user_variables
        if variable.name in NAMES and variable.value is not None
    }
    call = program_launcher(context)
    for name in NAMES if call is not None else ():
        assert call is not None
        word = call.env.get(name)
        if word is not None and word.known and word.text != (lists[name][1] if name in lists else None):
            lists[name] = (name, word.text, word.span or context.program, None)
    return list(lists.values())
