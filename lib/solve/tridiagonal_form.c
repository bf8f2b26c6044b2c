/* hyla_tridiagonal_form: a Hermitian matrix in tridiagonal form, A = Q T Q^H, as LAPACK's sytrd and
 * hetrd leave it.
 *
 * The reduction begins with the first column and reads the lower triangle.  LAPACK's for an upper
 * triangle begins with the last column: it is that of A turned by half, whose lower triangle is the
 * upper one of A, with all indices counted from the other end. */
#include "solve/solve.h"
#include "solve/tridiagonal/tridiagonal.h"

#include <limits.h>
#include <math.h>

/* The call's results: d, n numbers, and n - 1 of e and of tau. */
struct numbers {
  double *d, *e;
  double _Complex *tau;
};

static hyla_status reduce(hyla_cube *cube, hyla_matrix *work, struct hy_tridiagonal **t) {
  const struct hy_tridiagonal_problem problem = {.cube = cube, .a = work};
  TRY(hy_agree(cube, hy_tridiagonal_create(&problem, NULL, t)));
  TRY(hy_tridiagonal_allocate(*t));
  return hy_agree(cube, hy_tridiagonal_run(*t));
}

/* Local, on nodes.  The reduction's numbers, which its scaling and its mean have changed, from the
 * one end or from the other. */
static void take_numbers(const struct hy_tridiagonal *t, bool turned, const struct numbers *to) {
  const int64_t n = t->n;
  for (int64_t j = 0; j < n; j++) {
    to->d[turned ? n - 1 - j : j] = ldexp(t->d[j] + t->mean, t->exponent);
    if (j + 1 == n) break;
    const int64_t at = turned ? n - 2 - j : j;
    to->e[at] = ldexp(t->e[j], t->exponent);
    to->tau[at] = hy_complex(t->tau[0][j], t->tau[1][j]);
  }
}

/* Local, on nodes.  T's entries to their places among the vectors, where these have a 1. */
static void put_entries(const hyla_matrix *work, bool turned, const struct numbers *from) {
  const int64_t n = work->row.n;
  for (int64_t col = 0; col < work->local_cols && work->local_rows > 0; col++) {
    const int64_t j = hyla_matrix_col(work, col);
    for (int64_t i = j; i < hy_min(n, j + 2); i++) {
      if (hy_axis_owner(&work->row, i) != work->row_part) continue;
      const double value =
          i == j ? from->d[turned ? n - 1 - j : j] : from->e[turned ? n - 2 - j : j];
      work->k->set(hy_at(work, hy_axis_before(&work->row, work->row_part, i), col), 0, value);
    }
  }
}

/* Nodes alone know the numbers. */
static hyla_status tell(hyla_cube *cube, int64_t n, const struct numbers *numbers) {
  TRY(hy_tell_guests(cube, numbers->d, n * (int64_t)sizeof *numbers->d));
  if (n < 2) return HYLA_OK;
  TRY(hy_tell_guests(cube, numbers->e, (n - 1) * (int64_t)sizeof *numbers->e));
  return hy_tell_guests(cube, numbers->tau, (n - 1) * (int64_t)sizeof *numbers->tau);
}

static hyla_status transform(hyla_cube *cube, bool turned, hyla_matrix *work,
                             const struct numbers *numbers) {
  struct hy_tridiagonal *t = NULL;
  hyla_status status = reduce(cube, work, &t);
  if (status == HYLA_OK && cube->address >= 0 && !work->k->dry) {
    take_numbers(t, turned, numbers);
    put_entries(work, turned, numbers);
  }
  hy_free(&cube->base, &t);
  TRY(status);
  return work->k->dry ? HYLA_OK : hy_agree(cube, tell(cube, work->row.n, numbers));
}

static hyla_status move(hyla_operation op, const hyla_matrix *from, hyla_matrix *to,
                        const enum hy_part *part) {
  const hyla_transfer transfer = {op, 1, from, to};
  return hy_redistribute_once(to->cube, &transfer, part);
}

/* The triangle to the workspace, its form there, and back.  Parts of matrices are not turned, so an
 * upper triangle comes back through one more workspace. */
static hyla_status form_lower(hyla_cube *cube, hyla_matrix *a, hyla_matrix *work,
                              const struct numbers *numbers) {
  const enum hy_part part = HY_LOWER_PART;
  TRY(move(HYLA_NONE, a, work, &part));
  TRY(transform(cube, false, work, numbers));
  return move(HYLA_NONE, work, a, &part);
}

static hyla_status form_upper(hyla_cube *cube, hyla_matrix *a, hyla_matrix *work,
                              const struct numbers *numbers) {
  const enum hy_part part = HY_UPPER_PART;
  hyla_matrix *back = NULL;
  TRY(hy_matrix_make(cube, a->k->type, a->row.n, a->row.n, &work->layout, &back));
  hyla_status status = move(HYLA_TURN_HALF, a, work, NULL);
  if (status == HYLA_OK) status = transform(cube, true, work, numbers);
  if (status == HYLA_OK) status = move(HYLA_TURN_HALF, work, back, NULL);
  if (status == HYLA_OK) status = move(HYLA_NONE, back, a, &part);
  (void)hyla_matrix_destroy(&back);
  return status;
}

hyla_status hyla_tridiagonal_form(hyla_cube *cube, hyla_triangle triangle, hyla_matrix *a,
                                  double *d, double *e, hyla_scalar *tau) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  const int64_t n = a == NULL ? 0 : a->row.n, behind = hy_max(0, n - 1);
  const struct hy_call call = {.name = "hyla_tridiagonal_form",
                               .option = {{"triangle", (int)triangle, hy_triangle_names}},
                               .place = {{"d", d, n}, {"e", e, behind}, {"tau", tau, behind}},
                               .argument = {{"a", a, .sizes = "nn", .result = a}},
                               .most = INT_MAX / 2};
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  const hyla_layout layout = hy_tridiagonal_layout(cube, n);
  const struct numbers numbers = {d, e, tau};
  hyla_matrix *work = NULL;
  hyla_status status = hy_matrix_make(cube, a->k->type, n, n, &layout, &work);
  if (status == HYLA_OK)
    status = triangle == HYLA_UPPER ? form_upper(cube, a, work, &numbers)
                                    : form_lower(cube, a, work, &numbers);
  (void)hyla_matrix_destroy(&work);
  return status;
}
