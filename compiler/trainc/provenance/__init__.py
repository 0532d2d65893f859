"""Origins of a manifest's lines: fields of the job file, defaults and templates. docs/adr/0015-source-map.md"""
