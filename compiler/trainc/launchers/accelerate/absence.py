"""accelerate on the running workers while others are absent: torchrun's agents wait for them."""

from trainc.launchers.torchrun.absence import consequences

__all__ = ["consequences"]
