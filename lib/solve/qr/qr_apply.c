/* QR: Q times a matrix, for Q of a factorization or of reflections from outside.
 *
 * The panels travel along the rank rows once more: for Q^H x in the order in which they were made,
 * for Q x in the opposite one.  A panel's reflections are used on all columns of x in one (qr.h):
 *
 *   Q_k^H x:  W := S^-H (V^H x), x := D_k (x - V W)
 *   Q_k x:    x := D_k x, W := S^-1 (V^H x), x := x - V W
 *
 * If x begins as columns of the identity, which are to become Q's, panel k leaves the columns
 * before its own ones as they are, because their rows from there on are still 0.
 *
 * Reflections from outside, as LAPACK's geqrf leaves them, bring one tau each, which may be
 * complex.  S is the upper triangle of V^H V with 1 / tau on its diagonal (Puglisi 1992), and is
 * found when a panel is loaded, at one all-reduction a panel.  A tau of 0 stands for no
 * reflection.  Such a Q has no D.
 * Reference: Schreiber and Van Loan 1989; Puglisi 1992.  theory.md, qr:householder. */
#include "solve/qr/qr.h"

#include <string.h>

struct hy_qr_panel hy_qr_panel_at(const struct hy_qr *q, int64_t index,
                                  struct hy_panel_slot *slot) {
  struct hy_qr_panel panel = {.at = hy_diagonal_block(&q->array, index), .slot = slot};
  const struct hy_diagonal_block *at = &panel.at;
  panel.ld = (int)hy_max(1, at->rows);
  panel.bytes = hy_qr_at_v(at, q->k->size) + (int64_t)panel.ld * at->width * (int64_t)q->k->size;
  return panel;
}

int64_t hy_qr_bytes(const void *state, int64_t index) {
  return hy_qr_panel_at(state, index, NULL).bytes;
}

hyla_status hy_qr_arrive(void *state, int64_t index, struct hy_panel_slot *slot) {
  struct hy_qr *q = state;
  q->panel = hy_qr_panel_at(q, index, slot);
  return HYLA_OK;
}

void hy_qr_multiply(const struct hy_qr *q, int rows, int width, const char *v, int ldv, int columns,
                    const char *m, int64_t ldm, char *products) {
  const struct hy_kernels *k = q->k;
  if (k->dry) return;
  if (rows == 0)
    memset(products, 0, (size_t)width * (size_t)columns * k->size);
  else if (q->packed.products != NULL)
    q->packed.products->inner(width, columns, rows, v, ldv, m, (int)ldm, products, width);
  else
    k->gemm(HYLA_CONJUGATE, HYLA_NONE, width, columns, rows, 1, v, ldv, m, (int)ldm, 0, products,
            width);
}

void hy_qr_subtract(const struct hy_qr *q, int rows, int width, const char *v, int ldv, int columns,
                    const char *w, char *m, int64_t ldm) {
  const struct hy_kernels *k = q->k;
  if (k->dry || rows == 0) return;
  if (q->packed.products != NULL)
    q->packed.products->plain(HYLA_NONE, rows, columns, width, v, ldv, w, width, m, (int)ldm);
  else
    k->gemm(HYLA_NONE, HYLA_NONE, rows, columns, width, -1, v, ldv, w, width, 1, m, (int)ldm);
}

/* ------------------------------------------------------------------ use -- */

static const char *vectors_of(const struct hy_qr *q) {
  return q->panel.slot->seen + hy_qr_at_v(&q->panel.at, q->k->size);
}

/* Are V's rows copied, or are they now, for this number of columns? */
static bool pack(struct hy_qr *q, int64_t columns) {
  const struct hy_diagonal_block *at = &q->panel.at;
  if (q->packed.panel == at->index) return q->packed.products != NULL;
  if (columns < HY_QR_PACKED || at->rows > HY_QR_PACKED_ROWS) return false;
  hy_count_copied(q->cube, (int64_t)at->rows * at->width);
  if (q->packed.products != NULL)
    hy_packed_rows_of(&q->packed, NULL, at->index, at->rows, at->width, vectors_of(q), q->panel.ld);
  q->packed.panel = at->index;
  return q->packed.products != NULL;
}

/* m := m - V W */
static void subtract_all(const struct hy_qr *q, bool packed, bool few, int columns, const char *v,
                         char *m, int64_t ld) {
  const struct hy_diagonal_block *at = &q->panel.at;
  const int w = at->width;
  if (few && hy_qr_few(q, HY_QR_FEWER))
    hy_qr_few_subtract(q, columns, v, m, ld);
  else if (packed && at->rows > 0)
    q->packed.products->multiply(HYLA_NONE, at->rows, columns, w, q->packed.entries, 0, q->products,
                                 w, m, (int)ld, NULL);
  else
    hy_qr_subtract(q, at->rows, w, v, q->panel.ld, columns, q->products, m, ld);
}

/* m := Q_k^H m (adjoint) or Q_k m in some columns, from the panel's first row on. */
static hyla_status reflect_strip(const struct hy_qr *q, bool adjoint, bool packed, bool few,
                                 int columns, char *m, int64_t ld) {
  const struct hy_kernels *k = q->k;
  const struct hy_qr_panel *panel = &q->panel;
  const struct hy_diagonal_block *at = &panel->at;
  const char *s = panel->slot->seen + HY_PANEL_HEADER;
  const char *v = vectors_of(q);
  const bool negates = at->top && q->tau == NULL; /* is D_k on this rank? */
  const int w = at->width;
  const int64_t count = (int64_t)w * columns;

  /* Q_k m begins with D_k m */
  if (!adjoint && negates) k->combine(HYLA_NONE, w, columns, 0, NULL, 1, -1, m, (int)ld);

  /* W := V^H m */
  hy_qr_multiply(q, at->rows, w, v, panel->ld, columns, m, ld, q->products);
  if (few) hy_qr_few_squares(q, v, q->products + count * (int64_t)k->size);
  TRY(hy_subcube_allreduce(&q->sums, q->products, few ? count + 2 * w : count, hy_solve_sum, k));

  /* W := S^-H W, or S^-1 W */
  if (few)
    hy_qr_few_solve(q, columns, s);
  else
    k->trsm(HYLA_LEFT, HYLA_UPPER, adjoint ? HYLA_CONJUGATE : HYLA_NONE, HYLA_ANY_DIAGONAL, w,
            columns, 1, s, w, q->products, w);

  /* m := m - V W; for Q_k^H, D_k of that */
  subtract_all(q, packed, few, columns, v, m, ld);
  if (adjoint && negates) k->combine(HYLA_NONE, w, columns, 0, NULL, 1, -1, m, (int)ld);
  hy_compute(q->cube, (4 * (int64_t)at->rows + w) * w * columns, k->size, k->complex_type);
  return HYLA_OK;
}

static hyla_status reflect(struct hy_qr *q, bool adjoint, bool few, const struct hy_columns *x) {
  const int64_t end = x->first + x->count;
  const bool packed = pack(q, x->count);
  for (int64_t begin = x->first; begin < end; begin += q->strip) {
    int64_t columns = hy_min(q->strip, end - begin);
    char *m = hy_at(x->m, q->panel.at.row, begin);
    TRY(reflect_strip(q, adjoint, packed, few, (int)columns, m, x->m->ld));
    TRY(hy_link_poll(q->cube));
  }
  return HYLA_OK;
}

hyla_status hy_qr_use(void *state, const struct hy_columns *x) {
  return reflect(state, true, false, x);
}

static hyla_status use_backwards(void *state, const struct hy_columns *x) {
  return reflect(state, false, false, x);
}

/* The columns before the panel's own ones have zeros in its rows. */
static hyla_status use_on_identity(void *state, const struct hy_columns *x) {
  struct hy_qr *q = state;
  const hyla_matrix *m = x->m;
  const int64_t own = hy_min(q->panel.at.first, m->col.n);
  const int64_t before = hy_axis_before(&m->col, m->col_part, own);
  const struct hy_columns behind = {.m = m, .first = before, .count = m->local_cols - before};
  return reflect(q, false, hy_qr_few(q, HY_QR_FEW), &behind);
}

/* ----------------------------------------------------------------- panels -- */

/* Sets columns begin ... end-1 of S from V^H V, with 1 / tau on its diagonal. */
static void set_columns(const struct hy_qr *q, const struct hy_diagonal_block *at, int begin,
                        int end, char *s) {
  const struct hy_kernels *k = q->k;
  const size_t column = (size_t)at->width * k->size;
  k->copy(HYLA_NONE, end, end - begin, 1, q->products, end, s + (size_t)begin * column, at->width);
  for (int j = begin; j < end && !k->dry; j++) {
    const double _Complex tau = q->tau[at->first + j];
    k->set(s + (size_t)j * column, j, tau == 0 ? 1 : 1 / tau);
  }
}

/* Finds S of a panel that is loaded.  Collective over the rank column. */
static hyla_status find_triangle(const struct hy_qr *q, const struct hy_qr_panel *panel) {
  const struct hy_kernels *k = q->k;
  const struct hy_diagonal_block *at = &panel->at;
  char *s = panel->slot->data + HY_PANEL_HEADER, *v = panel->slot->data + hy_qr_at_v(at, k->size);
  const size_t column = (size_t)panel->ld * k->size;
  for (int j = 0; j < at->width && !k->dry; j++)
    if (q->tau[at->first + j] == 0) memset(v + (size_t)j * column, 0, (size_t)at->rows * k->size);
  for (int begin = 0, end = 0; begin < at->width; begin = end) {
    end = (int)hy_min(at->width, begin + q->strip);
    hy_qr_multiply(q, at->rows, end, v, panel->ld, end - begin, v + (size_t)begin * column,
                   panel->ld, q->products);
    TRY(hy_subcube_allreduce(&q->sums, q->products, (int64_t)end * (end - begin), hy_solve_sum, k));
    set_columns(q, at, begin, end, s);
  }
  hy_compute(q->cube, 2 * at->rows * (int64_t)at->width * at->width, k->size, k->complex_type);
  return HYLA_OK;
}

static hyla_status make(void *state, int64_t index, struct hy_panel_slot *slot) {
  struct hy_qr *q = state;
  const struct hy_qr_panel panel = hy_qr_panel_at(q, index, slot);
  hy_qr_load_panel(q, &panel);
  return q->tau == NULL ? HYLA_OK : find_triangle(q, &panel);
}

hyla_status hy_qr_apply(struct hy_qr *q, enum hy_q_times what, const hyla_matrix *x) {
  struct hy_lookahead loop = {.panels = &q->panels,
                              .array = &q->array,
                              .end = q->array.count,
                              .backwards = what != HY_Q_ADJOINT,
                              .x = x,
                              .state = q,
                              .bytes = hy_qr_bytes,
                              .make = make,
                              .arrive = hy_qr_arrive,
                              .use = what == HY_Q_ADJOINT ? hy_qr_use
                                     : what == HY_Q_PLAIN ? use_backwards
                                                          : use_on_identity};
  q->packed.panel = -1;
  return hy_lookahead_run(&loop);
}

hyla_status hy_qr_given(const struct hy_factorization *problem, const double _Complex *tau,
                        struct hy_qr **q) {
  *q = NULL;
  TRY(hy_agree(problem->cube, hy_qr_create(problem, NULL, q)));
  (*q)->tau = tau;
  return hy_qr_allocate(*q);
}
