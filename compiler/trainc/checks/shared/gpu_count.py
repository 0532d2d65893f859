"""Number of GPUs of the training container."""

from __future__ import annotations

from trainc.checks.rule import RuleContext
from trainc.quantity import NANO, nanos


def gpu_count(context: RuleContext) -> int:
    """Return the number of GPUs, or of shares of GPUs, that the training container requests."""
    main, gpu = context.pod.main, context.spec.resources.gpu
    counts = {**main.requests, **main.limits}
    names = [gpu.resource] if gpu is not None else [name for name in counts if name.endswith("/gpu") or "/mig-" in name]
    return max((nanos(counts[name]) // NANO for name in names if name in counts), default=0)
