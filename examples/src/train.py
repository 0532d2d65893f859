"""Training program of examples/files.yaml: fits a line with all processes."""

import json
import os
import struct
from pathlib import Path

import torch
import torch.distributed as dist

folder = Path(__file__).parent
settings = json.loads((folder / "conf" / "optimizer.json").read_text())
weight, bias = struct.unpack("<2f", (folder / "start.bin").read_bytes())
backend = "nccl" if torch.cuda.is_available() else "gloo"
dist.init_process_group(backend)
device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if backend == "nccl" else torch.device("cpu")
line = torch.nn.Linear(1, 1)
torch.nn.init.constant_(line.weight, weight)
torch.nn.init.constant_(line.bias, bias)
model = torch.nn.parallel.DistributedDataParallel(line.to(device))
optimizer = torch.optim.SGD(model.parameters(), lr=settings["learningRate"])
for _ in range(settings["steps"]):
    inputs = torch.rand(64, 1, device=device)
    loss = torch.nn.functional.mse_loss(model(inputs), 3 * inputs + 1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"rank {dist.get_rank()} of {dist.get_world_size()}: loss {loss.item():.4f}")
dist.destroy_process_group()
