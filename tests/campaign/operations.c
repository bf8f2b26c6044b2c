/* The programs: matrices are made and filled, one operation runs, and its result is summed up. */
#include "operations.h"

#include "hyla_lab.h"
#include "random.h"
#include "registry/registry.h"
#include "solve/solve.h"

#include <complex.h>
#include <stdio.h>
#include <string.h>

typedef hyla_status perform(hyla_cube *cube, const struct trial *t, hyla_matrix *const m[3],
                            uint64_t *result);

/* --------------------------------------------------------------- matrices -- */

/* Whole numbers, so that sums of their products are exact. */
static hyla_scalar whole_entry(void *seed, int64_t row, int64_t col) {
  uint64_t state = *(const uint64_t *)seed + (uint64_t)(row << 20) + (uint64_t)col;
  double re = (double)random_below(&state, 33) - 16;
  return re + I * ((double)random_below(&state, 33) - 16);
}

/* Along sides that are no powers of two there is no Gray code. */
static hyla_status parse(hyla_cube *cube, const char *text, hyla_layout *layout) {
  char plain[32];
  if (cube->sides.count == 0 || strncmp(text, "gray", 4) != 0)
    return hyla_layout_parse(cube, text, layout);
  snprintf(plain, sizeof plain, "binary%s", text + 4);
  return hyla_layout_parse(cube, plain, layout);
}

static hyla_status make(hyla_cube *cube, const struct trial *t, int i, int64_t rows, int64_t cols,
                        bool whole, hyla_matrix **made) {
  uint64_t seed = t->seed + (uint64_t)i;
  hyla_layout layout;
  TRY(parse(cube, t->layout[i], &layout));
  TRY(hyla_matrix_create(cube, t->type, rows, cols, &layout, made));
  return whole ? hyla_matrix_fill(cube, *made, whole_entry, &seed)
               : hyla_matrix_generate(cube, *made, HYLA_RANDOM, seed);
}

static uint64_t sum_of(uint64_t sum, const hyla_matrix *matrix) {
  static const size_t sizes[] = {4, 8, 8, 16};
  void *local = NULL;
  int64_t rows = 0, cols = 0, ld = 0;
  if (hyla_matrix_local(matrix, &local, &rows, &cols, &ld) != HYLA_OK) return 0;
  size_t size = sizes[hyla_matrix_type(matrix)];
  for (int64_t j = 0; j < cols; j++)
    sum = hy_fingerprint(sum, (char *)local + (size_t)(j * ld) * size, (size_t)rows * size);
  return sum;
}

static hyla_status run_plan(hyla_cube *cube, hyla_status made, hyla_plan **plan) {
  hyla_status status = made == HYLA_OK ? hyla_plan_run(cube, *plan) : made;
  hyla_plan_destroy(plan);
  return status;
}

/* ------------------------------------------------------------- operations -- */

static hyla_status multiply(hyla_cube *cube, const struct trial *t, hyla_matrix *const m[3],
                            uint64_t *result) {
  hyla_plan *plan = NULL;
  (void)result;
  return run_plan(
      cube, hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, m[0], m[1], 1, m[2], t->variant, &plan),
      &plan);
}

static hyla_status multiply_vector(hyla_cube *cube, const struct trial *t, hyla_matrix *const m[3],
                                   uint64_t *result) {
  hyla_plan *plan = NULL;
  (void)result;
  return run_plan(cube, hyla_gemv_plan(cube, HYLA_NONE, 1, m[0], m[1], 1, m[2], t->variant, &plan),
                  &plan);
}

static hyla_status redistribute(hyla_cube *cube, const struct trial *t, hyla_matrix *const m[3],
                                uint64_t *result) {
  hyla_plan *plan = NULL;
  const hyla_transfer transfer = {HYLA_TRANSPOSE, 1, m[0], m[2]};
  (void)result;
  return run_plan(cube, hyla_redistribute_plan(cube, 1, &transfer, t->variant, &plan), &plan);
}

static hyla_status solve_triangle(hyla_cube *cube, const struct trial *t, hyla_matrix *const m[3],
                                  uint64_t *result) {
  hyla_plan *plan = NULL;
  (void)result;
  return run_plan(cube,
                  hyla_trsm_plan(cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_UNIT_DIAGONAL, 1,
                                 m[0], m[2], t->variant, &plan),
                  &plan);
}

static hyla_status invert_triangle(hyla_cube *cube, const struct trial *t, hyla_matrix *const m[3],
                                   uint64_t *result) {
  hyla_plan *plan = NULL;
  (void)result;
  return run_plan(
      cube, hyla_trtri_plan(cube, HYLA_UPPER, HYLA_UNIT_DIAGONAL, m[2], t->variant, &plan), &plan);
}

static hyla_status convert(hyla_cube *cube, const struct trial *t, hyla_matrix *const m[3],
                           uint64_t *result) {
  hyla_matrix *other = NULL;
  hyla_status status = hyla_matrix_create(cube, (hyla_type)((t->type + 1) % 4), t->m, t->n,
                                          hyla_matrix_layout(m[2]), &other);
  if (status == HYLA_OK) status = hyla_matrix_convert(cube, m[0], other);
  if (status == HYLA_OK) *result = sum_of(*result, other);
  hyla_matrix_destroy(&other);
  return status;
}

static hyla_status measure(hyla_cube *cube, const struct trial *t, hyla_matrix *const m[3],
                           uint64_t *result) {
  double norm = 0;
  hyla_scalar entry = 0;
  TRY(hyla_matrix_norm(cube, m[0], (hyla_norm)(t->seed % 4), &norm));
  TRY(hyla_matrix_get(cube, m[0], 0, t->n - 1, &entry));
  *result = hy_fingerprint(*result, &norm, sizeof norm);
  *result = hy_fingerprint(*result, &entry, sizeof entry);
  return HYLA_OK;
}

static hyla_method method_of(const char *name) {
  int i = 0;
  while (strcmp(hyla_method_at(i)->name, name) != 0) i++;
  return (hyla_method)i;
}

static hyla_status factor_and_solve(hyla_cube *cube, const struct trial *t, hyla_matrix *const m[3],
                                    uint64_t *result) {
  hyla_method method = method_of(t->operation);
  hyla_factor *factor = NULL;
  (void)result;
  hyla_status status =
      hyla_matrix_gallery(cube, m[0], hyla_method_at((int)method)->sample, t->seed);
  if (status == HYLA_OK)
    status = hyla_factor_create(cube, method, t->type, t->m, t->k, NULL, t->variant, &factor);
  if (status == HYLA_OK) status = hyla_factor_compute(cube, factor, m[0]);
  if (status == HYLA_OK) status = hyla_factor_solve(cube, factor, HYLA_NONE, m[1], m[2]);
  hyla_factor_destroy(&factor);
  return status;
}

static hyla_status invert(hyla_cube *cube, const struct trial *t, hyla_matrix *const m[3],
                          uint64_t *result) {
  int methods = 0;
  (void)result;
  while (hyla_method_at(methods) != NULL) methods++;
  int method = (int)(t->seed % (uint64_t)methods);
  TRY(hyla_matrix_gallery(cube, m[0], hyla_method_at(method)->sample, t->seed));
  return hyla_invert(cube, (hyla_method)method, m[0], m[2], NULL);
}

static hyla_status collective(hyla_cube *cube, const struct trial *t, hyla_matrix *const m[3],
                              uint64_t *result) {
  (void)m, (void)result;
  hyla_collective it = {.name = t->operation, .variant = t->variant, .words = 4 * t->m};
  hyla_collective_result came;
  return hyla_collective_run(cube, &it, &came);
}

/* The function of an operation, and the sizes of its matrices: an axis is m, n, k or 1. */
struct program {
  const char *operation;
  perform *perform;
  const char *sizes; /* rows and columns of three matrices; "" if it needs none */
  /* Needs whole numbers: ranks that read each other's memory split sums in other ways. */
  bool whole;
};

static const struct program programs[] = {
    {"gemm", multiply, "mkknmn", true},
    {"gemv", multiply_vector, "mnn1m1", true},
    {"redistribute", redistribute, "mn11nm", false},
    {"trsm", solve_triangle, "mm11mn", false},
    {"trtri", invert_triangle, "1111mm", false},
    {"convert", convert, "mn11mn", false},
    {"measure", measure, "mn1111", false},
    {"invert", invert, "mm11mm", false},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static struct program program_of(const char *operation) {
  for (int i = 0; i < PROGRAMS; i++)
    if (strcmp(programs[i].operation, operation) == 0) return programs[i];
  for (int i = 0; hyla_method_at(i) != NULL; i++)
    if (strcmp(hyla_method_at(i)->name, operation) == 0)
      return (struct program){operation, factor_and_solve, "mmmkmk", false};
  return (struct program){operation, collective, "", false};
}

static int64_t size_of(const struct trial *t, char axis) {
  return axis == 'm' ? t->m : axis == 'n' ? t->n : axis == 'k' ? t->k : 1;
}

hyla_status trial_run(hyla_cube *cube, void *arg) {
  struct trial *t = arg;
  const struct program program = program_of(t->operation);
  hyla_matrix *m[3] = {NULL};
  hyla_status status = HYLA_OK;
  uint64_t result = 0;
  for (int i = 0; i < 3 && program.sizes[0] != '\0' && status == HYLA_OK; i++)
    status = make(cube, t, i, size_of(t, program.sizes[2 * i]),
                  size_of(t, program.sizes[2 * i + 1]), program.whole, &m[i]);
  if (status == HYLA_OK) status = program.perform(cube, t, m, &result);
  if (status == HYLA_OK && m[2] != NULL) result = sum_of(result, m[2]);
  t->result[cube->network.link->rank] = result;
  for (int i = 0; i < 3; i++) hyla_matrix_destroy(&m[i]);
  return status;
}

/* Half of the trials draw an operation, half a collective. */
static const char *draw_operation(uint64_t *state) {
  const char *names[64];
  int count = 0, first = 0;
  for (int i = 0; i < PROGRAMS; i++) names[count++] = programs[i].operation;
  for (int i = 0; hyla_method_at(i) != NULL; i++) names[count++] = hyla_method_at(i)->name;
  if (random_below(state, 3) == 0) {
    first = count;
    for (int i = 0; hy_collective_family(i) != NULL && count < 64; i++)
      names[count++] = hy_collective_family(i)->name;
  }
  return names[first + (int)random_below(state, (size_t)(count - first))];
}

struct trial trial_draw(uint64_t seed) {
  static const char *const layouts[] = {"gray/consecutive", "binary/cyclic", "binary/cyclic:2",
                                        "gray/cyclic:1", "binary/consecutive"};
  struct trial t = {.seed = seed};
  uint64_t state = seed;
  t.operation = draw_operation(&state);
  int variants = 0;
  while (hyla_variant_name(t.operation, variants) != NULL) variants++;
  t.variant = hyla_variant_name(t.operation, (int)random_below(&state, (size_t)variants + 1));
  t.type = (hyla_type)random_below(&state, 4);
  t.m = 1 + (int64_t)random_below(&state, 9);
  t.n = 1 + (int64_t)random_below(&state, 9);
  t.k = 1 + (int64_t)random_below(&state, 9);
  /* Some variants need equal sizes, powers of two and equal layouts. */
  if (random_below(&state, 2) == 0) t.m = t.n = t.k = 8;
  for (int i = 0; i < 3; i++) t.layout[i] = layouts[random_below(&state, 5)];
  if (random_below(&state, 2) == 0) t.layout[1] = t.layout[2] = t.layout[0];
  return t;
}

void trial_draw_array(int ranks, uint64_t *state, char array[TRIAL_ARRAY]) {
  const int fewer = ranks > 2 && random_below(state, 4) == 0, nodes = ranks - fewer;
  int rows = 1 + (int)random_below(state, (size_t)nodes);
  while (nodes % rows != 0) rows--;
  if (random_below(state, 2) == 0)
    snprintf(array, TRIAL_ARRAY, "cube");
  else
    snprintf(array, TRIAL_ARRAY, "%dx%d", rows, nodes / rows);
}
