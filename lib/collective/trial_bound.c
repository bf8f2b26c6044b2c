/* hyla_collective_bound, hyla_collective_transmissions: facts about a collective without a run. */
#include "collective/papers.h"
#include "collective/planned.h"

#include <stdio.h>
#include <string.h>

static void copy(char to[96], const char *text) { snprintf(to, 96, "%s", text); }

/* A scatter's bound with starts, if it is above the one by words alone. */
static void raise_scatter(const struct hy_collective *it, const hyla_collective *c,
                          hyla_bound *bound) {
  int packets = 0;
  const double time = hy_bound_scatter(it->dims, (double)c->words, c->beta, c->alpha, &packets);
  if (time < bound->time) return;
  bound->time = time;
  bound->starts = packets;
  copy(bound->formula, packets > 0 ? "(2^d-1) tau m / d + k beta"
                                   : "the words over a link of the root, and on from there");
  copy(bound->reference, "stout-wagar-1990, section 9");
}

/* The links that the farthest receiver of one sender is away; 0: there are several senders. */
static int64_t hops_of(const struct hy_collective *it) {
  if (hy_task_forward(it->task) == HY_TASK_BROADCAST) return it->dims;
  return it->task == HY_TASK_PERMUTE && hy_send_single(it) == NULL ? hy_farthest(it) : 0;
}

hyla_status hyla_collective_bound(hyla_cube *cube, const hyla_collective *c, hyla_ports ports,
                                  hyla_switching switching, hyla_bound *bound) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  TRY(hy_trial_check(cube, c, bound));
  CHECK(&cube->base, !cube->ranks.shapes.given, UNSUPPORTED,
        "this bound is a cube's, and this cube's collectives take all %d ranks; ask "
        "hyla_network_bound",
        cube->ranks.all);
  const struct hy_paper_machine machine = {.one_port = ports == HYLA_ONE_PORT,
                                           .circuits = switching == HYLA_CIRCUIT};
  struct hy_collective *it = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *it, &it));
  hyla_status status = hy_trial_describe(cube, c, it, it);
  if (status == HYLA_OK) {
    const struct hy_bound found = hy_collective_bound(it, &machine);
    *bound =
        (hyla_bound){.time = hy_bound_time(&found, &machine, (double)c->words, c->beta, c->alpha),
                     .transmissions = found.packets};
    copy(bound->formula, found.formula);
    copy(bound->reference, found.reference);
    const bool all = ports != HYLA_ONE_PORT && it->dims > 0;
    if (all && hy_task_forward(it->task) == HY_TASK_SCATTER) raise_scatter(it, c, bound);
    if (all && switching == HYLA_STORE)
      bound->sized_time =
          hy_bound_one_size(it, hops_of(it), c->beta, c->alpha, &bound->sized_words);
  }
  hy_free(&cube->base, &it);
  return status;
}

/* Counts the parts of each block that node 0 sends.  A message keeps its slot on the way: the
 * message of tag x is in block x at node 0, and in block x XOR the node at every node.  So these
 * counts are the transmissions of each message. */
static void count_pieces(const struct hy_schedule *schedule, int64_t *parts) {
  for (int64_t i = 0; i < schedule->packet_count; i++) {
    const struct hy_packet *packet = &schedule->packets[i];
    for (int64_t p = packet->first; p < packet->first + packet->count; p++) {
      const struct hy_piece *piece = &schedule->pieces[p];
      if (packet->action != HY_OUT) continue;
      for (uint32_t x = 0; x < piece->run; x++) parts[piece->block + x] += schedule->parts;
      parts[piece->block] -= piece->from;
      parts[piece->block + piece->run - 1] -= schedule->parts - piece->to;
    }
  }
}

static hyla_status check_exchange(hyla_cube *cube, const hyla_collective *c, const void *place) {
  struct hy_base *base = &cube->base;
  enum hy_task task;
  TRY(hy_trial_check(cube, c, place));
  hy_trial_task(c->name, &task);
  CHECK(base, !cube->ranks.shapes.given, UNSUPPORTED,
        "transmissions are counted on a cube, and this cube's collectives take all %d ranks",
        cube->ranks.all);
  bool banded = c->distance > 0 || (c->variant != NULL && strcmp(c->variant, "v92-band") == 0);
  CHECK(base, task == HY_TASK_EXCHANGE && !banded, UNSUPPORTED,
        "transmissions are counted for exchanges only, and not within a band");
  CHECK(base, c->variant != NULL && hy_variant_find(task, c->variant) != NULL, ARGUMENT,
        "the exchange's variant is %s; name one", c->variant != NULL ? c->variant : "not given");
  return HYLA_OK;
}

static hyla_status count_messages(hyla_cube *cube, const struct hy_collective *it,
                                  const char *variant, int64_t *messages) {
  struct hy_base *base = &cube->base;
  struct hy_schedule schedule;
  int64_t *parts = NULL;
  hyla_status status =
      hy_collective_schedule(cube, hy_variant_find(it->task, variant), it, 0, &schedule);
  if (status == HYLA_OK) status = hy_alloc(base, INT64_C(1) << it->dims, sizeof *parts, &parts);
  if (status == HYLA_OK) count_pieces(&schedule, parts);
  for (uint32_t tag = 0; status == HYLA_OK && tag >> it->dims == 0; tag++)
    if (tag != 0 && hy_exchanges(it, tag)) messages[parts[tag] / schedule.parts]++;
  hy_free(base, &parts);
  hy_schedule_free(&schedule);
  return status;
}

hyla_status hyla_collective_transmissions(hyla_cube *cube, const hyla_collective *c,
                                          int64_t messages[HYLA_DIMS_MAX + 1]) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  TRY(check_exchange(cube, c, messages));
  struct hy_collective *it = NULL;
  memset(messages, 0, (HYLA_DIMS_MAX + 1) * sizeof *messages);
  TRY(hy_alloc(&cube->base, 1, sizeof *it, &it));
  hyla_status status = hy_trial_describe(cube, c, it, it);
  if (status == HYLA_OK) status = count_messages(cube, it, c->variant, messages);
  hy_free(&cube->base, &it);
  return status;
}
