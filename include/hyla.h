/* hyla: dense linear algebra on 2^d MPI ranks seen as a Boolean cube.
 *
 * This is the public interface for programs that compute, one page per object, below.
 * For experiments (collectives on their own, programs on a virtual cube) there is
 * hyla_lab.h, which includes this header.
 *   status   what a call says of itself
 *   machine  what the choice between variants is made for
 *   cube     the ranks of a communicator as a Boolean cube
 *   layout   how the indices of a matrix lie on the cube
 *   matrix   a distributed matrix, or a view of one
 *   gallery  matrices of which something is known beforehand
 *   plan     an operation ready to run, what it costs and why it was chosen
 *   redistribute  from any layouts to any others, turned and scaled on the way
 *   scalapack arrays with a descriptor, as ScaLAPACK's programs have them
 *   gemm     multiplication, planned or in one call
 *   gemv     a matrix by a vector
 *   factor   factorization and the solution of linear systems
 *
 * Conventions.  Inputs come first and are const, outputs come last.  Indices
 * count from 0, global sizes are int64_t, local arrays are stored by columns.
 * "Collective" means: every rank of the cube's communicator makes the call,
 * with the same values for the arguments marked "global".  Every collective
 * call returns the same status on every rank, also when an argument is bad or
 * memory runs out on one rank only; that is why each takes the cube first.
 * "Local" calls may be made by any rank at any time.  A cube and its matrices
 * belong to one thread at a time.  Nothing is printed unless it is asked for.
 */
#ifndef HYLA_H
#define HYLA_H 1

#include <hyla_methods.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HYLA_API __attribute__((visibility("default")))
#else
#define HYLA_API
#endif

/* A number as arguments take it, for matrices of any type: C's double _Complex, also in C++,
 * where std::complex<double> has the same bytes and hyla.hpp passes it on. */
#ifdef __cplusplus
__extension__ typedef double _Complex hyla_scalar;
#else
typedef double _Complex hyla_scalar;
#endif

/* --------------------------------------------------------------- status -- */

/* Every status: name, text.  The list is the only place that knows them.
 * After COMMUNICATION, TIMEOUT or BROKEN a rank may be stopped or lost; then MPI_Finalize may
 * never return, and MPI_Abort ends the job. */
#define HYLA_STATUS_LIST(X)                                                                        \
  X(OK, "done")                                                                                    \
  X(ARGUMENT, "an argument is not acceptable")                                                     \
  X(MISMATCH, "the ranks do not agree on a global argument")                                       \
  X(MEMORY, "out of memory")                                                                       \
  X(UNSUPPORTED, "no variant applies")                                                             \
  X(SINGULAR, "the matrix is singular")                                                            \
  X(INDEFINITE, "the matrix is not positive definite")                                             \
  X(UNRELIABLE, "the solution cannot be trusted")                                                  \
  X(NOT_FINITE, "a NaN or an infinity was met")                                                    \
  X(FILE, "a file cannot be opened, read or written")                                              \
  X(FORMAT, "a file is damaged or of unknown format")                                              \
  X(COMMUNICATION, "MPI reported a failure")                                                       \
  X(TIMEOUT, "no progress within the time limit")                                                  \
  X(BROKEN, "the cube is broken by an earlier failure")                                            \
  X(DAMAGED, "a result is damaged: memory or a message has changed")

#define HYLA_STATUS_ENUM(name, text) HYLA_##name,
typedef enum hyla_status { HYLA_STATUS_LIST(HYLA_STATUS_ENUM) HYLA_STATUS_COUNT } hyla_status;
#undef HYLA_STATUS_ENUM

/* Local.  The name ("HYLA_SINGULAR") and the text of a status; static strings,
 * "unknown status" for any other number. */
HYLA_API const char *hyla_status_name(hyla_status status);
HYLA_API const char *hyla_status_text(hyla_status status);

/* The version of this header, for the preprocessor: three numbers, and one that grows
 * with every version, 10000 major + 100 minor + patch. */
#define HYLA_VERSION_MAJOR 0
#define HYLA_VERSION_MINOR 1
#define HYLA_VERSION_PATCH 0
#define HYLA_VERSION (10000 * HYLA_VERSION_MAJOR + 100 * HYLA_VERSION_MINOR + HYLA_VERSION_PATCH)

/* Local.  The version of the library as "major.minor.patch"; a static string. */
HYLA_API const char *hyla_version(void);

/* -------------------------------------------------------------- machine -- */

/* With one port a node sends one message and takes one at a time; with all
 * ports, one on each link. */
typedef enum hyla_ports { HYLA_ALL_PORTS, HYLA_ONE_PORT } hyla_ports;

/* How a message to a node at a distance travels: stored and forwarded, in the
 * time of all links together, or over a circuit, in the time of one. */
typedef enum hyla_switching { HYLA_STORE, HYLA_CIRCUIT } hyla_switching;

/* What joins the nodes: a switch, by which every node is as far from every other one, or the links
 * of a cube. */
typedef enum hyla_network { HYLA_NETWORK_SWITCH, HYLA_NETWORK_CUBE } hyla_network;

/* A machine as variants are chosen for it.  All times are in seconds:
 *   alpha  to start a message
 *   beta   of a byte of a message
 *   gamma  of an operation of a product of matrices, real and double; other types
 *          scale it
 *   delta  what each dimension of the cube adds to the start of a message
 *   rho    of a byte that moves inside a rank, from memory to memory, or that a product
 *          goes over: it takes the time of its operations or of its bytes, the longer one
 *   omega  of a barrier, for each dimension of the cube
 *   mu     of a byte that moves from memory to memory past the caches; 0: it is rho
 *   sigma  of an entry that is copied by itself, in a row of a matrix, which is stored by columns;
 *          0: that of its bytes
 *   share  how many ranks a core had when this was measured, 1 or more: where a cube's
 *          ranks share cores otherwise the times are changed for that; 0: never
 *   network, ports, switching  how messages meet where the machine is simulated, on virtual cubes
 *          (hyla_lab.h).  A switch is simulated as one port a node and circuits.  On real ranks
 *          what is predicted is reckoned from counts, without distances, whatever joins them
 * delta and omega are for circuit-switched machines (Nicol and Bokhari 1994); all but
 * alpha, beta and gamma may be 0. */
typedef struct hyla_machine {
  char name[64];
  double alpha;
  double beta;
  double gamma;
  double delta;
  double rho;
  double omega;
  double mu;
  double sigma;
  double share;
  hyla_network network;
  hyla_ports ports;
  hyla_switching switching;
} hyla_machine;

/* Local.  The i-th machine, from 0, that is known by its name: "default" (a rank a
 * core of the 2020s), "unit" (a start, a word of 8 bytes and an operation take a
 * second each, on a cube's links), "ipsc860" (Nicol and Bokhari 1994), "hypercube" (default's
 * times, all links of a cube at once), "cluster" (a rank a host, a switch between them), "node"
 * (ranks of one host, which share its memory).  Static; NULL beyond the last. */
HYLA_API const hyla_machine *hyla_machine_preset(int i);

/* ----------------------------------------------------------------- cube -- */

/* The largest cube has 2^HYLA_DIMS_MAX nodes. */
#define HYLA_DIMS_MAX 20

typedef struct hyla_cube hyla_cube;

/* What a cube is made with.  hyla_options_init gives the defaults; each
 * environment variable named here overrides the default, not a set value.
 *   variant   forced variants, "gemm:cannon,lu:partial"; NULL or "" picks.
 *             HYLA_VARIANT.  Not copied: must live until hyla_cube_create returns.
 *   collective  forced variants of the collectives that multiplications, solutions and
 *             others are made of, "broadcast=sw90-3a,allgather=b91", by the names that
 *             hyla_variant_name lists; NULL or "" picks.  HYLA_COLLECTIVE.  Not copied.
 *   machine   what variants are chosen for: the name of a preset or else a machine
 *             file, as `hyla machine` writes it; NULL or "": "default".  HYLA_MACHINE.
 *             Not copied.
 *   timeout   seconds without progress after which a call gives up with
 *             HYLA_TIMEOUT; 0 waits for ever.  HYLA_TIMEOUT, default 300.
 *   log_level 0 silent, 1 one line a call, 2 one line a step.  HYLA_LOG, default 0.
 *   threads   BLAS threads a rank; 0 means 1 when the cube has more than one
 *             rank, and BLAS' own choice otherwise.  HYLA_THREADS.
 *   memory    bytes of workspace, a factorization's factors and right-hand sides included,
 *             that a variant may take on a rank: those that take more are refused; 0: any.
 *             HYLA_MEMORY, which may end in k, M or G.
 *   measure   true: where variants may be chosen freely, the plan of a multiplication
 *             runs the few that are predicted to be the fastest, on the given factors and
 *             a result of its own, and takes the fastest.  The outcome is remembered
 *             for equal plans of this cube.  HYLA_MEASURE=1.
 *   wisdom    a file of such outcomes, which plans ask before they predict or measure
 *             and to which what is measured is added; without `measure' it must be
 *             there.  NULL or "": none.  HYLA_WISDOM.  Not copied.
 *   memory_kept  bytes of memory given back (of matrices and workspaces) that a rank keeps, at
 *             most, for the next ones of the same sizes: pages that are new take longer to get
 *             than many operations on them.  What is kept is given back before an allocation
 *             fails, by hyla_cube_drop_memory, and with the cube; 0 keeps none.
 *             HYLA_MEMORY_KEPT, as HYLA_MEMORY; default 256M.  Virtual cubes keep none.
 *   trace     a file that tells what each rank did and when, in the Trace Event Format, which
 *             viewers such as Perfetto read: written when the cube is destroyed, by
 *             hyla_cube_write_trace before.  A rank keeps 2^18 spans and messages, some 12 MB, and
 *             then no more; the file says how many were left out.  NULL or "": none.  HYLA_TRACE.
 *             Not copied.  Virtual cubes write none: hyla_simulation.observer.
 *   private_memory  true: matrices never lie in memory shared by the ranks of
 *             a node, all blocks travel as messages.  HYLA_PRIVATE=1.
 *   check_messages  true: each message, in pieces of 1 MiB, is followed by its number, a sum over
 *             its bytes and their CRC, which its receiver compares; one that was lost, doubled,
 *             damaged or overtaken is COMMUNICATION.  Costs a short message and two passes over the
 *             data a piece.  What is read in shared memory is not checked, nor is the first
 *             agreement of hyla_cube_create.  HYLA_CHECK_MESSAGES=1.
 *   check_results  true: products (hyla_gemm, syrk, herk, symm, hemm, trmm), and factorizations by
 *             HYLA_LU and HYLA_CHOLESKY but not inverses, are held against sums of rows that were
 *             taken of what they are made from (Huang and Abraham 1984): hyla_faults, below.  One
 *             wrong entry of a result is corrected; else the result is made once more, where what
 *             it is made from is there; else it is DAMAGED.  Takes vectors of all rows and columns
 *             on each node, and a pass over each matrix before and after; changes that are of the
 *             size of rounding are not seen.  HYLA_CHECK_RESULTS=1.
 *   reproducible  true: products (hyla_gemm and its like), hyla_trsm, solutions and factorizations
 *             by LU and Cholesky have the same bits on any number of ranks and however the matrices
 *             lie, on one kind of processor with one BLAS; the variants called fixed do that, which
 *             take longer.  BLAS has one thread a rank then, more are ARGUMENT; nothing else of the
 *             process may give it more.  An operation, method or refinement that has no such
 *             variant is UNSUPPORTED.  Norms, residuals, conditions, and sums of hyla_collective.h
 *             are not among these and may differ in their last bits.  Layouts that are asked for
 *             factors give way to those of the variants (hyla_factor_layout).
 *             HYLA_REPRODUCIBLE=1.
 *   checkpoint  a folder that all ranks see, for states: now and then a factorization by HYLA_LU
 *             (partial, tournament, fixed) or HYLA_CHOLESKY, but no inverse, writes down how far it
 *             has come, and one of the same matrix, on any number of ranks and in any layout, goes
 *             on from there: hyla_checkpoints, below.  NULL or "": none are written or looked for.
 *             HYLA_CHECKPOINT.  Copied.
 *   checkpoint_every  seconds from a factorization's begin, or its last state, to the next one.
 *             A state that took long is followed by 32 times as long without one, so that states
 *             take 3 % of the time; 0: one after each panel, whatever that takes.
 *             HYLA_CHECKPOINT_EVERY, default 600. */
typedef struct hyla_options {
  const char *variant;
  const char *collective;
  const char *machine;
  double timeout;
  int log_level;
  int threads;
  int64_t memory;
  const char *wisdom;
  bool measure;
  bool private_memory;
  int64_t memory_kept;
  const char *trace;
  bool check_messages;
  bool check_results;
  bool reproducible;
  const char *checkpoint;
  double checkpoint_every;
} hyla_options;

/* Local. */
HYLA_API void hyla_options_init(hyla_options *options);

/* Collective over comm.  Makes a cube of the first 2^d ranks, 2^d the largest
 * power of two not above the size of comm; the other ranks are guests, which
 * own no data and return the agreed status of every call.  options: NULL for
 * the defaults, global.  comm is duplicated; the caller keeps it.  The caller
 * owns *cube and destroys it after every object made from it.  After a failure
 * *cube is NULL or a cube that does nothing but keep hyla_cube_message, with address 0
 * on rank 0 of comm, which can tell it; it is destroyed like any other.
 * ARGUMENT (no communicator, cube is NULL, ranks started by another MPI's launcher),
 * MISMATCH, MEMORY, FILE and FORMAT (of the machine and of wisdom), COMMUNICATION (also where
 * MPI has no communicator left: some 2,000 cubes at a time), TIMEOUT.
 * MPI_Finalize ends the cube: collective calls that come after it return BROKEN, and local ones
 * do what they do before it. */
HYLA_API hyla_status hyla_cube_create(MPI_Comm comm, const hyla_options *options, hyla_cube **cube);

/* The same for other languages.  comm: the communicator's handle in Fortran (an `integer` of module
 * mpi, MPI_VAL of one of mpi_f08, py2f() of mpi4py); NULL: MPI_COMM_WORLD. */
HYLA_API hyla_status hyla_cube_create_f(const MPI_Fint *comm, const hyla_options *options,
                                        hyla_cube **cube);

/* Collective over comm, and needs no cube: have all ranks the same words?  A program that looks at
 * its command line and may end there asks before it does: a rank that ended alone would leave the
 * others waiting.  words: what the program was told, in one text, compared as a whole.  options:
 * only its timeout and log_level count; NULL for the defaults.  message: of a failure, in at most
 * `capacity` bytes with the 0 at its end, the same on all ranks where they could agree; untouched
 * where the status is OK; may be NULL with a capacity of 0.
 * OK; ARGUMENT (words is NULL, or other than rank 0's, with both in the message; and as
 * hyla_cube_create does), COMMUNICATION, TIMEOUT (not all ranks came). */
HYLA_API hyla_status hyla_words_agree(MPI_Comm comm, const hyla_options *options, const char *words,
                                      char *message, size_t capacity);

/* Collective over the cube's communicator.  Frees the cube and sets *cube to
 * NULL.  OK for NULL or for a pointer to NULL.  FILE, with the cube gone: the trace cannot be
 * written. */
HYLA_API hyla_status hyla_cube_destroy(hyla_cube **cube);

/* Collective.  Has every node room for `bytes` more, by the memory that its machine calls available
 * and by its process' limits?  For programs that take several matrices, and would rather not
 * fill the first where there is none for the last; what one call takes it asks for itself.  bytes:
 * this rank's, of all; small needs are not asked about.  Takes nothing.  ARGUMENT (bytes < 0),
 * MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_cube_afford(hyla_cube *cube, int64_t bytes);

/* Collective.  Writes the trace of hyla_options.trace, all that was kept since the cube was made,
 * under a temporary name that is changed when it is complete.  Clocks are those of rank 0; the
 * file says how wrong they may be.  ARGUMENT (no trace was asked for), FILE, MEMORY, COMMUNICATION,
 * TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_cube_write_trace(hyla_cube *cube);

/* Local.  d; the number of nodes 2^d; this rank's address, -1 on a guest; the
 * number of guests.  0, 0, -1, 0 for NULL. */
HYLA_API int hyla_cube_dims(const hyla_cube *cube);
HYLA_API int hyla_cube_nodes(const hyla_cube *cube);
HYLA_API int hyla_cube_address(const hyla_cube *cube);
HYLA_API int hyla_cube_guests(const hyla_cube *cube);

/* Local.  One line about the latest failed call: what, where, what to do; ""
 * when none failed.  The same on every rank after a collective call.  Owned by
 * the cube, overwritten by the next failure. */
HYLA_API const char *hyla_cube_message(const hyla_cube *cube);

/* What checks of results (hyla_options.check_results) have found on this cube: a bit of A, B, C or
 * of a factor that changed in memory or on the way while a plan or a factorization ran.
 *   checked    results that were held against their sums
 *   damaged    of these, those that did not fit
 *   corrected  of these, those that are right all the same: one entry was found to be wrong and
 * made from the rest of its row, or the result was made once more.  The call then is OK; of the
 * others it is DAMAGED text       of the last one that was damaged: what, where and what was done;
 * "" before */
typedef struct hyla_faults {
  int64_t checked, damaged, corrected;
  char text[256];
} hyla_faults;

/* Local.  The same on every rank after a collective call.  ARGUMENT for NULL. */
HYLA_API hyla_status hyla_cube_faults(const hyla_cube *cube, hyla_faults *faults);

/* What has become of states (hyla_options.checkpoint) on this cube.  A state is a file in the
 * folder, METHOD-TYPE-ROWSxCOLS-NUMBER.state, where the number, of 16 hexadecimal digits, is drawn
 * from the method and all entries that it reads: another matrix has another file, which is let be.
 * It takes as much of the disk as the matrix (of HYLA_CHOLESKY half), for a while twice: a new
 * state takes the place of the old one when it is complete and on the disk.  It goes when the
 * factors are there, or cannot be.  A rank takes memory for one more part of the matrix, unless a
 * rank's columns are whole.  A state that is damaged or cut off is FORMAT, and stays; one that
 * cannot be read, and a folder that cannot be written when a factorization begins, are FILE.  What
 * cannot be written later, as on a full disk, is counted here, and the factorization goes on.  What
 * is sent for states is in no prediction.
 *   written    states
 *   failed     attempts at one
 *   resumed    factorizations that went on from one
 *   column     at which the last of these did; 0 before
 *   others     states of other matrices of the same method, type and size that the last
 *              factorization found in the folder
 *   seconds    that states have taken to write, as the slowest rank saw it
 *   text       why the last attempt failed; "" before */
typedef struct hyla_checkpoints {
  int64_t written, failed, resumed, column, others;
  double seconds;
  char text[512];
} hyla_checkpoints;

/* Local.  The same on every rank after a collective call.  ARGUMENT for NULL. */
HYLA_API hyla_status hyla_cube_checkpoints(const hyla_cube *cube, hyla_checkpoints *checkpoints);

/* Local.  A text of "key: value" lines: nodes, guests, MPI and BLAS libraries,
 * threads, the machine, where blocks live (shared windows or private memory, and why), memory
 * that is kept.
 * Writes at most capacity bytes with the final 0; returns the length needed
 * without it. */
HYLA_API size_t hyla_cube_describe(const hyla_cube *cube, char *text, size_t capacity);

/* Local.  Bytes of memory given back that this rank keeps (hyla_options.memory_kept), 0 for NULL;
 * gives them to the system.  ARGUMENT for NULL. */
HYLA_API int64_t hyla_cube_kept_memory(const hyla_cube *cube);
HYLA_API hyla_status hyla_cube_drop_memory(hyla_cube *cube);

/* Local.  The machine that this cube's variants are chosen for, as it is on this cube:
 * alpha contains delta for its dimensions, delta is 0, and share is that of the cube.
 * ARGUMENT for NULL. */
HYLA_API hyla_status hyla_cube_machine(const hyla_cube *cube, hyla_machine *machine);

/* Collective.  The preset of that name or what a machine file says, which rank 0
 * reads.  text: global; "./NAME" is a file also where NAME is a preset.
 * ARGUMENT, MISMATCH, FILE, FORMAT (with file and line), COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_machine_read(hyla_cube *cube, const char *text, hyla_machine *machine);

/* Collective.  Rank 0 writes the machine file, under a temporary name that is changed
 * when it is complete.  path, machine: global.  ARGUMENT (also: a negative or not
 * finite time), MISMATCH, FILE, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_machine_write(hyla_cube *cube, const hyla_machine *machine,
                                        const char *path);

/* Seconds of one thing done several times. */
typedef struct hyla_spread {
  double median;
  double least;
  double most;
} hyla_spread;

/* What was measured, and the machine that follows from it.
 *   pingpong  a message of 8 bytes to a neighbour and back, halved, the other nodes idle
 *   exchange  all nodes swap 8 bytes with their neighbours, one dimension
 *   stream    the same with stream_bytes
 *   read      all nodes sum stream_bytes in a neighbour's memory; 0 where it cannot be read
 *   copy      all nodes copy stream_bytes that a neighbour has just written, or, where
 *             they cannot read it, of their own
 *   barrier   hyla_cube_barrier
 *   move      all nodes transpose move_bytes of their own from memory to memory
 *   rows      all nodes copy rows_entries of rows far apart, in a matrix of move_bytes, and back
 *   multiply  all nodes multiply matrices of multiply_size rows and columns, double
 * On one node exchange, stream and read are 0, and alpha and beta those of the
 * cube's machine. */
typedef struct hyla_measurement {
  hyla_machine machine;
  hyla_spread pingpong, exchange, stream, read, copy, barrier, multiply, move, rows;
  int64_t stream_bytes, move_bytes, rows_entries;
  int multiply_size;
  int repeat;
} hyla_measurement;

/* Collective.  Measures the machine that the cube runs on, each figure `repeat`
 * times (1 to 1000) after one that warms up; takes about `repeat` tenths of a second.
 * repeat: global.  ARGUMENT, MISMATCH, UNSUPPORTED (dry), MEMORY, COMMUNICATION,
 * TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_machine_measure(hyla_cube *cube, int repeat,
                                          hyla_measurement *measurement);

/* Local.  Seconds on this rank's clock, since a moment of the past; on a simulated cube
 * its virtual time.  0 for NULL. */
HYLA_API double hyla_cube_clock(const hyla_cube *cube);

/* Local, and the one call that another thread may make while a call runs.  Additions and
 * multiplications, real or complex, that this rank has done for the cube's calls, as
 * hyla_cost.flops counts them: beside those of a plan, how far its run is.  0 for NULL. */
HYLA_API int64_t hyla_cube_operations(const hyla_cube *cube);

/* Collective.  Returns once every rank has entered.  COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_cube_barrier(hyla_cube *cube);

/* What this rank sent since the cube was made or the ledger was cleared.
 * Per cube dimension: messages and bytes sent to the neighbour over it; `far`
 * counts messages to ranks that are no neighbours.  Agreement and barriers
 * are not counted: they carry no matrix data. */
typedef struct hyla_ledger {
  int dims;
  int64_t steps;
  int64_t messages[HYLA_DIMS_MAX];
  int64_t bytes[HYLA_DIMS_MAX];
  int64_t far_messages;
  int64_t far_bytes;
} hyla_ledger;

/* Local.  Copies the ledger out; sets it to zero. ARGUMENT for NULL. */
HYLA_API hyla_status hyla_cube_ledger(const hyla_cube *cube, hyla_ledger *ledger);
HYLA_API hyla_status hyla_cube_ledger_clear(hyla_cube *cube);

/* Collective.  Each of count values becomes, on every rank, the largest that any
 * node gave for it: the busiest node's counts, the slowest node's time.  Not
 * counted in the ledger.  count: global, from 0.  ARGUMENT, MISMATCH,
 * COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_cube_max(hyla_cube *cube, int64_t *values, int count);

/* --------------------------------------------------------------- layout -- */

/* An axis (rows or columns) of n indices lies on 2^dims parts.  Index i is in
 * block i / b and in part (i / b) mod 2^dims, where b is
 *   consecutive   ceil(n / 2^dims)
 *   cyclic        block (1 when block is 0)
 * Part q's bits, coded binary (q) or Gray (q ^ q >> 1), become the address
 * bits dim[0] (least significant) ... dim[dims-1]. (Johnsson 1987, 3.3)
 * Under Gray code the lowest `binary` bits of q may stay as they are and the
 * others alone be coded. (Varvarigos 1992)
 * An axis may lie on no dimensions (each node holds all of it) or on all, in any
 * order; no dimension serves both axes.  `rest` says what the dimensions that
 * serve neither mean:
 *   HYLA_REPLICATED  every node holds the part that its row and column bits name:
 *                    nodes that differ in the other bits hold copies
 *   HYLA_FACE        only the nodes whose other bits are all 0 hold anything */
typedef enum hyla_code { HYLA_BINARY, HYLA_GRAY } hyla_code;
typedef enum hyla_storage { HYLA_CONSECUTIVE, HYLA_CYCLIC } hyla_storage;
typedef enum hyla_rest { HYLA_REPLICATED, HYLA_FACE } hyla_rest;

typedef struct hyla_axis {
  int dims;
  uint8_t dim[HYLA_DIMS_MAX];
  hyla_code code;
  hyla_storage storage;
  int64_t block; /* of cyclic storage; 0 reads as 1; ignored for consecutive */
  int binary;    /* of Gray code: how many bits stay binary; ignored for binary */
} hyla_axis;

/* A plain struct: copy it freely.  Two say the same when hyla_layout_format writes
 * the same of both. */
typedef struct hyla_layout {
  hyla_axis row;
  hyla_axis col;
  hyla_rest rest; /* where no dimension is left over both values are the same */
} hyla_layout;

/* Local.  The layout that create uses for NULL of a rows x cols matrix: binary and
 * cyclic on the most nearly square array 2^r x 2^c with r <= c; columns take the low
 * dimensions.  The block of an axis of n indices is the largest of 64, 56, 48, 40, 32
 * with which none of 2^c parts holds over a hundredth more than n / 2^c, rounded up, or
 * else over two; if there is none, that from 32 to 64, or below where n / 2^c is, with
 * which the fullest part holds the least; of several the largest.  It depends on n and c
 * alone, not on which axis it is: factors of a product are cut alike along the index they
 * share.  ARGUMENT. */
HYLA_API hyla_status hyla_layout_default(const hyla_cube *cube, int64_t rows, int64_t cols,
                                         hyla_layout *layout);

/* Local.  Reads "code/storage[:block][@array]" for both axes, or
 * "code/storage[:block],code/storage[:block][@array]" for rows, columns; code is
 * binary, gray or binary-gray:B (the lowest B bits binary, the others Gray), storage
 * consecutive or cyclic.  array is
 *   RxC            powers of two, R C at most the nodes: the columns lie on the low
 *                  cube dimensions, the rows on the next; 1x8: columns alone are split
 *   [3,1]x[0]      the dimensions of the rows, of the columns, each from the one
 *                  that takes the part's highest bit to that of the lowest; [] is
 *                  none.  "4x2" is "[2,1]x[0]"
 *   ...:face       either, with HYLA_FACE: dimensions left over hold nothing;
 *                  without it they hold copies
 * by default as in hyla_layout_default.  ARGUMENT, with a message that points at the
 * offending word. */
HYLA_API hyla_status hyla_layout_parse(hyla_cube *cube, const char *text, hyla_layout *layout);

/* Local.  The text that hyla_layout_parse reads back, in the shortest form that has
 * an array.  Returns the length needed, as hyla_cube_describe does; no text is
 * longer than HYLA_LAYOUT_TEXT - 1. */
#define HYLA_LAYOUT_TEXT 160
HYLA_API size_t hyla_layout_format(const hyla_layout *layout, char *text, size_t capacity);

/* Local; of any cube that has the layout's dimensions.  The node that holds entry
 * (row, col) of a rows x cols matrix, of several copies the one whose other
 * address bits are 0; -1 outside the matrix and for a layout that is none. */
HYLA_API int hyla_layout_owner(const hyla_layout *layout, int64_t rows, int64_t cols, int64_t row,
                               int64_t col);

/* Local.  The parts of the rows and of the columns that a node holds; -1, -1 off
 * the face.  ARGUMENT (also: the node is negative). */
HYLA_API hyla_status hyla_layout_part(const hyla_layout *layout, int node, int *row_part,
                                      int *col_part);

/* --------------------------------------------------------------- matrix -- */

typedef enum hyla_type { HYLA_FLOAT, HYLA_DOUBLE, HYLA_COMPLEX, HYLA_DOUBLE_COMPLEX } hyla_type;

typedef struct hyla_matrix hyla_matrix;

/* Collective.  A matrix of zeros, rows x cols, any size from 0.  type, rows,
 * cols, layout: global; layout NULL: hyla_layout_default.  The local blocks
 * live in memory shared by the ranks of a node where it can be had.  The
 * caller owns *matrix.  ARGUMENT, MISMATCH, MEMORY. */
HYLA_API hyla_status hyla_matrix_create(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                                        const hyla_layout *layout, hyla_matrix **matrix);

/* Collective.  The same over the caller's array: this rank's local part by
 * columns, leading dimension ld >= max(1, local rows) (local arguments), which
 * must outlive the matrix.  How many rows and columns are local:
 * hyla_layout_local.  Arrays may be parts of one, and overlap: a call that writes a matrix refuses
 * another one that shares memory with it on any rank.  ARGUMENT, MISMATCH, MEMORY. */
HYLA_API hyla_status hyla_matrix_wrap(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                                      const hyla_layout *layout, void *local, int64_t ld,
                                      hyla_matrix **matrix);

/* Local.  Rows and columns that this rank holds of a rows x cols matrix; 0, 0 on
 * a guest, and on a node off the face of a layout on a face. */
HYLA_API hyla_status hyla_layout_local(const hyla_cube *cube, const hyla_layout *layout,
                                       int64_t rows, int64_t cols, int64_t *local_rows,
                                       int64_t *local_cols);

/* Local, but made by every rank alike.  Rows row ... row+rows-1, columns
 * col ... col+cols-1 of parent, which must outlive the view and shares its
 * entries.  The caller destroys it.  ARGUMENT, MEMORY. */
HYLA_API hyla_status hyla_matrix_view(hyla_matrix *parent, int64_t row, int64_t col, int64_t rows,
                                      int64_t cols, hyla_matrix **view);

/* Local.  Frees the matrix or view, sets *matrix to NULL; OK for NULL. */
HYLA_API hyla_status hyla_matrix_destroy(hyla_matrix **matrix);

/* Local.  For NULL: HYLA_DOUBLE, 0, 0, NULL, NULL. */
HYLA_API hyla_type hyla_matrix_type(const hyla_matrix *matrix);
HYLA_API int64_t hyla_matrix_rows(const hyla_matrix *matrix);
HYLA_API int64_t hyla_matrix_cols(const hyla_matrix *matrix);
HYLA_API const hyla_layout *hyla_matrix_layout(const hyla_matrix *matrix);
HYLA_API hyla_cube *hyla_matrix_cube(const hyla_matrix *matrix);

/* Local.  Lends this rank's part: local_rows x local_cols entries by columns
 * with leading dimension ld, valid until the matrix is destroyed.  Any output
 * may be NULL.  Where there are copies each node lends its own: who changes one
 * changes all alike.  ARGUMENT. */
HYLA_API hyla_status hyla_matrix_local(const hyla_matrix *matrix, void **local, int64_t *local_rows,
                                       int64_t *local_cols, int64_t *ld);

/* Local.  The global row (column) of local row (column) `local`; -1 outside. */
HYLA_API int64_t hyla_matrix_row(const hyla_matrix *matrix, int64_t local);
HYLA_API int64_t hyla_matrix_col(const hyla_matrix *matrix, int64_t local);

/* An entry as a function of its global indices; must be pure. */
typedef hyla_scalar hyla_entry(void *arg, int64_t row, int64_t col);

/* Collective.  Sets every entry to entry(arg, row, col), converted to the
 * matrix' type (the real part for real types).  ARGUMENT. */
HYLA_API hyla_status hyla_matrix_fill(hyla_cube *cube, hyla_matrix *matrix, hyla_entry *entry,
                                      void *arg);

/* What hyla_matrix_generate makes; more kinds are in the gallery below.  The same matrix for any
 * number of ranks and any layout.
 *   ZERO, ONES, IDENTITY
 *   RANDOM      entries uniform in (-1/2, 1/2), both parts for complex types
 *   HERMITIAN   RANDOM made Hermitian (symmetric for real types)
 *   DOMINANT    RANDOM with the number of rows added on the diagonal */
typedef enum hyla_generator {
  HYLA_ZERO,
  HYLA_ONES,
  HYLA_IDENTITY,
  HYLA_RANDOM,
  HYLA_HERMITIAN,
  HYLA_DOMINANT
} hyla_generator;

/* Collective.  generator, seed: global.  ARGUMENT (HERMITIAN of a rectangle), MISMATCH. */
HYLA_API hyla_status hyla_matrix_generate(hyla_cube *cube, hyla_matrix *matrix,
                                          hyla_generator generator, uint64_t seed);

/* Collective.  Sets, gets one entry; every rank gives, gets the same value.
 * row, col, value: global.  ARGUMENT, MISMATCH. */
HYLA_API hyla_status hyla_matrix_set(hyla_cube *cube, hyla_matrix *matrix, int64_t row, int64_t col,
                                     hyla_scalar value);
HYLA_API hyla_status hyla_matrix_get(hyla_cube *cube, const hyla_matrix *matrix, int64_t row,
                                     int64_t col, hyla_scalar *value);

/* Collective.  to := from, of equal type and size, any two layouts.  Allocates
 * lists of the local rows and columns and, for blocks that cannot be read in
 * place, one packing buffer for the two messages of a pair of ranks.
 * ARGUMENT (also: views of one matrix, or arrays, that overlap), MEMORY. */
HYLA_API hyla_status hyla_matrix_copy(hyla_cube *cube, const hyla_matrix *from, hyla_matrix *to);

/* Collective.  The whole matrix in the caller's array, by columns with leading dimension ld >=
 * max(1, rows): rest HYLA_FACE on node 0 alone, which is rank 0 of the cube's communicator;
 * HYLA_REPLICATED on every node.  Where nothing is brought, as on guests, array and ld are not
 * looked at.  scatter: the other way, from node 0's array.  Both take what hyla_matrix_copy takes.
 * rest: global.  ARGUMENT, MISMATCH, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_matrix_gather(hyla_cube *cube, const hyla_matrix *from, hyla_rest rest,
                                        void *array, int64_t ld);
HYLA_API hyla_status hyla_matrix_scatter(hyla_cube *cube, const void *array, int64_t ld,
                                         hyla_matrix *to);

/* Collective.  to := from, of equal size, any two types and layouts, which may differ.  Each
 * number is rounded to nearest; what is too large becomes an infinity, what is too small a
 * subnormal number or zero, a NaN a NaN.  From a real type the imaginary parts are 0.  From a
 * complex to a real type is ARGUMENT, since the imaginary parts would be lost without a word:
 * hyla_matrix_real and hyla_matrix_imag give the real and the imaginary parts, of any types
 * to any types (of a real type: the numbers, zeros).  from and to share no entries.  What
 * travels is of the smaller type; where the layouts differ the memory of one more matrix of
 * that type is taken, and that of a redistribution.
 * ARGUMENT, MISMATCH, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_matrix_convert(hyla_cube *cube, const hyla_matrix *from, hyla_matrix *to);
HYLA_API hyla_status hyla_matrix_real(hyla_cube *cube, const hyla_matrix *from, hyla_matrix *to);
HYLA_API hyla_status hyla_matrix_imag(hyla_cube *cube, const hyla_matrix *from, hyla_matrix *to);

/* Norms: largest absolute entry, largest absolute column sum, largest absolute
 * row sum, square root of the sum of squares.  NaN if an entry is NaN. */
typedef enum hyla_norm { HYLA_NORM_MAX, HYLA_NORM_ONE, HYLA_NORM_INF, HYLA_NORM_FRO } hyla_norm;

/* Collective.  *value: the same bits on every rank; 0 for an empty matrix.
 * kind: global.  ARGUMENT, MISMATCH, MEMORY. */
HYLA_API hyla_status hyla_matrix_norm(hyla_cube *cube, const hyla_matrix *matrix, hyla_norm kind,
                                      double *value);

/* Local.  How many characters of a path are the name of the file: all, but of FILE:/DATASET, where
 * FILE ends in .h5, .hdf5 or .mat, which names a dataset in an HDF5 file.  *dataset: that name, in
 * the path, or NULL.  dataset may be NULL; path NULL gives 0. */
HYLA_API int64_t hyla_path_file(const char *path, const char **dataset);

/* Collective.  Reads a Matrix Market file (array or coordinate; real, integer, unsigned-integer,
 * complex; general, symmetric, skew-symmetric, hermitian; coordinate becomes
 * dense, duplicates are added), compressed by gzip or not, a NumPy .npy file, a dataset
 * of an HDF5 file (FILE.h5:/DATASET, or FILE alone where it has one only), or a text in which each
 * line is a row of numbers, with blanks, commas or semicolons between (.csv), known by
 * their first bytes, such a text by its name too.  Every rank reads its share; what is
 * compressed it unpacks, Matrix Market from the start.  type: HYLA_DOUBLE or HYLA_DOUBLE_COMPLEX
 * as the file says (single precision for .npy and HDF5 files that hold it).
 * A dataset's last index goes along the rows, but down the columns in MATLAB's files (7.3 and
 * later), in Octave's, where FILE.h5:/VARIABLE is enough, and where the path says so,
 * FILE.h5:columns:/DATASET; FILE.mat:rows:/DATASET is the reverse.  path, layout: global.
 * FILE (also: built without HDF5), FORMAT (with file and line), ARGUMENT, MISMATCH, MEMORY. */
HYLA_API hyla_status hyla_matrix_read(hyla_cube *cube, const char *path, const hyla_layout *layout,
                                      hyla_matrix **matrix);

/* Collective.  The type and the size that hyla_matrix_read would give a matrix, from the head
 * of a file, which one rank reads: to choose a layout for it.  Any output may be NULL.  What
 * comes after the head is not looked at, but for a compressed file's check sum and the lines of
 * a text of rows, which are counted.  path: global.
 * FILE, FORMAT (with file and line), ARGUMENT, MISMATCH, UNSUPPORTED (dry), COMMUNICATION,
 * TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_matrix_probe(hyla_cube *cube, const char *path, hyla_type *type,
                                       int64_t *rows, int64_t *cols);

/* Collective.  Writes Matrix Market array format (path ends in .mtx), .npy, or a dataset of an HDF5
 * file (FILE.h5:/DATASET; FILE.mat:/NAME is a variable for MATLAB); the file
 * has its name when it is complete and not before; entries survive a
 * round trip bit for bit (of NaN, .mtx keeps the sign alone).  A file that is
 * replaced keeps its mode; symbolic links are followed.  An HDF5 file that is there is
 * replaced by a copy of it with the dataset added, in the place of one of that name if there is
 * one: whoever else writes to it meanwhile has written in vain.  path: global. FILE, ARGUMENT,
 * MISMATCH, MEMORY. */
HYLA_API hyla_status hyla_matrix_write(hyla_cube *cube, const hyla_matrix *matrix,
                                       const char *path);

/* Collective.  Would hyla_matrix_write write to this path?  Looks at the name, at what is there
 * and, where that is an HDF5 file, into it; nothing is made or changed: to be asked before a long
 * computation.  path: global.  FILE, ARGUMENT, MISMATCH, MEMORY, UNSUPPORTED (dry), COMMUNICATION,
 * TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_matrix_writable(hyla_cube *cube, const char *path);

/* Collective.  hyla_matrix_write of an n x 1 matrix; a .npy file or dataset then has one dimension,
 * of n (but MATLAB's variables have two).
 * ARGUMENT also where there is another number of columns. */
HYLA_API hyla_status hyla_vector_write(hyla_cube *cube, const hyla_matrix *vector,
                                       const char *path);

/* Collective.  Is the file a .npy one or a dataset of one dimension, which hyla_matrix_read makes a
 * column of? Statuses as of hyla_matrix_probe; vector may be NULL. */
HYLA_API hyla_status hyla_vector_probe(hyla_cube *cube, const char *path, bool *vector);

/* Collective.  Writes `count` integers, as hyla_factor_permutation gives them, as a .npy vector
 * (path ends in .npy), as hyla_matrix_write does it.  All arguments global.
 * FILE, ARGUMENT, MISMATCH, MEMORY, UNSUPPORTED (dry), COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_integers_write(hyla_cube *cube, const int64_t *values, int64_t count,
                                         const char *path);

/* -------------------------------------------------------------- gallery -- */

/* Kinds of matrices of which something is known beforehand: Hilbert's, Kahan's, such with given
 * singular values, singular ones, random ones, and others.  Static strings.  formula: entry
 * (i, j), indices from 0, in words or in terms of the number of rows m and of columns n, of r,
 * uniform random numbers, u, the unit roundoff, and c, which is 2^12 in single and 2^26 in
 * double precision.  reference: a key in doc/references.bib and a place there. */
typedef struct hyla_kind {
  const char *name;
  const char *formula;
  const char *reference;
} hyla_kind;

/* Local.  The i-th kind, from 0: the first six are those of hyla_generator, in that order; NULL
 * beyond the last. */
HYLA_API const hyla_kind *hyla_kind_at(int i);

/* What is known of the n x n matrices of a kind in a type.  In exact arithmetic, but for symmetry
 * and zeros, which hold bit for bit. */
typedef struct hyla_properties {
  bool rectangular;     /* there are m x n ones as well */
  bool random;          /* the seed matters */
  bool symmetric;       /* A = A^T */
  bool hermitian;       /* A = A^H */
  bool definite;        /* Hermitian positive definite */
  bool unitary;         /* A^H A = I */
  bool grows;           /* with partial pivoting the entries of U grow exponentially with n */
  int64_t lower, upper; /* bandwidths: entry (i, j) is 0 where i - j > lower or j - i > upper */
  int64_t rank;         /* -1: not known */
  double condition;     /* in the 2-norm; infinite: singular, 0: not known */
  double growth;        /* the largest entry of U to that of A with partial pivoting is at least
                           this; 0: not known */
} hyla_properties;

/* Local.  ARGUMENT: no such kind or type, n < 0, known is NULL. */
HYLA_API hyla_status hyla_kind_properties(const char *kind, hyla_type type, int64_t n,
                                          hyla_properties *known);

/* Collective.  The matrix becomes the one of a kind, by its name, in its size and type; the same
 * bit for bit for any number of ranks and any layout.  Entries of real kinds are real in complex
 * types too.  Nothing is sent; some kinds take the memory of five rows and five columns
 * meanwhile.  kind, seed: global.  ARGUMENT (also: a rectangle of a kind that has none, and
 * an entry that the type cannot hold; the matrix is then undefined), MISMATCH, MEMORY. */
HYLA_API hyla_status hyla_matrix_gallery(hyla_cube *cube, hyla_matrix *matrix, const char *kind,
                                         uint64_t seed);

/* ----------------------------------------------------------------- plan -- */

/* A plan: one operation on fixed matrices, with its variant chosen and its
 * memory taken.  Running it allocates nothing. */
typedef struct hyla_plan hyla_plan;

/* Collective.  Runs a plan; any number of times.  ARGUMENT, COMMUNICATION, TIMEOUT, BROKEN, of a
 * product that is checked (hyla_options.check_results) DAMAGED. */
HYLA_API hyla_status hyla_plan_run(hyla_cube *cube, hyla_plan *plan);

/* What a variant costs on the busiest rank: exact counts. */
typedef struct hyla_cost {
  int64_t steps;     /* communication steps, one after the other */
  int64_t messages;  /* messages sent */
  int64_t words;     /* matrix entries sent */
  int64_t flops;     /* real or complex additions and multiplications */
  int64_t memory;    /* bytes of workspace; of a factorization, of its matrices too */
  int64_t lent;      /* of the words, those that are read where they lie: no message has them */
  int64_t copied;    /* entries copied or added inside the rank, apart from what BLAS copies */
  int64_t touched;   /* entries that products go over: of each its factors' and its result's */
  int64_t streamed;  /* of those copied, those that go from memory to memory past the caches */
  int64_t scattered; /* likewise, those of rows that are moved by themselves, as pivoting does;
                        where others may hold the rows, as many as if all moved alike */
  int64_t read;      /* entries of matrices that are too large for the caches and of which each is
                        used once, as those of a triangle for one right-hand side */
} hyla_cost;

/* Local.  The chosen variant's name; its cost; the seconds that the cube's machine is
 * predicted to take (on a virtual cube that takes times those that a run will take, exactly, since
 * every candidate that needs no data is rehearsed there); a text that says why it was chosen,
 * what it costs, and why each other variant was not.  For NULL: "", zeros, "". */
HYLA_API const char *hyla_plan_variant(const hyla_plan *plan);
HYLA_API hyla_cost hyla_plan_cost(const hyla_plan *plan);
HYLA_API double hyla_plan_seconds(const hyla_plan *plan);
HYLA_API size_t hyla_plan_explain(const hyla_plan *plan, char *text, size_t capacity);

/* One of the variants that a plan was chosen from.
 *   applies   it could be taken: it serves the problem and keeps to the memory limit
 *   priced    its cost is known: not where another one was asked for
 *   chosen    it is the plan's
 *   rehearsed seconds are those of a run on a virtual cube, to the last bit
 *   cost      of the busiest rank; zeros unless it is priced
 *   seconds   predicted; 0 unless it is priced
 *   measured  seconds of hyla_options.measure; 0: not measured
 *   reason    why it is the one, or is not, in words */
typedef struct hyla_candidate {
  const char *name;
  bool applies, priced, chosen, rehearsed;
  hyla_cost cost;
  double seconds;
  double measured;
  char reason[256];
} hyla_candidate;

/* Local.  What hyla_plan_explain says, as data: the operation, as hyla_variant_operation names it
 * ("" for NULL); its i-th variant, from 0, in the order of hyla_variant_name, false beyond the last
 * and for NULL; the i-th plan that this one runs on its way and what it is for, NULL beyond the
 * last.  Texts and plans are owned by the plan or static; what may be NULL. */
HYLA_API const char *hyla_plan_operation(const hyla_plan *plan);
HYLA_API bool hyla_plan_candidate(const hyla_plan *plan, int i, hyla_candidate *candidate);
HYLA_API const hyla_plan *hyla_plan_child(const hyla_plan *plan, int i, const char **what);

/* Local.  Frees the plan, sets *plan to NULL; OK for NULL. */
HYLA_API hyla_status hyla_plan_destroy(hyla_plan **plan);

/* --------------------------------------------------------- redistribute -- */

/* op(A): A, its transpose, its conjugate transpose; of transfers alone also A turned: by a quarter
 * to the left, entry (i, j) being A(j, n - 1 - i), by a quarter to the right, A(m - 1 - j, i), or
 * by a half, A(m - 1 - i, n - 1 - j), of an m x n matrix A (Stout and Wagar 1990, section 10). */
typedef enum hyla_operation {
  HYLA_NONE,
  HYLA_TRANSPOSE,
  HYLA_CONJUGATE,
  HYLA_TURN_LEFT,
  HYLA_TURN_RIGHT,
  HYLA_TURN_HALF
} hyla_operation;

/* One matrix to be brought into another: to := alpha op(from).  For real types
 * the real part of alpha counts; alpha = 1 keeps every bit, also of NaN. */
typedef struct hyla_transfer {
  hyla_operation op;
  hyla_scalar alpha;
  const hyla_matrix *from;
  hyla_matrix *to;
} hyla_transfer;

/* Collective.  Plans count transfers at once, so that they share steps and
 * messages: any layouts, also with copies or on a face; all matrices of one type;
 * op(from) and to of equal size.  No target may share entries with another target
 * or with a source.  variant: a name that `hyla info` lists under redistribute, or
 * NULL to let the cube's options or the planner choose.  All arguments global.
 * transfers is copied, the matrices must outlive the plan; the caller owns *plan.
 * Besides sources and targets a run uses hyla_plan_cost(plan).memory bytes on a rank,
 * taken here.  That is one packing buffer: of direct, moves and multiphase what a rank
 * packs at a time and the message that comes then, of all transfers together, so never
 * more than the rank holds before and after a phase; of transposes and turns what doc/theory.md
 * says.  What is on the way stands in the targets; where one has no room (a view that is
 * not dense, a rank that passes on more than it gets) the rest is in the buffer.  Lists of
 * the runs of rows and columns, and a tile to copy through, are not counted.
 * ARGUMENT, MISMATCH, UNSUPPORTED (the message gives each variant's reason), MEMORY. */
HYLA_API hyla_status hyla_redistribute_plan(hyla_cube *cube, int count,
                                            const hyla_transfer *transfers, const char *variant,
                                            hyla_plan **plan);

/* Collective.  The same for one square matrix that is known to be 0 outside a band round
 * the circle: entry (i, j) is 0 where width < |i - j| < n - width, in each run.  The
 * target is 0 there afterwards; where the source is not, what the target holds there is
 * not said.  A variant may do without sending these entries.  width: global, from 0.
 * No turns. */
HYLA_API hyla_status hyla_redistribute_band_plan(hyla_cube *cube, const hyla_transfer *transfer,
                                                 int64_t width, const char *variant,
                                                 hyla_plan **plan);

/* Collective.  plan, run, destroy in one call, variant chosen. */
HYLA_API hyla_status hyla_redistribute(hyla_cube *cube, int count, const hyla_transfer *transfers);

/* Collective.  y := alpha op(x) + beta y, of one type, op(x) and y of equal size, any
 * layouts, which may differ (ScaLAPACK's p?geadd).  For real types the real parts of alpha
 * and beta count.  beta = 0 never reads y, alpha = 0 never reads x.  x and y share no entries.
 * Where op(x) lies as y does nothing travels and nothing is allocated; else alpha op(x) is
 * redistributed first, which takes the memory of a redistribution and, unless beta = 0, of
 * one more y.  op, alpha, beta: global.
 * ARGUMENT, MISMATCH, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_add(hyla_cube *cube, hyla_operation op, hyla_scalar alpha,
                              const hyla_matrix *x, hyla_scalar beta, hyla_matrix *y);

/* Collective.  a := alpha a, where it lies; alpha = 0 gives zeros and reads nothing.  For real
 * types the real part of alpha counts.  alpha: global.  ARGUMENT, MISMATCH, BROKEN. */
HYLA_API hyla_status hyla_scale(hyla_cube *cube, hyla_scalar alpha, hyla_matrix *a);

/* ------------------------------------------------------------ scalapack -- */

/* A block-cyclic array as ScaLAPACK's programs have it; BLACS is not needed.
 *   desc    DTYPE_ (1: dense), CTXT_ (not read), M_, N_, MB_, NB_, RSRC_, CSRC_,
 *           LLD_: the descriptor, global but for LLD_
 *   p, q    the grid of processes, global
 *   order   'R' or 'C': process (i, j) is rank i q + j or i + j p of the cube's
 *           communicator, as BLACS_GRIDINIT with that order numbers them; global
 * Where p q is less than the nodes, the ranks from p q on hold nothing. */
typedef struct hyla_scalapack {
  int desc[9];
  int p, q;
  char order;
} hyla_scalapack;

/* Collective.  A matrix over the caller's array, as by hyla_matrix_wrap: nothing is
 * copied, any blocks and any source process.  For a submatrix that begins at (IA, JA)
 * make a view from row IA - 1, column JA - 1.  To have the entries in another
 * layout, or to put those of a hyla matrix into the array: hyla_matrix_copy.
 * local, LLD_: local arguments, not read outside the grid.  ARGUMENT; UNSUPPORTED
 * when p or q is no power of two; MISMATCH, MEMORY. */
HYLA_API hyla_status hyla_matrix_wrap_scalapack(hyla_cube *cube, hyla_type type,
                                                const hyla_scalapack *array, void *local,
                                                hyla_matrix **matrix);

/* Local.  How many rows and columns of the array this rank holds (NUMROC); 0, 0
 * outside the grid.  LLD_ is not read.  As hyla_matrix_wrap_scalapack. */
HYLA_API hyla_status hyla_scalapack_local(hyla_cube *cube, const hyla_scalapack *array,
                                          int64_t *local_rows, int64_t *local_cols);

/* Local, the same on every rank but for LLD_.  The descriptor and the grid under
 * which ScaLAPACK finds the matrix' entries where hyla_matrix_local says that they
 * are; CTXT_ is -1, for the caller to set.  An axis that is not split gets the other
 * axis' block.  UNSUPPORTED, with the reason in the cube's message, when there is none:
 * Gray code over more than two parts, other dimensions than those of @RxC or, for
 * rows on the low ones, its transpose, copies, a view that begins inside a block, sizes
 * beyond int; then copy into an array wrapped by hyla_matrix_wrap_scalapack.
 * ARGUMENT. */
HYLA_API hyla_status hyla_matrix_scalapack(const hyla_matrix *matrix, hyla_scalapack *array);

/* ----------------------------------------------------------------- gemm -- */

/* Collective.  Plans C := alpha op(A) op(B) + beta C for matrices of one type
 * in any layouts; beta = 0 never reads C.  variant: a name that `hyla info`
 * lists, or NULL to let the cube's options or the planner choose.  All
 * arguments global.  The caller owns *plan; the matrices must outlive it.
 * ARGUMENT, MISMATCH, UNSUPPORTED (the message gives each variant's reason), MEMORY. */
HYLA_API hyla_status hyla_gemm_plan(hyla_cube *cube, hyla_operation op_a, hyla_operation op_b,
                                    hyla_scalar alpha, const hyla_matrix *a, const hyla_matrix *b,
                                    hyla_scalar beta, hyla_matrix *c, const char *variant,
                                    hyla_plan **plan);

/* The same with the addresses of alpha and beta, for languages that cannot pass a complex number by
 * value.  ARGUMENT also where one is NULL. */
HYLA_API hyla_status hyla_gemm_plan_by_address(hyla_cube *cube, hyla_operation op_a,
                                               hyla_operation op_b, const hyla_scalar *alpha,
                                               const hyla_matrix *a, const hyla_matrix *b,
                                               const hyla_scalar *beta, hyla_matrix *c,
                                               const char *variant, hyla_plan **plan);

/* Collective.  plan, run, destroy in one call, variant chosen. */
HYLA_API hyla_status hyla_gemm(hyla_cube *cube, hyla_operation op_a, hyla_operation op_b,
                               hyla_scalar alpha, const hyla_matrix *a, const hyla_matrix *b,
                               hyla_scalar beta, hyla_matrix *c);

/* Which triangle of a square matrix is meant, the diagonal included. */
typedef enum hyla_triangle { HYLA_LOWER, HYLA_UPPER } hyla_triangle;

/* Collective.  One triangle of C := alpha A A^T + beta C (op HYLA_NONE) or
 * alpha A^T A + beta C (HYLA_TRANSPOSE), in half the operations of hyla_gemm; the
 * other triangle does not change, and beta = 0 never uses C's entries.  herk: the
 * same with A^H for A^T and HYLA_CONJUGATE for HYLA_TRANSPOSE, on a Hermitian C
 * whose diagonal comes out real.  c n x n, op(a) n x k, one type, any layouts; a
 * and c share no entries.  The variants are those of gemm that can compute a
 * triangle alone; of them summa moves a alone, never its transpose, and sends what
 * gemm does of two factors that lie right.  All arguments global; plans as by
 * hyla_gemm_plan.  ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY, of a run also
 * COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_syrk_plan(hyla_cube *cube, hyla_triangle triangle, hyla_operation op,
                                    hyla_scalar alpha, const hyla_matrix *a, hyla_scalar beta,
                                    hyla_matrix *c, const char *variant, hyla_plan **plan);
HYLA_API hyla_status hyla_herk_plan(hyla_cube *cube, hyla_triangle triangle, hyla_operation op,
                                    double alpha, const hyla_matrix *a, double beta, hyla_matrix *c,
                                    const char *variant, hyla_plan **plan);
HYLA_API hyla_status hyla_syrk(hyla_cube *cube, hyla_triangle triangle, hyla_operation op,
                               hyla_scalar alpha, const hyla_matrix *a, hyla_scalar beta,
                               hyla_matrix *c);
HYLA_API hyla_status hyla_herk(hyla_cube *cube, hyla_triangle triangle, hyla_operation op,
                               double alpha, const hyla_matrix *a, double beta, hyla_matrix *c);

/* On which side of the other factor a matrix stands; whether its diagonal is stored, or
 * all ones and not read. */
typedef enum hyla_side { HYLA_LEFT, HYLA_RIGHT } hyla_side;
typedef enum hyla_diagonal { HYLA_ANY_DIAGONAL, HYLA_UNIT_DIAGONAL } hyla_diagonal;

/* Collective.  C := alpha A B + beta C (HYLA_LEFT) or alpha B A + beta C (HYLA_RIGHT) for
 * a symmetric A of which one triangle is read; hemm: for a Hermitian A, the imaginary
 * parts of whose diagonal are not used.  The other triangle is made in a workspace on
 * the way, so no more of A travels than these entries need, and all variants of gemm
 * serve.  b, c m x n; a m x m or, from the right, n x n; one type, any layouts; c
 * shares entries with neither; beta = 0 never uses C's entries.  All arguments global;
 * plans as by hyla_gemm_plan.  ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY, of a run also
 * COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_symm_plan(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                                    hyla_scalar alpha, const hyla_matrix *a, const hyla_matrix *b,
                                    hyla_scalar beta, hyla_matrix *c, const char *variant,
                                    hyla_plan **plan);
HYLA_API hyla_status hyla_hemm_plan(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                                    hyla_scalar alpha, const hyla_matrix *a, const hyla_matrix *b,
                                    hyla_scalar beta, hyla_matrix *c, const char *variant,
                                    hyla_plan **plan);
HYLA_API hyla_status hyla_symm(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                               hyla_scalar alpha, const hyla_matrix *a, const hyla_matrix *b,
                               hyla_scalar beta, hyla_matrix *c);
HYLA_API hyla_status hyla_hemm(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                               hyla_scalar alpha, const hyla_matrix *a, const hyla_matrix *b,
                               hyla_scalar beta, hyla_matrix *c);

/* Collective.  B := alpha op(A) B (HYLA_LEFT) or alpha B op(A) (HYLA_RIGHT) for a
 * triangular A, of which the named triangle alone is read, without its diagonal where
 * that is all ones, in half the operations of hyla_gemm; of A's words, too, most
 * variants send half.  b m x n; a m x m or, from the right, n x n; one type, any
 * layouts; a and b share no entries.  A NaN or an infinity in b may reach all of its
 * column (from the right: of its row).  The variants are those of gemm; they work on
 * copies of A's triangle and of B, which are part of a plan's memory.  All arguments
 * global; plans as by hyla_gemm_plan.  ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY, of a
 * run also COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_trmm_plan(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                                    hyla_operation op, hyla_diagonal diagonal, hyla_scalar alpha,
                                    const hyla_matrix *a, hyla_matrix *b, const char *variant,
                                    hyla_plan **plan);
HYLA_API hyla_status hyla_trmm(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                               hyla_operation op, hyla_diagonal diagonal, hyla_scalar alpha,
                               const hyla_matrix *a, hyla_matrix *b);

/* ----------------------------------------------------------------- gemv -- */

/* Collective.  y := alpha op(A) x + beta y.  a: m x n, any layout; it stays where it lies, only x
 * and y travel.  x, y: one column each (hyla_gemm takes several), of n and m entries or, where op
 * turns a, of m and n; any layouts: a vector that lies otherwise than the variant asks is
 * redistributed by a plan that is a child of this one, into a workspace that is part of the plan's
 * memory, which is of the order of what a node has of rows and columns.  beta = 0 never reads y;
 * alpha = 0 reads neither a nor x.  All of one type; y shares entries with neither a nor x.
 * All arguments global; plans as by hyla_gemm_plan; variant: of "gemv", NULL to choose.  They are
 * not measured (hyla_options.measure).
 * ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY; of a run COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_gemv_plan(hyla_cube *cube, hyla_operation op, hyla_scalar alpha,
                                    const hyla_matrix *a, const hyla_matrix *x, hyla_scalar beta,
                                    hyla_matrix *y, const char *variant, hyla_plan **plan);
/* The same with the addresses of alpha and beta; see hyla_gemm_plan_by_address. */
HYLA_API hyla_status hyla_gemv_plan_by_address(hyla_cube *cube, hyla_operation op,
                                               const hyla_scalar *alpha, const hyla_matrix *a,
                                               const hyla_matrix *x, const hyla_scalar *beta,
                                               hyla_matrix *y, const char *variant,
                                               hyla_plan **plan);
HYLA_API hyla_status hyla_gemv(hyla_cube *cube, hyla_operation op, hyla_scalar alpha,
                               const hyla_matrix *a, const hyla_matrix *x, hyla_scalar beta,
                               hyla_matrix *y);

/* Collective.  y := alpha A x + beta y for a symmetric A of which one triangle is read; hemv: for a
 * Hermitian A, the imaginary parts of whose diagonal are not used.  Each entry is used where it
 * stands and, turned, for its image, so x is spread along rows and columns and y is added up along
 * both; A stays where it lies.  a: n x n, x, y: n x 1; all else as of hyla_gemv, by the same
 * variants. */
HYLA_API hyla_status hyla_symv_plan(hyla_cube *cube, hyla_triangle triangle, hyla_scalar alpha,
                                    const hyla_matrix *a, const hyla_matrix *x, hyla_scalar beta,
                                    hyla_matrix *y, const char *variant, hyla_plan **plan);
HYLA_API hyla_status hyla_hemv_plan(hyla_cube *cube, hyla_triangle triangle, hyla_scalar alpha,
                                    const hyla_matrix *a, const hyla_matrix *x, hyla_scalar beta,
                                    hyla_matrix *y, const char *variant, hyla_plan **plan);
HYLA_API hyla_status hyla_symv(hyla_cube *cube, hyla_triangle triangle, hyla_scalar alpha,
                               const hyla_matrix *a, const hyla_matrix *x, hyla_scalar beta,
                               hyla_matrix *y);
HYLA_API hyla_status hyla_hemv(hyla_cube *cube, hyla_triangle triangle, hyla_scalar alpha,
                               const hyla_matrix *a, const hyla_matrix *x, hyla_scalar beta,
                               hyla_matrix *y);

/* Collective.  A := A + alpha x op(y), op HYLA_TRANSPOSE (BLAS' geru) or HYLA_CONJUGATE (gerc).
 * a: m x n, any layout, not moved; x: m x 1, y: n x 1, any layouts, which may be one vector; a
 * shares entries with neither; alpha = 0 reads neither.  All else as of hyla_gemv, by the same
 * variants. */
HYLA_API hyla_status hyla_ger_plan(hyla_cube *cube, hyla_operation op, hyla_scalar alpha,
                                   const hyla_matrix *x, const hyla_matrix *y, hyla_matrix *a,
                                   const char *variant, hyla_plan **plan);
HYLA_API hyla_status hyla_ger(hyla_cube *cube, hyla_operation op, hyla_scalar alpha,
                              const hyla_matrix *x, const hyla_matrix *y, hyla_matrix *a);

/* ---------------------------------------------------- triangular systems -- */

/* Collective.  B := alpha op(A)^-1 B (side left) or alpha B op(A)^-1 (right), as BLAS' trsm: A is
 * triangular, of the order of B's rows (from the right: columns), and its other triangle is not
 * read, nor its diagonal where that is HYLA_UNIT_DIAGONAL; alpha = 0 reads neither A nor B.  Any
 * layouts: an operand that lies otherwise than the variant asks is redistributed by a plan of its
 * own, a child of this one, into a workspace that is part of the plan's memory.  A variant that is
 * asked for by its name takes A where it lies if that is cyclic, in square blocks of any size, on
 * all nodes; else A stays only where moving it would gain nothing.  a and b are of one type and
 * share no entries; both must outlive the plan.  All arguments global; plans as by hyla_gemm_plan;
 * variant: of "trsm", NULL to choose.
 * ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY; of a run SINGULAR and NOT_FINITE (a diagonal entry of A
 * is exactly zero; is NaN or infinite: hyla_cube_message names the first one, from 1; B has not
 * changed), COMMUNICATION, TIMEOUT, BROKEN.  Any other NaN or infinity that is read leaves one in
 * B. */
HYLA_API hyla_status hyla_trsm_plan(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                                    hyla_operation op, hyla_diagonal diagonal, hyla_scalar alpha,
                                    const hyla_matrix *a, hyla_matrix *b, const char *variant,
                                    hyla_plan **plan);
HYLA_API hyla_status hyla_trsm(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                               hyla_operation op, hyla_diagonal diagonal, hyla_scalar alpha,
                               const hyla_matrix *a, hyla_matrix *b);

/* What a matrix is, by its entries: -0 is 0, and a NaN is unlike anything.
 *   lower, upper       bandwidths: entry (i, j) is 0 where i - j > lower or j - i > upper, and with
 *                      no smaller ones; so upper = 0 says lower triangular
 *   hermitian          A = A^H (of real types: A = A^T) exactly; false of rectangles
 *   nearly_hermitian   A is square and not that, but is but for rounding: no entry differs from the
 *                      conjugate of its mirror image by more than 2 (n + 8) u times A's largest
 *   positive_diagonal  the diagonal of a square matrix is real and above 0; where A is nearly
 *                      Hermitian, the real parts of its diagonal are above 0
 *   zero               the first diagonal entry that is exactly zero, from 1; 0: there is none */
typedef struct hyla_structure {
  int64_t lower, upper;
  bool hermitian;
  bool nearly_hermitian;
  bool positive_diagonal;
  int64_t zero;
} hyla_structure;

/* Collective.  Finds that, the same on all ranks.  Nearly every A that is not Hermitian, nor but
 * for rounding, is known by a few of its entries; any other one is brought to where A^H lies, in
 * the memory of one more matrix, and compared.  ARGUMENT, MISMATCH, UNSUPPORTED (dry), MEMORY,
 * COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_matrix_structure(hyla_cube *cube, const hyla_matrix *matrix,
                                           hyla_structure *structure);

/* How far a square matrix is from Hermitian; by magnitudes max(|re|, |im|).
 *   largest   that of A's entries less the conjugates of their mirror images; 0: A = A^H; NaN where
 *             one of them is not a number
 *   row, col  of the first such entry by columns, on the diagonal or below it, from 0; 0, 0 where
 *             A = A^H
 *   rounding  largest is 2 (n + 8) u times A's largest entry, or less, and that is finite
 *   positive_diagonal  the real parts of the diagonal are above 0 */
typedef struct hyla_asymmetry {
  double largest;
  int64_t row, col;
  bool rounding;
  bool positive_diagonal;
} hyla_asymmetry;

/* Collective.  Finds that, the same on all ranks, in the memory of one more matrix.  ARGUMENT (also
 * of rectangles), MISMATCH, UNSUPPORTED (dry), MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_matrix_asymmetry(hyla_cube *cube, const hyla_matrix *matrix,
                                           hyla_asymmetry *asymmetry);

/* Collective.  A := A^-1 in place, for a triangular A of which the named triangle alone is read and
 * changed, without its diagonal where that is all ones (LAPACK's trtri); n^3 / 3 operations.
 * a: n x n, any layout: where it lies otherwise than the variant asks its triangle is redistributed
 * by plans that are children of this one, into a workspace that is part of the plan's memory, and
 * back.  It must outlive the plan.  All arguments global; plans as by hyla_gemm_plan; variant: of
 * "trtri", NULL to choose.
 * ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY; of a run SINGULAR and NOT_FINITE (a diagonal entry is
 * exactly zero; is NaN or infinite: hyla_cube_message names the first one, from 1; A has not
 * changed), COMMUNICATION, TIMEOUT, BROKEN.  Any other NaN or infinity that is read leaves one in
 * A. */
HYLA_API hyla_status hyla_trtri_plan(hyla_cube *cube, hyla_triangle triangle,
                                     hyla_diagonal diagonal, hyla_matrix *a, const char *variant,
                                     hyla_plan **plan);
HYLA_API hyla_status hyla_trtri(hyla_cube *cube, hyla_triangle triangle, hyla_diagonal diagonal,
                                hyla_matrix *a);

/* --------------------------------------------------------------- factor -- */

/* How a system is solved: HYLA_LU, HYLA_CHOLESKY, HYLA_LDL, HYLA_GAUSS_JORDAN, ...; the list,
 * hyla_methods.h, says of each what it makes of which A. */
#define HYLA_METHOD_NUMBER(NAME, ...) HYLA_##NAME,
typedef enum hyla_method { HYLA_METHODS(HYLA_METHOD_NUMBER) } hyla_method;

/* What is known of a method; static strings.
 *   name        also the operation of which hyla_variant_name tells the variants
 *   text        of which matrices and how, a clause
 *   sample      a kind of the gallery whose matrices it takes and solves well
 *   flops       the additions and multiplications of a factorization are flops n^3 + O(n^2)
 *   needs_data  what it sends and computes depends on the entries: a dry simulation plans it,
 *               but cannot run it, except LU, whose pivots are then drawn: hyla_factor_compute
 *   rectangular it factors matrices with more rows than columns, or fewer, too */
typedef struct hyla_method_traits {
  const char *name;
  const char *text;
  const char *sample;
  double flops;
  bool needs_data;
  bool rectangular;
} hyla_method_traits;

/* Local.  The i-th method, as hyla_method numbers them from 0; NULL beyond the last. */
HYLA_API const hyla_method_traits *hyla_method_at(int i);

/* A factorization: its memory and, once computed, its factors. */
typedef struct hyla_factor hyla_factor;

/* Collective.  Takes the memory to factor n x n matrices of a type by a method and to solve with
 * up to nrhs right-hand sides at a time.  layout: the layout of the factors; NULL:
 * hyla_layout_default with a block chosen for n, by columns alone where all ranks share the cores
 * of one machine.  All methods want cyclic storage with the same block on both axes (an axis that
 * is not split may lie as it likes).  variant: of the method, as hyla_variant_name lists them, or
 * NULL to let the cube's options or the planner choose.  The redistributions of nrhs right-hand
 * sides and solutions that hyla_matrix_create makes in that layout are planned with it.  All
 * global.  The caller owns *factor.  ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY. */
HYLA_API hyla_status hyla_factor_create(hyla_cube *cube, hyla_method method, hyla_type type,
                                        int64_t n, int64_t nrhs, const hyla_layout *layout,
                                        const char *variant, hyla_factor **factor);

/* Collective.  The same for m x n matrices, by methods that are rectangular where m != n: P A = L U
 * with min(m, n) pivots, L m x min(m, n) and U min(m, n) x n, as LAPACK's getrf; A = Q R with R
 * min(m, n) x n, as its geqrf.  nrhs: 0 where m != n, and then hyla_factor_compute, _lower, _upper,
 * _packed, _reflections, _permutation and _growth serve;
 * calls that solve with A, or ask for what a square matrix alone has, return ARGUMENT.  With m = n
 * this is hyla_factor_create.  layout: of the m x n factors; blocks may differ where both are at
 * least as long as min(m, n).  ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY. */
HYLA_API hyla_status hyla_factor_create_rectangular(hyla_cube *cube, hyla_method method,
                                                    hyla_type type, int64_t m, int64_t n,
                                                    int64_t nrhs, const hyla_layout *layout,
                                                    const char *variant, hyla_factor **factor);

/* Collective.  The factors of a, which is not changed and may lie in any layout.
 * SINGULAR: a pivot is exactly zero, of some methods what is left of a column; INDEFINITE, of
 * Cholesky: a is not positive definite; NOT_FINITE: a pivot is NaN or infinite; all set
 * hyla_factor_pivot.  A matrix
 * that does not lie as the factors is redistributed by a plan that is made, unless create has made
 * it, when a matrix of its shape is first seen, and kept; apart from that nothing is allocated. The
 * same holds for b and x below.  ARGUMENT, MISMATCH, MEMORY (of such a plan), DAMAGED
 * (hyla_options.check_results), COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_compute(hyla_cube *cube, hyla_factor *factor,
                                         const hyla_matrix *a);

/* Collective.  hyla_factor_create and hyla_factor_compute of the matrix *a, which the caller gives
 * away: where its entries lie as good factors do (as in hyla_matrix_create's default layout for
 * most sizes, if ranks have a core each) its memory becomes the factors', and A is not copied;
 * otherwise it is redistributed and destroyed.  The factorization owns the matrix from when it has
 * its own memory: then *a is NULL and *factor is set, whatever the status, so that
 * hyla_factor_pivot tells where a computation failed; before (ARGUMENT, MISMATCH, UNSUPPORTED, no
 * memory for the factorization) *factor is NULL, and *a is still the caller's and has its entries.
 * The array of a wrapped matrix, the parent of a view, stay the caller's: they outlive the
 * factorization, and no entries of *a are of use to the caller.  Made like this or by create,
 * factors are equal bit for bit if their layouts are.  method, nrhs, variant: as of
 * hyla_factor_create_rectangular; all global.  SINGULAR, INDEFINITE, NOT_FINITE, ARGUMENT,
 * MISMATCH, UNSUPPORTED, MEMORY, DAMAGED, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_adopt(hyla_cube *cube, hyla_method method, int64_t nrhs,
                                       const char *variant, hyla_matrix **a, hyla_factor **factor);

/* Collective.  x := op(A)^-1 b; b and x are n x nrhs in any layouts, nrhs at most
 * what the factor was made for; x may be b.  A NaN in b leaves a NaN in its
 * column of x and touches no other.  The first solution by LU with another op than HYLA_NONE takes
 * memory for a copy of the right-hand sides, workspace and redistributions, which are kept, and
 * brings L's rows to where the last swaps have put them; the rounding of later solutions may
 * differ from that of earlier ones.  ARGUMENT (also: not computed, computed without success, not
 * of a square matrix), MISMATCH, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_solve(hyla_cube *cube, const hyla_factor *factor,
                                       hyla_operation op, const hyla_matrix *b, hyla_matrix *x);

/* Collective.  The factors of P A = L U, of A = L U with U = L^H (Cholesky), or of P A P^T = L D U
 * with U = L^H (LDL; hyla_factor_diagonal gives D), once computed, in the caller's matrices of the
 * factors' type in any layout: l m x min(m, n), lower triangular, of LU and LDL with ones on the
 * diagonal, u min(m, n) x n, upper triangular, with exact zeros on the other side.  Of LU lower
 * takes the memory of one more copy of the factors, since L's rows are brought to where the last
 * swaps have put them; both take that of a redistribution.  The factorization does not change.
 * ARGUMENT (also: not computed, or computed without success), UNSUPPORTED (Gauss-Jordan makes no
 * triangles), MISMATCH, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_lower(hyla_cube *cube, const hyla_factor *factor, hyla_matrix *l);
HYLA_API hyla_status hyla_factor_upper(hyla_cube *cube, const hyla_factor *factor, hyla_matrix *u);

/* Collective.  Are factors, once they are written, still A's?  hold: takes sums of the rows of A,
 * which is given again, best as it is read again, and keeps them with the factorization.  held:
 * holds against these P^T L U, P^T L D L^H P of LDL, or, of QR, whose R alone is written, A^H A and
 * R^H R, of L and U as the files have them (hyla_matrix_read); NULL: as hyla_factor_lower and
 * _upper give them now.  rows: what hyla_factor_permutation gave, which is used as it is.  *worst:
 * the largest difference of a row over what rounding may make it; above 1 a bit has changed
 * somewhere since, by more than rounding, and the status is DAMAGED, with the row.  Of rows whose
 * sums are not finite nothing is known.  All but rows global; the memory of vectors, kept, and for
 * the time of held of one factor more, as hyla_factor_lower.  ARGUMENT (also: held before hold),
 * UNSUPPORTED (Gauss-Jordan makes no triangles; dry), MISMATCH, MEMORY, FILE, FORMAT, DAMAGED,
 * COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_hold(hyla_cube *cube, hyla_factor *factor, const hyla_matrix *a);
HYLA_API hyla_status hyla_factor_held(hyla_cube *cube, const hyla_factor *factor, const char *lower,
                                      const char *upper, const int64_t *rows, double *worst);

/* Collective.  The factors as LAPACK's getrf and potrf leave them in A's place: of HYLA_LU, L under
 * the diagonal, its ones not stored, and U on and above it; of HYLA_CHOLESKY one triangle alone, L
 * (HYLA_LOWER) or L^H (HYLA_UPPER), the other one keeps its entries; of HYLA_QR by its variant
 * householder as geqrf leaves them, R on and above the diagonal, under it the reflections' vectors.
 * packed: m x n, of the factors' type, any layout; triangle: global, of Cholesky.  Takes memory as
 * hyla_factor_lower does; the factorization does not change.  ARGUMENT (also: not computed, or
 * computed without success), UNSUPPORTED (other methods, other variants of QR), MISMATCH, MEMORY,
 * COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_packed(hyla_cube *cube, const hyla_factor *factor,
                                        hyla_triangle triangle, hyla_matrix *packed);

/* Collective.  tau of the reflections of HYLA_QR by its variant householder: with what
 * hyla_factor_packed gives, Q = (I - tau[0] v_0 v_0^H) (I - tau[1] v_1 v_1^H) ... in LAPACK's
 * form, entry i of v_i being 1, entries before it 0, those behind it under the diagonal.  They are
 * real: each reflection is Hermitian, and of complex types R's diagonal is complex.  tau: min(m, n)
 * numbers, the same on every rank.  Takes the memory of as many.  UNSUPPORTED of another method or
 * variant, ARGUMENT as above (also: tau is NULL), MISMATCH, MEMORY, COMMUNICATION, TIMEOUT,
 * BROKEN. */
HYLA_API hyla_status hyla_factor_reflections(hyla_cube *cube, const hyla_factor *factor,
                                             double *tau);

/* Collective.  P: row i of P A is row rows[i] of A, so entry (i, rows[i]) of P is 1; of Cholesky
 * the identity.  rows: m numbers, as many as A has rows, the same on every rank.  ARGUMENT (also:
 * rows is NULL), UNSUPPORTED as above, MISMATCH, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_permutation(hyla_cube *cube, const hyla_factor *factor,
                                             int64_t *rows);

/* Collective.  The determinant of A, once computed: sign[0] + i sign[1] times exp(*log_abs), the
 * sign being of magnitude 1, of real types exactly 1 or -1; it is never 0, since a matrix with an
 * exact zero for a pivot has no factors (SINGULAR).  The swaps of P count exactly; of Cholesky the
 * sign is 1, of LDL real.  n = 0: 0 and 1.  log_abs, sign: one and two numbers, the same on every
 * rank.  ARGUMENT as above (also: A is not square, log_abs or sign is NULL), MISMATCH, UNSUPPORTED
 * (Gauss-Jordan; dry), COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_determinant(hyla_cube *cube, const hyla_factor *factor,
                                             double *log_abs, double sign[2]);

/* Collective.  D of P A P^T = L D L^H, of HYLA_LDL: its diagonal, and below[i] = entry (i + 1, i),
 * which is 0 but where a block of order 2 begins; D is Hermitian.  Room for n numbers each; the
 * same on every rank.  UNSUPPORTED for another method, ARGUMENT as above (also: an array is NULL),
 * MISMATCH, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_diagonal(hyla_cube *cube, const hyla_factor *factor,
                                          double *diagonal, hyla_scalar *below);

/* Collective.  How many eigenvalues of A are positive, how many negative, as D tells (Sylvester's
 * law of inertia; Higham 2002, chapter 11): of HYLA_LDL; those of a matrix near A, so that
 * eigenvalues of the size of rounding may count on either side.  A computed factorization has no
 * others.  Errors as of hyla_factor_diagonal. */
HYLA_API hyla_status hyla_factor_inertia(hyla_cube *cube, const hyla_factor *factor,
                                         int64_t *positive, int64_t *negative);

/* Collective.  An estimate of 1 / (|A|_1 |A^-1|_1), the reciprocal condition number in the 1-norm:
 * 1 is best, and below n u (n times the unit roundoff of the type) a solution may have no correct
 * digit.  The estimate is not below the truth but for rounding, and seldom above three times of it
 * (Higham 2002, Algorithm 15.4).  norm: |A|_1, as hyla_matrix_norm with HYLA_NORM_ONE gives it for
 * A before the factorization, global.  Vectors are scaled by powers of two, so that the estimate is
 * the same, to the bit, of 2^k A and its norm as long as the factors are.  0 when norm is 0 or
 * infinite, or a solution overflows however vectors are scaled; NaN when norm is; 1 for n = 0.
 * Exact but for rounding with Gauss-Jordan, which has the inverse, unless by the variant diagonal.
 * Otherwise costs at most 12 solutions of one right-hand side, with A and with A^H, and some more
 * near an end of the type's range; takes the memory of two vectors, and what hyla_factor_solve says
 * of the first solution with A^H.
 * ARGUMENT (also: not computed, computed without success, not of a square matrix, made for no
 * right-hand side, norm below 0), MISMATCH, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_condition(hyla_cube *cube, const hyla_factor *factor, double norm,
                                           double *rcond);

/* Collective.  The same estimate by triangles that lie packed, as hyla_factor_packed or another
 * program's getrf and potrf leave them: of HYLA_LU both, of HYLA_CHOLESKY the one that is named.
 * The swaps do not matter, so that rows may have been put in any order.  packed: n x n, any layout,
 * not changed, the other triangle of Cholesky not read; triangle: of Cholesky, of LU either one;
 * kind: HYLA_NORM_ONE, or HYLA_NORM_INF for the condition in the infinity norm; norm: |A| in that
 * norm.  All global.  Takes the memory of two vectors and of the plans of four substitutions.
 * SINGULAR: an exact zero on the diagonal.  ARGUMENT (also: not square, norm below 0), UNSUPPORTED
 * (other methods), MISMATCH, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_packed_condition(hyla_cube *cube, hyla_method method,
                                           hyla_triangle triangle, const hyla_matrix *packed,
                                           hyla_norm kind, double norm, double *rcond);

/* Collective.  x := A^-1; n x n, of the factors' type, any layout.  By Gauss-Jordan a copy: the
 * factors are the inverse.  By another method, or its variant diagonal, A X = I is solved for
 * as many columns at a time as the factorization was made for, which takes 2 n^3 operations
 * (complex: 8 n^3) and what hyla_factor_solve says of memory.  Who wants A^-1 b solves instead: it
 * takes a third of the work and is at least as exact (Higham 2002, section 14.1).
 * ARGUMENT (also: not computed, computed without success, not of a square matrix, made for no
 * right-hand side, and not the inverse), MISMATCH, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_inverse(hyla_cube *cube, const hyla_factor *factor,
                                         hyla_matrix *x);

/* Collective.  The growth factor of LU, the largest |u_ij| over the largest |a_ij|, of LDL the
 * largest entry of L D over it: where it is large, solutions lose as many digits as it has.
 * largest: of A before the factorization, by hyla_matrix_norm with HYLA_NORM_MAX, global.  1 of
 * Cholesky, where no entry grows, and where A has no rows or no columns; else NaN of Gauss-Jordan,
 * which keeps no U. ARGUMENT (also: not computed, or computed without success, largest below 0),
 * MISMATCH, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_growth(hyla_cube *cube, const hyla_factor *factor, double largest,
                                        double *growth);

/* Iterative refinement of a solution.
 *   DEFAULT         none; of HYLA_GAUSS_JORDAN, whose solutions are products with the inverse and
 *                   wrong by more than rounding, fixed; of order 1 extended
 *   NONE
 *   FIXED           in the precision of the type: the residual is solved for and the answer added,
 *                   until the componentwise backward error is the unit roundoff, a step does not
 *                   halve it, or ten steps are done; of two solutions the better one stays
 *                   (Higham 2002, section 12.2)
 *   MIXED           of hyla_solve_expert, for HYLA_DOUBLE and HYLA_DOUBLE_COMPLEX: the same with A
 *                   factored in half the precision, whose operations take about half the time, and
 *                   at most thirty steps; residuals and x are in that of the type.  Where A cannot
 *                   be factored so, rcond is below the unit roundoff of that half, or the error
 *                   stays above (10 + sqrt(n)) u, all is done again in full precision, fixed: the
 *                   answer is then that of FIXED
 *   EXTENDED        with residuals in twice the precision of the type (Demmel et al. 2006), until
 *                   the correction of each column of x is u of it or less, or does not halve.
 *                   Where FIXED makes x the solution of a system near the given one, EXTENDED makes
 *                   it the given one's, wrong by about u in norm, unless cond(A) u is near 1
 *   MIXED_EXTENDED  as MIXED, with the residuals and steps of EXTENDED: wrong by about u as long as
 *                   cond(A) times the unit roundoff of the half is below 1; elsewhere EXTENDED */
typedef enum hyla_refinement {
  HYLA_REFINE_DEFAULT,
  HYLA_REFINE_NONE,
  HYLA_REFINE_FIXED,
  HYLA_REFINE_MIXED,
  HYLA_REFINE_EXTENDED,
  HYLA_REFINE_MIXED_EXTENDED
} hyla_refinement;

/* How good a solution x of A x = b is; errors are the largest over the columns of x, NaN where
 * anything is NaN or infinite, and the report ends where a status other than OK and UNRELIABLE
 * came: what follows then is NaN.  r is b - A x, u the unit roundoff.
 *   method, variant      by what A was factored; a static string
 *   rcond, growth        as by hyla_factor_condition and hyla_factor_growth
 *   residual             as by hyla_residual
 *   backward_error       |r| / (|A| |x| + |b|), maximum norms: by how much, relatively, A and b
 *                        would have to change for x to be exact (Higham 2002, Theorem 7.1)
 *   componentwise_error  the largest |r|_i / (|A| |x| + |b|)_i: the same for each entry
 *                        (Theorem 7.3); may be 1, and x good, where rows of A meet zeros of x alone
 *   forward_bound        bounds the 1-norm of x's error to that of x, as far as rcond is the truth:
 *                        |A^-1| | |r| + (n + 1) u (|A| |x| + |b|) | / |x|, the last term for the
 *                        rounding of r itself, with extended residuals times u once more.  After
 *                        extended refinement that converged, the error that its corrections tell if
 *                        that is less: the last one / (1 - q), q the largest of one to the one
 *                        before.  With extended refinement no less than max(10, sqrt(n)) u (Demmel
 *                        et al. 2006)
 *   refinements          steps of refinement that were tried
 *   reliable             none of what UNRELIABLE stands for (hyla_factor_check)
 *   equilibrated         A was scaled first, by hyla_solve_expert; rcond and growth are those of
 *                        the scaled A
 *   pivot                as by hyla_factor_pivot
 *   fallback             why what HYLA_REFINE_MIXED or _MIXED_EXTENDED asked for was done in full
 * precision after all; a static string, NULL where it was not */
typedef struct hyla_solve_report {
  hyla_method method;
  const char *variant;
  double rcond, growth;
  double residual;
  double backward_error, componentwise_error;
  double forward_bound;
  int refinements;
  bool reliable, equilibrated;
  int64_t pivot;
  const char *fallback;
} hyla_solve_report;

/* Collective.  Checks x, a solution of A x = b by the factors of A, refines it if asked for, and
 * reports.  a: A as it was before, all of it, also where the method reads one triangle; b, x: any
 * layouts; x shares no entries with a or b and changes by refinement alone.
 * UNRELIABLE, with the reason in the cube's message; x and the report are there: rcond is below
 * n u; the backward error is above 16 n u, as it is after large growth; with refinement, the
 * componentwise error stays above max(16, n) u, where rows for which (|A| |x| + |b|)_i is below
 * 1000 u times the row's 1-norm times |x| are held against that too (Arioli, Demmel, Duff 1989), if
 * the backward error is at most 4 u; anything is not finite; by HYLA_GAUSS_JORDAN, rcond is
 * below u^(3/4), 1e-12 in double precision; extended refinement leaves a column of x with a
 * correction above max(10, sqrt(n)) u of it.  Takes the memory of copies of b and x, and of a
 * where it does not lie over all nodes or is far from 1, with
 * refinement two more of x, extended on each rank eight more of the rows of x that it has of A, and
 * what hyla_factor_condition takes. ARGUMENT (also: not computed, computed without success, made
 * for fewer right-hand sides or for none, HYLA_REFINE_MIXED, _MIXED_EXTENDED), MISMATCH, MEMORY,
 * COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_check(hyla_cube *cube, const hyla_factor *factor,
                                       const hyla_matrix *a, const hyla_matrix *b,
                                       hyla_refinement refinement, hyla_matrix *x,
                                       hyla_solve_report *report);

/* Collective.  Checks x, a solution by hyla_trsm of A x = b, A lower or upper triangular with zeros
 * in the other triangle, and reports as hyla_factor_check does: of the report, method and variant
 * say nothing, growth is 1, and nothing is refined, as substitution is backward stable in each
 * component (Higham 2002, Theorem 8.5).  triangle: global; any layouts; nothing changes.  Takes the
 * memory of copies as hyla_factor_check does, and what hyla_trsm takes for one right-hand side.
 * UNRELIABLE as of hyla_factor_check; statuses of hyla_trsm. */
HYLA_API hyla_status hyla_trsm_check(hyla_cube *cube, hyla_triangle triangle, const hyla_matrix *a,
                                     const hyla_matrix *b, const hyla_matrix *x,
                                     hyla_solve_report *report);

/* Collective.  Checks x, made as the inverse of A, and reports as hyla_factor_check does: by the
 * solutions y = X v of A y = v for four random columns v.  rcond is exact but for rounding; of the
 * report, method and variant say nothing, growth is NaN, and nothing is refined.  a, x: n x n, one
 * type, any layouts; a: A as it was before; nothing changes.  Takes the memory of a copy of a and
 * of a few columns.
 * UNRELIABLE as of hyla_factor_check with HYLA_REFINE_NONE; statuses of hyla_gemm. */
HYLA_API hyla_status hyla_invert_check(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *x,
                                       hyla_solve_report *report);

/* Local.  After SINGULAR, INDEFINITE or NOT_FINITE: the column, counted from 1, of the first
 * pivot that failed: the order of the leading block that is singular or not positive definite;
 * 0 otherwise. */
HYLA_API int64_t hyla_factor_pivot(const hyla_factor *factor);

/* Local.  The layout of the factors: a matrix that lies so is not redistributed.
 * Owned by the factor; NULL for NULL. */
HYLA_API const hyla_layout *hyla_factor_layout(const hyla_factor *factor);

/* Local.  The factorization as a plan, for hyla_plan_variant, _cost, _seconds and _explain;
 * hyla_factor_compute and hyla_factor_solve run it, hyla_plan_run does not.  The cost is that
 * of one factorization and one solution with all nrhs right-hand sides, on matrices in the
 * factors' layout, as hyla_matrix_create makes them, their redistributions included; what depends
 * on which rows are swapped is counted at its most, and the text gives the least too, without
 * these; its memory is that of the factors and right-hand sides too, unless factors lie in a given
 * matrix' memory.  The redistributions are in the text, each with its own cost, those of matrices
 * that lay otherwise once they are planned.  Owned by the factor; NULL for NULL. */
HYLA_API const hyla_plan *hyla_factor_plan(const hyla_factor *factor);

/* Local.  NULL, and what is NULL already, are fine. */
HYLA_API hyla_status hyla_factor_destroy(hyla_factor **factor);

/* Local.  The i-th operation, from 0, that has variants to choose from: "gemm", "redistribute",
 * "trsm", "trtri", the methods ("lu", ...) and the collectives ("broadcast", ...).  Its i-th
 * variant: its name, as the arguments `variant` take it, and its reference, a key in
 * doc/references.bib with the section.  Static strings; NULL beyond the last.  asked_only: it is
 * taken only when it is asked for. */
HYLA_API const char *hyla_variant_operation(int i);
HYLA_API const char *hyla_variant_name(const char *operation, int i);
HYLA_API const char *hyla_variant_reference(const char *operation, int i);
HYLA_API bool hyla_variant_asked_only(const char *operation, int i);

/* Local.  What somebody may have meant who wrote `word`: of names, which end with NULL, the one
 * that needs the fewest changes of a letter, or swaps of two, to become it, or that begins with it;
 * NULL when none is near. */
HYLA_API const char *hyla_name_nearest(const char *word, const char *const *names);

/* Collective.  Solves A X = B by LU: create, compute, solve, destroy in one call.
 * a n x n, b and x n x nrhs, one type, any layouts; a and b are not changed, x
 * may be b.  Factors in a's own layout where that is good for it.  pivot: as
 * hyla_factor_pivot, may be NULL.  All statuses of the four calls. */
HYLA_API hyla_status hyla_solve(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *b,
                                hyla_matrix *x, int64_t *pivot);

/* Collective.  hyla_solve of a matrix whose entries the caller gives up: a is factored in its own
 * memory where it lies as good factors do, so that A is not copied; what it holds afterwards,
 * whatever the status, is not to be relied on.  a stays the caller's.  b is not changed; x may be
 * b; neither shares entries with a.  The answer is hyla_solve's.  Statuses as of hyla_solve. */
HYLA_API hyla_status hyla_solve_in_place(hyla_cube *cube, hyla_matrix *a, const hyla_matrix *b,
                                         hyla_matrix *x, int64_t *pivot);

/* Collective.  x := A^-1: plan, run, destroy in one call; or a plan of it, with the
 * factorization's memory, for hyla_plan_run, any number of times.  method: global; by
 * HYLA_GAUSS_JORDAN and, in half the operations, HYLA_CHOLESKY in x's own memory where x lies as
 * good factors do, so that nothing else of order n^2 is taken; by HYLA_LU, which is faster than
 * Gauss-Jordan, with one more matrix; by the others A X = I is solved, with two more and a third
 * more operations than LU.  a, x: n x n, one type, any layouts; a is not changed, unless x is a
 * itself; else they share no entries; they outlive the plan.  variant: of the method, NULL to
 * choose.  pivot: as hyla_factor_pivot, may be NULL; of a plan's latest run hyla_invert_pivot
 * (local; 0 for any other plan).  After a failure x holds nothing to be relied on.
 * The plan's cost has the redistributions of a and x, its memory that of the factors; what depends
 * on which rows are swapped is counted at its most, and the text gives the least too.  Statuses of
 * hyla_factor_create, of a run those of hyla_factor_compute and hyla_factor_solve; UNSUPPORTED also
 * on virtual cubes without data, by methods that need them. */
HYLA_API hyla_status hyla_invert_plan(hyla_cube *cube, hyla_method method, const hyla_matrix *a,
                                      hyla_matrix *x, const char *variant, hyla_plan **plan);
HYLA_API hyla_status hyla_invert(hyla_cube *cube, hyla_method method, const hyla_matrix *a,
                                 hyla_matrix *x, int64_t *pivot);
HYLA_API int64_t hyla_invert_pivot(const hyla_plan *plan);

/* How hyla_solve_expert solves; all 0 is the default.  variant: of the method, NULL: chosen.
 * equilibrate: where the largest entries of A's rows or columns differ by a factor of about 10 or
 * more, or come near overflow or underflow, rows and columns are scaled by powers of two before A
 * is factored: R A C with diagonal R and C (for HYLA_CHOLESKY and HYLA_LDL R = C).  x solves the
 * caller's system all the same, and the errors in the report are those of that system. */
typedef struct hyla_solve_options {
  hyla_method method;
  const char *variant;
  hyla_refinement refinement;
  bool equilibrate;
} hyla_solve_options;

/* Collective.  Solves A X = B and says how good X is: create, compute, solve, hyla_factor_check,
 * destroy in one call.  options: NULL for the defaults; global.  a n x n, b and x n x nrhs, one
 * type, any layouts; a and b are not changed, x shares no entries with them.  Where A's largest
 * entry, or that of a column of b, is beyond 2^400 or 2^-400 (single precision: 2^24, 2^-24), what
 * is solved is a copy of the system that is scaled by powers of two, and the report's numbers are
 * those of that copy: systems that are alike but for powers of two (even ones, of HYLA_CHOLESKY)
 * have the same report, to the bit, from one end of the type's range to the other.  With
 * HYLA_REFINE_MIXED and _MIXED_EXTENDED the report's rcond and growth are those of factors in half
 * the precision, whose memory is half as much; ARGUMENT of types that have no half.  With
 * equilibrate, or scaled so, it takes the memory of copies of a and b.  UNRELIABLE: x is there, and
 * the report says why it is not to be trusted; after SINGULAR, INDEFINITE, NOT_FINITE it has the
 * pivot.  All statuses of the five calls. */
HYLA_API hyla_status hyla_solve_expert(hyla_cube *cube, const hyla_solve_options *options,
                                       const hyla_matrix *a, const hyla_matrix *b, hyla_matrix *x,
                                       hyla_solve_report *report);

/* Collective.  The scaled residual as HPL defines it, the largest over the
 * columns of x: |A x - b|inf / (eps (|A|inf |x|inf + |b|inf) n), eps the unit
 * roundoff of the type; 0 for n = 0 and where x and b are 0; NaN if anything is
 * NaN or infinite.  Sums do not overflow.  Below 1 is good, above 16 is wrong.
 * Takes the memory of a copy of x and b, and of a where it does not lie over
 * all nodes or its largest entry is far from 1.  ARGUMENT, MISMATCH, MEMORY,
 * COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_residual(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *x,
                                   const hyla_matrix *b, double *residual);

#ifdef __cplusplus
}
#endif

#endif
