/* The method bidiagonal: A = Q B P^H, B = X S Y^T, vectors Q X and P Y.
 *
 * Reference: Golub and Kahan 1965; Gu and Eisenstat 1995; Chan 1982, for tall matrices.
 * theory.md, svd:bidiagonal.  The parts are lib/solve/bidiagonal, lib/solve/divide and
 * lib/solve/qr.
 * Layout: A and its vectors by columns on all nodes, B's vectors by rows; between the two the
 * vectors are redistributed once.
 * Method: a tall A is factored first, A = Q1 R, and R takes its place: U is Q1 Q X.
 * Flops, without deflation: 4 n^2 (m - n / 3) for the reduction, at most 8 n^3 / 3 for B's vectors
 * and 2 n^2 (m + n) for those of A; for a tall one 2 n^2 (m - n / 3) and 2 n^2 (2 m - n) more, and
 * m is n elsewhere.
 * Restriction: a value is right to n u times the largest one; what is smaller has no digit that is
 * certain. */
#include "solve/bidiagonal/bidiagonal.h"
#include "solve/divide/divide.h"
#include "solve/orthogonal.h"
#include "solve/qr/qr.h"
#include "solve/small.h"
#include "solve/svd.h"

#include <math.h>
#include <string.h>

struct state {
  struct hy_svd_found found; /* first: the front reads it */
  const struct hy_svd_task *task;
  hyla_cube *cube;
  int64_t m, n;
  bool tall;
  hyla_matrix square; /* what is reduced: A, or R */
  struct hy_bidiagonal *reduction;
  struct hy_singular *singular;      /* NULL: n is 0 */
  struct hy_orthogonal *of_u, *of_v; /* NULL: these vectors are not wanted */
  /* Of a tall A. */
  char *r;
  struct hy_factorization problem;
  struct hy_factors factors;
  void *qr;
};

/* From here on QR and a reduction of R are faster than a reduction of A. */
static bool is_tall(int64_t m, int64_t n) { return n > 0 && 2 * m >= 3 * n; }

static void layouts(const hyla_cube *cube, int64_t m, int64_t n, hyla_layout *a, hyla_layout *u,
                    hyla_layout *v) {
  *a = *u = *v = hy_bidiagonal_layout(cube, m, n);
  if (is_tall(m, n)) a->col.block = u->col.block = v->col.block = HY_BIDIAGONAL_PANEL;
}

/* ------------------------------------------------------------------ create -- */

static hyla_status create_qr(struct state *s) {
  const struct hy_svd_task *task = s->task;
  const hyla_matrix *a = task->a;
  const int64_t own = hy_matrix_part(a, 0, 0, s->n, s->n).local_cols;
  s->factors = (struct hy_factors){.a = task->a};
  s->problem = (struct hy_factorization){.cube = s->cube,
                                         .k = task->k,
                                         .m = s->m,
                                         .n = s->n,
                                         .layout = a->layout,
                                         .x_layout = a->layout,
                                         .row = a->row,
                                         .col = a->col,
                                         .x_col = a->col,
                                         .through = true,
                                         .factors = &s->factors};
  TRY(hy_alloc_data_for(&s->cube->base, s, s->n, sizeof *s->factors.swaps, &s->factors.swaps));
  TRY(hy_alloc_data_for(&s->cube->base, s, s->n * own, task->k->size, &s->r));
  s->square = hy_matrix_part(a, 0, 0, s->n, s->n);
  s->square.local = s->r;
  s->square.ld = s->n;
  s->square.window = NULL;
  hyla_status status = hy_qr_householder.create(&hy_qr_householder, &s->problem, &s->qr);
  if (s->qr != NULL) hy_own(s, s->qr);
  return status;
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_svd_task *task = given;
  hyla_cube *cube = task->cube;
  struct state *s = NULL;
  (void)variant;
  TRY(hy_alloc(&cube->base, 1, sizeof *s, &s));
  *state = s;
  *s = (struct state){.task = task,
                      .cube = cube,
                      .m = task->m,
                      .n = task->n,
                      .tall = is_tall(task->m, task->n),
                      .square = *task->a};
  if (s->tall) TRY(create_qr(s));
  const struct hy_bidiagonal_problem reduction = {.cube = cube,
                                                  .a = &s->square,
                                                  .sides = task->a->col,
                                                  .applies = task->wants_u || task->wants_v};
  const struct hy_singular_problem singular = {
      .cube = cube,
      .k = hy_cube_kernels(cube, hy_real_type(task->k->type)),
      .n = s->n,
      .left = task->wants_u,
      .right = task->wants_v};
  TRY(hy_bidiagonal_create(&reduction, s, &s->reduction));
  TRY(hy_alloc_for(&cube->base, s, s->n, sizeof *s->found.values, &s->found.values));
  if (task->wants_u) TRY(hy_orthogonal_create(task->u, s, &s->of_u));
  if (task->wants_v) TRY(hy_orthogonal_create(task->v, s, &s->of_v));
  return s->n == 0 ? HYLA_OK : hy_singular_create(&singular, s, &s->singular);
}

static hyla_status allocate(void *state) {
  struct state *s = state;
  if (s->tall) TRY(hy_qr_householder.allocate(s->qr));
  TRY(hy_bidiagonal_allocate(s->reduction));
  hyla_status status = s->singular == NULL ? HYLA_OK : hy_singular_allocate(s->singular);
  if (status == HYLA_OK && s->of_u != NULL) status = hy_orthogonal_allocate(s->of_u);
  if (status == HYLA_OK && s->of_v != NULL) status = hy_orthogonal_allocate(s->of_v);
  return hy_agree(s->cube, status);
}

/* --------------------------------------------------------------------- run -- */

/* R, with zeros below its diagonal. */
static void copy_r(const struct state *s) {
  const hyla_matrix *a = s->task->a;
  const size_t size = s->task->k->size;
  hy_count_copied(s->cube, s->square.local_cols * s->n);
  for (int64_t c = 0; c < s->square.local_cols && !s->task->k->dry; c++) {
    const int64_t rows = hyla_matrix_col(a, c) + 1;
    char *to = hy_at(&s->square, 0, c);
    memcpy(to, hy_at(a, 0, c), (size_t)rows * size);
    memset(to + (size_t)rows * size, 0, (size_t)(s->n - rows) * size);
  }
}

static hyla_status reduce(struct state *s) {
  TRY(hy_bidiagonal_scale(s->reduction, s->task->a));
  if (s->tall) {
    TRY(hy_qr_householder.run(s->qr));
    if (s->cube->address >= 0) copy_r(s);
    hy_part(s->cube, "tall matrix factored");
  }
  return hy_bidiagonal_run(s->reduction);
}

/* The reduction has scaled A; nodes alone know how. */
static hyla_status report(struct state *s) {
  double *values = s->found.values;
  for (int64_t i = 0; i < s->n && !s->task->k->dry; i++)
    values[i] = ldexp(values[i], s->reduction->exponent);
  if (!hy_cube_counts(s->cube)) /* which has no guests */
    TRY(hy_tell_guests(s->cube, values, s->n * (int64_t)sizeof *values));
  s->found.report = (hyla_svd_report){0};
  if (s->n > 0 && !s->task->k->dry)
    s->found.report.absolute = (double)s->n * s->task->k->epsilon * values[0];
  return HYLA_OK;
}

static hyla_status values(void *state) {
  struct state *s = state;
  const struct hy_bidiagonal *t = s->reduction;
  TRY(hy_agree(s->cube, reduce(s)));
  hy_part(s->cube, "bidiagonal form");
  if (s->n == 0) return HYLA_OK;
  TRY(hy_singular_run(s->singular, t->d, t->e, s->found.values, s->task->x, s->task->y));
  hy_part(s->cube, "values");
  return hy_agree(s->cube, report(s));
}

/* The rows of U behind the first n. */
static void clear_rest(const struct state *s) {
  const hyla_matrix *u = s->task->u;
  for (int64_t c = 0; c < u->local_cols && s->m > s->n && !u->k->dry; c++)
    memset(hy_at(u, s->n, c), 0, (size_t)(s->m - s->n) * u->k->size);
}

static hyla_status vectors(void *state) {
  struct state *s = state;
  const struct hy_svd_task *task = s->task;
  const struct hy_factor_traits *qr = hy_qr_householder.traits;
  hyla_status status = HYLA_OK;
  if (s->n == 0) return HYLA_OK;
  if (task->wants_u && s->cube->address >= 0) {
    const hyla_matrix top = s->tall ? hy_matrix_part(task->u, 0, 0, s->n, s->n) : *task->u;
    clear_rest(s);
    status = hy_bidiagonal_apply(s->reduction, false, &top);
    if (status == HYLA_OK && s->tall) status = qr->times_q(s->qr, HY_Q_PLAIN, task->u);
    if (status == HYLA_OK) status = hy_orthogonal_run(s->of_u, task->u);
  }
  if (status == HYLA_OK && task->wants_v && s->cube->address >= 0)
    status = hy_bidiagonal_apply(s->reduction, true, task->v);
  if (status == HYLA_OK && task->wants_v) status = hy_orthogonal_run(s->of_v, task->v);
  hy_part(s->cube, "vectors");
  return hy_agree(s->cube, status);
}

static hyla_status run(void *state) {
  const struct state *s = state;
  TRY(values(state));
  return s->task->wants_u || s->task->wants_v ? vectors(state) : HYLA_OK;
}

/* ----------------------------------------------------------------- the row -- */

static const char *applies(const void *given) {
  const struct hy_svd_task *task = given;
  if (task->accurate) return "values far below the largest one have no digits that are certain";
  return task->m > HY_SMALL ? NULL : "its errors are of some n ulp for up to 16 rows and columns";
}

static void explain(const void *state, struct hy_text *text) {
  const struct state *s = state;
  char layout[HYLA_LAYOUT_TEXT];
  hyla_layout_format(&s->task->a->layout, layout, sizeof layout);
  if (s->tall) hy_text_add(text, "  QR first, since the matrix is tall\n");
  hy_text_add(text, "  to bidiagonal form as %s, in panels of %d columns\n", layout,
              s->reduction->width);
  hy_explain_asked(&s->reduction->sums, "sums of a step", text);
  if (s->task->wants_u) hy_orthogonal_explain(s->task->u, "left vectors", text);
  if (s->task->wants_v) hy_orthogonal_explain(s->task->v, "right vectors", text);
}

static const struct hy_svd_traits TRAITS = {
    .layouts = layouts, .inner = hy_divide_layout, .values = values, .vectors = vectors};

const struct hy_variant hy_svd_bidiagonal = {.name = "bidiagonal",
                                             .reference = "golub-1965, section 2; gu-1995b",
                                             .traits = &TRAITS,
                                             .arrays = true,
                                             .applies = applies,
                                             HY_OPERATIONS};
