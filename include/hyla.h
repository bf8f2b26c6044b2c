/* hyla: dense linear algebra on MPI ranks, 2^d of them seen as a Boolean cube, others as an array.
 *
 * This is the public interface for programs that compute, in one chapter per object:
 *   cube     the ranks of a communicator as a Boolean cube
 *   layout   how the indices of a matrix lie on the cube
 *   matrix   a distributed matrix, or a view of one
 *   gallery  matrices with known properties
 *   plan     an operation ready to run, its cost and the reason for its variant
 *   redistribute  from any layouts to any others, optionally transposed or turned, and scaled
 *   scalapack arrays with a descriptor, as in ScaLAPACK programs
 *   gemm     matrix products, planned or in one call
 *   gemv     a matrix times a vector
 *   factor   factorization and the solution of linear systems
 * The plain types that these share (status, machine, layout, types of entries, costs) are in
 * hyla_types.h, which this header includes.  For experiments (collectives on their own, programs on
 * a virtual cube) hyla_lab.h includes this header and adds to it.
 *
 * Conventions.  Inputs come first and are const, outputs come last.  Indices count from 0, global
 * sizes are int64_t, local arrays are stored by columns.
 * "Collective" means: every rank of the cube's communicator makes the call, with the same values
 * for the arguments marked "global".  Every collective call returns the same status on every rank,
 * even if an argument is bad or memory runs out on one rank only; for this it takes the cube first.
 * "Local" calls may be made by any rank at any time.
 * A cube and its matrices belong to one thread at a time.  Nothing is printed unless asked for. */
#ifndef HYLA_H
#define HYLA_H 1

#include <hyla_methods.h>
#include <hyla_types.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------- cube -- */

typedef struct hyla_cube hyla_cube;

/* The options of a cube.  hyla_options_init gives the defaults.  Each environment variable named
 * here overrides the default, but not a value that the program has set.  Texts marked "not copied"
 * must live until hyla_cube_create returns.
 *   variant   forced variants, as "gemm:cannon,lu:partial"; NULL or "": the planner chooses.
 *             HYLA_VARIANT.  Not copied.
 *   collective  forced variants of the collectives inside other operations, as
 *             "broadcast=sw90-3a,allgather=b91", by the names that hyla_variant_name lists; NULL
 *             or "": the planner chooses.  HYLA_COLLECTIVE.  Not copied.
 *   machine   the machine for which variants are chosen: the name of a preset, or a machine file
 *             as `hyla machine` writes it; NULL or "": "default".  HYLA_MACHINE.  Not copied.
 *   timeout   seconds without progress after which a call gives up with HYLA_TIMEOUT; 0 waits for
 *             ever.  HYLA_TIMEOUT, default 300.
 *   log_level 0 silent, 1 one line a call, 2 one line a step.  HYLA_LOG, default 0.
 *   threads   BLAS threads per rank; 0: 1 if the cube has more than one rank, else BLAS' own
 *             choice.  HYLA_THREADS.
 *   memory    the most bytes of workspace of a variant on a rank, including a factorization's
 *             factors and right-hand sides.  Variants that take more are refused.  0: no limit.
 *             HYLA_MEMORY, which may end in k, M or G.
 *   measure   true: if variants may be chosen freely, the plan of a multiplication runs the few
 *             variants that are predicted to be fastest, on the given factors and a result of its
 *             own, and takes the fastest.  The outcome is remembered for equal plans of this cube.
 *             HYLA_MEASURE=1.
 *   wisdom    a file of such outcomes.  Plans look there before they predict or measure, and add
 *             new measurements.  Without `measure' the file must exist.  NULL or "": none.
 *             HYLA_WISDOM.  Not copied.
 *   memory_kept  the most bytes of released memory (of matrices and workspaces) that a rank keeps
 *             for new ones of the same sizes, because getting new pages takes longer than many
 *             operations on them.  Kept memory is released before an allocation fails, by
 *             hyla_cube_drop_memory, and with the cube.  0 keeps none.  HYLA_MEMORY_KEPT, written
 *             like HYLA_MEMORY; default 256M.  Virtual cubes keep none.
 *   trace     a file that tells what each rank did and when, in the Trace Event Format, for viewers
 *             such as Perfetto.  It is written when the cube is destroyed, or before that by
 *             hyla_cube_write_trace.  A rank keeps its first 2^18 spans and messages, about 12 MB;
 *             the file says how many were left out.  NULL or "": none.  HYLA_TRACE.  Not copied.
 *             Virtual cubes write none; see hyla_simulation.observer.
 *   private_memory  true: matrices never lie in memory shared by the ranks of a node; all blocks
 *             travel as messages.  HYLA_PRIVATE=1.
 *   check_messages  true: each message, in pieces of 1 MiB, is followed by its number, the sum of
 *             its bytes and their CRC, which the receiver compares.  A piece that was lost,
 *             doubled, damaged or overtaken gives COMMUNICATION.  Costs a short message and two
 *             passes over the data for each piece.  Blocks read in shared memory and the first
 *             agreement of hyla_cube_create are not checked.  HYLA_CHECK_MESSAGES=1.
 *   check_results  true: products (hyla_gemm, syrk, herk, symm, hemm, trmm) and factorizations by
 *             HYLA_LU and HYLA_CHOLESKY, except inverses, are compared with sums of rows of their
 *             operands (Huang and Abraham 1984); see hyla_faults below.  One wrong entry of a
 *             result is corrected.  Otherwise the result is computed once more if its operands
 *             still exist, else the status is DAMAGED.  Takes vectors of all rows and columns on
 *             each node, and a pass over each matrix before and after.  Changes of the size of
 *             rounding errors are not seen.  HYLA_CHECK_RESULTS=1.
 *   reproducible  true: products (hyla_gemm and the calls like it), hyla_trsm, solutions and
 *             factorizations by LU and Cholesky, eigenvalues and their vectors have the same bits
 *             on any number of ranks and in any layouts, on one kind of processor with one BLAS.
 *             They use the variants named fixed, which take longer.  BLAS then has one thread per
 *             rank; more are ARGUMENT, and the program must not set more.  An operation, method or
 *             refinement without such a variant is UNSUPPORTED.  Norms, residuals, conditions, and
 *             the sums of hyla_collective.h are not covered and may differ in their last bits.
 *             Layouts that the caller wants for factors are replaced by those of the variants
 *             (hyla_factor_layout).  HYLA_REPRODUCIBLE=1.
 *   checkpoint  a folder for states that all ranks see.  From time to time a factorization by
 *             HYLA_LU (partial, tournament, fixed) or HYLA_CHOLESKY, except inverses, writes its
 *             state there.  A later one of the same matrix, on any number of ranks and in any
 *             layout, continues from it; see hyla_checkpoints below.  NULL or "": states are
 *             neither written nor read.  HYLA_CHECKPOINT.  Copied.
 *   checkpoint_every  seconds from the beginning of a factorization, or from its last state, to the
 *             next state.  After a state that took t seconds, none is written for 32 t seconds, so
 *             that states take at most 3 % of the time.  0: one after each panel, at any cost.
 *             HYLA_CHECKPOINT_EVERY, default 600.
 *   network   the ranks that take part in the calls of hyla_collective.h.  NULL or "": the nodes
 *             of the cube or array.  "all": all P ranks, guests too, on the line, ring, array or
 *             torus of P nodes that each plan predicts to be the fastest on the machine, or on the
 *             cube where P = 2^d.  "torus:3x4", "line:7", "ring:7", "array:3x5", "folded:3",
 *             "cube:3": all P ranks on this network, which must have P nodes.  Matrices lie on the
 *             nodes all the same.  On an array with a side that is no power of two those calls need
 *             this option.  HYLA_NETWORK.  Copied.
 *   array     the nodes as rows x columns, as in "2x3": any two numbers whose product is at most
 *             the number of ranks and above its half.  "cube": the cube of 2^d nodes.  "auto": the
 *             cube if all ranks are one; else the array, of all ranks or of fewer, that is
 *             predicted to be the fastest on the cube's machine for LU, Cholesky and a product of
 *             order 500 sqrt(ranks), by the geometric mean of their times.  Ranks are left idle
 *             only where that is predicted to be faster, and hyla_cube_describe says by how much.
 *             NULL or "": "cube" if the option `variant' names any, as it may need one; else
 *             "auto".  HYLA_ARRAY.
 *   delimiter  what stands between the numbers of tables (.csv, .txt) that are read or written: one
 *             character, as "," or ";", or "tab" or "blank".  NULL or "": found in the first row of
 *             a table that is read; of one that is written a comma (.csv), a tab (.tsv) or a blank.
 *             HYLA_DELIMITER.  Copied. */
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
  const char *network;
  const char *array;
  const char *delimiter;
} hyla_options;

/* Local.  Sets the defaults, with the environment's values. */
HYLA_API void hyla_options_init(hyla_options *options);

/* Collective over comm.  Makes a cube of all ranks, if they are 2^d, else an array of all or of the
 * first ones (hyla_options.array).  Ranks that are not in it are guests: they own no data and get
 * the agreed status of every call.
 * comm: is duplicated; the caller keeps it.  options: NULL for the defaults; global.
 * *cube: the caller owns it, and destroys it after every object made from it.  After a failure it
 * is NULL, or a cube that only answers hyla_cube_message, with address 0 on rank 0 of comm, which
 * can print the message; the caller destroys it like any other.
 * ARGUMENT (no communicator, cube is NULL, ranks started by another MPI's launcher), MISMATCH,
 * MEMORY, FILE and FORMAT (of the machine and of wisdom), COMMUNICATION (also if MPI has no
 * communicator left, after some 2,000 cubes at one time), TIMEOUT.
 * MPI_Finalize ends the cube: later collective calls return BROKEN, and local calls work as
 * before. */
HYLA_API hyla_status hyla_cube_create(MPI_Comm comm, const hyla_options *options, hyla_cube **cube);

/* The same for other languages.  comm: the communicator's Fortran handle (an `integer` of module
 * mpi, MPI_VAL of one of mpi_f08, py2f() of mpi4py); NULL: MPI_COMM_WORLD. */
HYLA_API hyla_status hyla_cube_create_f(const MPI_Fint *comm, const hyla_options *options,
                                        hyla_cube **cube);

/* Collective over comm; needs no cube.  Do all ranks have the same words?  A program asks this
 * before it acts on its command line, in case it may end there: if one rank ended alone, the others
 * would wait for it.
 * words: the program's arguments in one text, compared as a whole.  options: only timeout and
 * log_level are used; NULL for the defaults.  message: receives a failure's message, the same on
 * all ranks if they could agree, in at most `capacity` bytes with the final 0; not changed if the
 * status is OK; may be NULL with capacity 0.
 * OK; ARGUMENT (words is NULL, or differs from rank 0's: the message has both; and as in
 * hyla_cube_create), COMMUNICATION, TIMEOUT (not all ranks came). */
HYLA_API hyla_status hyla_words_agree(MPI_Comm comm, const hyla_options *options, const char *words,
                                      char *message, size_t capacity);

/* Collective over the cube's communicator.  Frees the cube and sets *cube to NULL.  OK for NULL or
 * a pointer to NULL.  FILE if the trace cannot be written; the cube is freed all the same. */
HYLA_API hyla_status hyla_cube_destroy(hyla_cube **cube);

/* Collective.  Has every node room for `bytes` more, according to its machine's available memory
 * and its process' limits?  For programs that create several matrices and should not fill the first
 * before they learn that the last has no room; single calls ask by themselves.  bytes: what this
 * rank will take in all; small amounts are not checked.  Takes no memory.  ARGUMENT (bytes < 0),
 * MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_cube_afford(hyla_cube *cube, int64_t bytes);

/* Collective.  Writes the trace of hyla_options.trace, from the cube's creation on, under a
 * temporary name that becomes the file's name when it is complete.  Times are on rank 0's clock;
 * the file says how wrong they may be.  ARGUMENT (the cube has no trace), FILE, MEMORY,
 * COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_cube_write_trace(hyla_cube *cube);

/* Local.  d; the number of nodes 2^d; this rank's address, -1 on a guest; the number of guests.
 * On an array: the number of dimensions on which layouts lie; of nodes; the node's number, which is
 * its rank, as everywhere in these headers.  For NULL: 0, 0, -1, 0. */
HYLA_API int hyla_cube_dims(const hyla_cube *cube);
HYLA_API int hyla_cube_nodes(const hyla_cube *cube);
HYLA_API int hyla_cube_address(const hyla_cube *cube);
HYLA_API int hyla_cube_guests(const hyla_cube *cube);

/* Local.  One line about the latest failed call: what, where, what to do; "" if none has failed.
 * The same on every rank after a collective call.  Owned by the cube; the next failure overwrites
 * it. */
HYLA_API const char *hyla_cube_message(const hyla_cube *cube);

/* The findings of checks of results (hyla_options.check_results) on this cube.  A check fails if a
 * bit of an operand, a result or a factor changed in memory or in a message during a run.
 *   checked    number of results that were compared with their sums
 *   damaged    number of these that did not agree
 *   corrected  number of damaged results that were put right: one entry was wrong and was computed
 *              from the rest of its row, or the result was computed once more.  Their calls return
 *              OK; the calls of other damaged results return DAMAGED
 *   text       the last damaged result: what, where, and what was done; "" if there was none */
typedef struct hyla_faults {
  int64_t checked, damaged, corrected;
  char text[256];
} hyla_faults;

/* Local.  Reads the findings; they are the same on every rank after a collective call.  ARGUMENT
 * for NULL. */
HYLA_API hyla_status hyla_cube_faults(const hyla_cube *cube, hyla_faults *faults);

/* The history of states (hyla_options.checkpoint) on this cube.
 * A state is a file in the folder, METHOD-TYPE-ROWSxCOLS-NUMBER.state.  Its number, of 16
 * hexadecimal digits, is computed from the method and all entries that it reads, so another matrix
 * has another file, which is not touched.  A state takes as much of the disk as the matrix (for
 * HYLA_CHOLESKY half), and for a while twice that: the new state replaces the old one when it is
 * complete and on the disk.  It is deleted when the factors exist, or cannot exist.  A rank takes
 * memory for one more part of the matrix, unless its columns are whole.
 * A damaged or incomplete state gives FORMAT and is kept.  A state that cannot be read gives FILE,
 * and so does a folder that is not writable when a factorization begins.  A later failure to write,
 * as on a full disk, is counted here, and the factorization goes on.  Predictions do not include
 * the messages for states.
 *   written    number of states written
 *   failed     number of failed attempts to write one
 *   resumed    number of factorizations that continued from a state
 *   column     the column from which the last of them continued; 0 if there was none
 *   others     number of states in the folder, found by the last factorization, of other matrices
 *              of the same method, type and size
 *   seconds    time for writing states on the slowest rank
 *   text       why the last attempt failed; "" if none has */
typedef struct hyla_checkpoints {
  int64_t written, failed, resumed, column, others;
  double seconds;
  char text[512];
} hyla_checkpoints;

/* Local.  Reads the history; it is the same on every rank after a collective call.  ARGUMENT for
 * NULL. */
HYLA_API hyla_status hyla_cube_checkpoints(const hyla_cube *cube, hyla_checkpoints *checkpoints);

/* Local.  A text of "key: value" lines: nodes, guests, MPI and BLAS libraries, threads, the
 * machine, the memory of blocks (shared windows, or private memory with the reason), kept memory.
 * Writes at most capacity bytes with the final 0; returns the length of the whole text without the
 * 0. */
HYLA_API size_t hyla_cube_describe(const hyla_cube *cube, char *text, size_t capacity);

/* Local.  The bytes of released memory that this rank keeps (hyla_options.memory_kept), 0 for NULL;
 * returns them to the system.  ARGUMENT for NULL. */
HYLA_API int64_t hyla_cube_kept_memory(const hyla_cube *cube);
HYLA_API hyla_status hyla_cube_drop_memory(hyla_cube *cube);

/* Local.  The machine for which this cube's variants are chosen, adapted to the cube: alpha
 * includes delta for its dimensions, delta is 0, and share is the cube's.  ARGUMENT for NULL. */
HYLA_API hyla_status hyla_cube_machine(const hyla_cube *cube, hyla_machine *machine);

/* Collective.  Reads the preset of that name, or a machine file, which rank 0 reads.  text: global;
 * a preset's name wins, "./NAME" is always a file.  ARGUMENT, MISMATCH, FILE, FORMAT (with file and
 * line), COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_machine_read(hyla_cube *cube, const char *text, hyla_machine *machine);

/* Collective.  Rank 0 writes the machine file, under a temporary name that becomes `path` when it
 * is complete.  path, machine: global.  ARGUMENT (also: a time is negative or not finite),
 * MISMATCH, FILE, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_machine_write(hyla_cube *cube, const hyla_machine *machine,
                                        const char *path);

/* The times in seconds of several repetitions. */
typedef struct hyla_spread {
  double median;
  double least;
  double most;
} hyla_spread;

/* The measurements, and the machine that follows from them.
 *   pingpong  a message of 8 bytes to a neighbour and back, halved; the other nodes are idle
 *   exchange  all nodes exchange 8 bytes with their neighbours over one dimension
 *   stream    the same with stream_bytes
 *   read      all nodes sum stream_bytes in a neighbour's memory; 0 if it cannot be read
 *   copy      all nodes copy stream_bytes that a neighbour has just written or, if they cannot
 *             read these, bytes of their own
 *   barrier   hyla_cube_barrier
 *   move      all nodes transpose move_bytes of their own from memory to memory
 *   rows      all nodes copy rows_entries of distant rows, in a matrix of move_bytes, and back
 *   multiply  all nodes multiply matrices of multiply_size rows and columns, double
 * On one node exchange, stream and read are 0, and alpha and beta are those of the cube's
 * machine. */
typedef struct hyla_measurement {
  hyla_machine machine;
  hyla_spread pingpong, exchange, stream, read, copy, barrier, multiply, move, rows;
  int64_t stream_bytes, move_bytes, rows_entries;
  int multiply_size;
  int repeat;
} hyla_measurement;

/* Collective.  Measures the machine on which the cube runs: each figure `repeat` times (1 to 1000)
 * after one to warm up, which takes about `repeat` tenths of a second.  repeat: global.  ARGUMENT,
 * MISMATCH, UNSUPPORTED (dry), MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_machine_measure(hyla_cube *cube, int repeat,
                                          hyla_measurement *measurement);

/* Local.  Seconds on this rank's clock since some moment in the past; on a simulated cube its
 * virtual time.  0 for NULL. */
HYLA_API double hyla_cube_clock(const hyla_cube *cube);

/* Local; another thread may make this call while a call runs.  The share, from 0 to 1, of a matrix
 * file that this rank has read or written in the running call; -1 where it reads and writes
 * none. */
HYLA_API double hyla_cube_file_share(const hyla_cube *cube);

/* Local; another thread may make this call while a call runs.  The additions and
 * multiplications, real or complex, that this rank has done in the cube's calls, counted like
 * hyla_cost.flops.  Divided by those of a plan they show the progress of a run.  0 for NULL. */
HYLA_API int64_t hyla_cube_operations(const hyla_cube *cube);

/* Collective.  Returns once every rank has entered.  COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_cube_barrier(hyla_cube *cube);

/* The messages that this rank has sent since the cube was made or the ledger was cleared.  For each
 * cube dimension: messages and bytes to the neighbour over it; far_messages and far_bytes go to
 * ranks that are not neighbours.  Where hyla_options.network names an array, torus or folded cube,
 * collectives are counted by their port there instead (2 a up along axis a, 2 a + 1 down; below the
 * HYLA_DIMS_MAX-th), and `dims' covers the ports; for "all" they count as far.  Agreement and
 * barriers carry no matrix data and are not counted. */
typedef struct hyla_ledger {
  int dims;
  int64_t steps;
  int64_t messages[HYLA_DIMS_MAX];
  int64_t bytes[HYLA_DIMS_MAX];
  int64_t far_messages;
  int64_t far_bytes;
} hyla_ledger;

/* Local.  Copies the ledger out; sets it to zero.  ARGUMENT for NULL. */
HYLA_API hyla_status hyla_cube_ledger(const hyla_cube *cube, hyla_ledger *ledger);
HYLA_API hyla_status hyla_cube_ledger_clear(hyla_cube *cube);

/* Collective.  Replaces each of `count` values on every rank by the largest value of any node, of
 * any rank if hyla_options.network is given, as for the busiest node's counts or the slowest node's
 * time.  Not counted in the ledger.  count: global, from 0.  ARGUMENT, MISMATCH, COMMUNICATION,
 * TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_cube_max(hyla_cube *cube, int64_t *values, int count);

/* Collective.  Gives the guests what all nodes have alike, as after hyla_matrix_gather with
 * HYLA_REPLICATED: `bytes' bytes of data, which is read on nodes and written on guests.  Not
 * counted in the ledger.  bytes: global, from 0.  ARGUMENT, MISMATCH, COMMUNICATION, TIMEOUT,
 * BROKEN. */
HYLA_API hyla_status hyla_cube_tell(hyla_cube *cube, void *data, int64_t bytes);

/* --------------------------------------------------------------- layout -- */

/* Local.  The layout that hyla_matrix_create uses for NULL, of a rows x cols matrix: binary and
 * cyclic on the array of hyla_options.array or, on a cube, on the most nearly square one of 2^r x
 * 2^c nodes with r <= c; columns take the low dimensions.  With p parts along the longer side, the
 * block for an axis of n indices is the largest of 64, 56, 48, 40, 32 with which each of p parts
 * holds at most 1 % more than n / p, rounded up, or else at most 2 % more.  If there is none, it is
 * the block from 32 (or from n / p if that is less) to 64 with which the fullest part holds least,
 * and the largest of several.  It depends on n and p alone, not on the axis, so that the factors of
 * a product are cut alike along the index that they share.
 * ARGUMENT. */
HYLA_API hyla_status hyla_layout_default(const hyla_cube *cube, int64_t rows, int64_t cols,
                                         hyla_layout *layout);

/* Local.  Reads "code/storage[:block][@array]" for both axes, or
 * "code/storage[:block],code/storage[:block][@array]" for rows and columns.  code is binary, gray
 * or binary-gray:B (the lowest B bits binary, the others Gray), storage is consecutive or cyclic.
 * array is
 *   RxC            powers of two, R C at most the number of nodes: the columns lie on the lowest
 *                  cube dimensions, the rows on the next; 1x8 splits the columns alone
 *                  On an array of nodes (hyla_options.array): its two sides, either as 1 too, or
 *                  all nodes and 1; the nodes' numbers run along rows, those of the columns first
 *   [3,1]x[0]      the dimensions of the rows, then of the columns, each list from the part's
 *                  highest bit to its lowest; [] is none.  "4x2" is "[2,1]x[0]"
 *   ...:face       either of them with HYLA_FACE: nodes off the face hold nothing; without it
 *                  they hold copies
 * The default array is that of hyla_layout_default.  Along a side that is no power of two the code
 * is binary, in which neighbours follow each other on the side's ring, and an axis takes the whole
 * side.  ARGUMENT, with a message that points at the wrong word; UNSUPPORTED for Gray code there.
 */
HYLA_API hyla_status hyla_layout_parse(hyla_cube *cube, const char *text, hyla_layout *layout);

/* Local.  Writes the text that hyla_layout_parse reads back, in the shortest form that has an
 * array.  Returns the length of the whole text, like hyla_cube_describe; it is at most
 * HYLA_LAYOUT_TEXT - 1. */
#define HYLA_LAYOUT_TEXT 160
HYLA_API size_t hyla_layout_format(const hyla_layout *layout, char *text, size_t capacity);

/* Local; for any cube that has the layout's dimensions, or for the array of nodes for which it was
 * parsed.  The number of the node that holds entry (row, col) of a rows x cols matrix: its address
 * or, on an array, its rank; among copies, the one whose other address bits are 0.  -1 outside the
 * matrix and for an invalid layout. */
HYLA_API int hyla_layout_owner(const hyla_layout *layout, int64_t rows, int64_t cols, int64_t row,
                               int64_t col);

/* Local.  The row part and the column part that a node holds; -1, -1 off the face.  ARGUMENT (also:
 * the node is negative). */
HYLA_API hyla_status hyla_layout_part(const hyla_layout *layout, int node, int *row_part,
                                      int *col_part);

/* --------------------------------------------------------------- matrix -- */

typedef struct hyla_matrix hyla_matrix;

/* Collective.  Makes a matrix of zeros, rows x cols, of any size from 0.  type, rows, cols, layout:
 * global; layout NULL: hyla_layout_default.  The local blocks are in memory shared by the ranks of
 * a host if the system provides it.  The caller owns *matrix.  ARGUMENT, MISMATCH, MEMORY. */
HYLA_API hyla_status hyla_matrix_create(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                                        const hyla_layout *layout, hyla_matrix **matrix);

/* Collective.  Makes a matrix over the caller's array, which must outlive it.  local: this rank's
 * part by columns, with leading dimension ld >= max(1, local rows); both are local arguments.
 * hyla_layout_local gives the numbers of local rows and columns.  Arrays may be parts of one array,
 * and may overlap: a call that writes a matrix refuses another one that shares memory with it on
 * any rank.  ARGUMENT, MISMATCH, MEMORY. */
HYLA_API hyla_status hyla_matrix_wrap(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                                      const hyla_layout *layout, void *local, int64_t ld,
                                      hyla_matrix **matrix);

/* Local.  The numbers of rows and columns of a rows x cols matrix that this rank holds; 0, 0 on a
 * guest and on a node off the face. */
HYLA_API hyla_status hyla_layout_local(const hyla_cube *cube, const hyla_layout *layout,
                                       int64_t rows, int64_t cols, int64_t *local_rows,
                                       int64_t *local_cols);

/* Local, but all ranks must make it alike.  A view of rows row ... row+rows-1, columns
 * col ... col+cols-1 of parent.  It shares the parent's entries; the parent must outlive it.  The
 * caller destroys it.  ARGUMENT, MEMORY. */
HYLA_API hyla_status hyla_matrix_view(hyla_matrix *parent, int64_t row, int64_t col, int64_t rows,
                                      int64_t cols, hyla_matrix **view);

/* Local.  A wrapped matrix' entries, or those of a view of one, are from now on in another array of
 * the same shape, which must outlive it.  Plans for the matrix work there; views made before keep
 * the old array.  array, ld: as given to hyla_matrix_wrap, for a view too.  An array that shares
 * memory with another matrix of a plan is not noticed.  ARGUMENT. */
HYLA_API hyla_status hyla_matrix_rewrap(hyla_matrix *matrix, void *array, int64_t ld);

/* Local.  Frees the matrix or view, sets *matrix to NULL; OK for NULL. */
HYLA_API hyla_status hyla_matrix_destroy(hyla_matrix **matrix);

/* Local.  The matrix' type, size, layout and cube; for NULL: HYLA_DOUBLE, 0, 0, NULL, NULL. */
HYLA_API hyla_type hyla_matrix_type(const hyla_matrix *matrix);
HYLA_API int64_t hyla_matrix_rows(const hyla_matrix *matrix);
HYLA_API int64_t hyla_matrix_cols(const hyla_matrix *matrix);
HYLA_API const hyla_layout *hyla_matrix_layout(const hyla_matrix *matrix);
HYLA_API hyla_cube *hyla_matrix_cube(const hyla_matrix *matrix);

/* Local.  Lends this rank's part: local_rows x local_cols entries by columns with leading dimension
 * ld, valid until the matrix is destroyed.  Any output may be NULL.  If there are copies each node
 * lends its own, and a program that changes one must change all alike.  ARGUMENT. */
HYLA_API hyla_status hyla_matrix_local(const hyla_matrix *matrix, void **local, int64_t *local_rows,
                                       int64_t *local_cols, int64_t *ld);

/* Local.  The global row (column) of local row (column) `local`; -1 outside. */
HYLA_API int64_t hyla_matrix_row(const hyla_matrix *matrix, int64_t local);
HYLA_API int64_t hyla_matrix_col(const hyla_matrix *matrix, int64_t local);

/* An entry as a function of its global indices; it must depend on nothing else. */
typedef hyla_scalar hyla_entry(void *arg, int64_t row, int64_t col);

/* Collective.  Sets every entry to entry(arg, row, col), converted to the matrix' type; real types
 * take the real part.  ARGUMENT. */
HYLA_API hyla_status hyla_matrix_fill(hyla_cube *cube, hyla_matrix *matrix, hyla_entry *entry,
                                      void *arg);

/* The matrices of hyla_matrix_generate; the gallery below has more kinds.  Each is the same for any
 * number of ranks and any layout.
 *   ZERO, ONES, IDENTITY
 *   RANDOM      entries uniform in (-1/2, 1/2), both parts for complex types
 *   HERMITIAN   RANDOM made Hermitian (symmetric for real types)
 *   DOMINANT    RANDOM with the number of rows added to the diagonal */
typedef enum hyla_generator {
  HYLA_ZERO,
  HYLA_ONES,
  HYLA_IDENTITY,
  HYLA_RANDOM,
  HYLA_HERMITIAN,
  HYLA_DOMINANT
} hyla_generator;

/* Collective.  Fills the matrix.  generator, seed: global.  ARGUMENT (HERMITIAN for a rectangle),
 * MISMATCH. */
HYLA_API hyla_status hyla_matrix_generate(hyla_cube *cube, hyla_matrix *matrix,
                                          hyla_generator generator, uint64_t seed);

/* Collective.  Sets or gets one entry; every rank gives or gets the same value.  row, col, value:
 * global.  ARGUMENT, MISMATCH. */
HYLA_API hyla_status hyla_matrix_set(hyla_cube *cube, hyla_matrix *matrix, int64_t row, int64_t col,
                                     hyla_scalar value);
HYLA_API hyla_status hyla_matrix_get(hyla_cube *cube, const hyla_matrix *matrix, int64_t row,
                                     int64_t col, hyla_scalar *value);

/* Collective.  to := from, of equal type and size, in any two layouts.  Allocates lists of the
 * local rows and columns and, for blocks that cannot be read in place, one packing buffer for the
 * two messages of a pair of ranks.  ARGUMENT (also: views of one matrix, or arrays, that overlap),
 * MEMORY. */
HYLA_API hyla_status hyla_matrix_copy(hyla_cube *cube, const hyla_matrix *from, hyla_matrix *to);

/* Collective.  gather: copies the whole matrix to the caller's array, by columns with leading
 * dimension ld >= max(1, rows).  rest: HYLA_FACE for node 0 alone, which is rank 0 of the cube's
 * communicator; HYLA_REPLICATED for every node; global.  Other ranks' array and ld are not used.
 * scatter: the other way, from node 0's array.  Both take the memory of hyla_matrix_copy.
 * ARGUMENT, MISMATCH, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_matrix_gather(hyla_cube *cube, const hyla_matrix *from, hyla_rest rest,
                                        void *array, int64_t ld);
HYLA_API hyla_status hyla_matrix_scatter(hyla_cube *cube, const void *array, int64_t ld,
                                         hyla_matrix *to);

/* Collective.  to := from, of equal size, with any two types and layouts.  Each number is rounded
 * to nearest; one that is too large becomes an infinity, one that is too small a subnormal number
 * or zero, and a NaN stays a NaN.  Imaginary parts of a real type are 0.  From a complex to a real
 * type the imaginary parts would be lost silently, so that is ARGUMENT: hyla_matrix_real and
 * hyla_matrix_imag copy the real or the imaginary parts, from any type to any type.  from and to
 * share no entries.  Entries travel in the smaller type.  If the layouts differ, this takes the
 * memory of one more matrix of that type and of a redistribution.
 * ARGUMENT, MISMATCH, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_matrix_convert(hyla_cube *cube, const hyla_matrix *from, hyla_matrix *to);
HYLA_API hyla_status hyla_matrix_real(hyla_cube *cube, const hyla_matrix *from, hyla_matrix *to);
HYLA_API hyla_status hyla_matrix_imag(hyla_cube *cube, const hyla_matrix *from, hyla_matrix *to);

/* Norms: the largest absolute entry, the largest absolute column sum, the largest absolute row sum,
 * the square root of the sum of squares.  NaN if an entry is NaN. */
typedef enum hyla_norm { HYLA_NORM_MAX, HYLA_NORM_ONE, HYLA_NORM_INF, HYLA_NORM_FRO } hyla_norm;

/* Collective.  Computes a norm.  *value: the same bits on every rank; 0 for an empty matrix.  kind:
 * global.  ARGUMENT, MISMATCH, MEMORY. */
HYLA_API hyla_status hyla_matrix_norm(hyla_cube *cube, const hyla_matrix *matrix, hyla_norm kind,
                                      double *value);

/* Local.  The length of the file's name in a path.  That is the whole path, except for
 * FILE:/DATASET with a FILE that ends in .h5, .hdf5 or .mat, which names a dataset in an HDF5 file,
 * and FILE.npz:NAME.  *dataset: the dataset's or member's name inside the path, or NULL.  dataset
 * may be NULL; path NULL gives 0. */
HYLA_API int64_t hyla_path_file(const char *path, const char **dataset);

/* Collective.  Reads a matrix from
 *   - a Matrix Market file (array or coordinate; real, integer, unsigned-integer, complex; general,
 *     symmetric, skew-symmetric, hermitian), gzipped or not; coordinate becomes dense, and
 *     duplicates are added
 *   - a NumPy .npy file
 *   - a member of a NumPy archive: FILE.npz:NAME, or FILE alone if it has only one
 *   - a dataset of an HDF5 file: FILE.h5:/DATASET, or FILE alone if it has only one
 *   - a matrix in a MAT file of version 4 or 5 (7.3 is HDF5): FILE.mat:/VARIABLE, or FILE alone
 *   - a table: a text whose lines are rows of numbers with blanks, commas, semicolons or
 *     hyla_options.delimiter between, real or complex as 1+2j; a first line of names is passed over
 * Formats are known by their first bytes, a table also by its name.  The path "-" is the standard
 * input of the cube's first rank, which is read to its end once, and kept as long as the cube, in
 * an unnamed file below TMPDIR (/tmp) that all nodes must see.  Every rank reads its
 * share; it unpacks a compressed file itself, a gzipped Matrix Market file from the start.  *matrix
 * has type HYLA_DOUBLE or HYLA_DOUBLE_COMPLEX, as the file says (single precision for .npy and HDF5
 * files in single precision).
 * A dataset's last index runs along the rows.  It runs down the columns in MATLAB's files (7.3 and
 * later), in Octave's, where FILE.h5:/VARIABLE suffices, and if the path says so,
 * FILE.h5:columns:/DATASET; FILE.mat:rows:/DATASET is the reverse.
 * path, layout: global.
 * FILE (also: built without HDF5), FORMAT (with file and line), ARGUMENT, MISMATCH, MEMORY. */
HYLA_API hyla_status hyla_matrix_read(hyla_cube *cube, const char *path, const hyla_layout *layout,
                                      hyla_matrix **matrix);

/* Collective.  The type and the size that hyla_matrix_read would give the matrix, so that a layout
 * can be chosen for it.  One rank reads the head of the file.  Any output may be NULL.  The rest of
 * the file is not read, except for a compressed file's check sum and the lines of a text of rows,
 * which are counted.  path: global.
 * FILE, FORMAT (with file and line), ARGUMENT, MISMATCH, UNSUPPORTED (dry), COMMUNICATION, TIMEOUT,
 * BROKEN. */
HYLA_API hyla_status hyla_matrix_probe(hyla_cube *cube, const char *path, hyla_type *type,
                                       int64_t *rows, int64_t *cols);

/* Collective.  Writes Matrix Market array format (path ends in .mtx), .npy, a table (.csv, .tsv or
 * .txt; complex entries as 1+2j), or a dataset of an HDF5 file (FILE.h5:/DATASET; FILE.mat:/NAME is
 * a variable for MATLAB).  The paths "-", which is -.mtx, -.npy, -.csv, -.tsv and -.txt are the
 * standard output of the cube's first rank, to which the file goes when it is complete.
 * The file gets its name when it is complete and not before.  Entries survive a round trip bit for
 * bit (texts keep only the sign of a NaN).  A file that is replaced keeps its mode; symbolic links
 * are followed.  An existing HDF5 file is replaced by a copy with the dataset added, or exchanged
 * for the one of the same name; what other programs write to the old file meanwhile is lost.
 * path: global.  FILE, ARGUMENT, MISMATCH, MEMORY. */
HYLA_API hyla_status hyla_matrix_write(hyla_cube *cube, const hyla_matrix *matrix,
                                       const char *path);

/* Collective.  Would hyla_matrix_write write to this path?  Checks the name, an existing file and,
 * if that is an HDF5 file, its contents; makes and changes nothing.  Useful before a long
 * computation.  path: global.  FILE, ARGUMENT, MISMATCH, MEMORY, UNSUPPORTED (dry), COMMUNICATION,
 * TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_matrix_writable(hyla_cube *cube, const char *path);

/* Collective.  hyla_matrix_write for an n x 1 matrix: a .npy file or a dataset then has one
 * dimension, of n entries (MATLAB's variables have two).  ARGUMENT also for another number of
 * columns. */
HYLA_API hyla_status hyla_vector_write(hyla_cube *cube, const hyla_matrix *vector,
                                       const char *path);

/* Collective.  Is the file a .npy file or a dataset of one dimension, which hyla_matrix_read makes
 * a column?  Statuses as of hyla_matrix_probe; vector may be NULL. */
HYLA_API hyla_status hyla_vector_probe(hyla_cube *cube, const char *path, bool *vector);

/* Collective.  Writes `count` integers, as hyla_factor_permutation gives them, as a .npy vector
 * (path ends in .npy), in the way of hyla_matrix_write.  All arguments global.
 * FILE, ARGUMENT, MISMATCH, MEMORY, UNSUPPORTED (dry), COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_integers_write(hyla_cube *cube, const int64_t *values, int64_t count,
                                         const char *path);

/* -------------------------------------------------------------- gallery -- */

/* A kind of matrices with known properties: Hilbert's, Kahan's, matrices with given singular
 * values, singular ones, random ones, and others.  Static strings.
 * formula: entry (i, j), indices from 0, in words or by formula, with m rows, n columns, uniform
 * random numbers r, the unit roundoff u, and c, which is 2^12 in single and 2^26 in double
 * precision.  reference: a key in doc/references.bib and a place there. */
typedef struct hyla_kind {
  const char *name;
  const char *formula;
  const char *reference;
} hyla_kind;

/* Local.  The i-th kind, from 0; NULL beyond the last.  The first six are those of hyla_generator,
 * in that order. */
HYLA_API const hyla_kind *hyla_kind_at(int i);

/* The known properties of the n x n matrices of a kind in a type.  Symmetry and zeros hold bit for
 * bit, the other properties in exact arithmetic. */
typedef struct hyla_properties {
  bool rectangular;     /* the kind has m x n matrices too */
  bool random;          /* the seed matters */
  bool symmetric;       /* A = A^T */
  bool hermitian;       /* A = A^H */
  bool definite;        /* Hermitian positive definite */
  bool unitary;         /* A^H A = I */
  bool grows;           /* with partial pivoting the entries of U grow exponentially with n */
  int64_t lower, upper; /* bandwidths: entry (i, j) is 0 if i - j > lower or j - i > upper */
  int64_t rank;         /* -1: not known */
  double condition;     /* in the 2-norm; infinite: singular, 0: not known */
  double growth;        /* with partial pivoting the largest entry of U is at least this times that
                           of A; 0: not known */
} hyla_properties;

/* Local.  ARGUMENT: the kind or type does not exist, n < 0, known is NULL. */
HYLA_API hyla_status hyla_kind_properties(const char *kind, hyla_type type, int64_t n,
                                          hyla_properties *known);

/* Collective.  Sets the matrix to one of a kind, named by `kind', in the matrix' size and type,
 * with the same bits for any number of ranks and any layout.  Entries of real kinds are real in
 * complex types too.  Sends no messages; some kinds take the memory of five rows and five columns
 * meanwhile.  kind, seed: global.  ARGUMENT (also: the kind has no rectangular matrices, or the
 * type cannot hold an entry; the matrix is then undefined), MISMATCH, MEMORY. */
HYLA_API hyla_status hyla_matrix_gallery(hyla_cube *cube, hyla_matrix *matrix, const char *kind,
                                         uint64_t seed);

/* ----------------------------------------------------------------- plan -- */

/* A plan: one operation on fixed matrices, with its variant chosen and its memory taken.  Running
 * it allocates nothing. */
typedef struct hyla_plan hyla_plan;

/* Collective.  Runs a plan, any number of times.  ARGUMENT, COMMUNICATION, TIMEOUT, BROKEN; for a
 * checked product (hyla_options.check_results) also DAMAGED. */
HYLA_API hyla_status hyla_plan_run(hyla_cube *cube, hyla_plan *plan);

/* Local.  variant: the chosen variant's name.  cost: its cost.  seconds: the predicted time on the
 * cube's machine.  On a virtual cube with clocks that is exactly the time of a run, because every
 * candidate that needs no data is rehearsed there.  explain: a text that says why the variant was
 * chosen, what it costs, and why each other variant was not chosen; as hyla_cube_describe.  For
 * NULL: "", zeros, 0, "". */
HYLA_API const char *hyla_plan_variant(const hyla_plan *plan);
HYLA_API hyla_cost hyla_plan_cost(const hyla_plan *plan);
HYLA_API double hyla_plan_seconds(const hyla_plan *plan);
HYLA_API size_t hyla_plan_explain(const hyla_plan *plan, char *text, size_t capacity);

/* One of the variants among which a plan was chosen.
 *   applies   it could be taken: it serves the problem and respects the memory limit
 *   priced    its cost is known; it is not if another variant was asked for
 *   chosen    it is the plan's variant
 *   rehearsed seconds are those of a run on a virtual cube, to the last bit
 *   cost      on the busiest rank; zeros unless priced
 *   seconds   predicted; 0 unless priced
 *   measured  seconds by hyla_options.measure; 0: not measured
 *   reason    why it was chosen or not, in words */
typedef struct hyla_candidate {
  const char *name;
  bool applies, priced, chosen, rehearsed;
  hyla_cost cost;
  double seconds;
  double measured;
  char reason[256];
} hyla_candidate;

/* Local.  The contents of hyla_plan_explain as data.  operation: named as by
 * hyla_variant_operation; "" for NULL.  candidate: the i-th variant, from 0, in the order of
 * hyla_variant_name; false beyond the last and for NULL.  child: the i-th plan that this one runs
 * as a step, and its purpose (`what', which may be NULL); NULL beyond the last.  Texts and plans
 * are owned by the plan or static. */
HYLA_API const char *hyla_plan_operation(const hyla_plan *plan);
HYLA_API bool hyla_plan_candidate(const hyla_plan *plan, int i, hyla_candidate *candidate);
HYLA_API const hyla_plan *hyla_plan_child(const hyla_plan *plan, int i, const char **what);

/* Local.  Frees the plan, sets *plan to NULL; OK for NULL. */
HYLA_API hyla_status hyla_plan_destroy(hyla_plan **plan);

/* --------------------------------------------------------- redistribute -- */

/* One matrix to move into another: to := alpha op(from).  Real types take the real part of alpha;
 * alpha = 1 keeps every bit, of NaN too. */
typedef struct hyla_transfer {
  hyla_operation op;
  hyla_scalar alpha;
  const hyla_matrix *from;
  hyla_matrix *to;
} hyla_transfer;

/* Collective.  Plans `count' transfers at once, so that they share steps and messages.  Layouts:
 * any, also with copies or on a face.  All matrices have one type; op(from) and to have equal size.
 * No target may share entries with another target or with a source.  variant: a name that `hyla
 * info` lists under redistribute, or NULL to let the cube's options or the planner choose.  All
 * arguments global.  transfers is copied, the matrices must outlive the plan; the caller owns
 * *plan.
 * Memory: besides sources and targets a run uses hyla_plan_cost(plan).memory bytes on a rank, which
 * are taken here.  They are one packing buffer.  For direct, moves and multiphase it holds the
 * entries of all transfers that a rank packs at one time, and the message that arrives then: never
 * more than the rank holds before and after a phase.  For transposes and turns see doc/theory.md.
 * Entries between two phases are in the targets; if a target has no room (a view that is not dense,
 * a rank that passes on more than it gets) the rest is in the buffer.  Lists of runs of rows and
 * columns, and a tile for copies, are not counted.
 * ARGUMENT, MISMATCH, UNSUPPORTED (the message gives each variant's reason), MEMORY. */
HYLA_API hyla_status hyla_redistribute_plan(hyla_cube *cube, int count,
                                            const hyla_transfer *transfers, const char *variant,
                                            hyla_plan **plan);

/* Collective.  The same for one square matrix that is 0 outside a periodic band: in each run entry
 * (i, j) is 0 if width < |i - j| < n - width.  The target is 0 there afterwards; if the source is
 * not 0 there, the target's entries there are undefined.  A variant may avoid sending these
 * entries.  width: global, from 0.  No turns. */
HYLA_API hyla_status hyla_redistribute_band_plan(hyla_cube *cube, const hyla_transfer *transfer,
                                                 int64_t width, const char *variant,
                                                 hyla_plan **plan);

/* Collective.  The same for one square matrix with only some dense columns and some dense rows:
 * in each run all other entries are 0, and so they are in the target afterwards, or undefined if
 * the source's were not.  A variant may avoid sending them: transpose-dense, for matrices by
 * columns or by rows over all nodes (Varvarigos 1992, 3.1).  columns, rows: numbers in rising
 * order, from 0, global; copied; NULL if there are none.  No turns. */
HYLA_API hyla_status hyla_redistribute_dense_plan(hyla_cube *cube, const hyla_transfer *transfer,
                                                  const int64_t *columns, int64_t column_count,
                                                  const int64_t *rows, int64_t row_count,
                                                  const char *variant, hyla_plan **plan);

/* Collective.  Plan, run and destroy in one call; the planner chooses the variant. */
HYLA_API hyla_status hyla_redistribute(hyla_cube *cube, int count, const hyla_transfer *transfers);

/* Collective.  y := alpha op(x) + beta y, with one type, op(x) and y of equal size, and any
 * layouts, which may differ (ScaLAPACK's p?geadd).  Real types take the real parts of alpha and
 * beta.  beta = 0 never reads y, alpha = 0 never reads x.  x and y share no entries.
 * If op(x) lies as y does, nothing travels and nothing is allocated.  Otherwise alpha op(x) is
 * redistributed first, which takes the memory of a redistribution and, unless beta = 0, of one more
 * y.  op, alpha, beta: global.
 * ARGUMENT, MISMATCH, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_add(hyla_cube *cube, hyla_operation op, hyla_scalar alpha,
                              const hyla_matrix *x, hyla_scalar beta, hyla_matrix *y);

/* Collective.  a := alpha a, in place; alpha = 0 gives zeros and reads nothing.  Real types take
 * the real part of alpha.  alpha: global.  ARGUMENT, MISMATCH, BROKEN. */
HYLA_API hyla_status hyla_scale(hyla_cube *cube, hyla_scalar alpha, hyla_matrix *a);

/* ------------------------------------------------------------ scalapack -- */

/* A block-cyclic array as in ScaLAPACK programs; BLACS is not needed.
 *   desc    DTYPE_ (1: dense), CTXT_ (not read), M_, N_, MB_, NB_, RSRC_, CSRC_, LLD_: the
 *           descriptor, global except for LLD_
 *   p, q    the grid of processes, global
 *   order   'R' or 'C': process (i, j) is rank i q + j or i + j p of the cube's communicator, as
 *           BLACS_GRIDINIT with that order numbers them; global
 * If p q is less than the number of nodes, the ranks from p q on hold nothing. */
typedef struct hyla_scalapack {
  int desc[9];
  int p, q;
  char order;
} hyla_scalapack;

/* Collective.  Makes a matrix over the caller's array, like hyla_matrix_wrap: nothing is copied,
 * and blocks and source process are arbitrary.  A submatrix that begins at (IA, JA) is the view
 * from row IA - 1, column JA - 1.  hyla_matrix_copy brings the entries into another layout, or
 * those of another matrix into the array.  local, LLD_: local arguments, not read outside the grid.
 * ARGUMENT; UNSUPPORTED if the nodes are no array of p x q, by rows or by columns as `order' says:
 * powers of two on a cube, elsewhere with hyla_options.array; MISMATCH, MEMORY. */
HYLA_API hyla_status hyla_matrix_wrap_scalapack(hyla_cube *cube, hyla_type type,
                                                const hyla_scalapack *array, void *local,
                                                hyla_matrix **matrix);

/* Local.  The numbers of rows and columns of the array that this rank holds (NUMROC); 0, 0 outside
 * the grid.  LLD_ is not read.  Statuses as of hyla_matrix_wrap_scalapack. */
HYLA_API hyla_status hyla_scalapack_local(hyla_cube *cube, const hyla_scalapack *array,
                                          int64_t *local_rows, int64_t *local_cols);

/* Local; the same on every rank except for LLD_.  The descriptor and the grid with which ScaLAPACK
 * finds the matrix' entries where hyla_matrix_local says.  CTXT_ is -1, for the caller to set.  An
 * axis that is not split gets the other axis' block.
 * UNSUPPORTED, with the reason in the cube's message, if no descriptor exists: Gray code over more
 * than two parts; dimensions other than those of @RxC or, with the rows on the low ones, of its
 * transpose; copies; a view that begins inside a block; sizes beyond int.  Then copy into an array
 * wrapped by hyla_matrix_wrap_scalapack.  ARGUMENT. */
HYLA_API hyla_status hyla_matrix_scalapack(const hyla_matrix *matrix, hyla_scalapack *array);

/* ----------------------------------------------------------------- gemm -- */

/* Collective.  Plans C := alpha op(A) op(B) + beta C for matrices of one type in any layouts;
 * beta = 0 never reads C.  variant: a name that `hyla info` lists, or NULL to let the cube's
 * options or the planner choose.  All arguments global.  The caller owns *plan; the matrices must
 * outlive it.
 * ARGUMENT, MISMATCH, UNSUPPORTED (the message gives each variant's reason), MEMORY. */
HYLA_API hyla_status hyla_gemm_plan(hyla_cube *cube, hyla_operation op_a, hyla_operation op_b,
                                    hyla_scalar alpha, const hyla_matrix *a, const hyla_matrix *b,
                                    hyla_scalar beta, hyla_matrix *c, const char *variant,
                                    hyla_plan **plan);

/* The same with the addresses of alpha and beta, for languages that cannot pass a complex number by
 * value.  ARGUMENT also if one of them is NULL. */
HYLA_API hyla_status hyla_gemm_plan_by_address(hyla_cube *cube, hyla_operation op_a,
                                               hyla_operation op_b, const hyla_scalar *alpha,
                                               const hyla_matrix *a, const hyla_matrix *b,
                                               const hyla_scalar *beta, hyla_matrix *c,
                                               const char *variant, hyla_plan **plan);

/* Collective.  Plan, run and destroy in one call; the planner chooses the variant. */
HYLA_API hyla_status hyla_gemm(hyla_cube *cube, hyla_operation op_a, hyla_operation op_b,
                               hyla_scalar alpha, const hyla_matrix *a, const hyla_matrix *b,
                               hyla_scalar beta, hyla_matrix *c);

/* Collective.  syrk: one triangle of C := alpha A A^T + beta C (op HYLA_NONE) or
 * alpha A^T A + beta C (HYLA_TRANSPOSE), in half the operations of hyla_gemm.
 * herk: one triangle of C := alpha A A^H + beta C (HYLA_NONE) or alpha A^H A + beta C
 * (HYLA_CONJUGATE) for a Hermitian C, whose diagonal comes out real.
 * The other triangle does not change, and beta = 0 never reads C.  c: n x n, op(a): n x k, one
 * type, any layouts; a and c share no entries.
 * The variants are those of gemm that can compute a triangle alone.  Among them summa moves a
 * alone, never its transpose, and sends as much as gemm with two factors in suitable layouts.
 * All arguments global; plans as by hyla_gemm_plan.  ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY; a run
 * also COMMUNICATION, TIMEOUT, BROKEN. */
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

/* Collective.  symm: C := alpha A B + beta C (HYLA_LEFT) or alpha B A + beta C (HYLA_RIGHT) for a
 * symmetric A; only one triangle of A is read.  hemm: the same for a Hermitian A; the imaginary
 * parts of its diagonal are not used.  The other triangle is made in a workspace when A is moved,
 * so no more of A travels than these entries need, and all variants of gemm can be used.
 * b, c: m x n; a: m x m or, from the right, n x n; one type, any layouts; c shares entries with
 * neither; beta = 0 never reads C.  All arguments global; plans as by hyla_gemm_plan.  ARGUMENT,
 * MISMATCH, UNSUPPORTED, MEMORY; a run also COMMUNICATION, TIMEOUT, BROKEN. */
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

/* Collective.  B := alpha op(A) B (HYLA_LEFT) or alpha B op(A) (HYLA_RIGHT) for a triangular A, in
 * half the operations of hyla_gemm.  Only the named triangle of A is read, without its diagonal if
 * that is all ones; most variants also send only half of A's words.
 * b: m x n; a: m x m or, from the right, n x n; one type, any layouts; a and b share no entries.  A
 * NaN or an infinity in b may reach all of its column (from the right: its row).  The variants are
 * those of gemm; they work on copies of A's triangle and of B, which are part of a plan's memory.
 * All arguments global; plans as by hyla_gemm_plan.  ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY; a run
 * also COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_trmm_plan(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                                    hyla_operation op, hyla_diagonal diagonal, hyla_scalar alpha,
                                    const hyla_matrix *a, hyla_matrix *b, const char *variant,
                                    hyla_plan **plan);
HYLA_API hyla_status hyla_trmm(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                               hyla_operation op, hyla_diagonal diagonal, hyla_scalar alpha,
                               const hyla_matrix *a, hyla_matrix *b);

/* ----------------------------------------------------------------- gemv -- */

/* Collective.  y := alpha op(A) x + beta y.  A is not moved; only x and y travel.
 * a: m x n, any layout.  x, y: one column each (hyla_gemm takes several), of n and m entries or, if
 * op transposes, of m and n; any layouts.  A vector in another layout than the variant's is
 * redistributed by a child plan, into a workspace that is part of the plan's memory; it is about as
 * large as a node's rows and columns.  beta = 0 never reads y; alpha = 0 reads neither a nor x.
 * All have one type; y shares entries with neither a nor x.
 * All arguments global; plans as by hyla_gemm_plan; variant: of "gemv", NULL to choose.  Variants
 * are not measured (hyla_options.measure).
 * ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY; a run COMMUNICATION, TIMEOUT, BROKEN. */
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

/* Collective.  symv: y := alpha A x + beta y for a symmetric A; only one triangle of A is read.
 * hemv: the same for a Hermitian A; the imaginary parts of its diagonal are not used.  Each entry
 * is used in place for itself and for its mirror image, so x is sent along rows and columns, and y
 * is summed along both; A is not moved.  a: n x n; x, y: n x 1; all else as in hyla_gemv, with the
 * same variants. */
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
 * a: m x n, any layout, not moved; x: m x 1, y: n x 1, any layouts; x and y may be one vector; a
 * shares entries with neither; alpha = 0 reads neither.  All else as in hyla_gemv, with the same
 * variants. */
HYLA_API hyla_status hyla_ger_plan(hyla_cube *cube, hyla_operation op, hyla_scalar alpha,
                                   const hyla_matrix *x, const hyla_matrix *y, hyla_matrix *a,
                                   const char *variant, hyla_plan **plan);
HYLA_API hyla_status hyla_ger(hyla_cube *cube, hyla_operation op, hyla_scalar alpha,
                              const hyla_matrix *x, const hyla_matrix *y, hyla_matrix *a);

/* ---------------------------------------------------- triangular systems -- */

/* Collective.  B := alpha op(A)^-1 B (HYLA_LEFT) or alpha B op(A)^-1 (HYLA_RIGHT), like BLAS' trsm.
 * A is triangular, of the order of B's rows (from the right: columns).  Its other triangle is not
 * read, nor is its diagonal if that is HYLA_UNIT_DIAGONAL; alpha = 0 reads neither A nor B.
 * Layouts: any.  An operand in another layout than the variant's is redistributed by a child plan,
 * into a workspace that is part of the plan's memory.  Most variants use A in place if A is cyclic,
 * in square blocks of any size, on all nodes; hyla_plan_explain says where a plan's matrices lie.
 * a and b have one type and share no entries; both must outlive the plan.  All arguments global;
 * plans as by hyla_gemm_plan; variant: of "trsm", NULL to choose.  ARGUMENT, MISMATCH, UNSUPPORTED,
 * MEMORY.  A run: SINGULAR (a diagonal entry of A is exactly zero) and NOT_FINITE (one is NaN or
 * infinite); hyla_cube_message names the first one, from 1, and B has not changed; COMMUNICATION,
 * TIMEOUT, BROKEN.  Any other NaN or infinity that is read leaves one in B. */
HYLA_API hyla_status hyla_trsm_plan(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                                    hyla_operation op, hyla_diagonal diagonal, hyla_scalar alpha,
                                    const hyla_matrix *a, hyla_matrix *b, const char *variant,
                                    hyla_plan **plan);
HYLA_API hyla_status hyla_trsm(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                               hyla_operation op, hyla_diagonal diagonal, hyla_scalar alpha,
                               const hyla_matrix *a, hyla_matrix *b);

/* The structure of a matrix, according to its entries: -0 is 0, and a NaN equals nothing.
 *   lower, upper       bandwidths, the least for which entry (i, j) is 0 if i - j > lower or
 *                      j - i > upper; so upper = 0 means lower triangular
 *   hermitian          A = A^H (for real types A = A^T) exactly; false for rectangles
 *   nearly_hermitian   A is square and not Hermitian, but is so up to rounding: no entry differs
 *                      from the conjugate of its mirror image by more than 2 (n + 8) u times A's
 *                      largest entry
 *   positive_diagonal  the diagonal of a square matrix is real and above 0; if A is nearly
 *                      Hermitian, the real parts of its diagonal are above 0
 *   zero               the first diagonal entry that is exactly zero, from 1; 0 if none is */
typedef struct hyla_structure {
  int64_t lower, upper;
  bool hermitian;
  bool nearly_hermitian;
  bool positive_diagonal;
  int64_t zero;
} hyla_structure;

/* Collective.  Finds the structure, the same on all ranks.  A few entries show for nearly every A
 * that it is not even nearly Hermitian; any other A is moved to the layout of A^H, which takes the
 * memory of one more matrix, and compared.  ARGUMENT, MISMATCH, UNSUPPORTED (dry), MEMORY,
 * COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_matrix_structure(hyla_cube *cube, const hyla_matrix *matrix,
                                           hyla_structure *structure);

/* How far a square matrix is from Hermitian, by magnitudes max(|re|, |im|).
 *   largest   the largest difference of an entry and the conjugate of its mirror image; 0: A = A^H;
 *             NaN if one of them is not a number
 *   row, col  of the first such entry by columns, on or below the diagonal, from 0; 0, 0 if A = A^H
 *   rounding  largest is at most 2 (n + 8) u times A's largest entry, which is finite
 *   positive_diagonal  the real parts of the diagonal are above 0 */
typedef struct hyla_asymmetry {
  double largest;
  int64_t row, col;
  bool rounding;
  bool positive_diagonal;
} hyla_asymmetry;

/* Collective.  Finds this, the same on all ranks, with the memory of one more matrix.  ARGUMENT
 * (also for rectangles), MISMATCH, UNSUPPORTED (dry), MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_matrix_asymmetry(hyla_cube *cube, const hyla_matrix *matrix,
                                           hyla_asymmetry *asymmetry);

/* Collective.  A := A^-1 in place for a triangular A (LAPACK's trtri); n^3 / 3 operations.  Only
 * the named triangle is read and changed, without its diagonal if that is all ones.
 * a: n x n, any layout; it must outlive the plan.  If its layout is not the variant's, child plans
 * redistribute its triangle into a workspace, which is part of the plan's memory, and back.  All
 * arguments global; plans as by hyla_gemm_plan; variant: of "trtri", NULL to choose.
 * ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY.  A run: SINGULAR (a diagonal entry is exactly zero) and
 * NOT_FINITE (one is NaN or infinite); hyla_cube_message names the first one, from 1, and A has not
 * changed; COMMUNICATION, TIMEOUT, BROKEN.  Any other NaN or infinity that is read leaves one in
 * A. */
HYLA_API hyla_status hyla_trtri_plan(hyla_cube *cube, hyla_triangle triangle,
                                     hyla_diagonal diagonal, hyla_matrix *a, const char *variant,
                                     hyla_plan **plan);
HYLA_API hyla_status hyla_trtri(hyla_cube *cube, hyla_triangle triangle, hyla_diagonal diagonal,
                                hyla_matrix *a);

/* --------------------------------------------------------------- spectra -- */

/* Which eigenvalues are wanted.  They are numbered from 0, in ascending order. */
typedef enum hyla_eigen_range {
  HYLA_EIGEN_ALL,
  HYLA_EIGEN_INDEX,   /* first ... last, both included; none if last is first - 1 */
  HYLA_EIGEN_INTERVAL /* low < value <= high */
} hyla_eigen_range;

/* All 0: all values.  variant: of "eigen"; NULL to choose. */
typedef struct hyla_eigen_options {
  const char *variant;
  hyla_eigen_range range;
  int64_t first, last;
  double low, high;
} hyla_eigen_options;

/* What a run has found.
 *   first, count  the values wanted are first ... first + count - 1
 *   smallest_gap  between any two neighbours of all n values; infinite for n < 2
 *   deflated      the share of columns that divide and conquer took over as they were, in all its
 *                 merges; 0 without merges
 *   orthogonalized  the vectors took a step of Gram and Schmidt.  Where n is above 16, up to 128
 *                 vectors of n <= 128 always do, and the plan's cost holds it; others do if
 *                 roundings have left them too far from orthogonal, and the plan's explanation says
 *                 what the step adds to the cost */
typedef struct hyla_spectrum {
  int64_t first, count;
  double smallest_gap;
  double deflated;
  bool orthogonalized;
} hyla_spectrum;

/* Collective.  Eigenvalues of a Hermitian (for real types symmetric) matrix and, unless vectors is
 * NULL, orthonormal vectors: A V = V diag(values).  plan: for hyla_plan_run, any number of times;
 * hyla_eigen plans, runs and destroys, for all values.
 * options: NULL: all values.  All arguments global, except addresses.
 * a: n x n; only the named triangle is read, of its diagonal only the real parts; the other
 * triangle may hold anything; not changed.  values: on every rank, room for as many numbers as are
 * wanted, n for an interval; ascending, the same bits on all ranks, and the same with and without
 * vectors.  The variant band, which is taken only when asked for, finds values alone; they differ
 * from the others' by roundings, at most n ulp of the largest one.
 * vectors: a's type, any layout, shares no entries with a; a column for each value, for an interval
 * n columns: the first ones hold the vectors, the others zeros.
 * a, values and vectors must outlive the plan.  Memory besides: a copy of a, of a real type another
 * for the vectors, and that of vectors if their layout is another.  An interval's vectors are moved
 * by a plan that a run makes, and that is kept.  With hyla_options.reproducible, for n above 16,
 * each node takes room for all of a and of the vectors, and reduces a alone.
 * ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY.  A run: NOT_FINITE (the triangle has a NaN or an
 * infinity); UNRELIABLE (a value did not converge; the message says where); COMMUNICATION, TIMEOUT,
 * BROKEN.  (Dongarra, Hammarling, Sorensen 1989.) */
HYLA_API hyla_status hyla_eigen_plan(hyla_cube *cube, const hyla_eigen_options *options,
                                     hyla_triangle triangle, const hyla_matrix *a, double *values,
                                     hyla_matrix *vectors, hyla_plan **plan);
HYLA_API hyla_status hyla_eigen(hyla_cube *cube, hyla_triangle triangle, const hyla_matrix *a,
                                double *values, hyla_matrix *vectors);

/* Local.  What the latest run of such a plan, or of hyla_eigen_generalized_plan's, has found.
 * ARGUMENT for any other plan. */
HYLA_API hyla_status hyla_eigen_found(const hyla_plan *plan, hyla_spectrum *spectrum);

/* Generalised problems, with v for the value. */
typedef enum hyla_eigen_pencil {
  HYLA_PENCIL_AX_BX, /* A x = v B x */
  HYLA_PENCIL_AB_X,  /* A B x = v x */
  HYLA_PENCIL_BA_X   /* B A x = v x */
} hyla_eigen_pencil;

/* Collective.  Values of such a problem and, unless vectors is NULL, its vectors, for a Hermitian a
 * and a Hermitian positive definite b, n x n; only the named triangles are read.  Vectors: X^H B X
 * = I; for B A x, X^H B^-1 X = I.  Reduced to standard form by b's Cholesky factor: values lose
 * digits as far as b is ill-conditioned.
 * plan: as hyla_eigen_plan, with its options (variant: of "eigen-generalized", or of "eigen" for
 * the problem in standard form) and its rules for a, b, values and vectors.  Its children are the
 * steps' plans, and its cost is their sum.  hyla_eigen_generalized plans, runs and destroys, for
 * all values.
 * pivot: as hyla_factor_pivot for b; may be NULL; for the latest run of a plan
 * hyla_eigen_generalized_pivot gives it (local; 0 for any other plan).
 * Memory besides: copies of a and of b, that of vectors if they lie in another layout than a
 * factorization's, and what hyla_eigen takes beside its copy.
 * Statuses of hyla_eigen; INDEFINITE: b is not positive definite.  (Golub and Van Loan 2013,
 * section 8.7.) */
HYLA_API hyla_status hyla_eigen_generalized_plan(hyla_cube *cube, const hyla_eigen_options *options,
                                                 hyla_eigen_pencil kind, hyla_triangle triangle,
                                                 const hyla_matrix *a, const hyla_matrix *b,
                                                 double *values, hyla_matrix *vectors,
                                                 hyla_plan **plan);
HYLA_API hyla_status hyla_eigen_generalized(hyla_cube *cube, hyla_eigen_pencil kind,
                                            hyla_triangle triangle, const hyla_matrix *a,
                                            const hyla_matrix *b, double *values,
                                            hyla_matrix *vectors, int64_t *pivot);
HYLA_API int64_t hyla_eigen_generalized_pivot(const hyla_plan *plan);

/* Collective.  A Hermitian matrix in tridiagonal form, A = Q T Q^H, T real, as LAPACK's sytrd and
 * hetrd leave it.  Of a the named triangle alone is read and changed: it becomes T's entries and
 * the vectors of Q's reflections I - tau[i] v_i v_i^H.
 *   HYLA_LOWER  Q = H_0 H_1 ... H_(n-2); v_i is 1 in row i + 1, and below that stands in column i
 *   HYLA_UPPER  Q = H_(n-2) ... H_1 H_0; v_i is 1 in row i, and above that stands in column i + 1
 * a: n x n, any layout.  d: T's diagonal, n numbers; e: beside it, n - 1; tau: n - 1, complex for
 * complex types; the same bits on every rank.  hyla_packed_apply_q applies a lower triangle's Q,
 * with a and x from row 1 on.  4 n^3 / 3 operations.  Memory: a copy of a, and its panels.
 * ARGUMENT, MISMATCH, MEMORY; NOT_FINITE (the triangle has a NaN or an infinity), a has not
 * changed; COMMUNICATION, TIMEOUT, BROKEN.  (Dongarra, Hammarling, Sorensen 1989.) */
HYLA_API hyla_status hyla_tridiagonal_form(hyla_cube *cube, hyla_triangle triangle, hyla_matrix *a,
                                           double *d, double *e, hyla_scalar *tau);

/* How good values and vectors are, in units of n ulp, ulp = 2^-52 or, in single precision, 2^-23.
 * Norms are Frobenius norms.
 *   residual       |A V - V diag(values)| / |A|
 *   orthogonality  |V^H V - I| */
typedef struct hyla_eigen_errors {
  double residual, orthogonality;
} hyla_eigen_errors;

/* Collective.  Checks m values with their vectors, n x m.  It makes two products, and takes memory
 * for two matrices like vectors and one of m x m.  UNRELIABLE, with valid errors and the reason in
 * the cube's message: the residual is above 1/2, or the orthogonality above 1, for n up to 16 above
 * 2; or one of them is not a number.  Statuses of hyla_gemm. */
HYLA_API hyla_status hyla_eigen_check(hyla_cube *cube, hyla_triangle triangle, const hyla_matrix *a,
                                      const double *values, const hyla_matrix *vectors,
                                      hyla_eigen_errors *errors);

/* Collective.  Checks all n values alone, by A's norm and trace.  The residual is the larger one of
 * ||values| - |A|| / |A| and |sum of values - trace of A| / (n^(1/2) |A|): if they are the values
 * of A + E, neither is above |E| / |A|.  The orthogonality is 0.  No memory.  UNRELIABLE: the
 * residual is above 1/2, for n up to 16 above 2, or not a number.  Statuses of hyla_matrix_norm. */
HYLA_API hyla_status hyla_eigen_check_values(hyla_cube *cube, hyla_triangle triangle,
                                             const hyla_matrix *a, const double *values,
                                             hyla_eigen_errors *errors);

/* What counting has shown of the first and of the last of some values.
 *   within  the error that was allowed
 *   below   how many of all values are below the value minus within, and below it plus within */
typedef struct hyla_eigen_counts {
  double within[2];
  int64_t below[2][2];
} hyla_eigen_counts;

/* Collective.  Checks count values alone, those with the numbers first ... of all n, by counting.
 * Value number k is right to `within' if at most k values are below it by more, and more than k
 * below what is above it by as much; this is checked for the first and for the last value, so that
 * between them lie as many values as there should, but not where each one lies.  within is what the
 * bound b of hyla_eigen_check_values (1/2 or 2) or of hyla_eigen_generalized_check (1 or 4) allows:
 *   b n ulp |A|                              without b, which is then NULL, and kind any
 *   b n ulp (|A| + |value| |B|) |B^-1|       A x = v B x; the last norm is estimated, in the 1-norm
 *   b n ulp |A| |B|                          the other kinds
 * Counts are the negative eigenvalues of A - x B, or what stands for it, by HYLA_LDL, at most four
 * times: n^3 / 3 operations each, and as many for b, 3 n^3 more for the other kinds.  Memory: two
 * matrices and a factorization, with b four and another.  kind, first, count: global; values: the
 * same on all ranks.  UNRELIABLE: a value is further off, or b n ulp |B| |B^-1| is 1 or more.
 * Statuses of hyla_factor_compute; INDEFINITE: b is.  (Golub and Van Loan 2013, section 8.4.) */
HYLA_API hyla_status hyla_eigen_check_counts(hyla_cube *cube, hyla_eigen_pencil kind,
                                             hyla_triangle triangle, const hyla_matrix *a,
                                             const hyla_matrix *b, int64_t first, int64_t count,
                                             const double *values, hyla_eigen_counts *counts);

/* The same for values and vectors of a generalised problem, for B A x = v x all of them, with x the
 * longest vector:
 *   residual       |A V - B V diag(values)| / (|A| |x|); for the other kinds
 *                  |A B V - V diag(values)| or |B A V - V diag(values)|, over |A| |B| |x|
 *   orthogonality  |V^H B V - I| / (|B| |x|^2); for B A x = v x |V V^H - B| / |B|
 * One product, one matrix and 2 n numbers more.  UNRELIABLE: one is above 1, for n up to 16 above
 * 4. */
HYLA_API hyla_status hyla_eigen_generalized_check(hyla_cube *cube, hyla_eigen_pencil kind,
                                                  hyla_triangle triangle, const hyla_matrix *a,
                                                  const hyla_matrix *b, const double *values,
                                                  const hyla_matrix *vectors,
                                                  hyla_eigen_errors *errors);

/* ------------------------------------------------------- singular values -- */

/* All 0: the planner's choice.
 *   method    of "svd": a variant's name; "jacobi": the fastest of the variants jacobi-*;
 *             "bidiagonal": that, or "small" for up to 16 rows and columns; NULL to choose among
 *             all
 *   accurate  small values are wanted to many digits, however A's columns are scaled: Jacobi's
 *             rotations find them so, in at most 30 sweeps (UNRELIABLE) */
typedef struct hyla_svd_options {
  const char *method;
  bool accurate;
} hyla_svd_options;

/* What a run has found.  Value i may be wrong by rounding by about absolute + relative * values[i].
 *   absolute  0 if every value is right to `relative' of its own size, below 1
 *   relative  NaN if it is not known, as by Jacobi's method without vectors
 *   sweeps    of Jacobi's method; 0 by other methods */
typedef struct hyla_svd_report {
  double absolute, relative;
  int sweeps;
} hyla_svd_report;

/* Collective.  Singular values of a matrix and, if they are wanted, vectors:
 * A = left diag(values) right, with left^H left = I and right right^H = I.  plan: for
 * hyla_plan_run, any number of times; hyla_svd plans, runs and destroys.
 * options: NULL: the planner's choice.  All arguments global, except addresses.
 * a: m x n, not changed.  values: on every rank, room for k = min(m, n) numbers; descending, not
 * negative, the same bits on all ranks.
 * left: m x k, right: k x n (V^H, as in LAPACK and NumPy); a's type, any layouts; they share no
 * entries with a nor with each other; NULL: not wanted.
 * a, values, left and right must outlive the plan.  Memory besides: a copy of a, those of left and
 * right if their layouts are others than the method's, and what the method takes.
 * ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY.  A run: NOT_FINITE (A has a NaN or an infinity);
 * UNRELIABLE (a value did not converge; the message says where); COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_svd_plan(hyla_cube *cube, const hyla_svd_options *options,
                                   const hyla_matrix *a, double *values, hyla_matrix *left,
                                   hyla_matrix *right, hyla_plan **plan);
HYLA_API hyla_status hyla_svd(hyla_cube *cube, const hyla_matrix *a, double *values,
                              hyla_matrix *left, hyla_matrix *right);

/* Local.  What the latest run of such a plan has found.  ARGUMENT for any other plan. */
HYLA_API hyla_status hyla_svd_found(const hyla_plan *plan, hyla_svd_report *report);

/* How good values and vectors are, ulp = 2^-52 or, in single precision, 2^-23.  Norms are Frobenius
 * norms.
 *   residual  |A - left diag(values) right| / (|A| max(m, n) ulp)
 *   left      |left^H left - I| / (m ulp)
 *   right     |right right^H - I| / (n ulp) */
typedef struct hyla_svd_errors {
  double residual, left, right;
} hyla_svd_errors;

/* Collective.  Checks k values with their vectors.  It makes three products, and takes memory for
 * matrices like a and like left and for one of k x k.  UNRELIABLE, with valid errors and the reason
 * in the cube's message: one of them is above 1, or is not a number.  Statuses of hyla_gemm. */
HYLA_API hyla_status hyla_svd_check(hyla_cube *cube, const hyla_matrix *a, const double *values,
                                    const hyla_matrix *left, const hyla_matrix *right,
                                    hyla_svd_errors *errors);

/* ----------------------------------------------------------- least squares -- */

/* Collective.  A P = Q R with columns chosen on the way, so that R's diagonal falls: a becomes R
 * and, below its diagonal, the vectors v of Q's reflections I - tau v v^H without their leading
 * ones, as LAPACK's geqp3 leaves them; hyla_packed_apply_q and hyla_packed_q take both.
 * a: m x n, any layout.  tau: min(m, n) numbers; columns: n numbers, column j of A P is column
 * columns[j] of A; on every rank, the same on all.  variant: of "qr_pivoted"; NULL to choose.
 * classic: the column of the largest norm comes next; tournament: the columns of a panel are chosen
 * all at once (Demmel, Grigori, Gu, Xiang 2015).  a, tau and columns must outlive the plan.  All
 * arguments global, except addresses.  Memory besides: a workspace like a if columns are not whole
 * on one node in blocks that are dealt out to all, and a few panels of m rows.
 * ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY.  A run: NOT_FINITE; COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_qr_pivoted_plan(hyla_cube *cube, hyla_matrix *a, hyla_scalar *tau,
                                          int64_t *columns, const char *variant, hyla_plan **plan);
HYLA_API hyla_status hyla_qr_pivoted(hyla_cube *cube, hyla_matrix *a, hyla_scalar *tau,
                                     int64_t *columns);

/* How a least squares problem is solved.
 *   AUTO     by QR, and by pivoted columns where the estimated condition does not exclude that the
 *            rank is lower than min(m, n)
 *   QR       never by pivots: the rank is min(m, n)
 *   PIVOTED  always by pivots */
typedef enum hyla_lstsq_method {
  HYLA_LSTSQ_AUTO,
  HYLA_LSTSQ_QR,
  HYLA_LSTSQ_PIVOTED
} hyla_lstsq_method;

/* All 0: the default.
 *   op        of a
 *   rcond     0 <= rcond < 1: diagonal entries of the pivoted R count towards the rank if they are
 *             above rcond times the first; 0: max(m, n) ulp, as NumPy has it
 *   variant   of "qr"; pivoting: of "qr_pivoted"; NULL to choose
 *   extended  refine x and the residual together, with residuals in twice the precision (Bjorck
 *             1967), or x of least norm and its coordinates in op(A)'s rows: errors are then those
 *             of rounding x, as long as the condition is below 1/u.  Of a lower rank nothing is
 *             refined.  Up to 16 rows and columns one step is always taken, or two of least norm
 *   lower     NULL, or second words of a's entries, of its size and type, any layout: the solution
 *             is refined to that of a + lower, which a alone cannot hold */
typedef struct hyla_lstsq_options {
  hyla_operation op;
  hyla_lstsq_method method;
  double rcond;
  const char *variant, *pivoting;
  bool extended;
  const hyla_matrix *lower;
} hyla_lstsq_options;

/* How good a solution is.
 *   rank            the same on all ranks
 *   tolerance       the rcond in use
 *   rcond           1 / (|A|_F |R^-1|_F), R of the QR without pivots, estimated with random columns
 *                   (Gudmundsson, Kenney, Laub 1995)
 *   residual        |b - op(A) x| / |b|, the largest over the columns
 *   backward_error  a bound on |E|_F / |A|_F for an E with which x solves the problem of op(A) + E,
 *                   op(A) counted as of that rank: the less of |op(A)^H r| / |r| (Stewart 1977) and
 *                   |r1| / |x|, r = b - op(A) x, r1 its part in op(A)'s range; the largest over the
 *                   columns
 *   bound           of a pivoted QR with R = [R11 R12; 0 R22], R11 of that rank k: f so that the
 *                   singular values of R11 and R22 are those of A within a factor of
 *                   sqrt(1 + f^2 k (n - k)) (Gu, Eisenstat 1996); at most 2; 0: there are no
 *                   pivots, or no R22
 *   changes         of columns that the first pivots needed for it
 *   variant, pivoting  of QR; of the pivoted QR, NULL: none was needed; static strings
 *   refinements, correction  the steps of refinement, and the last one's size relative to x, the
 *                   largest over the columns */
typedef struct hyla_lstsq_report {
  int64_t rank;
  double tolerance, rcond;
  double residual, backward_error;
  double bound;
  int changes;
  const char *variant, *pivoting;
  int refinements;
  double correction;
} hyla_lstsq_report;

/* Collective.  x := the solution of least norm among those that minimise |b - op(A) x|, column by
 * column, A counted as of the rank that the tolerance gives it.  op(a): m x n, any m and n; b: m x
 * nrhs; x: n x nrhs; one type, any layouts; a and b are not changed, x shares no entries with them.
 * options: NULL: the default.  report: NULL: none is made; otherwise it costs three products.  All
 * arguments global, except addresses.  Memory: a copy of a and of the right-hand sides; with pivots
 * six matrices of order min(m, n); a report three times the right-hand sides.
 * ARGUMENT, MISMATCH, UNSUPPORTED (no data), MEMORY, NOT_FINITE (a has a NaN or an infinity);
 * SINGULAR (HYLA_LSTSQ_QR, and R has a zero on its diagonal); COMMUNICATION, TIMEOUT, BROKEN.
 * (Golub 1965; Hanson, Lawson 1969.)
 * plan: for hyla_plan_run, any number of times; each run fills in the report.  a, b, x, report
 * and options.lower must outlive the plan.  Its variants are those of "qr", each with the cost of
 * the whole.  No data are read: op(A) counts as of full rank, pivots only if they are asked for,
 * and one step of refinement.  Its memory is that of all steps to which the data may lead, pivots
 * among them, and a run takes none. */
HYLA_API hyla_status hyla_lstsq(hyla_cube *cube, const hyla_lstsq_options *options,
                                const hyla_matrix *a, const hyla_matrix *b, hyla_matrix *x,
                                hyla_lstsq_report *report);
HYLA_API hyla_status hyla_lstsq_plan(hyla_cube *cube, const hyla_lstsq_options *options,
                                     const hyla_matrix *a, const hyla_matrix *b, hyla_matrix *x,
                                     hyla_lstsq_report *report, hyla_plan **plan);

/* -------------------------------------------------------------- low ranks -- */

/* All 0: as many columns as q has.
 *   tolerance  0 <= tolerance < 1: columns are added in blocks of 16 until the bound is below it;
 *              one that rounding hides counts as 4 max(m, n) ulp; 0: there is none
 *   power      products with A A^H before columns are chosen; 1 or 2 where singular values fall
 *              slowly
 *   seed       of the random numbers
 *   variant    of "qr"; NULL to choose */
typedef struct hyla_lowrank_options {
  double tolerance;
  int power;
  uint64_t seed;
  const char *variant;
} hyla_lowrank_options;

/* How good Q B is, by 16 products with random vectors that had no part in it.
 *   rank   columns of Q
 *   error  an estimate of |A - Q B| / |A|, Frobenius norms; a factor of 2 is seldom, one of 10 once
 *          in 10^12 times
 *   bound  |A - Q B|_2 / |A|_F is at most this, except with probability 10^-16
 *   variant  of QR, a static string; NULL: nothing was factored */
typedef struct hyla_lowrank_report {
  int64_t rank;
  double error, bound;
  const char *variant;
} hyla_lowrank_report;

/* Collective.  A = Q B nearly, with orthonormal columns of Q that random products with A show
 * (Halko, Martinsson, Tropp 2011), and B = Q^H A.  With singular values s_i of A and Q of k + p
 * columns, p at least 4, |A - Q B|_2 is at most (1 + 9 sqrt(k + p) sqrt(min(m, n))) s_(k+1), except
 * with probability 3 p^-p; on the average it is far less.
 * a: m x n, not changed; q: m x K, K up to min(m, n); b: K x n, or NULL: not wanted; one type, any
 * layouts; they share no entries.  Where fewer than K columns suffice, the others of q and rows of
 * b are zeros.  Bits of q and b depend on the number of ranks, as products' do.
 * options: NULL: all 0.  report: on every rank, or NULL.  All arguments global, except addresses.
 * Memory besides: two blocks of columns for QR, one of n rows; without a tolerance a block has K.
 * ARGUMENT, MISMATCH, UNSUPPORTED (no data), MEMORY; NOT_FINITE (A has a NaN or an infinity, or a
 * product overflows); UNRELIABLE, with valid q and b: K columns do not reach the tolerance;
 * COMMUNICATION, TIMEOUT, BROKEN.
 * plan: for hyla_plan_run, any number of times; each run fills in the report.  a, q, b and
 * report must outlive the plan.  Its variants are those of "qr", each with the cost of the whole;
 * with a tolerance that is the cost of all K columns.  A run plans its steps anew and takes their
 * memory. */
HYLA_API hyla_status hyla_lowrank(hyla_cube *cube, const hyla_lowrank_options *options,
                                  const hyla_matrix *a, hyla_matrix *q, hyla_matrix *b,
                                  hyla_lowrank_report *report);
HYLA_API hyla_status hyla_lowrank_plan(hyla_cube *cube, const hyla_lowrank_options *options,
                                       const hyla_matrix *a, hyla_matrix *q, hyla_matrix *b,
                                       hyla_lowrank_report *report, hyla_plan **plan);

/* ------------------------------------------------ block tridiagonal systems -- */

/* Collective.  Solves a block tridiagonal system in place: B := the X with, for each block row i,
 * L_i X_(i-1) + D_i X_i + U_i X_(i+1) = B_i.  The blocks stand one below the other in three tall
 * matrices, as the entries of a tridiagonal matrix do in LAPACK's gtsv; their columns are the
 * blocks' order s.
 * below, diagonal, above: n x s, block row i is rows i s ... of all; the last one may have fewer
 * rows, and then only as many columns of its D and of the U above it count.  The first L and the
 * last U are not read.  diagonal and above are overwritten.  b: n x nrhs.
 * The matrices have one type and share no entries; any layouts, those of all are brought to that of
 * diagonal if it uses all nodes; all must outlive the plan.  Pivots are sought within a block
 * alone, so this suits diagonally dominant systems; others have dense methods.  All arguments
 * global; plans as by hyla_gemm_plan; variant: of "tridiagonal", NULL to choose.  ARGUMENT,
 * MISMATCH, UNSUPPORTED, MEMORY.  A run: SINGULAR (a pivot is exactly zero; hyla_cube_message names
 * its row, from 1; b and the blocks are of no more use); COMMUNICATION, TIMEOUT, BROKEN.  (Johnsson
 * 1987, 6.4.3.) */
HYLA_API hyla_status hyla_tridiagonal_plan(hyla_cube *cube, const hyla_matrix *below,
                                           hyla_matrix *diagonal, hyla_matrix *above,
                                           hyla_matrix *b, const char *variant, hyla_plan **plan);
HYLA_API hyla_status hyla_tridiagonal(hyla_cube *cube, const hyla_matrix *below,
                                      hyla_matrix *diagonal, hyla_matrix *above, hyla_matrix *b);

/* --------------------------------------------------------------- factor -- */

/* The methods that solve systems: HYLA_LU, HYLA_CHOLESKY, HYLA_LDL, HYLA_GAUSS_JORDAN, HYLA_QR.
 * The list in hyla_methods.h says for which A each is, and what it makes of A. */
#define HYLA_METHOD_NUMBER(NAME, ...) HYLA_##NAME,
typedef enum hyla_method { HYLA_METHODS(HYLA_METHOD_NUMBER) } hyla_method;

/* The traits of a method; static strings.
 *   name        also the operation under which hyla_variant_name lists the method's variants
 *   text        a clause: for which matrices, and how
 *   sample      a kind of the gallery whose matrices it takes and solves well
 *   flops       a factorization takes flops n^3 + O(n^2) additions and multiplications
 *   needs_data  its messages and operations depend on the entries: a dry simulation can plan it,
 *               but not run it.  LU is the exception: hyla_factor_compute then draws its pivots
 *   rectangular it also factors matrices with more rows than columns, or fewer */
typedef struct hyla_method_traits {
  const char *name;
  const char *text;
  const char *sample;
  double flops;
  bool needs_data;
  bool rectangular;
} hyla_method_traits;

/* Local.  The i-th method, from 0, in the order of hyla_method; NULL beyond the last. */
HYLA_API const hyla_method_traits *hyla_method_at(int i);

/* A factorization: its memory and, once computed, its factors. */
typedef struct hyla_factor hyla_factor;

/* Collective.  Takes the memory to factor n x n matrices of a type by a method, and to solve with
 * up to nrhs right-hand sides at a time.
 * layout: of the factors.  NULL: hyla_layout_default with a block chosen for n; by columns alone if
 * all ranks share the cores of one machine.  All methods need cyclic storage with the same block on
 * both axes (an axis that is not split may have any).  variant: of the method, as hyla_variant_name
 * lists them, or NULL to let the cube's options or the planner choose.  All arguments global.  The
 * caller owns *factor.  The plan includes redistributions of nrhs right-hand sides and solutions
 * that hyla_matrix_create makes in that layout.
 * ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY. */
HYLA_API hyla_status hyla_factor_create(hyla_cube *cube, hyla_method method, hyla_type type,
                                        int64_t n, int64_t nrhs, const hyla_layout *layout,
                                        const char *variant, hyla_factor **factor);

/* Collective.  The same for m x n matrices; if m != n, by methods that are rectangular.  P A = L U
 * then has min(m, n) pivots, L m x min(m, n) and U min(m, n) x n, like LAPACK's getrf; A = Q R has
 * R min(m, n) x n, like geqrf.  nrhs: 0 if m != n; then hyla_factor_compute, _lower, _upper,
 * _packed, _reflections, _permutation and _growth can be used, and calls that solve with A, or that
 * need a square matrix, return ARGUMENT.  With m = n this is hyla_factor_create.  layout: of the m
 * x n factors; the blocks of its axes may differ if both are at least as long as min(m, n).
 * ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY. */
HYLA_API hyla_status hyla_factor_create_rectangular(hyla_cube *cube, hyla_method method,
                                                    hyla_type type, int64_t m, int64_t n,
                                                    int64_t nrhs, const hyla_layout *layout,
                                                    const char *variant, hyla_factor **factor);

/* Collective.  Computes the factors of a, which is not changed and may have any layout.  SINGULAR:
 * a pivot is exactly zero or, for some methods, the rest of a column.  INDEFINITE, from Cholesky: a
 * is not positive definite.  NOT_FINITE: a pivot is NaN or infinite.  All three set
 * hyla_factor_pivot.
 * A matrix in another layout than the factors' is redistributed.  Unless create has planned it, the
 * plan is made for the first matrix of that shape and kept; nothing else is allocated.  The same
 * holds for b and x below.
 * ARGUMENT, MISMATCH, MEMORY (for such a plan), DAMAGED (hyla_options.check_results),
 * COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_compute(hyla_cube *cube, hyla_factor *factor,
                                         const hyla_matrix *a);

/* Collective.  hyla_factor_create and hyla_factor_compute of the matrix *a, which the caller gives
 * away.  If its layout is good for factors (as hyla_matrix_create's default is for most sizes, if
 * each rank has a core of its own), its memory becomes the factors' and A is not copied.  Otherwise
 * it is redistributed and destroyed.
 * On success, and on any failure once the factorization has its own memory, the factorization owns
 * the matrix: *a is NULL and *factor is set, so that hyla_factor_pivot tells where a computation
 * failed.  After an earlier failure (ARGUMENT, MISMATCH, UNSUPPORTED, no memory for the
 * factorization) *factor is NULL, and *a is still the caller's, with its entries.
 * A wrapped matrix' array and a view's parent stay the caller's.  They must outlive the
 * factorization, and the entries of *a in them are overwritten.  A later call by the factorization
 * refuses to write to a matrix that shares entries with the factors (ARGUMENT).  The factors have
 * the same bits as those of create if the layouts are the same.
 * method, nrhs, variant: as in hyla_factor_create_rectangular; all global.  SINGULAR, INDEFINITE,
 * NOT_FINITE, ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY, DAMAGED, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_adopt(hyla_cube *cube, hyla_method method, int64_t nrhs,
                                       const char *variant, hyla_matrix **a, hyla_factor **factor);

/* Collective.  x := op(A)^-1 b.  b, x: n x nrhs in any layouts, nrhs at most the number given to
 * create; x may be b.  A NaN in b leaves a NaN in its column of x and affects no other column.  The
 * first solution by LU with an op other than HYLA_NONE takes memory for a copy of the right-hand
 * sides, workspace and redistributions, and keeps it.  It also moves L's rows to where the last
 * swaps put them, so that the rounding of later solutions may differ from that of earlier ones.
 * ARGUMENT (also: not computed, computed without success, not a square matrix), MISMATCH, MEMORY,
 * COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_solve(hyla_cube *cube, const hyla_factor *factor,
                                       hyla_operation op, const hyla_matrix *b, hyla_matrix *x);

/* Collective.  Copies the computed factors into the caller's matrices, of the factors' type in any
 * layout: P A = L U (LU), A = L U with U = L^H (Cholesky), P A P^T = L D U with U = L^H (LDL;
 * hyla_factor_diagonal gives D), A = Q R with R in the place of U (QR, upper alone).  l: m x min(m,
 * n), lower triangular, with ones on the diagonal for LU and LDL.  u: min(m, n) x n, upper
 * triangular.  Both have exact zeros in the other triangle.  Both take the memory of a
 * redistribution; hyla_factor_lower of LU also takes that of one more copy of the factors, since it
 * moves L's rows to where the last swaps put them.  The factorization does not change.
 * ARGUMENT (also: not computed, or computed without success), UNSUPPORTED (Gauss-Jordan makes no
 * triangles, QR no lower one), MISMATCH, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_lower(hyla_cube *cube, const hyla_factor *factor, hyla_matrix *l);
HYLA_API hyla_status hyla_factor_upper(hyla_cube *cube, const hyla_factor *factor, hyla_matrix *u);

/* Collective.  Are factors that were written to files still A's?  hold: computes sums of the rows
 * of A, which the caller gives again, best after reading it again, and keeps them with the
 * factorization.
 * held: compares them with those of P^T L U or, for LDL, of P^T L D L^H P.  QR writes only R, so
 * sums of A^H A are compared with those of R^H R.  lower, upper: files with L and U
 * (hyla_matrix_read); NULL: as hyla_factor_lower and _upper give them now.  rows: from
 * hyla_factor_permutation, used as it is.  *worst: the largest difference for a row, divided by the
 * difference that rounding can make.  If it is above 1, some bit has changed by more than rounding,
 * and the status is DAMAGED, with the row in the message.  Rows whose sums are not finite are not
 * checked.  All arguments except rows are global.  Memory: vectors, which are kept, and during held
 * one more factor, as in hyla_factor_lower.  ARGUMENT (also: held before hold), UNSUPPORTED
 * (Gauss-Jordan makes no triangles; dry), MISMATCH, MEMORY, FILE, FORMAT, DAMAGED, COMMUNICATION,
 * TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_hold(hyla_cube *cube, hyla_factor *factor, const hyla_matrix *a);
HYLA_API hyla_status hyla_factor_held(hyla_cube *cube, const hyla_factor *factor, const char *lower,
                                      const char *upper, const int64_t *rows, double *worst);

/* Collective.  Copies the factors in the form in which LAPACK leaves them in A's place.
 *   HYLA_LU        like getrf: L below the diagonal, without its ones, and U on and above it
 *   HYLA_CHOLESKY  like potrf: one triangle, L (HYLA_LOWER) or L^H (HYLA_UPPER); the other one
 *                  keeps its entries
 *   HYLA_QR        variant householder, like geqrf: R on and above the diagonal, the reflections'
 *                  vectors below it
 * packed: m x n, of the factors' type, any layout; triangle: global, for Cholesky.  Takes memory
 * like hyla_factor_lower; the factorization does not change.  ARGUMENT (also: not computed, or
 * computed without success), UNSUPPORTED (other methods, other variants of QR), MISMATCH, MEMORY,
 * COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_packed(hyla_cube *cube, const hyla_factor *factor,
                                        hyla_triangle triangle, hyla_matrix *packed);

/* Collective.  tau of the reflections of HYLA_QR, variant householder.  With the vectors v_i of
 * hyla_factor_packed, Q = (I - tau[0] v_0 v_0^H) (I - tau[1] v_1 v_1^H) ... in LAPACK's form: entry
 * i of v_i is 1, entries before it are 0, entries behind it are below the diagonal.  The tau are
 * real, so each reflection is Hermitian, and in complex types R's diagonal is complex.  Where
 * m <= n the last row has no reflection, and its tau is 0, as LAPACK's is in real types.
 * tau: min(m, n) numbers, the same on every rank.  Takes the memory of as many numbers.
 * UNSUPPORTED for another method or variant, ARGUMENT as above (also: tau is NULL), MISMATCH,
 * MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_reflections(hyla_cube *cube, const hyla_factor *factor,
                                             double *tau);

/* Collective.  The unitary factor of A = Q R (HYLA_QR, variant householder), m x m, which is stored
 * as reflections; R is that of hyla_factor_upper.
 *   apply_q  x := op(Q) x (HYLA_LEFT) or x op(Q) (HYLA_RIGHT).  x: m rows or m columns
 *   q        q := Q's leading columns.  q: m x any number up to m; the first min(m, n) of them
 *            times R are A
 * x, q: of the factors' type, any layout.  side, op: global.  A matrix whose rows lie as those of
 * the factors and whose columns lie over the same dimensions as theirs, in any blocks, is computed
 * in place, for HYLA_LEFT and for q; any other one passes through a workspace of its size.  Flops
 * for r columns or rows and k = min(m, n): (4 m - 2 k) k r; q saves those that meet only zeros.
 * The factorization does not change.  ARGUMENT (also: not computed, or computed without success),
 * UNSUPPORTED (other methods, other variants of QR), MISMATCH, MEMORY, COMMUNICATION, TIMEOUT,
 * BROKEN. */
HYLA_API hyla_status hyla_factor_apply_q(hyla_cube *cube, const hyla_factor *factor, hyla_side side,
                                         hyla_operation op, hyla_matrix *x);
HYLA_API hyla_status hyla_factor_q(hyla_cube *cube, const hyla_factor *factor, hyla_matrix *q);

/* Collective.  The same for reflections that another program has made, or hyla_factor_packed:
 * Q = (I - tau[0] v_0 v_0^H) (I - tau[1] v_1 v_1^H) ..., with entry i of v_i 1, entries before it 0
 * and those behind it below packed's diagonal, as LAPACK's geqrf leaves them.  (With the R of
 * hyla_factor_upper the first min(m, n) columns of Q, and rows of R, have the other sign, but those
 * of a last row without a reflection.)
 * packed: m x k; entries on and above its diagonal are not used; q may be packed.  tau: min(m, k)
 * numbers, the same on every rank; complex for complex types, as LAPACK's may be; 0: no reflection.
 * Takes workspace for the vectors if they do not lie in square blocks, or for q, and for three
 * panels.  ARGUMENT (also: tau is NULL), MISMATCH, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_packed_apply_q(hyla_cube *cube, const hyla_matrix *packed,
                                         const hyla_scalar *tau, hyla_side side, hyla_operation op,
                                         hyla_matrix *x);
HYLA_API hyla_status hyla_packed_q(hyla_cube *cube, const hyla_matrix *packed,
                                   const hyla_scalar *tau, hyla_matrix *q);

/* Collective.  P: row i of P A is row rows[i] of A, so entry (i, rows[i]) of P is 1; the identity
 * for Cholesky.  rows: m numbers, one for each row of A, the same on every rank.  ARGUMENT (also:
 * rows is NULL), UNSUPPORTED as above, MISMATCH, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_permutation(hyla_cube *cube, const hyla_factor *factor,
                                             int64_t *rows);

/* Collective.  The determinant of A, once it is factored: (sign[0] + i sign[1]) exp(*log_abs).  The
 * sign has magnitude 1; for real types it is exactly 1 or -1, with every swap of P counted.  It is
 * 1 for Cholesky and real for LDL.  The determinant is never 0, because a matrix with an exact zero
 * pivot has no factors (SINGULAR).  n = 0: log_abs 0, sign 1.  log_abs, sign: one and two numbers,
 * the same on every rank.
 * ARGUMENT as above (also: A is not square, log_abs or sign is NULL), MISMATCH, UNSUPPORTED
 * (Gauss-Jordan; dry), COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_determinant(hyla_cube *cube, const hyla_factor *factor,
                                             double *log_abs, double sign[2]);

/* Collective.  D of P A P^T = L D L^H (HYLA_LDL): its diagonal, and below[i] = entry (i + 1, i),
 * which is 0 except where a block of order 2 begins; D is Hermitian.  diagonal, below: room for n
 * numbers each; the same on every rank.  UNSUPPORTED for another method, ARGUMENT as above (also:
 * an array is NULL), MISMATCH, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_diagonal(hyla_cube *cube, const hyla_factor *factor,
                                          double *diagonal, hyla_scalar *below);

/* Collective.  The numbers of positive and of negative eigenvalues of A, from D of HYLA_LDL
 * (Sylvester's law of inertia; Higham 2002, chapter 11).  They are exact for a matrix near A, so
 * eigenvalues of the size of rounding errors may count on either side.  A computed factorization
 * has no zero eigenvalues.  Statuses as of hyla_factor_diagonal. */
HYLA_API hyla_status hyla_factor_inertia(hyla_cube *cube, const hyla_factor *factor,
                                         int64_t *positive, int64_t *negative);

/* Collective.  An estimate of 1 / (|A|_1 |A^-1|_1), the reciprocal condition number in the 1-norm.
 * 1 is best; below n u (n times the type's unit roundoff) a solution may have no correct digit.
 * The estimate is not below the true value except for rounding, and seldom above three times it
 * (Higham 2002, Algorithm 15.4).
 * norm: |A|_1, as hyla_matrix_norm with HYLA_NORM_ONE gives it for A before the factorization;
 * global.  Vectors are scaled by powers of two: the estimate has the same bits for 2^k A and its
 * norm if the factors have the same bits apart from the scale.  The estimate is 0 if norm is 0 or
 * infinite, or if a solution overflows with any scaling; NaN if norm is NaN; 1 for n = 0.
 * For Gauss-Jordan, which has the inverse, it is exact up to rounding, except for variant diagonal.
 * Otherwise it costs at most 12 solutions with one right-hand side, with A and with A^H, and a few
 * more near an end of the type's range.  It takes the memory of two vectors, and the memory that
 * hyla_factor_solve names for the first solution with A^H.
 * ARGUMENT (also: not computed, computed without success, not a square matrix, created without
 * right-hand sides, norm below 0), MISMATCH, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_condition(hyla_cube *cube, const hyla_factor *factor, double norm,
                                           double *rcond);

/* Collective.  The same estimate from packed triangles, as hyla_factor_packed or another program's
 * getrf and potrf leave them: for HYLA_LU both, for HYLA_CHOLESKY the named one.  The swaps do not
 * matter, so rows may be in any order.  packed: n x n, any layout, not changed; Cholesky does not
 * read the other triangle.  triangle: for Cholesky; any for LU.  kind: HYLA_NORM_ONE, or
 * HYLA_NORM_INF for the condition in the infinity norm.  norm: |A| in that norm.  All global.
 * Takes the memory of two vectors and of the plans of four substitutions.
 * SINGULAR: an exact zero on the diagonal.  ARGUMENT (also: not square, norm below 0), UNSUPPORTED
 * (other methods), MISMATCH, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_packed_condition(hyla_cube *cube, hyla_method method,
                                           hyla_triangle triangle, const hyla_matrix *packed,
                                           hyla_norm kind, double norm, double *rcond);

/* Collective.  x := A^-1; n x n, of the factors' type, any layout.  With Gauss-Jordan the factors
 * are the inverse, which is copied.  With another method, or variant diagonal, A X = I is solved
 * for as many columns at a time as create was given right-hand sides; that takes 2 n^3 operations
 * (complex: 8 n^3) and the memory of hyla_factor_solve.  To compute A^-1 b, solve instead: that
 * takes a third of the work and is at least as accurate (Higham 2002, section 14.1).
 * ARGUMENT (also: not computed, computed without success, not a square matrix, created without
 * right-hand sides although the factors are not the inverse), MISMATCH, MEMORY, COMMUNICATION,
 * TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_inverse(hyla_cube *cube, const hyla_factor *factor,
                                         hyla_matrix *x);

/* Collective.  The growth factor: the largest |u_ij| (LU) or the largest entry of L D (LDL) divided
 * by the largest |a_ij|.  If it is 10^k, solutions lose about k digits.  1 for Cholesky, which has
 * no growth, and if A has no rows or no columns; otherwise NaN for Gauss-Jordan, which keeps no U.
 * largest: |a_ij| of A before the factorization, from hyla_matrix_norm with HYLA_NORM_MAX; global.
 * ARGUMENT (also: not computed, or computed without success, largest below 0), MISMATCH,
 * COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_growth(hyla_cube *cube, const hyla_factor *factor, double largest,
                                        double *growth);

/* Iterative refinement of a solution.
 *   DEFAULT         FIXED for HYLA_GAUSS_JORDAN, whose solutions are products with the inverse and
 *                   have errors above rounding (EXTENDED if n is 1); NONE for the other methods
 *   NONE            no refinement
 *   FIXED           in the precision of the type: solves for the residual and adds the answer,
 *                   until the componentwise backward error is the unit roundoff, a step does not
 *                   halve it, or ten steps are done; the better one of the last two solutions is
 *                   kept (Higham 2002, section 12.2)
 *   MIXED           in hyla_solve_expert, for HYLA_DOUBLE and HYLA_DOUBLE_COMPLEX: the same with A
 *                   factored in half the precision, which takes about half the time, and at most
 *                   thirty steps; residuals and x have the precision of the type.  If A cannot be
 *                   factored so, if rcond is below the unit roundoff of the half precision, or if
 *                   the error stays above (10 + sqrt(n)) u, all is done again in full precision,
 *                   by FIXED
 *   EXTENDED        with residuals in twice the precision of the type (Demmel et al. 2006), until
 *                   the correction of each column of x is at most u times it, or does not halve.
 *                   FIXED gives the solution of a system near the given one; EXTENDED gives the
 *                   solution of the given system, with an error of about u in norm unless
 *                   cond(A) u is near 1
 *   MIXED_EXTENDED  as MIXED, with the residuals and steps of EXTENDED: the error is about u if
 *                   cond(A) times the unit roundoff of the half precision is below 1; otherwise
 *                   EXTENDED */
typedef enum hyla_refinement {
  HYLA_REFINE_DEFAULT,
  HYLA_REFINE_NONE,
  HYLA_REFINE_FIXED,
  HYLA_REFINE_MIXED,
  HYLA_REFINE_EXTENDED,
  HYLA_REFINE_MIXED_EXTENDED
} hyla_refinement;

/* The quality of a solution x of A x = b.  Errors are the largest over the columns of x, and NaN if
 * anything is NaN or infinite.  If a status other than OK and UNRELIABLE ended the call, the later
 * members are NaN.  r is b - A x, u the unit roundoff.
 *   method, variant      by which A was factored; a static string
 *   rcond, growth        as by hyla_factor_condition and hyla_factor_growth
 *   residual             as by hyla_residual
 *   backward_error       |r| / (|A| |x| + |b|) in maximum norms: the relative change of A and b for
 *                        which x is exact (Higham 2002, Theorem 7.1)
 *   componentwise_error  the largest |r|_i / (|A| |x| + |b|)_i: the same for each entry (Theorem
 *                        7.3).  It may be 1 although x is good, if rows of A meet only zeros of x
 *   forward_bound        a bound for the error of x relative to x in the 1-norm, as far as rcond is
 *                        true: |A^-1| | |r| + (n + 1) u (|A| |x| + |b|) | / |x|.  The last term is
 *                        for the rounding of r, and has another factor u with extended residuals.
 *                        After extended refinement that converged, the error by its corrections if
 *                        that is less: the last one / (1 - q), q the largest ratio of successive
 *                        corrections.  With extended refinement at least max(10, sqrt(n)) u (Demmel
 *                        et al. 2006)
 *   refinements          number of refinement steps tried
 *   reliable             false for every reason of UNRELIABLE (hyla_factor_check)
 *   equilibrated         A was scaled first, by hyla_solve_expert; rcond and growth are those of
 *                        the scaled A
 *   pivot                as by hyla_factor_pivot
 *   fallback             why HYLA_REFINE_MIXED or _MIXED_EXTENDED was done in full precision after
 *                        all; a static string, NULL if it was not */
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

/* Collective.  Checks x, a solution of A x = b by the factors of A, refines it if asked to, and
 * reports.  a: A before the factorization, both triangles even if the method reads one.  b, x: any
 * layouts; x shares no entries with a or b, and only refinement changes it.
 * UNRELIABLE, with the reason in the cube's message, if one of these holds; x and the report are
 * valid:
 *   - rcond is below n u; with HYLA_GAUSS_JORDAN, below u^(3/4), 1e-12 in double precision
 *   - the backward error is above 16 n u, as after large growth
 *   - with refinement, the componentwise error stays above max(16, n) u.  If the backward error is
 *     at most 4 u, rows for which (|A| |x| + |b|)_i is below 1000 u times the row's 1-norm times
 *     |x| are compared with that product too (Arioli, Demmel, Duff 1989)
 *   - extended refinement leaves a column of x with a correction above max(10, sqrt(n)) u of it
 *   - anything is not finite
 * Memory: copies of b and x; one of a if it does not lie over all nodes or its scale is far from 1;
 * with refinement two more of x; with extended refinement, on each rank, eight more of the rows of
 * x for its part of A; and that of hyla_factor_condition.
 * ARGUMENT (also: not computed, computed without success, created for fewer or no right-hand sides,
 * HYLA_REFINE_MIXED, _MIXED_EXTENDED), MISMATCH, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_factor_check(hyla_cube *cube, const hyla_factor *factor,
                                       const hyla_matrix *a, const hyla_matrix *b,
                                       hyla_refinement refinement, hyla_matrix *x,
                                       hyla_solve_report *report);

/* Collective.  Checks x, a solution by hyla_trsm of A x = b with A lower or upper triangular and
 * zeros in the other triangle, and reports like hyla_factor_check.  In the report method and
 * variant have no meaning and growth is 1.  Nothing is refined, because substitution is
 * componentwise backward stable (Higham 2002, Theorem 8.5).  triangle: global; any layouts; nothing
 * changes.  Takes the memory of copies like hyla_factor_check, and that of hyla_trsm with one
 * right-hand side.  UNRELIABLE as of hyla_factor_check; statuses of hyla_trsm. */
HYLA_API hyla_status hyla_trsm_check(hyla_cube *cube, hyla_triangle triangle, const hyla_matrix *a,
                                     const hyla_matrix *b, const hyla_matrix *x,
                                     hyla_solve_report *report);

/* Collective.  Checks x, computed as the inverse of A, and reports like hyla_factor_check: it
 * checks y = X v as solutions of A y = v for four random columns v.  rcond is exact up to rounding;
 * in the report method and variant have no meaning and growth is NaN; nothing is refined.  a, x: n
 * x n, one type, any layouts; a: A before the inversion; nothing changes.  Takes the memory of a
 * copy of a and of a few columns.
 * UNRELIABLE as of hyla_factor_check with HYLA_REFINE_NONE; statuses of hyla_gemm. */
HYLA_API hyla_status hyla_invert_check(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *x,
                                       hyla_solve_report *report);

/* Local.  After SINGULAR, INDEFINITE or NOT_FINITE: the column, counted from 1, of the first pivot
 * that failed.  It is the order of the leading block that is singular or not positive definite.
 * Otherwise 0. */
HYLA_API int64_t hyla_factor_pivot(const hyla_factor *factor);

/* Local.  The layout of the factors; matrices in this layout are not redistributed.  Owned by the
 * factor; NULL for NULL. */
HYLA_API const hyla_layout *hyla_factor_layout(const hyla_factor *factor);

/* Local.  The factorization as a plan, for hyla_plan_variant, _cost, _seconds and _explain;
 * hyla_factor_compute and hyla_factor_solve run it, hyla_plan_run does not.
 * The cost is that of one factorization and one solution with all nrhs right-hand sides, with
 * matrices in the factors' layout as hyla_matrix_create makes them, and with their redistributions.
 * Costs that depend on the rows swapped are counted at their most; the text also gives the least,
 * without swaps.  The memory includes factors and right-hand sides, unless the factors are in a
 * given matrix' memory.  The text has each redistribution with its cost, and those of matrices in
 * other layouts once they are planned.  Owned by the factor; NULL for NULL. */
HYLA_API const hyla_plan *hyla_factor_plan(const hyla_factor *factor);

/* Local.  Frees the factorization and sets *factor to NULL; OK for NULL. */
HYLA_API hyla_status hyla_factor_destroy(hyla_factor **factor);

/* Local.  operation: the i-th operation, from 0, that has variants: "gemm", "redistribute", "trsm",
 * "trtri", "tridiagonal", the methods ("lu", ...) and the collectives ("broadcast", ...).  name and
 * reference: its i-th variant's name, as arguments `variant` take it, and reference, a key in
 * doc/references.bib with the section.  Static strings; NULL beyond the last.  asked_only: the
 * variant is taken only if it is asked for. */
HYLA_API const char *hyla_variant_operation(int i);
HYLA_API const char *hyla_variant_name(const char *operation, int i);
HYLA_API const char *hyla_variant_reference(const char *operation, int i);
HYLA_API bool hyla_variant_asked_only(const char *operation, int i);

/* Collective.  Solves A X = B by LU: create, compute, solve and destroy in one call.  a: n x n; b,
 * x: n x nrhs; one type, any layouts; a and b are not changed, x may be b.  Factors in a's own
 * layout if that is good for it.  pivot: as hyla_factor_pivot, may be NULL.  All statuses of the
 * four calls. */
HYLA_API hyla_status hyla_solve(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *b,
                                hyla_matrix *x, int64_t *pivot);

/* Collective.  hyla_solve for a matrix whose entries the caller gives up.  If a's layout is good
 * for factors it is factored in its own memory, so that A is not copied; afterwards its entries are
 * undefined, whatever the status.  a stays the caller's.  b is not changed; x may be b; neither
 * shares entries with a.  The answer and the statuses are hyla_solve's. */
HYLA_API hyla_status hyla_solve_in_place(hyla_cube *cube, hyla_matrix *a, const hyla_matrix *b,
                                         hyla_matrix *x, int64_t *pivot);

/* Collective.  x := A^-1: plan, run and destroy in one call; or a plan of it, with the
 * factorization's memory, for hyla_plan_run, any number of times.
 * method: global.  HYLA_GAUSS_JORDAN and, in half the operations, HYLA_CHOLESKY work in x's own
 * memory if its layout is good for factors, and then take nothing else of order n^2.  HYLA_LU,
 * which is faster than Gauss-Jordan, takes one more matrix.  The other methods solve A X = I, with
 * two more matrices and a third more operations than LU.
 * a, x: n x n, one type, any layouts; a is not changed unless x is a itself; otherwise they share
 * no entries; they must outlive the plan.  variant: of the method, NULL to choose.  pivot: as
 * hyla_factor_pivot, may be NULL; for the latest run of a plan hyla_invert_pivot gives it (local; 0
 * for any other plan).  After a failure the entries of x are undefined.
 * The plan's cost includes the redistributions of a and x, its memory that of the factors.  Costs
 * that depend on the rows swapped are counted at their most; the text also gives the least.
 * Statuses of hyla_factor_create; a run those of hyla_factor_compute and hyla_factor_solve;
 * UNSUPPORTED also on virtual cubes without data, for methods that need data. */
HYLA_API hyla_status hyla_invert_plan(hyla_cube *cube, hyla_method method, const hyla_matrix *a,
                                      hyla_matrix *x, const char *variant, hyla_plan **plan);
HYLA_API hyla_status hyla_invert(hyla_cube *cube, hyla_method method, const hyla_matrix *a,
                                 hyla_matrix *x, int64_t *pivot);
HYLA_API int64_t hyla_invert_pivot(const hyla_plan *plan);

/* The options of hyla_solve_expert; all 0 is the default.  variant: of the method; NULL to choose.
 * equilibrate: if the largest entries of A's rows or columns differ by a factor of about 10 or
 * more, or are near overflow or underflow, rows and columns are scaled by powers of two before A is
 * factored: R A C with diagonal R and C (for HYLA_CHOLESKY and HYLA_LDL R = C).  x still solves the
 * caller's system, and the errors in the report are those of that system. */
typedef struct hyla_solve_options {
  hyla_method method;
  const char *variant;
  hyla_refinement refinement;
  bool equilibrate;
} hyla_solve_options;

/* Collective.  Solves A X = B and says how good X is: create, compute, solve, hyla_factor_check and
 * destroy in one call.  options: NULL for the defaults; global.  a: n x n; b, x: n x nrhs; one
 * type, any layouts; a and b are not changed, x shares no entries with them.
 * If A's largest entry, or that of a column of b, is above 2^400 or below 2^-400 (single precision:
 * 2^24, 2^-24), a copy of the system scaled by powers of two is solved, and the report is that of
 * the copy.  So systems that differ only by powers of two (even powers for HYLA_CHOLESKY) have the
 * same report, bit for bit, over the whole range of the type.
 * With HYLA_REFINE_MIXED and _MIXED_EXTENDED the report's rcond and growth are those of the factors
 * in half the precision, whose memory is half as large; ARGUMENT for types that have no half
 * precision.  With equilibrate, or when the system is scaled, it takes the memory of copies of a
 * and b.
 * UNRELIABLE: x is valid, and the report says why it cannot be trusted.  After SINGULAR,
 * INDEFINITE, NOT_FINITE the report has the pivot.  All statuses of the five calls. */
HYLA_API hyla_status hyla_solve_expert(hyla_cube *cube, const hyla_solve_options *options,
                                       const hyla_matrix *a, const hyla_matrix *b, hyla_matrix *x,
                                       hyla_solve_report *report);

/* Collective.  The scaled residual as HPL defines it, the largest over the columns of x:
 * |A x - b|inf / (eps (|A|inf |x|inf + |b|inf) n), eps the unit roundoff of the type.  0 for n = 0
 * and if x and b are 0; NaN if anything is NaN or infinite.  Sums do not overflow.  Below 1 is
 * good, above 16 is wrong.  Takes the memory of a copy of x and b, and of a if it does not lie over
 * all nodes or its largest entry is far from 1.  ARGUMENT, MISMATCH, MEMORY, COMMUNICATION,
 * TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_residual(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *x,
                                   const hyla_matrix *b, double *residual);

#ifdef __cplusplus
}
#endif

#endif
