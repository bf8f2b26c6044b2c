/* LU with pivots on the diagonal: the schedule of its elements and factors. */
#include "solve/lu_diagonal.h"

static uint32_t address_of(const struct hy_axis *axis, int64_t index) {
  return hy_axis_address(&axis->code, (uint32_t)hy_axis_owner(axis, index));
}

/* Columns of right-hand sides that a rank column holds. */
static int64_t riding(const struct hy_axis *col, const struct hy_axis *x_col, int part) {
  return hy_held_at(x_col, (int)hy_axis_address(&col->code, (uint32_t)part));
}

struct hy_pivot_place hy_pivot_place(const struct hy_pipeline *p, uint32_t node, int64_t pivot) {
  int row_part = hy_part_of(&p->row, (int)node), col_part = hy_part_of(&p->col, (int)node);
  struct hy_pivot_place place = {
      .row_way = hy_axis_address(&p->row.code, (uint32_t)row_part) ^ address_of(&p->row, pivot),
      .col_way = hy_axis_address(&p->col.code, (uint32_t)col_part) ^ address_of(&p->col, pivot),
      .row = hy_axis_before(&p->row, row_part, pivot + 1),
      .col = hy_axis_before(&p->col, col_part, pivot)};
  place.factors = hy_held(&p->row, row_part) - place.row;
  place.elements = hy_held(&p->col, col_part) - place.col + riding(&p->col, &p->x_col, col_part);
  return place;
}

/* What changes in the address of pivots' rank rows, or columns, from one pivot to the next. */
static uint32_t turn(const struct hy_axis *axis, int64_t pivot) {
  return pivot + 1 < axis->n ? address_of(axis, pivot) ^ address_of(axis, pivot + 1) : 0;
}

/* The dimension over which a node gets its elements; way: not 0. */
static uint32_t last_link(uint32_t way, uint32_t turned) {
  if (hy_popcount(turned) == 1 && (way & turned) != 0) return turned;
  return 1u << hy_log2_floor(way);
}

/* ----------------------------------------------------------------- times -- */

/* Steps from a pivot to the next: the longest row of elements, and as many as nodes can come
 * closer; one less where those that do are leaves. */
static int64_t apart(const struct hy_pipeline *p, int64_t pivot, int64_t elements) {
  int rows = hy_popcount(turn(&p->row, pivot)), cols = hy_popcount(turn(&p->col, pivot));
  bool leaves = rows <= 1 && cols <= 1 && rows + cols > 0 && elements > 1;
  return hy_max(1, elements) + rows + cols - leaves;
}

/* The most elements of a pivot's row, or factors, that a node sends. */
static int64_t longest(const struct hy_pipeline *p, int64_t pivot) {
  int64_t most = 0;
  for (int part = 0; part < p->row.parts; part++)
    most = hy_max(most, hy_held(&p->row, part) - hy_axis_before(&p->row, part, pivot + 1));
  for (int part = 0; part < p->col.parts; part++)
    most = hy_max(most, hy_held(&p->col, part) - hy_axis_before(&p->col, part, pivot) +
                            riding(&p->col, &p->x_col, part));
  return most;
}

/* Of all pivots, for the part that has most. */
static int64_t all_factors(const struct hy_axis *row) {
  int64_t most = 0;
  for (int part = 0; part < row->parts; part++) {
    int64_t sum = 0;
    for (int64_t j = 0; j + 1 < row->n; j++)
      sum += hy_held(row, part) - hy_axis_before(row, part, j + 1);
    most = hy_max(most, sum);
  }
  return most;
}

static int64_t all_elements(const struct hy_axis *col, const struct hy_axis *x_col) {
  int64_t most = 0;
  for (int part = 0; part < col->parts; part++) {
    int64_t sum = 0;
    for (int64_t j = 0; j + 1 < col->n; j++)
      sum += hy_held(col, part) - hy_axis_before(col, part, j) + riding(col, x_col, part);
    most = hy_max(most, sum);
  }
  return most;
}

struct hy_pipeline hy_pipeline_of(const struct hy_axis *row, const struct hy_axis *col,
                                  const struct hy_axis *x_col, int64_t *start) {
  struct hy_pipeline p = {.row = *row, .col = *col, .x_col = *x_col, .start = start};
  p.rows_at = all_factors(row);
  p.words = p.rows_at + all_elements(col, x_col);
  for (int64_t j = 0; j < row->n; j++)
    start[j] = j == 0 ? 0 : start[j - 1] + apart(&p, j - 1, longest(&p, j - 1));
  return p;
}

/* -------------------------------------------------------------- packets -- */

/* One word's way through a tree, of which a node is `way' from the root, at step `here'. */
static hyla_status add_word(struct hy_schedule *schedule, uint32_t way, uint32_t dims,
                            uint32_t turned, int64_t here, int64_t word) {
  struct hy_piece piece = {.block = (uint32_t)word, .run = 1, .from = 0, .to = 1};
  if (way != 0) TRY(hy_schedule_add(schedule, (int)here - 1, last_link(way, turned), HY_IN, piece));
  for (uint32_t left = dims & ~way; left != 0; left &= left - 1) {
    uint32_t link = left & -left;
    if (last_link(way | link, turned) == link)
      TRY(hy_schedule_add(schedule, (int)here, link, HY_OUT, piece));
  }
  return HYLA_OK;
}

/* The last pivot has no factors: its row stays where it is. */
hyla_status hy_pipeline_make(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *schedule) {
  const struct hy_pipeline *p = generator->table;
  uint32_t row_dims = hy_axis_mask(&p->row.code), col_dims = hy_axis_mask(&p->col.code);
  int64_t factor = 0, element = p->rows_at;
  for (int64_t j = 0; j + 1 < p->row.n; j++) {
    struct hy_pivot_place at = hy_pivot_place(p, node, j);
    int64_t here = p->start[j] + hy_popcount(at.row_way) + hy_popcount(at.col_way);
    for (int64_t s = 0; s < at.elements; s++)
      TRY(add_word(schedule, at.row_way, row_dims, turn(&p->row, j), here + s, element++));
    for (int64_t s = 0; s < at.factors; s++)
      TRY(add_word(schedule, at.col_way, col_dims, turn(&p->col, j), here + s, factor++));
  }
  return HYLA_OK;
}
