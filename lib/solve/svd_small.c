/* The method small: every node has all of A, of at most 16 rows and columns, and finds values and
 * vectors alone.
 *
 * Reference: Hestenes 1958; Demmel and Veselic 1992.  theory.md, svd:small.
 * Layout: A and its vectors as the method bidiagonal has them.
 * Method: pairs of columns of W are turned until all are orthogonal, W = A V at first with V = I;
 * the values are the columns' lengths, and U = W / values.  Columns whose lengths are roundings of
 * the largest one get any directions that are orthogonal to the others.
 * Steps: one all-reduction of A, 2 m n words.  Flops: some 60 m n^2, all on every node.  The same
 * bits on any number of ranks. */
#include "solve/bidiagonal/bidiagonal.h"
#include "solve/small.h"
#include "solve/svd.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Operations that are counted, for m n^2. */
enum { FLOPS = 60 };
/* Columns are orthogonal, and lengths are 0 beside the largest one, up to this. */
static const long double LEAST = 32 * LDBL_EPSILON;

struct state {
  struct hy_svd_found found; /* first: the front reads it */
  const struct hy_svd_task *task;
  hyla_cube *cube;
  int m, n;
  struct hy_small small;
  hy_small_entry *w, *v; /* m x n, n x n */
  long double *lengths;
  int *order; /* of lengths, descending */
};

static const char *applies(const void *given) {
  const struct hy_svd_task *task = given;
  if (task->accurate) return "values far below the largest one have no digits that are certain";
  return task->m <= HY_SMALL ? NULL : "for up to 16 rows and columns";
}

static void layouts(const hyla_cube *cube, int64_t m, int64_t n, hyla_layout *a, hyla_layout *u,
                    hyla_layout *v) {
  *a = *u = *v = hy_bidiagonal_layout(cube, m, n);
}

/* ------------------------------------------------------------------ rotate -- */

/* x^H y of columns of W. */
static hy_small_entry product(const struct state *s, int p, int q) {
  const hy_small_entry *x = &s->w[p * s->m], *y = &s->w[q * s->m];
  hy_small_entry sum = 0;
  for (int i = 0; i < s->m; i++) sum += conjl(x[i]) * y[i];
  return sum;
}

static void set_lengths(const struct state *s) {
  for (int j = 0; j < s->n; j++) s->lengths[j] = sqrtl(creall(product(s, j, j)));
}

static long double largest(const struct state *s) {
  long double most = 0;
  for (int j = 0; j < s->n; j++) most = fmaxl(most, s->lengths[j]);
  return most;
}

/* Makes two columns orthogonal; false: they are, or one is negligible. */
static bool rotate(const struct state *s, int p, int q, long double least) {
  const long double x = creall(product(s, p, p)), y = creall(product(s, q, q));
  const hy_small_entry off = product(s, p, q);
  if (!(x > least * least && y > least * least)) return false;
  if (!(cabsl(off) > LEAST * sqrtl(x) * sqrtl(y))) return false;
  const struct hy_small_angle by = hy_small_angle(y - x, off);
  hy_small_turn(s->m, s->w, p, q, by.c, by.se);
  hy_small_turn(s->n, s->v, p, q, by.c, by.se);
  return true;
}

/* Sweeps until nothing is turned; false: too many. */
static bool make_orthogonal(const struct state *s) {
  for (int sweep = 0; sweep < HY_SMALL_SWEEPS; sweep++) {
    bool turned = false;
    set_lengths(s);
    const long double least = LEAST * largest(s);
    for (int p = 0; p < s->n; p++)
      for (int q = p + 1; q < s->n; q++)
        if (rotate(s, p, q, least)) turned = true;
    if (!turned) return true;
  }
  return false;
}

/* --------------------------------------------------------------------- U -- */

/* Column j of W less its part in the columns before it, in descending order; its length. */
static long double project(const struct state *s, int rank) {
  hy_small_entry *x = &s->w[s->order[rank] * s->m];
  for (int twice = 0; twice < 2; twice++)
    for (int i = 0; i < rank; i++) {
      const hy_small_entry *y = &s->w[s->order[i] * s->m];
      const hy_small_entry part = product(s, s->order[i], s->order[rank]);
      for (int r = 0; r < s->m; r++) x[r] -= part * y[r];
    }
  return sqrtl(creall(product(s, s->order[rank], s->order[rank])));
}

/* Any direction orthogonal to the columns before it: a unit vector's rest that is not small. */
static long double complete(const struct state *s, int rank) {
  hy_small_entry *x = &s->w[s->order[rank] * s->m];
  long double length = 0;
  for (int i = 0; i < s->m && !(length * length * (2 * s->m) > 1); i++) {
    for (int r = 0; r < s->m; r++) x[r] = r == i;
    length = project(s, rank);
  }
  return length;
}

/* W's columns of length 1. */
static void set_left(const struct state *s) {
  const long double least = LEAST * largest(s);
  for (int rank = 0; rank < s->n; rank++) {
    const int j = s->order[rank];
    const bool vanishes = !(s->lengths[j] > least);
    const long double length = vanishes ? complete(s, rank) : s->lengths[j];
    for (int i = 0; i < s->m; i++) s->w[i + j * s->m] /= length;
  }
}

/* ------------------------------------------------------------------ values -- */

static void load(const struct state *s) {
  for (int j = 0; j < s->n; j++)
    for (int i = 0; i < s->m; i++) s->w[i + j * s->m] = hy_small_at(&s->small, i, j);
  for (int i = 0; i < s->n * s->n; i++) s->v[i] = i % (s->n + 1) == 0;
}

static void sort(const struct state *s) {
  set_lengths(s);
  for (int i = 0; i < s->n; i++) {
    int j = i;
    for (; j > 0 && s->lengths[s->order[j - 1]] < s->lengths[i]; j--) s->order[j] = s->order[j - 1];
    s->order[j] = i;
  }
  for (int i = 0; i < s->n; i++)
    s->found.values[i] = (double)ldexpl(s->lengths[s->order[i]], s->small.exponent);
}

/* This node's entries of vectors with `rows' rows, which go to their places in `to'. */
static void put(const struct state *s, const hy_small_entry *from, int rows,
                const hyla_matrix *to) {
  for (int64_t m = 0; m < to->local_cols; m++)
    for (int64_t l = 0; l < to->local_rows; l++)
      to->k->set(
          hy_at(to, l, m), 0,
          (double _Complex)from[hyla_matrix_row(to, l) + s->order[hyla_matrix_col(to, m)] * rows]);
}

static hyla_status solve(struct state *s) {
  const struct hy_svd_task *task = s->task;
  TRY(hy_small_bring(&s->small, task->a, HY_WHOLE));
  hy_compute(s->cube, FLOPS * (int64_t)s->m * s->n * s->n, sizeof(double), task->k->complex_type);
  if (task->k->dry) return HYLA_OK;
  load(s);
  CHECK(&s->cube->base, make_orthogonal(s), UNRELIABLE,
        "a singular value did not converge in %d sweeps of rotations", HY_SMALL_SWEEPS);
  sort(s);
  set_left(s);
  if (task->wants_u) put(s, s->w, s->m, task->u);
  if (task->wants_v) put(s, s->v, s->n, task->v);
  return HYLA_OK;
}

static hyla_status run(void *state) {
  struct state *s = state;
  double *values = s->found.values;
  TRY(hy_agree(s->cube, s->cube->address >= 0 && s->n > 0 ? solve(s) : HYLA_OK));
  hy_part(s->cube, "values and vectors");
  if (hy_cube_counts(s->cube)) return HYLA_OK; /* without guests */
  const hyla_status told = hy_tell_guests(s->cube, values, s->n * (int64_t)sizeof *values);
  s->found.report = (hyla_svd_report){0};
  if (s->n > 0 && !s->task->k->dry)
    s->found.report.absolute = (double)s->n * s->task->k->epsilon * values[0];
  return hy_agree(s->cube, told);
}

/* ----------------------------------------------------------------- the row -- */

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_svd_task *task = given;
  struct state *s = NULL;
  (void)variant;
  TRY(hy_alloc(&task->cube->base, 1, sizeof *s, &s));
  *state = s;
  *s = (struct state){.task = task, .cube = task->cube, .m = (int)task->m, .n = (int)task->n};
  TRY(hy_alloc_for(&s->cube->base, s, task->n, sizeof *s->found.values, &s->found.values));
  return hy_small_create(s, task->a, task->m, task->n, &s->small);
}

static hyla_status take(struct state *s) {
  const int64_t size = sizeof *s->w;
  const struct hy_owned arrays[] = {{&s->w, (int64_t)s->m * s->n * size},
                                    {&s->v, (int64_t)s->n * s->n * size},
                                    {&s->lengths, s->n * (int64_t)sizeof *s->lengths},
                                    {&s->order, s->n * (int64_t)sizeof *s->order},
                                    {0}};
  TRY(hy_take_arrays(&s->cube->base, s, arrays));
  return hy_small_allocate(s, &s->small);
}

static hyla_status allocate(void *state) {
  struct state *s = state;
  return hy_agree(s->cube, s->cube->address < 0 ? HYLA_OK : take(s));
}

static void explain(const void *state, struct hy_text *text) {
  const struct state *s = state;
  hy_text_add(text, "  by rotations, all of it on every node\n");
  hy_explain_asked(&s->small.sums, "the matrix", text);
}

static const struct hy_svd_traits TRAITS = {.layouts = layouts};

const struct hy_variant hy_svd_small = {.name = "small",
                                        .reference = "hestenes-1958, one-sided rotations",
                                        .traits = &TRAITS,
                                        .fixed = true,
                                        .arrays = true,
                                        .applies = applies,
                                        HY_OPERATIONS};
