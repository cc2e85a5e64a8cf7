"""How a calculation gets its ranks.

- `ranks`: what runs, sessions and calculators know of them; `rank_pool`: ranks that mpirun starts for a session;
  `in_process_ranks`: those of this program, and of a run, where rank 0 decides
- `mpirun`: which launcher, which command line, which environment; `memory`: whether this machine has enough
- `rank_processes`: starts ranks, which find this process by `rank_socket`
- `start`: a whole run; `supervise`, `relay`: give the ranks their job (`handout`), wait for them, pass signals and
  output on; `request`: the options of a run, which the starting process passes to the ranks
"""
