"""The program without a launcher."""
