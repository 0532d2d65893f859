"""The commands: a file each, with its options; what it does is in trainc.cli."""
