"""Commands: a module each, with its options; trainc.cli has the implementations."""
