"""Options of `trainc schema`."""


def command() -> None:
    """Print the JSON Schema (draft-07) of job files, for editors."""
    from trainc.cli.streams import to_stdout
    from trainc.schema.bundle import bundled

    to_stdout(bundled())
