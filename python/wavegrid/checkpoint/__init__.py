"""Checkpoint files (docs/checkpoint.md) as the program sees them; the core writes and reads them in parallel."""
