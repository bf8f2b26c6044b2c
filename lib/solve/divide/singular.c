/* The bidiagonal singular value problem by divide and conquer: create, allocate, run.
 *
 * Reference: Gu and Eisenstat 1995; Jessup and Sorensen 1994.  theory.md, svd:divide.
 * Method: B with a last column of zeros is cut by a row in the middle, down to blocks of one or two
 * columns; the tree depends on n alone.
 *
 *   B = ( B1       )     row mid-1 has d and e
 *       (  d   e   )
 *       (      B2  )     = Xi M Yi^T, Xi of the subproblems' left vectors and of row mid-1
 *
 *   M has one full row z, and the subproblems' values on its diagonal.  The squares of its values
 *   are the roots x of 1 + sum_i z_i^2 / (d_i^2 - x) = 0, its vectors have the entries
 *   z_i / (d_i^2 - x) and d_i z_i / (d_i^2 - x), the middle one -1.  B is never squared, so small
 *   values are as exact as in M: a rounded square of d_i is the exact square of a number that
 *   differs from d_i by a rounding.
 *
 * Steps, flops, memory: tree.c. */
#include "solve/divide/divide_state.h"

static const struct hy_divide_kind KIND = {
    .sides = HY_SIDES, .leaf = 2, .exact = 128, .deflate = hy_singular_deflate};

hyla_status hy_singular_create(const struct hy_singular_problem *problem, void *owner,
                               struct hy_singular **singular) {
  hyla_cube *cube = problem->cube;
  struct hy_singular *s = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *s, &s));
  if (owner != NULL) hy_own(owner, s);
  *singular = s;
  *s = (struct hy_singular){
      .tree = {
          .kind = &KIND,
          .owner = s,
          .cube = cube,
          .k = problem->k,
          .n = problem->n,
          .positions = problem->n + 1,
          .wanted_end = problem->n + 1,
          .side = {
              [HY_RIGHT] = {.wanted = problem->right}, [HY_LEFT] = {.wanted = problem->left}}}};
  return hy_divide_tree_create(&s->tree);
}

hyla_status hy_singular_allocate(struct hy_singular *s) {
  return hy_divide_tree_allocate(&s->tree);
}

/* ------------------------------------------------------------------- leaves -- */

/* The vectors of a subproblem stand in its columns: the null vector in the last one. */
static void set_places(const struct hy_divide_tree *s, int64_t lo, int64_t hi) {
  for (int64_t at = lo; at < hi; at++)
    s->side[HY_RIGHT].place[at] = s->side[HY_LEFT].place[at] =
        (int32_t)(at == lo ? hi - 1 : at - 1);
}

/* Subproblems of other nodes have no entries in this node's rows, wherever their vectors stand. */
static void place_others(const struct hy_divide_tree *s) {
  const int level = (int)hy_min(s->shared, s->levels);
  for (int64_t i = 0; i < INT64_C(1) << level; i++) {
    const int64_t lo = hy_divide_first(s, level, i), hi = hy_divide_first(s, level, i + 1);
    if (s->rows == 0 || hi <= s->row || lo >= hy_divide_end(s)) set_places(s, lo, hi);
  }
}

/* d and e scaled by 2^-*exponent, largest magnitude below 1. */
static hyla_status begin(const struct hy_divide_tree *s, const double *d, const double *e,
                         int *exponent) {
  TRY(hy_divide_tree_scale(s, "bidiagonal", d, e, s->diagonal, exponent));
  for (int64_t i = 0; i < INT64_C(1) << s->levels; i++)
    set_places(s, hy_divide_first(s, s->levels, i), hy_divide_first(s, s->levels, i + 1));
  return HYLA_OK;
}

/* An entry of X or Y, if this node has it. */
static void put(const struct hy_divide_tree *s, int side, int64_t row, int64_t column,
                double value) {
  const struct hy_divide_side *of = &s->side[side];
  if (!of->wanted || row < s->row || row >= s->row + s->rows || column >= s->n) return;
  s->k->set(of->z, row - s->row + column * of->ld, value);
}

/* One column is its own null vector; two columns with the row (d, e) have one value. */
static void solve_leaf(const struct hy_divide_tree *s, int64_t lo, int64_t hi) {
  s->d[lo] = 0;
  if (hi - lo == 1) {
    s->first[lo] = s->last[lo] = 1;
    put(s, HY_RIGHT, lo, lo, 1);
    return;
  }
  const double size = hy_divide_length(s->diagonal[lo], s->e[lo]);
  const double c = size == 0 ? 1 : s->diagonal[lo] / size, t = size == 0 ? 0 : s->e[lo] / size;
  s->d[lo + 1] = size;
  s->first[lo + 1] = s->last[lo] = c;
  s->last[lo + 1] = t;
  s->first[lo] = -t;
  put(s, HY_RIGHT, lo, lo, c);
  put(s, HY_RIGHT, lo + 1, lo, t);
  put(s, HY_RIGHT, lo, lo + 1, -t);
  put(s, HY_RIGHT, lo + 1, lo + 1, c);
  put(s, HY_LEFT, lo, lo, 1);
}

static void solve_leaves(const struct hy_divide_tree *s) {
  if (s->rows == 0 || s->k->dry) return;
  const int64_t first = hy_divide_node(s, s->levels, s->row),
                last = hy_divide_node(s, s->levels, hy_divide_end(s) - 1);
  for (int64_t i = first; i <= last; i++)
    solve_leaf(s, hy_divide_first(s, s->levels, i), hy_divide_first(s, s->levels, i + 1));
}

/* ---------------------------------------------------------------------- run -- */

static hyla_status solve(struct hy_divide_tree *s, const double *d, const double *e,
                         double *values) {
  int exponent = 0;
  s->report = (struct hy_divide_report){0};
  if (!s->k->dry) TRY(begin(s, d, e, &exponent));
  solve_leaves(s);
  for (int level = s->levels - 1; level >= s->shared; level--) TRY(hy_divide_tree_merge(s, level));
  TRY(hy_divide_tree_share(s));
  if (s->gathers.cube != NULL && !s->k->dry) place_others(s);
  return hy_divide_tree_finish(s, "singular value", exponent, values);
}

hyla_status hy_singular_run(struct hy_singular *s, const double *d, const double *e, double *values,
                            hyla_matrix *x, hyla_matrix *y) {
  hyla_cube *cube = s->tree.cube;
  if (s->tree.n == 0) return HYLA_OK;
  hy_divide_tree_open(&s->tree, HY_RIGHT, y);
  hy_divide_tree_open(&s->tree, HY_LEFT, x);
  const hyla_status status = cube->address >= 0 ? solve(&s->tree, d, e, values) : HYLA_OK;
  return hy_divide_tree_tell(&s->tree, status, values);
}

struct hy_divide_report hy_singular_report(const struct hy_singular *singular) {
  return singular->tree.report;
}
