/* The drop-in for ScaLAPACK: declarations that its files share.
 *
 * Each routine that it replaces has a row in DROPIN_ROUTINES, a function that reads its arguments,
 * and one that runs it by hyla.h (products.c, systems.c, inverses.c, orthogonal.c, conditions.c)
 * or, where no cube is needed, by itself (norms.c, between.c). dropin_call (call.c) decides whether
 * hyla takes a call, from arguments that are the same on all processes of the grid, and otherwise
 * passes it on to the next library's routine of that name.
 *
 * Data that outlive a call are kept in variables of the process, because a routine linked in
 * ScaLAPACK's place has no object to keep them in: the cubes of grids (grid.c) and the counts
 * (report.c). */
#ifndef DROPIN_H
#define DROPIN_H 1

#include <hyla.h>

/* X(name, arguments, number of characters among them, from).  from: the size, as `read' computes
 * it, below which ScaLAPACK is faster (doc/dropin.md); HUGE_VAL: that was not measured, and calls
 * are taken on demand alone (HYLA_SCALAPACK_FROM).  The numbers do not include the lengths of
 * characters, which Fortran appends. */
#define DROPIN_ROUTINES(X)                                                                         \
  X(gemm, 19, 2, 700)                                                                              \
  X(symm, 18, 2, 700)                                                                              \
  X(hemm, 18, 2, 700)                                                                              \
  X(syrk, 14, 2, 700)                                                                              \
  X(herk, 14, 2, 700)                                                                              \
  X(trmm, 15, 4, 700)                                                                              \
  X(trsm, 15, 4, 400)                                                                              \
  X(tran, 12, 0, 400)                                                                              \
  X(tranu, 12, 0, 400)                                                                             \
  X(tranc, 12, 0, 400)                                                                             \
  X(gemr2d, 11, 0, 200)                                                                            \
  X(trmr2d, 13, 2, 500)                                                                            \
  X(getrf, 8, 0, 800)                                                                              \
  X(getrs, 13, 1, 400)                                                                             \
  X(gesv, 12, 0, 800)                                                                              \
  X(getri, 11, 0, 600)                                                                             \
  X(potrf, 7, 1, 1200)                                                                             \
  X(potrs, 12, 1, 400)                                                                             \
  X(posv, 12, 1, 1200)                                                                             \
  X(trtri, 8, 2, 1200)                                                                             \
  X(potri, 7, 1, 1200)                                                                             \
  X(geqrf, 10, 0, 1200)                                                                            \
  X(gels, 15, 1, 1200)                                                                             \
  X(gecon, 13, 1, 1200)                                                                            \
  X(pocon, 13, 1, 1200)                                                                            \
  X(lange, 8, 1, HUGE_VAL)                                                                         \
  X(lansy, 8, 2, HUGE_VAL)                                                                         \
  X(lanhe, 8, 2, HUGE_VAL)                                                                         \
  X(lantr, 10, 3, HUGE_VAL)                                                                        \
  X(ormqr, 17, 2, HUGE_VAL)                                                                        \
  X(unmqr, 17, 2, HUGE_VAL)                                                                        \
  X(orgqr, 11, 0, HUGE_VAL)                                                                        \
  X(ungqr, 11, 0, HUGE_VAL)                                                                        \
  X(geadd, 13, 1, HUGE_VAL)                                                                        \
  X(gemv, 19, 1, HUGE_VAL)                                                                         \
  X(syev, 15, 2, 600)                                                                              \
  X(heev, 17, 2, HUGE_VAL)                                                                         \
  X(syevd, 17, 2, HUGE_VAL)                                                                        \
  X(heevd, 19, 2, HUGE_VAL)                                                                        \
  X(syevx, 29, 3, HUGE_VAL)                                                                        \
  X(heevx, 31, 3, HUGE_VAL)                                                                        \
  X(syevr, 24, 3, HUGE_VAL)                                                                        \
  X(heevr, 26, 3, HUGE_VAL)

#define DROPIN_NUMBER(name, arguments, characters, from) DROPIN_##name,
enum dropin_number { DROPIN_ROUTINES(DROPIN_NUMBER) DROPIN_COUNT };

/* The most arguments of any routine, including lengths of characters. */
enum { DROPIN_ARGUMENTS = 40, DROPIN_TYPES = 5, DROPIN_OPERANDS = 4 };

/* Is the routine a function, which returns a real number?  Its place comes behind the arguments, as
 * one more. */
static inline bool dropin_returns(enum dropin_number number) {
  return number >= DROPIN_lange && number <= DROPIN_lantr;
}

/* 4-byte integers, which are only moved. */
#define DROPIN_INTEGER ((hyla_type)(HYLA_DOUBLE_COMPLEX + 1))

/* A descriptor's entries. */
enum { DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD };

/* The grid of a BLACS context.
 *   row, col    this process' place in it
 *   cube        NULL until a call is taken, or if it could not be made, which all processes know
 *   processes   all of this grid, with numbers row q + col, once they are needed
 *   has_cores   each process of the program has a core of this machine */
struct dropin_grid {
  struct dropin_grid *next;
  int context, p, q, row, col;
  bool failed, has_cores;
  hyla_cube *cube;
  MPI_Comm processes;
};

/* sub(A) = A(i : i + rows - 1, j : j + cols - 1), indices from 1.  at: the position of its array in
 * the arguments.  whole, view: used while a call runs. */
struct dropin_operand {
  void *array;
  int at, i, j;
  int desc[LLD + 1];
  int64_t rows, cols;
  hyla_matrix *whole, *view;
};

/* Length of a text that says why a call is passed on, with its 0. */
enum { DROPIN_WHY = 64 };

struct dropin_call {
  enum dropin_number number;
  hyla_type type;
  void **arguments;
  int operands;
  struct dropin_operand operand[DROPIN_OPERANDS];
  hyla_operation op_a, op_b;
  hyla_side side;
  hyla_triangle triangle;
  hyla_diagonal diagonal;
  hyla_norm norm;
  hyla_scalar alpha, beta;
  int *pivots, *info;
  double size;
  double from; /* the size below which ScaLAPACK is faster in this case; 0: as the routine's row */
  double workspace; /* the length that dropin_has_workspace found to be needed */
  const char *why;  /* the reason why run gives up, if not its status; a static string, or NULL */
  bool between;     /* a move from one grid to another, which needs no cube */
  bool bare;        /* it needs neither a cube nor matrices, but the grid's processes */
  struct dropin_grid *grid;
};

/* A routine.  read: fills in the call from its arguments; false if hyla does not take them.  run:
 * collective over the grid, with the same status on all processes; any status but OK leaves all
 * results unchanged for the next library. */
struct dropin_routine {
  const char *name;
  int arguments, characters;
  double from;
  bool (*read)(struct dropin_call *call);
  hyla_status (*run)(struct dropin_call *call);
};
extern const struct dropin_routine dropin_routines[DROPIN_COUNT];

#define DROPIN_DECLARE(name, arguments, characters, from)                                          \
  bool dropin_read_##name(struct dropin_call *call);                                               \
  hyla_status dropin_run_##name(struct dropin_call *call);
DROPIN_ROUTINES(DROPIN_DECLARE)

/* A call from front.c, with Fortran's addresses. */
void dropin_call(enum dropin_number number, hyla_type type, void **arguments);
/* The same for a move that was called under its C name. */
void dropin_call_from_c(enum dropin_number number, hyla_type type, void **arguments);
/* Passes a call directly to the next library. */
void dropin_next(enum dropin_number number, hyla_type type, void **arguments);
/* The next library's function of that name; in the front it ends the job if there is none. */
typedef void dropin_function(void);
dropin_function *dropin_find(const char *name);
static inline char dropin_letter(hyla_type type) { return "sdczi"[type]; }

/* The grid of a context; NULL if this process is not in it. */
struct dropin_grid *dropin_grid_find(int context);
/* Collective over the grid.  Its cube, made at the first call; NULL if that failed. */
hyla_cube *dropin_grid_cube(struct dropin_grid *grid);
/* Local.  A context, or all of them, are about to end. */
void dropin_drop_context(int context);
void dropin_drop_all(void);
/* Local.  The shape of a context's grid and this process' place in it, -1 if it has none. */
void dropin_grid_shape(int context, int *p, int *q, int *row, int *col);
/* Collective over the grid.  Makes `processes' at the first call; false if that failed. */
bool dropin_grid_processes(struct dropin_grid *grid);
/* The local index, from 0, of a global row or column, from 0; -1 if another process has it. */
int64_t dropin_local_row(const struct dropin_grid *grid, const int *desc, int64_t index);
int64_t dropin_local_col(const struct dropin_grid *grid, const int *desc, int64_t index);

/* Arguments by their position, from 0. */
int dropin_integer(const struct dropin_call *call, int at);
hyla_scalar dropin_scalar(const struct dropin_call *call, int at);
double dropin_real(const struct dropin_call *call, int at);
bool dropin_read_operation(const struct dropin_call *call, int at, hyla_operation *op);
bool dropin_read_triangle(struct dropin_call *call, int at);
bool dropin_read_side(struct dropin_call *call, int at);
bool dropin_read_diagonal(struct dropin_call *call, int at);
bool dropin_read_norm(struct dropin_call *call, int at);
/* Reads the next operand: array, i, j and descriptor from position `at` on.  The first operand's
 * context decides the grid of the call. */
void dropin_operand(struct dropin_call *call, int at, int64_t rows, int64_t cols);
bool dropin_is_complex(hyla_type type);
size_t dropin_entry_size(hyla_type type); /* in bytes */

/* One direction of an operand: does it lie within the array, and is the array on the grid? */
bool dropin_lies_within(int from, int64_t count, int size, int block, int source, int processes);
/* NUMROC with the first block on process 0. */
int64_t dropin_held(int64_t count, int64_t block, int me, int processes);
/* The number of this process' entries of the array, up to the operand's last row and column. */
int64_t dropin_held_of(const struct dropin_operand *o, int p, int q, int row, int col);
/* Global.  Checks that hyla takes the operands: NULL, or the reason why not. */
const char *dropin_check(const struct dropin_call *call);
/* The demands of ScaLAPACK's factorizations.  square_blocks: A begins with a block, and blocks are
 * square.  same_rows: B's rows begin on the same process row as A's, in blocks of the same
 * length. */
bool dropin_square_blocks(const struct dropin_call *call, int operand);
bool dropin_same_rows(const struct dropin_call *call, int a, int b);
/* Collective.  Makes the operands matrices over the caller's arrays. */
hyla_status dropin_open(struct dropin_call *call);
void dropin_close(struct dropin_call *call);

/* steps.c: steps of calls whose results have changed already.  They cannot fail: if hyla gives up,
 * the next library does them.  Collective over the grid.
 *   substitute   b := op(a)^-1 b or b op(a)^-1;  multiply: b := op(a) b or b op(a)
 *   add_square   c := c + a a^H (op NONE) or c + a^H a (op CONJUGATE), one triangle of c
 *   apply_pivots moves the rows ("R") or columns ("C") of a matrix to where the call's pivots put
 *                them ("F"), or back ("B"), by the next library; work: of the kind it needs */
struct dropin_triangle {
  hyla_side side;
  hyla_triangle triangle;
  hyla_operation op;
  hyla_diagonal diagonal;
};
void dropin_substitute(struct dropin_call *call, const struct dropin_triangle *triangle,
                       struct dropin_operand *a, struct dropin_operand *b);
void dropin_multiply(struct dropin_call *call, const struct dropin_triangle *triangle,
                     struct dropin_operand *a, struct dropin_operand *b);
void dropin_add_square(struct dropin_call *call, hyla_triangle triangle, hyla_operation op,
                       struct dropin_operand *a, struct dropin_operand *c);
void dropin_apply_pivots(struct dropin_call *call, const char *direction, const char *what,
                         struct dropin_operand *to, int *work);
/* Local.  Sets the entries of column j from row first + slope j on, both from 0, to zero. */
void dropin_clear(hyla_matrix *view, int64_t first, int slope);
/* Local.  Does the caller ask for a workspace's length?  work, more: positions of the workspaces,
 * each followed by its length; more is -1 if there is only one. */
bool dropin_asks_workspace(const struct dropin_call *call, int work, int more);
/* Collective.  Are the caller's workspaces long enough on all processes? */
bool dropin_has_workspace(struct dropin_call *call, int work, int more, bool integers);
/* Local.  succeed: INFO := 0.  order_of_work: a size that stands for this much work. */
hyla_status dropin_succeed(struct dropin_call *call);
/* Local.  The value of a call of a function. */
void dropin_return(const struct dropin_call *call, double value);
double dropin_order_of_work(int64_t a, int64_t b, int64_t c);

/* moves.c.  A sub-matrix on p x q of a grid's processes.  at: the place of each process on these,
 * row q + col, or -1; NULL: they are the first ones. */
struct dropin_place {
  int p, q, i, j;
  const int *desc;
  void *array;
  const int *at;
};
/* A move from one place to another.  part: the part of each column that is moved, NULL for all.
 * out, in: buffers for this process' entries there and here.  scratch: dropin_move_scratch bytes.
 * counts: four numbers for each process of the grid. */
struct dropin_part {
  hyla_triangle triangle;
  hyla_diagonal diagonal;
};
struct dropin_move {
  hyla_type type;
  int64_t rows, cols;
  const struct dropin_part *part;
  const struct dropin_place *from, *to;
  char *out, *in;
  void *scratch;
  int *counts;
};
size_t dropin_move_scratch(int64_t rows, int64_t cols);
/* Collective over the grid's processes; all of these wait without keeping the core.  share: the
 * sum, maximum, ... over all processes. */
void dropin_move(const struct dropin_grid *grid, const struct dropin_move *move);
void dropin_share(const struct dropin_grid *grid, void *values, int count, MPI_Datatype type,
                  MPI_Op op);
/* Gathers all records; each process has stored its own before. */
void dropin_gather(const struct dropin_grid *grid, void *records, int bytes);

/* Counts a call and its seconds.  why: NULL if hyla took it. */
void dropin_count(enum dropin_number number, hyla_type type, const char *why, double seconds);

#endif
