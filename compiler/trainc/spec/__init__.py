"""The job as the user wrote it, typed and with its places; no default is applied here. A file a section."""
