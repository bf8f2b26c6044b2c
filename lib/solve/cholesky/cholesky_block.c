/* Cholesky: a diagonal block, A11 = L11 L11^H, or why it has no such factor. */
#include "solve/cholesky/cholesky.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Finds why a block has no factor, by Cholesky's algorithm column by column: the first pivot that
 * is not above zero. */
static struct hy_panel_header find_failure(const struct hy_kernels *k, int width, char *block) {
  for (int j = 0; j < width; j++) {
    double pivot = creal(k->get(block, (int64_t)j * width + j));
    for (int l = 0; l < j; l++) {
      double _Complex entry = k->get(block, (int64_t)l * width + j);
      pivot -= creal(entry) * creal(entry) + cimag(entry) * cimag(entry);
    }
    if (!isfinite(pivot)) return (struct hy_panel_header){HYLA_NOT_FINITE, j + 1};
    if (pivot <= 0) return (struct hy_panel_header){HYLA_INDEFINITE, j + 1};
    for (int i = j + 1; i < width; i++) {
      double _Complex entry = k->get(block, (int64_t)j * width + i);
      for (int l = 0; l < j; l++)
        entry -=
            k->get(block, (int64_t)l * width + i) * conj(k->get(block, (int64_t)l * width + j));
      k->set(block, (int64_t)j * width + i, entry / sqrt(pivot));
    }
  }
  /* The numbers are on the edge, and LAPACK's sums fell on the other side. */
  return (struct hy_panel_header){HYLA_INDEFINITE, width};
}

/* Is a factor's diagonal finite? A NaN or an infinity anywhere in a row of the lower triangle
 * reaches the diagonal. */
static bool is_finite(const struct hy_kernels *k, int width, const char *block) {
  for (int j = 0; j < width; j++)
    if (!isfinite(creal(k->get(block, (int64_t)j * width + j)))) return false;
  return true;
}

void hy_cholesky_factor_block(struct hy_cholesky *c, const struct hy_diagonal_block *at) {
  const struct hy_kernels *k = c->k;
  int64_t width = at->width;
  char *own = hy_at(c->a, at->row, at->column), *block = c->diagonal + HY_PANEL_HEADER;
  struct hy_panel_header header = {HYLA_OK, 0};
  if (c->problem->n == 1 && !k->dry) k->set(&c->entry, 0, creal(k->get(own, 0))); /* alone */
  k->copy(HYLA_NONE, at->width, at->width, 1, own, (int)c->a->ld, block, at->width);
  int failed = k->potrf(at->width, block, at->width);
  hy_compute(c->cube, width * width * width / 3, k->size, k->complex_type);
  hy_count_copied(c->cube, 2 * width * width);
  if (k->dry) return;
  if (failed > 0 || !is_finite(k, at->width, block)) {
    k->copy(HYLA_NONE, at->width, at->width, 1, own, (int)c->a->ld, block, at->width);
    header = find_failure(k, at->width, block);
    header.column += at->first;
  } else {
    k->copy(HYLA_NONE, at->width, at->width, 1, block, at->width, own, (int)c->a->ld);
  }
  memcpy(c->diagonal, &header, sizeof header);
}
