"""What each launcher makes of a container's command line and variables."""
