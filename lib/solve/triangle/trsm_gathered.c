/* Triangular systems with the whole triangle on every rank.
 *
 * Reference: Golub and Van Loan 2013, section 3.1, substitution on one rank; the rest is two
 *   all-gathers.
 * Layout: as panels (trsm_panels.c).
 * Method: all ranks gather the triangle.  Ranks with parts of the same right-hand sides gather
 *   these, and each solves for them and keeps its own rows of the solution (on the right: its
 *   columns).
 * Example on 4 nodes, 2 x 2: every node gathers T from all four; nodes (0, j) and (1, j) gather the
 *   right-hand sides of column j, solve, and keep the rows of part 0 and of part 1.
 * Steps, words: those of an all-gather of the triangle over the cube, and of one of the right-hand
 *   sides over the 2^r ranks that share them: d + r steps by doubling, the fewest of all variants.
 * Flops: n^2 for each right-hand side, repeated on 2^r ranks.
 * Memory: 2 n^2 entries on every rank, and twice n for each of its right-hand sides.
 * Restriction: the triangle, which every rank holds whole, has at most 2^20 entries. */
#include "solve/triangle/triangle.h"

enum { TRIANGLE_MOST = 1 << 20 };

/* A matrix that all members of a group gather: their blocks one after another, and the whole
 * matrix.  rows, cols: NULL if every member has the whole of that axis. */
struct gathered {
  const struct hy_axis *rows, *cols;
  struct hy_subcube_op group;
  int64_t *offsets;   /* words before each member's block; on nodes */
  int64_t whole_rows; /* size of the whole on this rank */
  int64_t whole_cols;
  char *blocks, *whole; /* whole_rows x whole_cols words each */
};

struct state {
  const struct hy_trsm_task *task;
  struct gathered t, x;
};

/* ------------------------------------------------------------ all-gathers -- */

/* A node's part of an axis, and the places of its indices. */
struct part {
  const struct hy_axis *axis; /* NULL: the whole axis */
  int number;
  int64_t held;
};

static struct part part_at(const struct hy_axis *axis, int node, int64_t whole) {
  if (axis == NULL) return (struct part){NULL, 0, whole};
  int number = hy_part_of(axis, node);
  return (struct part){axis, number, hy_held(axis, number)};
}

/* The place of the part's i-th index, and the number of indices that are contiguous there. */
static int64_t place_of(const struct part *part, int64_t i, int64_t *run) {
  if (part->axis == NULL) {
    *run = part->held - i;
    return i;
  }
  int64_t place = hy_axis_index(part->axis, part->number, i);
  *run = hy_min(hy_axis_run(part->axis, place), part->held - i);
  return place;
}

/* The node of a member: its number in the dimensions of the group, this rank's address in the
 * others. */
static int node_of(const struct gathered *g, int64_t member) {
  const hyla_cube *cube = g->group.cube;
  uint32_t dims = g->group.what.within;
  return (int)(((uint32_t)cube->address & ~dims) | hy_member_address(cube, dims, (uint32_t)member));
}

/* Copies between the whole and a block, which lies in the group's memory or in a matrix of leading
 * dimension ld. */
static void copy_block(const struct hy_kernels *k, const struct gathered *g, int node, bool out,
                       char *block, int64_t ld) {
  const struct part rows = part_at(g->rows, node, g->whole_rows);
  const struct part cols = part_at(g->cols, node, g->whole_cols);
  int64_t size = (int64_t)k->size, row_run = 0, col_run = 0;
  for (int64_t j = 0; j < cols.held; j += col_run) {
    int64_t col = place_of(&cols, j, &col_run);
    for (int64_t i = 0; i < rows.held; i += row_run) {
      int64_t row = place_of(&rows, i, &row_run);
      char *whole = g->whole + (col * g->whole_rows + row) * size;
      char *piece = block + (j * ld + i) * size;
      const char *from = out ? whole : piece;
      k->copy(HYLA_NONE, (int)row_run, (int)col_run, 1, from, (int)(out ? g->whole_rows : ld),
              out ? piece : whole, (int)(out ? ld : g->whole_rows));
    }
  }
  hy_count_copied(g->group.cube, rows.held * cols.held);
}

/* Gathers the whole of m on every member; collective over the group. */
static hyla_status gather(const struct gathered *g, const hyla_matrix *m) {
  const struct hy_kernels *k = m->k;
  int64_t members = hy_members(&g->group.what), size = (int64_t)k->size;
  int64_t own = hy_member(m->cube, g->group.what.within, m->cube->address);
  int64_t ld = hy_max(1, m->local_rows);
  if (m->local_rows > 0)
    hy_copy_block(m->cube, k, HYLA_NONE, m->local_rows, m->local_cols, m->local, m->ld,
                  g->blocks + g->offsets[own] * size, ld);
  TRY(hy_subcube_allgather(&g->group, g->blocks, g->offsets));
  for (int64_t x = 0; x < members; x++) {
    const struct part rows = part_at(g->rows, node_of(g, x), g->whole_rows);
    copy_block(k, g, node_of(g, x), false, g->blocks + g->offsets[x] * size, hy_max(1, rows.held));
  }
  return HYLA_OK;
}

/* ------------------------------------------------------------------- make -- */

static int64_t words_of(const struct gathered *g) { return g->whole_rows * g->whole_cols; }

/* most: words of the longest message of any rank, so that all ranks choose alike. */
static hyla_status make(struct state *s, uint32_t dims, int64_t most, struct gathered *g) {
  hyla_cube *cube = s->task->system.cube;
  int64_t members = hy_members_in(cube, dims);
  TRY(hy_alloc_for(&cube->base, s, members + 1, sizeof *g->offsets, &g->offsets));
  TRY(hy_subcube_make_for(s, cube, dims, HY_TASK_ALLGATHER, most, s->task->system.k->size, NULL,
                          &g->group));
  for (int64_t x = 0; x < members && cube->address >= 0; x++) {
    const struct part rows = part_at(g->rows, node_of(g, x), g->whole_rows);
    const struct part cols = part_at(g->cols, node_of(g, x), g->whole_cols);
    g->offsets[x + 1] = g->offsets[x] + rows.held * cols.held;
  }
  return HYLA_OK;
}

static uint32_t mask_of(const struct hy_axis *axis) {
  return axis == NULL ? 0 : hy_axis_mask(&axis->code);
}

static hyla_status make_both(struct state *s) {
  const struct hy_triangular_problem *p = &s->task->system;
  hyla_cube *cube = p->cube;
  bool left = p->form.side == HYLA_LEFT;
  int64_t n = p->t_row.n, node = cube->address;
  const struct hy_axis *sides = left ? &p->x_col : &p->x_row;
  int64_t own = node < 0 ? 0 : hy_held_at(sides, (int)node);
  s->t = (struct gathered){.rows = &p->t_row, .cols = &p->t_col, .whole_rows = n, .whole_cols = n};
  s->x = (struct gathered){.rows = left ? &p->x_row : NULL,
                           .cols = left ? NULL : &p->x_col,
                           .whole_rows = left ? n : own,
                           .whole_cols = left ? own : n};
  TRY(make(s, mask_of(s->t.rows) | mask_of(s->t.cols), n * n, &s->t));
  return make(s, mask_of(s->x.rows) | mask_of(s->x.cols), n * hy_axis_most(sides), &s->x);
}

/* -------------------------------------------------------------------- run -- */

static hyla_status run(void *state) {
  const struct state *s = state;
  const struct hy_triangular *form = &s->task->system.form;
  const hyla_matrix *x = s->task->x;
  const struct hy_kernels *k = x->k;
  int64_t n = s->t.whole_rows, ones = form->diagonal == HYLA_UNIT_DIAGONAL;
  int64_t words = words_of(&s->x);
  if (x->cube->address < 0) return HYLA_OK;
  TRY(gather(&s->t, s->task->t));
  TRY(gather(&s->x, x));
  if (words > 0)
    k->trsm(form->side, form->triangle, form->op, form->diagonal, (int)s->x.whole_rows,
            (int)s->x.whole_cols, 1, s->t.whole, (int)n, s->x.whole, (int)s->x.whole_rows);
  hy_compute(x->cube, (n - ones) * words, k->size, k->complex_type);
  copy_block(k, &s->x, x->cube->address, true, x->local, x->ld);
  return HYLA_OK;
}

/* ------------------------------------------------------------ the variant -- */

static const char *applies(const void *task) {
  const struct hy_trsm_task *asked = task;
  int64_t n = asked->system.t_row.n;
  return n * n > TRIANGLE_MOST ? "the triangle has more than 2^20 entries, and every rank holds it"
                               : NULL;
}

static hyla_status create(const struct hy_variant *variant, const void *task, void **state) {
  const struct hy_trsm_task *asked = task;
  hyla_cube *cube = asked->system.cube;
  struct state *s = NULL;
  (void)variant;
  TRY(hy_alloc(&cube->base, 1, sizeof *s, &s));
  *state = s;
  s->task = asked;
  return make_both(s);
}

static hyla_status allocate_memory(struct state *s) {
  const struct hy_triangular_problem *p = &s->task->system;
  struct gathered *const both[] = {&s->t, &s->x};
  for (int i = 0; i < 2; i++) {
    int64_t bytes = words_of(both[i]) * (int64_t)p->k->size;
    TRY(hy_alloc_data_for(&p->cube->base, s, bytes, 1, &both[i]->blocks));
    TRY(hy_alloc_data_for(&p->cube->base, s, bytes, 1, &both[i]->whole));
    TRY(hy_subcube_allocate(&both[i]->group));
  }
  return HYLA_OK;
}

static hyla_status allocate(void *state) {
  struct state *s = state;
  hyla_cube *cube = s->task->system.cube;
  return hy_agree(cube, cube->address < 0 ? HYLA_OK : allocate_memory(s));
}

static void explain(const void *state, struct hy_text *text) {
  const struct state *s = state;
  hy_subcube_explain(&s->t.group, "the triangle", text);
  hy_subcube_explain(&s->x.group, "right-hand sides", text);
}

const struct hy_variant hy_trsm_gathered = {
    .name = "gathered",
    .arrays = true,
    .reference = "golub-2013, section 3.1",
    .applies = applies,
    HY_OPERATIONS,
};
