/* hyla_collective_plan; hyla_collective_run: a collective, planned, run once on labelled words,
 * checked.
 *
 * The labels are those of the verifier's contracts: each word shows whose words
 * it is the sum of, so one comparison checks content and completeness. */
#include "collective/trial.h"
#include "collective/bound.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Everything of one run; the state of a plan. */
struct trial {
  struct hy_collective collective;
  struct hy_collective_plan *plan;
  uint64_t *data;
  int64_t words;
  uint8_t *active;
  int32_t *to;
  uint8_t phases[HYLA_DIMS_MAX];
  hyla_ledger before; /* the run */
  double seconds;
};

static void add_labels(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  uint64_t *a = into;
  const uint64_t *b = from;
  for (int64_t i = 0; i < count; i++) a[i] += b[i];
}

static struct hy_combining adding(hyla_cube *cube) {
  return (struct hy_combining){.cube = cube, .combine = add_labels};
}

bool hy_trial_task(const char *name, enum hy_task *task) {
  const struct hy_family *family = NULL;
  for (int i = 0; (family = hy_collective_family(i)) != NULL; i++) {
    *task = (enum hy_task)i;
    if (strcmp(family->name, name) == 0) return true;
  }
  return false;
}

/* ARGUMENT with the nearest of the names, and all of them. */
static hyla_status refuse_name(struct hy_base *base, const char *name) {
  enum { NAMES_MAX = 16 };
  const char *names[NAMES_MAX + 1] = {NULL};
  char list[HY_MESSAGE_MAX / 2] = "", meant[2 * HY_NAME_MAX] = "";
  struct hy_text text = {.text = list, .capacity = sizeof list};
  const struct hy_family *family = NULL;
  for (int i = 0; (family = hy_collective_family(i)) != NULL && i < NAMES_MAX; i++) {
    names[i] = family->name;
    hy_text_add(&text, " %s", family->name);
  }
  const char *nearest = hyla_name_nearest(name, names);
  if (nearest != NULL) snprintf(meant, sizeof meant, " (did you mean '%s'?)", nearest);
  return hy_fail(base, HYLA_ARGUMENT, "there is no collective '%s'%s; there are:%s", name, meant,
                 list);
}

static hyla_status check_phases(hyla_cube *cube, const hyla_collective *c) {
  struct hy_base *base = &cube->base;
  CHECK(base, c->phases >= 0 && c->phases <= HYLA_DIMS_MAX, ARGUMENT, "%d phases; give 0 to %d",
        c->phases, HYLA_DIMS_MAX);
  if (c->phases == 0) return HYLA_OK;
  bool multiphase = c->variant != NULL && strcmp(c->variant, "multiphase") == 0;
  CHECK(base, multiphase && strcmp(c->name, "exchange") == 0, ARGUMENT,
        "phases are given, and not the exchange by multiphase is asked for");
  int64_t sum = 0;
  bool whole = true;
  for (int i = 0; i < c->phases; i++) {
    whole = whole && c->phase[i] >= 1;
    sum += c->phase[i];
  }
  CHECK(base, whole && sum == cube->dims, ARGUMENT,
        "%d phases of %lld dimensions; give each 1 or more, %d in all", c->phases, (long long)sum,
        cube->dims);
  return HYLA_OK;
}

/* place: for what is found. */
hyla_status hy_trial_check(hyla_cube *cube, const hyla_collective *c, const void *place) {
  struct hy_base *base = &cube->base;
  CHECK(base, c != NULL && place != NULL && c->name != NULL, ARGUMENT,
        "the collective, its name or the place for what is found is NULL");
  enum hy_task task;
  if (!hy_trial_task(c->name, &task)) return refuse_name(base, c->name);
  int64_t most = INT64_MAX / 8 / cube->nodes;
  CHECK(base, c->words >= 0 && c->words <= most, ARGUMENT, "messages of %lld words; give 0 to %lld",
        (long long)c->words, (long long)most);
  CHECK(base, c->root >= 0 && c->root < cube->nodes, ARGUMENT,
        "the root is %d; give a node from 0 to %d", c->root, cube->nodes - 1);
  CHECK(base, c->distance >= 0 && c->distance <= cube->dims, ARGUMENT,
        "no node is at distance %d on this cube; give 0 to %d", c->distance, cube->dims);
  CHECK(base, c->active >= 0 && c->active <= cube->nodes, ARGUMENT,
        "%d nodes are to be active; give 0 to %d", c->active, cube->nodes);
  TRY(check_phases(cube, c));
  CHECK(base, c->alpha >= 0 && c->beta >= 0 && isfinite(c->alpha) && isfinite(c->beta), ARGUMENT,
        "alpha is %g and beta %g; give times from 0", c->alpha, c->beta);
  return HYLA_OK;
}

uint64_t hy_trial_fingerprint(const hyla_collective *c) {
  if (c == NULL || c->name == NULL) return 0;
  const char *variant = c->variant != NULL ? c->variant : "";
  uint64_t fingerprint = hy_fingerprint(0, c->name, strlen(c->name));
  fingerprint = hy_fingerprint(fingerprint, variant, strlen(variant));
  fingerprint = hy_fingerprint(fingerprint, &c->words, sizeof c->words);
  fingerprint = hy_fingerprint(fingerprint, &c->root, sizeof c->root);
  fingerprint = hy_fingerprint(fingerprint, &c->distance, sizeof c->distance);
  fingerprint = hy_fingerprint(fingerprint, &c->active, sizeof c->active);
  for (int i = 0; i < c->phases && i < HYLA_DIMS_MAX; i++)
    fingerprint = hy_fingerprint(fingerprint, &c->phase[i], sizeof c->phase[i]);
  fingerprint = hy_fingerprint(fingerprint, &c->alpha, sizeof c->alpha);
  return hy_fingerprint(fingerprint, &c->beta, sizeof c->beta);
}

/* Times as whole numbers, of which only the ratio counts. */
static int64_t whole_time(const hyla_collective *c, double time) {
  bool whole = c->alpha == floor(c->alpha) && c->beta == floor(c->beta);
  double largest = fmax(c->alpha, c->beta);
  if (whole && largest < 0x1p31) return (int64_t)time;
  return (int64_t)llround(time / largest * 0x1p30);
}

/* Who sends to whom: as the variant wants it, else every node to its complement or
 * root alone to the node at the distance. */
static void fill_permutation(const hyla_cube *cube, const hyla_collective *c, struct trial *t) {
  bool one = c->variant != NULL &&
             (strncmp(c->variant, "corner", 6) == 0 || strncmp(c->variant, "arbitrary", 9) == 0);
  int distance = c->distance > 0 ? c->distance : cube->dims;
  const struct hy_collective_variant *row =
      c->variant != NULL ? hy_variant_find(HY_TASK_PERMUTE, c->variant) : NULL;
  for (int node = 0; node < cube->nodes; node++) {
    if (row != NULL && row->sends != NULL) {
      t->to[node] = (int32_t)row->sends(cube->dims, (uint32_t)node);
      continue;
    }
    bool sends = !one || node == c->root;
    int way = one ? (1 << distance) - 1 : cube->nodes - 1;
    t->to[node] = sends ? node ^ way : -1;
  }
}

static hyla_status describe_collective(hyla_cube *cube, const hyla_collective *c, struct trial *t) {
  struct hy_base *base = &cube->base;
  t->collective = (struct hy_collective){.dims = cube->dims,
                                         .root = (uint32_t)c->root,
                                         .blocks = {.words = c->words},
                                         .tau = whole_time(c, c->beta),
                                         .beta = whole_time(c, c->alpha)};
  hy_trial_task(c->name, &t->collective.task);
  if (c->variant != NULL && strcmp(c->variant, "v92-band") == 0)
    t->collective.band = c->distance > 0 ? c->distance : cube->dims;
  if (t->collective.task >= HY_TASK_BAND_EXCHANGE) {
    t->collective.band = c->distance > 0 ? c->distance : cube->dims < 2 ? cube->dims : 2;
    t->collective.matrices = c->active > 0 ? c->active : 2;
    if (c->active == 0 && t->collective.band > 1)
      t->collective.matrices = cube->dims / (t->collective.band - 1);
  }
  for (int i = 0; i < c->phases; i++) t->phases[i] = (uint8_t)c->phase[i];
  t->collective.phases = t->phases;
  t->collective.phase_count = c->phases;
  if (t->collective.task == HY_TASK_WINDOW)
    t->collective.window = c->distance > 0 ? c->distance : cube->dims;
  if (hy_task_chooses(t->collective.task)) {
    TRY(hy_alloc(base, cube->nodes, 1, &t->active));
    int active = c->active > 0 ? c->active : cube->nodes;
    for (int node = 0; node < active; node++) t->active[node] = 1;
    t->collective.active = t->active;
  }
  if (t->collective.task == HY_TASK_PERMUTE) {
    TRY(hy_alloc(base, cube->nodes, sizeof *t->to, &t->to));
    fill_permutation(cube, c, t);
    t->collective.to = t->to;
  }
  t->words = hy_contract_words(&t->collective);
  return HYLA_OK;
}

static hyla_status take_data(hyla_cube *cube, const hyla_collective *c, struct trial *t) {
  TRY(describe_collective(cube, c, t));
  return hy_alloc_data(&cube->base, t->words, sizeof *t->data, &t->data);
}

/* Chooses and takes the memory of a run; all ranks return the same. */
static hyla_status choose(hyla_cube *cube, const char *wanted, bool as_simulated, hyla_plan *made) {
  struct trial *t = made->state;
  struct hy_choice *choice = &made->choice;
  const struct hy_wish wish = {.dims = (uint32_t)cube->nodes - 1,
                               .collective = &t->collective,
                               .size = sizeof *t->data,
                               .variant = wanted,
                               .combining = adding(cube),
                               .rehearsed = as_simulated};
  TRY(hy_agree(cube, hy_collective_choose(cube, &wish, choice)));
  const char *name = hy_choice_variant(choice)->name;
  TRY(hy_agree(cube,
               hy_collective_create(cube, wish.dims, &t->collective, wish.size, name, &t->plan)));
  hyla_cost *cost = &choice->candidates[choice->chosen].cost;
  TRY(hy_collective_busiest(cube, t->plan, cost));
  cost->flops = 0; /* sums of labels take no time */
  return HYLA_OK;
}

static void free_arrays(struct hy_base *base, struct trial *t) {
  hy_free(base, &t->data);
  hy_free(base, &t->active);
  hy_free(base, &t->to);
}

static void destroy_plan(hyla_plan *made) {
  struct trial *t = made->state;
  hy_collective_destroy(made->cube, &t->plan);
  free_arrays(&made->cube->base, t);
}

static void explain(const hyla_plan *made, struct hy_text *text) {
  const struct hy_collective_variant *row =
      hy_collective_variant_of(hy_choice_variant(&made->choice));
  hy_text_add(text, "  for machines with %s, %s; reference: %s\n",
              row->network.one_port ? "one port" : "all ports",
              row->network.circuits ? "over circuits" : "stored and forwarded", row->row.reference);
}

static const struct hy_plan_kind KIND = {.size = sizeof(struct trial),
                                         .runs_by = "hyla_collective_run",
                                         .explain = explain,
                                         .destroy = destroy_plan};

/* For the times given, or the machine's; those of a run are known before where it is simulated
 * with the same. */
static hyla_status plan_collective(hyla_cube *cube, const hyla_collective *c, hyla_plan **plan) {
  const hyla_machine before = cube->machine;
  const double word = c->beta / sizeof(uint64_t);
  bool given = c->alpha > 0 || c->beta > 0;
  bool same = !given || (c->alpha == before.alpha && word == before.beta);
  if (!same) {
    strcpy(cube->machine.name, "given");
    cube->machine.alpha = c->alpha;
    cube->machine.beta = word;
  }
  hyla_status status = hy_agree(cube, hy_plan_create(cube, &KIND, plan));
  if (status == HYLA_OK) status = hy_agree(cube, take_data(cube, c, (*plan)->state));
  if (status == HYLA_OK) status = choose(cube, c->variant, same, *plan);
  cube->machine = before;
  return status;
}

static hyla_status run(hyla_cube *cube, struct trial *t) {
  if (cube->address < 0) return HYLA_OK;
  uint32_t node = (uint32_t)cube->address;
  bool dry = hy_cube_dry(cube);
  for (int64_t i = 0; i < t->words && !dry; i++)
    t->data[i] = hy_contract_before(&t->collective, node, i);
  t->before = cube->ledger;
  double start = hyla_cube_clock(cube);
  const struct hy_combining sum = adding(cube);
  TRY(hy_collective_run(cube, t->plan, t->data, hy_combine_counted, &sum));
  t->seconds = hyla_cube_clock(cube) - start;
  for (int64_t i = 0; i < t->words && !dry; i++) {
    uint64_t wanted = hy_contract_after(&t->collective, node, i);
    CHECK(&cube->base, wanted == 0 || t->data[i] == wanted, COMMUNICATION,
          "%s %s: word %lld on node %u is wrong", hy_task_name(t->collective.task),
          hy_collective_variant(t->plan), (long long)i, node);
  }
  return HYLA_OK;
}

/* What this node sent since the run began. */
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

/* The busiest node's counts, the slowest node's time and the steps of all, on all ranks. */
static hyla_status gather(hyla_cube *cube, const struct trial *t, hyla_collective_result *result,
                          int64_t *steps) {
  hyla_cost counted = {0};
  if (cube->address >= 0) counted = counted_since(&t->before, &cube->ledger);
  int64_t time; /* positive numbers stand in the order of their bits */
  memcpy(&time, &t->seconds, sizeof time);
  int64_t most[] = {counted.steps, counted.messages, counted.words, time,
                    hy_collective_steps(t->plan)};
  TRY(hyla_cube_max(cube, most, sizeof most / sizeof *most));
  result->counted = (hyla_cost){.steps = most[0], .messages = most[1], .words = most[2]};
  memcpy(&result->seconds, &most[3], sizeof result->seconds);
  *steps = most[4];
  return HYLA_OK;
}

/* The variant's name, its machine and its closed form; where there is none, what was counted. */
static void describe(const hyla_collective *c, const hyla_plan *made, int64_t steps,
                     hyla_collective_result *result) {
  const struct trial *t = made->state;
  const struct hy_collective_variant *row =
      hy_collective_variant_of(hy_choice_variant(&made->choice));
  snprintf(result->variant, sizeof result->variant, "%s", hyla_plan_variant(made));
  result->ports = row->network.one_port ? HYLA_ONE_PORT : HYLA_ALL_PORTS;
  result->switching = row->network.circuits ? HYLA_CIRCUIT : HYLA_STORE;
  result->predicted = hyla_plan_cost(made);
  result->seconds_predicted = hyla_plan_seconds(made);
  result->formula_value = NAN;
  (void)hyla_plan_explain(made, result->reason, sizeof result->reason);
  if (row->form == NULL) return;
  struct hy_form form = {steps, {steps, 1}, 0, 1};
  if (row->formula != NULL) form = row->form(&t->collective);
  snprintf(result->formula, sizeof result->formula, "%s", row->row.reference);
  snprintf(result->closed_form, sizeof result->closed_form, "%s",
           row->formula != NULL ? row->formula : "counted for this task");
  if (form.divisor > 0 && c->words % form.divisor == 0)
    result->formula_value = (double)form.steps * c->alpha +
                            (double)(form.words.num * c->words) / (double)form.words.den * c->beta;
}

static hyla_status work(hyla_cube *cube, const hyla_collective *c, hyla_plan **plan,
                        hyla_collective_result *result) {
  TRY(plan_collective(cube, c, plan));
  TRY(hy_agree(cube, run(cube, (*plan)->state)));
  int64_t steps = 0;
  TRY(gather(cube, (*plan)->state, result, &steps));
  describe(c, *plan, steps, result);
  return HYLA_OK;
}

hyla_status hyla_collective_run(hyla_cube *cube, const hyla_collective *collective,
                                hyla_collective_result *result) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  TRY(hy_enter(cube, hy_trial_check(cube, collective, result), hy_trial_fingerprint(collective),
               "hyla_collective_run"));
  hyla_plan *plan = NULL;
  hyla_collective_result found = {0};
  hyla_status status = work(cube, collective, &plan, &found);
  if (status == HYLA_OK) *result = found;
  (void)hyla_plan_destroy(&plan);
  return status;
}

hyla_status hyla_collective_plan(hyla_cube *cube, const hyla_collective *collective,
                                 hyla_plan **plan) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  if (plan != NULL) *plan = NULL;
  TRY(hy_enter(cube, hy_trial_check(cube, collective, plan), hy_trial_fingerprint(collective),
               "hyla_collective_plan"));
  hyla_status status = plan_collective(cube, collective, plan);
  if (status != HYLA_OK) (void)hyla_plan_destroy(plan);
  return status;
}

hyla_status hyla_collective_bound(hyla_cube *cube, const hyla_collective *c, hyla_ports ports,
                                  hyla_switching switching, hyla_bound *bound) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  TRY(hy_trial_check(cube, c, bound));
  const struct hy_network network = {.one_port = ports == HYLA_ONE_PORT,
                                     .circuits = switching == HYLA_CIRCUIT};
  struct trial t = {0};
  hyla_status status = describe_collective(cube, c, &t);
  if (status == HYLA_OK) {
    const struct hy_bound found = hy_collective_bound(&t.collective, &network);
    *bound =
        (hyla_bound){.time = hy_bound_time(&found, &network, (double)c->words, c->beta, c->alpha),
                     .transmissions = found.packets};
    snprintf(bound->formula, sizeof bound->formula, "%s", found.formula);
    snprintf(bound->reference, sizeof bound->reference, "%s", found.reference);
  }
  free_arrays(&cube->base, &t);
  return status;
}
