/* QR on the gallery, by columns and by trees, in all shapes: |A - Q R| and |Q^H Q - I| in units of
 * rounding, in Frobenius norms. */
// ranks: 1 2 3 4 8
// sample: 1 3
// arrays: 3x1
#include "lu_case.h"

#include "gallery/gallery.h"

static const int64_t SIZES[] = {0, 1, 2, 3, 5, 17, 64, 257}, BLOCKS[] = {1, 5, 32, 64};
static const char *const VARIANTS[] = {"householder", "tsqr"};
enum { COUNT = sizeof SIZES / sizeof *SIZES, BLOCK_COUNT = sizeof BLOCKS / sizeof *BLOCKS };
/* Units of fewer rows than FEW are below what rounding leaves of some reflections.  LAPACK's geqrf
 * and orgqr leave Q^H Q - I up to 1.34 such units at 5 rows, 1.28 at 17 and 2.48 at 257. */
enum { FEW = 8 };
enum { VARIANT_COUNT = sizeof VARIANTS / sizeof *VARIANTS };

static int count_kinds(void) {
  int count = 0;
  while (hy_kind_at(count) != NULL) count++;
  return count;
}

/* A of the gallery's kind; of random entries where the kind has no such matrix. */
static const char *fill(hyla_cube *cube, hyla_matrix *a, int kind) {
  const char *name = hy_kind_at(kind)->is.name;
  if (hyla_matrix_gallery(cube, a, name, 1) == HYLA_OK) return name;
  assert_int_equal(hyla_matrix_gallery(cube, a, "random", 1), HYLA_OK);
  return "random";
}

/* A, Q and R as every rank has them. */
struct factors {
  int64_t m, n, order;
  double _Complex *a, *q, *r;
};

/* The root of the sum over the ranks: a rank looks at every P-th column. */
static double norm_of(double squares) {
  double all = 0;
  harness_allreduce(&squares, &all, 1, MPI_DOUBLE, MPI_SUM);
  return sqrt(all);
}

/* Adds x y, or conj(x) y, to a sum. */
static void add(long double sum[2], double _Complex x, double _Complex y, int sign) {
  const long double re = creal(x), im = sign * cimag(x);
  sum[0] += re * creal(y) - im * cimag(y);
  sum[1] += re * cimag(y) + im * creal(y);
}

/* Entries are divided by the largest one, since the gallery has some near the largest number. */
static double ratio_of_product(const struct factors *f, double unit) {
  double off = 0, size = 0, most = 0;
  for (int64_t e = 0; e < f->m * f->n; e++) most = fmax(most, cabs(f->a[e]));
  for (int64_t j = harness_rank(); j < f->n; j += harness_ranks())
    for (int64_t i = 0; i < f->m && most > 0; i++) {
      const double _Complex entry = f->a[i + j * f->m];
      long double sum[2] = {-creal(entry), -cimag(entry)};
      for (int64_t l = 0; l <= j && l < f->order; l++)
        add(sum, f->q[i + l * f->m], f->r[l + j * f->order], 1);
      off += pow((double)hypotl(sum[0], sum[1]) / most, 2);
      size += pow(cabs(entry) / most, 2);
    }
  off = norm_of(off);
  size = norm_of(size);
  return off == 0 ? 0 : off / size / (double)hy_max(FEW, hy_max(f->m, f->n)) / unit;
}

static double ratio_of_q(const struct factors *f, double unit) {
  double off = 0;
  for (int64_t j = harness_rank(); j < f->order; j += harness_ranks())
    for (int64_t i = 0; i < f->order; i++) {
      long double sum[2] = {i == j ? -1 : 0, 0};
      for (int64_t l = 0; l < f->m; l++) add(sum, f->q[l + i * f->m], f->q[l + j * f->m], -1);
      off += pow((double)hypotl(sum[0], sum[1]), 2);
    }
  return norm_of(off) / (double)hy_max(FEW, f->m) / unit;
}

static void check_factors(hyla_cube *cube, const hyla_factor *factor, const hyla_matrix *a) {
  struct factors f = {.m = a->row.n, .n = a->col.n, .order = hy_min(a->row.n, a->col.n)};
  const int type = (int)a->k->type;
  struct lu_place q = lu_place_draw(cube, type, f.m, f.order),
                  r = lu_place_draw(cube, type, f.order, f.n);
  lu_assert_status(cube, hyla_factor_q(cube, factor, q.m), HYLA_OK);
  lu_assert_status(cube, hyla_factor_upper(cube, factor, r.m), HYLA_OK);
  f.a = lu_get_all(a), f.q = lu_get_all(q.m), f.r = lu_get_all(r.m);
  const double product = ratio_of_product(&f, a->k->epsilon),
               unitary = ratio_of_q(&f, a->k->epsilon);
  if (!(product <= 1 && unitary <= 1))
    fail_msg("ratios: A - Q R %g, Q^H Q - I %g", product, unitary);
  free(f.a), free(f.q), free(f.r);
  lu_place_free(&r);
  lu_place_free(&q);
}

static void run_case(hyla_cube *cube, int type, int64_t m, int64_t n, int kind) {
  const char *variant = VARIANTS[harness_draw(0, VARIANT_COUNT - 1)];
  const hyla_layout layout = lu_draw_layout(cube, BLOCKS[harness_draw(0, BLOCK_COUNT - 1)]);
  struct lu_place a = lu_place_draw(cube, type, m, n);
  hyla_factor *factor = NULL;
  const char *name = fill(cube, a.m, kind);
  harness_note("%s, %lld x %lld, type %d, by %s, %s", name, (long long)m, (long long)n, type,
               variant, lu_layout_name(&layout));
  lu_assert_status(cube,
                   hyla_factor_create_rectangular(cube, HYLA_QR, (hyla_type)type, m, n, 0, &layout,
                                                  variant, &factor),
                   HYLA_OK);
  const hyla_status status = hyla_factor_compute(cube, factor, a.m);
  /* A column may depend exactly on those before it. */
  if (status != HYLA_SINGULAR) {
    lu_assert_status(cube, status, HYLA_OK);
    check_factors(cube, factor, a.m);
  }
  hyla_factor_destroy(&factor);
  lu_place_free(&a);
}

/* All shapes, of a kind that is drawn, and all kinds, in a shape that is drawn. */
static void ratios_are_at_most_one(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  const int kinds = count_kinds(), shapes = COUNT * COUNT;
  struct harness_walk walk = harness_walk((int64_t)(shapes + kinds) * TYPES, 30);
  const int64_t before = cube->base.bytes_now;
  for (int64_t i; harness_next(&walk, &i);) {
    const int at = (int)(i / TYPES);
    const int shape = at < shapes ? at : (int)harness_draw(0, shapes - 1);
    const int kind = at < shapes ? (int)harness_draw(0, kinds - 1) : at - shapes;
    run_case(cube, (int)(i % TYPES), SIZES[shape % COUNT], SIZES[shape / COUNT], kind);
  }
  assert_int_equal(cube->base.bytes_now, before);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ratios_are_at_most_one),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
