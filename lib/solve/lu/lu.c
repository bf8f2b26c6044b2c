/* LU: P A = L U, right-looking, blocked; the variants differ in the pivots of a panel.
 *
 * Reference: Johnsson 1987, section 6, eliminates on the same layout; pivoting, blocks, the
 * look-ahead and rectangular arrays are ours.  theory.md, lu:partial.
 * Layout: block-cyclic on any array, square blocks; in Gray code on sides of 2^r ranks.
 * Method: in the loop over panels (panels/lookahead.c), with A partitioned at panel k,
 *
 *     [A11 A12]   A11, A21: panel k, on rank column q_k; A11, A12: block row k, on rank row p_k
 *     [A21 A22]
 *
 *   make:  P [A11; A21] = [L11; L21] U11    on q_k (lu_partial.c, lu_tournament.c)
 *   use:   [A12; A22] := P [A12; A22]       every rank in its columns (lu_swap.c)
 *          A12 := L11^-1 A12 = U12          every member of a rank column for itself, so that
 *                                           nothing but the rows that move travels
 *          A22 := A22 - L21 U12
 *
 * Steps: n r in the panels, and per panel at most c for the panel and 2 r for the swaps.  Words:
 * lu_swap.c.  Workspace: three panels, the packed rows of one, the diagonal blocks of the rank
 * column, and, for r > 0, two block rows. */
#include "solve/lu/lu.h"

#include <string.h>

/* --------------------------------------------------- a panel as a message -- */

int64_t hy_lu_header_bytes(int64_t block) {
  int64_t bytes = (int64_t)sizeof(struct hy_lu_header) + block * (int64_t)sizeof(int64_t);
  return hy_ceil_div(bytes, 64) * 64;
}

char *hy_lu_diagonal(const struct hy_lu *lu, const struct hy_diagonal_block *at) {
  return lu->diagonals + at->column * lu->array.block * (int64_t)lu->k->size;
}

struct hy_lu_panel hy_lu_panel_at(const struct hy_lu *lu, int64_t index,
                                  struct hy_panel_slot *slot) {
  int64_t size = (int64_t)lu->k->size;
  struct hy_lu_panel panel = {.at = hy_diagonal_block(&lu->array, index), .slot = slot};
  const struct hy_diagonal_block *at = &panel.at;
  panel.at_diagonal = hy_lu_header_bytes(lu->array.block);
  panel.at_rows = panel.at_diagonal + (at->top ? 0 : (int64_t)at->width * at->width * size);
  panel.ld = (int)hy_max(1, at->rows);
  panel.ld_diagonal = at->top ? panel.ld : at->width;
  panel.bytes = panel.at_rows + (int64_t)at->rows * at->width * size;
  return panel;
}

void hy_lu_load(const struct hy_lu *lu, const struct hy_lu_panel *panel) {
  const struct hy_kernels *k = lu->k;
  const struct hy_diagonal_block *at = &panel->at;
  char *data = panel->slot->data;
  k->copy(HYLA_NONE, at->rows, at->width, 1, hy_at(lu->a, at->row, at->column), (int)lu->a->ld,
          data + panel->at_rows, panel->ld);
  if (!k->dry) {
    struct hy_lu_header *header = (struct hy_lu_header *)(void *)data;
    header->found = (struct hy_panel_header){HYLA_OK, 0};
    memcpy(header->swaps, lu->swaps + at->first, (size_t)at->width * sizeof *lu->swaps);
  }
  if (!at->top)
    k->copy(HYLA_NONE, at->width, at->width, 1, hy_lu_diagonal(lu, at), (int)lu->array.block,
            data + panel->at_diagonal, panel->ld_diagonal);
}

void hy_lu_store(const struct hy_lu *lu, const struct hy_lu_panel *panel) {
  const struct hy_diagonal_block *at = &panel->at;
  hy_copy_block(lu->cube, lu->k, HYLA_NONE, at->rows, at->width, panel->slot->data + panel->at_rows,
                panel->ld, hy_at(lu->a, at->row, at->column), lu->a->ld);
}

static int64_t bytes_of(const void *state, int64_t index) {
  return hy_lu_panel_at(state, index, NULL).bytes;
}

/* ----------------------------------------------------------------- make -- */

/* Fills a panel from the matrix; returns the number of its entries. */
static int64_t load(const struct hy_lu *lu, const struct hy_lu_panel *panel) {
  const int64_t entries = (hy_rows_behind(&panel->at) + panel->at.width) * panel->at.width;
  hy_lu_load(lu, panel);
  hy_count_copied(lu->cube, entries);
  return entries;
}

/* P [A11; A21] = [L11; L21] U11, in the panel's slot. */
static hyla_status make(void *state, int64_t index, struct hy_panel_slot *slot) {
  struct hy_lu *lu = state;
  const struct hy_lu_panel panel = hy_lu_panel_at(lu, index, slot);
  load(lu, &panel);
  return lu->pivoting->factor(lu, &panel);
}

static void keep(void *state, int64_t index, struct hy_panel_slot *slot) {
  const struct hy_lu_panel panel = hy_lu_panel_at(state, index, slot);
  hy_lu_store(state, &panel);
}

/* Loads a panel that is factored already, for right-hand sides. */
static hyla_status make_again(void *state, int64_t index, struct hy_panel_slot *slot) {
  const struct hy_lu_panel panel = hy_lu_panel_at(state, index, slot);
  hy_count_read(((const struct hy_lu *)state)->cube, load(state, &panel));
  return HYLA_OK;
}

/* ------------------------------------------------------------------ use -- */

static hyla_status arrive(void *state, int64_t index, struct hy_panel_slot *slot) {
  struct hy_lu *lu = state;
  lu->panel = hy_lu_panel_at(lu, index, slot);
  const struct hy_diagonal_block *at = &lu->panel.at;
  if (!lu->k->dry)
    memcpy(lu->swaps + at->first, hy_lu_header_of(&lu->panel)->swaps,
           (size_t)at->width * sizeof *lu->swaps);
  hy_lu_swap_plan(lu, at, false);
  return HYLA_OK;
}

static const char *l21_of(const struct hy_lu *lu) {
  const struct hy_diagonal_block *at = &lu->panel.at;
  return lu->panel.slot->seen + lu->panel.at_rows + (at->top ? (size_t)at->width * lu->k->size : 0);
}

/* Uses the panel on columns begin ... begin+count-1 of x; their rows of U go to u12. packed: from
 * the panel's packed rows. ahead: how many columns behind these to fetch meanwhile. */
static void use_strip(struct hy_lu *lu, const struct hy_columns *x, int64_t begin, int count,
                      char *u12, bool packed, int ahead) {
  const struct hy_kernels *k = lu->k;
  const struct hy_lu_panel *panel = &lu->panel;
  const struct hy_diagonal_block *at = &panel->at;
  const int w = at->width, below = (int)hy_rows_behind(at), ld = (int)x->m->ld;
  char *a12 = hy_at(x->m, at->row, x->first + begin);
  char *a22 = hy_at(x->m, at->row + at->rows - below, x->first + begin);

  /* [A12; A22] := P [A12; A22], the top rows in u12 */
  hy_lu_swap_strip(lu, at, x->m, x->first, x->count, begin, count, u12);

  /* A12 := L11^-1 A12 */
  k->trsm(HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_UNIT_DIAGONAL, w, count, 1,
          panel->slot->seen + panel->at_diagonal, panel->ld_diagonal, u12, w);
  if (at->top) k->copy(HYLA_NONE, w, count, 1, u12, w, a12, ld);
  hy_count_copied(lu->cube, (at->top ? INT64_C(2) : 1) * w * count); /* the products copy U12 */

  /* A22 := A22 - L21 U12 */
  const struct hy_next next = {ahead, lu->swap.touching, lu->swap.touched};
  if (packed)
    lu->packed.products->multiply(HYLA_NONE, below, count, w, lu->packed.entries, 0, u12, w, a22,
                                  ld, ahead > 0 ? &next : NULL);
  else
    k->gemm(HYLA_NONE, HYLA_NONE, below, count, w, -1, l21_of(lu), panel->ld, u12, w, 1, a22, ld);
}

static void count_columns(struct hy_lu *lu, int64_t columns) {
  const struct hy_diagonal_block *at = &lu->panel.at;
  int64_t flops = at->width * (at->width - 1 + 2 * hy_rows_behind(at));
  hy_compute(lu->cube, flops * columns, lu->k->size, lu->k->complex_type);
}

/* Updates strip after strip, by BLAS. */
static hyla_status use_plain(struct hy_lu *lu, const struct hy_columns *x) {
  const int64_t block = x->m->col.block;
  for (int64_t begin = 0, width = 0; begin < x->count; begin += width) {
    int64_t most = lu->pivoting->fixed ? block - (x->first + begin) % block : lu->strip_columns;
    width = hy_min(most, x->count - begin);
    use_strip(lu, x, begin, (int)width, lu->strip, false, 0);
    count_columns(lu, width);
    TRY(hy_link_poll(lu->cube));
  }
  return HYLA_OK;
}

/* Strips as pieces for the team. */
struct pieces {
  struct hy_lu *lu;
  const struct hy_columns *x;
  struct hy_work work;
};

static int64_t columns_of(const struct hy_columns *x, int64_t piece) {
  return hy_min(HY_LU_PACKED_STRIP, x->count - piece * HY_LU_PACKED_STRIP);
}

static void use_piece(void *arg, int64_t index, int thread) {
  const struct pieces *p = arg;
  const int64_t begin = index * HY_LU_PACKED_STRIP, columns = columns_of(p->x, index);
  const int64_t behind = p->x->count - begin - columns;
  const int64_t room = HY_LU_PACKED_STRIP * p->lu->panel.at.width * (int64_t)p->lu->k->size;
  use_strip(p->lu, p->x, begin, (int)columns, p->lu->strip + thread * room, true,
            p->work.threads == 1 ? (int)hy_min(columns, behind) : 0);
}

/* Updates by packed rows, on all threads: first panel k + 1, which is then made, and the rest. */
static hyla_status use_packed(struct hy_lu *lu, const struct hy_columns *x) {
  struct hy_team *team = lu->cube->session.team;
  const struct hy_diagonal_block *at = &lu->panel.at;
  struct pieces p = {.lu = lu, .x = x};
  hyla_status status = HYLA_OK;
  p.work = (struct hy_work){.piece = use_piece,
                            .arg = &p,
                            .first = hy_ceil_div(x->ahead, HY_LU_PACKED_STRIP),
                            .count = hy_ceil_div(x->count, HY_LU_PACKED_STRIP)};
  /* `strip' has room for no more threads. */
  p.work.threads = (int)hy_max(1, hy_min(hy_team_threads(team), x->count / HY_LU_PACKED_STRIP));
  hy_packed_rows_of(&lu->packed, team, at->index, (int)hy_rows_behind(at), at->width, l21_of(lu),
                    lu->panel.ld);
  hy_team_start(team, &p.work);
  for (int64_t index = 0; index < p.work.first; index++) {
    use_piece(&p, index, 0);
    count_columns(lu, columns_of(x, index));
  }
  hyla_status made = hy_lookahead_next(x);
  /* All threads must finish, after a failure too. */
  int64_t mine = hy_min(x->count, p.work.first * HY_LU_PACKED_STRIP);
  for (int64_t index; (index = hy_work_take(&p.work)) >= 0;) {
    mine += columns_of(x, index);
    count_columns(lu, columns_of(x, index));
    if (status == HYLA_OK) status = hy_link_poll(lu->cube);
  }
  hy_team_finish(team);
  if (mine < x->count) count_columns(lu, x->count - mine);
  return made != HYLA_OK ? made : status;
}

/* Few columns are not worth the copy of the panel's rows. */
static bool packs(const struct hy_lu *lu, int64_t columns) {
  return lu->packed.products != NULL && columns >= HY_LU_PACKED_STRIP;
}

static bool shares(const void *state, int64_t columns) {
  const struct hy_lu *lu = state;
  return lu->cube->session.team != NULL && packs(lu, columns);
}

static hyla_status use(void *state, const struct hy_columns *x) {
  struct hy_lu *lu = state;
  const struct hy_diagonal_block *at = &lu->panel.at;
  /* Products copy L21, once for all columns behind the panel. */
  if (x->m == lu->a && x->first + x->count == x->m->local_cols)
    hy_count_copied(lu->cube, hy_rows_behind(at) * at->width);
  TRY(hy_lu_swap_gather(lu, x->m, x->first, x->count));
  return packs(lu, x->count) ? use_packed(lu, x) : use_plain(lu, x);
}

/* ------------------------------------------------------------------ run -- */

/* Runs the loop over panels begin ... end-1.  With a, it makes them from a and uses them on a;
 * without, they are made already. x may be NULL. */
static hyla_status eliminate(struct hy_lu *lu, int64_t begin, int64_t end, const hyla_matrix *a,
                             const hyla_matrix *x, struct hy_panel_header *verdict) {
  struct hy_lookahead loop = {.panels = &lu->panels,
                              .array = &lu->array,
                              .begin = begin,
                              .end = end,
                              .a = a,
                              .x = x,
                              .verdict = verdict,
                              .state = lu,
                              .bytes = bytes_of,
                              .make = a != NULL ? make : make_again,
                              .keep = a != NULL ? keep : NULL,
                              .arrive = arrive,
                              .use = use,
                              .shares = shares};
  lu->packed.panel = -1;
  return hy_lookahead_run(&loop);
}

hyla_status hy_lu_run(void *state) {
  struct hy_lu *lu = state;
  const struct hy_factorization *problem = lu->problem;
  const int64_t order = hy_factor_order(problem), block = lu->array.block, from = problem->from;
  const int64_t until = problem->until == 0 ? order : problem->until;
  struct hy_panel_header verdict = {HYLA_OK, problem->factors->pivot};
  lu->rows_final = false;
  lu->lower.swaps = &lu->row_swaps;
  lu->array.start = from;
  hyla_status status =
      eliminate(lu, from / block, hy_min(hy_ceil_div(until, block), lu->array.count), lu->a,
                problem->rhs, &verdict);
  lu->array.start = 0;
  TRY(hy_pivot_verdict(problem, status, (hyla_status)verdict.status, verdict.column));
  if (from % block != 0) TRY(hy_lu_mend(lu, from));
  return hy_lu_inverts(lu) ? hy_lu_inverse_run(lu) : HYLA_OK;
}

hyla_status hy_lu_forward_by_panels(struct hy_lu *lu, hyla_matrix *x) {
  return eliminate(lu, 0, lu->array.count, NULL, x, NULL);
}
