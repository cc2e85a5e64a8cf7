/* The C interface of wavegrid: partitions of the plane-wave sphere, exchange plans, halos, boxes, the compact 3-D FFT,
 * and eigensolvers on an operator of the caller.
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

/* A partition with a stick map of the caller. Local; the same on all ranks.
 *   owners  (ny * nz) the part of each stick, a line along x, at iz * ny + iy with iy and iz in FFT order (0, 1, ...,
 *           then the negative frequencies); -1 where the sphere has no plane waves
 *   length  of owners
 * Bad input: another length, a part outside [0, parts). */
int wavegrid_partition_from_sticks(const wavegrid_sphere* sphere, const int* owners, int64_t length, int parts,
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

/* Makes the plan of a halo: ghosts are filled in place, in an array of this rank's own points followed by its ghosts,
 * which is both source and target. Forward fills the ghosts from their owners; adjoint adds ghosts to their owners'
 * points. The points are those of a mesh, or the vertices of any graph. Collective.
 *   own                 global numbers of this rank's points in local order, 0 or more
 *   ghosts              global numbers of the points of other ranks (or periodic images of its own ones) that this
 *                       rank reads
 *   transport, threads  as above; "neighbor" sends one message per neighbour
 * Bad input, on all ranks: a ghost without an owner, a point with two; and as above. */
int wavegrid_plan_from_ghosts(MPI_Comm comm, const int64_t* own, int64_t num_own, const int64_t* ghosts,
                              int64_t num_ghosts, const char* transport, int threads, wavegrid_plan** plan);
int wavegrid_plan_from_ghosts_f(MPI_Fint comm, const int64_t* own, int64_t num_own, const int64_t* ghosts,
                                int64_t num_ghosts, const char* transport, int threads, wavegrid_plan** plan);

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
 *   source_stride, target_stride   elements from band to band, at least the length of a band: of the layout, or the
 *                                  end of the last run; any number for a single band
 * Bad input, on all ranks: an array shorter than that or NULL, a shorter stride, arrays that overlap, an unknown
 * direction or type, different directions, types or bands. */
int wavegrid_exchange_start(wavegrid_plan* plan, int direction, int type, void* source, int64_t source_length,
                            int64_t source_stride, void* target, int64_t target_length, int64_t target_stride,
                            int64_t bands, wavegrid_exchange** exchange);

/* The same for elements that are tuples of `width` consecutive numbers, at least 1, such as the components of a vector
 * or all states at a point; the same on all ranks. source is (bands, source_stride, width), target likewise; strides
 * count elements, lengths numbers. */
int wavegrid_exchange_start_tuples(wavegrid_plan* plan, int direction, int type, int64_t width, void* source,
                                   int64_t source_length, int64_t source_stride, void* target, int64_t target_length,
                                   int64_t target_stride, int64_t bands, wavegrid_exchange** exchange);

/* Start and wait for one band: source (elements, width), target (elements, width); for a halo twice the same array. */
int wavegrid_exchange_run(wavegrid_plan* plan, int direction, int type, int64_t width, void* source,
                          int64_t source_length, void* target, int64_t target_length);

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

/* The same for any list of G-vectors on each rank, in any order: coefficients psi are (bands, num_g) in the order of
 * this list. Where each line of G-vectors along x (all gx of a (gy, gz)) is in one rank's list, coefficients are
 * copied on this rank; else they are exchanged. Collective.
 *   grid   (nx, ny, nz)
 *   mode   wavegrid_mode; in Gamma mode either of G and -G, not both
 *   g      (num_g, 3) integer gx gy gz, in lists of this rank; 0 or more
 *   precision, transport, threads  as above
 * Bad input, on all ranks: G outside of the grid or in the lists twice; empty lists on all ranks; and as above. */
int wavegrid_fft_create_from_g(MPI_Comm comm, const int grid[3], int mode, const int* g, int64_t num_g, int precision,
                               const char* transport, int threads, wavegrid_fft** fft);
int wavegrid_fft_create_from_g_f(MPI_Fint comm, const int grid[3], int mode, const int* g, int64_t num_g, int precision,
                                 const char* transport, int threads, wavegrid_fft** fft);
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

/* ---- boxes: values between localised boxes and the grid of the cell ---- */

/* Boxes of grid points on each rank, anywhere on a periodic grid that is distributed over the ranks in any way. */
typedef struct wavegrid_boxes wavegrid_boxes;

/* The points begin[d] <= i < begin[d] + size[d]; begin may be any integers, size is at most that of the grid. Values of
 * a box are an array (size x, size y, size z), z fastest. number: among the boxes of all ranks, the order of additions
 * in deterministic mode, which needs different ones. */
typedef struct wavegrid_box {
  int begin[3], size[3];
  int64_t number;
} wavegrid_box;

/* Collective.
 *   grid           (nx, ny, nz), the same on all ranks
 *   points         this rank's points of the grid in local order, as (x * ny + y) * nz + z; 0 or more
 *   list           (num_boxes) this rank's boxes, 0 or more
 *   deterministic  not 0: sums do not depend on the number of ranks, bit for bit; the same on all ranks
 *   transport      "shared" (recommended) or another one of the plans', the same on all ranks
 *   threads        at least 1
 * Bad input, on all ranks: a box larger than the grid, a point that no rank or two ranks own; and as for plans. */
int wavegrid_boxes_create(MPI_Comm comm, const int grid[3], const int64_t* points, int64_t num_points,
                          const wavegrid_box* list, int64_t num_boxes, int deterministic, const char* transport,
                          int threads, wavegrid_boxes** boxes);
int wavegrid_boxes_create_f(MPI_Fint comm, const int grid[3], const int64_t* points, int64_t num_points,
                            const wavegrid_box* list, int64_t num_boxes, int deterministic, const char* transport,
                            int threads, wavegrid_boxes** boxes);
/* Collective. */
void wavegrid_boxes_destroy(wavegrid_boxes** boxes);

/* The points of this rank's boxes together. Local. */
int wavegrid_boxes_size(const wavegrid_boxes* boxes, int64_t* values);

/* Copies values of the grid into the boxes. Collective.
 *   type    of the numbers, not WAVEGRID_INT64; the same on all ranks
 *   grid    (fields, points of this rank)
 *   values  out: box after box, each (fields, points of the box)
 *   fields  the same on all ranks
 * Bad input, on all ranks: another length, types or fields that differ. */
int wavegrid_boxes_extract(wavegrid_boxes* boxes, int type, const void* grid, int64_t grid_length, void* values,
                           int64_t values_length, int64_t fields);

/* Adds the values of the boxes to the grid: grid += values. Collective; arguments as above. Bad input, on all ranks:
 * also a value that is not a number; the grid is then undefined. */
int wavegrid_boxes_deposit(wavegrid_boxes* boxes, int type, const void* values, int64_t values_length, void* grid,
                           int64_t grid_length, int64_t fields);

/* ---- eigensolvers on an operator of the caller ---- */

/* y = A x for a block of vectors: x and y are (vectors, rows of this rank), of the type of the call, and do not
 * overlap. All ranks call it with the same number of vectors, so that it may communicate. Returns 0, or another number
 * to end the call: all ranks then return bad input. */
typedef int (*wavegrid_operator)(void* context, int64_t rows, int64_t vectors, const void* x, void* y);

/* All fields may be 0 or NULL, which means the default. The same on all ranks, but for `diagonal`. */
typedef struct wavegrid_eigen_options {
  wavegrid_operator overlap;      /* y = S x, S Hermitian and positive definite; default: the unit matrix */
  wavegrid_operator precondition; /* y = K x, K positive definite and near the inverse of H - e; default: none */
  const double* diagonal;         /* (rows) of H, or an estimate, as a preconditioner where it varies much */
  double weight;                  /* of <x|y> = weight sum_i conj(x_i) y_i; default: 1 */
  const char* solver;             /* "chebyshev", "lobpcg", "davidson", "rmm-diis"; default: Chebyshev filters without a
                                     preconditioner or diagonal, else LOBPCG */
  double tolerance;               /* largest error of a value, relative to the range of the values; default: 1e-9 */
  int max_rounds;                 /* of the solver; default: 500 */
  int64_t num_start;              /* so many of `vectors` are given to start with; default: 0, a random start */
} wavegrid_eigen_options;

typedef struct wavegrid_eigen_report {
  int converged;        /* 0: the vectors are the best so far */
  int rounds;           /* of the solver */
  int64_t applications; /* of H to one vector */
  double error;         /* largest estimated error of the values, in the unit of H */
} wavegrid_eigen_report;

/* The `count` lowest eigenpairs of H x = e S x, where H is y = H x (`apply`), Hermitian. Rows of vectors are
 * distributed over the ranks in any way. A space of few dimensions is diagonalised whole. Collective. type
 * WAVEGRID_DOUBLE or WAVEGRID_COMPLEX_DOUBLE; the same on all ranks rows     of this rank, 0 or more apply, context  y
 * = H x; the context is passed to all functions options  NULL: all defaults count    the same on all ranks values out:
 * (count), rising, the same on all ranks vectors  out: (count, rows), <x|S|x> = 1; in: the first options->num_start
 *   vectors_length  count * rows
 *   report   out
 * Not to converge is no error: see the report. Bad input, on all ranks: a count above the number of all rows, a
 * function that does not return 0, another length, arguments that differ. */
int wavegrid_lowest_eigenpairs(MPI_Comm comm, int type, int64_t rows, wavegrid_operator apply, void* context,
                               const wavegrid_eigen_options* options, int64_t count, double* values, void* vectors,
                               int64_t vectors_length, wavegrid_eigen_report* report);
int wavegrid_lowest_eigenpairs_f(MPI_Fint comm, int type, int64_t rows, wavegrid_operator apply, void* context,
                                 const wavegrid_eigen_options* options, int64_t count, double* values, void* vectors,
                                 int64_t vectors_length, wavegrid_eigen_report* report);

#ifdef __cplusplus
}
#endif

#endif
