"""Puts the templates into the wheel as Python: at run time nothing is left for Jinja to compile."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileTemplates(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles with the very environment that loads them later."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is built; an editable one reads the templates from the checkout."""
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root, "compiler")))
        from trainc.emit.compiler import compile_templates

        self.folder = tempfile.mkdtemp()
        compile_templates(str(Path(self.root, "templates")), self.folder)
        build_data["force_include"][self.folder] = "trainc/compiled_templates"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called when the wheel is there."""
        if version != "editable":
            shutil.rmtree(self.folder)
