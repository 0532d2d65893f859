"""Loading of YAML text as trees of nodes with positions, independent of the job format."""
