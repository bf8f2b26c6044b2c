/* A multiplication with known entries, and its check against long double sums. */
#include "gemm_case.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHIFT_ROWS = 2, SHIFT_COLS = 1 }; /* of the views */

/* Where a matrix' entries come from: a pure function of the indices. */
struct source {
  uint64_t seed;
  int64_t row, col; /* of the view in the owner */
  bool nan;
};

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* 20 bits: exact in single precision. */
static double fraction(uint64_t bits) { return ((double)(bits & 0xfffff) - 0x80000) / 0x100000; }

static double _Complex entry(void *arg, int64_t row, int64_t col) {
  const struct source *source = arg;
  if (source->nan) return NAN + NAN * I;
  uint64_t bits = mix(source->seed +
                      mix((uint64_t)(row - source->row) * 1000003 + (uint64_t)(col - source->col)));
  return fraction(bits) + fraction(bits >> 32) * I;
}

/* The entry as a matrix of the case's type holds it. */
static long double _Complex exact(const struct gemm_case *x, uint64_t seed, int64_t row,
                                  int64_t col) {
  struct source source = {.seed = seed};
  double _Complex value = entry(&source, row, col);
  return x->a->k->complex_type ? value : creal(value);
}

enum { SEED_A = 1, SEED_B = 2, SEED_C = 3 };

hyla_cube *case_cube(bool private_memory) {
  hyla_options options;
  hyla_cube *cube = NULL;
  hyla_options_init(&options);
  options.private_memory = private_memory;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  return cube;
}

void case_cube_end(hyla_cube **cube) { assert_int_equal(hyla_cube_destroy(cube), HYLA_OK); }

hyla_layout case_draw_layout(const hyla_cube *cube) {
  hyla_layout layout = {0};
  uint8_t dims[HYLA_DIMS_MAX];
  for (int i = 0; i < cube->dims; i++) dims[i] = (uint8_t)i;
  for (int i = cube->dims - 1; i > 0; i--) {
    int other = (int)harness_draw(0, i);
    uint8_t dim = dims[i];
    dims[i] = dims[other];
    dims[other] = dim;
  }
  layout.row.dims = (int)harness_draw(0, cube->dims);
  layout.col.dims = cube->dims - layout.row.dims;
  memcpy(layout.row.dim, dims, (size_t)layout.row.dims);
  memcpy(layout.col.dim, dims + layout.row.dims, (size_t)layout.col.dims);
  hyla_axis *axes[] = {&layout.row, &layout.col};
  for (int i = 0; i < 2; i++) {
    axes[i]->code = harness_draw(0, 1) ? HYLA_GRAY : HYLA_BINARY;
    axes[i]->storage = harness_draw(0, 1) ? HYLA_CYCLIC : HYLA_CONSECUTIVE;
    axes[i]->block = harness_draw(0, 4);
  }
  return layout;
}

static double _Complex draw_scalar(void) {
  static const double _Complex values[] = {0, 1, -1, 0.75 - 1.25 * I};
  return values[harness_draw(0, 3)];
}

void case_draw(struct gemm_case *x, hyla_cube *cube) {
  int64_t sizes[HARNESS_SIZES];
  int count = harness_sizes(harness_ranks(), sizes) - 1;
  *x = (struct gemm_case){
      .cube = cube,
      .type = (hyla_type)harness_draw(0, 3),
      .op_a = (hyla_operation)harness_draw(0, 2),
      .op_b = (hyla_operation)harness_draw(0, 2),
      .m = sizes[harness_draw(0, count)],
      .n = sizes[harness_draw(0, count)],
      .k = sizes[harness_draw(0, count)],
      .alpha = draw_scalar(),
      .beta = draw_scalar(),
      .wrapped = harness_draw(0, 3) == 0,
      .views = harness_draw(0, 3) == 0,
      .variant = hy_gemm_variants()[harness_draw(0, hy_gemm_variant_count() - 1)]->name};
  x->layout_c = case_draw_layout(cube);
  /* Operands that fit one another are rare among random ones. */
  x->layout_a = harness_draw(0, 1) ? x->layout_c : case_draw_layout(cube);
  x->layout_b = harness_draw(0, 1) ? x->layout_c : case_draw_layout(cube);
}

static hyla_matrix *make(struct gemm_case *x, int which, int64_t rows, int64_t cols,
                         const hyla_layout *layout) {
  hyla_matrix *owner = NULL, *view = NULL;
  int64_t all_rows = x->views ? rows + SHIFT_ROWS + 1 : rows;
  int64_t all_cols = x->views ? cols + SHIFT_COLS + 1 : cols;
  if (x->wrapped) {
    int64_t local_rows, local_cols;
    assert_int_equal(
        hyla_layout_local(x->cube, layout, all_rows, all_cols, &local_rows, &local_cols), HYLA_OK);
    int64_t ld = local_rows + 3;
    x->array[which] = calloc((size_t)(ld * local_cols + 1), 16);
    assert_non_null(x->array[which]);
    assert_int_equal(
        hyla_matrix_wrap(x->cube, x->type, all_rows, all_cols, layout, x->array[which], ld, &owner),
        HYLA_OK);
  } else {
    assert_int_equal(hyla_matrix_create(x->cube, x->type, all_rows, all_cols, layout, &owner),
                     HYLA_OK);
  }
  if (!x->views) return owner;
  x->owner[which] = owner;
  assert_int_equal(hyla_matrix_view(owner, SHIFT_ROWS, SHIFT_COLS, rows, cols, &view), HYLA_OK);
  return view;
}

void case_make(struct gemm_case *x) {
  bool turn_a = x->op_a != HYLA_NONE, turn_b = x->op_b != HYLA_NONE;
  x->a = make(x, 0, turn_a ? x->k : x->m, turn_a ? x->m : x->k, &x->layout_a);
  x->b = make(x, 1, turn_b ? x->n : x->k, turn_b ? x->k : x->n, &x->layout_b);
  x->c = make(x, 2, x->m, x->n, &x->layout_c);
}

static void fill(struct gemm_case *x, int which, hyla_matrix *matrix, uint64_t seed, bool nan) {
  struct source source = {seed, 0, 0, nan};
  if (x->views) {
    /* What surrounds the views must not be read. */
    struct source around = {.nan = true};
    assert_int_equal(hyla_matrix_fill(x->cube, x->owner[which], entry, &around), HYLA_OK);
  }
  assert_int_equal(hyla_matrix_fill(x->cube, matrix, entry, &source), HYLA_OK);
}

void case_fill(struct gemm_case *x) {
  fill(x, 0, x->a, SEED_A, x->alpha == 0);
  fill(x, 1, x->b, SEED_B, x->alpha == 0);
  fill(x, 2, x->c, SEED_C, x->beta == 0);
}

void case_free(struct gemm_case *x) {
  hyla_matrix **matrices[] = {&x->a, &x->b, &x->c};
  for (int which = 0; which < 3; which++) {
    hyla_matrix_destroy(matrices[which]);
    hyla_matrix_destroy(&x->owner[which]);
    free(x->array[which]);
    x->array[which] = NULL;
  }
}

static long double _Complex operand(const struct gemm_case *x, hyla_operation op, uint64_t seed,
                                    int64_t row, int64_t col) {
  if (op == HYLA_NONE) return exact(x, seed, row, col);
  long double _Complex value = exact(x, seed, col, row);
  return op == HYLA_CONJUGATE ? conjl(value) : value;
}

/* C(row, col) after the multiplication, and the sum of its terms' magnitudes. */
static long double _Complex reference(const struct gemm_case *x, int64_t row, int64_t col,
                                      long double *size) {
  bool real = !x->a->k->complex_type;
  long double _Complex alpha = real ? creal(x->alpha) : x->alpha;
  long double _Complex beta = real ? creal(x->beta) : x->beta;
  long double _Complex sum = 0;
  long double terms = 0;
  for (int64_t l = 0; l < x->k; l++) {
    long double _Complex a = operand(x, x->op_a, SEED_A, row, l);
    long double _Complex b = operand(x, x->op_b, SEED_B, l, col);
    sum += a * b;
    terms += cabsl(a) * cabsl(b);
  }
  long double _Complex c = exact(x, SEED_C, row, col);
  *size = cabsl(alpha) * terms + cabsl(beta) * cabsl(c);
  return alpha * sum + beta * c;
}

void case_check(const struct gemm_case *x) {
  const hyla_matrix *c = x->c;
  long double u = c->k->epsilon;
  for (int64_t m = 0; m < c->local_cols; m++)
    for (int64_t l = 0; l < c->local_rows; l++) {
      int64_t row = hyla_matrix_row(c, l), col = hyla_matrix_col(c, m);
      long double size;
      long double _Complex want = reference(x, row, col, &size);
      long double _Complex have = c->k->get(hy_at(c, l, m), 0);
      /* k products, k sums, two scalings; a complex product is three operations. */
      long double bound = (long double)(x->k + 4) * (c->k->complex_type ? 4 : 1) * u * size;
      if (!(cabsl(have - want) <= bound))
        fail_msg("C(%lld, %lld) is off by %Lg, bound %Lg", (long long)row, (long long)col,
                 cabsl(have - want), bound);
    }
}

/* The ledger of one run against the plan's cost. */
static void check_ledger(const struct gemm_case *x, const hyla_plan *plan,
                         const hyla_ledger *ledger, int64_t memory) {
  int64_t counted[4] = {ledger->steps, ledger->far_messages, ledger->far_bytes, memory};
  for (int i = 0; i < ledger->dims; i++) {
    counted[1] += ledger->messages[i];
    counted[2] += ledger->bytes[i];
  }
  assert_int_equal(hyla_cube_max(x->cube, counted, 4), HYLA_OK);
  hyla_cost cost = hyla_plan_cost(plan);
  assert_int_equal(counted[0], cost.steps);
  assert_int_equal(counted[1], cost.messages);
  assert_int_equal(counted[2], cost.words * (int64_t)x->c->k->size);
  /* Beside the entries that it counts a plan has padding, tiles to transpose
   * through, lists of indices. */
  assert_true(cost.memory <= counted[3]);
  assert_true(counted[3] <= 2 * cost.memory + (1 << 20));
}

void case_run(struct gemm_case *x) {
  hyla_plan *plan = NULL;
  harness_note("%s %s%s m=%lld n=%lld k=%lld ops %d %d alpha %g beta %g%s%s%s", x->variant,
               hy_kernels_of(x->type)->name, x->cube->private_memory ? " private" : "",
               (long long)x->m, (long long)x->n, (long long)x->k, (int)x->op_a, (int)x->op_b,
               creal(x->alpha), creal(x->beta), x->wrapped ? " wrapped" : "",
               x->views ? " views" : "", "");
  case_make(x);
  case_fill(x);
  struct hy_base *base = &x->cube->base;
  int64_t before = base->bytes_now;
  assert_int_equal(hyla_gemm_plan(x->cube, x->op_a, x->op_b, x->alpha, x->a, x->b, x->beta, x->c,
                                  x->variant, &plan),
                   HYLA_OK);
  assert_string_equal(hyla_plan_variant(plan), x->variant);
  int64_t memory = base->bytes_now - before;
  for (int run = 0; run < 2; run++) {
    if (run > 0) case_fill(x);
    hyla_cube_ledger_clear(x->cube);
    int64_t allocations = base->allocations;
    assert_int_equal(hyla_plan_run(x->cube, plan), HYLA_OK);
    assert_int_equal(base->allocations, allocations);
    hyla_ledger ledger;
    hyla_cube_ledger(x->cube, &ledger);
    case_check(x);
    check_ledger(x, plan, &ledger, memory);
  }
  hyla_plan_destroy(&plan);
  assert_null(plan);
  assert_int_equal(base->bytes_now, before);
  case_free(x);
}
