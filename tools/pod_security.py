"""Write into docs/pod-security.md which examples can't be restricted, and why; --check only compares."""

from __future__ import annotations

import re
import sys

import trainc
from tests.support.examples import EXAMPLES, compiled, example_path
from tools.generated import ROOT, write

PAGE = ROOT / "docs" / "pod-security.md"
BLOCK = re.compile(r"(<!-- examples -->\n).*?(<!-- end -->)", re.DOTALL)
NATIVE = ("job", "pods", "statefulset")
CASES = [(example, backend) for example in EXAMPLES for backend in NATIVE if compiled(example, backend).ok]
USER = 1000


def compile_restricted(example: str, backend: str, namespace: str) -> trainc.Result:
    """Compile an example with `podSecurity: restricted` and a user."""
    file = example_path(example)
    fields = {"spec.podSecurity": "restricted", "spec.securityContext.runAsUser": str(USER)}
    return trainc.compile(
        file.read_bytes(),
        backend=backend,
        filename=file.name,
        kubernetes_version="1.36",
        namespace=namespace,
        overrides=fields,
    )


def table() -> str:
    """Return the table of examples that violate the standard."""
    reasons: dict[str, dict[str, None]] = {}
    for example, backend in CASES:
        for diagnostic in compile_restricted(example, backend, "any").diagnostics:
            if diagnostic.code.id == "TC3120":
                reasons.setdefault(example, {})[diagnostic.message.partition(" forbids ")[2]] = None
    rows = [f"| [{name}](../examples/{name}.yaml) | {', '.join(why)} |" for name, why in reasons.items()]
    return "\n".join(["| example | `podSecurity: restricted` forbids |", "|---|---|", *rows, ""])


def main() -> int:
    """Write the page, or with --check report whether it is up to date."""
    page = BLOCK.sub(lambda block: block[1] + table() + block[2], PAGE.read_text("utf-8"))
    return write({PAGE: page}, "tools.pod_security")


if __name__ == "__main__":
    sys.exit(main())
