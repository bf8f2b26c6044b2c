/* Makes matrices of a kind: each rank computes the entries that it holds. */
#include "gallery/gallery.h"

#include <complex.h>
#include <math.h>

/* Checks that a kind has matrices of this shape. */
static hyla_status check_kind(hyla_cube *cube, const hyla_matrix *matrix,
                              const struct hy_kind *kind, const char *call) {
  CHECK(&cube->base, kind->traits & HY_RECTANGULAR || matrix->row.n == matrix->col.n, ARGUMENT,
        "%s: %s is of square matrices; this one is %lld x %lld", call, kind->is.name,
        (long long)matrix->row.n, (long long)matrix->col.n);
  return HYLA_OK;
}

/* Computes the local entries; fails if the type cannot hold one of them. */
static hyla_status fill(hyla_cube *cube, hyla_matrix *matrix, const struct hy_generated *g,
                        const char *call) {
  const struct hy_kind *kind = g->kind;
  double largest = matrix->k->epsilon > 0x1p-30 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
  for (int64_t m = 0; m < matrix->local_cols; m++) {
    int64_t col = hyla_matrix_col(matrix, m);
    for (int64_t l = 0; l < matrix->local_rows; l++) {
      int64_t row = hyla_matrix_row(matrix, l);
      double _Complex entry =
          kind->formula != NULL ? kind->formula(row, col) : kind->entry(g, row, col);
      CHECK(&cube->base, fabs(creal(entry)) <= largest && fabs(cimag(entry)) <= largest, ARGUMENT,
            "%s: entry (%lld, %lld) of %s, %lld x %lld, is too large for type %s; take a smaller "
            "size",
            call, (long long)row, (long long)col, kind->is.name, (long long)g->m, (long long)g->n,
            matrix->k->name);
      matrix->k->set(hy_at(matrix, 0, m), l, entry);
    }
  }
  return HYLA_OK;
}

/* Makes the call's matrix; the call's numbers are its kind and its seed. mine: this rank's status
 * so far. */
static hyla_status generate(hyla_cube *cube, const struct hy_call *call, hyla_status mine) {
  hyla_matrix *matrix = call->argument[0].result;
  struct hy_generated g = {.kind = hy_kind_at((int)call->number[0]),
                           .seed = (uint64_t)call->number[1]};
  if (mine == HYLA_OK) mine = check_kind(cube, matrix, g.kind, call->name);
  if (mine == HYLA_OK) {
    g.k = matrix->k;
    g.m = matrix->row.n;
    g.n = matrix->col.n;
    g.limit = 0.5 - matrix->k->epsilon / 2;
    mine = hy_reflect_make(&cube->base, &g);
  }
  hyla_status status = hy_call_agree(cube, call, mine);
  if (status == HYLA_OK) status = hy_agree(cube, fill(cube, matrix, &g, call->name));
  hy_reflect_free(&cube->base, &g);
  return status;
}

hyla_status hyla_matrix_generate(hyla_cube *cube, hyla_matrix *matrix, hyla_generator generator,
                                 uint64_t seed) {
  static const char *const names[] = {"HYLA_ZERO",   "HYLA_ONES",      "HYLA_IDENTITY",
                                      "HYLA_RANDOM", "HYLA_HERMITIAN", "HYLA_DOMINANT",
                                      NULL};
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  const struct hy_call call = {.name = "hyla_matrix_generate",
                               .option = {{"generator", (int)generator, names}},
                               .number = {(int)generator, (int64_t)seed},
                               .argument = {{"matrix", matrix, .result = matrix}}};
  return generate(cube, &call, hy_call_check(cube, &call));
}

hyla_status hyla_matrix_gallery(hyla_cube *cube, hyla_matrix *matrix, const char *kind,
                                uint64_t seed) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  const int number = hy_kind_number(kind);
  const struct hy_call call = {.name = "hyla_matrix_gallery",
                               .number = {number, (int64_t)seed},
                               .argument = {{"matrix", matrix, .result = matrix}}};
  hyla_status mine = hy_call_check(cube, &call);
  if (mine == HYLA_OK && number < 0)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT, "%s: there is no kind `%s'; hyla_kind_at lists them",
                   call.name, kind != NULL ? kind : "NULL");
  return generate(cube, &call, mine);
}
