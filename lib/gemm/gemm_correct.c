/* Finds the wrong entries of a product and computes them anew.
 *
 * Method: in a row with one wrong entry the two sums, by signs and by weights times signs, are
 * wrong by d and by w d, where w is the entry's weight.  So their quotient gives the column (Huang
 * and Abraham 1984, section III).  If the wrong entry is not finite, or nearly overflows, it is the
 * largest one of its row.  The new entry is the expected sum less the sum of the other entries, so
 * nothing of the wrong entry is left in it.  It is accepted if the sum by weights then fits, too.
 * Nothing is changed if d is too small for the quotient to give the column, or if two entries of a
 * row are wrong. */
#include "gemm/gemm_check.h"

#include <complex.h>
#include <math.h>

/* The second sum may be as wrong as the first times the largest weight, and has larger terms. */
static const double WEIGHTED = 4;
/* Columns must be SURE times as far apart as rounding; then two wrong entries seldom look like
 * one. */
static const double SURE = 32;

/* The largest entry of a row and its column, for each suspect. */
struct largest {
  double size;
  int64_t col;
};

static void combine_largest(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  struct largest *a = into;
  const struct largest *b = from;
  for (int64_t i = 0; i < count; i++)
    if (b[i].size > a[i].size || (b[i].size == a[i].size && b[i].col < a[i].col)) a[i] = b[i];
}

/* The local row of a global one; -1: it is not here. */
static int64_t local_row(const hyla_matrix *c, int64_t row) {
  if (c->row_part < 0 || hy_axis_owner(&c->row, row) != c->row_part) return -1;
  return hy_axis_before(&c->row, c->row_part, row);
}

static int looked_into(const struct hy_gemm_suspects *s) {
  return (int)hy_min(s->count, HY_SUSPECTS);
}

/* The column of the only wrong entry of a row: by the quotient of the two differences; -1: none, or
 * uncertain. */
static int64_t column_of(const struct hy_gemm_check *check, int64_t row) {
  double _Complex once = check->found[row].value - check->due[row].value;
  double _Complex weighted = check->found_weighted[row].value - check->due_weighted[row].value;
  double weight = creal(weighted / once), step = hy_row_weight(1, check->n) - 1;
  double column = (weight - 1) / step;
  if (!(column > -.5 && column < (double)check->n - .5)) return -1;
  return (int64_t)floor(column + .5);
}

/* Guesses the wrong columns of the rows whose error is large enough to tell: by the quotients, or
 * the largest entries. */
static void guess(const struct hy_gemm_check *check, const struct largest largest[HY_SUSPECTS],
                  bool by_size, struct hy_gemm_suspects *s) {
  double step = hy_row_weight(1, check->n) - 1;
  for (int x = 0; x < looked_into(s); x++) {
    const struct hy_row_sum *due = &check->due[s->row[x]], *found = &check->found[s->row[x]];
    double noise = SURE * (WEIGHTED + 2) * check->tolerance * due->size / step;
    if (s->corrected[x]) continue;
    s->col[x] = -1;
    if (!(cabs(found->value - due->value) <= noise))
      s->col[x] = by_size ? largest[x].col : column_of(check, s->row[x]);
  }
}

/* The address of a suspect's entry; NULL: it is on another node, or no column is suspected. */
static char *entry_of(const struct hy_gemm_check *check, const struct hy_gemm_suspects *s, int x) {
  const hyla_matrix *c = check->result;
  if (x >= looked_into(s) || s->corrected[x] || s->col[x] < 0) return NULL;
  int64_t l = local_row(c, s->row[x]);
  if (l < 0 || hy_axis_owner(&c->col, s->col[x]) != c->col_part) return NULL;
  return hy_at(c, l, hy_axis_before(&c->col, c->col_part, s->col[x]));
}

/* Computes the suspects' entries anew and notes the outcome; entries that do not fit get their old
 * values back. */
static hyla_status try_entries(struct hy_gemm_check *check, uint32_t copy_dims,
                               struct hy_gemm_suspects *s) {
  const struct hy_kernels *k = check->k;
  const hyla_matrix *c = check->result;
  struct hy_row_sum others[HY_SUSPECTS] = {0}; /* sums of the rows without these entries */
  double _Complex old[HY_SUSPECTS] = {0};
  for (int x = 0; x < looked_into(s); x++) {
    int64_t l = local_row(c, s->row[x]);
    for (int64_t j = 0; j < c->local_cols && l >= 0; j++) {
      int64_t column = hy_axis_index(&c->col, c->col_part, j);
      if (column != s->col[x]) others[x].value += check->signs[column] * k->get(hy_at(c, l, j), 0);
    }
  }
  TRY(hy_row_sums_merge(&check->work, copy_dims, HY_SIZE_NONE, others, HY_SUSPECTS));
  for (int x = 0; x < HY_SUSPECTS; x++) {
    char *entry = entry_of(check, s, x);
    if (entry == NULL) continue;
    old[x] = k->get(entry, 0);
    double sign = creal(check->signs[s->col[x]]);
    k->set(entry, 0, sign * (check->due[s->row[x]].value - others[x].value));
  }
  TRY(hy_gemm_check_sum(check, check->signs, check->found));
  TRY(hy_gemm_check_sum(check, check->weighted, check->found_weighted));
  for (int x = 0; x < looked_into(s); x++) {
    int64_t i = s->row[x];
    if (s->corrected[x] || s->col[x] < 0) continue;
    bool fits = hy_row_fits(&check->due[i], &check->found[i], check->tolerance) &&
                hy_row_fits(&check->due_weighted[i], &check->found_weighted[i],
                            WEIGHTED * check->tolerance);
    char *entry = entry_of(check, s, x);
    if (!fits && entry != NULL) k->set(entry, 0, old[x]);
    s->corrected[x] = fits;
    if (!fits) s->col[x] = -1;
  }
  return HYLA_OK;
}

hyla_status hy_gemm_correct(struct hy_gemm_check *check, struct hy_gemm_suspects *s) {
  const hyla_matrix *c = check->result;
  const uint32_t copy_dims = (hy_all_dims(c->cube)) & ~c->unused_dims;
  struct largest largest[HY_SUSPECTS], work[HY_SUSPECTS];
  if (!check->one_by_one) return HYLA_OK;
  for (int x = 0; x < HY_SUSPECTS; x++) {
    largest[x] = (struct largest){-1, INT64_MAX};
    int64_t l = x < looked_into(s) ? local_row(c, s->row[x]) : -1;
    for (int64_t j = 0; j < c->local_cols && l >= 0; j++) {
      double size = cabs(c->k->get(hy_at(c, l, j), 0));
      struct largest here = {isnan(size) ? INFINITY : size, hy_axis_index(&c->col, c->col_part, j)};
      combine_largest(&largest[x], &here, 1, NULL);
    }
  }
  TRY(hy_allreduce(check->cube, copy_dims, largest, HY_SUSPECTS, sizeof *largest, combine_largest,
                   NULL, work));
  for (int by_size = 0; by_size < 2; by_size++) {
    if (by_size) {
      TRY(hy_gemm_check_sum(check, check->signs, check->found));
      TRY(hy_gemm_check_sum(check, check->weighted, check->found_weighted));
    }
    guess(check, largest, by_size == 1, s);
    TRY(try_entries(check, copy_dims, s));
  }
  return HYLA_OK;
}
