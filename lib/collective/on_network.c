/* hyla_network_variant_at, hyla_network_bound, hyla_network_play: collectives on networks that are
 * no cubes, planned on paper.  A variant's time is given by its closed form, as counted from the
 * schedules of all nodes, and packet by packet. */
#include "collective/mesh.h"
#include "collective/planned.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -------------------------------------------------------------- question -- */

/* A question, as a collective.  Its base has the message of a failure.  `memory' owns all arrays.
 */
struct question {
  struct hy_base base;
  struct hy_network network;
  struct hy_collective what;
  void *memory;
};

static hyla_status read_network(struct question *q, const char *text, bool cubes) {
  const char *wrong = text == NULL ? "it is NULL" : hy_network_read(&q->network, text);
  CHECK(&q->base, wrong == NULL, ARGUMENT, "network %s: %s", text == NULL ? "" : text, wrong);
  const enum hy_network_kind kind = q->network.kind;
  CHECK(&q->base,
        hy_network_is_mesh(&q->network) || kind == HY_FOLDED || (cubes && kind == HY_CUBE),
        ARGUMENT, "network %s: collectives are planned here on arrays, tori and folded cubes%s",
        text, kind == HY_CUBE ? "; for a cube give its number of nodes" : "");
  return HYLA_OK;
}

static hyla_status check(struct question *q, const hyla_collective *c) {
  struct hy_base *base = &q->base;
  const int nodes = (int)q->network.nodes;
  const enum hy_task task = q->what.task;
  CHECK(base, hy_network_family(task) != NULL, ARGUMENT, "%s is %s", c->name,
        q->network.kind == HY_CUBE ? "not played by steps" : "planned on cubes alone");
  CHECK(base, c->words >= 0 && c->words <= INT64_MAX / 8 / nodes, ARGUMENT,
        "messages of %lld words", (long long)c->words);
  CHECK(base, c->root >= 0 && c->root < nodes, ARGUMENT, "the root is %d; give a node from 0 to %d",
        c->root, nodes - 1);
  CHECK(base, c->active >= 0 && c->active <= nodes, ARGUMENT, "%d active nodes; give 0 to %d",
        c->active, nodes);
  CHECK(base, c->active == 0 || hy_task_chooses(task) || task == HY_TASK_PERMUTE, ARGUMENT,
        "%d active nodes are given; %s has all nodes", c->active, c->name);
  for (int i = 0; i < c->active && c->which != NULL; i++)
    CHECK(base, c->which[i] >= 0 && c->which[i] < nodes, ARGUMENT,
          "there is no node %d; give 0 to %d", c->which[i], nodes - 1);
  CHECK(base, c->distance == 0 && c->farthest == 0 && c->tags == 0 && c->phases == 0, ARGUMENT,
        "distances, tags and phases are those of cubes");
  CHECK(base, c->alpha >= 0 && c->beta >= 0 && isfinite(c->alpha) && isfinite(c->beta), ARGUMENT,
        "alpha is %g and beta %g; give times from 0", c->alpha, c->beta);
  return HYLA_OK;
}

/* Marks the active nodes. */
static hyla_status mark(struct question *q, const hyla_collective *c) {
  const int count = c->active > 0 ? c->active : (int)q->network.nodes;
  uint8_t *active = NULL;
  TRY(hy_alloc_for(&q->base, q->memory, q->network.nodes, 1, &active));
  for (int i = 0; i < count; i++) {
    const int node = c->which != NULL ? c->which[i] : i;
    CHECK(&q->base, active[node]++ == 0, ARGUMENT, "%d is given twice", node);
  }
  q->what.active = active;
  return HYLA_OK;
}

/* Active nodes are packed on the first ones; if none are given, the order of all is turned round.
 */
static hyla_status aim(struct question *q, const hyla_collective *c) {
  const uint32_t nodes = q->network.nodes;
  int32_t next = 0, *to = NULL;
  TRY(hy_alloc_for(&q->base, q->memory, nodes, sizeof *to, &to));
  for (uint32_t x = 0; x < nodes; x++) {
    to[x] = (int32_t)(nodes - 1 - x);
    if (c->active > 0) to[x] = q->what.active[x] ? next++ : -1;
  }
  q->what.to = to;
  return HYLA_OK;
}

static hyla_status set_counts(struct question *q, const int64_t *counts) {
  const enum hy_task task = hy_task_forward(q->what.task);
  const int64_t nodes = q->network.nodes;
  int64_t *offsets = NULL;
  CHECK(&q->base, task == HY_TASK_SCATTER || task == HY_TASK_ALLGATHER, ARGUMENT,
        "only scatter, gather, allgather and reduce-scatter take counts");
  TRY(hy_alloc_for(&q->base, q->memory, nodes + 1, sizeof *offsets, &offsets));
  for (int64_t x = 0; x < nodes; x++) {
    CHECK(&q->base, counts[x] >= 0 && counts[x] <= INT64_MAX / 8 / nodes, ARGUMENT,
          "a block of %lld words", (long long)counts[x]);
    offsets[x + 1] = offsets[x] + counts[x];
  }
  q->what.blocks = (struct hy_blocks){.offsets = offsets};
  return HYLA_OK;
}

/* Sets the question; the caller ends it also after a failure.  cubes: they serve, too; a question
 * on a cube has no network.  ARGUMENT, MEMORY. */
static hyla_status ask(struct question *q, const char *network, const hyla_collective *c,
                       const int64_t *counts, bool cubes) {
  *q = (struct question){.memory = NULL};
  CHECK(&q->base, c != NULL && c->name != NULL, ARGUMENT, "the collective has no name");
  TRY(read_network(q, network, cubes));
  CHECK(&q->base, hy_trial_task(c->name, &q->what.task), ARGUMENT, "there is no collective '%s'",
        c->name);
  TRY(check(q, c));
  TRY(hy_alloc(&q->base, 1, 1, &q->memory));
  q->what.dims = q->network.axes;
  if (q->network.kind != HY_CUBE) q->what.network = &q->network;
  q->what.root = (uint32_t)c->root;
  q->what.blocks.words = c->words;
  q->what.size = sizeof(uint64_t);
  q->what.tau = hy_trial_whole_time(c, c->beta);
  q->what.beta = hy_trial_whole_time(c, c->alpha);
  const bool permutes = q->what.task == HY_TASK_PERMUTE;
  if (hy_task_chooses(q->what.task) || (permutes && c->active > 0)) TRY(mark(q, c));
  if (permutes) TRY(aim(q, c));
  return counts != NULL ? set_counts(q, counts) : HYLA_OK;
}

/* Frees the question's memory; writes the reason of a failure.  Returns the status. */
static hyla_status end(struct question *q, hyla_status status, char *reason, size_t size) {
  hy_free(&q->base, &q->memory);
  struct hy_text text = {.text = reason, .capacity = size};
  if (status != HYLA_OK) hy_text_add(&text, "%s", q->base.message);
  return status;
}

/* ---------------------------------------------------------------- counts -- */

/* Counts the schedules of all nodes: the longest packet of each step, and the busiest node. */
struct counting {
  struct question *q;
  int64_t *longest; /* of each step */
  int64_t steps, transmissions;
  hyla_cost most;
};

static hyla_status count_node(struct counting *k, const struct hy_schedule *schedule) {
  const struct hy_blocks *blocks = &k->q->what.blocks;
  const hyla_cost cost = hy_schedule_cost(schedule, blocks);
  const int64_t memory = hy_schedule_work(schedule, blocks) + schedule->scratch * blocks->words;
  if (k->longest == NULL) {
    k->steps = schedule->steps;
    TRY(hy_alloc_for(&k->q->base, k->q->memory, k->steps, sizeof *k->longest, &k->longest));
  }
  for (int64_t i = 0; i < schedule->packet_count; i++) {
    const struct hy_packet *packet = &schedule->packets[i];
    const int64_t words = hy_packet_words(schedule, blocks, packet);
    if (packet->across == 0 || packet->action != HY_OUT || words == 0) continue;
    k->longest[packet->step] = hy_max(k->longest[packet->step], words);
    k->transmissions++;
  }
  k->most.steps = hy_max(k->most.steps, cost.steps);
  k->most.messages = hy_max(k->most.messages, cost.messages);
  k->most.words = hy_max(k->most.words, cost.words);
  k->most.memory = hy_max(k->most.memory, memory * (int64_t)sizeof(uint64_t));
  return HYLA_OK;
}

/* A step in which nothing moves lasts as long as the one before it; at the start, as the first in
 * which something does. */
static void add_steps(const struct counting *k, const hyla_collective *c,
                      hyla_network_variant *result) {
  int64_t now = 0, reserved = 0;
  for (int64_t step = 0; step < k->steps && now == 0; step++) now = k->longest[step];
  for (int64_t step = 0; step < k->steps; step++) {
    if (k->longest[step] > 0) now = k->longest[step];
    reserved += now;
    result->steps += k->longest[step] > 0;
    result->words += k->longest[step];
  }
  result->seconds = (double)result->steps * c->alpha + (double)result->words * c->beta;
  result->reserved_steps = now > 0 ? k->steps : 0;
  result->reserved_seconds = (double)result->reserved_steps * c->alpha + (double)reserved * c->beta;
}

/* Adds the counts of a row's schedules. */
static hyla_status count(struct question *q, const struct hy_collective_variant *row,
                         const hyla_collective *c, hyla_network_variant *result) {
  struct hy_recipe recipe;
  struct counting k = {.q = q};
  hyla_status status = hy_recipe_make(&recipe, &q->base, row, &q->what);
  for (uint32_t node = 0; node < q->network.nodes && status == HYLA_OK; node++) {
    struct hy_schedule schedule;
    status = hy_generate(hy_recipe_top(&recipe), node, &q->base, &schedule);
    if (status == HYLA_OK) status = count_node(&k, &schedule);
    hy_schedule_free(&schedule);
  }
  hy_recipe_free(&recipe);
  if (status == HYLA_OK) add_steps(&k, c, result);
  result->transmissions = k.transmissions;
  result->busiest = k.most;
  return status;
}

/* ---------------------------------------------------------------- answers -- */

static void describe(const struct hy_collective *what, const struct hy_collective_variant *row,
                     const hyla_collective *c, hyla_network_variant *result) {
  const struct hy_form form = hy_variant_form(row, what);
  const bool ragged = what->blocks.offsets != NULL;
  const double words = ragged ? 1 : (double)c->words;
  struct hy_claim claim = {.steps = -1};
  if (row->claim != NULL) claim = row->claim(what);
  struct hy_text letters = {.text = result->letters, .capacity = sizeof result->letters};
  hy_variant_letters(row, what, claim.steps < 0 ? NULL : claim.formula, c->beta, c->alpha,
                     &letters);
  if (claim.steps >= 0) {
    snprintf(result->published, sizeof result->published, "%s (%s)", claim.formula,
             claim.reference);
    result->published_value = (double)claim.steps * ((double)c->words * c->beta + c->alpha);
  }
  if (row->formula == NULL) return;
  snprintf(result->formula, sizeof result->formula, "%s", row->base.reference);
  snprintf(result->closed_form, sizeof result->closed_form, "%s", row->formula);
  if (form.divisor <= 0 || c->words % form.divisor != 0) return;
  if (ragged && row != &hy_allgather_line) return;
  result->formula_value = (double)form.steps * c->alpha +
                          (double)form.words.num * words / (double)form.words.den * c->beta;
}

static hyla_status answer(struct question *q, const hyla_collective *c, int i,
                          hyla_network_variant *variant) {
  const struct hy_family *family = hy_network_family(q->what.task);
  variant->nodes = (int)q->network.nodes;
  if (i < 0 || i >= hy_family_count(family)) return HYLA_OK;
  const struct hy_collective_variant *row = hy_collective_variant_of(family->rows[i]);
  const char *reason = hy_variant_refuses(row, &q->what), *name = c->variant;
  snprintf(variant->variant, sizeof variant->variant, "%s", row->base.name);
  snprintf(variant->reference, sizeof variant->reference, "%s", row->base.reference);
  if (reason != NULL) snprintf(variant->reason, sizeof variant->reason, "%s", reason);
  if (reason != NULL || (name != NULL && strcmp(name, row->base.name) != 0)) return HYLA_OK;
  describe(&q->what, row, c, variant);
  return count(q, row, c, variant);
}

hyla_status hyla_network_variant_at(const char *network, const hyla_collective *collective,
                                    const int64_t *counts, int i, hyla_network_variant *variant) {
  if (variant == NULL) return HYLA_ARGUMENT;
  *variant = (hyla_network_variant){.formula_value = NAN, .published_value = NAN};
  struct question q;
  hyla_status status = ask(&q, network, collective, counts, false);
  if (status == HYLA_OK) status = answer(&q, collective, i, variant);
  return end(&q, status, variant->reason, sizeof variant->reason);
}

hyla_status hyla_network_bound(const char *network, const hyla_collective *collective,
                               const int64_t *counts, hyla_bound *bound) {
  if (bound == NULL) return HYLA_ARGUMENT;
  struct question q;
  hyla_status status = ask(&q, network, collective, counts, false);
  if (status == HYLA_OK) {
    const struct hy_bound found = hy_network_collective_bound(&q.what);
    const struct hy_paper_machine machine = {.one_port = false};
    const double words = counts != NULL ? 1 : (double)collective->words;
    *bound = (hyla_bound){
        .time = hy_bound_time(&found, &machine, words, collective->beta, collective->alpha),
        .transmissions = found.packets};
    snprintf(bound->formula, sizeof bound->formula, "%s", found.formula);
    snprintf(bound->reference, sizeof bound->reference, "%s", found.reference);
  }
  return end(&q, status, NULL, 0);
}

/* ------------------------------------------------------------------ play -- */

/* The schedules of all nodes, which own the rest, and the nodes' clocks. */
struct play {
  struct question *q;
  struct hy_schedule *schedules;
  int64_t *at;             /* of each node, its next packet */
  double *clock, *reached; /* when a node takes this step, and the next one */
  double alpha, beta, end;
  hyla_network_visit *visit;
  void *arg;
};

static hyla_status generate(struct play *play, const struct hy_recipe *recipe) {
  struct hy_base *base = &play->q->base;
  const uint32_t nodes = play->q->network.nodes;
  TRY(hy_alloc(base, nodes, sizeof *play->schedules, &play->schedules));
  TRY(hy_alloc_for(base, play->schedules, nodes, sizeof *play->at, &play->at));
  TRY(hy_alloc_for(base, play->schedules, nodes, sizeof *play->clock, &play->clock));
  TRY(hy_alloc_for(base, play->schedules, nodes, sizeof *play->reached, &play->reached));
  for (uint32_t node = 0; node < nodes; node++)
    TRY(hy_generate(hy_recipe_top(recipe), node, base, &play->schedules[node]));
  return HYLA_OK;
}

static void end_play(struct play *play) {
  struct hy_base *base = &play->q->base;
  for (uint32_t node = 0; play->schedules != NULL && node < play->q->network.nodes; node++)
    if (play->schedules[node].base != NULL) hy_schedule_free(&play->schedules[node]);
  hy_free(base, &play->schedules);
}

/* The step's packets of one node; those that go out are shown. */
static void play_node(struct play *play, uint32_t node, int step) {
  const struct hy_schedule *schedule = &play->schedules[node];
  const struct hy_blocks *blocks = &play->q->what.blocks;
  const uint32_t own = hy_collective_count(&play->q->what);
  for (int64_t *at = &play->at[node];
       *at < schedule->packet_count && schedule->packets[*at].step == step; ++*at) {
    const struct hy_packet *packet = &schedule->packets[*at];
    const int64_t words = hy_packet_words(schedule, blocks, packet);
    if (packet->action != HY_OUT || packet->across == 0 || words == 0) continue;
    const uint32_t block = schedule->pieces[packet->first].block;
    const int64_t peer = hy_packet_peer(play->q->what.network, node, packet->across);
    const double end = play->clock[node] + play->alpha + (double)words * play->beta;
    play->reached[node] = fmax(play->reached[node], end);
    play->reached[peer] = fmax(play->reached[peer], end);
    play->end = fmax(play->end, end);
    play->visit(&(hyla_network_packet){.step = step,
                                       .node = (int)node,
                                       .peer = (int)peer,
                                       .port = hy_lowest(packet->across),
                                       .words = words,
                                       .block = block < own ? (int)block : -1},
                play->arg);
  }
}

static void play_all(struct play *play) {
  const uint32_t nodes = play->q->network.nodes;
  int steps = 0;
  for (uint32_t node = 0; node < nodes; node++)
    steps = (int)hy_max(steps, play->schedules[node].steps);
  for (int step = 0; step < steps; step++) {
    for (uint32_t node = 0; node < nodes; node++) play_node(play, node, step);
    memcpy(play->clock, play->reached, nodes * sizeof *play->clock);
  }
}

/* Makes the schedules of the collective's variant and shows their packets. */
static hyla_status show(struct play *play, const char *name) {
  struct question *q = play->q;
  const struct hy_collective_variant *row = q->what.network != NULL
                                                ? hy_network_variant_find(q->what.task, name)
                                                : hy_variant_find(q->what.task, name);
  CHECK(&q->base, row != NULL, ARGUMENT, "variant %s: there is no such variant", name);
  const char *against = hy_variant_refuses(row, &q->what);
  CHECK(&q->base, against == NULL, UNSUPPORTED, "variant %s: %s", name, against);
  struct hy_recipe recipe;
  hyla_status status = hy_recipe_make(&recipe, &q->base, row, &q->what);
  if (status == HYLA_OK) status = generate(play, &recipe);
  if (status == HYLA_OK) play_all(play);
  end_play(play);
  hy_recipe_free(&recipe);
  return status;
}

hyla_status hyla_network_play(const char *network, const hyla_collective *collective,
                              const int64_t *counts, hyla_network_visit *visit, void *arg,
                              double *time, char *reason, size_t size) {
  if (visit == NULL || time == NULL || reason == NULL || size == 0) return HYLA_ARGUMENT;
  struct question q;
  *reason = '\0';
  hyla_status status = ask(&q, network, collective, counts, true);
  if (status == HYLA_OK) {
    struct play play = {
        .q = &q, .alpha = collective->alpha, .beta = collective->beta, .visit = visit, .arg = arg};
    status = show(&play, collective->variant != NULL ? collective->variant : "");
    *time = play.end;
  }
  return end(&q, status, reason, size);
}
