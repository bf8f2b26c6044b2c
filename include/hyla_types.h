/* hyla_types.h: the plain types of hyla's interface, in one chapter each.  No MPI is needed for
 * them; programs include hyla.h, which includes this header.
 *   status     the result of a call
 *   machine    the times by which variants are chosen
 *   layout     how the indices of a matrix lie on the cube
 *   operation  types of entries, and the words that operations on matrices take
 *   cost       exact counts of what a variant takes */
#ifndef HYLA_TYPES_H
#define HYLA_TYPES_H 1

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

/* A number passed for matrices of any type: C's double _Complex.  In C++ it is the same type, whose
 * bytes are those of std::complex<double>; hyla.hpp passes that on. */
#ifdef __cplusplus
__extension__ typedef double _Complex hyla_scalar;
#else
typedef double _Complex hyla_scalar;
#endif

/* --------------------------------------------------------------- status -- */

/* Every status with its name and text; other lists are made from this one.
 * After COMMUNICATION, TIMEOUT or BROKEN a rank may be stopped or lost.  MPI_Finalize may then
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

/* Local.  The name ("HYLA_SINGULAR") and the text of a status; static strings, "unknown status" for
 * any other number. */
HYLA_API const char *hyla_status_name(hyla_status status);
HYLA_API const char *hyla_status_text(hyla_status status);

/* The version of this header, for the preprocessor: three numbers, and one number that grows with
 * every version, 10000 major + 100 minor + patch. */
#define HYLA_VERSION_MAJOR 0
#define HYLA_VERSION_MINOR 1
#define HYLA_VERSION_PATCH 0
#define HYLA_VERSION (10000 * HYLA_VERSION_MAJOR + 100 * HYLA_VERSION_MINOR + HYLA_VERSION_PATCH)

/* Local.  The version of the library as "major.minor.patch"; a static string. */
HYLA_API const char *hyla_version(void);

/* Local.  The name that was probably meant by `word`: among names, which end with NULL, one that
 * begins with it, or that needs the fewest changes of a letter or swaps of two to become it; NULL
 * if none is near. */
HYLA_API const char *hyla_name_nearest(const char *word, const char *const *names);

/* -------------------------------------------------------------- machine -- */

/* With one port a node sends one message and receives one at a time; with all ports, one of each on
 * every link. */
typedef enum hyla_ports { HYLA_ALL_PORTS, HYLA_ONE_PORT } hyla_ports;

/* How a message reaches a node several links away.  HYLA_STORE: it is stored and forwarded, and
 * takes the time of all links together.  HYLA_CIRCUIT: over a circuit, in the time of one link. */
typedef enum hyla_switching { HYLA_STORE, HYLA_CIRCUIT } hyla_switching;

/* How the nodes are connected: by a switch, with equal distances between all nodes, by the links of
 * a cube, or by those of another network, which hyla_machine names. */
typedef enum hyla_network {
  HYLA_NETWORK_SWITCH,
  HYLA_NETWORK_CUBE,
  HYLA_NETWORK_OTHER
} hyla_network;

/* The machine for which variants are chosen.  All times are in seconds:
 *   alpha  to start a message
 *   beta   per byte of a message
 *   gamma  per operation of a matrix product in real double precision; scaled for other types
 *   delta  added to the start of a message for each dimension of the cube
 *   rho    per byte moved from memory to memory inside a rank, or used by a product: a product
 *          takes the time of its operations or of its bytes, whichever is longer
 *   omega  per dimension of the cube for a barrier
 *   mu     per byte moved from memory to memory past the caches; 0: rho
 *   sigma  per entry of a matrix row that is copied entry by entry (matrices are stored by
 *          columns); 0: the time of its bytes
 *   share  ranks per core when these times were measured, 1 or more; on a cube with another
 *          number the times are corrected.  0: never corrected
 *   network, ports, switching  how messages share links and ports when the machine is simulated, on
 *          virtual cubes (hyla_lab.h).  A switch is simulated with one port a node and circuits.
 *          On real ranks predictions come from counts, without distances, for any network
 *   links  of a network other than a switch and a cube: its name, as in torus:4x4x2
 * delta and omega are for circuit-switched machines (Nicol and Bokhari 1994).  All times except
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
  char links[64];
} hyla_machine;

/* Local.  The i-th preset machine, from 0; static, NULL beyond the last.  Their names are
 *   default    one rank on each core of the 2020s
 *   unit       a start, a word of 8 bytes and an operation take one second each; links of a cube
 *   ipsc860    Nicol and Bokhari 1994
 *   hypercube  default's times, with all links of a cube at once
 *   cluster    one rank on each host, with a switch between hosts
 *   node       ranks on one host that share its memory */
HYLA_API const hyla_machine *hyla_machine_preset(int i);

/* --------------------------------------------------------------- layout -- */

/* The largest cube has 2^HYLA_DIMS_MAX nodes. */
#define HYLA_DIMS_MAX 20

/* An axis (rows or columns) of n indices lies on p parts, 2^dims or, along sides of an array of
 * nodes (hyla_options.array) that are no powers of two, `parts'.  Index i is in block i / b and in
 * part (i / b) mod p, where b is
 *   consecutive   ceil(n / p)
 *   cyclic        block (1 if block is 0)
 * The bits of part q, in binary code (q) or Gray code (q ^ q >> 1), are the address bits dim[0]
 * (least significant) ... dim[dims-1] (Johnsson 1987, 3.3).  In Gray code the lowest `binary` bits
 * of q may stay as they are, and only the others are coded (Varvarigos 1992).
 * Example: 8 columns on 4 nodes with dims = 2, dim = {0, 1}.  Columns of each node:
 *   node                   0    1    2    3
 *   binary, consecutive    0 1  2 3  4 5  6 7
 *   Gray, consecutive      0 1  2 3  6 7  4 5
 *   binary, cyclic, b = 1  0 4  1 5  2 6  3 7
 * An axis may lie on no dimensions (each node holds all of it) or on all, in any order; no
 * dimension serves both axes.  Along a side that is no power of two the code is binary, and the
 * dimensions are all of the side's, side by side in their order.  hyla_layout_parse sets `parts',
 * `inner' and, for hyla_layout_owner and hyla_layout_part, `across'.
 * `rest` is the meaning of the dimensions that serve neither axis:
 *   HYLA_REPLICATED  every node holds the part for its row and column bits: nodes that differ in
 *                    other bits hold copies
 *   HYLA_FACE        only the nodes whose other bits are all 0 hold entries */
typedef enum hyla_code { HYLA_BINARY, HYLA_GRAY } hyla_code;
typedef enum hyla_storage { HYLA_CONSECUTIVE, HYLA_CYCLIC } hyla_storage;
typedef enum hyla_rest { HYLA_REPLICATED, HYLA_FACE } hyla_rest;

typedef struct hyla_axis {
  int dims;
  uint8_t dim[HYLA_DIMS_MAX];
  hyla_code code;
  hyla_storage storage;
  int64_t block; /* of cyclic storage; 0 means 1; ignored for consecutive */
  int binary;    /* of Gray code: the number of bits that stay binary; ignored for binary */
  int parts;     /* along sides of an array that are no powers of two; 0: 2^dims */
  int inner;     /* of these, on the dimensions up to the end of the first such side; 0: no
                  * dimensions follow */
} hyla_axis;

/* A plain struct, which may be copied.  Two layouts are the same if hyla_layout_format gives the
 * same text for both. */
typedef struct hyla_layout {
  hyla_axis row;
  hyla_axis col;
  hyla_rest rest; /* without further dimensions both values mean the same */
  int across;     /* columns of the array of nodes, if they are no power of two; otherwise 0 */
} hyla_layout;

/* ------------------------------------------------------------ operation -- */

/* The types of a matrix' entries. */
typedef enum hyla_type { HYLA_FLOAT, HYLA_DOUBLE, HYLA_COMPLEX, HYLA_DOUBLE_COMPLEX } hyla_type;

/* op(A): A, its transpose, its conjugate transpose.  In transfers also A turned: for an m x n
 * matrix A, a quarter turn to the left has entry (i, j) = A(j, n - 1 - i), a quarter turn to the
 * right A(m - 1 - j, i), a half turn A(m - 1 - i, n - 1 - j) (Stout and Wagar 1990, section 10). */
typedef enum hyla_operation {
  HYLA_NONE,
  HYLA_TRANSPOSE,
  HYLA_CONJUGATE,
  HYLA_TURN_LEFT,
  HYLA_TURN_RIGHT,
  HYLA_TURN_HALF
} hyla_operation;

/* A triangle of a square matrix, including the diagonal. */
typedef enum hyla_triangle { HYLA_LOWER, HYLA_UPPER } hyla_triangle;

/* The side of the other factor on which a matrix stands; and whether its diagonal is stored, or is
 * all ones and not read. */
typedef enum hyla_side { HYLA_LEFT, HYLA_RIGHT } hyla_side;
typedef enum hyla_diagonal { HYLA_ANY_DIAGONAL, HYLA_UNIT_DIAGONAL } hyla_diagonal;

/* ----------------------------------------------------------------- cost -- */

/* The cost of a variant on the busiest rank, in exact counts. */
typedef struct hyla_cost {
  int64_t steps;     /* communication steps, one after the other */
  int64_t messages;  /* messages sent */
  int64_t words;     /* matrix entries sent */
  int64_t flops;     /* real or complex additions and multiplications */
  int64_t memory;    /* bytes of workspace; for a factorization, of its matrices too */
  int64_t lent;      /* the words that are read in place: they are in no message */
  int64_t copied;    /* entries copied or added inside the rank, apart from copies in BLAS */
  int64_t touched;   /* entries used by products: those of the factors and the result of each */
  int64_t streamed;  /* copied entries that go from memory to memory past the caches */
  int64_t scattered; /* copied entries of rows that are moved one by one, as pivoting does; if
                        other ranks may hold the rows, the number for all rows moved so */
  int64_t read;      /* entries of matrices that exceed the caches and whose entries are used once
                        each, as those of a triangle for one right-hand side */
} hyla_cost;

#ifdef __cplusplus
}
#endif

#endif
