/* hyla_solve_expert at the ends of the type's range: 2^s A y = 2^t b is solved, and x = 2^(s-t) y.
 *
 * Purpose: if A's largest entry is far from 1 in the range of numbers, small pivots lose bits, and
 *   reciprocals, squares and products overflow, even if the solution has ordinary numbers.
 * Method: powers of two round nothing, so the scaled system's report holds for the given one, and
 *   all systems that differ only by powers of two have the same report, to the bit.  s is even, so
 *   that the roots in Cholesky are scaled by powers of two too.  A and each column of b are scaled
 *   down only as far as their smallest entries stay normal.  If x does not come back exactly,
 *   because it overflows or is below the normal numbers, it is measured by itself.
 * Layout: copies of A and b where the factors lie.
 * Steps: none; one agreement on the exponents, and with copies another one.
 * Memory: the copies, if any, and a few numbers a column of b. */
#include "solve/refine.h"

#include <math.h>

struct rescaling {
  const struct hy_factorization *wanted;
  hyla_cube *cube;
  int64_t nrhs;
  hyla_matrix *a, *b; /* the copies, which are scaled */
  hyla_matrix *back;  /* x scaled back to y's scale, for measuring it */
  int64_t *exponents; /* of A, then of each column of b: the largest, and the smallest negated */
  int to_a, *to_b;    /* s; t for each column */
  bool applied;
  struct hy_seen seen; /* of A */
};

/* The exponents of normal numbers; and the window around 1 in which squares of pivots, which may be
 * u times the largest entry, neither overflow nor underflow. */
static bool is_single(const struct hy_kernels *k) { return k->epsilon > 1e-10; }
static int least_of(const struct hy_kernels *k) { return is_single(k) ? -125 : -1021; }
static int most_of(const struct hy_kernels *k) { return is_single(k) ? 128 : 1024; }
static int window_of(const struct hy_kernels *k) { return is_single(k) ? 24 : 400; }

static void look_at(const hyla_matrix *m, int64_t first, int64_t cols, int64_t found[2]) {
  struct hy_exponent_range range;
  if (m->local_rows == 0 || cols == 0) return;
  if (!hy_exponents_range(m->k, (int)m->local_rows, (int)cols, hy_at(m, 0, first), (int)m->ld,
                          &range))
    return;
  found[0] = hy_max(found[0], range.most);
  found[1] = hy_max(found[1], -range.least);
}

/* Passes over all of A, by the rank's threads. */
enum { PIECES = 16 };
struct look {
  const hyla_matrix *a;
  int64_t found[PIECES][2];
};

static void look_at_piece(void *arg, int64_t piece, int thread) {
  struct look *look = arg;
  int64_t cols = look->a->local_cols, first = piece * cols / PIECES;
  (void)thread;
  look->found[piece][0] = look->found[piece][1] = INT64_MIN;
  look_at(look->a, first, (piece + 1) * cols / PIECES - first, look->found[piece]);
}

static void look_at_all(const hyla_matrix *a, int64_t found[2]) {
  struct look look = {.a = a};
  hy_solve_share(a, look_at_piece, &look, PIECES);
  for (int piece = 0; piece < PIECES; piece++)
    for (int i = 0; i < 2; i++) found[i] = hy_max(found[i], look.found[piece][i]);
}

/* The shift towards 1, if the entries are far from it; 0: no scaling. */
static int shift_of(const struct hy_kernels *k, const int64_t found[2]) {
  if (found[0] == INT64_MIN) return 0;
  int64_t most = found[0], least = -found[1];
  if (hy_max(most, -most) <= window_of(k)) return 0;
  int64_t shift = most < 0 ? -most : hy_min(0, hy_max(-most, least_of(k) - least));
  return (int)(shift / 2 * 2);
}

/* The exponent of the largest entry; INT64_MIN if all are 0, INT64_MAX if one is not finite. */
static int64_t exponent_of(struct hy_norm largest) {
  if (!isfinite(largest.value)) return INT64_MAX;
  return largest.value == 0 ? INT64_MIN : largest.exponent;
}

/* Need A not be scaled, whatever its smallest entries are?  A complex entry's exponent is at most
 * one above that of its parts, which shift_of asks for. */
static bool is_near(const struct hy_kernels *k, int64_t exponent) {
  return exponent == INT64_MIN || (exponent <= window_of(k) && exponent > -window_of(k));
}

/* A's smallest entries are looked for only if they matter. */
static hyla_status find(struct rescaling *r, const hyla_matrix *a, const hyla_matrix *b) {
  const struct hy_kernels *k = r->wanted->k;
  int64_t count = 2 * (r->nrhs + 1);
  for (int64_t i = 0; i < count; i++) r->exponents[i] = INT64_MIN;
  r->seen = (struct hy_seen){a, hy_norm_here(a)};
  r->exponents[0] = exponent_of(r->seen.largest);
  for (int64_t j = 0; j < b->local_cols; j++)
    look_at(b, j, 1, r->exponents + 2 * (1 + hyla_matrix_col(b, j)));
  for (int64_t first = 0; first < count; first += INT32_MAX / 2)
    TRY(hy_cube_max(r->cube, r->exponents + first, (int)hy_min(count - first, INT32_MAX / 2)));
  const bool far = !is_near(k, r->exponents[0]);
  if (far) r->exponents[0] = INT64_MIN;
  if (far) look_at_all(a, r->exponents);
  if (far) TRY(hy_cube_max(r->cube, r->exponents, 2));
  r->to_a = far ? shift_of(k, r->exponents) : 0;
  r->applied = r->to_a != 0;
  for (int64_t j = 0; j < r->nrhs; j++) {
    r->to_b[j] = shift_of(k, r->exponents + 2 * (1 + j));
    r->applied |= r->to_b[j] != 0;
  }
  return HYLA_OK;
}

static hyla_status allocate(struct rescaling *r) {
  struct hy_base *base = &r->cube->base;
  TRY(hy_alloc(base, 2 * (r->nrhs + 1), sizeof *r->exponents, &r->exponents));
  return hy_alloc_for(base, r->exponents, r->nrhs, sizeof *r->to_b, &r->to_b);
}

static void end(struct rescaling *r) {
  hy_free(&r->cube->base, &r->exponents);
  (void)hyla_matrix_destroy(&r->back);
  (void)hyla_matrix_destroy(&r->b);
  (void)hyla_matrix_destroy(&r->a);
}

static hyla_status make(struct rescaling *r, const hyla_matrix *a, const hyla_matrix *b) {
  const struct hy_factorization *wanted = r->wanted;
  hyla_type type = wanted->k->type;
  TRY(hy_matrix_make(r->cube, type, wanted->n, wanted->n, &a->layout, &r->a));
  TRY(hy_matrix_make(r->cube, type, wanted->n, r->nrhs, &b->layout, &r->b));
  TRY(hy_move_once(a, r->a));
  TRY(hy_move_once(b, r->b));
  for (int64_t j = 0; j < r->a->local_cols; j++)
    hy_shift(r->a->k, r->a->local_rows, r->to_a, hy_at(r->a, 0, j));
  for (int64_t j = 0; j < r->b->local_cols; j++)
    hy_shift(r->b->k, r->b->local_rows, r->to_b[hyla_matrix_col(r->b, j)], hy_at(r->b, 0, j));
  return HYLA_OK;
}

/* m := 2^(sign (s-t)) m, column by column. */
static void shift(const struct rescaling *r, int sign, hyla_matrix *m) {
  for (int64_t j = 0; j < m->local_cols; j++)
    hy_shift(m->k, m->local_rows, sign * (r->to_a - r->to_b[hyla_matrix_col(m, j)]),
             hy_at(m, 0, j));
}

/* Does y come back as x without rounding?  All ranks get the same answer. */
static hyla_status comes_back(const struct rescaling *r, const hyla_matrix *y, bool *exact) {
  int64_t lost = 0;
  for (int64_t j = 0; j < y->local_cols; j++) {
    int64_t found[2] = {INT64_MIN, INT64_MIN}, to_x = r->to_a - r->to_b[hyla_matrix_col(y, j)];
    look_at(y, j, 1, found);
    if (found[0] == INT64_MIN) continue;
    lost |= found[0] + to_x > most_of(y->k) || -found[1] + to_x < least_of(y->k);
  }
  TRY(hy_cube_max(r->cube, &lost, 1));
  *exact = lost == 0;
  return HYLA_OK;
}

/* Reports on x itself, by the scaled system. */
static hyla_status measure(struct rescaling *r, const struct hy_expert *own) {
  const hyla_matrix *x = own->x;
  const double bound = own->report->forward_bound;
  TRY(hy_matrix_make(r->cube, x->k->type, x->row.n, x->col.n, &r->wanted->x_layout, &r->back));
  TRY(hy_move_once(x, r->back));
  shift(r, -1, r->back);
  hyla_status status =
      hy_solution_measure(r->a, r->b, r->back, own->options->refinement, NULL, NULL, own->report);
  own->report->forward_bound = fmax(own->report->forward_bound, bound);
  return status;
}

static hyla_status solve_plainly(const struct hy_expert *e) {
  return e->options->equilibrate ? hy_equilibrated_solve(e) : hy_expert_solve(e);
}

static hyla_status solve(struct rescaling *r, const struct hy_expert *own) {
  struct hy_factorization wanted = *own->wanted;
  struct hy_expert scaled = *own;
  bool exact = true;
  TRY(hy_agree(r->cube, allocate(r)));
  TRY(find(r, own->a, own->b));
  scaled.seen = r->seen;
  if (!r->applied) return solve_plainly(&scaled);
  TRY(make(r, own->a, own->b));
  wanted.from_a = scaled.a = r->a;
  wanted.from_b = scaled.b = r->b;
  scaled.wanted = &wanted;
  hyla_status status = solve_plainly(&scaled);
  if (status != HYLA_OK && status != HYLA_UNRELIABLE) return status;
  TRY(comes_back(r, own->x, &exact));
  shift(r, 1, own->x);
  return exact || status != HYLA_OK ? status : measure(r, own);
}

hyla_status hy_rescaled_solve(const struct hy_expert *own) {
  struct rescaling r = {.wanted = own->wanted, .cube = own->wanted->cube, .nrhs = own->b->col.n};
  hyla_status status = solve(&r, own);
  end(&r);
  return status;
}
