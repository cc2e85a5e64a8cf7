"""Checkpoint files (docs/checkpoint.md): read, verified and exported with h5py; the C++ core writes them.

- `layout`: names, types and shapes of all datasets; `reader`: opens a file, `blocks`: its bulky data with checksums
- `summary`, `verify`, `export` (`espresso`, `unfold`): what `wavegrid checkpoint` does
- `restart`: whether a checkpoint fits a run that continues from it
"""
