/* The redistribution front end: what the public calls check, the choice of the
 * variant, the plan. */
#include "redistribute/redistribute.h"

#include <string.h>

struct plan {
  struct hy_redistribution problem;
  hyla_transfer *transfers; /* the problem's */
  char *scratch;            /* a column of the tallest target that is to be scaled */
  int count;                /* of variants */
  int choice;
  bool forced;
  struct hy_candidate *candidates;
  void **states; /* of the variants; after the choice of the chosen one only */
};

/* ------------------------------------------------------------- verdicts -- */

static bool ranges_meet(const struct hy_axis *a, const struct hy_axis *b) {
  return a->first < b->first + b->n && b->first < a->first + a->n;
}

/* Do views of one matrix, or wraps of one array, share entries on this rank? */
static bool overlap(const hyla_matrix *x, const hyla_matrix *y) {
  bool empty = x->local_rows * x->local_cols == 0 || y->local_rows * y->local_cols == 0;
  if (empty || x->storage != y->storage) return false;
  return ranges_meet(&x->row, &y->row) && ranges_meet(&x->col, &y->col);
}

static hyla_status check_transfer(hyla_cube *cube, const hyla_transfer *transfers, int x) {
  struct hy_base *base = &cube->base;
  const hyla_transfer *t = &transfers[x];
  CHECK(base, t->op <= HYLA_CONJUGATE, ARGUMENT,
        "redistribute: operation %d of transfer %d; there are 0, 1 and 2", (int)t->op, x);
  TRY(hy_matrix_check(cube, t->from, "from of redistribute"));
  TRY(hy_matrix_check(cube, t->to, "to of redistribute"));
  CHECK(base, t->from->k == t->to->k && t->to->k == transfers[0].to->k, ARGUMENT,
        "redistribute: transfer %d from type %s to type %s, the first one to %s; all matrices "
        "must be of one type",
        x, t->from->k->name, t->to->k->name, transfers[0].to->k->name);
  bool turned = t->op != HYLA_NONE;
  int64_t rows = turned ? t->from->col.n : t->from->row.n;
  int64_t cols = turned ? t->from->row.n : t->from->col.n;
  CHECK(base, rows == t->to->row.n && cols == t->to->col.n, ARGUMENT,
        "redistribute: op(from) of transfer %d is %lld x %lld, to %lld x %lld", x, (long long)rows,
        (long long)cols, (long long)t->to->row.n, (long long)t->to->col.n);
  return HYLA_OK;
}

/* Transfer x writes nothing that one of the transfers reads or another one writes. */
static hyla_status check_overlap(hyla_cube *cube, const hyla_transfer *transfers, int count,
                                 int x) {
  for (int y = 0; y < count; y++) {
    CHECK(&cube->base, !overlap(transfers[x].to, transfers[y].from), ARGUMENT,
          "redistribute: the target of transfer %d shares entries with the source of transfer %d; "
          "give it a matrix of its own",
          x, y);
    CHECK(&cube->base, x == y || !overlap(transfers[x].to, transfers[y].to), ARGUMENT,
          "redistribute: transfers %d and %d have targets that share entries", x, y);
  }
  return HYLA_OK;
}

static hyla_status check(hyla_cube *cube, int count, const hyla_transfer *transfers) {
  CHECK(&cube->base, count >= 0, ARGUMENT, "redistribute: %d transfers; give 0 or more", count);
  CHECK(&cube->base, transfers != NULL || count == 0, ARGUMENT,
        "redistribute: transfers is NULL; give %d of them", count);
  for (int x = 0; x < count; x++) TRY(check_transfer(cube, transfers, x));
  for (int x = 0; x < count; x++) TRY(check_overlap(cube, transfers, count, x));
  return HYLA_OK;
}

static hyla_status check_band(hyla_cube *cube, const hyla_transfer *transfer, int64_t width) {
  CHECK(&cube->base, width >= 0, ARGUMENT, "redistribute: a band of width %lld; give 0 or more",
        (long long)width);
  const struct hyla_matrix *to = transfer->to;
  CHECK(&cube->base, to->row.n == to->col.n, ARGUMENT,
        "redistribute: a band of %lld x %lld; the matrix must be square", (long long)to->row.n,
        (long long)to->col.n);
  return HYLA_OK;
}

static uint64_t fingerprint_of(int count, const hyla_transfer *transfers, const int64_t *band,
                               const char *variant) {
  uint64_t fingerprint = hy_fingerprint(0, &count, sizeof count);
  if (band != NULL) fingerprint = hy_fingerprint(fingerprint, band, sizeof *band);
  if (variant != NULL) fingerprint = hy_fingerprint(fingerprint, variant, strlen(variant));
  for (int x = 0; x < count; x++) {
    const int op = (int)transfers[x].op;
    fingerprint = hy_fingerprint(fingerprint, &op, sizeof op);
    fingerprint = hy_fingerprint(fingerprint, &transfers[x].alpha, sizeof transfers[x].alpha);
    fingerprint = hy_matrix_fingerprint(fingerprint, transfers[x].from);
    fingerprint = hy_matrix_fingerprint(fingerprint, transfers[x].to);
  }
  return fingerprint;
}

/* ------------------------------------------------------------- the plan -- */

/* For variants that do not scale on the way; the bits are the same. */
static void scale(const struct plan *plan, const hyla_transfer *transfer) {
  const hyla_matrix *to = transfer->to;
  const struct hy_kernels *k = plan->problem.k;
  int rows = (int)to->local_rows;
  if (transfer->alpha == 1) return;
  for (int64_t m = 0; m < to->local_cols && rows > 0; m++) {
    k->copy(HYLA_NONE, rows, 1, transfer->alpha, hy_at(to, 0, m), (int)to->ld, plan->scratch, rows);
    hy_copy_entries(k, hy_at(to, 0, m), plan->scratch, rows);
  }
}

static hyla_status run_plan(void *state) {
  struct plan *plan = state;
  const struct hy_redistribution *problem = &plan->problem;
  const struct hy_redistribute_variant *variant = hy_redistribute_variants()[plan->choice];
  TRY(variant->run(plan->states[plan->choice]));
  for (int x = 0; x < problem->count && !variant->scales; x++) scale(plan, &problem->transfers[x]);
  return HYLA_OK;
}

static const char *variant_of(const void *state) {
  const struct plan *plan = state;
  return plan->candidates[plan->choice].name;
}

static hyla_cost cost_of(const void *state) {
  const struct plan *plan = state;
  return plan->candidates[plan->choice].cost;
}

static double seconds_of(const void *state) {
  const struct plan *plan = state;
  return plan->candidates[plan->choice].seconds;
}

/* "  op(A) 5 x 7: ..." */
static void explain_transfer(const hyla_transfer *transfer, struct hy_text *text) {
  static const char *const turned[] = {"", ", transposed", ", conjugate transposed"};
  char from[96], to[96];
  hyla_layout_format(&transfer->from->layout, from, sizeof from);
  hyla_layout_format(&transfer->to->layout, to, sizeof to);
  hy_text_add(text, "  %lld x %lld from %s to %s%s%s\n", (long long)transfer->from->row.n,
              (long long)transfer->from->col.n, from, to, turned[transfer->op],
              transfer->alpha == 1 ? "" : ", scaled");
}

static void explain_plan(const void *state, struct hy_text *text) {
  const struct plan *plan = state;
  const struct hy_redistribution *problem = &plan->problem;
  const hyla_cube *cube = problem->cube;
  const struct hy_redistribute_variant *variant = hy_redistribute_variants()[plan->choice];
  hy_choice_explain(text, "redistribute", &cube->machine, plan->candidates, plan->count,
                    plan->choice, plan->forced ? HY_ASKED : HY_PREDICTED);
  for (int x = 0; x < problem->count; x++) explain_transfer(&problem->transfers[x], text);
  variant->explain(plan->states[plan->choice], text);
  hy_text_add(text, "  nodes: %d; idle ranks: %d\n", cube->nodes, cube->ranks - cube->nodes);
  hy_text_add(text, "  reference: %s\n", variant->reference);
}

static void destroy_plan(void *state) {
  struct plan *plan = state;
  hyla_cube *cube = plan->problem.cube;
  if (cube == NULL) return; /* nothing was made */
  for (int v = 0; v < plan->count && plan->states != NULL; v++)
    hy_redistribute_variants()[v]->destroy(cube, &plan->states[v]);
  hy_free(&cube->base, &plan->states);
  hy_free(&cube->base, &plan->candidates);
  hy_free(&cube->base, &plan->scratch);
  hy_free(&cube->base, &plan->transfers);
}

static const struct hy_plan_kind KIND = {.size = sizeof(struct plan),
                                         .run = run_plan,
                                         .variant = variant_of,
                                         .cost = cost_of,
                                         .explain = explain_plan,
                                         .destroy = destroy_plan,
                                         .seconds = seconds_of};

/* The part of making it that may fail on one rank only. */
static hyla_status take_plan(hyla_cube *cube, int count, const hyla_transfer *transfers,
                             hyla_plan **made) {
  struct hy_base *base = &cube->base;
  TRY(hy_plan_create(cube, &KIND, made));
  struct plan *plan = (*made)->state;
  plan->problem =
      (struct hy_redistribution){.cube = cube, .k = hy_kernels_of(HYLA_DOUBLE), .count = count};
  plan->count = hy_redistribute_variant_count();
  TRY(hy_alloc(base, count, sizeof *plan->transfers, &plan->transfers));
  int64_t tallest = 0;
  for (int x = 0; x < count; x++) {
    plan->transfers[x] = transfers[x];
    plan->problem.k = transfers[x].to->k;
    if (transfers[x].alpha != 1) tallest = hy_max(tallest, transfers[x].to->local_rows);
  }
  plan->problem.transfers = plan->transfers;
  TRY(hy_alloc_data(base, tallest, plan->problem.k->size, &plan->scratch));
  TRY(hy_alloc(base, plan->count, sizeof *plan->candidates, &plan->candidates));
  return hy_alloc(base, plan->count, sizeof *plan->states, &plan->states);
}

/* Collective; all ranks return the same.  only: of all candidates this one is asked for,
 * and no other is priced; "": any. */
static hyla_status estimate(struct plan *plan, int v, const char *only) {
  const struct hy_redistribute_variant *variant = hy_redistribute_variants()[v];
  struct hy_candidate *candidate = &plan->candidates[v];
  candidate->name = variant->name;
  candidate->reason = variant->applies(&plan->problem);
  candidate->unpriced = only[0] != '\0' && strcmp(variant->name, only) != 0;
  if (candidate->reason != NULL || candidate->unpriced) return HYLA_OK;
  TRY(variant->create(&plan->problem, &plan->states[v]));
  candidate->cost = variant->cost(plan->states[v]);
  return HYLA_OK;
}

static hyla_status choose(struct plan *plan, const char *wanted) {
  hyla_cube *cube = plan->problem.cube;
  char forced[64] = "";
  if (wanted == NULL || wanted[0] == '\0') {
    hy_forced_variant(cube->forced, "redistribute", forced, sizeof forced);
    wanted = forced;
  }
  plan->forced = wanted[0] != '\0';
  for (int v = 0; v < plan->count; v++) TRY(estimate(plan, v, wanted));
  TRY(hy_plan_busiest(cube, plan->problem.k, plan->candidates, plan->count));
  TRY(hy_choose(&cube->base, "redistribute", plan->candidates, plan->count, wanted, &plan->choice));
  for (int v = 0; v < plan->count; v++)
    if (v != plan->choice) hy_redistribute_variants()[v]->destroy(cube, &plan->states[v]);
  return HYLA_OK;
}

/* Collective; all ranks return the same. */
static hyla_status make(hyla_cube *cube, int count, const hyla_transfer *transfers,
                        const int64_t *band, const char *variant, hyla_plan **made) {
  TRY(hy_agree(cube, take_plan(cube, count, transfers, made)));
  struct plan *plan = (*made)->state;
  plan->problem.banded = band != NULL;
  plan->problem.width = band != NULL ? *band : 0;
  TRY(choose(plan, variant));
  (*made)->fingerprint = fingerprint_of(count, transfers, band, variant_of(plan));
  return hy_agree(cube, hy_redistribute_variants()[plan->choice]->take(plan->states[plan->choice]));
}

/* band: its width; NULL: nobody says that there is one. */
static hyla_status plan_transfers(hyla_cube *cube, int count, const hyla_transfer *transfers,
                                  const int64_t *band, const char *variant, const char *call,
                                  hyla_plan **plan) {
  hyla_status mine = HYLA_OK;
  if (plan == NULL) mine = hy_fail(&cube->base, HYLA_ARGUMENT, "%s: plan is NULL", call);
  if (mine == HYLA_OK) mine = check(cube, count, transfers);
  if (mine == HYLA_OK && band != NULL) mine = check_band(cube, transfers, *band);
  uint64_t fingerprint = mine == HYLA_OK ? fingerprint_of(count, transfers, band, variant) : 0;
  TRY(hy_enter(cube, mine, fingerprint, call));
  hyla_status status = make(cube, count, transfers, band, variant, plan);
  if (status != HYLA_OK) hyla_plan_destroy(plan);
  return status;
}

hyla_status hyla_redistribute_plan(hyla_cube *cube, int count, const hyla_transfer *transfers,
                                   const char *variant, hyla_plan **plan) {
  if (plan != NULL) *plan = NULL;
  if (cube == NULL) return HYLA_ARGUMENT;
  return plan_transfers(cube, count, transfers, NULL, variant, "hyla_redistribute_plan", plan);
}

hyla_status hyla_redistribute_band_plan(hyla_cube *cube, const hyla_transfer *transfer,
                                        int64_t width, const char *variant, hyla_plan **plan) {
  if (plan != NULL) *plan = NULL;
  if (cube == NULL) return HYLA_ARGUMENT;
  return plan_transfers(cube, 1, transfer, &width, variant, "hyla_redistribute_band_plan", plan);
}

hyla_status hyla_redistribute(hyla_cube *cube, int count, const hyla_transfer *transfers) {
  hyla_plan *plan = NULL;
  if (cube == NULL) return HYLA_ARGUMENT;
  TRY(plan_transfers(cube, count, transfers, NULL, NULL, "hyla_redistribute", &plan));
  hyla_status status = hy_agree(cube, plan->kind->run(plan->state));
  hyla_plan_destroy(&plan);
  return status;
}
