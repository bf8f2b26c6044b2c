/* checks RUNS [SEED]: do checks of results raise false alarms?  Products and factorizations of all
 * types, without faults, with entries that are alike, of one sign, of many sizes, mostly zero, or
 * near underflow, run with hyla_options.check_results on virtual cubes of up to 8 nodes.  Prints
 * the number of checks, the alarms, and how near to an alarm the nearest row came; then the
 * outcomes of as many random bits changed in C.  Exit status 1 if there is an alarm, if a changed
 * bit is not found, or if memory, mappings or descriptors grow. */
#include "gemm/gemm_check.h"
#include "hyla_lab.h"
#include "random.h"
#include "solve/guard/guard.h"
#include "usage.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Runs on a cube; runs after which the process is warm; the largest size. */
enum { A_TIME = 40, WARM = 4000, MOST = 96 };

/* Node 0 counts. */
struct tally {
  uint64_t seed;
  int64_t products, factorizations, alarms;
  double nearest;
  int64_t flipped, visible, found, corrected, missed;
};

/* How a matrix' entries are made. */
enum manner { UNIFORM, POSITIVE, ALIKE, GRADED, SPARSE, TINY, MANNERS };
struct source {
  uint64_t seed;
  enum manner manner;
};

static double unit_interval(uint64_t *state) {
  return (double)(random_next(state) >> 11) * 0x1p-53;
}

static double _Complex entry(void *arg, int64_t row, int64_t col) {
  const struct source *s = arg;
  uint64_t state = s->seed ^ (uint64_t)(row * 1000003 + col);
  double re = unit_interval(&state), im = unit_interval(&state), size = 1;
  switch (s->manner) {
  case UNIFORM: return re - .5 + I * (im - .5);
  case POSITIVE: return re + I * im;
  case ALIKE: return .1 + .3 * I;
  case GRADED: size = pow(10, (double)((row * 5 + col * 3) % 13) - 6); break;
  case SPARSE: size = random_below(&state, 16) == 0; break;
  case TINY: size = 1e-22; break;
  case MANNERS: break;
  }
  return size * (re - .5 + I * (im - .5));
}

static hyla_status make(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                        uint64_t *state, hyla_matrix **x) {
  struct source source = {random_next(state), (enum manner)random_below(state, MANNERS)};
  TRY(hyla_matrix_create(cube, type, rows, cols, NULL, x));
  return hyla_matrix_fill(cube, *x, entry, &source);
}

static void near(struct tally *t, const struct hy_row_sum *due, const struct hy_row_sum *found,
                 double size, double tolerance) {
  double difference = cabs(due->value - found->value);
  if (difference > 0) t->nearest = fmax(t->nearest, difference / (tolerance * size));
}

/* Flips a random bit of a random entry of C, where it lies; tells node 0 by how much that changes
 * the entry. */
static double flip(hyla_cube *cube, hyla_matrix *c, uint64_t *state, int64_t *row) {
  int64_t i = (int64_t)random_below(state, (size_t)c->row.n);
  int64_t j = (int64_t)random_below(state, (size_t)c->col.n);
  int64_t bit = (int64_t)random_below(state, 8 * c->k->size);
  double _Complex before = 0, after = 0;
  *row = i;
  (void)hyla_matrix_get(cube, c, i, j, &before);
  if (hy_matrix_node(c, hy_axis_owner(&c->row, i), hy_axis_owner(&c->col, j)) == cube->address) {
    char *at =
        hy_at(c, hy_axis_before(&c->row, c->row_part, i), hy_axis_before(&c->col, c->col_part, j));
    at[bit / 8] = (char)(at[bit / 8] ^ 1 << bit % 8);
  }
  (void)hyla_matrix_get(cube, c, i, j, &after);
  double change = cabs(after - before);
  return isnan(change) ? INFINITY : change;
}

/* Repeats the end of a check after a bit of C has changed. */
static hyla_status damage(hyla_cube *cube, struct hy_gemm_check *check, uint64_t *state,
                          struct tally *t) {
  enum hy_check_result finding = HY_UNDAMAGED;
  int64_t row = 0;
  double change = flip(cube, check->result, state, &row);
  double hidden = check->tolerance * check->due[row].size;
  TRY(hy_agree(cube, hy_gemm_check_end(check, &finding)));
  if (cube->address > 0) return HYLA_OK;
  t->flipped++;
  t->visible += change > 2 * hidden;
  t->found += finding != HY_UNDAMAGED;
  t->corrected += finding == HY_CORRECTED;
  t->missed += change > 2 * hidden && finding == HY_UNDAMAGED;
  return HYLA_OK;
}

static hyla_status multiply(hyla_cube *cube, uint64_t *state, struct tally *t) {
  int64_t m = 1 + (int64_t)random_below(state, MOST), n = 1 + (int64_t)random_below(state, MOST);
  int64_t k = 1 + (int64_t)random_below(state, MOST);
  hyla_type type = (hyla_type)random_below(state, 4);
  hyla_operation op_a = (hyla_operation)random_below(state, 3);
  hyla_operation op_b = (hyla_operation)random_below(state, 3);
  double _Complex alpha = random_below(state, 2) ? 1 : -3 + I,
                  beta = random_below(state, 2) ? 0 : 2;
  hyla_matrix *a = NULL, *b = NULL, *c = NULL;
  hyla_plan *plan = NULL;
  hyla_status status = make(cube, type, op_a ? k : m, op_a ? m : k, state, &a);
  if (!status) status = make(cube, type, op_b ? n : k, op_b ? k : n, state, &b);
  if (!status) status = make(cube, type, m, n, state, &c);
  if (!status) status = hyla_gemm_plan(cube, op_a, op_b, alpha, a, b, beta, c, NULL, &plan);
  if (!status) status = hyla_plan_run(cube, plan);
  if (!status) {
    struct hy_gemm_check *check = ((struct hy_gemm_own *)hy_job_of(plan)->own)->check;
    for (int64_t i = 0; i < m && cube->address == 0; i++)
      near(t, &check->due[i], &check->found[i], check->due[i].size, check->tolerance);
    status = damage(cube, check, state, t);
  }
  if (cube->address == 0) t->products++;
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&c);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status;
}

static hyla_status factor(hyla_cube *cube, uint64_t *state, struct tally *t) {
  bool cholesky = random_below(state, 2) == 1;
  int64_t n = 1 + (int64_t)random_below(state, MOST);
  hyla_type type = (hyla_type)random_below(state, 4);
  hyla_matrix *a = NULL;
  hyla_factor *made = NULL;
  hyla_status status = hyla_matrix_create(cube, type, n, n, NULL, &a);
  const char *kind = cholesky ? "definite" : "random";
  if (!status) status = hyla_matrix_gallery(cube, a, kind, random_next(state) >> 1);
  if (!status)
    status =
        hyla_factor_create(cube, cholesky ? HYLA_CHOLESKY : HYLA_LU, type, n, 0, NULL, NULL, &made);
  if (!status) status = hyla_factor_compute(cube, made, a);
  if (!status && cube->address == 0) {
    const struct hy_checksum *check = made->checksum;
    for (int64_t i = 0; i < n; i++) {
      const struct hy_row_sum *found = &check->found[check->place[i]];
      near(t, &check->due[i], found, fmax(check->due[i].size, found->size), check->tolerance);
    }
    t->factorizations++;
  }
  hyla_factor_destroy(&made);
  hyla_matrix_destroy(&a);
  return status;
}

static hyla_status body(hyla_cube *cube, void *arg) {
  struct tally *t = arg;
  uint64_t state = t->seed;
  hyla_status status = HYLA_OK;
  for (int i = 0; i < A_TIME && !status; i++)
    status = i % 5 == 4 ? factor(cube, &state, t) : multiply(cube, &state, t);
  hyla_faults faults;
  if (hyla_cube_faults(cube, &faults) == HYLA_OK && cube->address == 0) t->alarms += faults.damaged;
  return status;
}

int main(int argc, char **argv) {
  int64_t runs = argc > 1 ? atoll(argv[1]) : 1000;
  struct tally total = {.seed = argc > 2 ? (uint64_t)atoll(argv[2]) : 1};
  hyla_options options;
  hyla_options_init(&options);
  options.check_results = true;
  struct usage warm = {0};
  for (int64_t run = 0; run < runs; run += A_TIME) {
    if (run < WARM || run < runs / 6) warm = usage_now();
    hyla_simulation model = {.dims = (int)(run / A_TIME % 4), .options = &options};
    hyla_report report;
    total.seed++;
    hyla_status status = hyla_simulate(&model, body, &total, &report);
    if (status != HYLA_OK) {
      printf("seed %llu: %s: %s\n", (unsigned long long)total.seed, hyla_status_name(status),
             report.message);
      return 1;
    }
  }
  printf("%lld products, %lld factorizations, %lld alarms; nearest %.3g of the bound\n",
         (long long)total.products, (long long)total.factorizations, (long long)total.alarms,
         total.nearest);
  printf("%lld bits of C changed: %lld by more than twice the bound, %lld of these not found; "
         "%lld found, %lld corrected\n",
         (long long)total.flipped, (long long)total.visible, (long long)total.missed,
         (long long)total.found, (long long)total.corrected);
  const struct usage now = usage_now();
  usage_print("checks", &warm, &now);
  return total.alarms > 0 || total.missed > 0 || !usage_is_flat(&warm, &now);
}
