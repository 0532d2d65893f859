"""Behaviour of DeepSpeed's launchers: https://github.com/deepspeedai/DeepSpeed/tree/v0.19.8/deepspeed/launcher"""

from __future__ import annotations

from trainc.launchers.traits import Traits

TRAITS = Traits(name="deepspeed", processes_field="slotsPerWorker")
