"""Inputs of other programs for a case of ours: the same cell, atoms, potentials, cutoff, grid, k-points, occupations.

- `case`: what the inputs need; `write`: the files of a program in a directory
- `espresso`, `abinit`: their inputs; `psp8`, `gth`, `upf`: pseudopotentials in the formats that they read
"""
