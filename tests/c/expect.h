/* Expectations of the tests of the C interface; failures are counted over all ranks. */
#ifndef EXPECT_H
#define EXPECT_H

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <wavegrid.h>

static int failures = 0;

static void note(int line, const char* what, const char* found) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "rank %d, line %d: %s: %s\n", rank, line, what, found);
  ++failures;
}

#define EXPECT(condition) \
  if (!(condition)) note(__LINE__, #condition, "is false")

#define EXPECT_OK(call) \
  if ((call) != WAVEGRID_OK) note(__LINE__, #call, wavegrid_last_error())

/* Bad input, with a message that contains `part`. */
#define EXPECT_BAD(call, part)                      \
  do {                                              \
    if ((call) != WAVEGRID_BAD_INPUT)               \
      note(__LINE__, #call, "is accepted");         \
    else if (!strstr(wavegrid_last_error(), part))  \
      note(__LINE__, #call, wavegrid_last_error()); \
  } while (0)

/* The same on all ranks, with the same message. */
#define EXPECT_BAD_ON_ALL(call, part)                                               \
  do {                                                                              \
    char message[1024], of_first[1024];                                             \
    EXPECT_BAD(call, part);                                                         \
    snprintf(message, sizeof message, "%s", wavegrid_last_error());                 \
    memcpy(of_first, message, sizeof message);                                      \
    MPI_Bcast(of_first, sizeof of_first, MPI_CHAR, 0, MPI_COMM_WORLD);              \
    if (strcmp(message, of_first) != 0) note(__LINE__, "another message", message); \
  } while (0)

/* Failures of all ranks together. */
static int all_failures(void) {
  int total = 0;
  MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return total;
}

#endif
