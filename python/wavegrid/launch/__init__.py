"""How a calculation gets its ranks.

- `mpirun`: which launcher, which command line, which environment; `memory`: whether this machine has enough
- `start`: a whole run; `supervise`, `relay`: start the ranks, give them their job (`handout`), wait for them, pass
  signals and output on
- `request`: the options of a run, which the starting process passes to the ranks
- `leader`: rank 0 decides, others follow
- `rank_pool`, `serve`: ranks that stay alive for a session
"""
