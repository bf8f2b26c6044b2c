/* Substitution with many right-hand sides.
 *
 * The right-hand sides are spread over the rank columns, so all ranks compute: block column k
 * of the triangle travels along the rank rows, p_k solves for block k of X and broadcasts it
 * along the rank columns, and all subtract.  The next block column is on its way meanwhile.
 * Steps a block: c + r; words: local rows of the triangle x block, block x local right-hand
 * sides. */
#include "solve/substitution.h"

struct many {
  const struct hy_substitution *s;
  const struct hy_kernels *k;
  struct hyla_matrix x; /* in the left form */
};

/* The rows of a block column that travel: of the diagonal block and of what comes after. */
struct column {
  struct hy_diagonal_block at;
  struct hy_row_range after;
  int64_t rows;
  int64_t first;        /* local row */
  int64_t own_rows, ld; /* as t stores them */
  int64_t bytes;
};

static struct column column_of(const struct many *m, int64_t index) {
  struct column c = {.at = hy_diagonal_block(&m->s->array, index)};
  c.after = hy_rows_after(m->s, &c.at);
  c.rows = c.after.count + (c.at.top ? c.at.width : 0);
  c.first = hy_substitution_lower(m->s) ? c.at.row : 0;
  c.own_rows = m->s->op == HYLA_NONE ? c.rows : c.at.width;
  c.ld = hy_max(1, c.own_rows);
  c.bytes = c.rows * c.at.width * (int64_t)m->k->size;
  return c;
}

/* Where in a column's message local row `row` begins. */
static const char *row_in(const struct many *m, const struct column *c, const char *data,
                          int64_t row) {
  int64_t stride = m->s->op == HYLA_NONE ? 1 : c->ld;
  return data + (row - c->first) * stride * (int64_t)m->k->size;
}

static hyla_status send_column(const struct many *m, int64_t index) {
  const struct hy_substitution *s = m->s;
  struct hy_panel_slot *slot = NULL;
  if (index < 0) return HYLA_OK;
  struct column c = column_of(m, index);
  if (!c.at.mine) return HYLA_OK;
  TRY(hy_panels_open(s->panels, index, c.bytes, &slot));
  int64_t columns = s->op == HYLA_NONE ? c.at.width : c.rows;
  m->k->copy(HYLA_NONE, (int)c.own_rows, (int)columns, 1,
             hy_substitution_at(s, c.first, c.at.column), (int)s->t->ld, slot->data, (int)c.ld);
  hy_count_copied(s->cube, c.rows * c.at.width);
  return hy_panels_lend(s->panels, slot);
}

static hyla_status expect_column(const struct many *m, int64_t index) {
  if (index < 0) return HYLA_OK;
  struct column c = column_of(m, index);
  return hy_panels_expect(m->s->panels, index, hy_row_root(&m->s->array, index), c.bytes);
}

/* Block k of x on every rank of the rank column. */
static hyla_status solve_block(const struct many *m, const struct column *c, const char *data,
                               const char **block, int *ld) {
  const struct hy_substitution *s = m->s;
  const struct hy_diagonal_block *at = &c->at;
  int columns = (int)m->x.local_cols;
  char *here = hy_at(&m->x, at->row, 0);
  if (at->top)
    hy_solve_diagonal(s, at, row_in(m, c, data, at->row), (int)c->ld, columns, here, m->x.ld);
  *block = here;
  *ld = (int)m->x.ld;
  if (s->array.row.parts == 1) return HYLA_OK;
  *block = s->solved;
  *ld = at->width;
  if (at->top) {
    m->k->copy(HYLA_NONE, at->width, columns, 1, here, (int)m->x.ld, s->solved, *ld);
    hy_count_copied(s->cube, (int64_t)at->width * columns);
  }
  return hy_group_broadcast(s->spreads, hy_column_root(&s->array, at->index), s->solved,
                            (int64_t)at->width * columns);
}

static void subtract(const struct many *m, const struct column *c, const char *data,
                     const char *block, int ld) {
  const struct hy_row_range *rows = &c->after;
  int columns = (int)m->x.local_cols;
  if (rows->count == 0) return;
  m->k->gemm(m->s->op, HYLA_NONE, (int)rows->count, columns, c->at.width, -1,
             row_in(m, c, data, rows->first), (int)c->ld, block, ld, 1,
             hy_at(&m->x, rows->first, 0), (int)m->x.ld);
  hy_compute(m->s->cube, 2 * rows->count * c->at.width * columns, m->k->size, m->k->complex_type);
}

static hyla_status solve(const struct many *m) {
  const struct hy_substitution *s = m->s;
  TRY(send_column(m, hy_substitution_block(s, 0)));
  TRY(expect_column(m, hy_substitution_block(s, 0)));
  for (int64_t step = 0; step < s->array.count; step++) {
    struct hy_panel_slot *slot = NULL;
    const char *block = NULL;
    int ld = 0;
    int64_t index = hy_substitution_block(s, step), next = hy_substitution_block(s, step + 1);
    struct column c = column_of(m, index);
    TRY(hy_panels_receive(s->panels, index, &slot));
    TRY(send_column(m, next));
    TRY(expect_column(m, next));
    TRY(solve_block(m, &c, slot->seen, &block, &ld));
    subtract(m, &c, slot->seen, block, ld);
    TRY(hy_panels_close(s->panels, slot));
  }
  return hy_panels_finish(s->panels);
}

/* Between the user's X and the turned one. */
static void turn(const struct many *m, int64_t rows, int64_t cols, const char *from,
                 int64_t ld_from, char *to, int64_t ld_to) {
  m->k->copy(m->s->turn, (int)rows, (int)cols, 1, from, (int)ld_from, to, (int)ld_to);
  hy_count_copied(m->s->cube, rows * cols);
}

hyla_status hy_substitute_many(const struct hy_substitution *s, const hyla_matrix *x) {
  if (s->cube->address < 0) return HYLA_OK;
  struct many m = {.s = s, .k = s->k, .x = hy_substitution_x(s, x)};
  if (s->turn == HYLA_NONE) return solve(&m);
  m.x.local = s->turned;
  turn(&m, m.x.local_rows, m.x.local_cols, x->local, x->ld, m.x.local, m.x.ld);
  TRY(solve(&m));
  turn(&m, x->local_rows, x->local_cols, m.x.local, m.x.ld, x->local, x->ld);
  return HYLA_OK;
}
