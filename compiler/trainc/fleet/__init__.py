"""Fleet: one row for each job of many files, with its size, bound, network and owner."""
