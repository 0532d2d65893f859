"""Build hook: puts the compiled templates and the index of the rules into the wheel."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GeneratedModules(BuildHookInterface):  # type: ignore[type-arg]
    """Generates modules with the code that loads them later; at run time nothing is left to compile."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Generate before a wheel is built. An editable install generates in the checkout when it is needed."""
        if version == "editable":
            return
        compiler = Path(self.root, "compiler")
        sys.path.insert(0, str(compiler))
        from trainc.checks.rule_index import rule_folders
        from trainc.checks.rule_index_builder import build, write
        from trainc.emit.compiler import compile_templates

        self.folder = Path(tempfile.mkdtemp())
        compile_templates(str(Path(self.root, "templates")), str(self.folder / "templates"))
        build_data["force_include"][str(self.folder / "templates")] = "trainc/compiled_templates"
        package = str(compiler / "trainc")
        write(build(package, rule_folders(package)), [], str(self.folder / "compiled_rules.py"))
        build_data["force_include"][str(self.folder / "compiled_rules.py")] = "trainc/compiled_rules.py"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the generated modules once the wheel is written."""
        if version != "editable":
            shutil.rmtree(self.folder)
