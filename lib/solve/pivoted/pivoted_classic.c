/* The variant classic: the column of the largest norm comes next.
 *
 * Every node offers, of its columns behind the reflected ones, that of the largest norm; an
 * all-reduction finds the first of the largest ones, brings it to all nodes, and the column in
 * whose place it goes with it: one message of two columns a step.  Columns are updated a panel
 * late, A := A - V F^H with F = A^H V T; but the row that a step makes part of R is updated
 * at once, and norms with it.  A norm whose square has lost half of its digits by that is found
 * anew.
 *
 * Reference: Businger and Golub 1965; Quintana-Orti, Sun and Bischof 1998, for F; Drmac and
 * Bujanovic 2008, for the norms.  The pivots are those of LAPACK's geqp3.
 * Steps: as many all-reductions as columns.  Memory beside A: the panel's V, F and three columns.
 */
#include "solve/pivoted/pivoted.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* A message: followed by the column offered, the column that leaves, and its row of F. */
struct offer {
  struct hy_pivot best; /* the key of the norm; the column's place */
  int64_t leaves;       /* is the leaving column in this message? */
  int64_t spare;
  double norms[2]; /* of the leaving column */
};

static int64_t offer_bytes(int64_t m, int64_t w, int64_t size) {
  return (int64_t)sizeof(struct offer) + (2 * m + w) * size;
}

/* A column, to find its norm anew, and products with V. */
static int64_t room(int64_t m, int64_t w, int64_t c, int64_t size) {
  (void)c;
  return (m + w) * size;
}

static char *offered(const struct hy_pivoted *p, struct offer *offer) {
  (void)p;
  return (char *)(offer + 1);
}
static char *leaving(const struct hy_pivoted *p, struct offer *offer) {
  return (char *)(offer + 1) + p->m * (int64_t)p->k->size;
}
static char *row_of_f(const struct hy_pivoted *p, int64_t local) {
  return p->factor + local * (int64_t)p->k->size;
}
static int ld_of(const struct hy_pivoted *p) { return (int)hy_max(1, p->a->local_cols); }

/* ------------------------------------------------------------------- norms -- */

static struct hy_pivot key_of(double norm, int64_t place) {
  struct hy_pivot pivot = {.index = place};
  memcpy(&pivot.key, &norm, sizeof norm);
  return pivot;
}

static bool is_better(const struct hy_pivot *a, const struct hy_pivot *b) {
  return a->key != b->key ? a->key > b->key : a->index < b->index;
}

static void set_norms(struct hy_pivoted *p) {
  for (int64_t l = 0; l < p->a->local_cols && !p->k->dry; l++)
    p->norms[2 * l] = p->norms[2 * l + 1] = hy_pivoted_norm(p->k, p->m, hy_pivoted_entry(p, 0, l));
  hy_count_read(p->cube, p->m * p->a->local_cols);
}

/* to := rows `row' ... of a local column, updated by the panel's first t columns. */
static void update_column(const struct hy_pivoted *p, int64_t row, int t, int64_t local, char *to) {
  const struct hy_kernels *k = p->k;
  const int rows = (int)(p->m - row);
  if (rows == 0) return;
  k->copy(HYLA_NONE, rows, 1, 1, hy_pivoted_entry(p, row, local), (int)p->a->ld, to, rows);
  if (t > 0)
    k->gemm(HYLA_NONE, HYLA_CONJUGATE, rows, 1, t, -1, hy_pivoted_at(p, p->v, row, 0), (int)p->m,
            row_of_f(p, local), ld_of(p), 1, to, rows);
}

/* Row j of a local column has become one of R: the norm of the rows below. */
static void lower_norm(const struct hy_pivoted *p, int64_t j, int t, int64_t local) {
  const struct hy_kernels *k = p->k;
  double *norm = &p->norms[2 * local];
  if (norm[0] == 0) return;
  const double quotient = cabs(k->get(hy_pivoted_entry(p, j, local), 0)) / norm[0];
  const double left = fmax(0, (1 + quotient) * (1 - quotient)), lost = norm[0] / norm[1];
  if (left * lost * lost > sqrt(k->epsilon)) {
    norm[0] *= sqrt(left);
    return;
  }
  update_column(p, j + 1, t + 1, local, p->room);
  norm[0] = norm[1] = hy_pivoted_norm(k, p->m - j - 1, p->room);
}

/* ------------------------------------------------------------------ a step -- */

static void combine(void *into, const void *from, int64_t count, const void *arg) {
  const struct hy_pivoted *p = arg;
  (void)count; /* count is 1 */
  if (p->k->dry) return;
  struct offer *mine = into, *theirs = (struct offer *)(uintptr_t)from;
  const size_t column = (size_t)p->m * p->k->size;
  if (is_better(&theirs->best, &mine->best)) {
    mine->best = theirs->best;
    memcpy(offered(p, mine), offered(p, theirs), column);
  }
  if (!theirs->leaves) return;
  mine->leaves = 1;
  memcpy(mine->norms, theirs->norms, sizeof mine->norms);
  memcpy(leaving(p, mine), leaving(p, theirs), column + (size_t)p->block * p->k->size);
}

/* This node's best column from place j on, updated from row j on; and the column at j. */
static void offer_column(const struct hy_pivoted *p, int64_t j, int t, struct offer *offer) {
  const struct hy_kernels *k = p->k;
  const int64_t first = hy_pivoted_local(p, j), none = p->n;
  int64_t best = -1;
  *offer = (struct offer){.best = {.index = none}};
  for (int64_t l = first; l < p->a->local_cols; l++) {
    const struct hy_pivot here =
        key_of(p->norms[2 * l], hy_axis_index(&p->a->col, p->a->col_part, l));
    if (best >= 0 && !is_better(&here, &offer->best)) continue;
    best = l;
    offer->best = here;
  }
  if (best >= 0) {
    k->copy(HYLA_NONE, (int)j, 1, 1, hy_pivoted_entry(p, 0, best), (int)p->a->ld, offered(p, offer),
            (int)p->m);
    update_column(p, j, t, best, offered(p, offer) + j * (int64_t)k->size);
  }
  if (!hy_pivoted_mine(p, j)) return;
  offer->leaves = 1;
  memcpy(offer->norms, &p->norms[2 * first], sizeof offer->norms);
  k->copy(HYLA_NONE, (int)p->m, 1, 1, hy_pivoted_entry(p, 0, first), (int)p->a->ld,
          leaving(p, offer), (int)p->m);
  k->copy(HYLA_NONE, 1, t, 1, row_of_f(p, first), ld_of(p),
          leaving(p, offer) + p->m * (int64_t)k->size, 1);
}

/* Puts the column that leaves place j where the chosen one was. */
static void put_leaving(const struct hy_pivoted *p, int64_t j, int t, struct offer *offer) {
  const struct hy_kernels *k = p->k;
  const int64_t place = offer->best.index;
  hy_swap_numbers(&p->columns[j], &p->columns[place]);
  if (place == j || !hy_pivoted_mine(p, place)) return;
  const int64_t l = hy_pivoted_local(p, place);
  memcpy(&p->norms[2 * l], offer->norms, sizeof offer->norms);
  k->copy(HYLA_NONE, (int)p->m, 1, 1, leaving(p, offer), (int)p->m, hy_pivoted_entry(p, 0, l),
          (int)p->a->ld);
  k->copy(HYLA_NONE, 1, t, 1, leaving(p, offer) + p->m * (int64_t)k->size, 1, row_of_f(p, l),
          ld_of(p));
}

/* Makes column t of V from the chosen column, which its owner stores. */
static void reflect_column(const struct hy_pivoted *p, int64_t j, int t, struct offer *offer) {
  const struct hy_kernels *k = p->k;
  char *column = hy_pivoted_at(p, p->v, 0, t);
  double _Complex beta;
  memcpy(column, offered(p, offer), (size_t)p->m * k->size);
  p->tau[j] = hy_pivoted_reflect(p, p->m - j, column + j * (int64_t)k->size, &beta);
  if (hy_pivoted_mine(p, j)) {
    char *own = hy_pivoted_entry(p, 0, hy_pivoted_local(p, j));
    memcpy(own, column, (size_t)p->m * k->size);
    k->set(own, j, beta);
  }
  memset(column, 0, (size_t)j * k->size);
}

/* Column t of F, and row j of A and the norms behind column j. */
static void set_factor(const struct hy_pivoted *p, int64_t j, int t) {
  const struct hy_kernels *k = p->k;
  const int64_t first = hy_pivoted_local(p, j + 1), behind = p->a->local_cols - first;
  const int rows = (int)(p->m - j), ldf = ld_of(p), columns = (int)behind;
  if (behind == 0) return;
  char *v = hy_pivoted_at(p, p->v, j, 0), *own = hy_pivoted_at(p, p->v, j, t);
  char *f = row_of_f(p, first), *f_own = row_of_f(p, first + (int64_t)t * ldf), *z = p->room;
  memset(f_own, 0, (size_t)behind * k->size);
  k->gemv(HYLA_CONJUGATE, rows, columns, p->tau[j], hy_pivoted_entry(p, j, first), (int)p->a->ld,
          own, f_own);
  if (t > 0) {
    memset(z, 0, (size_t)t * k->size);
    k->gemv(HYLA_CONJUGATE, rows, t, 1, v, (int)p->m, own, z);
    k->gemv(HYLA_NONE, columns, t, -p->tau[j], f, ldf, z, f_own);
  }
  k->gemm(HYLA_NONE, HYLA_CONJUGATE, 1, columns, t + 1, -1, v, (int)p->m, f, ldf, 1,
          hy_pivoted_entry(p, j, first), (int)p->a->ld);
  for (int64_t l = first; l < p->a->local_cols; l++) lower_norm(p, j, t, l);
}

static void count_step(const struct hy_pivoted *p, int64_t j, int t) {
  const int64_t behind = p->a->local_cols - hy_pivoted_local(p, j + 1), rows = p->m - j;
  hy_compute(p->cube, 2 * rows * (behind + 2 * t) + 4 * t * behind + 3 * rows, p->k->size,
             p->k->complex_type);
  hy_count_copied(p->cube, 4 * p->m);
  hy_count_read(p->cube, rows * behind);
}

static hyla_status step(struct hy_pivoted *p, int t) {
  const int64_t j = p->first + t;
  struct offer *offer = (struct offer *)(void *)p->message;
  if (!p->k->dry) offer_column(p, j, t, offer);
  TRY(hy_subcube_allreduce(&p->offers, offer, 1, combine, p));
  count_step(p, j, t);
  if (p->k->dry) return HYLA_OK;
  if (offer->best.key >= HY_KEY_INFINITY) return hy_pivoted_fail(p);
  put_leaving(p, j, t, offer);
  reflect_column(p, j, t, offer);
  set_factor(p, j, t);
  return HYLA_OK;
}

/* ----------------------------------------------------------------- variant -- */

static hyla_status panel(struct hy_pivoted *p) {
  const struct hy_kernels *k = p->k;
  for (int t = 0; t < p->width; t++) TRY(step(p, t));
  const int64_t end = p->first + p->width, first = hy_pivoted_local(p, end);
  const int64_t rows = p->m - end, behind = p->a->local_cols - first;
  if (rows > 0 && behind > 0)
    k->gemm(HYLA_NONE, HYLA_CONJUGATE, (int)rows, (int)behind, p->width, -1,
            hy_pivoted_at(p, p->v, end, 0), (int)p->m, row_of_f(p, first), ld_of(p), 1,
            hy_pivoted_entry(p, end, first), (int)p->a->ld);
  hy_compute(p->cube, 2 * rows * behind * p->width, k->size, k->complex_type);
  return HYLA_OK;
}

static const struct hy_pivoting CLASSIC = {
    .bytes = offer_bytes, .room = room, .begin = set_norms, .panel = panel};

const struct hy_variant hy_pivoted_classic = {
    .name = "classic",
    .arrays = true,
    .reference = "quintana-1998, section 3; businger-1965",
    .traits = &CLASSIC,
    HY_PIVOTED_OPERATIONS,
};
