"""How a run gets its ranks and what each of them does.

- `mpirun`: which launcher, which command line, which environment
- `supervise`, `relay`: start the ranks, give them their job (`handout`), wait for them, pass signals and output on
- `request`, `job`: the options of a run and its data, which the starting process passes to the ranks
- `rank`, `worker`: what a rank executes; they import little, so that ranks start fast; `rank_zero`: what it prints
- `progress`: the display during a run
"""
