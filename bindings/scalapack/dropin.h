/* The drop-in for ScaLAPACK: what its files share.
 *
 * Each routine that it answers to has a row in DROPIN_ROUTINES, a function that reads its arguments
 * and one that runs it by hyla.h (products.c, systems.c, inverses.c, orthogonal.c, conditions.c).
 * dropin_call (call.c) stands between: it decides whether hyla takes the call, from arguments that
 * all processes of the grid give alike, and passes the call on to the next library's routine of
 * that name where it does not.
 *
 * A routine that is linked in ScaLAPACK's place has nowhere else to keep what outlives a call than
 * variables of the process: the cubes of grids (grid.c) and the counts (report.c). */
#ifndef DROPIN_H
#define DROPIN_H 1

#include <hyla.h>

/* X(name, arguments, characters among them, from).  from: the size, as read says it, below which
 * ScaLAPACK is faster (doc/dropin.md).  The list counts no length of a character; Fortran
 * appends these. */
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
  X(pocon, 13, 1, 1200)

#define DROPIN_NUMBER(name, arguments, characters, from) DROPIN_##name,
enum dropin_number { DROPIN_ROUTINES(DROPIN_NUMBER) DROPIN_COUNT };

/* No routine has more arguments, lengths of characters included. */
enum { DROPIN_ARGUMENTS = 22, DROPIN_TYPES = 5, DROPIN_OPERANDS = 4 };

/* Integers of 4 bytes are moved, and nothing else is done with them. */
#define DROPIN_INTEGER ((hyla_type)(HYLA_DOUBLE_COMPLEX + 1))

/* A descriptor's entries. */
enum { DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD };

/* A BLACS context's grid, this process' place in it, its cube; cube is NULL until a call is taken,
 * and where none could be made, which all processes of the grid know.
 * stage_p, stage_q: of a grid for staged calls (staged.c), else 0; once one was taken,
 * `is_stage_made', and `stage' is the context of that grid, -1 on processes that it leaves out.
 * processes: all of this grid, number row q + col, once they were wanted; has_cores: the program's
 * processes have a core each of this machine. */
struct dropin_grid {
  struct dropin_grid *next;
  int context, p, q, row, col;
  bool failed, is_stage_made, has_cores;
  hyla_cube *cube;
  int stage_p, stage_q, stage;
  MPI_Comm processes;
};

/* sub(A) = A(i : i + rows - 1, j : j + cols - 1), indices from 1.  at: the place of its array among
 * the arguments.  whole, view: while a call runs. */
struct dropin_operand {
  void *array;
  int at, i, j;
  int desc[LLD + 1];
  int64_t rows, cols;
  hyla_matrix *whole, *view;
};

/* Texts that say why a call is passed on, with their ends. */
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
  double workspace; /* the length that dropin_has_workspace found to be wanted */
  const char *why;  /* run gives up for another reason than its status; a static string, or NULL */
  char told[DROPIN_WHY]; /* of a staged call: the same from the processes that ran it */
  bool on_fewer;         /* was it taken by fewer processes? */
  bool between;          /* a move: from one grid to another, and no cube is wanted */
  struct dropin_grid *grid;
};

/* What a routine is.  read: fills the call in from its arguments; false when they are none that
 * hyla takes.  run: collective over the grid, same status on all processes; any but OK leaves all
 * results as they were, for the next library. */
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

/* A call as it comes in, with the addresses of Fortran: front.c. */
void dropin_call(enum dropin_number number, hyla_type type, void **arguments);
/* The same of a move that came in under its name for C. */
void dropin_call_from_c(enum dropin_number number, hyla_type type, void **arguments);
/* The same by the next library at once. */
void dropin_next(enum dropin_number number, hyla_type type, void **arguments);
/* A call that was read, collective over its grid, by hyla.  NULL, or why it was not. */
const char *dropin_take(struct dropin_call *call);
/* The next library's function of that name; in the front it ends the job where there is none. */
typedef void dropin_function(void);
dropin_function *dropin_find(const char *name);
static inline char dropin_letter(hyla_type type) { return "sdczi"[type]; }

/* The grid of a context; NULL: this process is in none. */
struct dropin_grid *dropin_grid_find(int context);
/* Collective over the grid: its cube, made at the first call; NULL where that failed. */
hyla_cube *dropin_grid_cube(struct dropin_grid *grid);
/* Local: a context, all of them, are about to end. */
void dropin_drop_context(int context);
void dropin_drop_all(void);
/* Local: the shape of a context's grid and this process' place in it, -1 where it is in none. */
void dropin_grid_shape(int context, int *p, int *q, int *row, int *col);
/* Collective over the grid: `processes', made at the first call; false where that failed. */
bool dropin_grid_processes(struct dropin_grid *grid);
/* Is it a grid on which calls are staged?  Collective over such a grid: its stage, made at the
 * first call; false where that failed. */
bool dropin_grid_is_staged(const struct dropin_grid *grid);
bool dropin_grid_stage(struct dropin_grid *grid);
/* The local index, from 0, of global row, column, `index` from 0, or -1: another process has it. */
int64_t dropin_local_row(const struct dropin_grid *grid, const int *desc, int64_t index);
int64_t dropin_local_col(const struct dropin_grid *grid, const int *desc, int64_t index);

/* Arguments by their place, from 0. */
int dropin_integer(const struct dropin_call *call, int at);
hyla_scalar dropin_scalar(const struct dropin_call *call, int at);
double dropin_real(const struct dropin_call *call, int at);
bool dropin_read_operation(const struct dropin_call *call, int at, hyla_operation *op);
bool dropin_read_triangle(struct dropin_call *call, int at);
bool dropin_read_side(struct dropin_call *call, int at);
bool dropin_read_diagonal(struct dropin_call *call, int at);
bool dropin_read_norm(struct dropin_call *call, int at);
/* The next operand: array, i, j, descriptor from place `at` on.  The first one's context says which
 * grid the call is for. */
void dropin_operand(struct dropin_call *call, int at, int64_t rows, int64_t cols);
bool dropin_is_complex(hyla_type type);
size_t dropin_entry_size(hyla_type type); /* in bytes */

/* One direction of an operand: does it lie within the array, and the array on the grid? */
bool dropin_lies_within(int from, int64_t count, int size, int block, int source, int processes);
/* NUMROC with the first block on process 0. */
int64_t dropin_held(int64_t count, int64_t block, int me, int processes);
/* The entries that the array has here up to the operand's last row and column. */
int64_t dropin_held_of(const struct dropin_operand *o, int p, int q, int row, int col);
/* Are the operands ones that hyla takes?  Global.  NULL, or why not. */
const char *dropin_check(const struct dropin_call *call);
/* As ScaLAPACK's factorizations want them: square blocks, which A begins with; B's rows beginning
 * on the process row where A's do, in blocks of the same length. */
bool dropin_square_blocks(const struct dropin_call *call, int operand);
bool dropin_same_rows(const struct dropin_call *call, int a, int b);
/* Collective: operands become matrices over the caller's arrays. */
hyla_status dropin_open(struct dropin_call *call);
void dropin_close(struct dropin_call *call);

/* steps.c.  What a call is made of when its results have changed already, and what is done by the
 * next library where hyla gives up, so that it cannot fail.  Collective over the grid.
 * substitute   b := op(a)^-1 b or b op(a)^-1;  multiply: b := op(a) b or b op(a)
 * add_square   c := c + a a^H, op NONE, or a^H a, op CONJUGATE, one triangle of c
 * apply_pivots the rows ("R") or columns ("C") of a matrix to where the call's pivots put them
 *              ("F"), or back ("B"), by the next library; work: of its own kind */
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
/* Local.  Entries of column j from row first + slope j on, both from 0, become zero. */
void dropin_clear(hyla_matrix *view, int64_t first, int slope);
/* Local.  Is a workspace's length asked for: of that at place `work', of another one at `more', -1:
 * there is none?  Each is followed by its length. */
bool dropin_asks_workspace(const struct dropin_call *call, int work, int more);
/* The lengths of the workspaces that the next library asks for, which their first entries say
 * afterwards; 0 for the other one where there is none.  integers: it is of integers, else of reals.
 * Collective as that library's routine is. */
struct dropin_lengths {
  double work, more;
};
struct dropin_lengths dropin_ask_workspace(const struct dropin_call *call, int work, int more,
                                           bool integers);
/* The same.  Are those of this process shorter, or is another argument wrong? */
bool dropin_lacks_workspace(struct dropin_call *call, int work, int more, bool integers);
/* Collective.  Has the caller given the workspaces on all processes? */
bool dropin_has_workspace(struct dropin_call *call, int work, int more, bool integers);
/* Local.  INFO := 0; a size of so much work. */
hyla_status dropin_succeed(struct dropin_call *call);
double dropin_order_of_work(int64_t a, int64_t b, int64_t c);

/* staged.c.  Collective over a grid for staged calls: NULL, or why hyla gave up, with results as
 * they were.  from: the size below which ScaLAPACK is faster there; HUGE_VAL: it always is. */
const char *dropin_run_staged(struct dropin_call *call);
double dropin_staged_from(const struct dropin_call *call);

/* moves.c.  A sub-matrix on p x q processes of those of a grid: at: the place of each on these,
 * row q + col, or -1; NULL: they are the first ones. */
struct dropin_place {
  int p, q, i, j;
  const int *desc;
  void *array;
  const int *at;
};
/* From one place to another.  part: NULL, or which part of each column is moved.  out, in: room for
 * what this process has there, and here; scratch: of dropin_move_scratch bytes; counts: four
 * numbers a process of the grid. */
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
/* Collective over the grid's processes, as are these, which wait without keeping the core: the sum,
 * maximum, ... of all, and what process 0 has. */
void dropin_move(const struct dropin_grid *grid, const struct dropin_move *move);
void dropin_share(const struct dropin_grid *grid, void *values, int count, MPI_Datatype type,
                  MPI_Op op);
void dropin_tell(const struct dropin_grid *grid, void *values, int bytes);
/* Gathers all records; each process has written its own before. */
void dropin_gather(const struct dropin_grid *grid, void *records, int bytes);

/* Counts a call of so many seconds.  why: NULL when hyla took it, on_fewer processes or all. */
void dropin_count(enum dropin_number number, hyla_type type, const char *why, bool on_fewer,
                  double seconds);

#endif
