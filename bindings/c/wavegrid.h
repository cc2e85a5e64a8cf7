/* The C interface of wavegrid: partitions of the plane-wave sphere, exchange plans, and the compact 3-D FFT.
 *
 * Every function returns a status (enum wavegrid_status, the same numbers as the program's exit codes) and throws
 * nothing; wavegrid_last_error() returns the error message. A function that makes a handle sets it to NULL on failure.
 *
 * Handles are opaque. A wavegrid_*_destroy function frees one and sets it to NULL; on NULL it does nothing. Handles
 * may be destroyed in any order: each one shares ownership of the objects from which it was made.
 *
 * "Collective" functions are called by all ranks of the communicator, in the same order, with the same values of the
 * arguments that are marked so. They compare their arguments first (one reduction of 24 bytes): if those of a rank are
 * wrong, or differ between ranks, all ranks return the same status and message, and no array is changed. The only
 * exception is a NULL handle or MPI_COMM_NULL: without a communicator, only that rank can report the error.
 * MPI must be initialised by the caller; plans and transforms, which have a communicator, must be destroyed before
 * MPI_Finalize.
 *
 * Units: bohr and Hartree. Indices and ranks count from 0, ranges are half-open. Array lengths are in elements, and an
 * array of length 0 may be NULL. Signs, normalisation, and orders of coefficients and grid points: docs/conventions.md.
 *
 * Local functions may be called by several threads at once if no handle that one of them changes is used by another.
 * Collective ones are called by one thread of a rank at a time.
 *
 * A communicator comes as MPI_Comm or, in the functions whose name ends in _f, as Fortran's integer handle.
 */
#ifndef WAVEGRID_H
#define WAVEGRID_H

#include <mpi.h>
#include <stdint.h>
#include <wavegrid_version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status, version ---- */

typedef enum wavegrid_status {
  WAVEGRID_OK = 0,
  WAVEGRID_BAD_INPUT = 2,   /* an argument is wrong */
  WAVEGRID_ENVIRONMENT = 3, /* a resource is missing, such as memory */
  WAVEGRID_INTERNAL = 4     /* an error of the library: please report it */
} wavegrid_status;

/* The message of this thread's last failed call, "" before the first. Valid until the thread's next failed call. */
const char* wavegrid_last_error(void);

/* The name of a status: "ok", "bad_input", "environment" or "internal", NULL for any other number. The same names are
 * those of the error kinds in C++ and, as wavegrid_bad_input, of the constants in Fortran. */
const char* wavegrid_status_name(int status);

/* The version of the library in use, such as "0.1.0"; that of this header is WAVEGRID_VERSION_MAJOR, _MINOR, _PATCH. */
const char* wavegrid_version(void);

/* ---- sphere ---- */

/* All integer G with |k+G|^2/2 <= cutoff; the same on all ranks. Local. */
typedef struct wavegrid_sphere wavegrid_sphere;

typedef enum wavegrid_mode {
  WAVEGRID_MODE_COMPLEX = 0, /* complex wave functions, the whole sphere */
  WAVEGRID_MODE_GAMMA = 1    /* real in space: one half of the sphere, k = 0 */
} wavegrid_mode;

/* The grid on which products of two wave functions fit: the smallest sizes with no prime factor above 7 and at least
 * 4 gmax + 1 points. Local.
 *   cell    (3, 3) lattice vectors as rows, bohr
 *   cutoff  Ha
 *   grid    out: (nx, ny, nz)
 * Bad input: coplanar vectors, a cutoff that is not positive. */
int wavegrid_default_grid(const double cell[9], double cutoff, int grid[3]);

/* Makes the sphere of a cutoff on an FFT grid. Local.
 *   cell, cutoff  as above
 *   grid          (nx, ny, nz)
 *   mode          one of wavegrid_mode
 *   k             in units of the reciprocal vectors; NULL: k = 0
 * Bad input: as above; a grid smaller than the sphere; WAVEGRID_MODE_GAMMA with k other than 0. */
int wavegrid_sphere_create(const double cell[9], double cutoff, const int grid[3], int mode, const double k[3],
                           wavegrid_sphere** sphere);
void wavegrid_sphere_destroy(wavegrid_sphere** sphere);

/* The number of plane waves in the sphere (in the half of it in Gamma mode). Local. */
int wavegrid_sphere_size(const wavegrid_sphere* sphere, int64_t* size);

/* ---- layout: a partition of the sphere ---- */

/* The assignment of sticks of plane waves to parts (ranks). It does not depend on a communicator. Local. */
typedef struct wavegrid_partition wavegrid_partition;

typedef struct wavegrid_statistics {
  int rows, columns;       /* process grid: part = row * columns + column */
  int64_t plane_waves;     /* of all parts */
  int64_t max_plane_waves; /* of the largest part */
  int64_t min_plane_waves; /* of the smallest */
} wavegrid_statistics;

/* Divides a sphere over `parts` parts, such as the ranks of a communicator. Local; the same result on all ranks.
 *   scheme  "greedy", "cyclic", "balanced", "optimized", or "auto": greedy or optimized by estimated cost
 * Bad input: an unknown scheme, parts < 1. */
int wavegrid_partition_create(const wavegrid_sphere* sphere, const char* scheme, int parts,
                              wavegrid_partition** partition);
void wavegrid_partition_destroy(wavegrid_partition** partition);

/* The name of the scheme (the one chosen for "auto"), and the reason for it. Valid as long as the partition; NULL for
 * a NULL partition. */
const char* wavegrid_partition_scheme(const wavegrid_partition* partition);
const char* wavegrid_partition_reason(const wavegrid_partition* partition);

/* Process grid and loads. Local. */
int wavegrid_partition_statistics(const wavegrid_partition* partition, wavegrid_statistics* statistics);

/* The number of plane waves of a part, 0 or more. Local. Bad input: `part` outside [0, parts). */
int wavegrid_partition_size(const wavegrid_partition* partition, int part, int64_t* size);

/* The plane waves of a part in the order of its coefficients. Local.
 *   g       out: (size, 3) integer G, gx gy gz of each
 *   length  of g, 3 * size
 * Bad input: `part` outside [0, parts), another length. */
int wavegrid_partition_g(const wavegrid_partition* partition, int part, int* g, int64_t length);

/* The kinetic energies |k+G|^2/2 of a part's plane waves, Ha, in the order of its coefficients. Local.
 *   kinetic  out: (size)
 *   length   of kinetic, size
 * Bad input: as above. */
int wavegrid_partition_kinetic(const wavegrid_partition* partition, int part, double* kinetic, int64_t length);

/* ---- elements ---- */

/* Types of array elements. Complex numbers are pairs (real, imaginary): double _Complex, std::complex<double>, ... */
typedef enum wavegrid_type {
  WAVEGRID_FLOAT = 0,
  WAVEGRID_DOUBLE = 1,
  WAVEGRID_COMPLEX_FLOAT = 2,
  WAVEGRID_COMPLEX_DOUBLE = 3,
  WAVEGRID_INT64 = 4 /* exchanges only */
} wavegrid_type;

/* ---- plan ---- */

/* Which elements each rank sends to which rank: a pattern between a source and a target array on every rank, made
 * once, run many times. Names of transports: "alltoallv", "alltoall_padded", "neighbor", "pairwise", "ring",
 * "one_sided", "one_sided_get", "shared". All give the same bits. The plans of one communicator share a duplicate of it
 * and their message buffers. */
typedef struct wavegrid_plan wavegrid_plan;

/* `length` consecutive local elements from `start` that go to, or come from, rank `partner`. */
typedef struct wavegrid_run {
  int partner;
  int64_t start, length;
} wavegrid_run;

/* Makes a plan from two layouts: each rank's element i of the source is global index source[i], and likewise for the
 * target. Every rank's target then receives each of its indices from the rank that owns it in the source. An index may
 * be requested by several ranks, several times, or not at all. Collective.
 *   source, target  global indices of this rank's elements in local order, 0 or more
 *   transport       the same on all ranks
 *   threads         pack and unpack, at least 1; more than 1 need MPI_Init_thread with MPI_THREAD_FUNNELED or more
 * Bad input, on all ranks: an index owned twice, requested but not owned, or negative; an unknown transport, or
 * different ones; an inter-communicator. MPI_COMM_NULL: on this rank. */
int wavegrid_plan_from_indices(MPI_Comm comm, const int64_t* source, int64_t source_length, const int64_t* target,
                               int64_t target_length, const char* transport, int threads, wavegrid_plan** plan);
int wavegrid_plan_from_indices_f(MPI_Fint comm, const int64_t* source, int64_t source_length, const int64_t* target,
                                 int64_t target_length, const char* transport, int threads, wavegrid_plan** plan);

/* Makes a plan from explicit runs. The elements for one partner are sent in the order of their runs; runs of different
 * partners may be mixed. A rank may send to itself. A target element should be in one run only. Collective.
 *   sends      runs of the source array
 *   receives   runs of the target array
 *   transport, threads  as above
 * Bad input, on all ranks: a partner that is no rank, a negative start or length; a sender and its receiver with
 * different numbers of elements; and as above. */
int wavegrid_plan_from_runs(MPI_Comm comm, const wavegrid_run* sends, int64_t num_sends, const wavegrid_run* receives,
                            int64_t num_receives, const char* transport, int threads, wavegrid_plan** plan);
int wavegrid_plan_from_runs_f(MPI_Fint comm, const wavegrid_run* sends, int64_t num_sends, const wavegrid_run* receives,
                              int64_t num_receives, const char* transport, int threads, wavegrid_plan** plan);

/* Collective. Exchanges in progress stay valid and can still be completed by wavegrid_exchange_wait. */
void wavegrid_plan_destroy(wavegrid_plan** plan);

/* Sets the transport of all following exchanges. Collective. */
int wavegrid_plan_use(wavegrid_plan* plan, const char* transport);

/* The present transport's name, NULL for a NULL plan. Local. */
const char* wavegrid_plan_transport(const wavegrid_plan* plan);

/* Elements of one band that this rank sends to others, and the number of messages. Local. */
int wavegrid_plan_sent(const wavegrid_plan* plan, int64_t* elements, int64_t* messages);

/* ---- run ---- */

/* An exchange in progress. */
typedef struct wavegrid_exchange wavegrid_exchange;

typedef enum wavegrid_direction {
  WAVEGRID_FORWARD = 0,  /* source to target */
  WAVEGRID_BACKWARD = 1, /* target to source */
  WAVEGRID_ADJOINT = 2   /* target added to source: partners in ascending order of rank, on every transport */
} wavegrid_direction;

/* Starts to exchange a block of bands (consecutive arrays of one layout). Neither array may be touched before
 * wavegrid_exchange_wait. Elements of the receiving array that are not in the plan are unchanged. Several
 * exchanges may be in progress at the same time; all ranks start and end those of all plans of one communicator in the
 * same order. Collective.
 *   direction, type, bands   the same on all ranks; of wavegrid_direction and wavegrid_type
 *   source             (bands, source_stride), of elements of `type`; read by forward, else written
 *   target             (bands, target_stride), likewise; written by forward, else read; must not overlap source; it
 *                      may be the same array if the plan reads and writes different elements
 *   source_length, target_length   elements of the arrays; at least (bands - 1) * stride + the end of the last run
 *   source_stride, target_stride   elements from band to band, at least 1; any number for a single band
 * Bad input, on all ranks: an array shorter than that or NULL, an unknown direction or type, different
 * directions, types or bands. */
int wavegrid_exchange_start(wavegrid_plan* plan, int direction, int type, void* source, int64_t source_length,
                            int64_t source_stride, void* target, int64_t target_length, int64_t target_stride,
                            int64_t bands, wavegrid_exchange** exchange);

/* Makes progress; `arrived` becomes 1 if all messages have arrived (wavegrid_exchange_wait unpacks them), else 0.
 * Local. */
int wavegrid_exchange_test(wavegrid_exchange* exchange, int* arrived);

/* Waits for the messages, unpacks them, and frees the exchange: the handle becomes NULL. Collective. */
int wavegrid_exchange_wait(wavegrid_exchange** exchange);

/* ---- SphereFft: the compact FFT ---- */

/* Transforms blocks of bands between a rank's plane waves and its block of the grid:
 *   backward  psi(r) = sum_G c(G) exp(+iG.r)          forward  c(G) = 1/N sum_r psi(r) exp(-iG.r),  N = nx ny nz
 * Coefficients psi_nG: (bands, plane waves of this rank), complex. Grid values f_nr: (bands, grid points of this rank),
 * stored as an array (my x, my y, nz) with z fastest; real in Gamma mode, complex otherwise. */
typedef struct wavegrid_fft wavegrid_fft;

/* One rank's block of the grid: all z; empty on ranks without planes. */
typedef struct wavegrid_grid_block {
  int64_t x_begin, x_end, y_begin, y_end, nz;
} wavegrid_grid_block;

/* Makes a transform on the ranks of a communicator; rank r has part r of the partition. Collective.
 *   partition  of as many parts as ranks, the same on all ranks
 *   precision  WAVEGRID_DOUBLE or WAVEGRID_FLOAT, the same on all ranks
 *   transport  as for plans, or "auto": wavegrid_fft_apply_local measures several in its first calls and keeps the
 *              fastest; the same on all ranks
 *   threads    at least 1
 * Bad input, on all ranks: another number of parts than ranks; partitions (or cells, cutoffs, grids), precisions or
 * transports that differ; an inter-communicator. MPI_COMM_NULL: on this rank. */
int wavegrid_fft_create(MPI_Comm comm, const wavegrid_partition* partition, int precision, const char* transport,
                        int threads, wavegrid_fft** fft);
int wavegrid_fft_create_f(MPI_Fint comm, const wavegrid_partition* partition, int precision, const char* transport,
                          int threads, wavegrid_fft** fft);
/* Collective. */
void wavegrid_fft_destroy(wavegrid_fft** fft);

/* Plane waves and grid points of this rank; a NULL pointer is skipped. Local. */
int wavegrid_fft_size(const wavegrid_fft* fft, int64_t* plane_waves, int64_t* grid_points);

/* The transport's name, and the reason for it: "auto" and "" before the choice is made, or if nothing is exchanged.
 * Valid until the next call of the same function; NULL for a NULL transform. Local. */
const char* wavegrid_fft_transport(wavegrid_fft* fft);
const char* wavegrid_fft_transport_reason(wavegrid_fft* fft);

/* This rank's block of the grid. Local. */
int wavegrid_fft_grid_block(const wavegrid_fft* fft, wavegrid_grid_block* block);

/* The four transforms below are collective; `bands` is the same on all ranks and may be 0. Each array's length must be
 * exactly its shape's; `type` is that of the caller's arrays and must match the transform's precision and mode.
 * Bad input, on all ranks: another length or type, different bands. */

/* psi -> values, backward.
 *   values_type  of `values`: real (Gamma mode) or complex, in the transform's precision
 *   psi          (bands, plane waves), complex
 *   values       out: (bands, grid points) */
int wavegrid_fft_to_real(wavegrid_fft* fft, int values_type, const void* psi, int64_t psi_length, void* values,
                         int64_t values_length, int64_t bands);

/* values -> psi, forward (with 1/N); coefficients outside the sphere are dropped. Arguments as above, psi out. */
int wavegrid_fft_to_recip(wavegrid_fft* fft, int values_type, const void* values, int64_t values_length, void* psi,
                          int64_t psi_length, int64_t bands);

/* The local part of one H application: out = forward(potential * backward(psi)).
 *   psi_type   WAVEGRID_COMPLEX_DOUBLE or WAVEGRID_COMPLEX_FLOAT, the transform's precision
 *   psi, out   (bands, plane waves); out may be psi
 *   potential  (grid points), real in the transform's precision; Ha for a result in Ha */
int wavegrid_fft_apply_local(wavegrid_fft* fft, int psi_type, const void* psi, int64_t psi_length,
                             const void* potential, int64_t potential_length, void* out, int64_t out_length,
                             int64_t bands);

/* density += sum_n weights[n] |psi_n(r)|^2: electrons per cell volume if the weights are electrons.
 *   psi_type  as above
 *   weights   (bands), double in either precision
 *   density   in and out: (grid points), double in either precision */
int wavegrid_fft_accumulate_density(wavegrid_fft* fft, int psi_type, const void* psi, int64_t psi_length,
                                    const double* weights, int64_t weights_length, double* density,
                                    int64_t density_length, int64_t bands);

#ifdef __cplusplus
}
#endif

#endif
