"""Behaviour of launch.basic, which starts the program itself."""

from __future__ import annotations

from trainc.launchers.traits import Traits

TRAITS = Traits(name="basic", follows_gpus=False)
