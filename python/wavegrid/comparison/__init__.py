"""`wavegrid compare`: two results side by side, one of which may be that of another program.

- `calculation`: what is compared; `ours`, `espresso` and `abinit` read it from files, `read` chooses
- `differences`: the comparison; `show`: as tables
"""
