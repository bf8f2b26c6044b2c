/* The drop-in's norms compared with ScaLAPACK itself: of rectangles, symmetric and Hermitian
 * matrices and triangles, in parts of arrays.  The triangle that is not meant is not read.  All
 * processes get the same bits; the ends of the types' ranges; NaN. */
// ranks: 1 3 4 6
// sample: 1 4 6
// limit: 240
#include "dropin_case.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int draw(int low, int high) { return (int)harness_draw(low, high); }
static bool is_single(int type) { return type == S || type == C; }

void Cdgamx2d(int context, const char *scope, const char *topology, int m, int n, double *a, int ld,
              int *rows, int *cols, int ld_places, int row, int col);

typedef float single_function();
typedef double real_function();

struct kind {
  char norm, triangle, diagonal;
};

/* The value of p?lange, p?lansy, p?lanhe or p?lantr. */
static double value_of(const char *name, const struct kind *kind, struct array *a) {
  char norm = kind->norm, triangle = kind->triangle, diagonal = kind->diagonal;
  const size_t length = (size_t)(8 * (a->m + a->n) + 400);
  void *work = calloc(length, sizeof(double));
  assert_non_null(work);
  routine *found = routine_of(a->type, name);
  double value = 0;
  const bool whole = strcmp(name, "lange") == 0, half = strcmp(name, "lantr") == 0;
#define VALUE(as)                                                                                  \
  (whole  ? ((as *)(void (*)(void))found)(&norm, &a->rows, &a->cols, PLACE(*a), work)              \
   : half ? ((as *)(void (*)(void))found)(&norm, &triangle, &diagonal, &a->rows, &a->cols,         \
                                          PLACE(*a), work)                                         \
          : ((as *)(void (*)(void))found)(&norm, &triangle, &a->rows, PLACE(*a), work))
  value = is_single(a->type) ? (double)VALUE(single_function) : VALUE(real_function);
#undef VALUE
  free(work);
  return value;
}

/* The norm of the triangle, from entries that every process knows: ScaLAPACK 2.2.1's p?lantr reads
 * the other triangle where there are several process rows. */
static double truth_of(const struct kind *kind, const struct array *a) {
  double sums[64] = {0}, largest = 0, squares = 0;
  const char norm = (char)toupper(kind->norm);
  for (int j = 0; j < a->cols; j++)
    for (int i = 0; i < a->rows; i++) {
      const bool in = kind->triangle == 'L' ? i >= j : i <= j;
      const double _Complex e = entry_random(a->rows, i, j);
      double x = !in                               ? 0
                 : i == j && kind->diagonal == 'U' ? 1
                 : a->type >= C                    ? cabs(e)
                                                   : fabs(creal(e));
      sums[norm == 'I' ? i : j] += x;
      largest = fmax(largest, x);
      squares += x * x;
    }
  if (norm == 'M') return largest;
  if (norm == 'F' || norm == 'E') return sqrt(squares);
  largest = 0;
  for (int k = 0; k < 64; k++) largest = fmax(largest, sums[k]);
  return largest;
}

/* Do all processes have it? */
static void assert_shared(const struct grid *grid, double value) {
  double both[2] = {value, -value};
  int unused[2];
  Cdgamx2d(grid->context, "A", " ", 2, 1, both, 2, unused, unused, -1, -1, -1);
  assert_true(fabs(both[0]) == fabs(value) && fabs(both[1]) == fabs(value));
}

static const char *const NAMES[] = {"lange", "lansy", "lanhe", "lantr"};

static void try_norm(struct grid *grid, int type, const char *name) {
  const struct kind kind = {"M1OIFEmoife"[draw(0, 10)], "LU"[draw(0, 1)], "NU"[draw(0, 1)]};
  const bool square = strcmp(name, "lansy") == 0 || strcmp(name, "lanhe") == 0;
  const int m = draw(1, 40), n = square ? m : draw(1, 40);
  /* ScaLAPACK's p?lansy adds other entries up if blocks are not square. */
  struct array a = array_make(grid, type, m, n, square ? draw(1, 6) : 0,
                              square ? entry_hermitian : entry_random);
  if (strcmp(name, "lange") != 0) array_spoil(grid, &a, kind.triangle == 'L');
  struct array before = array_copy(&a);
  take_none();
  const bool half = strcmp(name, "lantr") == 0;
  const double theirs = half ? truth_of(&kind, &a) : value_of(name, &kind, &a);
  take_all();
  const double mine = value_of(name, &kind, &a);
  harness_note("p%c%s %dx%d: %c %c %c, %d x %d: %.17g, not %.17g", LETTERS[type], name, grid->p,
               grid->q, kind.norm, kind.triangle, kind.diagonal, m, n, mine, theirs);
  assert_true(fabs(mine - theirs) <= 8 * (m + n) * unit_of(type) * theirs);
  assert_shared(grid, mine);
  assert_near(grid, &a, &before, 0);
  array_free(&before);
  array_free(&a);
}

static void norms_are_scalapacks(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step())
      for (int which = 0; which < 4; which++) {
        if (which == 2 && type < C) continue;
        struct harness_walk trials = some_trials(6);
        for (int64_t i; harness_next(&trials, &i);) try_norm(&walk.grid, type, NAMES[which]);
      }
}

/* 2^k A has 2^k times the norm, to the bit except for squares, to both ends of the range. */
static void norms_scale(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      const struct kind kind = {"M1IF"[draw(0, 3)], 'L', 'N'};
      struct array a = array_make(&walk.grid, type, 17, 11, 0, entry_random);
      const int most = is_single(type) ? 110 : 1010;
      const int exponent = draw(0, 1) ? most : -most;
      take_all();
      const double first = value_of("lange", &kind, &a);
      array_scale(&a, exponent);
      const double second = ldexp(value_of("lange", &kind, &a), -exponent);
      take_none();
      harness_note("p%clange %c times 2^%d: %.17g, %.17g", LETTERS[type], kind.norm, exponent,
                   first, second);
      assert_true(fabs(first - second) <= 8 * unit_of(type) * first);
      array_free(&a);
    }
}

static double _Complex entry_nan(int n, int row, int col) {
  return row == n / 2 && col == n / 3 ? (double)NAN : entry_random(n, row, col);
}

static void a_nan_is_told(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int norm = 0; norm < 4; norm++) {
      const struct kind kind = {"M1IF"[norm], 'L', 'N'};
      struct array a = array_make(&walk.grid, draw(0, 3), 9, 9, 0, entry_nan);
      take_all();
      assert_true(isnan(value_of("lange", &kind, &a)));
      take_none();
      array_free(&a);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(norms_are_scalapacks),
      cmocka_unit_test(norms_scale),
      cmocka_unit_test(a_nan_is_told),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
