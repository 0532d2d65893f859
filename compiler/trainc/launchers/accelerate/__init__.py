"""Hugging Face Accelerate, which a program may start itself."""
