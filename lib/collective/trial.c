/* hyla_collective_run: a collective, planned, run once on labelled words, checked.
 *
 * The labels are those of the verifier's contracts: each word shows whose words
 * it is the sum of, so one comparison checks content and completeness. */
#include "collective/variant.h"
#include "hyla_lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Everything of one run. */
struct trial {
  struct hy_collective collective;
  struct hy_collective_plan *plan;
  uint64_t *data;
  int64_t words;
  uint8_t *active;
  int32_t *to;
  hyla_ledger before; /* the run */
  double seconds;
};

static void add_labels(void *into, const void *from, int64_t count, const void *arg) {
  const hyla_cube *cube = arg;
  uint64_t *a = into;
  const uint64_t *b = from;
  for (int64_t i = 0; i < count && !hy_cube_dry(cube); i++) a[i] += b[i];
}

static bool find_task(const char *name, enum hy_task *task) {
  const struct hy_family *family = NULL;
  for (int i = 0; (family = hy_collective_family(i)) != NULL; i++) {
    *task = (enum hy_task)i;
    if (strcmp(family->name, name) == 0) return true;
  }
  return false;
}

static hyla_status check_arguments(hyla_cube *cube, const hyla_collective *c,
                                   const hyla_collective_result *result) {
  struct hy_base *base = &cube->base;
  CHECK(base, c != NULL && result != NULL && c->name != NULL, ARGUMENT,
        "hyla_collective_run: the collective, its name or the place for the result is NULL");
  enum hy_task task;
  CHECK(base, find_task(c->name, &task), ARGUMENT,
        "hyla_collective_run: there is no collective '%s'; take broadcast, reduce, "
        "allreduce, scatter, gather, allgather, reduce-scatter, partial, exchange or permute",
        c->name);
  int64_t most = INT64_MAX / 8 / cube->nodes;
  CHECK(base, c->words >= 0 && c->words <= most, ARGUMENT,
        "hyla_collective_run: messages of %lld words; give 0 to %lld", (long long)c->words,
        (long long)most);
  CHECK(base, c->root >= 0 && c->root < cube->nodes, ARGUMENT,
        "hyla_collective_run: the root is %d; give a node from 0 to %d", c->root, cube->nodes - 1);
  CHECK(base, c->distance >= 0 && c->distance <= cube->dims, ARGUMENT,
        "hyla_collective_run: no node is at distance %d on this cube; give 0 to %d", c->distance,
        cube->dims);
  CHECK(base, c->active >= 0 && c->active <= cube->nodes, ARGUMENT,
        "hyla_collective_run: %d nodes are to be active; give 0 to %d", c->active, cube->nodes);
  CHECK(base, c->alpha >= 0 && c->beta >= 0 && isfinite(c->alpha) && isfinite(c->beta), ARGUMENT,
        "hyla_collective_run: alpha is %g and beta %g; give times from 0", c->alpha, c->beta);
  return HYLA_OK;
}

static uint64_t fingerprint_of(const hyla_collective *c) {
  if (c == NULL || c->name == NULL) return 0;
  const char *variant = c->variant != NULL ? c->variant : "";
  uint64_t fingerprint = hy_fingerprint(0, c->name, strlen(c->name));
  fingerprint = hy_fingerprint(fingerprint, variant, strlen(variant));
  fingerprint = hy_fingerprint(fingerprint, &c->words, sizeof c->words);
  fingerprint = hy_fingerprint(fingerprint, &c->root, sizeof c->root);
  fingerprint = hy_fingerprint(fingerprint, &c->distance, sizeof c->distance);
  fingerprint = hy_fingerprint(fingerprint, &c->active, sizeof c->active);
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

static hyla_status prepare(hyla_cube *cube, const hyla_collective *c, struct trial *t) {
  struct hy_base *base = &cube->base;
  t->collective = (struct hy_collective){.dims = cube->dims,
                                         .root = (uint32_t)c->root,
                                         .blocks = {.words = c->words},
                                         .tau = whole_time(c, c->beta),
                                         .beta = whole_time(c, c->alpha)};
  find_task(c->name, &t->collective.task);
  if (c->variant != NULL && strcmp(c->variant, "v92-band") == 0)
    t->collective.band = c->distance > 0 ? c->distance : cube->dims;
  if (t->collective.task == HY_TASK_PARTIAL) {
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
  TRY(hy_alloc_data(base, t->words, sizeof *t->data, &t->data));
  hyla_machine before = cube->machine;
  if (c->alpha > 0 || c->beta > 0) {
    strcpy(cube->machine.name, "given");
    cube->machine.alpha = c->alpha;
    cube->machine.beta = c->beta / sizeof *t->data;
  }
  hyla_status status = hy_collective_create(cube, (uint32_t)cube->nodes - 1, &t->collective,
                                            sizeof *t->data, c->variant, &t->plan);
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
  TRY(hy_collective_run(cube, t->plan, t->data, add_labels, cube));
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

/* The busiest node's counts and the slowest node's time, on all ranks. */
static hyla_status gather(hyla_cube *cube, struct trial *t, hyla_collective_result *result) {
  hyla_cost predicted = {0}, counted = {0};
  if (cube->address >= 0) {
    predicted = hy_collective_cost(t->plan);
    counted = counted_since(&t->before, &cube->ledger);
  }
  int64_t time; /* positive numbers stand in the order of their bits */
  memcpy(&time, &t->seconds, sizeof time);
  int64_t most[] = {predicted.steps, predicted.messages, predicted.words, predicted.memory,
                    counted.steps,   counted.messages,   counted.words,   time};
  TRY(hyla_cube_max(cube, most, sizeof most / sizeof *most));
  result->predicted =
      (hyla_cost){.steps = most[0], .messages = most[1], .words = most[2], .memory = most[3]};
  result->counted = (hyla_cost){.steps = most[4], .messages = most[5], .words = most[6]};
  memcpy(&result->seconds, &most[7], sizeof result->seconds);
  return HYLA_OK;
}

/* The variant's name, its machine and its closed form; from node 0 to the guests. */
static hyla_status describe(hyla_cube *cube, const hyla_collective *c, const struct trial *t,
                            hyla_collective_result *result) {
  result->formula_value = NAN;
  if (cube->address >= 0) {
    const char *name = hy_collective_variant(t->plan);
    const struct hy_collective_variant *row = hy_variant_find(t->collective.task, name);
    snprintf(result->variant, sizeof result->variant, "%s", name);
    result->ports = row->network.one_port ? HYLA_ONE_PORT : HYLA_ALL_PORTS;
    result->switching = row->network.circuits ? HYLA_CIRCUIT : HYLA_STORE;
    result->seconds_predicted = hy_collective_seconds(t->plan);
    struct hy_text reason = {.text = result->reason, .capacity = sizeof result->reason};
    hy_collective_explain(t->plan, &reason);
    if (row->form != NULL) {
      struct hy_form form = row->form(&t->collective);
      snprintf(result->formula, sizeof result->formula, "%s", row->row.reference);
      snprintf(result->closed_form, sizeof result->closed_form, "%s", row->formula);
      if (form.divisor > 0 && c->words % form.divisor == 0)
        result->formula_value =
            (double)form.steps * c->alpha +
            (double)(form.words.num * c->words) / (double)form.words.den * c->beta;
    }
  }
  return hy_tell_guests(cube, result, sizeof *result);
}

static hyla_status work(hyla_cube *cube, const hyla_collective *c, struct trial *t,
                        hyla_collective_result *result) {
  TRY(hy_agree(cube, prepare(cube, c, t)));
  TRY(hy_agree(cube, run(cube, t)));
  TRY(gather(cube, t, result));
  return hy_agree(cube, describe(cube, c, t, result));
}

hyla_status hyla_collective_run(hyla_cube *cube, const hyla_collective *collective,
                                hyla_collective_result *result) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  TRY(hy_enter(cube, check_arguments(cube, collective, result), fingerprint_of(collective),
               "hyla_collective_run"));
  struct trial t = {0};
  hyla_collective_result found = {0};
  hyla_status status = work(cube, collective, &t, &found);
  if (status == HYLA_OK) *result = found;
  hy_collective_destroy(cube, &t.plan);
  hy_free(&cube->base, &t.data);
  hy_free(&cube->base, &t.active);
  hy_free(&cube->base, &t.to);
  return status;
}
