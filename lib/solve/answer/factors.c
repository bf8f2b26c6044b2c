/* hyla_factor_lower, _upper, _packed, _permutation, _diagonal, _inertia: the factors of P A = L U,
 * A = L L^H or P A P^T = L D L^H for the caller.  L and U are the leading columns and the leading
 * rows of the matrix in A's place, one for each pivot. */
#include "solve/answer/answer.h"

#include <string.h>

void hy_factor_set_rest(hyla_matrix *m, hyla_triangle triangle, bool unit) {
  for (int64_t col = 0; col < m->local_cols && !m->k->dry; col++) {
    int64_t j = hyla_matrix_col(m, col);
    /* local rows above the diagonal; the row on it, if it is here */
    int64_t above =
        m->local_rows == 0 ? 0 : hy_axis_before(&m->row, m->row_part, hy_min(j, m->row.n));
    bool diagonal = above < m->local_rows && hyla_matrix_row(m, above) == j;
    int64_t first = triangle == HYLA_LOWER ? 0 : above + diagonal;
    int64_t count = triangle == HYLA_LOWER ? above : m->local_rows - first;
    memset(hy_at(m, first, col), 0, (size_t)count * m->k->size);
    if (diagonal && unit) m->k->set(hy_at(m, above, col), 0, 1);
  }
}

/* to := op of a part of the factors, of to's size. */
static hyla_status bring(hyla_cube *cube, const hyla_matrix *factors, hyla_operation op,
                         enum hy_part part, hyla_matrix *to) {
  const hyla_matrix from = hy_matrix_part(factors, 0, 0, to->row.n, to->col.n);
  const hyla_transfer transfer = {op, 1, &from, to};
  return hy_redistribute_once(cube, &transfer, &part);
}

/* Does L have ones on its diagonal? */
static bool is_unit(const hyla_factor *factor) {
  return !hy_factor_traits_of(factor)->hermitian || hy_factor_traits_of(factor)->diagonal != NULL;
}

/* copy := the factors, with L's rows in their final places. */
static hyla_status apply_later_swaps(const hyla_factor *factor, hyla_matrix *copy) {
  const struct hy_factor_traits *steps = hy_factor_traits_of(factor);
  const hyla_matrix *a = factor->factors.a;
  a->k->copy(HYLA_NONE, (int)a->local_rows, (int)a->local_cols, 1, a->local, (int)a->ld,
             copy->local, (int)copy->ld);
  return steps->apply_later_swaps == NULL ? HYLA_OK
                                          : steps->apply_later_swaps(hy_factor_state(factor), copy);
}

/* to := a part of the factors with L's rows in their final places. */
static hyla_status bring_settled(const hyla_factor *factor, enum hy_part part, hyla_matrix *to) {
  const struct hy_factorization *problem = &factor->problem;
  hyla_cube *cube = problem->cube;
  hyla_matrix *copy = NULL;
  TRY(hy_matrix_make(cube, problem->k->type, problem->m, problem->n, &problem->layout, &copy));
  hyla_status status = hy_agree(cube, apply_later_swaps(factor, copy));
  if (status == HYLA_OK) status = bring(cube, copy, HYLA_NONE, part, to);
  (void)hyla_matrix_destroy(&copy);
  return status;
}

static hyla_status bring_lower(const hyla_factor *factor, hyla_matrix *l) {
  if (hy_factor_traits_of(factor)->hermitian)
    return bring(factor->problem.cube, factor->factors.a, HYLA_NONE, HY_LOWER_PART, l);
  return bring_settled(factor, HY_BELOW_PART, l);
}

/* Enters the call `name' that copies a triangle into a matrix of these sizes. */
static hyla_status enter(hyla_cube *cube, const hyla_factor *factor, const char *name,
                         const char *triangle, const char *sizes, hyla_matrix *to) {
  struct hy_call call = {.name = name, .argument = {{triangle, to, .sizes = sizes, .result = to}}};
  hyla_status mine = hy_factor_call(cube, factor, HY_COMPUTED | HY_WITH_TRIANGLES, &call);
  if (mine == HYLA_OK) mine = hy_call_check(cube, &call);
  if (mine == HYLA_OK && sizes[0] == 'M' && hy_factor_traits_of(factor)->orthogonal)
    mine = hy_fail(&cube->base, HYLA_UNSUPPORTED,
                   "%s: the method %s makes no lower triangle; take lu for one", name,
                   factor->problem.method->is.name);
  return hy_call_agree(cube, &call, mine);
}

hyla_status hyla_factor_lower(hyla_cube *cube, const hyla_factor *factor, hyla_matrix *l) {
  TRY(enter(cube, factor, "hyla_factor_lower", "l", "MK", l));
  TRY(bring_lower(factor, l));
  hy_factor_set_rest(l, HYLA_LOWER, is_unit(factor));
  return hy_agree(cube, HYLA_OK);
}

hyla_status hyla_factor_upper(hyla_cube *cube, const hyla_factor *factor, hyla_matrix *u) {
  TRY(enter(cube, factor, "hyla_factor_upper", "u", "KN", u));
  bool hermitian = hy_factor_traits_of(factor)->hermitian;
  TRY(bring(cube, factor->factors.a, hermitian ? HYLA_CONJUGATE : HYLA_NONE, HY_UPPER_PART, u));
  hy_factor_set_rest(u, HYLA_UPPER, hermitian && is_unit(factor));
  return hy_agree(cube, HYLA_OK);
}

static hyla_status check_packed(hyla_cube *cube, const hyla_factor *factor, const char *name) {
  const struct hy_factor_traits *steps = hy_factor_traits_of(factor);
  bool theirs = steps->orthogonal ? steps->reflections != NULL : steps->diagonal == NULL;
  CHECK(&cube->base, theirs, UNSUPPORTED,
        "%s: the factors of %s (%s) are not LAPACK's; take lu, cholesky or householder's qr", name,
        factor->problem.method->is.name, hy_choice_variant(&factor->plan->choice)->name);
  return HYLA_OK;
}

/* R has the opposite sign (contract.h).  The reflection of a last row by itself would only turn
 * that row's sign, and is left out, as by LAPACK: hyla_factor_reflections gives it a tau of 0. */
void hy_factor_negate_upper(hyla_matrix *m) {
  const int64_t reflected = m->row.n <= m->col.n ? m->row.n - 1 : m->row.n;
  for (int64_t col = 0; col < m->local_cols && !m->k->dry; col++) {
    int64_t end = hy_min(hyla_matrix_col(m, col) + 1, reflected);
    int64_t rows = m->local_rows == 0 ? 0 : hy_axis_before(&m->row, m->row_part, end);
    if (rows > 0) m->k->scale((int)rows, -1, hy_at(m, 0, col), 1);
  }
}

hyla_status hyla_factor_packed(hyla_cube *cube, const hyla_factor *factor, hyla_triangle triangle,
                               hyla_matrix *packed) {
  struct hy_call call = {.name = "hyla_factor_packed",
                         .option = {{"triangle", (int)triangle, hy_triangle_names}},
                         .argument = {{"packed", packed, .sizes = "MN", .result = packed}}};
  hyla_status mine = hy_factor_call(cube, factor, HY_COMPUTED | HY_WITH_TRIANGLES, &call);
  if (mine == HYLA_OK) mine = check_packed(cube, factor, call.name);
  TRY(hy_call_enter(cube, &call, mine));
  if (hy_factor_traits_of(factor)->orthogonal)
    TRY(bring(cube, factor->factors.a, HYLA_NONE, HY_WHOLE, packed));
  else if (!hy_factor_traits_of(factor)->hermitian)
    TRY(bring_settled(factor, HY_WHOLE, packed));
  else if (triangle == HYLA_LOWER)
    TRY(bring(cube, factor->factors.a, HYLA_NONE, HY_LOWER_PART, packed));
  else
    TRY(bring(cube, factor->factors.a, HYLA_CONJUGATE, HY_UPPER_PART, packed));
  if (hy_factor_traits_of(factor)->orthogonal) hy_factor_negate_upper(packed);
  return hy_agree(cube, HYLA_OK);
}

hyla_status hyla_factor_permutation(hyla_cube *cube, const hyla_factor *factor, int64_t *rows) {
  struct hy_call call = {
      .name = "hyla_factor_permutation", .place = {{"rows", rows, 0}}, .needs_data = true};
  hyla_status mine = hy_factor_call(cube, factor, HY_COMPUTED | HY_WITH_TRIANGLES, &call);
  if (mine == HYLA_OK) call.place[0].room = factor->problem.m;
  TRY(hy_call_enter(cube, &call, mine));
  int64_t m = factor->problem.m, order = hy_factor_order(&factor->problem);
  const int64_t *swaps = factor->factors.swaps;
  for (int64_t i = 0; i < m; i++) rows[i] = i;
  for (int64_t i = 0; i < order && cube->address >= 0; i++)
    hy_swap_numbers(&rows[i], &rows[swaps[i]]);
  return hy_agree(cube, hy_tell_guests(cube, rows, m * (int64_t)sizeof *rows));
}

/* ---------------------------------------------------------------------- D -- */

/* D, on nodes; NULL: the method has no D. */
static const struct hy_block_diagonal *diagonal_of(const hyla_factor *factor) {
  const struct hy_factor_traits *steps = hy_factor_traits_of(factor);
  return steps->diagonal == NULL ? NULL : steps->diagonal(hy_factor_state(factor));
}

/* Enters a call whose places hold `room' numbers each, or for 0 one number a column. */
static hyla_status enter_diagonal(hyla_cube *cube, const hyla_factor *factor, struct hy_call *call,
                                  int64_t room) {
  hyla_status mine = hy_factor_call(cube, factor, HY_COMPUTED, call);
  if (mine == HYLA_OK && hy_factor_traits_of(factor)->diagonal == NULL)
    mine = hy_fail(&cube->base, HYLA_UNSUPPORTED,
                   "%s: %s has no block diagonal factor; factor by HYLA_LDL", call->name,
                   factor->problem.method->is.name);
  for (int i = 0; i < HY_PLACES && mine == HYLA_OK; i++)
    call->place[i].room = room == 0 ? factor->problem.n : room;
  return hy_call_enter(cube, call, mine);
}

hyla_status hyla_factor_diagonal(hyla_cube *cube, const hyla_factor *factor, double *diagonal,
                                 double _Complex *below) {
  struct hy_call call = {.name = "hyla_factor_diagonal",
                         .place = {{"diagonal", diagonal, 0}, {"below", below, 0}}};
  TRY(enter_diagonal(cube, factor, &call, 0));
  const struct hy_block_diagonal *d = diagonal_of(factor);
  int64_t n = factor->problem.n;
  for (int64_t i = 0; i < n && cube->address >= 0; i++) {
    diagonal[i] = d->diagonal[i];
    below[i] = d->below[i];
  }
  TRY(hy_agree(cube, hy_tell_guests(cube, diagonal, n * (int64_t)sizeof *diagonal)));
  return hy_agree(cube, hy_tell_guests(cube, below, n * (int64_t)sizeof *below));
}

hyla_status hyla_factor_inertia(hyla_cube *cube, const hyla_factor *factor, int64_t *positive,
                                int64_t *negative) {
  struct hy_call call = {.name = "hyla_factor_inertia",
                         .place = {{"positive", positive, 1}, {"negative", negative, 1}}};
  TRY(enter_diagonal(cube, factor, &call, 1));
  const struct hy_block_diagonal *d = diagonal_of(factor);
  int64_t n = factor->problem.n, counts[2] = {0};
  for (int64_t i = 0; i < n && cube->address >= 0; i++) {
    bool pair = d->below[i] != 0; /* a block of order 2 has a negative determinant, so one
                                   * eigenvalue of each sign */
    counts[0] += pair || d->diagonal[i] > 0;
    counts[1] += pair || d->diagonal[i] < 0;
    i += pair;
  }
  TRY(hy_agree(cube, hy_tell_guests(cube, counts, sizeof counts)));
  *positive = counts[0];
  *negative = counts[1];
  return HYLA_OK;
}
