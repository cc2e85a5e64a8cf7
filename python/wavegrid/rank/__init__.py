"""What every rank of `wavegrid run` executes.

- `program`: the one that our launcher starts; `worker`: the calculation from the job to the end of MPI
- `rank_zero`: what rank 0 prints and writes; `products`: further parts of the result and further files
"""
