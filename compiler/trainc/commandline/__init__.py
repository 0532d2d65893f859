"""Command lines understood as the shell and the launchers themselves read them. What isn't certain is left out."""
