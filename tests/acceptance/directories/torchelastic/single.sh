#!/bin/sh
python -m torchelastic.distributed.launch --standalone --nnodes=1 --nproc_per_node=4 train.py --epochs=3
