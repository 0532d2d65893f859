"""torch.distributed.launch, which a program may start itself."""
