/* Calls on square grids whose side is no power of two (3 x 3, 5 x 5, 6 x 6): they run on the grid's
 * first processes, the largest power of two of them, as 2 x 4.
 *
 * Steps: the matrices are moved there (moves.c) into memory that the call holds, O(N^2/P) per
 * process, in blocks of that grid's own.  The same call is made there, and hyla takes it like any
 * other.  The results are moved back.  The other processes only take part in the moves.
 * Everything that can fail does so before results change: then all processes have the same reason,
 * and the call is passed on. */
#include "dropin.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arguments of a routine, one letter each:
 *   r  a matrix that is read, w one that is also written; -: the arguments that belong to it
 *   p  IPIV, written, q IPIV, read;  t TAU, written, for the columns of A
 *   e  a workspace of entries, n of integers, m of integers or, in complex types, reals; -: length
 *   o  a real number that is the result;  i INFO;  . an argument that stays as it is
 *
 * from: the size below which ScaLAPACK on all processes is faster.  eighths: the least share of the
 * processes, in eighths, with which hyla is faster (doc/dropin.md).  3 x 3 and 6 x 6 use 8/9
 * of them, 5 x 5 uses 16/25. */
struct roles {
  const char *letters;
  double from;
  int eighths;
};
enum { MOST = 7 };
static const struct roles roles[DROPIN_COUNT] = {
    [DROPIN_gemm] = {"......r---r---.w---", 4000, MOST},
    [DROPIN_symm] = {".....r---r---.w---", 4000, MOST},
    [DROPIN_hemm] = {".....r---r---.w---", 4000, MOST},
    [DROPIN_syrk] = {".....r---.w---", 4000, MOST},
    [DROPIN_herk] = {".....r---.w---", 4000, MOST},
    [DROPIN_trmm] = {".......r---w---", 4000, MOST},
    [DROPIN_trsm] = {".......r---w---", 4000, MOST},
    [DROPIN_tran] = {"...r---.w---", HUGE_VAL, MOST},
    [DROPIN_tranu] = {"...r---.w---", HUGE_VAL, MOST},
    [DROPIN_tranc] = {"...r---.w---", HUGE_VAL, MOST},
    [DROPIN_getrf] = {"..w---pi", 400, 0},
    [DROPIN_getrs] = {"...r---qw---i", 4000, MOST},
    [DROPIN_gesv] = {"..w---pw---i", 400, 0},
    [DROPIN_getri] = {".w---qe-n-i", 4000, MOST},
    [DROPIN_potrf] = {"..w---i", 2000, MOST},
    [DROPIN_potrs] = {"...r---w---i", 4000, MOST},
    [DROPIN_posv] = {"...w---w---i", 2000, MOST},
    [DROPIN_trtri] = {"...w---i", 4000, MOST},
    [DROPIN_potri] = {"..w---i", 4000, MOST},
    [DROPIN_geqrf] = {"..w---te-i", 4000, MOST},
    [DROPIN_gels] = {"....w---w---e-i", 4000, MOST},
    [DROPIN_gecon] = {"..r---.oe-m-i", 4000, MOST},
    [DROPIN_pocon] = {"..r---.oe-m-i", 4000, MOST},
};

enum { HELD = 16 };

/* A call on its stage, with its arguments, their targets, and all memory.  inner: the call there;
 * its grid is NULL on the other processes. */
struct stage {
  struct dropin_call *outer, inner;
  void *arguments[DROPIN_ARGUMENTS];
  int desc[DROPIN_OPERANDS][LLD + 1];
  struct dropin_place place[DROPIN_OPERANDS], home[DROPIN_OPERANDS];
  int one, info, lengths[2];
  int *pivots, *counts;
  double result;
  char *vector, *tau, *out, *in, *scratch;
  void *held[HELD];
  int holds;
  bool lacks_memory;
};

double dropin_staged_from(const struct dropin_call *call) {
  const struct dropin_grid *grid = call->grid;
  const struct roles *routine = &roles[call->number];
  const bool enough = 8 * grid->stage_p * grid->stage_q >= routine->eighths * grid->p * grid->q;
  return enough ? routine->from : HUGE_VAL;
}

static int place_of(const struct dropin_call *call, const char *letters) {
  return (int)strcspn(roles[call->number].letters, letters);
}

static bool has(const struct dropin_call *call, const char *letters) {
  return roles[call->number].letters[place_of(call, letters)] != '\0';
}

static bool is_written(const struct dropin_call *call, int operand) {
  return roles[call->number].letters[call->operand[operand].at] == 'w';
}

/* Is this the first operand of its array?  The others are not used. */
static bool is_first(const struct dropin_call *call, int operand) {
  return operand == 0 || call->operand[operand - 1].at != call->operand[operand].at;
}

/* The positions of the workspaces; more is -1 if there is only one. */
struct workspaces {
  int work, more;
  bool integers;
};

static struct workspaces workspaces_of(const struct dropin_call *call) {
  return (struct workspaces){place_of(call, "e"), has(call, "nm") ? place_of(call, "nm") : -1,
                             has(call, "n") || !dropin_is_complex(call->type)};
}

/* --------------------------------------------------------------- memory -- */

static void *hold(struct stage *s, int64_t count, size_t size) {
  void *memory = count >= 0 ? calloc((size_t)count + 1, size) : NULL;
  if (memory == NULL)
    s->lacks_memory = true;
  else
    s->held[s->holds++] = memory;
  return memory;
}

static void release(struct stage *s) {
  while (s->holds > 0) free(s->held[--s->holds]);
}

/* A block with which each process has several. */
static int choose_block(const struct dropin_call *call) {
  enum { LARGEST = 64, SEVERAL = 16 };
  int64_t extent = 1;
  for (int x = 0; x < call->operands; x++) {
    const struct dropin_operand *o = &call->operand[x];
    if (o->rows > extent) extent = o->rows;
    if (o->cols > extent) extent = o->cols;
  }
  return extent >= LARGEST * SEVERAL ? LARGEST : (int)((extent + SEVERAL - 1) / SEVERAL);
}

/* Places operand x at home and on the stage, and raises *most to the entries of the larger one. */
static void place_operand(struct stage *s, int x, int block, int64_t *most) {
  struct dropin_grid *grid = s->outer->grid;
  struct dropin_operand *o = &s->outer->operand[x];
  const int me = grid->row * grid->q + grid->col, p = grid->stage_p, q = grid->stage_q;
  const bool is_on = me < p * q;
  const int64_t rows = is_on ? dropin_held(o->rows, block, me / q, p) : 0;
  const int64_t cols = is_on ? dropin_held(o->cols, block, me % q, q) : 0,
                home = dropin_held_of(o, grid->p, grid->q, grid->row, grid->col);
  const int desc[] = {
      1, grid->stage, (int)o->rows, (int)o->cols, block, block, 0, 0, rows > 1 ? (int)rows : 1};
  memcpy(s->desc[x], desc, sizeof desc);
  s->home[x] = (struct dropin_place){grid->p, grid->q, o->i, o->j, o->desc, o->array, NULL};
  s->place[x] = (struct dropin_place){p, q, 1, 1, s->desc[x], NULL, NULL};
  s->place[x].array = hold(s, rows * cols, dropin_entry_size(s->outer->type));
  if (rows * cols > *most) *most = rows * cols;
  if (home > *most) *most = home;
}

/* -------------------------------------------------------------- arguments -- */

/* Fills in the arguments on the stage, except workspaces. */
static void fill_arguments(struct stage *s) {
  const struct dropin_call *outer = s->outer;
  const char *letters = roles[outer->number].letters;
  for (int at = 0; letters[at] != '\0'; at++) {
    void **to = &s->arguments[at];
    switch (letters[at]) {
    case '.': *to = outer->arguments[at]; break;
    case 'p':
    case 'q': *to = s->pivots; break;
    case 't': *to = s->tau; break;
    case 'o': *to = &s->result; break;
    case 'i': *to = &s->info; break;
    default: break;
    }
  }
  for (int x = 0; x < outer->operands; x++) {
    if (!is_first(outer, x)) continue;
    void **to = &s->arguments[outer->operand[x].at];
    to[0] = s->place[x].array;
    to[1] = to[2] = &s->one;
    to[3] = s->desc[x];
  }
}

/* Allocates workspaces as long as the next library asks for there; their first entries ask. */
static void fill_workspaces(struct stage *s) {
  if (!has(s->outer, "e")) return;
  const struct workspaces w = workspaces_of(s->outer);
  double begin[2][2] = {{0}};
  const int at[2] = {w.work, w.more};
  for (int k = 0; k < 2 && at[k] >= 0; k++) {
    s->arguments[at[k]] = begin[k];
    s->arguments[at[k] + 1] = &s->lengths[k];
  }
  const struct dropin_lengths wanted = dropin_ask_workspace(&s->inner, w.work, w.more, w.integers);
  const double lengths[2] = {wanted.work, wanted.more};
  for (int k = 0; k < 2 && at[k] >= 0; k++) {
    s->lengths[k] = (int)lengths[k];
    s->arguments[at[k]] = hold(s, s->lengths[k], dropin_entry_size(HYLA_DOUBLE_COMPLEX));
  }
}

/* Takes all memory and prepares the call on the stage. */
static void prepare(struct stage *s) {
  struct dropin_call *outer = s->outer;
  const struct dropin_grid *grid = outer->grid;
  const int block = choose_block(outer);
  const size_t size = dropin_entry_size(outer->type),
               longest = dropin_entry_size(HYLA_DOUBLE_COMPLEX);
  int64_t most = 0, rows = 0, cols = 0;
  for (int x = 0; x < outer->operands; x++) {
    const struct dropin_operand *o = &outer->operand[x];
    if (!is_first(outer, x)) continue;
    place_operand(s, x, block, &most);
    if (o->rows > rows) rows = o->rows;
    if (o->cols > cols) cols = o->cols;
  }
  s->lacks_memory |= most > INT_MAX; /* MPI's counts are int */
  s->out = hold(s, most, size);
  s->in = hold(s, most, size);
  s->scratch = hold(s, 1, dropin_move_scratch(rows, cols));
  s->counts = hold(s, 4 * (int64_t)grid->p * grid->q, sizeof *s->counts);
  s->vector = hold(s, rows + cols, longest);
  s->pivots = hold(s, rows + block, sizeof *s->pivots);
  s->tau = hold(s, cols, longest);
  fill_arguments(s);
  s->inner = (struct dropin_call){
      .number = outer->number, .type = outer->type, .arguments = s->arguments, .info = &s->info};
  if (grid->stage >= 0) fill_workspaces(s);
}

/* ------------------------------------------------------- moves to the stage -- */

static void move(struct stage *s, int x, const struct dropin_place *from,
                 const struct dropin_place *to) {
  const struct dropin_operand *o = &s->outer->operand[x];
  const struct dropin_move it = {s->outer->type, o->rows, o->cols,    NULL,     from, to,
                                 s->out,         s->in,   s->scratch, s->counts};
  dropin_move(s->outer->grid, &it);
}

/* Moves IPIV between home, where it lies like the rows of A, and the stage. */
static void move_pivots(struct stage *s, bool back) {
  const struct dropin_call *outer = s->outer;
  const struct dropin_grid *grid = outer->grid, *there = s->inner.grid;
  const struct dropin_operand *a = &outer->operand[0];
  const int64_t count = a->rows < a->cols ? a->rows : a->cols;
  int *all = (int *)(void *)s->vector;
  const struct dropin_grid *from = back ? there : grid, *to = back ? grid : there;
  const int first = a->i - 1;
  memset(all, 0, (size_t)count * sizeof *all);
  for (int64_t k = 0; k < count && from != NULL && from->col == 0; k++) {
    int64_t at =
        back ? dropin_local_row(from, s->desc[0], k) : dropin_local_row(from, a->desc, first + k);
    if (at >= 0) all[k] = back ? s->pivots[at] + first : outer->pivots[at] - first;
  }
  dropin_share(grid, all, (int)count, MPI_INT, MPI_SUM);
  for (int64_t k = 0; k < count && to != NULL; k++) {
    int64_t at =
        back ? dropin_local_row(to, a->desc, first + k) : dropin_local_row(to, s->desc[0], k);
    if (at >= 0) *(back ? &outer->pivots[at] : &s->pivots[at]) = all[k];
  }
}

static void move_tau(struct stage *s, char *tau) {
  const struct dropin_call *outer = s->outer;
  const struct dropin_grid *grid = outer->grid, *there = s->inner.grid;
  const struct dropin_operand *a = &outer->operand[0];
  const int64_t count = a->rows < a->cols ? a->rows : a->cols;
  const size_t size = dropin_entry_size(outer->type);
  const bool single = outer->type == HYLA_FLOAT || outer->type == HYLA_COMPLEX;
  const int parts = dropin_is_complex(outer->type) ? 2 : 1;
  memset(s->vector, 0, (size_t)count * size);
  for (int64_t k = 0; k < count && there != NULL && there->row == 0; k++) {
    int64_t at = dropin_local_col(there, s->desc[0], k);
    if (at >= 0) memcpy(s->vector + (size_t)k * size, s->tau + (size_t)at * size, size);
  }
  dropin_share(grid, s->vector, (int)count * parts, single ? MPI_FLOAT : MPI_DOUBLE, MPI_SUM);
  for (int64_t k = 0; k < count; k++) {
    int64_t at = dropin_local_col(grid, a->desc, a->j - 1 + k);
    if (at >= 0) memcpy(tau + (size_t)at * size, s->vector + (size_t)k * size, size);
  }
}

static void bring_results(struct stage *s) {
  const struct dropin_call *outer = s->outer;
  const bool single = outer->type == HYLA_FLOAT || outer->type == HYLA_COMPLEX;
  for (int x = 0; x < outer->operands; x++)
    if (is_first(outer, x) && is_written(outer, x)) move(s, x, &s->place[x], &s->home[x]);
  if (has(outer, "p")) move_pivots(s, true);
  if (has(outer, "t")) move_tau(s, outer->arguments[place_of(outer, "t")]);
  if (has(outer, "o")) {
    dropin_tell(outer->grid, &s->result, sizeof s->result);
    memcpy(outer->arguments[place_of(outer, "o")], &s->result,
           single ? sizeof(float) : sizeof(double));
  }
  if (has(outer, "i")) *(int *)outer->arguments[place_of(outer, "i")] = 0;
}

/* -------------------------------------------------------------- the call -- */

/* Is this process' array too short, or a workspace that ScaLAPACK asks for? */
static bool lacks_arguments(struct dropin_call *call) {
  const struct dropin_grid *grid = call->grid;
  bool lacks = false;
  for (int x = 0; x < call->operands; x++) {
    const struct dropin_operand *o = &call->operand[x];
    const int row = (grid->row - o->desc[RSRC] + grid->p) % grid->p;
    const int64_t rows = dropin_held(o->desc[M], o->desc[MB], row, grid->p);
    lacks |= o->desc[LLD] < 1 || o->desc[LLD] < rows;
  }
  if (!has(call, "e")) return lacks;
  const struct workspaces w = workspaces_of(call);
  return dropin_lacks_workspace(call, w.work, w.more, w.integers) || lacks;
}

/* hyla runs the call on the processes of the stage. */
static const char *run(struct stage *s) {
  struct dropin_call *call = &s->inner;
  if (!dropin_routines[call->number].read(call) || call->grid == NULL) return "arguments";
  const char *why = dropin_check(call);
  return why != NULL ? why : dropin_take(call);
}

static const char *run_there(struct stage *s) {
  struct dropin_call *outer = s->outer;
  const struct dropin_grid *grid = outer->grid;
  if (grid->stage >= 0) s->inner.grid = dropin_grid_find(grid->stage);
  for (int x = 0; x < outer->operands; x++)
    if (is_first(outer, x)) move(s, x, &s->home[x], &s->place[x]);
  if (has(outer, "q")) move_pivots(s, false);
  const char *why = grid->stage >= 0 ? run(s) : NULL;
  snprintf(outer->told, sizeof outer->told, "%s", why != NULL ? why : "");
  dropin_tell(grid, outer->told, sizeof outer->told);
  if (outer->told[0] != '\0') return outer->told;
  bring_results(s);
  outer->on_fewer = true;
  return NULL;
}

/* Does any process say so? */
static bool any(const struct dropin_grid *grid, bool says) {
  int it = says;
  dropin_share(grid, &it, 1, MPI_INT, MPI_MAX);
  return it != 0;
}

const char *dropin_run_staged(struct dropin_call *call) {
  struct stage s = {.outer = call, .one = 1};
  const char *why = NULL;
  if (!dropin_grid_stage(call->grid)) return "no cube";
  if (any(call->grid, lacks_arguments(call))) return "arguments";
  prepare(&s);
  if (any(call->grid, s.lacks_memory))
    why = hyla_status_text(HYLA_MEMORY);
  else
    why = run_there(&s);
  release(&s);
  return why;
}
