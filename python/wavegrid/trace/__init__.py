"""The timeline of a run (docs/trace.md): `timeline` writes it during `run --trace`, `summary` reads it for `trace`."""
