/* Least squares: refinement with residuals in twice the precision.
 *
 * Reference: Bjorck 1967; Ogita, Rump and Oishi 2005, for the sums.  theory.md, lstsq.
 * Method: with T the taller of op(A) and op(A)^H, x and the residual r of least squares, and x and
 * its coordinates w of least norm, x = -T w, solve
 *
 *   [ T^H  0 ] [r]   [0]        [ T^H  0 ] [x]   [b]
 *   [ I    T ] [x] = [b]        [ I    T ] [w] = [0]
 *
 * Call both r and w.  With f and g what is missing on the right, rounded once each, T = Q R gives
 * the corrections
 *
 *   z = R^-H g,   c = Q^H f,   dw = R^-1 (c_1 - z),   dr = Q [z; c_2]
 *
 * Each step makes the errors of both smaller by about the condition of A times u, also where r is
 * large; one-sided refinement of x alone would have its square.  Each column is treated by itself:
 * its steps end when a correction of w is rounding, or does not halve; then it is left out.  Where
 * all is small one step is taken in any case, or two of least norm: there each rounding counts.
 * Layout: T and r by rows, dealt out to all nodes, as b of least squares; w and g whole on each.
 * So sums are added up locally, and those of g by one all-reduction of two words an entry.
 * Steps: each solves two triangular systems and applies Q twice.  Memory: a copy of A, three of b.
 * Entries of A may have a second word, which the residuals alone see.
 * Restriction: op(A) has full rank. */
#include "solve/lstsq.h"
#include "solve/refine.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* More steps than are needed to halve a correction as large as x down to u. */
enum { ROUNDS = 60 };

/* A number in two words. */
struct pair {
  double high, low;
};

/* The steps: T, its second words, b and x to the copies and x back; a correction's ways. */
enum {
  TO_A,
  TO_LOWER,
  TO_B,
  FROM_X,
  TO_X,
  D_TO_Z,
  BY_ADJOINT,
  F_TO_C,
  TIMES_ADJOINT,
  BY_R,
  C_TO_D,
  TIMES_Q,
  Z_TO_F,
  STEPS
};

struct hy_refinement {
  struct hy_lstsq *s;
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t count;          /* of columns */
  hyla_matrix *lower;     /* second words of A; NULL: there are none */
  hyla_matrix *a, *r, *f; /* by rows; a: T */
  hyla_matrix *b;         /* by rows, or whole for solutions of least norm */
  hyla_matrix *w, *d;     /* whole; d: a correction, or g */
  hyla_matrix *c, *z;     /* as Q multiplies them; c: the problem's */
  struct hy_lstsq_step step[STEPS];
  struct pair *sums; /* of g, real and imaginary parts; twice */
  struct hy_course *courses;
};

/* ---------------------------------------------------------------------- sums -- */

/* sum := sum + a b, with what rounding loses in the lower word. */
static inline void add_product(struct pair *sum, double a, double b) {
  const double product = a * b, lost = fma(a, b, -product);
  const double high = sum->high + product, part = high - sum->high;
  sum->low += (sum->high - (high - part)) + (product - part) + lost;
  sum->high = high;
}

/* sum := sum - op(a) b for complex numbers; conjugated: op is that. */
static inline void subtract(struct pair sum[2], double _Complex a, double _Complex b,
                            bool conjugated) {
  const double re = creal(a), im = conjugated ? -cimag(a) : cimag(a);
  add_product(&sum[0], -re, creal(b));
  if (im != 0 || cimag(b) != 0) {
    add_product(&sum[0], im, cimag(b));
    add_product(&sum[1], -re, cimag(b));
    add_product(&sum[1], -im, creal(b));
  }
}

static double _Complex rounded(const struct pair sum[2]) {
  return hy_complex(sum[0].high + sum[0].low, sum[1].high + sum[1].low);
}

static void add_pairs(void *into, const void *from, int64_t count, const void *arg) {
  struct pair *a = into;
  const struct pair *b = from;
  (void)arg;
  for (int64_t i = 0; i < count; i++) {
    add_product(&a[i], b[i].high, 1);
    a[i].low += b[i].low;
  }
}

static double _Complex entry(const hyla_matrix *m, int64_t row, int64_t col) {
  return m->k->get(hy_at(m, row, col), 0);
}

/* sum := sum - op(entry of A) y. */
static void subtract_entry(const struct hy_refinement *t, struct pair sum[2], int64_t row,
                           int64_t col, double _Complex y, bool conjugated) {
  subtract(sum, entry(t->a, row, col), y, conjugated);
  if (t->lower != NULL) subtract(sum, entry(t->lower, row, col), y, conjugated);
}

/* f := b - r - T w, or -r - T w. */
static void find_upper(const struct hy_refinement *t) {
  for (int64_t j = 0; j < t->count && !t->k->dry; j++)
    for (int64_t i = 0; i < t->f->local_rows; i++) {
      struct pair sum[2] = {{0, 0}, {0, 0}};
      if (!t->s->wide) subtract(sum, entry(t->b, i, j), -1, false);
      subtract(sum, entry(t->r, i, j), 1, false);
      for (int64_t l = 0; l < t->s->k; l++) subtract_entry(t, sum, i, l, entry(t->w, l, j), false);
      t->k->set(hy_at(t->f, i, j), 0, rounded(sum));
    }
}

/* d := g = -T^H r, or b - T^H r. */
static hyla_status find_lower(const struct hy_refinement *t) {
  const int64_t k = t->s->k, pairs = 2 * k * t->count;
  memset(t->sums, 0, (size_t)pairs * sizeof *t->sums);
  for (int64_t j = 0; j < t->count && !t->k->dry; j++)
    for (int64_t l = 0; l < k; l++)
      for (int64_t i = 0; i < t->a->local_rows; i++)
        subtract_entry(t, &t->sums[2 * (j * k + l)], i, l, entry(t->r, i, j), true);
  TRY(hy_allreduce(t->cube, hy_all_dims(t->cube), t->sums, pairs, sizeof *t->sums, add_pairs, NULL,
                   t->sums + pairs));
  for (int64_t j = 0; j < t->count && !t->k->dry; j++)
    for (int64_t l = 0; l < k; l++) {
      struct pair *sum = &t->sums[2 * (j * k + l)];
      if (t->s->wide) subtract(sum, entry(t->b, l, j), -1, false);
      t->k->set(hy_at(t->d, l, j), 0, rounded(sum));
    }
  return HYLA_OK;
}

static hyla_status find_residuals(const struct hy_refinement *t) {
  hyla_status status = HYLA_OK;
  if (t->cube->address >= 0) {
    find_upper(t);
    status = find_lower(t);
  }
  return hy_agree(t->cube, status);
}

/* --------------------------------------------------------------- corrections -- */

/* [c_1; c_2] := [c_1 - z; c_2] and [z; 0] := [z; c_2]. */
static void combine(const struct hy_refinement *t) {
  const hyla_matrix *c = t->c, *z = t->z;
  const int64_t begin = c->local_rows == 0 ? 0 : hy_axis_before(&c->row, c->row_part, t->s->k);
  for (int64_t j = 0; j < c->local_cols && c->local_rows > 0 && !t->k->dry; j++) {
    for (int64_t i = 0; i < begin; i++)
      t->k->set(hy_at(c, i, j), 0, entry(c, i, j) - entry(z, i, j));
    hy_copy_entries(t->k, hy_at(z, begin, j), hy_at(c, begin, j), c->local_rows - begin);
  }
}

static hyla_status run(struct hy_refinement *t, int step) {
  return hy_lstsq_run(t->s, &t->step[step]);
}

/* d := dw, f := dr. */
static hyla_status correct(struct hy_refinement *t) {
  TRY(run(t, D_TO_Z));
  TRY(run(t, BY_ADJOINT));
  TRY(run(t, F_TO_C));
  TRY(run(t, TIMES_ADJOINT));
  combine(t);
  TRY(run(t, BY_R));
  TRY(run(t, C_TO_D));
  TRY(run(t, TIMES_Q));
  return run(t, Z_TO_F);
}

static double size_of(const hyla_matrix *m, int64_t j) {
  double size = 0;
  for (int64_t i = 0; i < m->local_rows; i++) size += cabs(entry(m, i, j));
  return size;
}

/* w := w + dw and r := r + dr in a column, if dw is a step forward.  Of least norm, w is 0 before
 * the first step. */
static bool advance(const struct hy_refinement *t, int64_t j) {
  const double correction = size_of(t->d, j), w = size_of(t->w, j);
  const bool first = t->s->wide && t->s->report.refinements == 0;
  if (!first &&
      !hy_course_advance(&t->courses[j], correction == 0 ? 0 : correction / w, t->k->epsilon))
    return false;
  for (int64_t i = 0; i < t->s->k; i++)
    t->k->set(hy_at(t->w, i, j), 0, entry(t->w, i, j) + entry(t->d, i, j));
  for (int64_t i = 0; i < t->r->local_rows; i++)
    t->k->set(hy_at(t->r, i, j), 0, entry(t->r, i, j) + entry(t->f, i, j));
  return true;
}

/* All nodes have w, d and the courses alike. */
static bool advance_all(const struct hy_refinement *t) {
  bool better = false;
  for (int64_t j = 0; j < t->count; j++) better = advance(t, j) || better;
  return better;
}

/* r := b - T w, in f's place first; or w := 0. */
static hyla_status begin(const struct hy_refinement *t) {
  if (t->cube->address < 0 || t->k->dry) return HYLA_OK;
  for (int64_t j = 0; j < t->count; j++) {
    t->courses[j] = (struct hy_course){.last = t->s->wide ? 1 : INFINITY};
    if (t->s->wide)
      memset(hy_at(t->w, 0, j), 0, (size_t)t->s->k * t->k->size);
    else if (t->r->local_rows > 0)
      memset(hy_at(t->r, 0, j), 0, (size_t)t->r->local_rows * t->k->size);
  }
  if (t->s->wide) return HYLA_OK;
  find_upper(t);
  for (int64_t j = 0; j < t->count; j++)
    hy_copy_entries(t->k, hy_at(t->r, 0, j), hy_at(t->f, 0, j), t->r->local_rows);
  return HYLA_OK;
}

/* Of least norm the first step finds w, and leaves x as it was. */
static int fixed_steps(const struct hy_refinement *t) { return t->s->wide ? 2 : 1; }

/* Guests are told whether nodes go on, and the corrections in the end. */
static hyla_status iterate(struct hy_refinement *t) {
  hyla_lstsq_report *report = &t->s->report;
  int64_t more = 1;
  TRY(hy_agree(t->cube, begin(t)));
  const bool all = !t->s->options.extended; /* steps are taken whatever they change */
  const int most = all ? fixed_steps(t) : ROUNDS;
  for (report->refinements = 0; report->refinements < most && (all || more != 0);
       report->refinements++) {
    TRY(find_residuals(t));
    TRY(correct(t));
    if (t->cube->address >= 0) more = !t->k->dry && advance_all(t);
    TRY(hy_agree(t->cube, hy_tell_guests(t->cube, &more, sizeof more)));
  }
  double last = 0;
  for (int64_t j = 0; j < t->count && t->cube->address >= 0; j++)
    last = fmax(last, t->courses[j].last);
  report->correction = last;
  return hy_agree(t->cube, hy_tell_guests(t->cube, &report->correction, sizeof last));
}

/* ------------------------------------------------------------------ matrices -- */

static hyla_status make(struct hy_refinement *t) {
  const struct hy_lstsq *s = t->s;
  const int64_t n = t->count;
  const struct hy_axis whole = hy_axis_whole(n),
                       dealt = hy_axis_dealt(t->cube, HY_PIVOTED_PANEL, s->rows);
  const hyla_layout rows = {.row = dealt.code, .col = whole.code},
                    all = {.row = whole.code, .col = whole.code};
  hyla_matrix **const by_rows[] = {&t->r, &t->f}, **const copies[] = {&t->w, &t->d};
  TRY(hy_matrix_make(t->cube, s->type, s->rows, s->k, &rows, &t->a));
  if (s->options.lower != NULL)
    TRY(hy_matrix_make(t->cube, s->type, s->rows, s->k, &rows, &t->lower));
  for (int i = 0; i < 2; i++) {
    TRY(hy_matrix_make(t->cube, s->type, s->rows, n, &rows, by_rows[i]));
    TRY(hy_matrix_make(t->cube, s->type, s->k, n, &all, copies[i]));
  }
  TRY(hy_matrix_make(t->cube, s->type, s->b->row.n, n, s->wide ? &all : &rows, &t->b));
  TRY(hy_lstsq_sides(s, s->rows, n, &t->z));
  TRY(hy_lstsq_take(s, 4 * s->k * n, sizeof *t->sums, &t->sums));
  return hy_lstsq_take(s, n, sizeof *t->courses, &t->courses);
}

static hyla_status plan_move(struct hy_refinement *t, int step, const hyla_matrix *from,
                             const hyla_matrix *to) {
  return hy_lstsq_plan_move(t->s, &t->step[step], HYLA_NONE, from, to, HY_WHOLE);
}

static hyla_status plan_steps(struct hy_refinement *t) {
  const struct hy_lstsq *s = t->s;
  const hyla_matrix upper = hy_matrix_part(t->c, 0, 0, s->k, t->count),
                    lower = hy_matrix_part(t->z, 0, 0, s->k, t->count);
  TRY(hy_lstsq_plan_bring(s, &t->step[TO_A], s->a, t->a));
  if (t->lower != NULL) TRY(hy_lstsq_plan_bring(s, &t->step[TO_LOWER], s->options.lower, t->lower));
  TRY(plan_move(t, TO_B, s->b, t->b));
  TRY(plan_move(t, FROM_X, s->x, s->wide ? t->r : t->w));
  TRY(plan_move(t, TO_X, s->wide ? t->r : t->w, s->x));
  TRY(plan_move(t, D_TO_Z, t->d, &lower));
  TRY(hy_lstsq_plan_by(s, &t->step[BY_ADJOINT], &s->r, HYLA_CONJUGATE, s->k, t->z));
  TRY(plan_move(t, F_TO_C, t->f, t->c));
  TRY(hy_lstsq_plan_times(s, &t->step[TIMES_ADJOINT], s->factor, HYLA_CONJUGATE, t->c));
  TRY(hy_lstsq_plan_by(s, &t->step[BY_R], &s->r, HYLA_NONE, s->k, t->c));
  TRY(plan_move(t, C_TO_D, &upper, t->d));
  TRY(hy_lstsq_plan_times(s, &t->step[TIMES_Q], s->factor, HYLA_NONE, t->z));
  return plan_move(t, Z_TO_F, t->z, t->f);
}

hyla_status hy_lstsq_plan_refinement(struct hy_lstsq *s) {
  if (s->refinement != NULL || s->k == 0 || s->b->col.n == 0) return HYLA_OK;
  TRY(hy_lstsq_take(s, 1, sizeof *s->refinement, &s->refinement));
  struct hy_refinement *t = s->refinement;
  t->s = s;
  t->cube = s->cube;
  t->k = s->a->k;
  t->count = s->b->col.n;
  t->c = s->c;
  TRY(make(t));
  return plan_steps(t);
}

static hyla_status refine(struct hy_refinement *t) {
  TRY(hy_lstsq_run_bring(t->s, &t->step[TO_A], t->a));
  if (t->lower != NULL) TRY(hy_lstsq_run_bring(t->s, &t->step[TO_LOWER], t->lower));
  TRY(run(t, TO_B));
  TRY(run(t, FROM_X));
  TRY(iterate(t));
  return run(t, TO_X);
}

hyla_status hy_lstsq_refine(struct hy_lstsq *s) {
  if (s->report.rank < s->k) return HYLA_OK;
  TRY(hy_lstsq_plan_refinement(s));
  return s->refinement == NULL ? HYLA_OK : refine(s->refinement);
}

void hy_lstsq_free_refinement(struct hy_lstsq *s) {
  struct hy_refinement *t = s->refinement;
  if (t == NULL) return;
  hyla_matrix **const all[] = {&t->z, &t->d, &t->w, &t->f, &t->r, &t->b, &t->lower, &t->a};
  for (int i = 0; i < STEPS; i++) hy_lstsq_free_step(&t->step[i]);
  hy_free(&s->cube->base, &t->courses);
  hy_free(&s->cube->base, &t->sums);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) (void)hyla_matrix_destroy(all[i]);
  hy_free(&s->cube->base, &s->refinement);
}
