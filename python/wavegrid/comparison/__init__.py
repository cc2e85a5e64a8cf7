"""`wavegrid compare`: two results side by side, one of which may be that of another program.

- `calculation`: what is compared; `ours`, `espresso` and `abinit` read it from files, `read` chooses
- `extract`, `numbers`: parts of the outputs of other programs, and their numbers, with file and line of what is damaged
- `symmetry`: which k-points are equivalent
- `differences`: the comparison; `show`: as tables
"""
