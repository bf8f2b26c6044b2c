/* The redistribution front end: checks of the public calls, the choice of a variant, the plan. */
#include "redistribute/redistribute.h"

#include <stdio.h>
#include <string.h>

struct plan {
  struct hy_redistribution problem;
  hyla_transfer *transfers; /* the problem's */
  enum hy_part *parts;
};

/* ------------------------------------------------------------- verdicts -- */

static const char *const op_names[] = {"HYLA_NONE",
                                       "HYLA_TRANSPOSE",
                                       "HYLA_CONJUGATE",
                                       "HYLA_TURN_LEFT",
                                       "HYLA_TURN_RIGHT",
                                       "HYLA_TURN_HALF",
                                       NULL};

/* Checks one transfer by itself, as a call whose arguments have its number in their names. */
static hyla_status check_transfer(hyla_cube *cube, const char *name, const hyla_transfer *transfers,
                                  int x) {
  enum { ROOM = 32 };
  const hyla_transfer *t = &transfers[x];
  char op[ROOM], from[ROOM], to[ROOM];
  snprintf(op, sizeof op, "op of transfer %d", x);
  snprintf(from, sizeof from, "from of transfer %d", x);
  snprintf(to, sizeof to, "to of transfer %d", x);
  const struct hy_call call = {
      .name = name,
      .option = {{op, (int)t->op, op_names}},
      .argument = {{from, t->from, t->op, "mn"}, {to, t->to, HYLA_NONE, "mn", t->to}}};
  TRY(hy_call_check(cube, &call));
  CHECK(&cube->base, t->to->k == transfers[0].to->k, ARGUMENT,
        "%s: %s is of type %s and to of transfer 0 of type %s; give all matrices one type, by "
        "hyla_matrix_convert",
        name, to, t->to->k->name, transfers[0].to->k->name);
  return HYLA_OK;
}

/* Checks that transfer x writes no entry that any transfer reads or another one writes. */
static hyla_status check_overlap(hyla_cube *cube, const char *name, const hyla_transfer *transfers,
                                 int count, int x) {
  for (int y = 0; y < count; y++) {
    CHECK(&cube->base, !hy_matrix_overlap(transfers[x].to, transfers[y].from), ARGUMENT,
          "%s: to of transfer %d, which is written, shares entries with from of transfer %d; give "
          "it a matrix of its own",
          name, x, y);
    CHECK(&cube->base, x == y || !hy_matrix_overlap(transfers[x].to, transfers[y].to), ARGUMENT,
          "%s: to of transfer %d, which is written, shares entries with to of transfer %d; give it "
          "a matrix of its own",
          name, x, y);
  }
  return HYLA_OK;
}

static hyla_status check(hyla_cube *cube, const char *name, int count,
                         const hyla_transfer *transfers) {
  CHECK(&cube->base, count >= 0, ARGUMENT, "%s: %d transfers; give 0 or more", name, count);
  CHECK(&cube->base, transfers != NULL || count == 0, ARGUMENT,
        "%s: transfers is NULL; give %d of them", name, count);
  for (int x = 0; x < count; x++) TRY(check_transfer(cube, name, transfers, x));
  for (int x = 0; x < count; x++) TRY(check_overlap(cube, name, transfers, count, x));
  return HYLA_OK;
}

static hyla_status check_band(hyla_cube *cube, const char *name, const hyla_transfer *transfer,
                              int64_t width) {
  CHECK(&cube->base, width >= 0, ARGUMENT, "%s: a band of width %lld; give 0 or more", name,
        (long long)width);
  CHECK(&cube->base, transfer->op <= HYLA_CONJUGATE, ARGUMENT,
        "%s: a band that is turned; turn it as a matrix", name);
  const struct hyla_matrix *to = transfer->to;
  CHECK(&cube->base, to->row.n == to->col.n, ARGUMENT,
        "%s: a band of %lld x %lld; the matrix must be square", name, (long long)to->row.n,
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

/* One number for all that a redistribution's time depends on. */
static uint64_t number_of(int count, const hyla_transfer *transfers, const enum hy_part *parts,
                          const int64_t *band) {
  uint64_t number = fingerprint_of(count, transfers, band, hy_redistribute_family.name);
  for (int x = 0; x < count && parts != NULL; x++) {
    const int part = (int)parts[x];
    number = hy_fingerprint(number, &part, sizeof part);
  }
  return number;
}

/* ------------------------------------------------------------- the plan -- */

static hyla_status run_plan(hyla_plan *plan) {
  return hy_choice_variant(&plan->choice)->run(hy_choice_state(&plan->choice));
}

/* Writes a line such as " 5 x 7 from LAYOUT to LAYOUT, transposed". */
static void explain_transfer(const hyla_transfer *transfer, struct hy_text *text) {
  static const char *const turned[] = {"",
                                       ", transposed",
                                       ", conjugate transposed",
                                       ", turned left",
                                       ", turned right",
                                       ", turned half"};
  char from[96], to[96];
  hyla_layout_format(&transfer->from->layout, from, sizeof from);
  hyla_layout_format(&transfer->to->layout, to, sizeof to);
  hy_text_add(text, "  %lld x %lld from %s to %s%s%s\n", (long long)transfer->from->row.n,
              (long long)transfer->from->col.n, from, to, turned[transfer->op],
              transfer->alpha == 1 ? "" : ", scaled");
}

static void explain_plan(const hyla_plan *made, struct hy_text *text) {
  const struct plan *plan = made->state;
  const struct hy_redistribution *problem = &plan->problem;
  const hyla_cube *cube = problem->cube;
  const struct hy_variant *variant = hy_choice_variant(&made->choice);
  for (int x = 0; x < problem->count; x++) explain_transfer(&problem->transfers[x], text);
  variant->explain(hy_choice_state(&made->choice), text);
  if (text->indent > 0) return; /* the parent plan says the rest */
  hy_text_add(text, "  nodes: %d; idle ranks: %d\n", cube->nodes, cube->ranks.all - cube->nodes);
  hy_text_add(text, "  reference: %s\n", variant->reference);
}

static const struct hy_plan_kind KIND = {
    .size = sizeof(struct plan), .run = run_plan, .explain = explain_plan};

/* The part of the making that may fail on one rank only. */
static hyla_status take_plan(hyla_cube *cube, int count, const hyla_transfer *transfers,
                             const enum hy_part *parts, hyla_plan **made) {
  TRY(hy_plan_create(cube, &KIND, made));
  struct plan *plan = (*made)->state;
  plan->problem =
      (struct hy_redistribution){.cube = cube, .k = hy_kernels_of(HYLA_DOUBLE), .count = count};
  TRY(hy_alloc_for(&cube->base, plan, count, sizeof *plan->transfers, &plan->transfers));
  for (int x = 0; x < count; x++) {
    plan->transfers[x] = transfers[x];
    plan->problem.k = transfers[x].to->k;
  }
  plan->problem.transfers = plan->transfers;
  if (parts == NULL) return HYLA_OK;
  TRY(hy_alloc_for(&cube->base, plan, count, sizeof *plan->parts, &plan->parts));
  for (int x = 0; x < count; x++) plan->parts[x] = parts[x];
  plan->problem.parts = plan->parts;
  return HYLA_OK;
}

/* A wanted redistribution; also the arg of a rehearsal. */
struct request {
  int count;
  const hyla_transfer *transfers;
  const enum hy_part *parts;               /* NULL: whole matrices */
  const int64_t *band;                     /* its width; NULL: no band is promised */
  const struct hy_redistribution *problem; /* set once planned */
};

static hyla_status make(hyla_cube *cube, const struct request *request, const char *variant,
                        hyla_plan **made);

static hyla_status rehearse_staged(const struct request *given, const char *variant,
                                   hyla_cube *rehearsal, hyla_transfer *transfers,
                                   hyla_matrix *matrices) {
  struct request request = *given;
  hyla_plan *plan = NULL;
  request.transfers = transfers;
  for (int x = 0; x < request.count; x++) {
    hyla_matrix *from = hy_matrix_rehearsed(rehearsal, given->transfers[x].from, &matrices[2 * x]);
    hyla_matrix *to = hy_matrix_rehearsed(rehearsal, given->transfers[x].to, &matrices[2 * x + 1]);
    transfers[x] = given->transfers[x];
    transfers[x].from = from;
    transfers[x].to = to;
  }
  hyla_status status = make(rehearsal, &request, variant, &plan);
  if (status == HYLA_OK) status = hy_plan_run(plan);
  (void)hyla_plan_destroy(&plan);
  return status;
}

static hyla_status rehearse(void *arg, const struct hy_variant *variant, hyla_cube *rehearsal) {
  const struct request *given = arg;
  hyla_transfer *transfers = NULL;
  hyla_matrix *matrices = NULL;
  hyla_status status = hy_alloc(&rehearsal->base, given->count, sizeof *transfers, &transfers);
  if (status == HYLA_OK)
    status = hy_alloc(&rehearsal->base, 2 * (int64_t)given->count, sizeof *matrices, &matrices);
  status = hy_agree(rehearsal, status);
  if (status == HYLA_OK)
    status = rehearse_staged(given, variant->name, rehearsal, transfers, matrices);
  hy_free(&rehearsal->base, &matrices);
  hy_free(&rehearsal->base, &transfers);
  return status;
}

/* The variant's own cost; its copies go past the caches if a rank's part of a target is large. */
static hyla_status price(void *arg, const struct hy_variant *variant, void **state,
                         hyla_cost *cost) {
  const struct request *given = arg;
  TRY(variant->create(variant, given->problem, state));
  *cost = variant->cost(*state);
  for (int x = 0; x < given->count; x++)
    if (hy_direct_streams(given->transfers[x].to)) cost->streamed = cost->copied;
  return HYLA_OK;
}

/* Collective; all ranks return the same. */
static hyla_status make(hyla_cube *cube, const struct request *request, const char *variant,
                        hyla_plan **made) {
  TRY(hy_agree(cube, take_plan(cube, request->count, request->transfers, request->parts, made)));
  struct plan *plan = (*made)->state;
  struct hy_choice *choice = &(*made)->choice;
  struct request asked = *request;
  const struct hy_pricing pricing = {
      .price = price,
      .rehearse = rehearse,
      .arg = &asked,
      .problem = number_of(request->count, request->transfers, request->parts, request->band)};
  asked.problem = &plan->problem;
  plan->problem.banded = request->band != NULL;
  plan->problem.width = request->band != NULL ? *request->band : 0;
  TRY(hy_choice_make(cube, &hy_redistribute_family, &plan->problem, plan->problem.k, variant,
                     &pricing, choice));
  (*made)->fingerprint = fingerprint_of(request->count, request->transfers, request->band,
                                        hy_choice_variant(choice)->name);
  return hy_agree(cube, hy_choice_variant(choice)->allocate(hy_choice_state(choice)));
}

hyla_status hy_redistribute_make(hyla_cube *cube, int count, const hyla_transfer *transfers,
                                 const enum hy_part *parts, const char *variant, hyla_plan **plan) {
  *plan = NULL;
  const struct request request = {count, transfers, parts, NULL, NULL};
  hyla_status status = make(cube, &request, variant, plan);
  if (status != HYLA_OK) hyla_plan_destroy(plan);
  return status;
}

hyla_status hy_redistribute_once(hyla_cube *cube, const hyla_transfer *transfer,
                                 const enum hy_part *part) {
  hyla_plan *plan = NULL;
  TRY(hy_redistribute_make(cube, 1, transfer, part, NULL, &plan));
  hyla_status status = hy_agree(cube, hy_plan_run(plan));
  hyla_plan_destroy(&plan);
  return status;
}

/* band: its width; NULL: no band is promised. */
static hyla_status plan_transfers(hyla_cube *cube, int count, const hyla_transfer *transfers,
                                  const int64_t *band, const char *variant, const char *call,
                                  hyla_plan **plan) {
  hyla_status mine = HYLA_OK;
  if (plan == NULL) mine = hy_fail(&cube->base, HYLA_ARGUMENT, "%s: plan is NULL", call);
  if (mine == HYLA_OK) mine = check(cube, call, count, transfers);
  if (mine == HYLA_OK && band != NULL) mine = check_band(cube, call, transfers, *band);
  uint64_t fingerprint = mine == HYLA_OK ? fingerprint_of(count, transfers, band, variant) : 0;
  TRY(hy_enter(cube, mine, fingerprint, call));
  const struct request request = {count, transfers, NULL, band, NULL};
  hyla_status status = make(cube, &request, variant, plan);
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
  hyla_status status = hy_agree(cube, hy_plan_run(plan));
  hyla_plan_destroy(&plan);
  return status;
}
