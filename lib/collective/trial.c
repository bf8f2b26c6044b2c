/* hyla_collective_plan; hyla_collective_run: a collective is planned, run once on labelled words,
 * and checked.
 *
 * The labels are those of the verifier's contracts.  A label shows whose words a word sums up, so
 * one comparison checks content and completeness. */
#include "collective/planned.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One run; the state of a plan, which owns all memory. */
struct trial {
  struct hy_subcube_op op;
  uint64_t *data;
  hyla_ledger before; /* the ledger before the run */
  double seconds;
};

static void add_labels(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  uint64_t *a = into;
  const uint64_t *b = from;
  for (int64_t i = 0; i < count; i++) a[i] += b[i];
}

/* Describes the collective and takes its words; agreed.  The words of all simulated nodes lie in
 * one memory. */
static hyla_status describe_task(hyla_cube *cube, const hyla_collective *c, struct trial *t) {
  TRY(hy_agree(cube, hy_trial_describe(cube, c, t, &t->op.what)));
  t->op.what.combining.combine = add_labels; /* sums of labels count as no time */
  const int64_t words = hy_contract_words(&t->op.what);
  TRY(hy_cube_afford(cube, words * (int64_t)sizeof *t->data));
  return hy_agree(cube, hy_alloc_data_for(&cube->base, t, words, sizeof *t->data, &t->data));
}

static hyla_status allocate(hyla_cube *cube, const struct hy_variant *row, struct trial *t) {
  const struct hy_collective what = hy_collective_on(row, &t->op.what);
  TRY(hy_subcube_plan(t, cube, &what, hy_plain_name(row), &t->op));
  return hy_subcube_allocate(&t->op);
}

/* Chooses the variant and takes the memory of a run; all ranks return the same. */
static hyla_status choose(hyla_cube *cube, const char *wanted, bool as_simulated, hyla_plan *made) {
  struct trial *t = made->state;
  TRY(hy_collective_choose(made, &t->op.what, wanted, 0, as_simulated));
  TRY(hy_agree(cube, allocate(cube, hy_choice_variant(&made->choice), t)));
  TRY(hy_collective_busiest(made, &t->op, 0));
  made->choice.candidates[made->choice.chosen].cost.flops = 0;
  return HYLA_OK;
}

static void explain(const hyla_plan *made, struct hy_text *text) {
  const struct hy_collective_variant *row =
      hy_collective_variant_of(hy_choice_variant(&made->choice));
  hy_text_add(text, "  for machines with %s, %s; reference: %s\n",
              row->machine.one_port ? "one port" : "all ports",
              row->machine.circuits ? "over circuits" : "stored and forwarded",
              row->base.reference);
}

static const struct hy_plan_kind KIND = {
    .size = sizeof(struct trial), .runs_by = "hyla_collective_run", .explain = explain};

/* Plans for the given times, or else for the machine's.  The times of a run can be rehearsed if it
 * is simulated with the same times. */
static hyla_status plan_collective(hyla_cube *cube, const hyla_collective *c, hyla_plan **plan) {
  const hyla_machine before = cube->session.machine;
  const double word = c->beta / sizeof(uint64_t);
  bool given = c->alpha > 0 || c->beta > 0;
  bool same = !given || (c->alpha == before.alpha && word == before.beta);
  if (!same) {
    strcpy(cube->session.machine.name, "given");
    cube->session.machine.alpha = c->alpha;
    cube->session.machine.beta = word;
  }
  hyla_status status = hy_agree(cube, hy_plan_create(cube, &KIND, plan));
  if (status == HYLA_OK) status = describe_task(cube, c, (*plan)->state);
  if (status == HYLA_OK) status = choose(cube, c->variant, same, *plan);
  cube->session.machine = before;
  return status;
}

static hyla_status run(hyla_cube *cube, struct trial *t) {
  const int number = hy_request_number(cube, 0);
  if (number < 0) return HYLA_OK;
  const struct hy_collective *what = &t->op.what;
  const uint32_t node = (uint32_t)number;
  bool dry = hy_cube_dry(cube);
  for (int64_t i = 0; i < t->op.words && !dry; i++) t->data[i] = hy_contract_before(what, node, i);
  t->before = cube->network.ledger;
  double start = hyla_cube_clock(cube);
  TRY(hy_subcube_run(&t->op, t->data));
  t->seconds = hyla_cube_clock(cube) - start;
  for (int64_t i = 0; i < t->op.words && !dry; i++) {
    uint64_t wanted = hy_contract_after(what, node, i);
    CHECK(&cube->base, wanted == 0 || t->data[i] == wanted, COMMUNICATION,
          "%s %s: word %lld on node %u is wrong", hy_task_name(what->task),
          t->op.variant->base.name, (long long)i, node);
  }
  return HYLA_OK;
}

/* The messages that this node has sent since the run began. */
static hyla_cost counted_since(const hyla_ledger *before, const hyla_ledger *after) {
  hyla_cost cost = {.steps = after->steps - before->steps,
                    .messages = after->far_messages - before->far_messages,
                    .words = after->far_bytes - before->far_bytes};
  for (int dim = 0; dim < after->dims; dim++) {
    cost.messages += after->messages[dim] - before->messages[dim];
    cost.words += after->bytes[dim] - before->bytes[dim];
  }
  cost.words /= (int64_t)sizeof(uint64_t);
  return cost;
}

/* The busiest node's counts and the slowest node's time, on all ranks. */
static hyla_status gather(hyla_cube *cube, const struct trial *t, hyla_collective_result *result) {
  hyla_cost counted = {0};
  if (hy_request_number(cube, 0) >= 0) counted = counted_since(&t->before, &cube->network.ledger);
  int64_t time; /* positive numbers are ordered as their bits are */
  memcpy(&time, &t->seconds, sizeof time);
  int64_t most[] = {counted.steps, counted.messages, counted.words, time};
  TRY(hyla_cube_max(cube, most, sizeof most / sizeof *most));
  result->counted = (hyla_cost){.steps = most[0], .messages = most[1], .words = most[2]};
  memcpy(&result->seconds, &most[3], sizeof result->seconds);
  return HYLA_OK;
}

/* Is the closed form exact for this length and these times? */
static bool is_exact(const struct hy_collective_variant *row, const struct hy_form *form,
                     const struct hy_collective *c) {
  if (form->divisor <= 0 || c->blocks.words % form->divisor != 0) return false;
  return row->holds == NULL || row->holds(c);
}

/* Describes a paper's claim that differs from the variant's own form. */
static void describe_claim(const hyla_collective *c, const struct hy_claim *claim,
                           hyla_collective_result *result) {
  if (claim->steps < 0) return;
  result->published_value = (double)claim->steps * (c->alpha + (double)c->words * c->beta);
  snprintf(result->published, sizeof result->published, "%s steps (%s), %lld", claim->formula,
           claim->reference, (long long)claim->steps);
}

/* Describes the variant: its name, its machine, its closed form with the values of the letters, and
 * a paper's claim.  A variant whose steps are counted has no closed form. */
static hyla_status describe(hyla_cube *cube, const hyla_collective *c, const hyla_plan *made,
                            hyla_collective_result *result) {
  const struct trial *t = made->state;
  const struct hy_collective_variant *row =
      hy_collective_variant_of(hy_choice_variant(&made->choice));
  snprintf(result->variant, sizeof result->variant, "%s", hyla_plan_variant(made));
  result->ports = row->machine.one_port ? HYLA_ONE_PORT : HYLA_ALL_PORTS;
  result->switching = row->machine.circuits ? HYLA_CIRCUIT : HYLA_STORE;
  result->predicted = hyla_plan_cost(made);
  result->seconds_predicted = hyla_plan_seconds(made);
  result->formula_value = NAN;
  (void)hyla_plan_explain(made, result->reason, sizeof result->reason);
  result->published_value = NAN;
  const struct hy_collective *task = &t->op.what;
  struct hy_claim claim = {.steps = -1};
  if (row->claim != NULL) claim = row->claim(task);
  describe_claim(c, &claim, result);
  struct hy_text letters = {.text = result->letters, .capacity = sizeof result->letters};
  hy_variant_letters(row, task, claim.steps < 0 ? NULL : claim.formula, c->beta, c->alpha,
                     &letters);
  const char *closed_form = hy_variant_closed_form(row, task);
  if (closed_form == NULL) return HYLA_OK;
  struct hy_form form;
  TRY(hy_variant_form_on(cube, row, task, &form));
  snprintf(result->formula, sizeof result->formula, "%s", row->base.reference);
  snprintf(result->closed_form, sizeof result->closed_form, "%s", closed_form);
  if (is_exact(row, &form, task))
    result->formula_value = (double)form.steps * c->alpha +
                            (double)(form.words.num * c->words) / (double)form.words.den * c->beta;
  return HYLA_OK;
}

static hyla_status work(hyla_cube *cube, const hyla_collective *c, hyla_plan **plan,
                        hyla_collective_result *result) {
  TRY(plan_collective(cube, c, plan));
  TRY(hy_agree(cube, run(cube, (*plan)->state)));
  TRY(gather(cube, (*plan)->state, result));
  return hy_agree(cube, describe(cube, c, *plan, result));
}

hyla_status hyla_collective_run(hyla_cube *cube, const hyla_collective *c,
                                hyla_collective_result *result) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  TRY(hy_enter(cube, hy_trial_check(cube, c, result), hy_trial_fingerprint(c),
               "hyla_collective_run"));
  hyla_plan *plan = NULL;
  hyla_collective_result found = {0};
  hyla_status status = work(cube, c, &plan, &found);
  if (status == HYLA_OK) *result = found;
  (void)hyla_plan_destroy(&plan);
  return status;
}

hyla_status hyla_collective_plan(hyla_cube *cube, const hyla_collective *c, hyla_plan **plan) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  if (plan != NULL) *plan = NULL;
  TRY(hy_enter(cube, hy_trial_check(cube, c, plan), hy_trial_fingerprint(c),
               "hyla_collective_plan"));
  hyla_status status = plan_collective(cube, c, plan);
  if (status != HYLA_OK) (void)hyla_plan_destroy(plan);
  return status;
}
