"""Rules about the network between GPU nodes, and about devices by dynamic resource allocation."""
