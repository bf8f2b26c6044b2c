/* Partial pivoting: the largest entry of a panel's column below the diagonal, column by column.
 *
 * The elimination is recursive: it factors the left half of the columns, updates the right half,
 * and factors that, so that nearly all work is in matrix products.  Up to BASE columns are
 * eliminated by rank-one updates.  A column costs one all-reduce over the rank column: its message
 * carries the best candidate with its row of the panel, and the row that the winner changes places
 * with.  So every rank ends up with the panel's diagonal block, does the small triangular solves
 * itself, and nothing else is exchanged.
 * Steps: r a column.  A message has 32 bytes and 2 width words.
 *
 * A failing pivot (zero, infinite, NaN) ends the panel on all ranks of the rank column alike; the
 * header tells the others. */
#include "solve/lu/lu.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { BASE = 8 };

/* A message: this, then the candidate's row and the top row, width entries each. */
struct search {
  struct hy_pivot pivot;
  int64_t has_top;
  int64_t spare;
};

int64_t hy_lu_partial_bytes(int64_t width, int64_t size) {
  return (int64_t)sizeof(struct search) + 2 * width * size;
}

struct elimination {
  struct hy_lu *lu;
  const struct hy_kernels *k;
  const struct hy_lu_panel *panel;
  struct hy_lu_header *header;
  char *rows; /* the panel's, leading dimension ld */
  int ld;
  char *diagonal; /* the diagonal block so far, alike on all ranks */
  int ld_diagonal;
  size_t row_bytes;
  struct hy_subcube_op search; /* the factorization's, for messages of this panel's width */
};

static char *entry(char *base, int ld, size_t size, int i, int j) {
  return base + ((size_t)i + (size_t)j * (size_t)ld) * size;
}

static void better(void *into, const void *from, int64_t count, const void *arg) {
  size_t row = *(const size_t *)arg;
  for (int64_t i = 0; i < count; i++) {
    char *mine = (char *)into + (size_t)i * (sizeof(struct search) + 2 * row);
    const char *theirs = (const char *)from + (size_t)i * (sizeof(struct search) + 2 * row);
    struct search a, b;
    memcpy(&a, mine, sizeof a);
    memcpy(&b, theirs, sizeof b);
    if (b.pivot.key > a.pivot.key ||
        (b.pivot.key == a.pivot.key && b.pivot.index < a.pivot.index)) {
      a.pivot = b.pivot;
      memcpy(mine + sizeof a, theirs + sizeof b, row);
    }
    if (b.has_top != 0) {
      a.has_top = 1;
      memcpy(mine + sizeof a + row, theirs + sizeof b + row, row);
    }
    memcpy(mine, &a, sizeof a);
  }
}

/* The first local row that may be the pivot of column j. */
static int active(const struct elimination *e, int j) { return e->panel->at.top ? j : 0; }

/* This rank's candidate for column j. */
static void nominate(const struct elimination *e, int j) {
  const struct hy_diagonal_block *at = &e->panel->at;
  const struct hyla_matrix *a = e->lu->a;
  char *message = e->lu->search;
  struct search mine = {.pivot = {0, INT64_MAX}};
  int begin = active(e, j);
  if (begin < at->rows) {
    const char *column = entry(e->rows, e->ld, e->k->size, begin, j);
    mine.pivot = e->k->search(at->rows - begin, column);
    int row = begin + (int)mine.pivot.index;
    mine.pivot.index = hy_axis_index(&a->row, a->row_part, at->row + row);
    e->k->copy(HYLA_NONE, 1, at->width, 1, entry(e->rows, e->ld, e->k->size, row, 0), e->ld,
               message + sizeof mine, 1);
  }
  if (at->top) {
    mine.has_top = 1;
    e->k->copy(HYLA_NONE, 1, at->width, 1, entry(e->rows, e->ld, e->k->size, j, 0), e->ld,
               message + sizeof mine + e->row_bytes, 1);
  }
  memcpy(message, &mine, sizeof mine);
}

/* The winner's row becomes row j; row j takes its place. */
static void install(const struct elimination *e, int j, int64_t winner) {
  const struct hy_diagonal_block *at = &e->panel->at;
  const struct hyla_matrix *a = e->lu->a;
  const char *rows = e->lu->search + sizeof(struct search);
  if (hy_axis_owner(&a->row, winner) == a->row_part) {
    int row = (int)(hy_axis_before(&a->row, a->row_part, winner) - at->row);
    e->k->copy(HYLA_NONE, 1, at->width, 1, rows + e->row_bytes, 1,
               entry(e->rows, e->ld, e->k->size, row, 0), e->ld);
  }
  e->k->copy(HYLA_NONE, 1, at->width, 1, rows, 1,
             entry(e->diagonal, e->ld_diagonal, e->k->size, j, 0), e->ld_diagonal);
}

/* Chooses and installs the pivot of column j. */
static hyla_status choose(const struct elimination *e, int j) {
  const struct hy_lu *lu = e->lu;
  nominate(e, j);
  TRY(hy_subcube_allreduce(&e->search, lu->search, 1, better, &e->row_bytes));
  struct search best;
  memcpy(&best, lu->search, sizeof best);
  if (best.pivot.key == 0 || best.pivot.key >= HY_KEY_INFINITY) {
    e->header->found.status = best.pivot.key == 0 ? HYLA_SINGULAR : HYLA_NOT_FINITE;
    e->header->found.column = e->panel->at.first + j + 1;
    return HYLA_OK;
  }
  e->header->swaps[j] = best.pivot.index;
  install(e, j, best.pivot.index);
  return HYLA_OK;
}

/* Is the pivot's reciprocal exact enough to multiply by? No square that it needs may overflow. */
static bool divides_well(const struct hy_kernels *k, double _Complex pivot) {
  const double most = k->epsilon > 0x1p-30 ? 0x1p60 : 0x1p500;
  double size = fabs(creal(pivot)) + fabs(cimag(pivot));
  return size > 1 / most && size < most;
}

/* Multipliers: column / pivot. */
static void eliminate(const struct hy_kernels *k, int rows, double _Complex pivot, char *column) {
  if (divides_well(k, pivot))
    k->scale(rows, 1 / pivot, column, 1);
  else
    k->divide(rows, pivot, column, 1);
}

/* Number of columns in the left half. */
static int left_part(int columns) { return (columns / 2 + BASE - 1) / BASE * BASE; }

/* Columns begin ... end-1, one after the other. */
static hyla_status factor_base(const struct elimination *e, int begin, int end) {
  const struct hy_kernels *k = e->k;
  for (int j = begin; j < end; j++) {
    TRY(choose(e, j));
    if (e->header->found.status != HYLA_OK) return HYLA_OK;
    int row = active(e, j + 1), rows = e->panel->at.rows - row;
    if (rows <= 0) continue;
    const char *pivot = entry(e->diagonal, e->ld_diagonal, k->size, j, j);
    char *column = entry(e->rows, e->ld, k->size, row, j);
    eliminate(k, rows, k->get(pivot, 0), column);
    if (j + 1 == end) continue;
    k->ger(rows, end - j - 1, -1, column, 1, entry(e->diagonal, e->ld_diagonal, k->size, j, j + 1),
           e->ld_diagonal, entry(e->rows, e->ld, k->size, row, j + 1), e->ld);
  }
  return HYLA_OK;
}

static hyla_status factor_columns(const struct elimination *e, int begin, int end) {
  if (end - begin <= BASE) return factor_base(e, begin, end);
  const struct hy_kernels *k = e->k;
  int left = left_part(end - begin);
  int middle = begin + left;
  TRY(factor_columns(e, begin, middle));
  if (e->header->found.status != HYLA_OK) return HYLA_OK;
  char *u = entry(e->diagonal, e->ld_diagonal, k->size, begin, middle);
  k->trsm(HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_UNIT_DIAGONAL, left, end - middle, 1,
          entry(e->diagonal, e->ld_diagonal, k->size, begin, begin), e->ld_diagonal, u,
          e->ld_diagonal);
  int row = active(e, middle), rows = e->panel->at.rows - row;
  if (rows > 0)
    k->gemm(HYLA_NONE, HYLA_NONE, rows, end - middle, left, -1,
            entry(e->rows, e->ld, k->size, row, begin), e->ld, u, e->ld_diagonal, 1,
            entry(e->rows, e->ld, k->size, row, middle), e->ld);
  return factor_columns(e, middle, end);
}

/* Factors a panel that one rank holds whole, by LAPACK. False: some pivot or entry is such that
 * LAPACK's factors cannot be trusted.  The panel is then as before, to go column by column. */
static bool factor_whole(const struct elimination *e) {
  const struct hy_kernels *k = e->k;
  const struct hyla_matrix *a = e->lu->a;
  int width = e->panel->at.width, rows = e->panel->at.rows;
  int *pivots = (int *)(void *)e->lu->search;
  bool good =
      k->getrf(rows, width, e->rows, e->ld, pivots) == 0 && k->finite(rows, width, e->rows, e->ld);
  for (int j = 0; j < width && good; j++) {
    good = divides_well(k, k->get(entry(e->rows, e->ld, k->size, j, j), 0));
    e->header->swaps[j] = hy_axis_index(&a->row, a->row_part, e->panel->at.row + pivots[j]);
  }
  if (good)
    k->copy(HYLA_NONE, width, width, 1, e->rows, e->ld, e->diagonal, e->ld_diagonal);
  else
    hy_lu_load(e->lu, e->panel);
  return good;
}

static hyla_status factor_entries(const struct elimination *e) {
  e->header->found = (struct hy_panel_header){HYLA_OK, 0};
  bool whole = e->lu->array.row_dims == 0 && factor_whole(e);
  return whole ? HYLA_OK : factor_columns(e, 0, e->panel->at.width);
}

static void nothing(void *into, const void *from, int64_t count, const void *arg) {
  (void)into, (void)from, (void)count, (void)arg;
}

/* Sends the messages of a run that has no data; on a counting cube once for all columns. */
static hyla_status search_only(const struct elimination *e) {
  hyla_cube *cube = e->lu->cube;
  const bool counts = hy_cube_counts(cube);
  const hyla_ledger before = cube->network.ledger;
  for (int j = 0; j < (counts ? 1 : e->panel->at.width); j++)
    TRY(hy_subcube_allreduce(&e->search, e->lu->search, 1, nothing, NULL));
  if (counts) hy_count_again(cube, &before, e->panel->at.width);
  return HYLA_OK;
}

/* Operations on the diagonal block; the rank that has it eliminates it like other rows. */
static int64_t diagonal_flops(int width, bool top) {
  int64_t flops = 0;
  if (top) {
    for (int64_t left = width - 1; left > 0; left--) flops += left * (2 * left + 1);
    return flops;
  }
  if (width <= BASE) return 0;
  int64_t left = left_part(width), right = width - left;
  return diagonal_flops((int)left, false) + diagonal_flops((int)right, false) +
         left * (left - 1) * right;
}

int64_t hy_lu_partial_room(int64_t rows, int64_t width, int64_t size) {
  (void)rows;
  return 2 * hy_lu_partial_bytes(width, size);
}

hyla_status hy_lu_partial_factor(struct hy_lu *lu, const struct hy_lu_panel *panel) {
  const struct hy_kernels *k = lu->k;
  const struct hy_diagonal_block *at = &panel->at;
  struct elimination e = {.lu = lu,
                          .k = k,
                          .panel = panel,
                          .header = (struct hy_lu_header *)(void *)panel->slot->data,
                          .rows = panel->slot->data + panel->at_rows,
                          .ld = panel->ld,
                          .diagonal = panel->slot->data + panel->at_diagonal,
                          .ld_diagonal = panel->ld_diagonal,
                          .row_bytes = (size_t)at->width * k->size,
                          .search = lu->searches};
  e.search.what.size = (size_t)hy_lu_partial_bytes(at->width, (int64_t)k->size);
  e.search.work = lu->search + e.search.what.size;
  TRY(k->dry ? search_only(&e) : factor_entries(&e));
  int64_t w = at->width;
  hy_compute(lu->cube, hy_rows_behind(at) * w * w + diagonal_flops(at->width, at->top), k->size,
             k->complex_type);
  hy_count_copied(lu->cube, w * w); /* the diagonal block, below */
  if (!k->dry && e.header->found.status != HYLA_OK) return HYLA_OK;
  k->copy(HYLA_NONE, at->width, at->width, 1, e.diagonal, e.ld_diagonal, hy_lu_diagonal(lu, at),
          (int)lu->array.block);
  return HYLA_OK;
}

static const struct hy_lu_pivoting PARTIAL = {.substitutions = HY_LU_SUBSTITUTIONS,
                                              HY_LU_PARTIAL_PIVOTING};

const struct hy_variant hy_lu_partial = {
    .name = "partial",
    .arrays = true,
    .reference = "johnsson-1987, section 6",
    .traits = &PARTIAL,
    HY_LU_OPERATIONS,
    .explain = hy_lu_explain,
};
