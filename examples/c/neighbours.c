/* From the adjacency list of a graph partitioner to a running exchange between neighbours, with the C interface. The
 * graph is a ring with a chord from each rank to the third one after it; every edge carries `count` numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <wavegrid.h>

enum { count = 4, most = 8 };

static void check(int status) {
  if (status == WAVEGRID_OK) return;
  fprintf(stderr, "%s\n", wavegrid_last_error());
  MPI_Abort(MPI_COMM_WORLD, status);
}

/* Edges (from, to) of an undirected graph without loops and double edges. */
static int make_edges(int ranks, int (*edges)[2]) {
  int n = 0;
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to) {
      const int distance = (to - from + ranks) % ranks;
      const int is_near = distance == 1 || distance == 3 % ranks || ranks - distance == 1 || ranks - distance == 3;
      if (from == to || !is_near) continue;
      edges[n][0] = from;
      edges[n++][1] = to;
    }
  return n;
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0, n = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int(*edges)[2] = malloc(sizeof(int[2]) * (size_t)(most * ranks));
  const int num_edges = make_edges(ranks, edges);
  double sent[most * count], received[most * count];
  wavegrid_run runs[most]; /* of `count` numbers, for each edge of this rank */
  wavegrid_plan* plan;
  wavegrid_exchange* exchange;

  for (int i = 0; i < num_edges; ++i)
    if (edges[i][0] == rank) runs[n] = (wavegrid_run){edges[i][1], n * count, count}, ++n;
  check(wavegrid_plan_from_runs(MPI_COMM_WORLD, runs, n, runs, n, "neighbor", 1, &plan));

  for (int i = 0; i < n * count; ++i) sent[i] = 1000 * rank + runs[i / count].partner + 0.1 * (i % count);
  check(wavegrid_exchange_start(plan, WAVEGRID_FORWARD, WAVEGRID_DOUBLE, sent, n * count, 1, received, n * count, 1, 1,
                                &exchange));
  /* computation goes here */
  check(wavegrid_exchange_wait(&exchange));

  int wrong = 0;
  for (int i = 0; i < n * count; ++i) wrong += received[i] != 1000 * runs[i / count].partner + rank + 0.1 * (i % count);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d edges, %d wrong numbers\n", num_edges, wrong);
  wavegrid_plan_destroy(&plan);
  free(edges);
  MPI_Finalize();
  return wrong != 0;
}
