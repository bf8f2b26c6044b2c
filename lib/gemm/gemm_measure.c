/* Choice by measurement.  The few candidates with the shortest predicted times run on the given
 * factors and on a result of their own, so that the user's does not change.  Each candidate is
 * planned, run once to warm up and then a few times; its shortest time counts, on the slowest rank.
 * All ranks see the same times and choose alike. */
#include "gemm/gemm_check.h"

#include <math.h>
#include <string.h>

enum { FEW = 4, RUNS = 5, KEY_MAX = 1024 };
static const double ENOUGH = 0.2; /* seconds for the runs of one candidate */

/* Writes to the key all that the time of a plan depends on. */
static void add_operand(struct hy_text *key, const struct hy_operand *x) {
  char layout[HYLA_LAYOUT_TEXT];
  const hyla_layout lies = hy_operand_layout(x);
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

static void write_key(const struct hy_job *job, struct hy_text *key) {
  static const char op[] = "NTC", part[] = "wlu";
  const struct hy_argument *argument = job->call.argument;
  const struct hy_binding *operand = job->operand;
  const struct hy_shape *half = &argument[2].shape;
  const hyla_cube *cube = job->cube;
  int computed = half->form == HY_GENERAL ? 0 : half->triangle == HYLA_LOWER ? 1 : 2;
  hy_text_add(key, "gemm %c%c%c %s %lld x %lld x %lld%s", op[argument[0].op], op[argument[1].op],
              part[computed], job->k->name, (long long)operand[2].given.row.n,
              (long long)operand[2].given.col.n, (long long)operand[0].given.col.n,
              job->call.beta == 0 ? "" : " added");
  add_shape(key, "A", &argument[0].shape);
  add_shape(key, "B", &argument[1].shape);
  for (int x = 0; x < 3; x++) add_operand(key, &operand[x].given);
  if (cube->sides.count > 0)
    hy_text_add(key, ", array %u x %u", cube->sides.rows, cube->sides.cols);
  hy_text_add(key, ", %d nodes, %g ranks a core, %d threads%s, machine %s", cube->nodes,
              cube->ranks.share, cube->session.threads,
              hy_in_place_expected(cube) ? " in place" : "", cube->session.machine.name);
}

/* Collective.  The shortest time of a candidate's runs. */
static hyla_status time_candidate(const struct hy_job *job, hyla_matrix *result,
                                  struct hy_candidate *candidate) {
  hyla_cube *cube = job->cube;
  struct hy_call trial = job->call;
  hyla_plan *plan = NULL;
  trial.argument[2].matrix = trial.argument[2].result = result;
  trial.variant = candidate->name;
  hyla_status status = hy_job_make(cube, job->operation, &trial, &plan);
  double all = 0;
  candidate->measured = INFINITY;
  for (int run = 0; run <= RUNS && all < ENOUGH && status == HYLA_OK; run++) {
    status = hy_agree(cube, HYLA_OK);
    double begin = hyla_cube_clock(cube);
    if (status == HYLA_OK) status = hy_agree(cube, hy_plan_run(plan));
    int64_t nanoseconds = llround((hyla_cube_clock(cube) - begin) * 1e9);
    if (status == HYLA_OK) status = hy_agree(cube, hy_cube_max(cube, &nanoseconds, 1));
    if (run == 0) continue; /* the first run warms up */
    double seconds = (double)hy_max(1, nanoseconds) * 1e-9;
    all += seconds;
    candidate->measured = fmin(candidate->measured, seconds);
  }
  (void)hyla_plan_destroy(&plan);
  return status;
}

/* Measures those of the candidates not measured yet that have the shortest predicted times. */
static hyla_status measure(const struct hy_job *job, hyla_matrix *result) {
  struct hy_choice *choice = job->choice;
  const struct hy_candidate *fastest = NULL;
  for (int i = 0; i < FEW; i++) {
    struct hy_candidate *best = NULL;
    for (int x = 0; x < choice->count; x++) {
      struct hy_candidate *other = &choice->candidates[x];
      if (hy_refused(other) || other->measured > 0) continue;
      if (best == NULL || other->seconds < best->seconds) best = other;
    }
    if (best == NULL) break;
    TRY(time_candidate(job, result, best));
    if (fastest == NULL || best->measured < fastest->measured) fastest = best;
  }
  choice->chosen = (int)(fastest - choice->candidates);
  choice->why = HY_MEASURED;
  return HYLA_OK;
}

hyla_status hy_gemm_learn(struct hy_job *job) {
  hyla_cube *cube = job->cube;
  struct hy_choice *choice = job->choice;
  char buffer[KEY_MAX], name[HY_NAME_MAX];
  struct hy_text key = {.text = buffer, .capacity = sizeof buffer};
  double seconds = 0;
  if (!cube->session.wise || cube->session.reproducible || choice->why != HY_PREDICTED)
    return HYLA_OK;
  write_key(job, &key);
  TRY(hy_agree(cube, hy_recall(cube, buffer, name, &seconds)));
  for (int x = 0; x < choice->count; x++) {
    struct hy_candidate *candidate = &choice->candidates[x];
    /* The variant may have gone, or may exceed the memory limit. */
    if (strcmp(candidate->name, name) != 0 || hy_refused(candidate)) continue;
    candidate->measured = seconds;
    choice->chosen = x;
    choice->why = HY_REMEMBERED;
    return HYLA_OK;
  }
  if (!cube->session.measure) return HYLA_OK;
  /* A stand-in for C lies as C does.  The ledger does not count the trials. */
  struct hy_binding aside = {.matrix = job->operand[2].matrix, .wanted = job->operand[2].given};
  const hyla_ledger before = cube->network.ledger;
  hyla_status status = hy_binding_make(cube, job->k, &aside);
  if (status == HYLA_OK) status = measure(job, aside.view);
  hy_binding_release(&aside);
  cube->network.ledger = before;
  TRY(status);
  const struct hy_candidate *chosen = &choice->candidates[choice->chosen];
  return hy_agree(cube, hy_remember(cube, buffer, chosen->name, chosen->measured));
}
