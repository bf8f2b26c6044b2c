/* The variant small: every node has all of A, of an order up to HY_SMALL, and finds values
 * and vectors alone.
 *
 * Reference: Jacobi 1846; Golub and Van Loan 2013, section 8.5.  theory.md, eigen:small.
 * Layout: A as the other variants have it; the vectors are the same on all nodes, and each keeps
 * its entries.
 * Method: cyclic Jacobi in long double.  Where few entries are rounded, each rounding counts: a
 * reduction in A's type leaves errors of some n ulp, and this one those of the result.
 * Steps: one all-reduction of the triangle, 2 n^2 words.  Flops: some 60 n^3, all on every node.
 * The same bits on any number of ranks. */
#include "solve/eigen.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Operations that are counted, for n^3. */
enum { FLOPS = 60 };

typedef hy_small_entry entry;

struct state {
  struct hy_eigen_found found; /* first: the front reads it */
  const struct hy_eigen_task *task;
  hyla_cube *cube;
  int n;
  struct hy_small small; /* A's lower triangle */
  entry *a, *v;          /* n x n: A, which becomes diagonal, and the vectors */
  int *order;            /* of A's diagonal, ascending */
};

static const char *applies(const void *problem) {
  const struct hy_eigen_task *task = problem;
  return task->n <= HY_SMALL ? NULL : "for orders up to 16";
}

/* ------------------------------------------------------------------ rotate -- */

/* The rotation J that makes entry (p, q) of J^H A J zero; false: it is negligible. */
static bool rotate(const struct state *s, int p, int q, long double least) {
  const int n = s->n;
  entry *a = s->a;
  const entry off = a[p + q * n];
  const long double size = cabsl(off);
  if (!(size > least)) return false;
  const struct hy_small_angle by = hy_small_angle(creall(a[q + q * n]) - creall(a[p + p * n]), off);
  const long double moved = by.t * size;
  const long double first = creall(a[p + p * n]) - moved, last = creall(a[q + q * n]) + moved;
  hy_small_turn(n, a, p, q, by.c, by.se);
  hy_small_turn(n, s->v, p, q, by.c, by.se);
  for (int j = 0; j < n; j++) { /* the rows, as A stays Hermitian */
    a[p + j * n] = conjl(a[j + p * n]);
    a[q + j * n] = conjl(a[j + q * n]);
  }
  a[p + p * n] = first;
  a[q + q * n] = last;
  a[p + q * n] = a[q + p * n] = 0;
  return true;
}

/* Sweeps until nothing is turned; false: too many. */
static bool diagonalize(const struct state *s) {
  const int n = s->n;
  long double size = 0;
  for (int i = 0; i < n * n; i++) size = fmaxl(size, cabsl(s->a[i]));
  for (int sweep = 0; sweep < HY_SMALL_SWEEPS; sweep++) {
    bool turned = false;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++)
        if (rotate(s, p, q, LDBL_EPSILON / 4 * size)) turned = true;
    if (!turned) return true;
  }
  return false;
}

/* ------------------------------------------------------------------ values -- */

/* Both triangles. */
static void load(const struct state *s) {
  const int n = s->n;
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      s->a[i + j * n] = hy_small_at(&s->small, i, j);
      s->a[j + i * n] = conjl(s->a[i + j * n]);
    }
  for (int i = 0; i < n * n; i++) s->v[i] = i % (n + 1) == 0;
}

static void sort(const struct state *s) {
  const int n = s->n;
  for (int i = 0; i < n; i++) {
    const long double value = creall(s->a[i + i * n]);
    int j = i;
    for (; j > 0 && creall(s->a[s->order[j - 1] * (n + 1)]) > value; j--)
      s->order[j] = s->order[j - 1];
    s->order[j] = i;
  }
  for (int i = 0; i < n; i++)
    s->found.values[i] = (double)ldexpl(creall(s->a[s->order[i] * (n + 1)]), s->small.exponent);
}

static hyla_status solve(struct state *s) {
  const struct hy_kernels *k = s->task->a->k;
  TRY(hy_small_bring(&s->small, s->task->a, HY_LOWER_PART));
  hy_compute(s->cube, FLOPS * (int64_t)s->n * s->n * s->n, sizeof(double), k->complex_type);
  if (k->dry) return HYLA_OK;
  load(s);
  CHECK(&s->cube->base, diagonalize(s), UNRELIABLE,
        "an eigenvalue did not converge in %d sweeps of rotations", HY_SMALL_SWEEPS);
  sort(s);
  return HYLA_OK;
}

static hyla_status values(void *state) {
  struct state *s = state;
  TRY(hy_agree(s->cube, s->cube->address >= 0 && s->n > 0 ? solve(s) : HYLA_OK));
  hy_part(s->cube, "values");
  if (hy_cube_counts(s->cube)) return HYLA_OK; /* without guests */
  return hy_agree(
      s->cube, hy_tell_guests(s->cube, s->found.values, s->n * (int64_t)sizeof *s->found.values));
}

/* ----------------------------------------------------------------- vectors -- */

/* This node's entries of the vectors of values first ... */
static hyla_status vectors(void *state, int64_t first, const hyla_matrix *v) {
  const struct state *s = state;
  for (int64_t m = 0; m < v->local_cols && !v->k->dry; m++) {
    const int64_t column = s->order[first + hyla_matrix_col(v, m)];
    for (int64_t l = 0; l < v->local_rows; l++)
      v->k->set(hy_at(v, l, m), 0, (double _Complex)s->v[hyla_matrix_row(v, l) + column * s->n]);
  }
  return HYLA_OK;
}

/* ------------------------------------------------------------------ a row -- */

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_eigen_task *task = given;
  hyla_cube *cube = task->cube;
  struct state *s = NULL;
  (void)variant;
  TRY(hy_alloc(&cube->base, 1, sizeof *s, &s));
  *state = s;
  *s = (struct state){.task = task, .cube = cube, .n = (int)task->n};
  TRY(hy_alloc_for(&cube->base, s, task->n, sizeof *s->found.values, &s->found.values));
  return hy_small_create(s, task->a, task->n, task->n, &s->small);
}

static hyla_status take(struct state *s) {
  const int64_t entries = (int64_t)s->n * s->n;
  const struct hy_owned arrays[] = {{&s->a, entries * (int64_t)sizeof *s->a},
                                    {&s->v, entries * (int64_t)sizeof *s->v},
                                    {&s->order, s->n * (int64_t)sizeof *s->order},
                                    {0}};
  TRY(hy_take_arrays(&s->cube->base, s, arrays));
  return hy_small_allocate(s, &s->small);
}

static hyla_status allocate(void *state) {
  struct state *s = state;
  return hy_agree(s->cube, s->cube->address < 0 ? HYLA_OK : take(s));
}

/* Played, there are no vectors to set. */
static hyla_status run(void *state) { return values(state); }

static void explain(const void *state, struct hy_text *text) {
  const struct state *s = state;
  hy_text_add(text, "  by rotations, all of it on every node\n");
  hy_explain_asked(&s->small.sums, "the triangle", text);
}

static const struct hy_eigen_traits TRAITS = {values, vectors, false};

const struct hy_variant hy_eigen_small = {.name = "small",
                                          .reference = "golub-2013, section 8.5",
                                          .traits = &TRAITS,
                                          .fixed = true,
                                          .arrays = true,
                                          .applies = applies,
                                          HY_OPERATIONS};
