/* Tournament pivoting: a panel's pivot rows are found all at once.
 *
 * Each rank of the rank column names as many rows of the panel as it has columns, by Gaussian
 * elimination with partial pivoting of its own rows.  The sets meet pairwise over the dimensions of
 * the rank column: elimination keeps the better rows of two sets.  The last rows go to the top, and
 * the panel is factored without a further search.  So a panel takes one all-reduce, r steps, where
 * partial pivoting takes one a column; the message has two blocks of width x width.  The price is 2
 * width^2 operations a row instead of 1, a block elimination a step, and growth of up to 2^(width
 * r) in theory; in practice it is that of partial pivoting (Grigori, Demmel, Xiang 2011).
 *
 * A message carries the rows as they were before the panel, so that all members eliminate the same
 * numbers and get the same factors, bit for bit. */
#include "solve/lu/lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Followed by the rows' numbers, their entries and the panel's top rows, width x width each. */
struct entrants {
  int64_t count;
  int64_t not_finite; /* first column, from 1, that has such an entry; 0: none */
  int64_t has_top;
  int64_t spare;
  int64_t row[];
};

struct tournament {
  struct hy_lu *lu;
  const struct hy_kernels *k;
  const struct hy_lu_panel *panel;
  int width;
  char *stack;  /* rows that are eliminated: this rank's, or two sets */
  char *chosen; /* width x width */
  int64_t *numbers;
  int *order; /* of the rows of the stack */
  int *pivots;
  int *exponents; /* of two, by which the stack's columns were divided */
};

static int64_t entries_at(int64_t width) {
  int64_t bytes = (int64_t)sizeof(struct entrants) + width * (int64_t)sizeof(int64_t);
  return hy_ceil_div(bytes, 16) * 16;
}

static int64_t message_bytes(int64_t width, int64_t size) {
  return hy_ceil_div(entries_at(width) + 2 * width * width * size, 16) * 16;
}

static char *rows_of(const struct tournament *t, const struct entrants *set) {
  return (char *)(uintptr_t)set + entries_at(t->width);
}

static char *top_of(const struct tournament *t, const struct entrants *set) {
  return rows_of(t, set) + (size_t)t->width * (size_t)t->width * t->k->size;
}

/* ------------------------------------------------------------ elimination -- */

static void multiply_column(const struct tournament *t, int rows, char *column, int exponent) {
  int half = exponent / 2; /* neither factor overflows */
  t->k->scale(rows, ldexp(1, half), column, 1);
  t->k->scale(rows, ldexp(1, exponent - half), column, 1);
}

/* Brings columns of very small or large entries to the order of 1, so that no pivot's reciprocal
 * overflows; this changes neither choices nor multipliers.  Returns the first column, from 1, with
 * an entry that is no number or infinite; 0: none. */
static int64_t even_out(const struct tournament *t, int rows) {
  for (int j = 0; j < t->width; j++) {
    char *column = t->stack + (size_t)j * (size_t)rows * t->k->size;
    const struct hy_norm size = hy_norm_largest(t->k, rows, 1, column, rows);
    t->exponents[j] = 0;
    if (!isfinite(size.value)) return j + 1;
    if (abs(size.exponent) <= 100) continue;
    t->exponents[j] = size.exponent;
    multiply_column(t, rows, column, -t->exponents[j]);
  }
  return 0;
}

/* Rows that are eliminated together. */
struct rows {
  const char *data;
  int count, ld;
};

static void load(const struct tournament *t, const struct rows *first, const struct rows *second) {
  int rows = first->count + second->count;
  t->k->copy(HYLA_NONE, first->count, t->width, 1, first->data, first->ld, t->stack, rows);
  t->k->copy(HYLA_NONE, second->count, t->width, 1, second->data, second->ld,
             t->stack + (size_t)first->count * t->k->size, rows);
}

/* Are the pivots of `count' columns so large that neither their reciprocals, by which BLAS
 * multiplies, nor the squares in those of complex ones are beyond what the type holds? */
static bool is_safe(const struct tournament *t, const char *diagonal, int ld, int count) {
  const double least = t->k->epsilon > 0x1p-30 ? 0x1p-60 : 0x1p-500;
  for (int j = 0; j < count; j++)
    if (!(t->k->largest(1, 1, diagonal + (size_t)j * (size_t)(ld + 1) * t->k->size, 1) >= least))
      return false;
  return true;
}

/* Does to the stack as getrf, but by divisions; leaves a column that has no pivot. */
static void eliminate_slowly(const struct tournament *t, int rows) {
  const struct hy_kernels *k = t->k;
  const size_t step = (size_t)rows * k->size;
  for (int j = 0; j < rows && j < t->width; j++) {
    char *at = t->stack + (size_t)j * (step + k->size);
    struct hy_pivot pivot = k->search(rows - j, at);
    int below = rows - j - 1, behind = t->width - j - 1;
    t->pivots[j] = j + (int)pivot.index;
    if (pivot.key == 0) continue;
    char *row = t->stack + (size_t)j * k->size;
    k->swap(t->width, row, rows, row + (size_t)pivot.index * k->size, rows);
    if (below == 0) continue;
    k->divide(below, k->get(at, 0), at + k->size, 1);
    if (behind > 0)
      k->ger(below, behind, -1, at + k->size, 1, at + step, rows, at + step + k->size, rows);
  }
}

/* Eliminates rows in the stack; `order' then begins with the pivot rows.  Returns even_out's
 * result. */
static int64_t eliminate(const struct tournament *t, const struct rows *first,
                         const struct rows *second) {
  int rows = first->count + second->count, pivots = rows < t->width ? rows : t->width;
  load(t, first, second);
  int64_t not_finite = even_out(t, rows);
  (void)t->k->getrf(rows, t->width, t->stack, rows, t->pivots);
  if (not_finite == 0 && !t->k->dry && !is_safe(t, t->stack, rows, pivots)) {
    load(t, first, second);
    (void)even_out(t, rows);
    eliminate_slowly(t, rows);
  }
  for (int i = 0; i < rows; i++) t->order[i] = i;
  for (int i = 0; i < pivots; i++) {
    int held = t->order[i];
    t->order[i] = t->order[t->pivots[i]];
    t->order[t->pivots[i]] = held;
  }
  return not_finite;
}

static struct rows rows_in(const struct tournament *t, const struct entrants *set) {
  return (struct rows){rows_of(t, set), (int)set->count, t->width};
}

/* Row i of a set, leading dimension ld, becomes row `to` of another block. */
static void copy_row(const struct tournament *t, const char *from, int ld, int i, char *block,
                     int to) {
  size_t size = t->k->size;
  t->k->copy(HYLA_NONE, 1, t->width, 1, from + (size_t)i * size, ld, block + (size_t)to * size,
             t->width);
}

/* Does set a go first? Both sides must say the same. */
static bool stands_first(const struct entrants *a, const struct entrants *b) {
  return a->count > 0 && (b->count == 0 || a->row[0] < b->row[0]);
}

/* into := the better rows of both sets. */
static void meet(const struct tournament *t, struct entrants *into, const struct entrants *from) {
  const struct entrants *first = stands_first(into, from) ? into : from;
  const struct entrants *second = first == into ? from : into;
  int above = (int)first->count, rows = above + (int)second->count;
  int kept = rows < t->width ? rows : t->width;
  const struct rows upper = rows_in(t, first), lower = rows_in(t, second);
  (void)eliminate(t, &upper, &lower);
  for (int i = 0; i < kept; i++) {
    int row = t->order[i];
    const struct entrants *set = row < above ? first : second;
    int place = row < above ? row : row - above;
    t->numbers[i] = set->row[place];
    copy_row(t, rows_of(t, set), t->width, place, t->chosen, i);
  }
  into->count = kept;
  memcpy(into->row, t->numbers, (size_t)kept * sizeof *t->numbers);
  t->k->copy(HYLA_NONE, kept, t->width, 1, t->chosen, t->width, rows_of(t, into), t->width);
}

static void combine(void *into, const void *from, int64_t count, const void *arg) {
  const struct tournament *t = arg;
  size_t bytes = (size_t)message_bytes(t->width, (int64_t)t->k->size);
  for (int64_t i = 0; i < count && !t->k->dry; i++) {
    struct entrants *mine = (struct entrants *)(void *)((char *)into + (size_t)i * bytes);
    const struct entrants *theirs =
        (const struct entrants *)(const void *)((const char *)from + (size_t)i * bytes);
    if (theirs->not_finite > 0 && (mine->not_finite == 0 || theirs->not_finite < mine->not_finite))
      mine->not_finite = theirs->not_finite;
    if (theirs->has_top != 0) {
      mine->has_top = 1;
      memcpy(top_of(t, mine), top_of(t, theirs), (size_t)t->width * (size_t)t->width * t->k->size);
    }
    meet(t, mine, theirs);
  }
}

/* --------------------------------------------------------------- one panel -- */

/* This rank's set, from its rows of the panel. */
static void nominate(const struct tournament *t, struct entrants *mine) {
  const struct hy_diagonal_block *at = &t->panel->at;
  const struct hyla_matrix *a = t->lu->a;
  const char *data = t->panel->slot->data + t->panel->at_rows;
  *mine = (struct entrants){.count = at->rows < t->width ? at->rows : t->width, .has_top = at->top};
  const struct rows own = {data, at->rows, t->panel->ld}, none = {data, 0, t->panel->ld};
  mine->not_finite = eliminate(t, &own, &none);
  for (int i = 0; i < (int)mine->count; i++) {
    mine->row[i] = hy_axis_index(&a->row, a->row_part, at->row + t->order[i]);
    copy_row(t, data, t->panel->ld, t->order[i], rows_of(t, mine), i);
  }
  if (at->top)
    t->k->copy(HYLA_NONE, t->width, t->width, 1, data, t->panel->ld, top_of(t, mine), t->width);
}

/* Factors the winners, evened out, alike on all ranks. swaps: the winners in the order of the
 * pivots. */
static void factor_winners(const struct tournament *t, const struct entrants *won,
                           struct hy_lu_header *header) {
  int w = t->width;
  char *diagonal = t->panel->slot->data + t->panel->at_diagonal;
  const struct rows all = {rows_of(t, won), w, w}, none = {rows_of(t, won), 0, w};
  (void)eliminate(t, &all, &none);
  t->k->copy(HYLA_NONE, w, w, 1, t->stack, w, diagonal, t->panel->ld_diagonal);
  for (int j = 0; j < w; j++) header->swaps[j] = won->row[t->order[j]];
}

/* Top row i has moved to row `to`, counted from the panel's first.  If that lies behind the top,
 * its owner stores it there. */
static void move_top_row(const struct tournament *t, const struct entrants *won, int i,
                         int64_t to) {
  const struct hy_diagonal_block *at = &t->panel->at;
  const struct hyla_matrix *a = t->lu->a;
  if (to < t->width || hy_axis_owner(&a->row, at->first + to) != a->row_part) return;
  int64_t local = hy_axis_before(&a->row, a->row_part, at->first + to) - at->row;
  size_t size = t->k->size;
  char *rows = t->panel->slot->data + t->panel->at_rows;
  t->k->copy(HYLA_NONE, 1, t->width, 1, top_of(t, won) + (size_t)i * size, t->width,
             rows + (size_t)local * size, t->panel->ld);
}

/* Turns the winners' numbers into swaps, step by step. place[i]: where top row i is by now;
 * content[t]: which top row is at t. */
static void swap_winners(const struct tournament *t, const struct entrants *won,
                         struct hy_lu_header *header) {
  int64_t first = t->panel->at.first;
  int *place = t->order, *content = t->pivots;
  for (int i = 0; i < t->width; i++) place[i] = content[i] = i;
  for (int j = 0; j < t->width; j++) {
    int64_t from = header->swaps[j] - first;
    int leaving = content[j];
    if (from < t->width) from = place[from];
    header->swaps[j] = first + from;
    place[leaving] = (int)from;
    if (from < t->width) content[from] = leaving;
    move_top_row(t, won, leaving, from);
  }
}

/* X := X U^-1 by divisions. */
static void divide_slowly(const struct tournament *t, int rows, const char *u, int ld_u, char *x,
                          int ld) {
  const struct hy_kernels *k = t->k;
  for (int j = 0; j < t->width; j++) {
    const char *column = u + (size_t)j * (size_t)ld_u * k->size;
    char *to = x + (size_t)j * (size_t)ld * k->size;
    if (j > 0) k->gemm(HYLA_NONE, HYLA_NONE, rows, 1, j, -1, x, ld, column, ld_u, 1, to, ld);
    k->divide(rows, k->get(column, j), to, 1);
  }
}

/* Turns the rows behind the diagonal block into L's, and undoes the evening out of U's columns. */
static void divide_rows(const struct tournament *t) {
  const struct hy_kernels *k = t->k;
  const struct hy_lu_panel *panel = t->panel;
  int64_t below = hy_rows_behind(&panel->at);
  char *diagonal = panel->slot->data + panel->at_diagonal;
  char *behind = panel->slot->data + panel->at_rows + (panel->at.rows - below) * (int64_t)k->size;
  for (int j = 0; j < t->width; j++)
    if (t->exponents[j] != 0)
      multiply_column(t, (int)below, behind + (size_t)j * (size_t)panel->ld * k->size,
                      -t->exponents[j]);
  if (below > 0 && !k->dry && !is_safe(t, diagonal, panel->ld_diagonal, t->width))
    divide_slowly(t, (int)below, diagonal, panel->ld_diagonal, behind, panel->ld);
  else
    k->trsm(HYLA_RIGHT, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, (int)below, t->width, 1, diagonal,
            panel->ld_diagonal, behind, panel->ld);
  for (int j = 0; j < t->width; j++)
    if (t->exponents[j] != 0)
      multiply_column(t, j + 1, diagonal + (size_t)j * (size_t)panel->ld_diagonal * k->size,
                      t->exponents[j]);
}

/* Reports the first pivot that is zero, infinite or not a number. */
static void judge(const struct tournament *t, struct hy_lu_header *header) {
  const char *diagonal = t->panel->slot->data + t->panel->at_diagonal;
  for (int j = 0; j < t->width && header->found.status == HYLA_OK; j++) {
    size_t place = (size_t)j * (size_t)(t->panel->ld_diagonal + 1);
    uint64_t key = t->k->search(1, diagonal + place * t->k->size).key;
    if (key > 0 && key < HY_KEY_INFINITY) continue;
    header->found.status = key == 0 ? HYLA_SINGULAR : HYLA_NOT_FINITE;
    header->found.column = t->panel->at.first + j + 1;
  }
}

/* -------------------------------------------------------------------- costs -- */

/* Operations of elimination with partial pivoting. */
static int64_t elimination_flops(int64_t rows, int64_t width) {
  int64_t flops = 0;
  for (int64_t j = 0; j < width && j < rows; j++) flops += (rows - j - 1) * (2 * (width - j) - 1);
  return flops;
}

/* Counts all sets as full. */
static int64_t panel_flops(const struct hy_diagonal_block *at, int rounds) {
  int64_t w = at->width;
  return elimination_flops(at->rows, w) + rounds * elimination_flops(2 * w, w) +
         elimination_flops(w, w);
}

static int64_t panel_copied(const struct hy_diagonal_block *at, int rounds) {
  int64_t w = at->width;
  return at->rows * w + (3 + 4 * rounds) * w * w;
}

static int64_t stack_rows(int64_t rows, int64_t width) { return hy_max(rows, 2 * width); }

static int64_t room(int64_t rows, int64_t width, int64_t size) {
  int64_t stack = stack_rows(rows, width);
  return 2 * message_bytes(width, size) + (stack + width) * width * size +
         (width + 1) * (int64_t)sizeof(int64_t) + (stack + 2 * width) * (int64_t)sizeof(int);
}

/* ------------------------------------------------------------------ variant -- */

static struct tournament open_tournament(struct hy_lu *lu, const struct hy_lu_panel *panel) {
  int64_t width = panel->at.width, size = (int64_t)lu->k->size;
  int64_t stack = stack_rows(panel->at.rows, width);
  struct tournament t = {.lu = lu, .k = lu->k, .panel = panel, .width = (int)width};
  t.numbers = (int64_t *)(void *)(lu->search + 2 * message_bytes(width, size));
  t.stack = (char *)(t.numbers + 2 * ((width + 1) / 2));
  t.chosen = t.stack + stack * width * size;
  t.order = (int *)(void *)(t.chosen + width * width * size);
  t.pivots = t.order + stack;
  t.exponents = t.pivots + width;
  return t;
}

static void count_elimination(const struct hy_lu *lu, const struct hy_diagonal_block *at) {
  const int rounds = hy_sides_bits((uint32_t)lu->array.row.parts);
  int64_t w = at->width, flops = panel_flops(at, rounds);
  hy_compute(lu->cube, hy_rows_behind(at) * w * w + flops, lu->k->size, lu->k->complex_type);
  hy_count_copied(lu->cube, panel_copied(at, rounds) + w * w); /* and the diagonal block */
}

static hyla_status factor(struct hy_lu *lu, const struct hy_lu_panel *panel) {
  const struct hy_diagonal_block *at = &panel->at;
  const struct hy_kernels *k = lu->k;
  struct tournament t = open_tournament(lu, panel);
  struct hy_lu_header *header = (struct hy_lu_header *)(void *)panel->slot->data;
  struct entrants *set = (struct entrants *)(void *)lu->search;
  struct hy_subcube_op group = lu->searches;
  group.what.size = (size_t)message_bytes(at->width, (int64_t)k->size);
  group.work = lu->search + group.what.size;
  if (!k->dry) nominate(&t, set);
  TRY(hy_subcube_allreduce(&group, set, 1, combine, &t));
  count_elimination(lu, at);
  if (k->dry) return HYLA_OK;
  *header = (struct hy_lu_header){.found = {HYLA_OK, 0}};
  if (set->not_finite > 0) {
    header->found.status = HYLA_NOT_FINITE;
    header->found.column = at->first + set->not_finite;
  } else {
    factor_winners(&t, set, header);
    judge(&t, header);
  }
  if (header->found.status != HYLA_OK) return HYLA_OK;
  swap_winners(&t, set, header);
  divide_rows(&t);
  k->copy(HYLA_NONE, at->width, at->width, 1, panel->slot->data + panel->at_diagonal,
          panel->ld_diagonal, hy_lu_diagonal(lu, at), (int)lu->array.block);
  return HYLA_OK;
}

static const struct hy_lu_pivoting TOURNAMENT = {
    .substitutions = HY_LU_SUBSTITUTIONS, .factor = factor, .bytes = message_bytes, .room = room};

const struct hy_variant hy_lu_tournament = {
    .name = "tournament",
    .arrays = true,
    .reference = "grigori-2011, section 3",
    .traits = &TOURNAMENT,
    HY_LU_OPERATIONS,
    .explain = hy_lu_explain,
};
