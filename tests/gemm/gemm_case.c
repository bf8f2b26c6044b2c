/* A multiplication with known entries: its drawn parameters, its matrices, and the place where it
 * runs. */
#include "gemm_case.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHIFT_ROWS = 2, SHIFT_COLS = 1 }; /* offsets of the views */

/* The source of a matrix' entries: a pure function of the indices. */
struct source {
  uint64_t seed;
  int64_t row, col; /* offset of the view in its owner */
  bool nan;
  const struct gemm_case *x;
  bool (*hidden)(const struct gemm_case *x, int64_t row, int64_t col); /* entries that are NaN;
                                                                        * NULL: none */
};

bool case_is_update(const struct gemm_case *x) {
  return x->kind == CASE_SYRK || x->kind == CASE_HERK;
}

/* The number of the factor that is given by a triangle; -1: none. */
static int structured_factor(const struct gemm_case *x) {
  return x->kind < CASE_SYMM ? -1 : x->side == HYLA_LEFT ? 0 : 1;
}

static bool in_triangle(const struct gemm_case *x, int64_t row, int64_t col) {
  return x->triangle == HYLA_LOWER ? row >= col : row <= col;
}

bool case_computes(const struct gemm_case *x, int64_t row, int64_t col) {
  return !case_is_update(x) || in_triangle(x, row, col);
}

/* Is this an entry of the structured factor that must not be read? */
static bool unread(const struct gemm_case *x, int64_t row, int64_t col) {
  return !in_triangle(x, row, col) || (row == col && x->diagonal == HYLA_UNIT_DIAGONAL);
}

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* 20 bits: exact in single precision. */
static double fraction(uint64_t bits) { return ((double)(bits & 0xfffff) - 0x80000) / 0x100000; }

static double _Complex entry(void *arg, int64_t row, int64_t col) {
  const struct source *source = arg;
  if (source->nan || (source->hidden != NULL && source->hidden(source->x, row, col)))
    return NAN + NAN * I;
  uint64_t bits = mix(source->seed +
                      mix((uint64_t)(row - source->row) * 1000003 + (uint64_t)(col - source->col)));
  return fraction(bits) + fraction(bits >> 32) * I;
}

long double _Complex case_entry(const struct gemm_case *x, enum case_seed seed, int64_t row,
                                int64_t col) {
  struct source source = {.seed = seed};
  double _Complex value = entry(&source, row, col);
  return x->c->k->complex_type ? value : creal(value);
}

static double _Complex draw_scalar(void) {
  static const double _Complex values[] = {0, 1, -1, 0.75 - 1.25 * I};
  return values[harness_draw(0, 3)];
}

hyla_layout case_parse(const hyla_cube *on, const char *text) {
  static const char gray[] = "gray";
  hyla_cube cube = {.dims = on->dims, .sides = on->sides};
  hyla_layout layout;
  char binary[HYLA_LAYOUT_TEXT];
  const bool starts = strncmp(text, gray, strlen(gray)) == 0;
  if (on->sides.count > 0 && starts) {
    snprintf(binary, sizeof binary, "binary%s", text + strlen(gray));
    text = binary;
  }
  assert_int_equal(hyla_layout_parse(&cube, text, &layout), HYLA_OK);
  return layout;
}

void case_draw(struct gemm_case *x, const hyla_cube *on) {
  int64_t sizes[HARNESS_SIZES];
  int count = harness_sizes(on->nodes, sizes) - 1;
  *x = (struct gemm_case){.type = (hyla_type)harness_draw(0, 3),
                          .op_a = (hyla_operation)harness_draw(0, 2),
                          .op_b = (hyla_operation)harness_draw(0, 2),
                          .m = sizes[harness_draw(0, count)],
                          .n = sizes[harness_draw(0, count)],
                          .k = sizes[harness_draw(0, count)],
                          .alpha = draw_scalar(),
                          .beta = draw_scalar(),
                          .wrapped = harness_draw(0, 3) == 0,
                          .views = harness_draw(0, 3) == 0,
                          .machine = (enum case_machine)harness_draw(CASE_OWN, CASE_STARTS)};
  x->layout_c = draw_on(on);
  /* Operands that fit one another are rare among drawn ones. */
  x->layout_a = harness_draw(0, 1) ? x->layout_c : draw_on(on);
  x->layout_b = harness_draw(0, 1) ? x->layout_c : draw_on(on);
}

void case_take(struct gemm_case *x, const hyla_cube *on, int64_t index) {
  int64_t sizes[HARNESS_SIZES], digit[4];
  int count = harness_sizes(on->nodes, sizes);
  static const int64_t base[4] = {4, 3, 3, HARNESS_SIZES};
  /* The offsets of n's and k's sizes relative to m's, for each type and each operation; found by
   * search, so that any three parameters occur with all combinations of their values. */
  static const int64_t shift_n[3][4] = {{0, 5, 1, 2}, {0, 1, 3}, {0, 4, 2}};
  static const int64_t shift_k[3][4] = {{0, 1, 2, 1}, {0, 3, 2}, {0, 2, 4}};
  for (int i = 0; i < 4; index /= base[i++]) digit[i] = index % base[i];
  case_draw(x, on);
  x->type = (hyla_type)digit[0];
  x->op_a = (hyla_operation)digit[1];
  x->op_b = (hyla_operation)digit[2];
  int64_t n = digit[3], k = digit[3];
  for (int i = 0; i < 3; i++) {
    n += shift_n[i][digit[i]];
    k += shift_k[i][digit[i]];
  }
  n %= HARNESS_SIZES;
  k %= HARNESS_SIZES;
  /* on small cubes some sizes are equal */
  x->m = sizes[digit[3] % count];
  x->n = sizes[n % count];
  x->k = sizes[k % count];
}

void case_draw_update(struct gemm_case *x) {
  x->kind = harness_draw(0, 1) ? CASE_HERK : CASE_SYRK;
  x->triangle = harness_draw(0, 1) ? HYLA_UPPER : HYLA_LOWER;
  hyla_operation turned = x->kind == CASE_HERK ? HYLA_CONJUGATE : HYLA_TRANSPOSE;
  bool first = harness_draw(0, 1);
  x->op_a = first ? turned : HYLA_NONE;
  x->op_b = first ? HYLA_NONE : turned;
  x->n = x->m;
  if (x->kind != CASE_HERK) return;
  x->alpha = creal(x->alpha);
  x->beta = creal(x->beta);
}

void case_draw_symm_trmm(struct gemm_case *x) {
  x->kind = (enum case_kind)harness_draw(CASE_SYMM, CASE_TRMM);
  x->side = harness_draw(0, 1) ? HYLA_RIGHT : HYLA_LEFT;
  x->triangle = harness_draw(0, 1) ? HYLA_UPPER : HYLA_LOWER;
  x->k = x->side == HYLA_LEFT ? x->m : x->n;
  bool triangular = x->kind == CASE_TRMM;
  if (!triangular || x->side == HYLA_RIGHT) x->op_a = HYLA_NONE;
  if (!triangular || x->side == HYLA_LEFT) x->op_b = HYLA_NONE;
  if (!triangular) return;
  x->diagonal = harness_draw(0, 1) ? HYLA_UNIT_DIAGONAL : HYLA_ANY_DIAGONAL;
  x->beta = 0;
}

void case_take_triangle(struct gemm_case *x, const hyla_cube *on, int index) {
  static const char *const layouts[] = {"binary/cyclic:5", "gray/consecutive", "binary/cyclic:64"};
  bool left = index / 2 == 0;
  *x = (struct gemm_case){.type = HYLA_DOUBLE,
                          .m = left ? 150 : 9,
                          .n = left ? 9 : 150,
                          .k = 150,
                          .alpha = 2,
                          .kind = CASE_TRMM,
                          .side = left ? HYLA_LEFT : HYLA_RIGHT,
                          .triangle = index % 2 ? HYLA_UPPER : HYLA_LOWER};
  hyla_layout *const to[] = {&x->layout_a, &x->layout_b, &x->layout_c};
  *(left ? &x->op_a : &x->op_b) = (hyla_operation)harness_draw(0, 1);
  for (int i = 0; i < 3; i++) *to[i] = case_parse(on, layouts[(i + on->dims + index) % 3]);
}

/* Is the factor C's old value? */
static bool replaced(const struct gemm_case *x, int which) {
  return x->kind == CASE_TRMM && structured_factor(x) != which;
}

/* An entry of A or B as the operation means it, before op(). */
static long double _Complex meant(const struct gemm_case *x, int which, int64_t row, int64_t col) {
  bool of_a = which == 0 || case_is_update(x);
  enum case_seed seed = replaced(x, which) ? SEED_C : of_a ? SEED_A : SEED_B;
  if (which != structured_factor(x)) return case_entry(x, seed, row, col);
  bool inside = in_triangle(x, row, col);
  if (x->kind == CASE_TRMM && row == col && x->diagonal == HYLA_UNIT_DIAGONAL) return 1;
  if (x->kind == CASE_TRMM) return inside ? case_entry(x, seed, row, col) : 0;
  long double _Complex value =
      inside ? case_entry(x, seed, row, col) : case_entry(x, seed, col, row);
  if (x->kind == CASE_SYMM || (inside && row != col)) return value;
  return row == col ? creall(value) : conjl(value);
}

long double _Complex case_factor(const struct gemm_case *x, int which, int64_t row, int64_t col) {
  hyla_operation op = which == 0 ? x->op_a : x->op_b;
  if (op == HYLA_NONE) return meant(x, which, row, col);
  long double _Complex value = meant(x, which, col, row);
  return op == HYLA_CONJUGATE ? conjl(value) : value;
}

/* ------------------------------------------------------- the matrices -- */

static hyla_status wrap(struct gemm_case *x, int which, int64_t rows, int64_t cols,
                        const hyla_layout *layout, hyla_matrix **matrix) {
  int64_t local_rows, local_cols;
  TRY(hyla_layout_local(x->cube, layout, rows, cols, &local_rows, &local_cols));
  int64_t ld = local_rows + 3;
  x->array[which] = calloc((size_t)(ld * local_cols + 1), 16);
  hyla_status status = x->array[which] == NULL ? HYLA_MEMORY : HYLA_OK;
  TRY(hy_agree(x->cube, status));
  return hyla_matrix_wrap(x->cube, x->type, rows, cols, layout, x->array[which], ld, matrix);
}

static hyla_status make(struct gemm_case *x, int which, int64_t rows, int64_t cols,
                        const hyla_layout *layout, hyla_matrix **matrix) {
  hyla_matrix **whole = x->views ? &x->owner[which] : matrix;
  int64_t all_rows = x->views ? rows + SHIFT_ROWS + 1 : rows;
  int64_t all_cols = x->views ? cols + SHIFT_COLS + 1 : cols;
  if (x->wrapped)
    TRY(wrap(x, which, all_rows, all_cols, layout, whole));
  else
    TRY(hyla_matrix_create(x->cube, x->type, all_rows, all_cols, layout, whole));
  if (!x->views) return HYLA_OK;
  return hyla_matrix_view(*whole, SHIFT_ROWS, SHIFT_COLS, rows, cols, matrix);
}

hyla_status case_make(struct gemm_case *x) {
  bool turn_a = x->op_a != HYLA_NONE, turn_b = x->op_b != HYLA_NONE;
  if (!replaced(x, 0))
    TRY(make(x, 0, turn_a ? x->k : x->m, turn_a ? x->m : x->k, &x->layout_a, &x->a));
  if (!case_is_update(x) && !replaced(x, 1))
    TRY(make(x, 1, turn_b ? x->n : x->k, turn_b ? x->k : x->n, &x->layout_b, &x->b));
  return make(x, 2, x->m, x->n, &x->layout_c, &x->c);
}

static hyla_status fill(struct gemm_case *x, int which, hyla_matrix *matrix, uint64_t seed,
                        bool nan) {
  struct source source = {.seed = seed, .nan = nan, .x = x};
  if (which == structured_factor(x)) source.hidden = unread;
  if (matrix == x->c && x->beta == 0 && x->kind != CASE_TRMM) source.hidden = case_computes;
  /* The entries around the views must not be read. */
  struct source around = {.nan = true};
  if (x->views) TRY(hyla_matrix_fill(x->cube, x->owner[which], entry, &around));
  return hyla_matrix_fill(x->cube, matrix, entry, &source);
}

hyla_status case_fill(struct gemm_case *x) {
  bool unused = x->alpha == 0;
  if (x->a != NULL) TRY(fill(x, 0, x->a, SEED_A, unused));
  if (x->b != NULL) TRY(fill(x, 1, x->b, SEED_B, unused));
  return fill(x, 2, x->c, SEED_C, unused && x->kind == CASE_TRMM);
}

void case_free(struct gemm_case *x) {
  hyla_matrix **matrices[] = {&x->a, &x->b, &x->c};
  for (int which = 0; which < 3; which++) {
    hyla_matrix_destroy(matrices[which]);
    hyla_matrix_destroy(&x->owner[which]);
    free(x->array[which]);
    x->array[which] = NULL;
  }
  free(x->want);
  free(x->bound);
  x->want = NULL;
  x->bound = NULL;
}

void case_describe(const struct gemm_case *x, char *text, size_t capacity) {
  static const char *const machines[] = {"", " links", " starts"};
  static const char *const kinds[] = {"", " syrk", " herk", " symm", " hemm", " trmm"};
  char layout[3][96], shape[32] = "";
  const hyla_layout *layouts[] = {&x->layout_a, &x->layout_b, &x->layout_c};
  for (int i = 0; i < 3; i++) hyla_layout_format(layouts[i], layout[i], sizeof layout[i]);
  if (x->kind >= CASE_SYMM)
    snprintf(shape, sizeof shape, " %s %s%s", x->side == HYLA_LEFT ? "left" : "right",
             x->triangle == HYLA_LOWER ? "lower" : "upper",
             x->diagonal == HYLA_UNIT_DIAGONAL ? " unit" : "");
  snprintf(
      text, capacity, "%s%s%s %s m=%lld n=%lld k=%lld ops %d %d alpha %g beta %g%s%s%s, %s %s %s",
      x->variant == NULL ? "all" : x->variant, kinds[x->kind], shape, hy_kernels_of(x->type)->name,
      (long long)x->m, (long long)x->n, (long long)x->k, (int)x->op_a, (int)x->op_b,
      creal(x->alpha), creal(x->beta), x->wrapped ? " wrapped" : "", x->views ? " views" : "",
      machines[x->machine], layout[0], layout[1], layout[2]);
}

static hyla_status run_copy(hyla_cube *cube, void *arg) {
  struct gemm_case x = *(const struct gemm_case *)arg;
  x.cube = cube;
  return case_run(&x);
}

void case_simulate_body(const hyla_cube *on, hyla_body *body, struct gemm_case *x) {
  char array[DRAW_ARRAY], text[512];
  draw_nodes_array(on, array);
  /* Without times, because rehearsals have a test of their own. */
  hyla_simulation model = {.dims = on->dims, .array = array};
  hyla_report report;
  hyla_status status = hyla_simulate(&model, body, x, &report);
  case_describe(x, text, sizeof text);
  if (status != HYLA_OK)
    fail_msg("%d nodes %s, %s: %s: %s", on->nodes, array, text, hyla_status_name(status),
             report.message);
}

void case_simulate(const hyla_cube *on, struct gemm_case *x) {
  case_simulate_body(on, run_copy, x);
}

void case_must_hold(struct gemm_case *x) {
  char text[512];
  case_describe(x, text, sizeof text);
  harness_note("%s%s", text, x->cube->session.private_memory ? ", private" : "");
  if (case_run(x) != HYLA_OK) fail_msg("%s", hyla_cube_message(x->cube));
}
