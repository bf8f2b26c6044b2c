/* QR: what a panel's reflections do to columns: m := D (I - V S^-H V^H) m for the adjoint, else
 * m := (I - V S^-1 V^H) D m. */
#include "solve/qr/qr.h"

#include <string.h>

void hy_qr_multiply(const struct hy_qr *q, int rows, int width, const char *v, int ldv, int columns,
                    const char *m, int64_t ldm, char *products) {
  const struct hy_kernels *k = q->k;
  if (k->dry) return;
  if (rows == 0)
    memset(products, 0, (size_t)width * (size_t)columns * k->size);
  else
    k->gemm(HYLA_CONJUGATE, HYLA_NONE, width, columns, rows, 1, v, ldv, m, (int)ldm, 0, products,
            width);
}

static void negate(const struct hy_kernels *k, int rows, int columns, char *m, int64_t ld) {
  if (rows > 0 && columns > 0) k->combine(HYLA_NONE, rows, columns, 0, NULL, 1, -1, m, (int)ld);
}

/* m := m - V products; the panel's own rows are negated for the adjoint. */
static void subtract(const struct hy_qr *q, const struct hy_qr_panel *panel, const char *v,
                     bool adjoint, char *m, int64_t ld, int columns) {
  const struct hy_kernels *k = q->k;
  const struct hy_diagonal_block *at = &panel->at;
  int top = adjoint && at->top ? at->width : 0, size = (int)k->size;
  if (top > 0)
    k->gemm(HYLA_NONE, HYLA_NONE, top, columns, at->width, 1, v, panel->ld, q->products, at->width,
            -1, m, (int)ld);
  if (at->rows > top)
    k->gemm(HYLA_NONE, HYLA_NONE, at->rows - top, columns, at->width, -1, v + (int64_t)top * size,
            panel->ld, q->products, at->width, 1, m + (int64_t)top * size, (int)ld);
}

static hyla_status reflect_strip(const struct hy_qr *q, const struct hy_qr_panel *panel,
                                 bool adjoint, char *m, int64_t ld, int columns) {
  const struct hy_kernels *k = q->k;
  const struct hy_diagonal_block *at = &panel->at;
  const char *message = panel->slot->seen, *v = message + hy_qr_at_v(at, k->size);
  int64_t width = at->width;
  if (!adjoint && at->top) negate(k, at->width, columns, m, ld);
  hy_qr_multiply(q, at->rows, at->width, v, panel->ld, columns, m, ld, q->products);
  TRY(hy_group_allreduce(&q->sums, q->products, width * columns, hy_solve_sum, k));
  k->trsm(HYLA_LEFT, HYLA_UPPER, adjoint ? HYLA_CONJUGATE : HYLA_NONE, HYLA_ANY_DIAGONAL, at->width,
          columns, 1, message + HY_PANEL_HEADER, at->width, q->products, at->width);
  subtract(q, panel, v, adjoint, m, ld, columns);
  hy_compute(q->cube, (4 * at->rows + width) * width * columns, k->size, k->complex_type);
  return HYLA_OK;
}

hyla_status hy_qr_reflect(const struct hy_qr *q, const struct hy_qr_panel *panel, bool adjoint,
                          const hyla_matrix *m, int64_t first, int64_t count) {
  for (int64_t begin = first; begin < first + count; begin += HY_QR_STRIP) {
    int64_t columns = hy_min(HY_QR_STRIP, first + count - begin);
    TRY(reflect_strip(q, panel, adjoint, hy_at(m, panel->at.row, begin), m->ld, (int)columns));
    TRY(hy_link_poll(q->cube));
  }
  return HYLA_OK;
}
