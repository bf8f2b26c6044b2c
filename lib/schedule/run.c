/* Runs a node's schedule over its link.
 *
 * A packet whose pieces lie one after the other in the buffer travels from and
 * to its place; others, and what is added or would overwrite words that go out
 * in the same step, pass through the caller's workspace.  Nothing is
 * allocated. */
#include "schedule/schedule.h"

#include <string.h>

/* At most one packet in and one out over each dimension, or to a far node. */
enum { PACKETS_MAX = 2 * HYLA_DIMS_MAX + 2 };

/* One packet under way. */
struct parcel {
  const struct hy_packet *packet;
  char *place; /* where the link finds or leaves it */
  bool packed; /* place is workspace */
};

static char *at(const struct hy_run *run, int64_t offset) {
  if (run->scratch != NULL && offset >= run->words)
    return (char *)run->scratch + (size_t)(offset - run->words) * run->size;
  return (char *)run->data + (size_t)offset * run->size;
}

/* The packet as one span; false when its pieces are apart. */
static bool as_one(const struct hy_schedule *schedule, const struct hy_run *run,
                   const struct hy_packet *packet, struct hy_span *span) {
  const struct hy_piece *pieces = schedule->pieces + packet->first;
  *span = hy_piece_span(schedule, &run->blocks, pieces);
  for (int64_t i = 1; i < packet->count; i++) {
    struct hy_span next = hy_piece_span(schedule, &run->blocks, pieces + i);
    if (next.length == 0) continue;
    bool parted = run->scratch != NULL && span->offset < run->words && next.offset >= run->words;
    if (span->length > 0 && (parted || next.offset != span->offset + span->length)) return false;
    if (span->length == 0) span->offset = next.offset;
    span->length += next.length;
  }
  return true;
}

static void move(const struct hy_run *run, void *to, const void *from, size_t bytes) {
  if (bytes > 0 && !run->dry) memcpy(to, from, bytes);
}

static void pack(const struct hy_schedule *schedule, const struct hy_run *run,
                 const struct parcel *parcel) {
  char *to = parcel->place;
  for (int64_t i = 0; i < parcel->packet->count; i++) {
    struct hy_span span =
        hy_piece_span(schedule, &run->blocks, &schedule->pieces[parcel->packet->first + i]);
    size_t bytes = (size_t)span.length * run->size;
    move(run, to, at(run, span.offset), bytes);
    to += bytes;
  }
}

/* Combines n words from `from`, which came from a larger or smaller number. */
static void combine(const struct hy_run *run, char *into, char *from, int64_t n, bool larger) {
  if (larger) {
    run->combine(into, from, n, run->arg);
  } else {
    run->combine(from, into, n, run->arg);
    move(run, into, from, (size_t)n * run->size);
  }
}

static void unpack(const struct hy_schedule *schedule, const struct hy_run *run,
                   const struct parcel *parcel, bool larger) {
  char *from = parcel->place;
  for (int64_t i = 0; i < parcel->packet->count; i++) {
    struct hy_span span =
        hy_piece_span(schedule, &run->blocks, &schedule->pieces[parcel->packet->first + i]);
    size_t bytes = (size_t)span.length * run->size;
    if (bytes > 0 && parcel->packet->action == HY_ADD)
      combine(run, at(run, span.offset), from, span.length, larger);
    else
      move(run, at(run, span.offset), from, bytes);
    from += bytes;
  }
}

/* Gives the packet its place, in the data or at *work, and packs what goes out.
 * Returns its bytes. */
static int64_t place(const struct hy_schedule *schedule, const struct hy_run *run,
                     const struct hy_packet *packet, char **work, struct parcel *parcel) {
  struct hy_span span;
  bool one = as_one(schedule, run, packet, &span);
  int64_t words = one ? span.length : hy_packet_words(schedule, &run->blocks, packet);
  parcel->packet = packet;
  parcel->packed = !one || packet->action == HY_ADD || packet->staged || packet->across == 0;
  parcel->place = parcel->packed ? *work : at(run, span.offset);
  if (parcel->packed && packet->action == HY_OUT) pack(schedule, run, parcel);
  if (parcel->packed) *work += (size_t)words * run->size;
  return words * (int64_t)run->size;
}

/* One step: `count` packets that go at once. */
static hyla_status step(hyla_cube *cube, const struct hy_schedule *schedule,
                        const struct hy_run *run, const struct hy_packet *packets, int64_t count) {
  struct hy_message messages[PACKETS_MAX];
  struct parcel parcels[PACKETS_MAX];
  char *work = run->work;
  int started = 0;
  CHECK(&cube->base, count <= PACKETS_MAX, ARGUMENT, "a step of a schedule has %lld packets",
        (long long)count);
  for (int64_t i = 0; i < count; i++) {
    const struct hy_packet *packet = &packets[i];
    char *own = i > 0 && packet->across == 0 ? parcels[0].place : NULL;
    int64_t bytes = place(schedule, run, packet, &work, &parcels[i]);
    /* A packet to the node itself: what was packed is what arrives. */
    if (own != NULL) parcels[i].place = own;
    if (packet->across == 0) continue;
    messages[started++] =
        (struct hy_message){.verb = packet->action == HY_OUT ? HY_SEND : HY_RECV,
                            .peer = cube->address ^ (int)hy_deposit(packet->across, run->dims),
                            .bytes = bytes,
                            .data = parcels[i].place};
  }
  TRY(hy_link_step(cube, messages, started));
  for (int64_t i = 0; i < count; i++) {
    if (!parcels[i].packed || packets[i].action == HY_OUT) continue;
    int peer = cube->address ^ (int)hy_deposit(packets[i].across, run->dims);
    unpack(schedule, run, &parcels[i], peer > cube->address);
  }
  return HYLA_OK;
}

hyla_status hy_schedule_run(hyla_cube *cube, const struct hy_schedule *schedule,
                            const struct hy_run *run) {
  const struct hy_packet *packets = schedule->packets;
  int64_t count = schedule->packet_count;
  struct hy_run own = *run;
  own.dry = hy_cube_dry(cube);
  for (int64_t first = 0, last = 0; first < count; first = last) {
    while (last < count && packets[last].step == packets[first].step) last++;
    TRY(step(cube, schedule, &own, packets + first, last - first));
  }
  return HYLA_OK;
}
