"""User of a container."""

from __future__ import annotations

from trainc.source.node import Mapping, Scalar, scalar_text


def other_than_root(container: Mapping, pod: Mapping) -> bool:
    """Return whether the security contexts of a container and its pod set a user other than root."""
    for security_context in (container, pod):  # the container's has precedence
        user = security_context.get("runAsUser")
        if isinstance(user, Scalar):
            return user.value != 0
    return any(scalar_text(security_context.get("runAsNonRoot")) == "true" for security_context in (container, pod))


def is_root(container: Mapping, pod: Mapping) -> bool:
    """Return whether the security contexts of a container and its pod set root."""
    users = [each.get("runAsUser") for each in (container, pod)]
    return next((user.value == 0 for user in users if isinstance(user, Scalar)), False)
