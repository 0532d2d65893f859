"""Rules about the program: its command line, image and variables."""
