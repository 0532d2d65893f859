"""The command line: parse options, call the driver, print. Each command imports what it needs when it runs."""
