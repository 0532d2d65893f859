"""Launch commands of a shell, which no system runs: a person or a scheduler starts one on every node."""
