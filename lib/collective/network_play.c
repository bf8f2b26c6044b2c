/* Schedules on networks that are no cubes: counted, or played packet by packet for others to see.
 */
#include "collective/on_network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- counts -- */

/* Counts the schedules of all nodes: the longest packet of each step, and the busiest node. */
struct counting {
  struct hy_question *asked;
  int64_t *longest; /* of each step */
  int64_t steps, transmissions;
  hyla_cost most;
};

static hyla_status count_node(struct counting *k, const struct hy_schedule *schedule) {
  const struct hy_blocks *blocks = &k->asked->what.blocks;
  const hyla_cost cost = hy_schedule_cost(schedule, blocks);
  const int64_t memory = hy_schedule_work(schedule, blocks) + schedule->scratch * blocks->words;
  if (k->longest == NULL) {
    k->steps = schedule->steps;
    TRY(hy_alloc(&k->asked->base, k->steps, sizeof *k->longest, &k->longest));
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

hyla_status hy_question_count(struct hy_question *asked, const struct hy_collective_variant *row,
                              const hyla_collective *c, hyla_network_variant *result) {
  struct hy_recipe recipe;
  struct counting k = {.asked = asked};
  hyla_status status = hy_recipe_make(&recipe, &asked->base, row, &asked->what);
  for (uint32_t node = 0; node < asked->network.nodes && status == HYLA_OK; node++) {
    struct hy_schedule schedule;
    status = hy_generate(hy_recipe_top(&recipe), node, &asked->base, &schedule);
    if (status == HYLA_OK) status = count_node(&k, &schedule);
    hy_schedule_free(&schedule);
  }
  hy_recipe_free(&recipe);
  for (int64_t step = 0; step < k.steps && status == HYLA_OK; step++) {
    result->steps += k.longest[step] > 0;
    result->words += k.longest[step];
  }
  hy_free(&asked->base, &k.longest);
  result->seconds = (double)result->steps * c->alpha + (double)result->words * c->beta;
  result->transmissions = k.transmissions;
  result->busiest = k.most;
  return status;
}

/* ------------------------------------------------------------------ play -- */

/* The schedules of all nodes, which own the rest, and the nodes' clocks. */
struct play {
  struct hy_question *asked;
  struct hy_schedule *schedules;
  int64_t *at;             /* of each node, its next packet */
  double *clock, *reached; /* when a node takes this step, and the next one */
  double alpha, beta, end;
  hyla_network_visit *visit;
  void *arg;
};

static hyla_status generate(struct play *play, const struct hy_recipe *recipe) {
  struct hy_base *base = &play->asked->base;
  const uint32_t nodes = play->asked->network.nodes;
  TRY(hy_alloc(base, nodes, sizeof *play->schedules, &play->schedules));
  TRY(hy_alloc_for(base, play->schedules, nodes, sizeof *play->at, &play->at));
  TRY(hy_alloc_for(base, play->schedules, nodes, sizeof *play->clock, &play->clock));
  TRY(hy_alloc_for(base, play->schedules, nodes, sizeof *play->reached, &play->reached));
  for (uint32_t node = 0; node < nodes; node++)
    TRY(hy_generate(hy_recipe_top(recipe), node, base, &play->schedules[node]));
  return HYLA_OK;
}

static void end_play(struct play *play) {
  struct hy_base *base = &play->asked->base;
  for (uint32_t node = 0; play->schedules != NULL && node < play->asked->network.nodes; node++)
    if (play->schedules[node].base != NULL) hy_schedule_free(&play->schedules[node]);
  hy_free(base, &play->schedules);
}

/* The step's packets of one node; those that go out are shown. */
static void play_node(struct play *play, uint32_t node, int step) {
  const struct hy_schedule *schedule = &play->schedules[node];
  const struct hy_blocks *blocks = &play->asked->what.blocks;
  const uint32_t own = hy_collective_count(&play->asked->what);
  for (int64_t *at = &play->at[node];
       *at < schedule->packet_count && schedule->packets[*at].step == step; ++*at) {
    const struct hy_packet *packet = &schedule->packets[*at];
    const int64_t words = hy_packet_words(schedule, blocks, packet);
    if (packet->action != HY_OUT || packet->across == 0 || words == 0) continue;
    const uint32_t block = schedule->pieces[packet->first].block;
    const int64_t peer = hy_packet_peer(&play->asked->network, node, packet->across);
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
  const uint32_t nodes = play->asked->network.nodes;
  int steps = 0;
  for (uint32_t node = 0; node < nodes; node++)
    steps = (int)hy_max(steps, play->schedules[node].steps);
  for (int step = 0; step < steps; step++) {
    for (uint32_t node = 0; node < nodes; node++) play_node(play, node, step);
    memcpy(play->clock, play->reached, nodes * sizeof *play->clock);
  }
}

hyla_status hyla_network_play(const char *network, const hyla_collective *collective,
                              const int64_t *counts, hyla_network_visit *visit, void *arg,
                              double *time, char *reason, size_t size) {
  if (visit == NULL || time == NULL || reason == NULL || size == 0) return HYLA_ARGUMENT;
  struct hy_question asked;
  struct hy_recipe recipe = {.base = NULL};
  *reason = '\0';
  hyla_status status = hy_question_ask(&asked, network, collective, counts, reason, size);
  if (status == HYLA_OK) {
    const char *name = collective->variant != NULL ? collective->variant : "";
    const struct hy_collective_variant *row = hy_network_variant_find(asked.what.task, name);
    const char *against = row == NULL ? "there is no such variant" : NULL;
    if (row != NULL) against = hy_variant_refuses(row, &asked.what);
    struct play play = {.asked = &asked,
                        .alpha = collective->alpha,
                        .beta = collective->beta,
                        .visit = visit,
                        .arg = arg};
    if (against != NULL) {
      snprintf(reason, size, "variant %s: %s", name, against);
      status = row == NULL ? HYLA_ARGUMENT : HYLA_UNSUPPORTED;
    }
    if (status == HYLA_OK) status = hy_recipe_make(&recipe, &asked.base, row, &asked.what);
    if (status == HYLA_OK) status = generate(&play, &recipe);
    if (status == HYLA_OK) play_all(&play);
    *time = play.end;
    end_play(&play);
    if (recipe.base != NULL) hy_recipe_free(&recipe);
  }
  hy_question_forget(&asked);
  return status;
}
