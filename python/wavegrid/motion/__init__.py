"""Tasks of many geometries: relaxation and molecular dynamics, by ASE's optimisers and integrators on our ranks.

Rank 0 runs ASE; every geometry that it asks for is solved by all ranks (`Leader` in `launch.in_process_ranks`). What
was solved is in the trajectory, from which an interrupted run continues.
"""
