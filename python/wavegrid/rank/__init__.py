"""What every rank executes that this package starts.

- `program`: begins; `process`: MPI, and what an error on one rank does to the others
- `worker`: a run from the job to the end of MPI; `serve`: a session
- `rank_zero`: what rank 0 of a run prints and writes; `products`: further parts of the result and further files
"""
