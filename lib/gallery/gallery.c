/* The table of all kinds, their known properties, and matrices of a kind: each rank computes the
 * entries that it holds. */
#include "gallery/gallery.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static const struct hy_kind *const themes[] = {
    hy_random_kinds,  hy_inverse_kinds, hy_integer_kinds, hy_band_kinds,    hy_toeplitz_kinds,
    hy_unitary_kinds, hy_scaled_kinds,  hy_growth_kinds,  hy_spectrum_kinds, hy_sep_kinds};

const struct hy_kind *hy_kind_at(int i) {
  for (size_t theme = 0; theme < sizeof themes / sizeof *themes && i >= 0; theme++)
    for (const struct hy_kind *kind = themes[theme]; kind->is.name != NULL; kind++)
      if (i-- == 0) return kind;
  return NULL;
}

const hyla_kind *hyla_kind_at(int i) {
  const struct hy_kind *kind = hy_kind_at(i);
  return kind != NULL ? &kind->is : NULL;
}

int hy_kind_number(const char *name) {
  const struct hy_kind *kind = NULL;
  for (int i = 0; name != NULL && (kind = hy_kind_at(i)) != NULL; i++)
    if (strcmp(kind->is.name, name) == 0) return i;
  return -1;
}

/* The properties that follow from the traits alone, for n >= 0. */
static void general_facts(unsigned traits, bool complex_type, int64_t n, hyla_properties *known) {
  bool alike = !complex_type && (traits & HY_REAL_SYMMETRIC) != 0;
  bool nonsingular = (traits & (HY_DEFINITE | HY_UNITARY | HY_NONSINGULAR)) != 0;
  *known = (hyla_properties){.rectangular = (traits & HY_RECTANGULAR) != 0,
                             .random = (traits & HY_RANDOM) != 0,
                             .symmetric = alike || (traits & HY_IS_SYMMETRIC) != 0,
                             .hermitian = alike || (traits & HY_IS_HERMITIAN) != 0,
                             .definite = (traits & HY_DEFINITE) != 0,
                             .unitary = (traits & HY_UNITARY) != 0,
                             .grows = (traits & HY_GROWS) != 0,
                             .lower = n - 1,
                             .upper = n - 1,
                             .rank = nonsingular ? n : -1,
                             .condition = traits & HY_UNITARY ? 1 : 0};
  if ((traits & (HY_HESSENBERG | HY_TRIDIAGONAL)) != 0) known->lower = 1;
  if ((traits & HY_TRIDIAGONAL) != 0) known->upper = 1;
  if ((traits & HY_UPPER) != 0) known->lower = 0;
  if ((traits & HY_LOWER) != 0) known->upper = 0;
}

hyla_status hyla_kind_properties(const char *kind, hyla_type type, int64_t n,
                                 hyla_properties *known) {
  const struct hy_kind *row = hy_kind_at(hy_kind_number(kind));
  const struct hy_kernels *k = hy_kernels_of(type);
  if (row == NULL || k == NULL || n < 0 || known == NULL) return HYLA_ARGUMENT;
  general_facts(row->traits, k->complex_type, n, known);
  if ((row->traits & HY_CHOSEN) != 0) known->condition = n > 1 ? hy_gallery_condition(k) : 1;
  if (row->facts != NULL) row->facts(n, known);
  if (known->rank >= 0 && known->rank < n) known->condition = INFINITY;
  int64_t most = hy_max(n - 1, 0);
  known->lower = hy_min(hy_max(known->lower, 0), most);
  known->upper = hy_min(hy_max(known->upper, 0), most);
  return HYLA_OK;
}

/* ----------------------------------------------------------------- numbers -- */

double hy_binomial(int64_t a, int64_t b) {
  const double exact = 0x1p52; /* r (a - b + k) / k below it is an integer without rounding */
  double r = 1;
  for (int64_t k = 1; k <= hy_min(b, a - b) && r < INFINITY; k++) {
    double up = (double)(hy_max(b, a - b) + k), down = (double)k;
    r = r * up < exact ? r * up / down : r * (up / down);
  }
  return b < 0 || b > a ? 0 : r;
}

double hy_sine(int64_t k, int64_t n) {
  k %= 2 * n;
  if (k < 0) k += 2 * n;
  if (k >= n) return k == n ? 0 : -hy_sine(k - n, n);
  if (2 * k > n) k = n - k;
  const double pi = 3.14159265358979323846;
  return 4 * k < n ? sin(pi * (double)k / (double)n)
                   : cos(pi * (double)(n - 2 * k) / (double)(2 * n));
}

double hy_cosine(int64_t k, int64_t n) { return hy_sine(2 * k + n, 2 * n); }

/* ---------------------------------------------------------------- matrices -- */

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
