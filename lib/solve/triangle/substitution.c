/* Triangular systems: all forms are brought to the left form. */
#include "solve/triangle/triangle.h"

struct hy_substitution hy_substitution_of(const struct hy_triangular *system) {
  const hyla_matrix *t = system->t;
  struct hy_substitution s = {.cube = t->cube,
                              .k = t->k,
                              .t = t,
                              .triangle = system->triangle,
                              .diagonal = system->diagonal,
                              .op = system->op,
                              .inverse = system->inverse,
                              .tiled = system->tiled,
                              .turn = HYLA_NONE};
  if (system->side == HYLA_RIGHT) { /* X A = B is A^T X^T = B^T, or A^H X^H = B^H */
    s.op = system->op == HYLA_NONE ? HYLA_TRANSPOSE : HYLA_NONE;
    s.turn = system->op == HYLA_CONJUGATE ? HYLA_CONJUGATE : HYLA_TRANSPOSE;
  }
  bool transposed = s.op != HYLA_NONE;
  s.array = hy_block_cyclic_at(transposed ? &t->col : &t->row, transposed ? &t->row : &t->col,
                               system->block, t->cube->address);
  return s;
}

static int64_t rows_of(const struct hy_substitution *s) {
  return hy_held(&s->array.row, s->array.row_part);
}

int64_t hy_substitution_sums(const struct hy_substitution *s, int64_t nrhs) {
  return hy_max(rows_of(s), s->array.block) * nrhs * (int64_t)s->k->size;
}

int64_t hy_substitution_slot(const struct hy_substitution *s) {
  return hy_ceil_div(rows_of(s) * s->array.block * (int64_t)s->k->size, 64) * 64;
}

struct hyla_matrix hy_substitution_transposed(const hyla_matrix *x) {
  struct hyla_matrix seen = *x;
  seen.row = x->col;
  seen.col = x->row;
  seen.layout.row = x->layout.col;
  seen.layout.col = x->layout.row;
  seen.row_part = x->col_part;
  seen.col_part = x->row_part;
  seen.local_rows = x->local_cols;
  seen.local_cols = x->local_rows;
  seen.local = NULL;
  seen.ld = hy_max(1, seen.local_rows);
  return seen;
}

struct hyla_matrix hy_substitution_x(const struct hy_substitution *s, const hyla_matrix *x) {
  return s->turn == HYLA_NONE ? *x : hy_substitution_transposed(x);
}

struct hy_row_range hy_rows_after(const struct hy_substitution *s,
                                  const struct hy_diagonal_block *at) {
  if (!hy_substitution_lower(s)) return (struct hy_row_range){0, at->row};
  int64_t behind = hy_rows_behind(at);
  return (struct hy_row_range){at->row + at->rows - behind, behind};
}

void hy_solve_diagonal(const struct hy_substitution *s, const struct hy_diagonal_block *at,
                       const char *t, int ld_t, int64_t columns, char *block, int64_t ld) {
  const struct hy_kernels *k = s->k;
  int64_t w = at->width, ones = s->diagonal == HYLA_UNIT_DIAGONAL; /* a unit diagonal needs no
                                                                    * division */
  k->trsm(HYLA_LEFT, s->triangle, s->op, s->diagonal, at->width, (int)columns, 1, t, ld_t, block,
          (int)ld);
  hy_compute(s->cube, w * (w - ones) * columns, k->size, k->complex_type);
}
