"""`accelerate launch`, which programs start: its options, and the call of torchrun that it makes of them."""
