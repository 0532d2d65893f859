"""Launch of each worker, recognized from its container's command line and variables."""
