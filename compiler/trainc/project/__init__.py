"""Project file: what all jobs of a repository have in common. Imported only if there is one."""
