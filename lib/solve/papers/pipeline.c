/* Elimination with pivots on the diagonal: the schedule of its elements and factors. */
#include "solve/papers/pipeline.h"

static uint32_t address_of(const struct hy_axis *axis, int64_t index) {
  return hy_axis_address(&axis->code, (uint32_t)hy_axis_owner(axis, index));
}

/* A part's address relative to the pivot's. */
static uint32_t way_to(const struct hy_axis *axis, int part, int64_t pivot) {
  return hy_axis_address(&axis->code, (uint32_t)part) ^ address_of(axis, pivot);
}

int64_t hy_pivot_factors(const struct hy_pipeline *p, int part, int64_t pivot) {
  int64_t held = hy_held(&p->row, part);
  return p->kind == HY_ELIMINATE_ALL ? held : held - hy_axis_before(&p->row, part, pivot + 1);
}

int64_t hy_pivot_elements(const struct hy_pipeline *p, int part, int64_t pivot) {
  int64_t riding = hy_held_at(&p->x_col, (int)hy_axis_address(&p->col.code, (uint32_t)part));
  if (!hy_columns_travel(p)) return riding;
  return hy_held(&p->col, part) - hy_axis_before(&p->col, part, pivot) + riding;
}

struct hy_pivot_place hy_pivot_place(const struct hy_pipeline *p, uint32_t node, int64_t pivot) {
  int row_part = hy_part_of(&p->row, (int)node), col_part = hy_part_of(&p->col, (int)node);
  return (struct hy_pivot_place){.row_way = way_to(&p->row, row_part, pivot),
                                 .col_way = way_to(&p->col, col_part, pivot),
                                 .row = hy_axis_before(&p->row, row_part, pivot + 1),
                                 .col = hy_axis_before(&p->col, col_part, pivot),
                                 .factors = hy_pivot_factors(p, row_part, pivot),
                                 .elements = hy_pivot_elements(p, col_part, pivot)};
}

/* The address bits in which the rank rows (or columns) of a pivot and the next one differ. */
static uint32_t turn(const struct hy_axis *axis, int64_t pivot) {
  return pivot + 1 < axis->n ? address_of(axis, pivot) ^ address_of(axis, pivot + 1) : 0;
}

/* The dimension over which a node gets its words; way must not be 0. */
static uint32_t last_link(uint32_t way, uint32_t changed) {
  return 1u << hy_log2_floor((way & changed) != 0 ? way & changed : way);
}

/* ----------------------------------------------------------------- times -- */

/* The data that a pivot sends. */
struct load {
  int64_t elements, factors; /* the most of one node */
  int rows, cols;            /* how far elements and factors go */
  int64_t steps;             /* until all have arrived */
};

static struct load load_of(const struct hy_pipeline *p, int64_t pivot) {
  struct load load = {0};
  int64_t factors = 0, elements = 0; /* 1 more than the steps after which the last ones leave their
                                      * nodes */
  for (int part = 0; part < p->row.parts; part++) {
    int64_t count = hy_pivot_factors(p, part, pivot),
            far = hy_popcount(way_to(&p->row, part, pivot));
    if (count == 0 && p->kind != HY_ELIMINATE_ALL)
      continue; /* with rows above, all ranks of a column need the pivot */
    load.rows = (int)hy_max(load.rows, far);
    load.factors = hy_max(load.factors, count);
    if (count > 0) factors = hy_max(factors, count + far);
  }
  for (int part = 0; part < p->col.parts; part++) {
    int64_t count = hy_pivot_elements(p, part, pivot),
            far = hy_popcount(way_to(&p->col, part, pivot));
    if (count == 0) continue;
    load.cols = (int)hy_max(load.cols, far);
    load.elements = hy_max(load.elements, count);
    elements = hy_max(elements, count + far);
  }
  if (load.rows > 0) load.steps = elements + load.rows - 1;
  if (load.cols > 0 && factors > 0) load.steps = hy_max(load.steps, factors + load.cols - 1);
  return load;
}

/* Steps from a pivot to the next one: until its links are free, and until the next pivot's words
 * are ready.  On the next pivot's rank row, and on its rank column if that is the same, words have
 * a place in the order that is one sooner than in this pivot's order, if they came before them
 * there. */
static int64_t apart(const struct hy_pipeline *p, int64_t pivot, const struct load *load) {
  int rows = hy_popcount(turn(&p->row, pivot)), cols = hy_popcount(turn(&p->col, pivot));
  bool sooner = load->factors > 1 || (cols == 0 && load->elements > 1);
  int64_t most = hy_max(load->factors, load->elements);
  return hy_max(most + hy_max(0, rows + cols - 2), rows + cols + sooner);
}

/* The number of words for all pivots on the part with the most. */
static int64_t most_of(const struct hy_pipeline *p, int parts,
                       int64_t (*count)(const struct hy_pipeline *, int, int64_t)) {
  int64_t most = 0;
  for (int part = 0; part < parts; part++) {
    int64_t sum = 0;
    for (int64_t j = 0; j < hy_pipeline_sending(p); j++) sum += count(p, part, j);
    most = hy_max(most, sum);
  }
  return most;
}

static void set_times(struct hy_pipeline *p) {
  int64_t next = 0;
  for (int64_t j = 0; j < p->row.n; j++) {
    const struct load load = load_of(p, j);
    p->start[j] = next;
    next += apart(p, j, &load);
    if (j < hy_pipeline_sending(p) && load.steps > 0)
      p->steps = hy_max(p->steps, p->start[j] + load.steps);
  }
}

struct hy_pipeline hy_pipeline_of(const struct hy_axis *row, const struct hy_axis *col,
                                  const struct hy_axis *x_col, enum hy_elimination_kind kind,
                                  int64_t *start) {
  struct hy_pipeline p = {.row = *row, .col = *col, .x_col = *x_col, .kind = kind, .start = start};
  p.rows_at = most_of(&p, row->parts, hy_pivot_factors);
  p.words = p.rows_at + most_of(&p, col->parts, hy_pivot_elements);
  if (hy_rotates(&p))
    hy_row_path_times(&p);
  else
    set_times(&p);
  return p;
}

/* -------------------------------------------------------------- packets -- */

hyla_status hy_pivot_tree_add(struct hy_schedule *schedule, const struct hy_pivot_tree *tree,
                              int64_t here, int64_t word) {
  const struct hy_piece piece = {.block = (uint32_t)word, .run = 1, .from = 0, .to = 1};
  uint32_t way = tree->way;
  int far = hy_popcount(way);
  if (far > tree->reach) return HYLA_OK;
  if (far > 0)
    TRY(hy_schedule_add(schedule, (int)here - 1, last_link(way, tree->changed), HY_IN, piece));
  if (far == tree->reach) return HYLA_OK;
  for (uint32_t left = tree->dims & ~way; left != 0; left &= left - 1) {
    uint32_t link = left & -left;
    if (last_link(way | link, tree->changed) == link)
      TRY(hy_schedule_add(schedule, (int)here, link, HY_OUT, piece));
  }
  return HYLA_OK;
}

hyla_status hy_pipeline_make(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *schedule) {
  const struct hy_pipeline *p = generator->table;
  if (hy_rotates(p)) return hy_row_path_make(p, node, schedule);
  uint32_t row_dims = hy_axis_mask(&p->row.code), col_dims = hy_axis_mask(&p->col.code);
  int64_t factor = 0, element = p->rows_at;
  for (int64_t j = 0; j < hy_pipeline_sending(p); j++) {
    const struct hy_pivot_place at = hy_pivot_place(p, node, j);
    const struct load load = load_of(p, j);
    const struct hy_pivot_tree down = {at.row_way, row_dims, turn(&p->row, j), load.rows};
    const struct hy_pivot_tree along = {at.col_way, col_dims, turn(&p->col, j), load.cols};
    int64_t here = p->start[j] + hy_popcount(at.row_way) + hy_popcount(at.col_way);
    for (int64_t s = 0; s < at.elements; s++)
      TRY(hy_pivot_tree_add(schedule, &down, here + s, element++));
    for (int64_t s = 0; s < at.factors; s++)
      TRY(hy_pivot_tree_add(schedule, &along, here + s, factor++));
  }
  return HYLA_OK;
}
