/* The drop-in for ScaLAPACK: declarations that its files share.
 *
 * Each routine that it replaces has a row in DROPIN_ROUTINES, a function that reads its arguments,
 * and one that runs it by hyla.h (products.c, systems.c, inverses.c, orthogonal.c, pivoted.c, ...)
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
 * it, from which calls are taken where sizes.h has no line; HUGE_VAL: on demand alone
 * (HYLA_SCALAPACK_FROM).  The numbers do not include the lengths of characters, which Fortran
 * appends. */
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
  X(ormtr, 17, 3, HUGE_VAL)                                                                        \
  X(unmtr, 17, 3, HUGE_VAL)                                                                        \
  X(geadd, 13, 1, HUGE_VAL)                                                                        \
  X(tradd, 14, 2, HUGE_VAL)                                                                        \
  X(lacpy, 11, 1, HUGE_VAL)                                                                        \
  X(laset, 9, 1, HUGE_VAL)                                                                         \
  X(elset, 5, 0, HUGE_VAL)                                                                         \
  X(elget, 7, 2, HUGE_VAL)                                                                         \
  X(ger, 17, 0, HUGE_VAL)                                                                          \
  X(geru, 17, 0, HUGE_VAL)                                                                         \
  X(gerc, 17, 0, HUGE_VAL)                                                                         \
  X(syr2k, 18, 2, HUGE_VAL)                                                                        \
  X(her2k, 18, 2, HUGE_VAL)                                                                        \
  X(sygst, 13, 1, HUGE_VAL)                                                                        \
  X(hegst, 13, 1, HUGE_VAL)                                                                        \
  X(syngst, 15, 1, HUGE_VAL)                                                                       \
  X(hengst, 15, 1, HUGE_VAL)                                                                       \
  X(sygvx, 34, 3, HUGE_VAL)                                                                        \
  X(hegvx, 36, 3, HUGE_VAL)                                                                        \
  X(gemv, 19, 1, HUGE_VAL)                                                                         \
  X(syev, 15, 2, 600)                                                                              \
  X(heev, 17, 2, HUGE_VAL)                                                                         \
  X(syevd, 17, 2, HUGE_VAL)                                                                        \
  X(heevd, 19, 2, HUGE_VAL)                                                                        \
  X(syevx, 29, 3, HUGE_VAL)                                                                        \
  X(heevx, 31, 3, HUGE_VAL)                                                                        \
  X(syevr, 24, 3, HUGE_VAL)                                                                        \
  X(heevr, 26, 3, HUGE_VAL)                                                                        \
  X(sytrd, 12, 1, HUGE_VAL)                                                                        \
  X(hetrd, 12, 1, HUGE_VAL)                                                                        \
  X(gesvd, 20, 2, HUGE_VAL)                                                                        \
  X(geqpf, 11, 0, HUGE_VAL)

#define DROPIN_NUMBER(name, arguments, characters, from) DROPIN_##name,
enum dropin_number { DROPIN_ROUTINES(DROPIN_NUMBER) DROPIN_COUNT };

/* The most arguments of any routine, including lengths of characters. */
enum { DROPIN_ARGUMENTS = 40, DROPIN_TYPES = 5, DROPIN_OPERANDS = 4 };
/* Of a kept record: plans, workspaces, lengths of the caller's workspaces; and numbers that tell
 * kinds apart. */
enum { DROPIN_STEPS = 12, DROPIN_WORKS = 5, DROPIN_LENGTHS = 3, DROPIN_EXTRA = 6 };

/* Is the routine a function, which returns a real number?  Its place comes behind the arguments, as
 * one more. */
static inline bool dropin_returns(enum dropin_number number) {
  return number >= DROPIN_lange && number <= DROPIN_lantr;
}

/* Arguments that a routine has in complex types besides. */
static inline int dropin_more(enum dropin_number number, hyla_type type) {
  if (type != HYLA_COMPLEX && type != HYLA_DOUBLE_COMPLEX) return 0;
  return number == DROPIN_gesvd ? 1 : number == DROPIN_geqpf ? 2 : 0;
}

/* 4-byte integers, which are only moved. */
#define DROPIN_INTEGER ((hyla_type)(HYLA_DOUBLE_COMPLEX + 1))

/* A descriptor's entries. */
enum { DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD };

/* The grid of a BLACS context.
 *   row, col    this process' place in it
 *   cube        NULL until a call is taken, or if it could not be made, which all processes know
 *   kept        what earlier calls have left (keep.c), the latest first
 *   processes   all of this grid, with numbers row q + col, once they are needed
 *   asked, has_sizes  whether all processes have read the same sizes (sizes.c)
 *   has_cores   each process of the program has a core of this machine */
struct dropin_grid {
  struct dropin_grid *next;
  int context, p, q, row, col;
  bool failed, has_cores, asked, has_sizes;
  hyla_cube *cube;
  MPI_Comm processes;
  struct dropin_kept *kept;
};

/* sub(A) = A(i : i + rows - 1, j : j + cols - 1), indices from 1.  at: the position of its array in
 * the arguments.  whole, view: used while a call runs. */
struct dropin_operand {
  void *array;
  int at, i, j;
  int desc[LLD + 1];
  int64_t rows, cols;
  hyla_matrix *whole, *view; /* the record's */
};

/* What must be equal for a call to be of the same kind as an earlier one. */
struct dropin_key {
  int word[3 + DROPIN_OPERANDS * 10];
  double real[DROPIN_EXTRA];
  hyla_scalar alpha, beta;
};

/* What a call leaves for the next one of its kind (keep.c).  found: an earlier call has made it.
 *   step     plans, in the order in which the routine runs them
 *   work     workspaces: views of the matrices `around' them over `memory', or matrices alone
 *   lengths  of workspaces that ScaLAPACK asked for
 *   bytes    on any process, without plans; total: of this record and those before it */
struct dropin_kept {
  struct dropin_kept *next;
  struct dropin_key key;
  bool found;
  hyla_matrix *whole[DROPIN_OPERANDS], *view[DROPIN_OPERANDS];
  hyla_plan *step[DROPIN_STEPS];
  hyla_factor *factor;
  hyla_matrix *work[DROPIN_WORKS], *around[DROPIN_WORKS];
  void *memory[DROPIN_WORKS];
  double *values;
  double lengths[DROPIN_LENGTHS];
  int64_t bytes, total;
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
  int kind; /* the case, 0 to 3, for sizes.c.  trmm, trsm: A from the left, from the right,
               transposed from the left, from the right; gemm, tran, geadd: 1 with another op, or
               beta; potrf: 1 upper; norms: 1 sums; eigensolvers: 1 values alone */
  double extra[DROPIN_EXTRA]; /* what else tells kinds of calls apart */
  bool written; /* the last operand is a result that may share entries with no other operand */
  struct dropin_kept *kept;
  int steps;       /* of the record that have been run */
  bool misfits;    /* this process' arrays do not fit the record */
  const char *why; /* the reason why run gives up, if not its status; a static string, or NULL */
  bool between;    /* a move from one grid to another, which needs no cube */
  bool bare;       /* it needs neither a cube nor matrices, but the grid's processes */
  bool alone;      /* each process can decide for itself */
  bool asks;       /* for the length of a workspace */
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
/* sizes.c: the size from which the call is taken.  Collective over the grid, unless `alone'. */
double dropin_from(const struct dropin_call *call);
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
/* Collective.  Makes the operands matrices over the caller's arrays, for the record. */
hyla_status dropin_open(struct dropin_call *call);

/* keep.c.
 *   begin    collective: the operands are matrices, of the record of this kind
 *   end      local: the record is kept if the call has succeeded
 *   drop     local: all records of a grid
 *   misfit   local: this process' arrays do not fit; the operands become NULL, and the next
 *            collective call with one of them tells all processes
 *   all_fit  collective: does no process' array misfit?
 *   next_step  local: the place of the routine's next plan, NULL in it at first; NULL: no room
 *   run_step  collective: runs a plan; planned: the status of its making
 *   twin     collective: a workspace whose entries lie as the operand's, on the same processes */
hyla_status dropin_keep_begin(struct dropin_call *call);
void dropin_keep_end(struct dropin_call *call, hyla_status status);
void dropin_keep_drop(struct dropin_grid *grid);
void dropin_misfit(struct dropin_call *call);
hyla_plan **dropin_next_step(struct dropin_call *call);
hyla_status dropin_run_step(struct dropin_call *call, hyla_status planned, hyla_plan *plan);
bool dropin_all_fit(struct dropin_call *call);
hyla_status dropin_twin(struct dropin_call *call, int operand, int number, hyla_matrix **twin);

/* parts.c: this process' entries of a part of the operand, column by column.
 *   next_stretch  the next column, of col = 0, 1, ..., and its rows from `row' on; both counted
 *                 from the operand's first ones here, before which the array has before_...  s:
 *                 zeros at first; false: there is no other column
 *   rows_before, cols_before  local ones before the operand's row i, column j
 *   column_number  the operand's column that is the array's local one
 *   add_part      the operand's part := that of x, a workspace that lies as it, + beta times itself
 *   copy_part     from such a workspace to another; from NULL: zeros
 *   real_diagonal of the operand, or of such a workspace */
enum dropin_region {
  DROPIN_WHOLE,
  DROPIN_LOWER,
  DROPIN_UPPER,
  DROPIN_BELOW,
  DROPIN_ABOVE,
  DROPIN_DIAGONAL
};
struct dropin_stretch {
  int64_t col, row, rows, count, before_rows, before_cols;
};
bool dropin_next_stretch(const struct dropin_call *call, int operand, enum dropin_region part,
                         struct dropin_stretch *s);
int64_t dropin_rows_before(const struct dropin_grid *g, const struct dropin_operand *o, int64_t i);
int64_t dropin_cols_before(const struct dropin_grid *g, const struct dropin_operand *o, int64_t j);
int64_t dropin_column_number(const struct dropin_grid *g, const struct dropin_operand *o,
                             int64_t local);
void dropin_add_part(struct dropin_call *call, int operand, enum dropin_region part,
                     const hyla_matrix *x, hyla_scalar beta);
void dropin_copy_part(const struct dropin_call *call, int operand, enum dropin_region part,
                      const hyla_matrix *from, hyla_matrix *to);
void dropin_real_diagonal(struct dropin_call *call, int operand, const hyla_matrix *in);

/* pencils.c, for generalised eigenvalue problems; collective, nothing of the caller's changes.
 *   complete  whole := operand 0 with both triangles, from the call's triangle, in a workspace
 *   reduce    whole := C of the problem of that kind, 1 to 3; factor: of B, the call's triangle
 *   times     to := op(factor) to, or to op(factor), or with the inverse */
hyla_status dropin_complete(struct dropin_call *call, hyla_matrix **whole);
hyla_status dropin_reduce(struct dropin_call *call, int kind, const hyla_matrix *factor,
                          hyla_matrix *whole);
hyla_status dropin_times(struct dropin_call *call, bool inverse, hyla_side side, hyla_operation op,
                         const hyla_matrix *factor, hyla_matrix *to);
/* systems.c; collective: the record's factorization := B's Cholesky factor, of the call's triangle;
 * turned: the number of a workspace. */
hyla_status dropin_factor_cholesky(struct dropin_call *call, int operand, int64_t nrhs, int turned);

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
bool dropin_asks_workspace(struct dropin_call *call, int work, int more);
/* Collective.  Are the caller's workspaces long enough on all processes, and does ScaLAPACK, which
 * is asked for their lengths, find no other argument wrong?  In a later call of the kind a process
 * whose workspaces are short misfits.  workspaces: at: their positions, 0: none; integers: which
 * are integers; any: any length serves.  length_of, write_length: local, the first entry of one. */
bool dropin_has_workspace(struct dropin_call *call, int work, int more, bool integers);
bool dropin_has_workspaces(struct dropin_call *call, const int at[DROPIN_LENGTHS],
                           const bool integers[DROPIN_LENGTHS], bool any);
double dropin_length_of(const struct dropin_call *call, int at, bool integers);
void dropin_write_length(const struct dropin_call *call, int at, bool integers, double length);
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
