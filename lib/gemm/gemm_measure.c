/* Choice by measurement: the few candidates that are predicted to be the fastest run on
 * the given factors and on a result of their own, so that the user's does not change.
 * Each is planned, run once to warm up and then a few times; its least time counts, on
 * the slowest rank.  All ranks see the same times and choose alike. */
#include "gemm/gemm_plan.h"

#include <math.h>
#include <string.h>

enum { FEW = 4, RUNS = 5, KEY_MAX = 1024 };
static const double ENOUGH = 0.2; /* seconds for the runs of one candidate */

/* What the time of a plan depends on. */
static void add_operand(struct hy_text *key, const struct hy_operand *x) {
  char layout[HYLA_LAYOUT_TEXT];
  const hyla_layout lies = {x->row.code, x->col.code, x->rest};
  hyla_layout_format(&lies, layout, sizeof layout);
  hy_text_add(key, ", %s%s", layout, x->in_place ? "" : " private");
  if (x->row.n != x->row.total || x->col.n != x->col.total)
    hy_text_add(key, " from (%lld, %lld) of %lld x %lld", (long long)x->row.first,
                (long long)x->col.first, (long long)x->row.total, (long long)x->col.total);
}

static void add_shape(struct hy_text *key, const char *factor, const struct hy_shape *shape) {
  static const char *const forms[] = {[HY_SYMMETRIC] = "symmetric",
                                      [HY_HERMITIAN] = "Hermitian",
                                      [HY_TRIANGULAR] = "triangular",
                                      [HY_UNIT_TRIANGULAR] = "unit triangular"};
  if (shape->form != HY_GENERAL)
    hy_text_add(key, ", %s %s %s", factor, shape->triangle == HYLA_LOWER ? "lower" : "upper",
                forms[shape->form]);
}

static void write_key(const struct hy_gemm_plan *plan, const struct hy_gemm_request *r,
                      struct hy_text *key) {
  static const char op[] = "NTC", part[] = "wlu";
  const struct hy_gemm_problem *given = &plan->given;
  const hyla_cube *cube = plan->cube;
  hy_text_add(key, "gemm %c%c%c %s %lld x %lld x %lld%s", op[r->op_a], op[r->op_b], part[r->part],
              given->kernels->name, (long long)given->m, (long long)given->n, (long long)given->k,
              r->beta == 0 ? "" : " added");
  add_shape(key, "A", &r->shape_a);
  add_shape(key, "B", &r->shape_b);
  add_operand(key, &given->a);
  add_operand(key, &given->b);
  add_operand(key, &given->c);
  hy_text_add(key, ", %d nodes, %g ranks a core, %d threads%s, machine %s", cube->nodes,
              cube->share, cube->threads, hy_in_place_expected(cube) ? " in place" : "",
              cube->machine.name);
}

/* Collective.  The least time of a plan's runs. */
static hyla_status time_plan(hyla_cube *cube, hyla_plan *plan, double *least) {
  double all = 0;
  *least = INFINITY;
  for (int run = 0; run <= RUNS && all < ENOUGH; run++) {
    TRY(hy_agree(cube, HYLA_OK));
    double begin = hyla_cube_clock(cube);
    TRY(hy_agree(cube, hy_plan_run(plan)));
    int64_t nanoseconds = llround((hyla_cube_clock(cube) - begin) * 1e9);
    TRY(hy_agree(cube, hy_cube_max(cube, &nanoseconds, 1)));
    if (run == 0) continue; /* warms up */
    double seconds = (double)hy_max(1, nanoseconds) * 1e-9;
    all += seconds;
    *least = fmin(*least, seconds);
  }
  return HYLA_OK;
}

static hyla_status time_candidate(struct hy_gemm_plan *plan, const struct hy_gemm_request *r,
                                  hy_gemm_make *make, hyla_matrix *result,
                                  struct hy_candidate *candidate) {
  struct hy_gemm_request trial = *r;
  hyla_plan *made = NULL;
  trial.c = result;
  trial.variant = candidate->name;
  hyla_status status = make(plan->cube, &trial, &made);
  if (status == HYLA_OK) status = time_plan(plan->cube, made, &candidate->measured);
  hyla_plan_destroy(&made);
  return status;
}

/* The candidate predicted to be the fastest of those not measured yet; NULL: none. */
static struct hy_candidate *next_best(struct hy_gemm_plan *plan) {
  struct hy_candidate *best = NULL;
  for (int x = 0; x < plan->choice->count; x++) {
    struct hy_candidate *other = &plan->choice->candidates[x];
    if (hy_refused(other) || other->measured > 0) continue;
    if (best == NULL || other->seconds < best->seconds) best = other;
  }
  return best;
}

static hyla_status measure(struct hy_gemm_plan *plan, const struct hy_gemm_request *r,
                           hy_gemm_make *make, hyla_matrix *result) {
  const struct hy_candidate *fastest = NULL;
  for (int i = 0; i < FEW; i++) {
    struct hy_candidate *candidate = next_best(plan);
    if (candidate == NULL) break;
    TRY(time_candidate(plan, r, make, result, candidate));
    if (fastest == NULL || candidate->measured < fastest->measured) fastest = candidate;
  }
  plan->choice->chosen = (int)(fastest - plan->choice->candidates);
  plan->choice->why = HY_MEASURED;
  return HYLA_OK;
}

/* The stand-in for C lies as C does; the ledger does not count what is tried. */
static hyla_status measure_aside(struct hy_gemm_plan *plan, const struct hy_gemm_request *r,
                                 hy_gemm_make *make) {
  hyla_cube *cube = plan->cube;
  struct hy_binding aside = {.given = r->c};
  const hyla_ledger before = cube->ledger;
  hyla_status status = hy_agree(cube, hy_bind_make(&aside, &plan->given.c));
  if (status == HYLA_OK) status = measure(plan, r, make, aside.view);
  hy_bind_release(&aside);
  cube->ledger = before;
  return status;
}

/* Takes what wisdom says where it still holds; may be told a variant that is not there
 * any more, or one beyond the memory limit. */
static bool take(struct hy_gemm_plan *plan, const char *name, double seconds) {
  for (int x = 0; x < plan->choice->count; x++) {
    struct hy_candidate *candidate = &plan->choice->candidates[x];
    if (strcmp(candidate->name, name) != 0 || hy_refused(candidate)) continue;
    candidate->measured = seconds;
    plan->choice->chosen = x;
    plan->choice->why = HY_REMEMBERED;
    return true;
  }
  return false;
}

hyla_status hy_gemm_learn(struct hy_gemm_plan *plan, const struct hy_gemm_request *r,
                          hy_gemm_make *make) {
  hyla_cube *cube = plan->cube;
  char buffer[KEY_MAX], name[HY_NAME_MAX];
  struct hy_text key = {.text = buffer, .capacity = sizeof buffer};
  double seconds = 0;
  write_key(plan, r, &key);
  TRY(hy_agree(cube, hy_recall(cube, buffer, name, &seconds)));
  if (take(plan, name, seconds) || !cube->measure) return HYLA_OK;
  TRY(measure_aside(plan, r, make));
  const struct hy_candidate *chosen = &plan->choice->candidates[plan->choice->chosen];
  return hy_agree(cube, hy_remember(cube, buffer, chosen->name, chosen->measured));
}
