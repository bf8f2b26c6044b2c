/* Factors with checksums: P A e = L (U e), or L (L^H e) for Cholesky, for a vector e of random
 * signs.
 *
 * Method: Huang and Abraham 1984, section III, applied to the final factors.  A's row sums are
 *   taken before the factorization, of A as the caller gives it; those of the product of the
 *   factors after it.  This takes O(n^2) operations and detects a change at any time between.
 *   Rounding is judged by the sizes of rows: those of |L| times the 2-norms of U's rows.  If
 *   something is wrong, a second vector tells columns apart (checksum_correct.c).  Its sums of A
 *   are taken then, or at the beginning if A becomes the factors.  L's rows of a panel stand where
 *   later panels found them; their places are followed through the swaps, beginning with the last
 *   panel.
 * Layout: any for A; the factors keep theirs.
 * Steps: 3 d, or 4 d.  Memory: vectors. */
#include "solve/guard/guard.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Sums by weights are at most this much larger, and so is their rounding. */
static const double WEIGHTED = 4;

static hyla_status allocate(struct hy_checksum *c) {
  struct hy_base *base = &c->cube->base;
  int64_t most = hy_max(c->m, c->n);
  TRY(hy_row_sums_allocate(c->cube, c->k, most, c->m, NULL, &c->work));
  TRY(hy_alloc_for(base, c, c->n, sizeof *c->signs, &c->signs));
  TRY(hy_alloc_for(base, c, c->n, sizeof *c->weighted, &c->weighted));
  TRY(hy_alloc_for(base, c, most, sizeof *c->middle, &c->middle));
  TRY(hy_alloc_for(base, c, most, sizeof *c->middle_weighted, &c->middle_weighted));
  TRY(hy_alloc_for(base, c, most, sizeof *c->sizes, &c->sizes));
  TRY(hy_alloc_for(base, c, c->m, sizeof *c->rows, &c->rows));
  TRY(hy_alloc_for(base, c, c->m, sizeof *c->due, &c->due));
  TRY(hy_alloc_for(base, c, c->m, sizeof *c->due_weighted, &c->due_weighted));
  TRY(hy_alloc_for(base, c, c->m, sizeof *c->found, &c->found));
  TRY(hy_alloc_for(base, c, c->m, sizeof *c->found_weighted, &c->found_weighted));
  return hy_alloc_for(base, c, c->m, sizeof *c->place, &c->place);
}

hyla_status hy_checksum_make(const struct hy_factorization *problem, bool hermitian,
                             struct hy_checksum *c) {
  hyla_cube *cube = problem->cube;
  *c = (struct hy_checksum){.problem = problem,
                            .cube = cube,
                            .k = problem->k,
                            .factors = problem->factors->a,
                            .swaps = problem->factors->swaps,
                            .hermitian = hermitian,
                            .m = problem->m,
                            .n = problem->n,
                            .block = hy_max(1, hy_factor_block(problem))};
  c->tolerance = hy_row_tolerance(c->k, hy_factor_order(problem), c->n);
  int64_t before = cube->base.bytes_now;
  if (cube->address < 0) return HYLA_OK;
  TRY(allocate(c));
  c->bytes = cube->base.bytes_now - before;
  for (int64_t j = 0; j < c->n; j++) {
    c->signs[j] = hy_row_sign(j);
    c->weighted[j] = hy_row_sign(j) * hy_row_weight(j, c->n);
  }
  return HYLA_OK;
}

void hy_checksum_free(struct hy_checksum *c) {
  if (c->cube != NULL) hy_row_sums_free(&c->work);
}

/* ----------------------------------------------------------------- sums -- */

/* Cholesky reads A's lower triangle, and only the real parts of its diagonal. */
static struct hy_summands parts_of(const struct hy_checksum *c, const hyla_matrix *a) {
  if (!c->hermitian) return (struct hy_summands){1, {{a, HYLA_NONE, HY_WHOLE, false, false}}};
  return (struct hy_summands){2,
                              {{a, HYLA_NONE, HY_LOWER_PART, true, false},
                               {a, HYLA_CONJUGATE, HY_BELOW_PART, false, false}}};
}

static hyla_status sum_weighted(struct hy_checksum *c, const hyla_matrix *a) {
  const struct hy_summands parts = parts_of(c, a);
  const struct hy_row_vector weighted = {c->weighted, HY_SIZE_NONE, NULL};
  return hy_row_sums_find(&c->work, &parts, false, &weighted, c->due_weighted, c->m);
}

hyla_status hy_checksum_begin(struct hy_checksum *c, const hyla_matrix *a, bool stays) {
  const struct hy_summands parts = parts_of(c, a);
  const struct hy_row_vector signs = {c->signs, HY_SIZE_SQUARES, NULL};
  c->given = stays ? a : NULL;
  if (c->cube->address < 0) return HYLA_OK;
  TRY(hy_row_sums_find(&c->work, &parts, false, &signs, c->due, c->m));
  for (int64_t i = 0; i < c->m; i++) c->due[i].size = hy_row_size_of(&c->due[i]);
  return stays ? HYLA_OK : sum_weighted(c, a);
}

/* Follows the places through the swaps of steps first ... end-1, beginning with the last one.  A
 * count has no swaps yet. */
static void follow(const struct hy_checksum *c, int64_t first, int64_t end) {
  if (c->k->dry) return;
  for (int64_t i = end - 1; i >= first; i--) hy_swap_numbers(&c->place[i], &c->place[c->swaps[i]]);
}

void hy_checksum_place(const struct hy_checksum *c, int64_t first) {
  for (int64_t i = 0; i < c->m; i++) c->place[i] = i;
  if (!c->hermitian)
    follow(c, hy_min(first + c->block, hy_factor_order(c->problem)), hy_factor_order(c->problem));
}

/* Adds a panel of L without the ones on its diagonal. */
static void add_panel(const struct hy_checksum *c, int64_t first, int64_t width,
                      const struct hy_row_vector *vector, struct hy_row_sum *sums) {
  const hyla_matrix panel = hy_matrix_part(c->factors, first, first, c->m - first, width);
  const struct hy_summand below = {&panel, HYLA_NONE, HY_BELOW_PART, false, false};
  struct hy_row_vector part = *vector;
  part.x += first;
  if (part.weights != NULL) part.weights += first;
  hy_row_sums_add(&c->work, &below, &part, c->place + first, sums);
}

/* sums := L times a vector; afterwards `place' holds the places of A's rows. */
static hyla_status multiply_lower(const struct hy_checksum *c, const struct hy_row_vector *vector,
                                  struct hy_row_sum *sums) {
  int64_t order = hy_factor_order(c->problem);
  const struct hy_summands lower = {1, {{c->factors, HYLA_NONE, HY_LOWER_PART, false, false}}};
  hy_checksum_place(c, order);
  if (c->hermitian) return hy_row_sums_find(&c->work, &lower, false, vector, sums, c->m);
  memset(sums, 0, (size_t)c->m * sizeof *sums);
  for (int64_t end = order, first; end > 0; end = first) {
    first = (end - 1) / c->block * c->block;
    add_panel(c, first, end - first, vector, sums);
    follow(c, first, end);
  }
  TRY(hy_row_sums_merge(&c->work, hy_all_dims(c->cube), vector->size, sums, c->m));
  for (int64_t l = 0; l < order; l++) {
    sums[l].value += vector->x[l];
    if (vector->weights != NULL) sums[l].size += vector->weights[l];
  }
  return HYLA_OK;
}

hyla_status hy_checksum_sum(struct hy_checksum *c, const double _Complex *x, bool sized,
                            double _Complex *middle, struct hy_row_sum *found) {
  struct hy_summands upper = {1, {{c->factors, HYLA_NONE, HY_UPPER_PART, false, false}}};
  if (c->hermitian)
    upper.summand[0] = (struct hy_summand){c->factors, HYLA_CONJUGATE, HY_LOWER_PART, false, false};
  const struct hy_row_vector first = {x, sized ? HY_SIZE_SQUARES : HY_SIZE_NONE, NULL};
  const struct hy_row_vector second = {middle, sized ? HY_SIZE_WEIGHTED : HY_SIZE_NONE,
                                       sized ? c->sizes : NULL};
  TRY(hy_row_sums_find(&c->work, &upper, false, &first, c->rows, c->m));
  for (int64_t l = 0; l < hy_factor_order(c->problem); l++) {
    middle[l] = c->rows[l].value;
    if (sized) c->sizes[l] = hy_row_size_of(&c->rows[l]);
  }
  return multiply_lower(c, &second, found);
}

/* -------------------------------------------------------------- verdict -- */

/* If the factors' size overflows, the size of A's row is used; an overflow there is reported as
 * such. */
static double size_of(const struct hy_checksum *c, int64_t row) {
  double size = c->due[row].size, of_factors = c->found[c->place[row]].size;
  double least = (double)(c->n + c->m) * (c->k->epsilon > 1e-10 ? FLT_MIN : DBL_MIN);
  return (isfinite(of_factors) ? fmax(size, of_factors) : size) + least;
}

double hy_checksum_noise(const struct hy_checksum *c, int64_t row) {
  return (WEIGHTED + 2) * c->tolerance * size_of(c, row);
}

bool hy_checksum_fits(const struct hy_checksum *c, int64_t row, bool weighted) {
  const struct hy_row_sum *found = &c->found[c->place[row]];
  struct hy_row_sum due = weighted ? c->due_weighted[row] : c->due[row];
  due.size = size_of(c, row);
  return hy_row_fits(&due, weighted ? &c->found_weighted[c->place[row]] : found,
                     (weighted ? WEIGHTED : 1) * c->tolerance);
}

static hyla_status find_rows(struct hy_checksum *c, struct hy_checksum_suspect *s) {
  *s = (struct hy_checksum_suspect){.col = -1};
  if (c->cube->address < 0) return HYLA_OK;
  TRY(hy_checksum_sum(c, c->signs, true, c->middle, c->found));
  if (c->k->dry) return HYLA_OK;
  for (int64_t i = 0; i < c->m; i++) {
    if (hy_checksum_fits(c, i, false)) continue;
    if (s->count++ > 0 && c->place[i] > s->position) continue;
    s->position = c->place[i];
    s->row = i;
  }
  return HYLA_OK;
}

static enum hy_check_result describe(const struct hy_checksum *c,
                                     const struct hy_checksum_suspect *s, char told[HY_FAULT_MAX]) {
  struct hy_text text = {.text = told, .capacity = HY_FAULT_MAX};
  const hyla_matrix *a = c->factors;
  bool transposed = c->hermitian && !s->lower; /* an entry of L^H is one of L */
  int64_t row = transposed ? s->col : s->position, col = transposed ? s->position : s->col;
  if (s->count == 0) return HY_UNDAMAGED;
  if (s->col >= 0)
    hy_text_add(&text, "entry (%lld, %lld) of %s on node %d", (long long)row, (long long)col,
                s->lower || transposed ? "L" : "U",
                hy_matrix_node(a, hy_axis_owner(&a->row, s->stored), hy_axis_owner(&a->col, col)));
  else if (s->count == 1)
    hy_text_add(&text, "row %lld of A, or row %lld of its factors", (long long)s->row,
                (long long)s->position);
  else
    hy_text_add(&text, "%lld rows of the product of the factors from row %lld on",
                (long long)s->count, (long long)s->position);
  return s->corrected ? HY_CORRECTED : HY_DAMAGED;
}

static hyla_status look_closer(struct hy_checksum *c, struct hy_checksum_suspect *s) {
  if (c->cube->address < 0) return HYLA_OK;
  if (c->given != NULL) TRY(sum_weighted(c, c->given));
  TRY(hy_checksum_sum(c, c->weighted, false, c->middle_weighted, c->found_weighted));
  return hy_checksum_correct(c, s);
}

hyla_status hy_checksum_end(struct hy_checksum *c, enum hy_check_result *worst) {
  struct hy_checksum_suspect suspect;
  char told[HY_FAULT_MAX] = "";
  *worst = HY_UNDAMAGED;
  TRY(find_rows(c, &suspect));
  if (hy_cube_dry(c->cube)) return HYLA_OK;
  TRY(hy_check_result_merge(c->cube, describe(c, &suspect, told), told, worst));
  if (*worst == HY_UNDAMAGED) return HYLA_OK;
  TRY(look_closer(c, &suspect));
  return hy_check_result_merge(c->cube, describe(c, &suspect, told), told, worst);
}

/* Equal bits have equal sums, so any difference is damage. */
static hyla_status compare_rows(struct hy_checksum *c, int64_t *row) {
  if (c->cube->address < 0) return HYLA_OK;
  const struct hy_summands parts = parts_of(c, c->given);
  const struct hy_row_vector signs = {c->signs, HY_SIZE_NONE, NULL};
  TRY(hy_row_sums_find(&c->work, &parts, false, &signs, c->found, c->m));
  for (int64_t i = 0; i < c->m && *row < 0; i++) {
    double _Complex due = c->due[i].value, found = c->found[i].value;
    if (due != found && !(isnan(cabs(due)) && isnan(cabs(found)))) *row = i;
  }
  return HYLA_OK;
}

hyla_status hy_checksum_again(struct hy_checksum *c, enum hy_check_result *worst) {
  char told[HY_FAULT_MAX] = "";
  struct hy_text text = {.text = told, .capacity = HY_FAULT_MAX};
  int64_t row = -1;
  *worst = HY_UNDAMAGED;
  if (c->given == NULL) return HYLA_OK;
  TRY(compare_rows(c, &row));
  if (row >= 0) hy_text_add(&text, "row %lld of A", (long long)row);
  return hy_check_result_merge(c->cube, row >= 0 ? HY_DAMAGED : HY_UNDAMAGED, told, worst);
}

hyla_status hy_checksum_cost(const struct hy_checksum *c, const hyla_matrix *a, bool stays,
                             hyla_cost *cost) {
  hyla_cube *cube = c->cube;
  struct hy_checksum copy = *c;
  hyla_cube counting;
  enum hy_check_result worst;
  *cost = (hyla_cost){0};
  if (cube->address < 0) return HYLA_OK;
  hy_count_begin(cube, cube->address, &counting);
  copy.cube = copy.work.cube = &counting;
  copy.k = copy.work.k = hy_kernels_dry(c->k->type);
  hyla_status status = hy_checksum_begin(&copy, a, stays);
  if (status == HYLA_OK) status = hy_checksum_end(&copy, &worst);
  *cost = hy_count_end(cube, &counting, c->k->size);
  cost->memory += c->bytes;
  return status;
}
