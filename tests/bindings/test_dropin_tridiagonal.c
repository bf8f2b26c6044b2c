/* The drop-in's p?sytrd and p?hetrd: the form multiplied out is A again, D, E and TAU stand where
 * ScaLAPACK has them, and nothing else changes; ScaLAPACK's p?ormtr takes the reflections. */
// ranks: 1 3 4 6
// sample: 1 4 6
// limit: 240
#include "dropin_case.h"

#include "tests/solve/form_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNTOUCHED = 77 };

static int draw(int low, int high) { return (int)harness_draw(low, high); }
static bool is_single(int type) { return type == S || type == C; }

/* The results beside A, each with room for a number of any type for every local column. */
struct results {
  void *d, *e, *tau;
};

static double number(bool single, const void *from, int at) {
  return single ? (double)((const float *)from)[at] : ((const double *)from)[at];
}

static void *untouched(const struct array *a) {
  const int count = 2 * (a->local_cols + 1);
  double *numbers = malloc((size_t)count * sizeof *numbers);
  assert_non_null(numbers);
  for (int i = 0; i < count; i++)
    if (is_single(a->type))
      ((float *)(void *)numbers)[i] = UNTOUCHED;
    else
      numbers[i] = UNTOUCHED;
  return numbers;
}

static struct results open_results(const struct array *a) {
  return (struct results){untouched(a), untouched(a), untouched(a)};
}
static void close_results(struct results *r) { free(r->d), free(r->e), free(r->tau); }

static void reduce(char triangle, struct array *a, const struct results *r) {
  union scalar words = {0};
  int query = -1, info = 99;
  routine *call = routine_of(a->type, a->type >= C ? "hetrd" : "sytrd");
  call(&triangle, &a->rows, PLACE(*a), r->d, r->e, r->tau, &words, &query, &info);
  assert_int_equal(info, 0);
  int length = (int)number(is_single(a->type), &words, 0);
  void *work = calloc((size_t)length + 1, 16);
  assert_non_null(work);
  info = 99;
  call(&triangle, &a->rows, PLACE(*a), r->d, r->e, r->tau, work, &length, &info);
  assert_int_equal(info, 0);
  assert_int_equal((int)number(is_single(a->type), work, 0), length);
  free(work);
}

/* The number of a local column in the part, from 0. */
static int column(const struct grid *grid, const struct array *a, int local) {
  const int nb = a->desc[5], me = (grid->col - a->desc[7] + grid->q) % grid->q;
  return (local / nb * grid->q + me) * nb + local % nb - (a->j - 1);
}

/* What stands beside columns first ... end - 1 is ScaLAPACK's, and nothing else changes.  (There
 * ScaLAPACK leaves a number that belongs to no reflection, for an upper triangle.) */
static void compare(const struct grid *grid, const struct array *a, int first, int end, int width,
                    const void *mine, const void *theirs) {
  const bool single = is_single(a->type);
  /* T's entries may be far more sensitive than its spectrum: this is about their places. */
  const double near = a->rows * sqrt(unit_of(a->type));
  for (int l = 0; l < a->local_cols; l++)
    for (int p = 0; p < width; p++) {
      const int j = column(grid, a, l);
      const double one = number(single, mine, l * width + p),
                   other =
                       j < first || j >= end ? UNTOUCHED : number(single, theirs, l * width + p);
      if (!(fabs(one - other) <= (other == UNTOUCHED ? 0 : near)))
        fail_msg("column %d: %g, ScaLAPACK has %g", j, one, other);
    }
}

/* tau of every reflection, on every process. */
static double _Complex *whole_tau(const struct grid *grid, const struct array *a, char triangle,
                                  const void *tau) {
  const int n = a->rows, width = a->type >= C ? 2 : 1;
  double *mine = calloc((size_t)(2 * n + 1), sizeof *mine), *all = calloc((size_t)(2 * n + 1), 8);
  assert_non_null(mine);
  assert_non_null(all);
  for (int l = 0; l < a->local_cols && grid->row == 0; l++) {
    const int i = column(grid, a, l) - (triangle == 'U' ? 1 : 0);
    for (int p = 0; p < width && i >= 0 && i + 1 < n; p++)
      mine[2 * i + p] = number(is_single(a->type), tau, l * width + p);
  }
  harness_allreduce(mine, all, 2 * n + 1, MPI_DOUBLE, MPI_SUM);
  free(mine);
  return (double _Complex *)(void *)all;
}

/* D and E are T's entries in A. */
static void check_numbers(const struct grid *grid, const struct array *a, char triangle,
                          const double _Complex *whole, const struct results *r) {
  const int n = a->rows, back = triangle == 'U' ? 1 : 0;
  const bool single = is_single(a->type);
  for (int l = 0; l < a->local_cols; l++) {
    const int j = column(grid, a, l), i = j - back;
    if (j < 0 || j >= n) continue;
    assert_true(number(single, r->d, l) == creal(whole[j + j * n]));
    if (i < 0 || i + 1 >= n) continue;
    assert_true(number(single, r->e, l) == creal(whole[back ? i + j * n : i + 1 + i * n]));
  }
}

static void try_form(struct grid *grid, int type) {
  const int n = draw(1, 40);
  const char triangle = "LU"[draw(0, 1)];
  struct array mine = array_make(grid, type, n, n, draw(1, 6), entry_hermitian);
  double _Complex *given = array_whole(grid, &mine);
  array_spoil(grid, &mine, triangle == 'L');
  struct array theirs = array_copy(&mine);
  struct results r = open_results(&mine), due = open_results(&mine);
  harness_note("p%csytrd %dx%d: %c, n %d", LETTERS[type], grid->p, grid->q, triangle, n);
  take_none();
  reduce(triangle, &theirs, &due);
  take_all();
  reduce(triangle, &mine, &r);
  take_none();
  const int first = triangle == 'U' ? 1 : 0, end = first + n - 1;
  compare(grid, &mine, 0, n, 1, r.d, due.d);
  compare(grid, &mine, first, end, 1, r.e, due.e);
  compare(grid, &mine, first, end, type >= C ? 2 : 1, r.tau, due.tau);
  assert_near(grid, &mine, &theirs, sqrt(unit_of(type)));
  double _Complex *whole = array_whole(grid, &mine);
  double _Complex *tau = whole_tau(grid, &mine, triangle, r.tau);
  check_numbers(grid, &mine, triangle, whole, &r);
  const double residual = form_residual(n, triangle == 'U', whole, tau, given);
  if (!(residual <= .5 * (n < 16 ? 16 : n) * unit_of(type)))
    fail_msg("a residual of %g n ulp", residual / (n * unit_of(type)));
  free(tau), free(whole), free(given);
  close_results(&due);
  close_results(&r);
  array_free(&theirs);
  array_free(&mine);
}

static void forms_are_scalapacks(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      struct harness_walk trials = some_trials(6);
      for (int64_t i; harness_next(&trials, &i);) try_form(&walk.grid, type);
    }
}

/* A NaN goes to ScaLAPACK, as do wrong arguments, whose INFO is its own; A has not changed. */
static void arguments_are_refused_as_by_scalapack(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int what = 0; what < 3; what++) {
      struct array a = array_make(&walk.grid, D, 12, 12, 3, entry_hermitian),
                   before = array_copy(&a);
      double d[64], e[64], tau[64], work[512] = {0};
      int length = what == 0 ? 1 : 512, infos[2] = {99, 99}, n = 12;
      char triangle = what == 1 ? 'X' : 'U';
      if (what == 2) a.i++; /* not the first row of a block */
      for (int mine = 0; mine < 2; mine++) {
        if (mine == 1)
          take_all();
        else
          take_none();
        routine_of(D, "sytrd")(&triangle, &n, PLACE(a), d, e, tau, work, &length, &infos[mine]);
      }
      take_none();
      if (what == 2) a.i--;
      assert_true(infos[0] < 0);
      assert_int_equal(infos[1], infos[0]);
      assert_near(&walk.grid, &a, &before, 0);
      array_free(&before);
      array_free(&a);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms_are_scalapacks),
      cmocka_unit_test(arguments_are_refused_as_by_scalapack),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
