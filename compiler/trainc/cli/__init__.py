"""The command line: parse options, call the driver, print.

`commands/` has a module or a package for each command, which imports what it needs when it runs, and `writer/` writes
files. Modules beside them serve several commands.
"""
