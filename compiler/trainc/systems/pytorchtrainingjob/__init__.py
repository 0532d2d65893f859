"""PyTorchTrainingJob of T9k, of which only the reader exists."""
