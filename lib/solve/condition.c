/* hyla_factor_condition, _growth: what a factorization reveals about its matrix.
 *
 * Method: the 1-norm of A^-1 is estimated from solutions with A and with A^H (Higham 2002,
 *   Algorithm 15.4, after Hager).  The gradient of |A^-1 x|_1 over the unit ball points to columns
 *   of A^-1, whose norms are taken.  One more vector, with growing entries and alternating signs,
 *   serves the rare matrices that mislead the gradient.  The estimate is a lower bound, seldom
 *   below a third of the norm.  If the factorization is A^-1 itself, its norm is computed.
 * Scaling: vectors are stored as 2^shift times their values.  The shift is half of the exponent of
 *   |A|, so that neither solutions, of about 2^shift cond(A) / |A|, nor products with A's entries
 *   overflow or underflow.  If they do nevertheless, the shift is changed and the solution
 *   repeated.  Powers of two round nothing: 2^k A has the same rcond as A, to the bit.
 * Steps: at most 12 solutions for one right-hand side, not counting repeated ones, and as many
 *   reductions of four numbers.  Memory: two vectors, and that of the first solution with A^H. */
#include "solve/solve.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 5 };
/* The most changes of the shift. */
enum { SHIFTS = 8 };

/* The properties of a vector that all ranks learn: its 1-norm, its largest entry and the first
 * index of that, and the number of signs that differ from the kept ones. */
struct measure {
  double sum, largest;
  int64_t index, changed;
};

struct estimate {
  const struct hy_solver *solver;
  hyla_cube *cube;
  int64_t n;
  hyla_matrix *v, *signs; /* n x 1 */
  struct measure found;   /* of 2^shift times a vector */
  int shift, shifts;      /* shifts: number of changes */
  bool lowered;           /* at least one change was downwards */
  double best;            /* the largest 1-norm so far, times 2^shift */
};

static void combine(void *into, const void *from, int64_t count, const void *arg) {
  struct measure *a = into;
  const struct measure *b = from;
  (void)arg, (void)count; /* count is 1 */
  a->sum += b->sum;
  a->changed += b->changed;
  if (b->largest < a->largest || (b->largest == a->largest && b->index >= a->index)) return;
  a->largest = b->largest;
  a->index = b->index;
}

/* The magnitude; hypot is not called if the imaginary part is 0. */
static double size_of(double _Complex entry) {
  return cimag(entry) == 0 ? fabs(creal(entry)) : cabs(entry);
}

/* The sign of an entry of this magnitude. */
static double _Complex sign_of(double _Complex entry, double size) {
  return size > 0 ? hy_complex(creal(entry) / size, cimag(entry) / size) : 1;
}

static struct measure measure_here(const struct estimate *e) {
  const hyla_matrix *v = e->v;
  const struct hy_kernels *k = v->k;
  struct measure here = {.index = e->n};
  for (int64_t i = 0; i < v->local_rows * v->local_cols; i++) {
    double _Complex entry = k->get(v->local, i);
    double size = size_of(entry);
    here.sum += size;
    here.changed += sign_of(entry, size) != k->get(e->signs->local, i);
    if (!(size > here.largest) && here.index < e->n) continue;
    here.largest = size;
    here.index = hyla_matrix_row(v, i);
  }
  return here;
}

/* Functions that set vectors, by the entry on this rank and its row. */
typedef double _Complex fill(const struct estimate *e, int64_t i, int64_t row);

static double _Complex equal_entry(const struct estimate *e, int64_t i, int64_t row) {
  (void)i, (void)row;
  return 1 / (double)e->n;
}
static double _Complex unit_entry(const struct estimate *e, int64_t i, int64_t row) {
  (void)i;
  return row == e->found.index;
}
static double _Complex alternating_entry(const struct estimate *e, int64_t i, int64_t row) {
  double size = 1 + (double)row / (double)hy_max(1, e->n - 1);
  (void)i;
  return row % 2 == 0 ? size : -size;
}
static double _Complex sign_entry(const struct estimate *e, int64_t i, int64_t row) {
  (void)row;
  return e->signs->k->get(e->signs->local, i);
}

/* v := op(A)^-1 times 2^shift times the function's vector. */
static hyla_status solve_once(struct estimate *e, hyla_operation op, fill *entry) {
  double scale = ldexp(1, e->shift);
  for (int64_t i = 0; i < e->v->local_rows * e->v->local_cols; i++)
    e->v->k->set(e->v->local, i, scale * entry(e, i, hyla_matrix_row(e->v, i)));
  return e->solver->solve(e->solver->arg, op, e->v);
}

static hyla_status measure(struct estimate *e, struct measure *found) {
  struct measure work;
  *found = measure_here(e);
  uint32_t all = hy_all_dims(e->cube);
  TRY(hy_agree(e->cube, hy_allreduce(e->cube, all, found, 1, sizeof work, combine, NULL, &work)));
  return hy_agree(e->cube, hy_tell_guests(e->cube, found, sizeof *found));
}

/* reach: the largest exponent of a shift.  step: the size of a change. */
static int reach(const struct hy_kernels *k) { return k->epsilon > 1e-10 ? 120 : 1000; }
static int step(const struct hy_kernels *k) { return k->epsilon > 1e-10 ? 30 : 250; }

/* How much to change the shift after this result; 0: no change.  Numbers that are too small lose
 * bits; only the first solution is tested for that, because no number is too large then. */
static int change_of(const struct estimate *e, const struct measure *found) {
  const struct hy_kernels *k = e->v->k;
  bool small = e->best == 0 && !e->lowered && found->sum < ldexp(1, 2 * step(k) - reach(k));
  int change = !isfinite(found->sum) ? -step(k) : small ? step(k) : 0;
  return e->shifts == SHIFTS || abs(e->shift + change) > reach(k) ? 0 : change;
}

/* v := op(A)^-1 times 2^shift times the function's vector, with a shift for which that is finite,
 * if possible. */
static hyla_status apply(struct estimate *e, hyla_operation op, fill *entry) {
  struct measure found;
  int change = 0;
  do {
    TRY(solve_once(e, op, entry));
    TRY(measure(e, &found));
    change = change_of(e, &found);
    e->lowered |= change < 0;
    e->shifts += change != 0;
    e->shift += change;
    e->best = ldexp(e->best, change);
  } while (change != 0);
  e->found = found;
  return HYLA_OK;
}

/* Keeps the signs of v. */
static void keep_signs(const struct estimate *e) {
  const struct hy_kernels *k = e->v->k;
  for (int64_t i = 0; i < e->v->local_rows * e->v->local_cols; i++) {
    const double _Complex entry = k->get(e->v->local, i);
    k->set(e->signs->local, i, sign_of(entry, size_of(entry)));
  }
}

/* Goes to better columns of A^-1 as long as there is a better one. */
static hyla_status climb(struct estimate *e) {
  int64_t column = -1;
  for (int round = 0; round < ROUNDS; round++) {
    keep_signs(e);
    TRY(apply(e, HYLA_CONJUGATE, sign_entry));
    if (e->found.index == column || !isfinite(e->found.sum)) return HYLA_OK;
    column = e->found.index;
    TRY(apply(e, HYLA_NONE, unit_entry));
    bool better = e->found.sum > e->best;
    e->best = fmax(e->best, e->found.sum);
    if (!better || !isfinite(e->found.sum)) return HYLA_OK;
    if (e->found.changed == 0) return HYLA_OK; /* the same gradient again */
  }
  return HYLA_OK;
}

/* Estimates |A^-1|_1; infinity if a solution overflows with every scaling. */
static hyla_status estimate(struct estimate *e) {
  TRY(apply(e, HYLA_NONE, equal_entry));
  e->best = e->found.sum;
  if (isfinite(e->best) && e->n > 1) TRY(climb(e));
  TRY(apply(e, HYLA_NONE, alternating_entry));
  e->best =
      isfinite(e->found.sum) ? fmax(e->best, 2 * e->found.sum / (3 * (double)e->n)) : INFINITY;
  if (!isfinite(e->best)) e->best = INFINITY;
  return HYLA_OK;
}

static hyla_status make_and_estimate(struct estimate *e) {
  hyla_type type = e->solver->k->type;
  hyla_layout once = *e->solver->layout;
  once.rest = HYLA_FACE; /* sums are over all nodes */
  TRY(hy_matrix_make(e->cube, type, e->n, 1, &once, &e->v));
  TRY(hy_matrix_make(e->cube, type, e->n, 1, &once, &e->signs));
  return estimate(e);
}

hyla_status hy_solver_condition(const struct hy_solver *solver, struct hy_norm norm,
                                double *rcond) {
  struct estimate e = {.solver = solver, .cube = solver->cube, .n = solver->n};
  *rcond = 1;
  if (e.n == 0) return HYLA_OK;
  norm = hy_norm_fraction(norm);
  e.shift = isfinite(norm.value) ? norm.exponent / 2 : 0;
  e.shift = (int)hy_max(-reach(solver->k), hy_min(e.shift, reach(solver->k)));
  hyla_status status = make_and_estimate(&e);
  (void)hyla_matrix_destroy(&e.signs);
  (void)hyla_matrix_destroy(&e.v);
  *rcond = hy_norm_condition(norm, hy_norm_fraction((struct hy_norm){e.best, -e.shift}));
  return status;
}

static hyla_status solve_by_factor(void *arg, hyla_operation op, hyla_matrix *v) {
  return hy_factor_solve(arg, op, v, v);
}

/* If the factors are the inverse. */
static hyla_status condition_of_inverse(const struct hyla_factor *factor, struct hy_norm norm,
                                        double *rcond) {
  struct hy_norm inverse;
  *rcond = 1;
  if (factor->problem.n == 0) return HYLA_OK;
  TRY(hy_norm_find(factor->problem.cube, factor->factors.a, HYLA_NORM_ONE, &inverse));
  *rcond = hy_norm_condition(norm, inverse);
  return HYLA_OK;
}

hyla_status hy_factor_condition(struct hyla_factor *factor, struct hy_norm norm, double *rcond) {
  const struct hy_factorization *problem = &factor->problem;
  if (hy_factor_traits_of(factor)->form == HY_INVERSE)
    return condition_of_inverse(factor, norm, rcond);
  const struct hy_solver solver = {.cube = problem->cube,
                                   .k = problem->k,
                                   .n = problem->n,
                                   .layout = &problem->x_layout,
                                   .solve = solve_by_factor,
                                   .arg = factor};
  return hy_solver_condition(&solver, norm, rcond);
}

/* ---------------------------------------------------------------- growth -- */

/* The largest entry of L D, known on the nodes. */
static hyla_status growth_of_diagonal(const struct hyla_factor *factor, struct hy_norm largest,
                                      double *growth) {
  const struct hy_factor_traits *steps = hy_factor_traits_of(factor);
  hyla_cube *cube = factor->problem.cube;
  struct hy_norm found = {0, 0};
  if (cube->address >= 0) found = steps->diagonal(hy_factor_state(factor))->largest;
  TRY(hy_agree(cube, hy_tell_guests(cube, &found, sizeof found)));
  *growth = hy_norm_quotient(found, largest);
  return HYLA_OK;
}

/* Passes over U's local entries in pieces of columns.  STEP columns at a time have all but their
 * last rows in common. */
enum { PIECES = 16, STEP = 8 };
struct look {
  const hyla_matrix *a;
  struct hy_norm found[PIECES];
};

/* Looks at rows first ... end-1 of `cols' columns. */
static void look_at_rows(const hyla_matrix *a, int64_t first, int64_t end, int64_t col,
                         int64_t cols, struct hy_norm *found) {
  if (first >= end) return;
  const char *entries = hy_at(a, first, col);
  *found = hy_norm_larger(*found, hy_norm_largest(a->k, end - first, cols, entries, a->ld));
}

static int64_t rows_of_upper(const hyla_matrix *a, int64_t col) {
  return hy_axis_before(&a->row, a->row_part, hy_min(hyla_matrix_col(a, col) + 1, a->row.n));
}

static void look_at_piece(void *arg, int64_t piece, int thread) {
  struct look *look = arg;
  const hyla_matrix *a = look->a;
  const int64_t end = (piece + 1) * a->local_cols / PIECES;
  (void)thread;
  look->found[piece] = (struct hy_norm){0, 0};
  for (int64_t first = piece * a->local_cols / PIECES; first < end; first += STEP) {
    const int64_t count = hy_min(STEP, end - first), common = rows_of_upper(a, first);
    look_at_rows(a, 0, common, first, count, &look->found[piece]);
    for (int64_t col = first + 1; col < first + count; col++)
      look_at_rows(a, common, rows_of_upper(a, col), col, 1, &look->found[piece]);
  }
}

static struct hy_norm largest_of_upper(const hyla_matrix *a) {
  struct look look = {.a = a};
  struct hy_norm found = {0, 0};
  hy_solve_share(a, look_at_piece, &look, PIECES);
  for (int piece = 0; piece < PIECES; piece++) found = hy_norm_larger(found, look.found[piece]);
  return found;
}

hyla_status hy_factor_growth(const struct hyla_factor *factor, struct hy_norm largest,
                             double *growth) {
  const struct hy_factor_traits *steps = hy_factor_traits_of(factor);
  hyla_cube *cube = factor->problem.cube;
  const hyla_matrix *a = factor->factors.a;
  struct hy_norm found = {0, 0}, work;
  *growth = 1;
  if (hy_factor_order(&factor->problem) == 0) return HYLA_OK;
  if (steps->form != HY_TRIANGLES) *growth = NAN;
  if (steps->form != HY_TRIANGLES) return HYLA_OK;
  if (steps->diagonal != NULL) return growth_of_diagonal(factor, largest, growth);
  if (steps->hermitian) return HYLA_OK;
  found = largest_of_upper(a);
  uint32_t all = hy_all_dims(cube);
  TRY(hy_agree(cube, hy_allreduce(cube, all, &found, 1, sizeof found, hy_norm_allocate_larger, NULL,
                                  &work)));
  TRY(hy_agree(cube, hy_tell_guests(cube, &found, sizeof found)));
  *growth = hy_norm_quotient(found, largest);
  return HYLA_OK;
}

/* --------------------------------------------------------------- public -- */

/* Checks the factorization and a norm of its matrix, which the caller knows. */
static hyla_status check(hyla_cube *cube, const hyla_factor *factor, int required, double size,
                         struct hy_call *call) {
  TRY(hy_factor_call(cube, factor, required, call));
  CHECK(&cube->base, !(size < 0), ARGUMENT, "%s: a norm of %g; give that of hyla_matrix_norm",
        call->name, size);
  return HYLA_OK;
}

hyla_status hyla_factor_condition(hyla_cube *cube, const hyla_factor *factor, double norm,
                                  double *rcond) {
  struct hy_call call = {
      .name = "hyla_factor_condition", .place = {{"rcond", rcond, 1}}, .alpha = norm};
  hyla_status mine = check(cube, factor, HY_COMPUTED | HY_SQUARE, norm, &call);
  if (mine == HYLA_OK && factor->problem.nrhs == 0 && factor->problem.n > 0)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT,
                   "%s: the factorization was made for no right-hand side; make it for one",
                   call.name);
  TRY(hy_call_enter(cube, &call, mine));
  return hy_factor_condition(hy_factor_workspace(factor), (struct hy_norm){norm, 0}, rcond);
}

hyla_status hyla_factor_growth(hyla_cube *cube, const hyla_factor *factor, double largest,
                               double *growth) {
  struct hy_call call = {
      .name = "hyla_factor_growth", .place = {{"growth", growth, 1}}, .alpha = largest};
  TRY(hy_call_enter(cube, &call, check(cube, factor, HY_COMPUTED, largest, &call)));
  return hy_factor_growth(factor, hy_norm_fraction((struct hy_norm){largest, 0}), growth);
}
