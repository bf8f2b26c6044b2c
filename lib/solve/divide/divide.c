/* The tridiagonal eigenproblem by divide and conquer: create, allocate, run.
 *
 * Reference: Cuppen 1981; Gu and Eisenstat 1995, for the weights with which the roots are exact.
 * theory.md, "Tridiagonal eigenproblems".
 * Method: T is cut in halves down to leaves of at most 9 rows; the tree depends on n alone.
 *
 *   T = diag(T1, T2) + rho v v^T,   v = e_mid-1 + sign(e) e_mid,   rho = |e|
 *     = Q (D + rho z z^T) Q^T = Q U Lambda U^T Q^T
 *
 * Steps, flops, memory: tree.c. */
#include "solve/divide/divide_state.h"

#include <float.h>
#include <string.h>

/* Operations that are counted of a leaf for each pair of rows, and for each row of the vectors,
 * with their last step. */
enum { LEAF_PAIR = 40, LEAF_ROW = 22 };

static const struct hy_divide_kind KIND = {
    .sides = 1, .leaf = HY_DIVIDE_LEAF, .exact = 64, .deflate = hy_divide_deflate};

hyla_status hy_divide_create(const struct hy_divide_problem *problem, void *owner,
                             struct hy_divide **divide) {
  enum { SWEEPS = 60 };
  hyla_cube *cube = problem->cube;
  struct hy_divide *s = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *s, &s));
  if (owner != NULL) hy_own(owner, s);
  *divide = s;
  *s = (struct hy_divide){.tree = {.kind = &KIND,
                                   .owner = s,
                                   .cube = cube,
                                   .k = problem->k,
                                   .n = problem->n,
                                   .positions = problem->n,
                                   .wanted_end = problem->n,
                                   .side = {[HY_RIGHT] = {.wanted = problem->vectors}}},
                          .sweeps = SWEEPS,
                          .failed = -1};
  if (problem->vectors) {
    s->tree.wanted = problem->first;
    s->tree.wanted_end = problem->end;
  }
  return hy_divide_tree_create(&s->tree);
}

hyla_status hy_divide_allocate(struct hy_divide *s) { return hy_divide_tree_allocate(&s->tree); }

/* ------------------------------------------------------------------- leaves -- */

/* d and e scaled by 2^-*exponent, largest magnitude below 1, negligible entries of e as 0; then the
 * cuts of all merges. */
static hyla_status begin(const struct hy_divide_tree *s, const double *d, const double *e,
                         int *exponent) {
  TRY(hy_divide_tree_scale(s, "tridiagonal", d, e, s->d, exponent));
  for (int64_t i = 0; i < s->n; i++)
    s->side[HY_RIGHT].place[i] =
        (int32_t)i; /* of other nodes' leaves too: their columns are free */
  for (int64_t i = 0; i + 1 < s->n; i++)
    if (fabs(s->e[i]) <= DBL_EPSILON / 2 * sqrt(fabs(s->d[i])) * sqrt(fabs(s->d[i + 1])))
      s->e[i] = 0;
  for (int64_t i = 1; i < INT64_C(1) << s->levels; i++) {
    const int64_t cut = hy_divide_first(s, s->levels, i);
    s->d[cut - 1] -= fabs(s->e[cut - 1]);
    s->d[cut] -= fabs(s->e[cut - 1]);
  }
  return HYLA_OK;
}

struct leaves {
  const struct hy_divide *s;
  int64_t first;
  _Atomic int64_t failed; /* the first row of one that failed; -1 */
};

static void solve_leaf(void *arg, int64_t piece, int thread) {
  struct leaves *leaves = arg;
  const struct hy_divide_tree *s = &leaves->s->tree;
  const int64_t i = leaves->first + piece, lo = hy_divide_first(s, s->levels, i);
  (void)thread;
  if (!hy_divide_leaf(leaves->s, lo, hy_divide_first(s, s->levels, i + 1))) leaves->failed = lo;
}

/* A node whose leaf failed has NaNs as values and the leaf's row as first entries: so all nodes
 * learn it with the next all-gather. */
static hyla_status solve_leaves(struct hy_divide *divide) {
  const struct hy_divide_tree *s = &divide->tree;
  if (s->rows == 0) return HYLA_OK;
  const int64_t first = hy_divide_node(s, s->levels, s->row),
                last = hy_divide_node(s, s->levels, s->row + s->rows - 1);
  for (int64_t i = first; i <= last; i++) {
    const int64_t rows = hy_divide_first(s, s->levels, i + 1) - hy_divide_first(s, s->levels, i);
    hy_compute(s->cube, rows * rows * (LEAF_PAIR + LEAF_ROW * rows), sizeof(double), false);
  }
  if (s->k->dry) return HYLA_OK;
  struct leaves leaves = {.s = divide, .first = first, .failed = -1};
  TRY(hy_divide_spread(s, s->threads, solve_leaf, &leaves, last - first + 1));
  divide->failed = leaves.failed;
  for (int64_t i = s->row; i < s->row + s->rows && divide->failed >= 0; i++) {
    s->d[i] = NAN;
    s->first[i] = (double)divide->failed;
  }
  return HYLA_OK;
}

static hyla_status check_leaves(const struct hy_divide_tree *s) {
  for (int64_t i = 0; i < s->n && !s->k->dry; i++)
    CHECK(&s->cube->base, !isnan(s->d[i]), UNRELIABLE,
          "an eigenvalue of the tridiagonal matrix did not converge; it is one of the rows from "
          "%lld on, counted from 0",
          (long long)s->first[i]);
  return HYLA_OK;
}

/* ---------------------------------------------------------------------- run -- */

static hyla_status solve(struct hy_divide *divide, const double *d, const double *e,
                         double *values) {
  struct hy_divide_tree *s = &divide->tree;
  int exponent = 0;
  s->report = (struct hy_divide_report){0};
  divide->failed = -1;
  if (!s->k->dry) TRY(begin(s, d, e, &exponent));
  TRY(solve_leaves(divide));
  for (int level = s->levels - 1; level >= s->shared; level--)
    if (divide->failed < 0) TRY(hy_divide_tree_merge(s, level));
  TRY(hy_divide_tree_share(s));
  TRY(check_leaves(s));
  return hy_divide_tree_finish(s, "eigenvalue", exponent, values);
}

hyla_status hy_divide_run(struct hy_divide *s, const double *d, const double *e, double *values,
                          hyla_matrix *z) {
  hyla_cube *cube = s->tree.cube;
  if (s->tree.n == 0) return HYLA_OK;
  hy_divide_tree_open(&s->tree, HY_RIGHT, z);
  const hyla_status status = cube->address >= 0 ? solve(s, d, e, values) : HYLA_OK;
  return hy_divide_tree_tell(&s->tree, status, values);
}

struct hy_divide_report hy_divide_report(const struct hy_divide *divide) {
  return divide->tree.report;
}
