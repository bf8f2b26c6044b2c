/* Least squares: refinement with residuals in twice the precision.
 *
 * Reference: Bjorck 1967; Ogita, Rump and Oishi 2005, for the sums.  theory.md, lstsq.
 * Method: x and the residual r solve
 *
 *   [ I    A ] [r]   [b]
 *   [ A^H  0 ] [x] = [0]
 *
 * With f = b - r - A x and g = -A^H r, rounded once each, the factors A = Q R give the corrections
 *
 *   z = R^-H g,   c = Q^H f,   dx = R^-1 (c_1 - z),   dr = Q [z; c_2]
 *
 * Each step makes the errors of both smaller by about the condition of A times u, also where r is
 * large; one-sided refinement of x alone would have its square.  Each column of X is treated by
 * itself: its steps end when a correction is rounding, or does not halve; then it is left out.
 * Layout: A, b and r by rows, dealt out to all nodes; x and g whole on each.  So sums are added up
 * locally, and those of g by one all-reduction of two words an entry.
 * Steps: each solves two triangular systems and applies Q twice.  Memory: a copy of A, three of b.
 * Entries of A may have a second word, which the residuals alone see.
 * Restriction: op(A) has full rank, and no more columns than rows. */
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

struct refinement {
  struct hy_lstsq *s;
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t count;              /* of columns */
  hyla_matrix *lower;         /* second words of A; NULL: there are none */
  hyla_matrix *a, *b, *r, *f; /* by rows */
  hyla_matrix *x, *d;         /* whole: x; a correction, or g */
  hyla_matrix *c, *z;         /* as Q multiplies them */
  struct pair *sums;          /* of g, real and imaginary parts; twice */
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
static void subtract_entry(const struct refinement *t, struct pair sum[2], int64_t row, int64_t col,
                           double _Complex y, bool conjugated) {
  subtract(sum, entry(t->a, row, col), y, conjugated);
  if (t->lower != NULL) subtract(sum, entry(t->lower, row, col), y, conjugated);
}

/* f := b - r - A x. */
static void find_upper(const struct refinement *t) {
  for (int64_t j = 0; j < t->count && !t->k->dry; j++)
    for (int64_t i = 0; i < t->f->local_rows; i++) {
      struct pair sum[2] = {{0, 0}, {0, 0}};
      subtract(sum, entry(t->b, i, j), -1, false);
      subtract(sum, entry(t->r, i, j), 1, false);
      for (int64_t l = 0; l < t->s->k; l++) subtract_entry(t, sum, i, l, entry(t->x, l, j), false);
      t->k->set(hy_at(t->f, i, j), 0, rounded(sum));
    }
}

/* d := g = -A^H r. */
static hyla_status find_lower(const struct refinement *t) {
  const int64_t k = t->s->k, pairs = 2 * k * t->count;
  memset(t->sums, 0, (size_t)pairs * sizeof *t->sums);
  for (int64_t j = 0; j < t->count && !t->k->dry; j++)
    for (int64_t l = 0; l < k; l++)
      for (int64_t i = 0; i < t->a->local_rows; i++)
        subtract_entry(t, &t->sums[2 * (j * k + l)], i, l, entry(t->r, i, j), true);
  TRY(hy_allreduce(t->cube, hy_all_dims(t->cube), t->sums, pairs, sizeof *t->sums, add_pairs, NULL,
                   t->sums + pairs));
  for (int64_t j = 0; j < t->count && !t->k->dry; j++)
    for (int64_t l = 0; l < k; l++)
      t->k->set(hy_at(t->d, l, j), 0, rounded(&t->sums[2 * (j * k + l)]));
  return HYLA_OK;
}

static hyla_status find_residuals(const struct refinement *t) {
  hyla_status status = HYLA_OK;
  if (t->cube->address >= 0) {
    find_upper(t);
    status = find_lower(t);
  }
  return hy_agree(t->cube, status);
}

/* --------------------------------------------------------------- corrections -- */

/* [c_1; c_2] := [c_1 - z; c_2] and [z; 0] := [z; c_2]. */
static void combine(const struct refinement *t) {
  const hyla_matrix *c = t->c, *z = t->z;
  const int64_t begin = c->local_rows == 0 ? 0 : hy_axis_before(&c->row, c->row_part, t->s->k);
  for (int64_t j = 0; j < c->local_cols && c->local_rows > 0 && !t->k->dry; j++) {
    for (int64_t i = 0; i < begin; i++)
      t->k->set(hy_at(c, i, j), 0, entry(c, i, j) - entry(z, i, j));
    hy_copy_entries(t->k, hy_at(z, begin, j), hy_at(c, begin, j), c->local_rows - begin);
  }
}

/* d := dx, f := dr. */
static hyla_status correct(const struct refinement *t) {
  struct hy_lstsq *s = t->s;
  hyla_matrix upper = hy_matrix_part(t->c, 0, 0, s->k, t->count),
              lower = hy_matrix_part(t->z, 0, 0, s->k, t->count);
  TRY(hy_lstsq_move(t->cube, HYLA_NONE, t->d, &lower));
  TRY(hy_lstsq_substitute(s, &s->r, HYLA_CONJUGATE, s->k, &lower));
  TRY(hy_lstsq_move(t->cube, HYLA_NONE, t->f, t->c));
  TRY(hy_lstsq_times_q(s, s->factor, HYLA_CONJUGATE, t->c));
  combine(t);
  TRY(hy_lstsq_substitute(s, &s->r, HYLA_NONE, s->k, &upper));
  TRY(hy_lstsq_move(t->cube, HYLA_NONE, &upper, t->d));
  TRY(hy_lstsq_times_q(s, s->factor, HYLA_NONE, t->z));
  return hy_lstsq_move(t->cube, HYLA_NONE, t->z, t->f);
}

static double size_of(const hyla_matrix *m, int64_t j) {
  double size = 0;
  for (int64_t i = 0; i < m->local_rows; i++) size += cabs(entry(m, i, j));
  return size;
}

/* x := x + dx and r := r + dr in a column, if dx is a step forward. */
static bool advance(const struct refinement *t, int64_t j) {
  const double correction = size_of(t->d, j), x = size_of(t->x, j);
  if (!hy_course_advance(&t->courses[j], correction == 0 ? 0 : correction / x, t->k->epsilon))
    return false;
  for (int64_t i = 0; i < t->s->k; i++)
    t->k->set(hy_at(t->x, i, j), 0, entry(t->x, i, j) + entry(t->d, i, j));
  for (int64_t i = 0; i < t->r->local_rows; i++)
    t->k->set(hy_at(t->r, i, j), 0, entry(t->r, i, j) + entry(t->f, i, j));
  return true;
}

/* All nodes have x, d and the courses alike. */
static bool advance_all(const struct refinement *t) {
  bool better = false;
  for (int64_t j = 0; j < t->count; j++) better = advance(t, j) || better;
  return better;
}

/* r := b - A x, in f's place first. */
static hyla_status begin(const struct refinement *t) {
  if (t->cube->address < 0 || t->k->dry) return HYLA_OK;
  for (int64_t j = 0; j < t->count; j++)
    memset(hy_at(t->r, 0, j), 0, (size_t)t->r->local_rows * t->k->size);
  find_upper(t);
  for (int64_t j = 0; j < t->count; j++) {
    hy_copy_entries(t->k, hy_at(t->r, 0, j), hy_at(t->f, 0, j), t->r->local_rows);
    t->courses[j] = (struct hy_course){.last = INFINITY};
  }
  return HYLA_OK;
}

/* Guests are told whether nodes go on, and the corrections in the end. */
static hyla_status iterate(const struct refinement *t) {
  hyla_lstsq_report *report = &t->s->report;
  int64_t more = 1;
  TRY(hy_agree(t->cube, begin(t)));
  for (report->refinements = 0; report->refinements < ROUNDS && more != 0; report->refinements++) {
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

static hyla_status make(struct refinement *t) {
  const struct hy_lstsq *s = t->s;
  const int64_t n = t->count;
  const struct hy_axis whole = hy_axis_whole(n),
                       dealt = hy_axis_dealt(t->cube, HY_PIVOTED_PANEL, s->rows);
  const hyla_layout rows = {.row = dealt.code, .col = whole.code},
                    all = {.row = whole.code, .col = whole.code};
  hyla_matrix **const by_rows[] = {&t->b, &t->r, &t->f}, **const copies[] = {&t->x, &t->d};
  TRY(hy_matrix_make(t->cube, s->type, s->rows, s->k, &rows, &t->a));
  if (s->options.lower != NULL)
    TRY(hy_matrix_make(t->cube, s->type, s->rows, s->k, &rows, &t->lower));
  for (int i = 0; i < 3; i++) TRY(hy_matrix_make(t->cube, s->type, s->rows, n, &rows, by_rows[i]));
  for (int i = 0; i < 2; i++) TRY(hy_matrix_make(t->cube, s->type, s->k, n, &all, copies[i]));
  TRY(hy_lstsq_sides(s, s->rows, n, &t->c));
  TRY(hy_lstsq_sides(s, s->rows, n, &t->z));
  TRY(hy_lstsq_take(s, 4 * s->k * n, sizeof *t->sums, &t->sums));
  return hy_lstsq_take(s, n, sizeof *t->courses, &t->courses);
}

static void free_all(struct refinement *t) {
  hyla_matrix **const all[] = {&t->z, &t->c, &t->d, &t->x, &t->f, &t->r, &t->b, &t->lower, &t->a};
  hy_free(&t->cube->base, &t->courses);
  hy_free(&t->cube->base, &t->sums);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) (void)hyla_matrix_destroy(all[i]);
}

static hyla_status refine(struct refinement *t, const hyla_matrix *b, hyla_matrix *x) {
  TRY(make(t));
  TRY(hy_lstsq_bring(t->s, t->s->a, t->a));
  if (t->lower != NULL) TRY(hy_lstsq_bring(t->s, t->s->options.lower, t->lower));
  TRY(hy_lstsq_move(t->cube, HYLA_NONE, b, t->b));
  TRY(hy_lstsq_move(t->cube, HYLA_NONE, x, t->x));
  TRY(iterate(t));
  return hy_lstsq_move(t->cube, HYLA_NONE, t->x, x);
}

hyla_status hy_lstsq_refine(struct hy_lstsq *s, const hyla_matrix *b, hyla_matrix *x) {
  struct refinement t = {.s = s, .cube = s->cube, .k = s->a->k, .count = b->col.n};
  if (s->wide || s->report.rank < s->k || s->k == 0 || t.count == 0) return HYLA_OK;
  const int64_t held = hy_count_held(s->cube);
  hyla_status status = refine(&t, b, x);
  free_all(&t);
  hy_count_drop(s->cube, held);
  return status;
}
