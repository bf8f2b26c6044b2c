/* The toolbox: schedules and generators that are made from others.  (Stout and Wagar 1990, sections
 * 1.4, 2 and 6, and the descriptions of the algorithms) */
#include "schedule/schedule.h"

#include <stdlib.h>

void hy_schedule_reverse(struct hy_schedule *schedule, enum hy_action action) {
  int64_t count = schedule->packet_count;
  for (int64_t i = 0; i < count; i++) {
    struct hy_packet *packet = &schedule->packets[i];
    packet->step = schedule->steps - 1 - packet->step;
    packet->action = packet->action == HY_OUT ? action : HY_OUT;
    packet->staged = false;
  }
  for (int64_t i = 0; i < count / 2; i++) {
    struct hy_packet swap = schedule->packets[i];
    schedule->packets[i] = schedule->packets[count - 1 - i];
    schedule->packets[count - 1 - i] = swap;
  }
}

/* --------------------------------------------------------------- places -- */

static int compare_places(const void *left, const void *right) {
  const struct hy_piece *a = left, *b = right;
  if (a->block != b->block) return a->block < b->block ? -1 : 1;
  return a->from < b->from ? -1 : a->from > b->from;
}

/* The pieces of a packet at their new places, one for each block, in order.  Returns their
 * number. */
static int64_t place_pieces(const struct hy_schedule *schedule, const struct hy_packet *packet,
                            const uint32_t *place, struct hy_piece *out) {
  int64_t count = 0;
  for (int64_t i = packet->first; i < packet->first + packet->count; i++) {
    const struct hy_piece *piece = &schedule->pieces[i];
    for (uint32_t k = 0; k < piece->run; k++) {
      out[count] = *piece;
      out[count].block = place[piece->block + k];
      out[count].run = 1;
      out[count].from = k == 0 ? piece->from : 0;
      out[count++].to = k + 1 == piece->run ? piece->to : schedule->parts;
    }
  }
  qsort(out, (size_t)count, sizeof *out, compare_places);
  return count;
}

static hyla_status place_packets(const struct hy_schedule *schedule, const uint32_t *place,
                                 struct hy_piece *room, struct hy_schedule *out) {
  for (int64_t i = 0; i < schedule->packet_count; i++) {
    const struct hy_packet *packet = &schedule->packets[i];
    int64_t count = place_pieces(schedule, packet, place, room);
    TRY(hy_schedule_open(out, packet->step, packet->across, packet->action));
    for (int64_t j = 0; j < count; j++)
      TRY(hy_schedule_add(out, packet->step, packet->across, packet->action, room[j]));
  }
  return HYLA_OK;
}

hyla_status hy_schedule_place(struct hy_schedule *schedule, const uint32_t *place) {
  struct hy_schedule placed = *schedule;
  struct hy_piece *room = NULL;
  int64_t most = 0;
  for (int64_t i = 0; i < schedule->piece_count; i++) most += schedule->pieces[i].run;
  placed.packets = NULL;
  placed.pieces = NULL;
  placed.packet_count = placed.packet_capacity = placed.piece_count = placed.piece_capacity = 0;
  hyla_status status = hy_alloc(schedule->base, most, sizeof *room, &room);
  if (status == HYLA_OK) status = place_packets(schedule, place, room, &placed);
  if (status == HYLA_OK) status = hy_schedule_finish(&placed);
  hy_free(schedule->base, &room);
  hy_schedule_free(status == HYLA_OK ? schedule : &placed);
  if (status == HYLA_OK) *schedule = placed;
  return status;
}

/* ------------------------------------------------- schedules from others -- */

/* Adds another schedule, relabelled. */
static hyla_status append(struct hy_schedule *schedule, const struct hy_schedule *from,
                          const struct hy_relabel *relabel) {
  uint32_t parts = relabel->parts;
  CHECK(schedule->base, schedule->packet_count == 0 || schedule->parts == parts, ARGUMENT,
        "a schedule in %u parts cannot be added to one in %u", parts, schedule->parts);
  schedule->parts = parts;
  schedule->batch = schedule->batch || from->batch;
  schedule->scratch = (uint32_t)hy_max(schedule->scratch, from->scratch);
  schedule->steps = (int)hy_max(schedule->steps, from->steps + relabel->delay);
  uint32_t shift = relabel->offset;
  uint32_t unit = relabel->unit;
  for (int64_t i = 0; i < from->packet_count; i++) {
    const struct hy_packet *packet = &from->packets[i];
    uint32_t across = hy_rotate(packet->across, relabel->rotate, relabel->dims);
    if (relabel->into != 0) across = hy_deposit(across, relabel->into);
    int step = packet->step + relabel->delay;
    TRY(hy_schedule_open(schedule, step, across, packet->action));
    for (int64_t j = 0; j < packet->count; j++) {
      const struct hy_piece *piece = &from->pieces[packet->first + j];
      for (uint32_t k = 0; k < piece->run; k++) {
        uint32_t block = hy_rotate(piece->block + k, relabel->rotate, relabel->dims);
        struct hy_piece copy = {.block = block ^ relabel->flip,
                                .run = 1,
                                .from = shift + unit * (k == 0 ? piece->from : 0),
                                .to =
                                    shift + unit * (k + 1 == piece->run ? piece->to : from->parts),
                                .source = piece->source,
                                .target = piece->target};
        TRY(hy_schedule_add(schedule, step, across, packet->action, copy));
      }
    }
  }
  return HYLA_OK;
}

hyla_status hy_generate(const struct hy_generator *generator, uint32_t node, struct hy_base *base,
                        struct hy_schedule *schedule) {
  hy_schedule_init(schedule, base);
  TRY(generator->make(generator, node, schedule));
  return hy_schedule_finish(schedule);
}

hyla_status hy_generate_into(const struct hy_generator *generator, uint32_t node,
                             const struct hy_relabel *relabel, struct hy_schedule *out) {
  struct hy_schedule inner;
  hy_schedule_init(&inner, out->base);
  hyla_status status = generator->make(generator, node, &inner);
  if (status == HYLA_OK) status = append(out, &inner, relabel);
  hy_schedule_free(&inner);
  return status;
}

hyla_status hy_generate_slice(const struct hy_generator *generator, uint32_t node,
                              struct hy_relabel relabel, uint32_t slice, uint32_t slices,
                              struct hy_schedule *out) {
  struct hy_schedule inner;
  hy_schedule_init(&inner, out->base);
  hyla_status status = generator->make(generator, node, &inner);
  relabel.unit = 1;
  relabel.offset = slice * inner.parts;
  relabel.parts = slices * inner.parts;
  if (status == HYLA_OK) status = append(out, &inner, &relabel);
  hy_schedule_free(&inner);
  return status;
}

static hyla_status make_reroot(const struct hy_generator *generator, uint32_t node,
                               struct hy_schedule *out) {
  struct hy_relabel relabel = {.dims = generator->dims,
                               .flip = generator->numbered ? generator->root : 0};
  return hy_generate_slice(generator->inner, node ^ generator->root, relabel, 0, 1, out);
}

struct hy_generator hy_reroot(const struct hy_generator *inner, uint32_t root) {
  return (struct hy_generator){make_reroot, inner->dims, inner->numbered, .inner = inner,
                               .root = root};
}

/* In run i all numbers are rotated left by i, so this node plays the part of the node whose number
 * is rotated right by i. */
static hyla_status make_symmetrize(const struct hy_generator *generator, uint32_t node,
                                   struct hy_schedule *out) {
  int d = generator->dims;
  for (int i = 0; i < d; i++) {
    struct hy_relabel relabel = {.dims = d, .rotate = i};
    TRY(hy_generate_slice(generator->inner, hy_rotate(node, d - i, d), relabel, (uint32_t)i,
                          (uint32_t)d, out));
  }
  return HYLA_OK;
}

struct hy_generator hy_symmetrize(const struct hy_generator *inner) {
  return (struct hy_generator){make_symmetrize, inner->dims, inner->numbered, .inner = inner};
}

static hyla_status make_pipeline(const struct hy_generator *generator, uint32_t node,
                                 struct hy_schedule *out) {
  uint32_t groups = (uint32_t)generator->groups;
  for (uint32_t group = 0; group < groups; group++) {
    struct hy_relabel relabel = {.dims = generator->dims, .delay = (int)group};
    bool instead = group + 1 == groups && generator->last != NULL;
    TRY(hy_generate_slice(instead ? generator->last : generator->inner, node, relabel, group,
                          groups, out));
  }
  return HYLA_OK;
}

struct hy_generator hy_pipeline(const struct hy_generator *inner, int groups,
                                const struct hy_generator *last) {
  return (struct hy_generator){
      make_pipeline,    inner->dims,  inner->numbered,           .inner = inner,
      .groups = groups, .last = last, .network = inner->network, .members = inner->members};
}

/* Every node takes the roots in the same order, so sender and receiver agree on the order of the
 * pieces in a packet. */
static hyla_status make_complete(const struct hy_generator *generator, uint32_t node,
                                 struct hy_schedule *out) {
  out->batch = generator->batch;
  for (uint32_t root = 0; root >> generator->dims == 0; root++) {
    struct hy_relabel relabel = {.dims = generator->dims, .flip = root};
    TRY(hy_generate_slice(generator->inner, node ^ root, relabel, 0, 1, out));
  }
  return HYLA_OK;
}

struct hy_generator hy_complete(const struct hy_generator *inner, bool batch) {
  return (struct hy_generator){make_complete, inner->dims, true, .inner = inner, .batch = batch};
}

static hyla_status make_reverse(const struct hy_generator *generator, uint32_t node,
                                struct hy_schedule *out) {
  struct hy_relabel relabel = {.dims = generator->dims};
  TRY(hy_generate_slice(generator->inner, node, relabel, 0, 1, out));
  hy_schedule_reverse(out, generator->action);
  return HYLA_OK;
}

struct hy_generator hy_reverse(const struct hy_generator *inner, enum hy_action action) {
  return (struct hy_generator){make_reverse,   inner->dims,      inner->numbered,
                               .inner = inner, .action = action, .network = inner->network};
}
