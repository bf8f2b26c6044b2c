/* Building, ordering and counting schedules. */
#include "schedule/run.h"

#include <stdlib.h>
#include <string.h>

int64_t hy_packet_peer(const struct hy_network *network, uint32_t node, uint32_t across) {
  if (network == NULL) return node ^ across;
  if (across == 0) return node;
  return hy_popcount(across) > 1 ? -1 : hy_network_peer(network, node, hy_lowest(across));
}

uint32_t hy_packet_back(const struct hy_network *network, uint32_t node, uint32_t across) {
  if (network == NULL || across == 0) return across;
  return 1u << hy_network_back(network, node, hy_lowest(across));
}

void hy_schedule_init(struct hy_schedule *schedule, struct hy_base *base) {
  *schedule = (struct hy_schedule){.base = base, .parts = 1};
}

struct hy_schedule *hy_schedule_in(struct hy_stack_schedule *room, struct hy_base *base) {
  room->schedule = (struct hy_schedule){.base = base,
                                        .parts = 1,
                                        .fixed = true,
                                        .packets = room->packets,
                                        .packet_capacity = 4 * HYLA_DIMS_MAX,
                                        .pieces = room->pieces,
                                        .piece_capacity = 8 * HYLA_DIMS_MAX};
  return &room->schedule;
}

void hy_schedule_free(struct hy_schedule *schedule) {
  if (!schedule->fixed) {
    hy_free(schedule->base, &schedule->packets);
    hy_free(schedule->base, &schedule->pieces);
  }
  hy_schedule_init(schedule, schedule->base);
}

/* Makes room for one more entry in an array of the schedule. */
static hyla_status grow(struct hy_schedule *schedule, void *array, int64_t used, int64_t *capacity,
                        size_t size) {
  CHECK(schedule->base, !schedule->fixed, MEMORY, "a schedule outgrows its %lld packets",
        (long long)*capacity);
  int64_t wanted = hy_max(64, 2 * *capacity);
  void *larger = NULL;
  void *old = NULL;
  TRY(hy_alloc(schedule->base, wanted, size, &larger));
  memcpy(&old, array, sizeof old);
  if (used > 0) memcpy(larger, old, (size_t)used * size);
  hy_free(schedule->base, &old);
  memcpy(array, &larger, sizeof larger);
  *capacity = wanted;
  return HYLA_OK;
}

/* Does `next' continue where `piece' ends?  Then piece is extended. */
static bool join(struct hy_piece *piece, const struct hy_piece *next, uint32_t parts) {
  uint32_t last = piece->block + piece->run - 1;
  bool inside = next->block == last && next->from == piece->to;
  bool after = next->block == last + 1 && piece->to == parts && next->from == 0;
  bool same = next->source == piece->source && next->target == piece->target;
  if (!same || (!inside && !after)) return false;
  piece->run = next->block + next->run - piece->block;
  piece->to = next->to;
  return true;
}

static hyla_status add_piece(struct hy_schedule *schedule, struct hy_packet *packet,
                             const struct hy_piece *piece) {
  if (packet->count > 0 &&
      join(&schedule->pieces[schedule->piece_count - 1], piece, schedule->parts))
    return HYLA_OK;
  if (schedule->piece_count == schedule->piece_capacity)
    TRY(grow(schedule, &schedule->pieces, schedule->piece_count, &schedule->piece_capacity,
             sizeof *piece));
  schedule->pieces[schedule->piece_count++] = *piece;
  packet->count++;
  return HYLA_OK;
}

hyla_status hy_schedule_open(struct hy_schedule *schedule, int step, uint32_t across,
                             enum hy_action action) {
  if (schedule->packet_count == schedule->packet_capacity)
    TRY(grow(schedule, &schedule->packets, schedule->packet_count, &schedule->packet_capacity,
             sizeof *schedule->packets));
  schedule->packets[schedule->packet_count++] = (struct hy_packet){
      .step = step, .across = across, .action = action, .first = schedule->piece_count};
  schedule->steps = (int)hy_max(schedule->steps, step + 1);
  return HYLA_OK;
}

hyla_status hy_schedule_add(struct hy_schedule *schedule, int step, uint32_t across,
                            enum hy_action action, struct hy_piece piece) {
  if (piece.run == 1 && piece.from == piece.to) return HYLA_OK;
  int64_t count = schedule->packet_count;
  const struct hy_packet *last = count > 0 ? &schedule->packets[count - 1] : NULL;
  bool again =
      last != NULL && last->step == step && last->across == across && last->action == action;
  if (!again) TRY(hy_schedule_open(schedule, step, across, action));
  return add_piece(schedule, &schedule->packets[schedule->packet_count - 1], &piece);
}

static int compare(const struct hy_packet *a, const struct hy_packet *b) {
  if (a->step != b->step) return a->step < b->step ? -1 : 1;
  if (a->across != b->across) return a->across < b->across ? -1 : 1;
  return a->action == b->action ? 0 : a->action < b->action ? -1 : 1;
}

/* Packets are ordered by their pieces at last, in the order in which they were added; that keeps
 * the sort stable. */
static int compare_stable(const void *left, const void *right) {
  const struct hy_packet *a = left;
  const struct hy_packet *b = right;
  int order = compare(a, b);
  return order != 0 ? order : a->first < b->first ? -1 : a->first > b->first;
}

/* Joins consecutive packets of the same step, link and action. */
static hyla_status batch(struct hy_schedule *schedule) {
  struct hy_schedule joined;
  hy_schedule_init(&joined, schedule->base);
  joined.parts = schedule->parts;
  joined.steps = schedule->steps;
  joined.batch = true;
  joined.scratch = schedule->scratch;
  hyla_status status = HYLA_OK;
  for (int64_t i = 0; i < schedule->packet_count && status == HYLA_OK; i++) {
    const struct hy_packet *packet = &schedule->packets[i];
    for (int64_t j = 0; j < packet->count && status == HYLA_OK; j++)
      status = hy_schedule_add(&joined, packet->step, packet->across, packet->action,
                               schedule->pieces[packet->first + j]);
  }
  if (status != HYLA_OK) {
    hy_schedule_free(&joined);
    return status;
  }
  hy_schedule_free(schedule);
  *schedule = joined;
  return HYLA_OK;
}

/* Orders few packets. */
static void insert_all(struct hy_packet *packets, int64_t count) {
  for (int64_t i = 1; i < count; i++) {
    const struct hy_packet packet = packets[i];
    int64_t at = i;
    for (; at > 0 && compare_stable(&packets[at - 1], &packet) > 0; at--)
      packets[at] = packets[at - 1];
    packets[at] = packet;
  }
}

/* The place among these kinds of a packet's link and action, looked for from `at' on; -1: none. */
static int kind_of(const struct hy_packet *packet, const struct hy_packet kind[], int kinds,
                   int at) {
  for (int tried = 0; tried < kinds; tried++, at++) {
    if (at >= kinds) at = 0;
    if (compare(&kind[at], packet) == 0) return at;
  }
  return -1;
}

/* Copies the packets of a step to `out', those of a link and an action behind each other, in linear
 * time; false if they go over more than KINDS links. */
static bool group_by_kind(const struct hy_packet *packets, int64_t count, struct hy_packet *out) {
  enum { KINDS = 64 };
  struct hy_packet kind[KINDS]; /* count: of its packets; first: the place of the next one */
  int kinds = 0, at = 0;
  for (int64_t i = 0; i < count; i++) {
    at = kind_of(&packets[i], kind, kinds, at);
    if (at < 0 && kinds == KINDS) return false;
    if (at < 0) {
      at = kinds++;
      kind[at] = packets[i];
      kind[at].count = 0;
    }
    kind[at].count++;
  }
  insert_all(kind, kinds);
  for (int64_t k = 0, first = 0; k < kinds; first += kind[k++].count) kind[k].first = first;
  const bool turned = packets[0].first > packets[count - 1].first; /* the schedule was reversed */
  at = 0;
  for (int64_t i = 0; i < count; i++) {
    const struct hy_packet *packet = &packets[turned ? count - 1 - i : i];
    at = kind_of(packet, kind, kinds, at);
    out[kind[at].first++] = *packet;
  }
  return true;
}

/* Orders the packets of a step, which are few in most schedules.  Where they are many they go over
 * few links, and most come in the order of their pieces.  room: for as many packets. */
static void order_step(struct hy_packet *packets, int64_t count, struct hy_packet *room) {
  enum { FEW = 32 };
  if (count <= FEW) {
    insert_all(packets, count);
    return;
  }
  if (group_by_kind(packets, count, room)) memcpy(packets, room, (size_t)count * sizeof *packets);
  for (int64_t i = 1; i < count; i++)
    if (compare_stable(&packets[i - 1], &packets[i]) > 0) {
      qsort(packets, (size_t)count, sizeof *packets, compare_stable);
      return;
    }
}

/* Orders the packets: first all by their steps, in linear time, then those of each step. */
static hyla_status order_packets(struct hy_schedule *schedule) {
  const struct hy_packet *packets = schedule->packets;
  const int64_t count = schedule->packet_count;
  struct hy_packet *ordered = NULL;
  int64_t *end = NULL; /* where each step's packets end, so far */
  int steps = 0;
  for (int64_t i = 0; i < count; i++) steps = (int)hy_max(steps, packets[i].step + 1);
  TRY(hy_alloc(schedule->base, count, sizeof *ordered, &ordered));
  const hyla_status status = hy_alloc(schedule->base, steps + 1, sizeof *end, &end);
  if (status != HYLA_OK) {
    hy_free(schedule->base, &ordered);
    return status;
  }
  for (int64_t i = 0; i < count; i++) end[packets[i].step + 1]++;
  for (int step = 0; step < steps; step++) end[step + 1] += end[step];
  for (int64_t i = 0; i < count; i++) ordered[end[packets[i].step]++] = packets[i];
  for (int step = 0; step < steps; step++) {
    const int64_t first = step > 0 ? end[step - 1] : 0;
    order_step(ordered + first, end[step] - first, schedule->packets + first);
  }
  hy_free(schedule->base, &end);
  hy_free(schedule->base, &schedule->packets);
  schedule->packets = ordered;
  schedule->packet_capacity = count;
  return HYLA_OK;
}

/* Puts the pieces in the order of their packets, since runs read them in that order. */
static hyla_status order_pieces(struct hy_schedule *schedule) {
  struct hy_piece *ordered = NULL;
  int64_t count = 0;
  TRY(hy_alloc(schedule->base, schedule->piece_count, sizeof *ordered, &ordered));
  for (int64_t i = 0; i < schedule->packet_count; i++) {
    struct hy_packet *packet = &schedule->packets[i];
    for (int64_t j = 0; j < packet->count; j++)
      ordered[count + j] = schedule->pieces[packet->first + j];
    packet->first = count;
    count += packet->count;
  }
  hy_free(schedule->base, &schedule->pieces);
  schedule->pieces = ordered;
  schedule->piece_capacity = schedule->piece_count;
  return HYLA_OK;
}

static bool overlap(const struct hy_piece *a, const struct hy_piece *b) {
  uint32_t a_last = a->block + a->run - 1;
  uint32_t b_last = b->block + b->run - 1;
  if (a_last < b->block || b_last < a->block) return false;
  if (a_last == b->block && a->to <= b->from) return false;
  return b_last != a->block || b->to > a->from;
}

bool hy_packets_overlap(const struct hy_schedule *schedule, const struct hy_packet *a,
                        const struct hy_packet *b) {
  for (int64_t i = 0; i < a->count; i++)
    for (int64_t j = 0; j < b->count; j++)
      if (overlap(&schedule->pieces[a->first + i], &schedule->pieces[b->first + j])) return true;
  return false;
}

/* Above this number of comparisons a packet is staged without a check. */
enum { LOOK_AT_MOST = 64 };

/* Must the packet be received beside the data?  others: the packets of its step. */
static bool must_stage(const struct hy_schedule *schedule, const struct hy_packet *packet,
                       const struct hy_packet *others, int64_t count) {
  if (packet->across == 0) return true;
  for (int64_t i = 0; i < count; i++) {
    if (others[i].action != HY_OUT) continue;
    if (others[i].count * packet->count > LOOK_AT_MOST) return true;
    if (hy_packets_overlap(schedule, &others[i], packet)) return true;
  }
  return false;
}

hyla_status hy_schedule_finish(struct hy_schedule *schedule) {
  bool sorted = true;
  bool repeats = false;
  for (int64_t i = 1; i < schedule->packet_count; i++)
    sorted = sorted && compare(&schedule->packets[i - 1], &schedule->packets[i]) <= 0;
  if (!sorted) TRY(order_packets(schedule));
  const int64_t before = schedule->packet_count;
  for (int64_t i = 1; i < before; i++)
    repeats = repeats || compare(&schedule->packets[i - 1], &schedule->packets[i]) == 0;
  if (repeats && schedule->batch)
    TRY(batch(schedule));
  else if (!sorted)
    TRY(order_pieces(schedule));
  const int64_t count = schedule->packet_count;
  for (int64_t first = 0, last = 0; first < count; first = last) {
    while (last < count && schedule->packets[last].step == schedule->packets[first].step) last++;
    for (int64_t i = first; i < last; i++)
      if (schedule->packets[i].action == HY_IN)
        schedule->packets[i].staged =
            must_stage(schedule, &schedule->packets[i], schedule->packets + first, last - first);
  }
  return HYLA_OK;
}

/* count / parts of a block's words.  Most blocks are taken whole or not at all, and divisions are
 * slow. */
static int64_t part_of(int64_t words, int64_t count, int64_t parts) {
  if (count == 0) return 0;
  if (count == parts) return words;
  if ((parts & (parts - 1)) == 0) return count * words >> hy_lowest((uint32_t)parts);
  return count * words / parts;
}

struct hy_span hy_piece_span(const struct hy_schedule *schedule, const struct hy_blocks *blocks,
                             const struct hy_piece *piece) {
  int64_t first = piece->block;
  int64_t last = first + piece->run - 1;
  int64_t start = 0;
  int64_t start_words = blocks->words;
  int64_t end = 0;
  int64_t end_words = blocks->words;
  if (blocks->offsets != NULL) {
    start = blocks->offsets[first];
    start_words = blocks->offsets[first + 1] - start;
    end = blocks->offsets[last];
    end_words = blocks->offsets[last + 1] - end;
  } else {
    start = first * blocks->words;
    end = last * blocks->words;
  }
  int64_t parts = schedule->parts;
  int64_t filled = end + hy_blocks_filled(blocks, piece->source, piece->target);
  start += part_of(start_words, piece->from, parts);
  end += part_of(end_words, piece->to, parts);
  if (blocks->sources != NULL) {
    start = hy_min(start, filled);
    end = hy_min(end, filled);
  }
  return (struct hy_span){start, end - start};
}

int64_t hy_packet_words(const struct hy_schedule *schedule, const struct hy_blocks *blocks,
                        const struct hy_packet *packet) {
  int64_t words = 0;
  for (int64_t i = 0; i < packet->count; i++)
    words += hy_piece_span(schedule, blocks, &schedule->pieces[packet->first + i]).length;
  return words;
}

hyla_status hy_schedule_trim(struct hy_schedule *schedule, const struct hy_blocks *blocks) {
  struct hy_schedule kept = *schedule;
  const struct hy_packet *packets = schedule->packets;
  kept.packet_count = kept.piece_count = 0;
  for (int64_t i = 0; i < schedule->packet_count; i++) {
    if (hy_packet_words(schedule, blocks, &packets[i]) == 0) continue;
    kept.packet_count++;
    kept.piece_count += packets[i].count;
  }
  if (kept.packet_count == schedule->packet_count) return HYLA_OK;
  kept.packet_capacity = kept.packet_count;
  kept.piece_capacity = kept.piece_count;
  TRY(hy_alloc(kept.base, kept.packet_count, sizeof *kept.packets, &kept.packets));
  hyla_status status = hy_alloc(kept.base, kept.piece_count, sizeof *kept.pieces, &kept.pieces);
  if (status != HYLA_OK) {
    hy_free(kept.base, &kept.packets);
    return status;
  }
  kept.packet_count = kept.piece_count = 0;
  for (int64_t i = 0; i < schedule->packet_count; i++) {
    if (hy_packet_words(schedule, blocks, &packets[i]) == 0) continue;
    struct hy_packet *packet = &kept.packets[kept.packet_count++];
    *packet = packets[i];
    packet->first = kept.piece_count;
    for (int64_t j = 0; j < packet->count; j++)
      kept.pieces[kept.piece_count++] = schedule->pieces[packets[i].first + j];
  }
  hy_schedule_free(schedule);
  *schedule = kept;
  return HYLA_OK;
}

int64_t hy_schedule_work(const struct hy_schedule *schedule, const struct hy_blocks *blocks) {
  int64_t most = 0;
  int64_t now = 0;
  for (int64_t i = 0; i < schedule->packet_count; i++) {
    const struct hy_packet *packet = &schedule->packets[i];
    if (i > 0 && packet[-1].step != packet->step) now = 0;
    if (packet->count > 1 || packet->action == HY_ADD || packet->staged || packet->across == 0)
      now += hy_packet_words(schedule, blocks, packet);
    most = hy_max(most, now);
  }
  return most;
}

hyla_cost hy_schedule_cost(const struct hy_schedule *schedule, const struct hy_blocks *blocks) {
  hyla_cost cost = {0};
  int last = -1;
  for (int64_t i = 0; i < schedule->packet_count; i++) {
    const struct hy_packet *packet = &schedule->packets[i];
    int64_t words = hy_packet_words(schedule, blocks, packet);
    if (packet->across == 0 || words == 0) continue;
    cost.steps += packet->step != last;
    last = packet->step;
    cost.messages += packet->action == HY_OUT;
    cost.words += packet->action == HY_OUT ? words : 0;
    cost.flops += packet->action == HY_ADD ? words : 0;
  }
  return cost;
}
