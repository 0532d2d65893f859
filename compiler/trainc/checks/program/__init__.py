"""Rules about the program: its command line, own launcher, variables and secrets."""
