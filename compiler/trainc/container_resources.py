"""Requests and limits of a container that the API server rejects.

ValidateContainerResourceRequirements of
https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/core/validation/validation.go
"""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.finding import Finding, rejection
from trainc.quantity import NANO, is_quantity, nanos
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HUGE_PAGES = "hugepages-"
_STANDARD, _NATIVE = ("cpu", "memory", "ephemeral-storage"), "kubernetes.io/"
_UNITS = ("Ki", "Mi", "Gi", "Ti")


def resource_faults(requests: dict[str, str], limits: dict[str, str]) -> Iterator[Finding]:
    """Yield the faults, with paths below `resources`. Texts that are no quantities are left to the schema."""
    resources = (("limits", limits), ("requests", requests))
    for field, amounts in resources:
        for name, amount in amounts.items():
            is_plain = amount[:1] != "-" if name in _STANDARD else amount.isdecimal() and "/" in name
            if not is_plain and is_quantity(amount):
                yield from _impossible(name, amount, field)
    for name, request in requests.items():
        limit = limits.get(name)
        if limit is None:
            if not _is_overcommitted(name):
                message = f"`{name}` can't be overcommitted: the request of {request} requires an equal limit"
                help_, fix = "set only the limit: it is the request too", ("move", "..limits")
                yield rejection(message, "requests", name, help=help_, fix=fix, code=codes.REQUEST_OVER_LIMIT)
        elif request != limit and is_quantity(request) and is_quantity(limit):
            yield from _unequal(name, request, limit)
    pages = [(field, name) for field, amounts in resources for name in amounts if name.startswith(HUGE_PAGES)]
    if pages and not {"cpu", "memory"} & {*limits, *requests}:
        message = f"`{pages[0][1]}` requires a CPU or memory request"
        yield rejection(message, *pages[0], help="request memory, too", code=codes.IMPOSSIBLE_QUANTITY)


def is_device(name: str) -> bool:
    """Return whether a name is an extended resource: not IsNativeResource of pkg/apis/core/helper/helpers.go."""
    return name not in _STANDARD and not name.startswith(HUGE_PAGES) and _NATIVE not in name


def _is_overcommitted(name: str) -> bool:
    """Return whether pods may use more of a resource than they request: IsOvercommitAllowed of the same file."""
    return not is_device(name) and not name.startswith(HUGE_PAGES)


def _impossible(name: str, amount: str, field: str) -> Iterator[Finding]:
    size, page = nanos(amount), name.removeprefix(HUGE_PAGES)
    message, help_ = "", "set a whole number"
    if size < 0:
        message, help_ = f"`{name}` must not be negative", "set a positive number, or remove it"
    elif is_device(name) and size % NANO:
        message = f"`{name}` must be a whole number, not {amount}"
    elif page != name and page[:-2].isdecimal() and page.endswith(_UNITS) and size % (nanos(page) or size + 1):
        # IsHugePageResourceValueDivisible of the same file
        message, help_ = f"`{amount}` is not a multiple of the page size {page}", f"set a multiple of {page}"
    if message:
        yield rejection(message, field, name, help=help_, code=codes.IMPOSSIBLE_QUANTITY)


def _unequal(name: str, request: str, limit: str) -> Iterator[Finding]:
    fix = None
    if nanos(request) > nanos(limit):
        message = f"the {name} request of {request} exceeds the limit of {limit}"
        help_ = "reduce it, or raise the limit"
    elif nanos(request) != nanos(limit) and not _is_overcommitted(name):
        message = f"`{name}` can't be overcommitted: request {request} and limit {limit} must be equal"
        help_, fix = f"set it to {limit}, or the limit to {request}", ("set", limit)
    else:
        return
    related = ((("limits", name), "the limit"),)
    code = codes.REQUEST_OVER_LIMIT
    yield rejection(message, "requests", name, help=help_, fix=fix, related=related, code=code)
