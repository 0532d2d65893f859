"""Behavior of toyrun."""

from __future__ import annotations

from trainc.launchers.traits import Traits

TRAITS = Traits(name="toyrun", command="toyrun", processes_field="slots")
