"""torchrun, the launcher of torch.distributed."""
