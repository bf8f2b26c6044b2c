/* A product with checksums: C e = alpha op(A) (op(B) e) + beta C e for a vector e of random signs.
 *
 * Method: Huang and Abraham 1984, section III.  The sums are kept beside the matrices, in the
 * matrices' layouts.  With random signs the terms of a sum cancel, so the expected sum differs from
 * the sum found by no more than rounding.  The bound for that is relative to the sizes of rows,
 * which are those of |op(A)| times the 2-norms of op(B)'s rows.  The expected sums are taken before
 * the run, of the matrices as the caller gave them; the sums found are taken after it, of C where
 * the caller will find it.  So workspaces, messages and redistributions are covered.  A row whose
 * sum does not fit is wrong.  A second vector, with a different weight for each column, finds the
 * column if one entry is wrong (gemm_correct.c); it is not used before that.
 * Layout: any.  Steps: 3 d, with beta 4 d.  Memory: vectors. */
#include "gemm/gemm_check.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------------- make -- */

/* The stored parts of a matrix whose sum is op() of the matrix that it stands for. */
static struct hy_summands parts_of(const struct hy_argument *argument) {
  const hyla_matrix *x = argument->matrix;
  const hyla_operation op = argument->op;
  const struct hy_shape *shape = &argument->shape;
  bool lower = shape->triangle == HYLA_LOWER, hermitian = shape->form == HY_HERMITIAN;
  enum hy_part stored = lower ? HY_LOWER_PART : HY_UPPER_PART;
  enum hy_part strict = lower ? HY_BELOW_PART : HY_ABOVE_PART;
  struct hy_summands parts = {.count = 1, .summand = {{x, op, HY_WHOLE, false, false}}};
  struct hy_summand *first = &parts.summand[0];
  switch (shape->form) {
  case HY_GENERAL: break;
  case HY_TRIANGULAR: first->part = stored; break;
  case HY_UNIT_TRIANGULAR:
    first->part = strict;
    first->unit = true;
    break;
  case HY_SYMMETRIC:
  case HY_HERMITIAN:
    first->part = stored;
    first->real_diagonal = hermitian;
    parts.count = 2;
    parts.summand[1] =
        (struct hy_summand){x, hermitian ? HYLA_CONJUGATE : HYLA_TRANSPOSE, strict, false, false};
  }
  return parts;
}

/* local: the longest local row or column. */
static hyla_status allocate(struct hy_gemm_check *check, int64_t local) {
  struct hy_base *base = &check->cube->base;
  int64_t m = check->m, n = check->n, inner = check->inner;
  TRY(hy_row_sums_allocate(check->cube, check->k, local, hy_max(hy_max(m, inner), HY_SUSPECTS),
                           check, &check->work));
  TRY(hy_alloc_for(base, check, n, sizeof *check->signs, &check->signs));
  TRY(hy_alloc_for(base, check, n, sizeof *check->weighted, &check->weighted));
  TRY(hy_alloc_for(base, check, inner, sizeof *check->middle, &check->middle));
  TRY(hy_alloc_for(base, check, inner, sizeof *check->weights, &check->weights));
  TRY(hy_alloc_for(base, check, inner, sizeof *check->rows, &check->rows));
  TRY(hy_alloc_for(base, check, m, sizeof *check->due, &check->due));
  TRY(hy_alloc_for(base, check, m, sizeof *check->due_weighted, &check->due_weighted));
  TRY(hy_alloc_for(base, check, m, sizeof *check->found, &check->found));
  TRY(hy_alloc_for(base, check, m, sizeof *check->found_weighted, &check->found_weighted));
  for (int64_t j = 0; j < n; j++) {
    check->signs[j] = hy_row_sign(j);
    check->weighted[j] = hy_row_sign(j) * hy_row_weight(j, n);
  }
  return HYLA_OK;
}

hyla_status hy_gemm_check_make(hyla_cube *cube, const struct hy_call *product,
                               struct hy_gemm_check *check) {
  const struct hy_argument *a = &product->argument[0], *b = &product->argument[1];
  const struct hy_argument *c = &product->argument[2];
  const int64_t inner = a->op == HYLA_NONE ? a->matrix->col.n : a->matrix->row.n;
  *check = (struct hy_gemm_check){.cube = cube,
                                  .k = c->matrix->k,
                                  .alpha = product->alpha,
                                  .beta = product->beta,
                                  .m = c->matrix->row.n,
                                  .n = c->matrix->col.n,
                                  .inner = product->alpha == 0 ? 0 : inner,
                                  .a = parts_of(a),
                                  .b = parts_of(b),
                                  .c = parts_of(c),
                                  .result = c->result,
                                  .again = product->beta == 0 && !a->replaced && !b->replaced,
                                  .one_by_one = c->shape.form == HY_GENERAL};
  check->tolerance = hy_row_tolerance(check->k, check->inner, check->n);
  if (!check->k->complex_type) {
    check->alpha = creal(check->alpha);
    check->beta = creal(check->beta);
  }
  int64_t before = cube->base.bytes_now, longest = 0;
  for (int x = 0; x < 3; x++) {
    const hyla_matrix *matrix = product->argument[x].matrix;
    longest = hy_max(longest, hy_max(matrix->local_rows, matrix->local_cols));
  }
  if (cube->address >= 0) TRY(allocate(check, longest));
  check->bytes = cube->base.bytes_now - before;
  return HYLA_OK;
}

/* ----------------------------------------------------------------- sums -- */

hyla_status hy_gemm_check_sum(const struct hy_gemm_check *check, const double _Complex *x,
                              struct hy_row_sum *sums) {
  const struct hy_row_vector vector = {.x = x};
  return hy_row_sums_find(&check->work, &check->c, true, &vector, sums, check->m);
}

/* The expected sums of C's rows by a vector, and their sizes. */
static hyla_status foresee(struct hy_gemm_check *check, const double _Complex *x,
                           struct hy_row_sum *due) {
  struct hy_row_vector vector = {.x = x, .size = HY_SIZE_SQUARES};
  double least_normal = check->k->epsilon > 1e-10 ? FLT_MIN : DBL_MIN;
  double alpha = cabs(check->alpha), beta = cabs(check->beta);
  memset(due, 0, (size_t)check->m * sizeof *due);
  if (check->inner > 0) {
    TRY(hy_row_sums_find(&check->work, &check->b, false, &vector, check->rows, check->inner));
    for (int64_t l = 0; l < check->inner; l++) {
      check->middle[l] = check->rows[l].value;
      check->weights[l] = hy_row_size_of(&check->rows[l]);
    }
    const struct hy_row_vector middle = {check->middle, HY_SIZE_WEIGHTED, check->weights};
    TRY(hy_row_sums_find(&check->work, &check->a, false, &middle, due, check->m));
  }
  /* Products may underflow. */
  double least = least_normal * fmax(1, alpha) * (double)(check->inner + check->n);
  for (int64_t i = 0; i < check->m; i++) {
    due[i].value *= check->alpha;
    due[i].size = alpha * due[i].size + least;
  }
  if (check->beta == 0) return HYLA_OK;
  TRY(hy_row_sums_find(&check->work, &check->c, false, &vector, check->found, check->m));
  for (int64_t i = 0; i < check->m; i++) {
    due[i].value += check->beta * check->found[i].value;
    due[i].size += beta * hy_row_size_of(&check->found[i]);
  }
  return HYLA_OK;
}

hyla_status hy_gemm_check_begin(struct hy_gemm_check *check) {
  if (check->cube->address < 0) return HYLA_OK;
  TRY(foresee(check, check->signs, check->due));
  return check->again ? HYLA_OK : foresee(check, check->weighted, check->due_weighted);
}

/* ---------------------------------------------------------------- verdict -- */

/* The rows of this copy of C that are wrong. */
static struct hy_gemm_suspects suspects_of(const struct hy_gemm_check *check) {
  struct hy_gemm_suspects suspects = {.count = 0};
  for (int64_t i = 0; i < check->m && check->result->row_part >= 0; i++) {
    if (hy_row_fits(&check->due[i], &check->found[i], check->tolerance)) continue;
    if (suspects.count < HY_SUSPECTS) {
      suspects.row[suspects.count] = i;
      suspects.col[suspects.count] = -1;
    }
    suspects.count++;
  }
  return suspects;
}

/* "entry (3, 5) of C, on node 1", or "row 3 of C, on nodes 0 and 2". */
static void name_suspect(const struct hy_gemm_check *check, int64_t row, int64_t col,
                         struct hy_text *text) {
  const hyla_matrix *c = check->result;
  int p = hy_axis_owner(&c->row, row), near = check->cube->address;
  if (col >= 0) {
    int node = hy_matrix_node_near(c, p, hy_axis_owner(&c->col, col), near);
    hy_text_add(text, "entry (%lld, %lld) of C on node %d", (long long)row, (long long)col,
                hy_rank_at(check->cube, node));
    return;
  }
  hy_text_add(text, "row %lld of C on node%s", (long long)row, c->col.parts > 1 ? "s" : "");
  for (int q = 0; q < c->col.parts && q < 4; q++)
    hy_text_add(text, "%s %d", q > 0 ? "," : "",
                hy_rank_at(check->cube, hy_matrix_node_near(c, p, q, near)));
  if (c->col.parts > 4) hy_text_add(text, ", ...");
}

static enum hy_check_result describe(const struct hy_gemm_check *check,
                                     const struct hy_gemm_suspects *suspects,
                                     char told[HY_FAULT_MAX]) {
  struct hy_text text = {.text = told, .capacity = HY_FAULT_MAX};
  bool all = suspects->count <= HY_SUSPECTS;
  for (int x = 0; x < suspects->count && x < HY_SUSPECTS; x++) all &= suspects->corrected[x];
  if (suspects->count == 0) return HY_UNDAMAGED;
  for (int x = 0; x < hy_min(suspects->count, 2); x++) {
    hy_text_add(&text, "%s", x > 0 ? "; " : "");
    name_suspect(check, suspects->row[x], suspects->col[x], &text);
  }
  if (suspects->count > 2) hy_text_add(&text, "; of %lld wrong rows", (long long)suspects->count);
  return all ? HY_CORRECTED : HY_DAMAGED;
}

hyla_status hy_gemm_check_end(struct hy_gemm_check *check, enum hy_check_result *worst) {
  hyla_cube *cube = check->cube;
  const bool here = cube->address >= 0;
  struct hy_gemm_suspects suspects = {.count = 0};
  char told[HY_FAULT_MAX] = "";
  *worst = HY_UNDAMAGED;
  if (here) TRY(hy_gemm_check_sum(check, check->signs, check->found));
  if (here) suspects = suspects_of(check);
  if (hy_cube_dry(cube)) return HYLA_OK;
  TRY(hy_check_result_merge(cube, describe(check, &suspects, told), told, worst));
  if (*worst == HY_UNDAMAGED) return HYLA_OK;
  if (here && check->again) TRY(foresee(check, check->weighted, check->due_weighted));
  if (here) {
    TRY(hy_gemm_check_sum(check, check->weighted, check->found_weighted));
    TRY(hy_gemm_correct(check, &suspects));
  }
  return hy_check_result_merge(cube, describe(check, &suspects, told), told, worst);
}

hyla_status hy_gemm_check_cost(const struct hy_gemm_check *check, hyla_cost *cost) {
  hyla_cube *cube = check->cube;
  struct hy_gemm_check copy = *check;
  hyla_cube counting;
  enum hy_check_result worst;
  hy_count_begin(cube, cube->address, &counting);
  copy.cube = copy.work.cube = &counting;
  copy.k = copy.work.k = hy_kernels_dry(check->k->type);
  hyla_status status = hy_gemm_check_begin(&copy);
  if (status == HYLA_OK) status = hy_gemm_check_end(&copy, &worst);
  *cost = hy_count_end(cube, &counting, check->k->size);
  cost->memory += check->bytes;
  return status;
}
