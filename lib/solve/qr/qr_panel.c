/* QR: a panel, factored by the ranks of its rank column.
 *
 * Sixteen columns at a time are factored one by one; together they then reflect the panel's columns
 * behind them.  A column takes two all-reduces over the rank column, for its norm and for its
 * products with the columns behind it; sixteen take one more, which gives S too.
 * Reference: Householder 1958; Schreiber and Van Loan 1989; Puglisi 1992. */
#include "solve/qr/qr.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* A panel at work: its message has V, then the columns still to factor. */
struct panel {
  struct hy_qr *q;
  const struct hy_kernels *k;
  const struct hy_diagonal_block *at;
  struct hy_panel_header *header;
  char *s, *v;
  int ld;
};

static struct panel panel_of(struct hy_qr *q, const struct hy_qr_panel *panel) {
  char *message = panel->slot->data;
  return (struct panel){.q = q,
                        .k = q->k,
                        .at = &panel->at,
                        .header = (struct hy_panel_header *)(void *)message,
                        .s = message + HY_PANEL_HEADER,
                        .v = message + hy_qr_at_v(&panel->at, q->k->size),
                        .ld = panel->ld};
}

static char *entry(const struct panel *p, char *m, int ld, int row, int column) {
  return m + ((int64_t)column * ld + row) * (int64_t)p->k->size;
}

/* ---------------------------------------------------------------- a column -- */

/* Adds the norms of two ranks' parts of a column; NaN if either is.  arg: the kernels. */
static void add_norms(void *into, const void *from, int64_t count, const void *arg) {
  struct hy_qr_norm *a = into;
  const struct hy_qr_norm *b = from;
  const struct hy_kernels *k = arg;
  (void)count; /* count is 1 */
  if (k->dry) return;
  double scale = isnan(a->scale) || b->scale <= a->scale ? a->scale : b->scale;
  double mine = a->scale / scale, others = b->scale / scale;
  if (scale > 0) a->squares = a->squares * mine * mine + b->squares * others * others;
  a->scale = scale;
  a->leading[0] += b->leading[0];
  a->leading[1] += b->leading[1];
}

/* The norm of column j from row j on, on all ranks of the rank column. */
static hyla_status find_norm(const struct panel *p, int first, int j) {
  const struct hy_kernels *k = p->k;
  struct hy_qr_norm *norm = &p->q->norm;
  int rows = p->at->rows - first;
  const char *column = entry(p, p->v, p->ld, first, j);
  *norm = (struct hy_qr_norm){0, 0, {0, 0}};
  if (rows > 0) norm->scale = k->largest(rows, 1, column, p->ld);
  if (norm->scale > 0 && isfinite(norm->scale))
    norm->squares = k->squares(rows, 1, column, p->ld, norm->scale);
  if (p->at->top && !k->dry) {
    norm->leading[0] = creal(k->get(column, 0));
    norm->leading[1] = cimag(k->get(column, 0));
  }
  return hy_subcube_allreduce(&p->q->norms, norm, 1, add_norms, k);
}

/* Turns column j into the vector v of its reflection, with entry j = 1.  R's entries, down to the
 * diagonal, go to q->upper, negated.  False: there is no reflection; the header says why. */
static bool make_vector(const struct panel *p, int first, int j) {
  const struct hy_kernels *k = p->k;
  const struct hy_qr_norm *norm = &p->q->norm;
  if (k->dry) return true;
  double size = norm->scale * sqrt(norm->squares);
  double _Complex leading = hy_complex(norm->leading[0], norm->leading[1]);
  double magnitude = cabs(leading);
  const double most = k->epsilon > 1e-10 ? (double)FLT_MAX : DBL_MAX;
  const bool empty = norm->scale == 0; /* v is then a column of the identity */
  if ((empty && !p->q->problem->through) || !(magnitude + size <= most)) {
    p->header->status = norm->scale == 0 ? HYLA_SINGULAR : HYLA_NOT_FINITE;
    p->header->column = p->at->first + j + 1;
    return false;
  }
  double _Complex direction =
      magnitude == 0 ? 1 : hy_complex(creal(leading) / magnitude, cimag(leading) / magnitude);
  if (p->at->rows > first && !empty) /* its divisor does not overflow */
    k->divide(p->at->rows - first, direction * (magnitude + size), entry(p, p->v, p->ld, first, j),
              1);
  if (!p->at->top) return true;
  char *column = entry(p, p->v, p->ld, 0, j), *r = entry(p, p->q->upper, p->at->width, 0, j);
  if (j > 0) k->copy(HYLA_NONE, j, 1, -1, column, p->ld, r, p->at->width);
  memset(column, 0, (size_t)j * k->size);
  k->set(column, j, 1);
  k->set(r, j, direction * size);
  return true;
}

/* Factors columns begin ... end-1, one after the other. */
static hyla_status reflect_columns(const struct panel *p, int begin, int end) {
  const struct hy_kernels *k = p->k;
  char *products = p->q->products;
  for (int j = begin; j < end; j++) {
    int first = p->at->top ? j : 0, rows = p->at->rows - first, behind = end - j - 1;
    TRY(find_norm(p, first, j));
    if (!make_vector(p, first, j)) return HYLA_OK;
    if (behind == 0) continue;
    char *v = entry(p, p->v, p->ld, first, j);
    hy_qr_multiply(p->q, rows, 1, v, p->ld, behind + 1, v, p->ld, products);
    TRY(hy_subcube_allreduce(&p->q->sums, products, behind + 1, hy_solve_sum, k));
    if (rows > 0 && !k->dry)
      k->ger(rows, behind, -2 / creal(k->get(products, 0)), v, 1, products + k->size, 1,
             entry(p, p->v, p->ld, first, j + 1), p->ld);
  }
  return HYLA_OK;
}

/* ------------------------------------------------------------ some columns -- */

double hy_qr_squares(const struct hy_kernels *k, int rows, const char *v) {
  double squares = 0;
  if (rows > 0) k->squared_sums(HYLA_TRANSPOSE, rows, 1, v, rows, 1, &squares);
  return squares;
}

/* The diagonal of this rank's part of V^H V, without the leading ones. */
static void set_squares(const struct panel *p, int begin, int end) {
  const struct hy_kernels *k = p->k;
  for (int j = begin; j < end && !k->dry; j++) {
    const int first = p->at->top ? j + 1 : 0;
    const double squares = hy_qr_squares(k, p->at->rows - first, entry(p, p->v, p->ld, first, j));
    k->set(entry(p, p->q->products, end, j, j - begin), 0, squares);
  }
}

/* Sets columns begin ... end-1 of S, from V^H V without the ones. */
static void set_triangle(const struct panel *p, int begin, int end) {
  const struct hy_kernels *k = p->k;
  int width = p->at->width;
  k->copy(HYLA_NONE, end, end - begin, 1, p->q->products, end, entry(p, p->s, width, 0, begin),
          width);
  for (int j = begin; j < end && !k->dry; j++) {
    char *diagonal = entry(p, p->s, width, j, j);
    k->set(diagonal, 0, (1 + k->get(diagonal, 0)) / 2);
  }
}

/* Sets S's columns begin ... end-1, and reflects the panel's columns behind them. */
static hyla_status apply_columns(const struct panel *p, int begin, int end) {
  const struct hy_kernels *k = p->k;
  int width = p->at->width, rows = p->at->rows, own = end - begin, behind = width - end;
  char *v = entry(p, p->v, p->ld, 0, begin), *rest = entry(p, p->v, p->ld, 0, end);
  char *products = p->q->products + (int64_t)end * own * (int64_t)k->size;
  if (hy_qr_few(p->q, HY_QR_FEW)) {
    hy_qr_few_products(p->q, p->at, begin, end, p->v, p->ld);
  } else {
    hy_qr_multiply(p->q, rows, end, p->v, p->ld, own, v, p->ld, p->q->products);
    set_squares(p, begin, end);
  }
  if (behind > 0) hy_qr_multiply(p->q, rows, own, v, p->ld, behind, rest, p->ld, products);
  TRY(hy_subcube_allreduce(&p->q->sums, p->q->products, (int64_t)own * (end + behind), hy_solve_sum,
                           k));
  set_triangle(p, begin, end);
  if (behind == 0) return HYLA_OK;
  k->trsm(HYLA_LEFT, HYLA_UPPER, HYLA_CONJUGATE, HYLA_ANY_DIAGONAL, own, behind, 1,
          entry(p, p->s, width, begin, begin), width, products, own);
  hy_qr_subtract(p->q, rows, own, v, p->ld, behind, products, rest, p->ld);
  return HYLA_OK;
}

/* ------------------------------------------------------------------ panels -- */

static char *triangle_of(const struct hy_qr *q, const struct hy_diagonal_block *at) {
  return q->triangles + at->column * q->array.block * (int64_t)q->k->size;
}

/* Stores R's rows in the matrix, V below them, and S in q->triangles. */
static void put_back(const struct panel *p) {
  const struct hy_qr *q = p->q;
  const struct hy_kernels *k = p->k;
  const struct hy_diagonal_block *at = p->at;
  char *own = hy_at(q->a, at->row, at->column);
  k->copy(HYLA_NONE, at->width, at->width, 1, p->s, at->width, triangle_of(q, at), at->width);
  k->copy(HYLA_NONE, at->rows, at->width, 1, p->v, p->ld, own, (int)q->a->ld);
  for (int j = 0; at->top && j < at->width; j++)
    k->copy(HYLA_NONE, j + 1, 1, 1, entry(p, q->upper, at->width, 0, j), at->width,
            entry(p, own, (int)q->a->ld, 0, j), (int)q->a->ld);
  hy_count_copied(q->cube, (int64_t)(at->rows + at->width) * at->width);
}

/* S has v^H v / 2 on its diagonal. */
void hy_qr_reflections(const struct hy_qr *q, double *tau) {
  for (int64_t index = 0; index < q->array.count; index++) {
    struct hy_diagonal_block at = hy_diagonal_block(&q->array, index);
    for (int j = 0; j < at.width; j++) {
      double *here = &tau[at.first + j];
      *here = 0;
      if (!at.mine || !at.top || q->k->dry) continue;
      *here = 1 / creal(q->k->get(triangle_of(q, &at), (int64_t)j * at.width + j));
    }
  }
}

hyla_status hy_qr_factor_columns(struct hy_qr *q, const struct hy_diagonal_block *at,
                                 struct hy_panel_header *header, char *s, char *v, int ld) {
  const struct panel p = {.q = q, .k = q->k, .at = at, .header = header, .s = s, .v = v, .ld = ld};
  const int64_t width = at->width;
  for (int begin = 0; begin < at->width; begin += HY_QR_BASE) {
    int end = (int)hy_min(at->width, begin + HY_QR_BASE);
    TRY(reflect_columns(&p, begin, end));
    if (!q->k->dry && header->status != HYLA_OK) return HYLA_OK;
    TRY(apply_columns(&p, begin, end));
  }
  hy_compute(q->cube, 3 * at->rows * width * width, q->k->size, q->k->complex_type);
  return HYLA_OK;
}

hyla_status hy_qr_factor_panel(struct hy_qr *q, const struct hy_qr_panel *panel) {
  struct panel p = panel_of(q, panel);
  const struct hy_kernels *k = q->k;
  const struct hy_diagonal_block *at = p.at;
  if (!k->dry) *p.header = (struct hy_panel_header){HYLA_OK, 0};
  hy_copy_block(q->cube, k, HYLA_NONE, at->rows, at->width, hy_at(q->a, at->row, at->column),
                q->a->ld, p.v, p.ld);
  TRY(q->way->factor(q, at, p.header, p.s, p.v, p.ld));
  if (!k->dry && p.header->status != HYLA_OK) return HYLA_OK;
  put_back(&p);
  return HYLA_OK;
}

void hy_qr_load_panel(struct hy_qr *q, const struct hy_qr_panel *panel) {
  struct panel p = panel_of(q, panel);
  const struct hy_kernels *k = q->k;
  const struct hy_diagonal_block *at = p.at;
  hy_count_copied(q->cube, (int64_t)(at->rows + at->width) * at->width);
  if (k->dry) return;
  *p.header = (struct hy_panel_header){HYLA_OK, 0};
  if (q->tau == NULL)
    k->copy(HYLA_NONE, at->width, at->width, 1, triangle_of(q, at), at->width, p.s, at->width);
  k->copy(HYLA_NONE, at->rows, at->width, 1, hy_at(q->a, at->row, at->column), (int)q->a->ld, p.v,
          p.ld);
  for (int j = 0; at->top && j < at->width; j++) {
    char *column = entry(&p, p.v, p.ld, 0, j);
    memset(column, 0, (size_t)j * k->size);
    k->set(column, j, 1);
  }
}
