/* hyla_solve_expert with equilibration: (R A C) y = R b is solved, and x = C y.
 *
 * Reference: Anderson et al. 1999, LAPACK's xGEEQUB; Hermitian matrices after Ruiz 2001.
 * Method: R and C are diagonal, with powers of two, so that scaling rounds nothing.  In general R
 *   brings the largest entry of each row to [1/2, 1), then C that of each column.  If the largest
 *   entries differ by less than a factor of about 10, nothing is scaled, because nothing would be
 *   gained.  Methods that read the lower triangle need R = C: a row and its column are divided by
 *   about the root of their largest entry, until these entries lie in [1/2, 2).
 * Layout: copies of A and b where the factors lie; exponents of all rows and columns on every rank.
 * Steps: an all-reduce of 2 n words to find R, another one to find C if R scales; if R = C, one a
 *   round, usually less than ten. */
#include "solve/refine.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 20 };
/* Largest entries that differ by at most this power of two count as equal. */
enum { ALIKE = 3 };
/* The peak of a row or column of zeros. */
static const int64_t NONE = INT64_MIN / 4;

struct equilibration {
  const struct hy_factorization *wanted;
  hyla_cube *cube;
  hyla_matrix *a, *b;         /* the copies, which are scaled */
  int64_t *exponent;          /* of R's entries, then of C's; 2 n; owns: */
  int64_t *peak;              /* the same for largest entries, as scaled; twice */
  int64_t spread;             /* C's largest exponent minus its smallest */
  int32_t *rows;              /* exponents of a matrix' rows on this rank */
  int32_t *row_peaks, *found; /* of a's rows; of one column's entries */
  bool applied;
};

/* ---------------------------------------------------------------- peaks -- */

static void take_larger(void *into, const void *from, int64_t count, const void *arg) {
  int64_t *a = into;
  const int64_t *b = from;
  (void)arg;
  for (int64_t i = 0; i < count; i++) a[i] = hy_max(a[i], b[i]);
}

/* All variants of a method read the same triangle. */
static bool hermitian(const struct equilibration *e) {
  return hy_method_traits(e->wanted->method)->hermitian;
}

/* Copies the exponents of the rows on this rank. */
static void take_rows(const int64_t *exponent, const hyla_matrix *m, int32_t *rows) {
  for (int64_t row = 0; row < m->local_rows; row++)
    rows[row] = (int32_t)exponent[hyla_matrix_row(m, row)];
}

/* A column's peak, from its row `first' on; updates the rows' peaks with this column. */
static int64_t find_column(struct equilibration *e, int64_t col, int64_t first) {
  const hyla_matrix *a = e->a;
  int32_t shift = (int32_t)e->exponent[a->row.n + hyla_matrix_col(a, col)], peak = HY_NO_EXPONENT;
  hy_exponents(a->k, (int)(a->local_rows - first), hy_at(a, first, col), e->found + first);
  for (int64_t row = first; row < a->local_rows; row++) {
    int32_t size = e->found[row] + e->rows[row] + shift;
    e->row_peaks[row] = size > e->row_peaks[row] ? size : e->row_peaks[row];
    peak = size > peak ? size : peak;
  }
  return peak > HY_NO_EXPONENT / 2 ? peak : NONE;
}

/* Exponents of the largest entries of rows and columns, as scaled so far; in a Hermitian matrix row
 * i and column i count together.  Entries that are not finite are left to the factorization, which
 * reports them. */
static hyla_status find_peaks(struct equilibration *e) {
  const hyla_matrix *a = e->a;
  int64_t n = a->row.n, *col_peak = hermitian(e) ? e->peak : e->peak + n;
  for (int64_t i = 0; i < 2 * n; i++) e->peak[i] = NONE;
  take_rows(e->exponent, a, e->rows);
  for (int64_t row = 0; row < a->local_rows; row++) e->row_peaks[row] = HY_NO_EXPONENT;
  for (int64_t col = 0; col < a->local_cols; col++) {
    int64_t j = hyla_matrix_col(a, col);
    int64_t first = hermitian(e) ? hy_axis_before(&a->row, a->row_part, j) : 0;
    if (first < a->local_rows) col_peak[j] = hy_max(col_peak[j], find_column(e, col, first));
  }
  for (int64_t row = 0; row < a->local_rows; row++) {
    int64_t *peak = &e->peak[hyla_matrix_row(a, row)];
    if (e->row_peaks[row] > HY_NO_EXPONENT / 2) *peak = hy_max(*peak, e->row_peaks[row]);
  }
  return hy_allreduce(e->cube, hy_axis_mask(&a->layout.row) | hy_axis_mask(&a->layout.col), e->peak,
                      2 * n, sizeof *e->peak, take_larger, NULL, e->peak + 2 * n);
}

/* Do peaks differ by more than ALIKE, or are some so extreme that products of entries overflow or
 * vanish? */
static bool uneven(const struct equilibration *e, const int64_t *peak) {
  const int64_t safe = e->a->k->epsilon > 1e-10 ? 100 : 960;
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (int64_t i = 0; i < e->a->row.n; i++) {
    if (peak[i] < NONE / 2) continue;
    least = hy_min(least, peak[i]);
    most = hy_max(most, peak[i]);
  }
  return most >= least && (most - least > ALIKE || most > safe || most < -safe);
}

/* -------------------------------------------------------------- scaling -- */

static void cancel(const int64_t *peak, int64_t n, int64_t *exponent) {
  for (int64_t i = 0; i < n; i++)
    if (peak[i] > NONE / 2) exponent[i] -= peak[i];
}

static hyla_status find_general(struct equilibration *e) {
  int64_t n = e->a->row.n;
  TRY(find_peaks(e));
  if (uneven(e, e->peak)) {
    cancel(e->peak, n, e->exponent);
    TRY(find_peaks(e));
  }
  if (uneven(e, e->peak + n)) cancel(e->peak + n, n, e->exponent + n);
  return HYLA_OK;
}

/* The row and the column each take half of the peak's exponent. */
static hyla_status find_hermitian(struct equilibration *e) {
  int64_t n = e->a->row.n;
  bool far = true;
  TRY(find_peaks(e));
  if (!uneven(e, e->peak)) return HYLA_OK;
  for (int round = 0; round < ROUNDS && far; round++) {
    far = false;
    for (int64_t i = 0; i < n; i++) {
      int64_t peak = e->peak[i];
      if (peak < NONE / 2 || peak == 0 || peak == 1) continue;
      far = true;
      e->exponent[i] -= peak > 0 ? peak / 2 : (peak - 1) / 2;
      e->exponent[n + i] = e->exponent[i];
    }
    TRY(find_peaks(e));
  }
  return HYLA_OK;
}

/* m := 2^rows m 2^cols; NULL: no column is scaled. */
static void scale(struct equilibration *e, const int64_t *rows, const int64_t *cols,
                  hyla_matrix *m) {
  take_rows(rows, m, e->rows);
  for (int64_t col = 0; col < m->local_cols; col++)
    hy_scale_powers(m->k, (int)m->local_rows, e->rows,
                    cols == NULL ? 0 : (int32_t)cols[hyla_matrix_col(m, col)], hy_at(m, 0, col));
}

/* ------------------------------------------------------------- the call -- */

static hyla_status allocate(struct equilibration *e, const hyla_matrix *x) {
  struct hy_base *base = &e->cube->base;
  int64_t n = e->wanted->n, rows = e->a->local_rows;
  int64_t most = hy_max(rows, hy_max(e->b->local_rows, x->local_rows));
  TRY(hy_alloc(base, 2 * n, sizeof *e->exponent, &e->exponent));
  TRY(hy_alloc_for(base, e->exponent, 4 * n, sizeof *e->peak, &e->peak));
  TRY(hy_alloc_for(base, e->exponent, most, sizeof *e->rows, &e->rows));
  TRY(hy_alloc_for(base, e->exponent, rows, sizeof *e->row_peaks, &e->row_peaks));
  return hy_alloc_for(base, e->exponent, rows, sizeof *e->found, &e->found);
}

static hyla_status make(struct equilibration *e, const hyla_matrix *a, const hyla_matrix *b,
                        const hyla_matrix *x) {
  const struct hy_factorization *wanted = e->wanted;
  hyla_type type = wanted->k->type;
  int64_t n = wanted->n;
  TRY(hy_matrix_make(e->cube, type, n, n, &wanted->layout, &e->a));
  TRY(hy_matrix_make(e->cube, type, n, b->col.n, &wanted->x_layout, &e->b));
  TRY(hy_agree(e->cube, allocate(e, x)));
  TRY(hy_move_once(a, e->a));
  return hy_move_once(b, e->b);
}

static void end(struct equilibration *e) {
  hy_free(&e->cube->base, &e->exponent);
  (void)hyla_matrix_destroy(&e->b);
  (void)hyla_matrix_destroy(&e->a);
}

/* Finds R and C, scales, and tells spare ranks. */
static hyla_status equilibrate(struct equilibration *e) {
  int64_t n = e->wanted->n, seen[2] = {0, 0};
  hyla_status status = HYLA_OK;
  if (e->cube->address >= 0) status = hermitian(e) ? find_hermitian(e) : find_general(e);
  TRY(hy_agree(e->cube, status));
  for (int64_t i = 0; i < 2 * n; i++) seen[0] |= e->exponent[i] != 0;
  for (int64_t i = 0, least = 0, most = 0; i < n; i++) {
    least = i == 0 ? e->exponent[n] : hy_min(least, e->exponent[n + i]);
    most = i == 0 ? e->exponent[n] : hy_max(most, e->exponent[n + i]);
    seen[1] = most - least;
  }
  TRY(hy_cube_max(e->cube, seen, 2));
  e->applied = seen[0] != 0;
  e->spread = seen[1];
  if (!e->applied || e->cube->address < 0) return HYLA_OK;
  scale(e, e->exponent, e->exponent + n, e->a);
  scale(e, e->exponent, NULL, e->b);
  return HYLA_OK;
}

/* Reports on x for the caller's own A and b. */
static hyla_status measure(const struct equilibration *e, const struct hy_expert *own) {
  hyla_solve_report *report = own->report;
  double bound = ldexp(report->forward_bound, (int)hy_min(e->spread, 4000));
  hyla_status status =
      hy_solution_measure(own->a, own->b, own->x, own->options->refinement, NULL, NULL, report);
  report->forward_bound = bound;
  return status;
}

static hyla_status solve(struct equilibration *e, const struct hy_expert *own) {
  struct hy_factorization wanted = *own->wanted;
  struct hy_expert scaled = *own;
  hyla_solve_report *report = own->report;
  TRY(make(e, own->a, own->b, own->x));
  TRY(equilibrate(e));
  if (!e->applied) {
    end(e); /* the copies' memory is needed */
    return hy_expert_solve(own);
  }
  wanted.from_a = scaled.a = e->a;
  wanted.from_b = scaled.b = e->b;
  scaled.wanted = &wanted;
  hyla_status status = hy_expert_solve(&scaled);
  report->equilibrated = true;
  if (status != HYLA_OK && status != HYLA_UNRELIABLE) return status;
  report->reliable = false; /* until x itself has been measured */
  if (e->cube->address >= 0) scale(e, e->exponent + wanted.n, NULL, own->x);
  hyla_status measured = measure(e, own);
  if (measured != HYLA_OK || !hy_refinement_is_extended(own->options->refinement)) return measured;
  report->reliable = status == HYLA_OK; /* whether corrections halve was seen in the scaled
                                         * system */
  return status;
}

hyla_status hy_equilibrated_solve(const struct hy_expert *own) {
  struct equilibration e = {.wanted = own->wanted, .cube = own->wanted->cube};
  hyla_status status = solve(&e, own);
  end(&e);
  return status;
}
