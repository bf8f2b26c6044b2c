/* LU: what a panel does to columns on its right: row swaps, U12 := L11^-1 A12,
 * A22 := A22 - L21 U12.
 *
 * Every member of a rank column computes U12 for itself, so nothing but the
 * swapped rows travels.  Where the panel's rows are packed, strips of columns are pieces for the
 * team. */
#include "solve/lu/lu.h"

/* A strip's columns, and where its rows of U are made. */
struct strip {
  int64_t column;
  int count;
  int next; /* columns behind it that are fetched meanwhile, for their swaps; 0: none */
  char *top;
};

static void multiply_packed(struct hy_lu *lu, const struct hy_lu_panel *panel,
                            const struct strip *s, char *c, int ld) {
  const struct hy_diagonal_block *at = &panel->at;
  const int below = at->rows - (at->top ? at->width : 0);
  const struct hy_next next = {s->next, lu->swap.touching, lu->swap.touched};
  lu->packed.products->multiply(HYLA_NONE, below, s->count, at->width, lu->packed.entries, 0,
                                s->top, at->width, c, ld, s->next > 0 ? &next : NULL);
}

static const char *rows_behind(const struct hy_lu *lu, const struct hy_lu_panel *panel) {
  const struct hy_diagonal_block *at = &panel->at;
  return panel->slot->seen + panel->at_rows + (at->top ? (size_t)at->width * lu->k->size : 0);
}

/* Its rows of U are above the panel's others in `top'. */
static void update_strip(struct hy_lu *lu, const struct hy_lu_panel *panel,
                         const struct hyla_matrix *m, const struct strip *s, bool packed) {
  const struct hy_kernels *k = lu->k;
  const struct hy_diagonal_block *at = &panel->at;
  int above = at->top ? at->width : 0, below = at->rows - above;
  char *c = hy_at(m, at->row + above, s->column);
  k->trsm(HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_UNIT_DIAGONAL, at->width, s->count, 1,
          panel->slot->seen + panel->at_diagonal, panel->ld_diagonal, s->top, at->width);
  if (at->top)
    k->copy(HYLA_NONE, at->width, s->count, 1, s->top, at->width, hy_at(m, at->row, s->column),
            (int)m->ld);
  if (packed)
    multiply_packed(lu, panel, s, c, (int)m->ld);
  else
    k->gemm(HYLA_NONE, HYLA_NONE, below, s->count, at->width, -1, rows_behind(lu, panel), panel->ld,
            s->top, at->width, 1, c, (int)m->ld);
}

static void count_columns(struct hy_lu *lu, const struct hy_diagonal_block *at, int64_t columns) {
  const struct hy_kernels *k = lu->k;
  int below = at->rows - (at->top ? at->width : 0);
  int64_t flops = at->width * (at->width - 1 + INT64_C(2) * below);
  hy_compute(lu->cube, flops * columns, k->size, k->complex_type);
}

/* ------------------------------------------------------------- in pieces -- */

static int64_t columns_of(const struct hy_lu_update *u, int64_t index) {
  return hy_min(u->width, u->count - index * u->width);
}

static void update_piece(void *arg, int64_t index, int thread) {
  const struct hy_lu_update *u = arg;
  struct hy_lu *lu = u->lu;
  const int64_t begin = index * u->width, columns = columns_of(u, index);
  const int64_t next = u->work.threads == 1 ? hy_min(columns, u->count - begin - columns) : 0;
  const struct strip s = {.column = u->first + begin,
                          .count = (int)columns,
                          .next = (int)next,
                          .top = lu->strip +
                                 thread * u->width * u->panel->at.width * (int64_t)lu->k->size};
  hy_lu_swap_strip(lu, &u->panel->at, u->m, u->first, u->count, begin, columns, s.top);
  update_strip(lu, u->panel, u->m, &s, true);
}

/* Few columns are not worth the copy. */
bool hy_lu_packs(const struct hy_lu *lu, int64_t columns) {
  return lu->packed.products != NULL && columns >= HY_LU_PACKED_STRIP;
}

/* As many threads as there is room for in `strip'. */
static struct hy_work divide(struct hy_lu_update *u) {
  const int64_t most = u->count / HY_LU_PACKED_STRIP, team = hy_team_threads(u->lu->cube->team);
  u->width = HY_LU_PACKED_STRIP;
  return (struct hy_work){.piece = update_piece,
                          .arg = u,
                          .first = hy_ceil_div(u->ahead, u->width),
                          .count = hy_ceil_div(u->count, u->width),
                          .threads = (int)hy_max(1, hy_min(team, most))};
}

hyla_status hy_lu_update_start(struct hy_lu_update *u) {
  struct hy_lu *lu = u->lu;
  const struct hy_diagonal_block *at = &u->panel->at;
  if (u->count == 0) return HYLA_OK;
  TRY(hy_lu_swap_gather(lu, u->m, u->first, u->count));
  u->packed = hy_lu_packs(lu, u->count);
  if (!u->packed) return HYLA_OK;
  hy_packed_rows_of(&lu->packed, lu->cube->team, at->index, at->rows - (at->top ? at->width : 0),
                    at->width, rows_behind(lu, u->panel), u->panel->ld);
  u->work = divide(u);
  hy_team_start(lu->cube->team, &u->work);
  for (int64_t index = 0; index < u->work.first; index++) {
    update_piece(u, index, 0);
    count_columns(lu, at, columns_of(u, index));
  }
  return HYLA_OK;
}

/* Also after a failure nobody may be at work any more. */
static hyla_status finish_pieces(struct hy_lu_update *u) {
  struct hy_lu *lu = u->lu;
  hyla_status status = HYLA_OK;
  int64_t mine = hy_min(u->count, u->work.first * u->width);
  for (int64_t index; (index = hy_work_take(&u->work)) >= 0;) {
    mine += columns_of(u, index);
    count_columns(lu, &u->panel->at, columns_of(u, index));
    if (status == HYLA_OK) status = hy_link_poll(lu->cube);
  }
  hy_team_finish(lu->cube->team);
  if (mine < u->count) count_columns(lu, &u->panel->at, u->count - mine);
  return status;
}

/* --------------------------------------------------------------- by BLAS -- */

static hyla_status finish_strips(struct hy_lu_update *u) {
  struct hy_lu *lu = u->lu;
  const struct hyla_matrix *m = u->m;
  int64_t block = m->col.block;
  for (int64_t begin = 0, width = 0; begin < u->count; begin += width) {
    const int64_t column = u->first + begin;
    int64_t most = lu->pivoting->fixed ? block - column % block : lu->strip_columns;
    width = hy_min(most, u->count - begin);
    const struct strip s = {.column = column, .count = (int)width, .top = lu->strip};
    hy_lu_swap_strip(lu, &u->panel->at, m, u->first, u->count, begin, width, s.top);
    update_strip(lu, u->panel, m, &s, false);
    count_columns(lu, &u->panel->at, width);
    TRY(hy_link_poll(lu->cube));
  }
  return HYLA_OK;
}

hyla_status hy_lu_update_finish(struct hy_lu_update *u) {
  if (u->count == 0) return HYLA_OK;
  return u->packed ? finish_pieces(u) : finish_strips(u);
}

hyla_status hy_lu_update(struct hy_lu *lu, const struct hy_lu_panel *panel,
                         const struct hyla_matrix *m, int64_t first, int64_t count) {
  struct hy_lu_update u = {.lu = lu, .panel = panel, .m = m, .first = first, .count = count};
  TRY(hy_lu_update_start(&u));
  return hy_lu_update_finish(&u);
}
