/* Columns made orthogonal to rounding: V := V (I - T) where they are too far from it.
 *
 * Reference: Bjorck 1967, for one step of Gram and Schmidt on columns that are nearly orthogonal.
 * With V^H V = I + E and T the part of E above its diagonal and half of the diagonal,
 * (I - T)^H (I + E) (I - T) = I + O(|E|^2), |E| of some n u.  Columns up to a strip, and up to
 * twice the vectors of an estimate, which then costs no less than the step, take the step always.
 * Layout: any, with all entries once on the nodes, or all on each.
 * Method: |E| is estimated as the mean of |E x|^2 over vectors x of random signs, whose mean is
 * |E|^2 in the Frobenius norm.  The step takes strips of columns, from the last to the first, in
 * place: a strip changes by the columns before it, which have not changed.
 *
 *   gather:   S := the strip, on all ranks of a row of ranks
 *   project:  T := V^H S, above the diagonal; added up over the ranks of a column
 *   correct:  V's strip := strip - V T, added up over the ranks of a row
 *
 * Collectives: three all-reductions for the estimate; three for each strip of a step.  Flops for
 * n columns of m entries: 4 m n p for the estimate by p vectors; 2 m n^2 for a step. */
#include "solve/orthogonal.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Columns of a strip.  Vectors of random signs, at least and at most a strip: where one direction
 * is far, each sees the square of a normal number times |E|^2; so PROBED / m of them. */
enum { STRIP = 64, LEAST = 8, PROBED = 8192 };
/* Units of m ulp from which on a step is taken: the bound is 1, and the estimate of |E| may be some
 * tenths too small. */
static const double FAR = .7;

struct hy_orthogonal {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t rows, cols;                         /* on this rank, the most */
  char *along, *down;                         /* STRIP columns of `rows' and of `cols' entries */
  struct hy_subcube_op sums_along, sums_down; /* over a row and over a column of ranks */
  struct hy_subcube_op totals;
  bool stepped; /* in the latest run */
};

/* ---------------------------------------------------------------- products -- */

static int distance(int64_t rows) { return (int)hy_max(1, rows); }

static char *column_of(const struct hy_orthogonal *s, char *of, int64_t ld, int64_t column) {
  return of + column * ld * (int64_t)s->k->size;
}

/* along := alpha V down, for V's first `cols' local columns, added up. */
static hyla_status multiply(const struct hy_orthogonal *s, const hyla_matrix *v, int64_t cols,
                            int width, double alpha) {
  const struct hy_kernels *k = s->k;
  const int rows = (int)v->local_rows;
  hy_compute(s->cube, 2 * rows * cols * width, k->size, k->complex_type);
  if (cols > 0 && rows > 0)
    k->gemm(HYLA_NONE, HYLA_NONE, rows, width, (int)cols, alpha, v->local, (int)v->ld, s->down,
            distance(v->local_cols), 0, s->along, rows);
  else if (!k->dry)
    memset(s->along, 0, (size_t)(rows * (int64_t)width) * k->size);
  return hy_subcube_allreduce(&s->sums_along, s->along, rows * (int64_t)width, hy_solve_sum, k);
}

/* down := V^H along, for V's first `cols' local columns, added up. */
static hyla_status project(const struct hy_orthogonal *s, const hyla_matrix *v, int64_t cols,
                           int width) {
  const struct hy_kernels *k = s->k;
  const int rows = (int)v->local_rows, ld = distance(v->local_cols);
  hy_compute(s->cube, 2 * rows * cols * width, k->size, k->complex_type);
  if (!k->dry) memset(s->down, 0, (size_t)(ld * (int64_t)width) * k->size);
  if (cols > 0 && rows > 0)
    k->gemm(HYLA_CONJUGATE, HYLA_NONE, (int)cols, width, rows, 1, v->local, (int)v->ld, s->along,
            rows, 0, s->down, ld);
  return hy_subcube_allreduce(&s->sums_down, s->down, v->local_cols * width, hy_solve_sum, k);
}

/* ---------------------------------------------------------------- estimate -- */

/* The sign of entry j of vector x. */
static double sign_of(const hyla_matrix *v, int64_t j, int x) {
  const int64_t column = hyla_matrix_col(v, j);
  return hy_fingerprint((uint64_t)x, &column, sizeof column) >> 63 ? 1 : -1;
}

static void add_up(void *into, const void *from, int64_t count, const void *arg) {
  double *to = into;
  const double *add = from;
  const struct hy_kernels *k = arg;
  (void)count; /* count is 1 */
  if (!k->dry) *to += *add;
}

/* The vectors of an estimate. */
static int probes_of(const hyla_matrix *v) {
  return (int)hy_max(LEAST, hy_min(PROBED / hy_max(1, v->row.n), STRIP));
}

bool hy_orthogonal_certain(const hyla_matrix *v) {
  return v->col.n <= hy_max(STRIP, 2 * probes_of(v));
}

/* An estimate of |V^H V - I| in the Frobenius norm, the same on all nodes. */
static hyla_status estimate(const struct hy_orthogonal *s, const hyla_matrix *v, double *far) {
  const struct hy_kernels *k = s->k;
  const int64_t cols = v->local_cols, ld = distance(cols);
  const int probes = probes_of(v);
  double squares = 0;
  for (int x = 0; x < probes && !k->dry; x++)
    for (int64_t j = 0; j < cols; j++) k->set(column_of(s, s->down, ld, x), j, sign_of(v, j, x));
  TRY(multiply(s, v, cols, probes, 1));
  TRY(project(s, v, cols, probes));
  for (int x = 0; x < probes && !k->dry; x++)
    for (int64_t j = 0; j < cols; j++) {
      char *entry = column_of(s, s->down, ld, x);
      k->set(entry, j, k->get(entry, j) - sign_of(v, j, x));
    }
  /* All ranks of a column of ranks have these entries. */
  if (!k->dry && v->row_part == 0 && cols > 0)
    squares = k->squares((int)cols, probes, s->down, (int)ld, 1);
  TRY(hy_subcube_allreduce(&s->totals, &squares, 1, add_up, k));
  *far = k->dry ? 0 : sqrt(squares / probes);
  return HYLA_OK;
}

/* -------------------------------------------------------------------- step -- */

/* V's columns first ... first+width-1 to `along', or what is there added to them. */
static void move_strip(const struct hy_orthogonal *s, const hyla_matrix *v, int64_t first,
                       int width, bool back) {
  const struct hy_kernels *k = s->k;
  const int rows = (int)v->local_rows;
  const int64_t end = hy_axis_before(&v->col, v->col_part, first + width);
  for (int64_t c = hy_axis_before(&v->col, v->col_part, first); c < end && rows > 0; c++) {
    char *here = column_of(s, s->along, rows, hyla_matrix_col(v, c) - first);
    if (back)
      k->add(rows, 1, here, rows, hy_at(v, 0, c), rows);
    else
      memcpy(here, hy_at(v, 0, c), (size_t)rows * k->size);
  }
}

/* down: E's entries in columns first ... become T's. */
static void cut(const struct hy_orthogonal *s, const hyla_matrix *v, int64_t first, int width) {
  const struct hy_kernels *k = s->k;
  const int64_t ld = distance(v->local_cols);
  for (int x = 0; x < width; x++) {
    char *column = column_of(s, s->down, ld, x);
    for (int64_t j = hy_axis_before(&v->col, v->col_part, first + x); j < v->local_cols; j++) {
      const bool diagonal = hyla_matrix_col(v, j) == first + x;
      k->set(column, j, diagonal ? (creal(k->get(column, j)) - 1) / 2 : 0);
    }
  }
}

static hyla_status correct(const struct hy_orthogonal *s, const hyla_matrix *v, int64_t first,
                           int width) {
  const int64_t cols = hy_axis_before(&v->col, v->col_part, first + width);
  const bool dry = s->k->dry;
  if (!dry) memset(s->along, 0, (size_t)(v->local_rows * width) * s->k->size);
  if (!dry) move_strip(s, v, first, width, false);
  TRY(hy_subcube_allreduce(&s->sums_along, s->along, v->local_rows * width, hy_solve_sum, s->k));
  TRY(project(s, v, cols, width));
  if (!dry) cut(s, v, first, width);
  TRY(multiply(s, v, cols, width, -1));
  if (!dry) move_strip(s, v, first, width, true);
  return hy_link_poll(s->cube);
}

static hyla_status take_step(const struct hy_orthogonal *s, const hyla_matrix *v) {
  for (int64_t last = hy_ceil_div(v->col.n, STRIP) - 1; last >= 0; last--)
    TRY(correct(s, v, last * STRIP, (int)hy_min(STRIP, v->col.n - last * STRIP)));
  return HYLA_OK;
}

hyla_status hy_orthogonal_run(struct hy_orthogonal *s, const hyla_matrix *v) {
  double far = INFINITY;
  s->stepped = false;
  if (s->cube->address < 0 || v->col.n == 0) return HYLA_OK;
  if (!hy_orthogonal_certain(v)) TRY(estimate(s, v, &far));
  s->stepped = far > FAR * (double)v->row.n * 2 * s->k->epsilon;
  return s->stepped ? take_step(s, v) : HYLA_OK;
}

bool hy_orthogonal_stepped(const struct hy_orthogonal *s) { return s->stepped; }

/* ------------------------------------------------------------------ memory -- */

/* s: a block. */
static hyla_status prepare(const hyla_matrix *v, struct hy_orthogonal *s) {
  hyla_cube *cube = v->cube;
  *s =
      (struct hy_orthogonal){.cube = cube, .k = v->k, .rows = v->local_rows, .cols = v->local_cols};
  const struct hy_group groups[] = {{&s->sums_along, hy_axis_mask(&v->col.code), HY_TASK_ALLREDUCE,
                                     hy_axis_most(&v->row) * STRIP, s->k->size},
                                    {&s->sums_down, hy_axis_mask(&v->row.code), HY_TASK_ALLREDUCE,
                                     hy_axis_most(&v->col) * STRIP, s->k->size},
                                    {&s->totals,
                                     hy_axis_mask(&v->row.code) | hy_axis_mask(&v->col.code),
                                     HY_TASK_ALLREDUCE, 1, sizeof(double)},
                                    {0}};
  return hy_make_groups(s, cube, groups);
}

hyla_status hy_orthogonal_create(const hyla_matrix *v, void *owner, struct hy_orthogonal **state) {
  TRY(hy_alloc_for(&v->cube->base, owner, 1, sizeof **state, state));
  return prepare(v, *state);
}

hyla_status hy_orthogonal_allocate(struct hy_orthogonal *s) {
  if (s->cube->address < 0) return HYLA_OK;
  const int64_t size = (int64_t)s->k->size;
  const struct hy_owned arrays[] = {
      {&s->along, s->rows * STRIP * size}, {&s->down, hy_max(1, s->cols) * STRIP * size}, {0}};
  struct hy_subcube_op *const groups[] = {&s->sums_along, &s->sums_down, &s->totals, NULL};
  TRY(hy_take_arrays(&s->cube->base, s, arrays));
  return hy_allocate_groups(groups);
}

/* -------------------------------------------------------------------- cost -- */

static hyla_status play_step(const hyla_matrix *v, struct hy_orthogonal **state) {
  hyla_cube *cube = v->cube;
  TRY(hy_alloc(&cube->base, 1, sizeof **state, state));
  TRY(prepare(v, *state));
  TRY(hy_orthogonal_allocate(*state));
  return take_step(*state, v);
}

hyla_status hy_orthogonal_step_cost(const hyla_matrix *v, int node, hyla_cost *cost) {
  const struct hy_operand lies = {.row = v->row, .col = v->col};
  struct hy_orthogonal *state = NULL;
  hyla_cube counting;
  *cost = (hyla_cost){0};
  if (node < 0 || v->col.n == 0) return HYLA_OK;
  hy_count_begin(v->cube, node, &counting);
  const hyla_matrix played = hy_matrix_counted(&counting, v->k->type, &lies);
  const hyla_status status = play_step(&played, &state);
  hy_free(&counting.base, &state);
  *cost = hy_count_end(v->cube, &counting, v->k->size);
  return status;
}

/* The most of any node. */
static hyla_status most_of(const hyla_matrix *v, hyla_cost *most) {
  *most = (hyla_cost){0};
  for (int p = 0; p < v->row.parts; p++)
    for (int q = 0; q < v->col.parts; q++) {
      hyla_cost cost;
      TRY(hy_orthogonal_step_cost(v,
                                  (int)(hy_axis_address(&v->row.code, (uint32_t)p) |
                                        hy_axis_address(&v->col.code, (uint32_t)q)),
                                  &cost));
      most->steps = hy_max(most->steps, cost.steps);
      most->messages = hy_max(most->messages, cost.messages);
      most->words = hy_max(most->words, cost.words);
    }
  return HYLA_OK;
}

void hy_orthogonal_explain(const hyla_matrix *v, const char *what, struct hy_text *text) {
  hyla_cost most;
  if (hy_orthogonal_certain(v)) return;
  if (most_of(v, &most) != HYLA_OK)
    hy_text_add(text,
                "  %s that are not orthogonal enough cost more: there is no memory to find how "
                "much\n",
                what);
  else
    hy_text_add(text,
                "  %s that are not orthogonal enough cost up to %lld steps, %lld messages, %lld "
                "words more\n",
                what, (long long)most.steps, (long long)most.messages, (long long)most.words);
}
