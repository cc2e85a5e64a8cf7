"""How a run gets its ranks and what each of them does.

- `mpirun`: which launcher, which command line, which environment
- `supervise`: starts the ranks, waits for them, passes signals on
- `request`, `job`: the options of a run and its data, which the starting process passes to the ranks
- `rank`, `worker`: what a rank executes; they import little, so that ranks start fast
- `progress`: the display during a run
"""
