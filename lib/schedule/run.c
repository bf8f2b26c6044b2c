/* Runs a node's schedule over its link.
 *
 * A packet whose pieces are contiguous in the buffer travels from and to its place.  All other
 * packets travel through the caller's workspace, as do packets that are added, or that would
 * overwrite words sent in the same step.  Nothing is allocated. */
#include "schedule/run.h"

#include <string.h>

static char *at(const struct hy_run *run, int64_t offset) {
  if (run->scratch != NULL && offset >= run->words)
    return (char *)run->scratch + (size_t)(offset - run->words) * run->size;
  return (char *)run->data + (size_t)offset * run->size;
}

/* The peer in a subarray that is no cube, whose members count from the root. */
static int address_in(const hyla_cube *cube, const struct hy_run *run, uint32_t across) {
  const uint32_t members = run->members, own = hy_member(cube, run->dims, cube->address);
  const uint32_t peer = ((own + members - run->root) % members ^ across) + run->root;
  return (cube->address & ~(int)run->dims) |
         (int)hy_member_address(cube, run->dims, peer % members);
}

int hy_packet_address(const hyla_cube *cube, const struct hy_run *run, uint32_t across) {
  if (run->members > 0) return address_in(cube, run, across);
  if (run->network == NULL) return cube->address ^ (int)hy_deposit(across, run->dims);
  return (int)hy_packet_peer(run->network, (uint32_t)hy_packet_own(cube, run), across);
}

int hy_packet_port(const struct hy_run *run, uint32_t across) {
  return run->network == NULL ? 0 : 1 + hy_lowest(across);
}

/* Finds the packet as one span; false if its pieces are apart. */
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

/* Combines n words from `from', which came from a node with a larger or smaller number. */
static void combine(const struct hy_run *run, char *into, char *from, int64_t n, bool larger) {
  if (larger) {
    run->combine(into, from, n, run->arg);
  } else {
    run->combine(from, into, n, run->arg);
    move(run, into, from, (size_t)n * run->size);
  }
}

void hy_packet_copy(const struct hy_schedule *schedule, const struct hy_run *run,
                    const struct hy_packet_place *stowed, bool larger) {
  const struct hy_packet *packet = stowed->packet;
  char *words = stowed->data;
  for (int64_t i = packet->first; i < packet->first + packet->count; i++) {
    struct hy_span span = hy_piece_span(schedule, &run->blocks, &schedule->pieces[i]);
    if (span.length == 0) continue; /* an empty piece may have no place */
    size_t bytes = (size_t)span.length * run->size;
    char *place = at(run, span.offset);
    if (packet->action == HY_ADD)
      combine(run, place, words, span.length, larger);
    else
      move(run, packet->action == HY_OUT ? words : place, packet->action == HY_OUT ? place : words,
           bytes);
    words += bytes;
  }
}

int64_t hy_packet_stow(const struct hy_schedule *schedule, const struct hy_run *run,
                       const struct hy_packet *packet, char **work,
                       struct hy_packet_place *stowed) {
  struct hy_span span;
  bool one = as_one(schedule, run, packet, &span);
  int64_t words = one ? span.length : hy_packet_words(schedule, &run->blocks, packet);
  stowed->packet = packet;
  stowed->packed = !one || packet->action == HY_ADD || packet->staged || packet->across == 0;
  stowed->data = NULL;
  if (words == 0) return 0;
  stowed->data = stowed->packed ? *work : at(run, span.offset);
  if (stowed->packed && packet->action == HY_OUT) hy_packet_copy(schedule, run, stowed, false);
  if (stowed->packed) *work += (size_t)words * run->size;
  return words * (int64_t)run->size;
}

/* Adds a packet to the messages of the step. */
static void add_message(const hyla_cube *cube, struct hy_pending *pending,
                        const struct hy_packet *packet, int64_t bytes, void *data) {
  const bool out = packet->action == HY_OUT;
  const int peer = hy_packet_address(cube, &pending->run, packet->across);
  const int port = hy_packet_port(&pending->run, packet->across), i = pending->started++;
  if (pending->lights == NULL) {
    pending->messages[i] = (struct hy_message){
        .verb = out ? HY_SEND : HY_RECV, .peer = peer, .port = port, .bytes = bytes, .data = data};
    return;
  }
  struct hy_light *m = &pending->lights[i];
  m->data = data;
  m->bytes = bytes;
  m->peer = peer;
  m->port = (uint8_t)port;
  m->out = out;
}

/* Starts the step that begins with packet `first': all its packets start together. */
static hyla_status start_step(hyla_cube *cube, struct hy_pending *pending, int64_t first) {
  const struct hy_schedule *schedule = pending->schedule;
  const struct hy_run *run = &pending->run;
  const struct hy_packet *packets = schedule->packets + first;
  struct hy_packet_place *places = pending->places;
  char *work = run->work;
  int64_t count = 0;
  while (first + count < schedule->packet_count && packets[count].step == packets[0].step) count++;
  CHECK(&cube->base, count <= HY_PACKETS_MAX, ARGUMENT, "a step of a schedule has %lld packets",
        (long long)count);
  pending->first = first;
  pending->count = (int)count;
  pending->started = 0;
  for (int i = 0; i < count; i++) {
    const struct hy_packet *packet = &packets[i];
    char *own = i > 0 && packet->across == 0 ? places[0].data : NULL;
    int64_t bytes = hy_packet_stow(schedule, run, packet, &work, &places[i]);
    /* A packet to the node itself arrives as it was packed. */
    if (own != NULL) places[i].data = own;
    if (packet->across != 0 && bytes > 0) add_message(cube, pending, packet, bytes, places[i].data);
  }
  return pending->lights != NULL ? hy_light_start(cube, pending->lights, pending->started)
                                 : hy_link_start(cube, pending->messages, pending->started);
}

static hyla_status wait_for_step(hyla_cube *cube, struct hy_pending *pending) {
  return pending->lights != NULL ? hy_light_wait(cube, pending->lights, pending->started)
                                 : hy_link_wait(cube, pending->messages, pending->started);
}

/* Finishes the step that is under way. */
static hyla_status finish_step(hyla_cube *cube, struct hy_pending *pending) {
  const struct hy_packet *packets = pending->schedule->packets + pending->first;
  TRY(wait_for_step(cube, pending));
  for (int i = 0; i < pending->count; i++) {
    if (!pending->places[i].packed || packets[i].action == HY_OUT) continue;
    int peer = hy_packet_address(cube, &pending->run, packets[i].across);
    hy_packet_copy(pending->schedule, &pending->run, &pending->places[i],
                   peer > hy_packet_own(cube, &pending->run));
  }
  return HYLA_OK;
}

/* lights: room for the messages of a step, or NULL. */
static hyla_status start_run(hyla_cube *cube, const struct hy_schedule *schedule,
                             const struct hy_run *run, struct hy_light *lights,
                             struct hy_pending *pending) {
  pending->schedule = schedule;
  pending->run = *run;
  pending->run.dry = hy_cube_dry(cube);
  pending->first = 0;
  pending->lights = lights;
  return schedule->packet_count > 0 ? start_step(cube, pending, 0) : HYLA_OK;
}

hyla_status hy_schedule_start(hyla_cube *cube, const struct hy_schedule *schedule,
                              const struct hy_run *run, struct hy_pending *pending) {
  return start_run(cube, schedule, run, NULL, pending);
}

hyla_status hy_schedule_advance(hyla_cube *cube, struct hy_pending *pending) {
  int64_t count = pending->schedule->packet_count;
  if (pending->first >= count) return HYLA_OK;
  TRY(finish_step(cube, pending));
  pending->first += pending->count;
  return pending->first < count ? start_step(cube, pending, pending->first) : HYLA_OK;
}

hyla_status hy_schedule_complete(hyla_cube *cube, struct hy_pending *pending) {
  while (pending->first < pending->schedule->packet_count) TRY(hy_schedule_advance(cube, pending));
  return HYLA_OK;
}

static hyla_status run_steps(hyla_cube *cube, const struct hy_schedule *schedule,
                             const struct hy_run *run) {
  struct hy_pending pending;
  struct hy_light lights[HY_PACKETS_MAX];
  TRY(start_run(cube, schedule, run, hy_link_is_light(cube) ? lights : NULL, &pending));
  return hy_schedule_complete(cube, &pending);
}

/* ------------------------------------------------------------- without words -- */

/* Most lines of a script: recursive doubling has these. */
enum { LINES = 4 * HYLA_DIMS_MAX };

static void add_unseen(void *arg, int64_t bytes) {
  const struct hy_run *run = arg;
  run->combine(run->data, run->data, bytes / (int64_t)run->size, run->arg);
}

/* Writes the node's packets as lines; false if there are too many, or one goes to the node
 * itself. */
static bool write_lines(const hyla_cube *cube, const struct hy_schedule *schedule,
                        const struct hy_run *run, struct hy_script *script) {
  for (int64_t i = 0; i < schedule->packet_count; i++) {
    const struct hy_packet *packet = &schedule->packets[i];
    const int64_t words = hy_packet_words(schedule, &run->blocks, packet);
    if (packet->across == 0 || script->count == LINES) return false;
    if (words == 0) continue;
    struct hy_script_line *line = &script->lines[script->count++];
    line->bytes = words * (int64_t)run->size;
    line->peer = hy_packet_address(cube, run, packet->across);
    line->step = packet->step;
    line->out = packet->action == HY_OUT;
    line->adds = packet->action == HY_ADD;
  }
  return true;
}

/* On counting cubes, and on simulated ones without words if the members need each other.  Then each
 * of them comes here. */
static bool has_script(const hyla_cube *cube, const struct hy_run *run) {
  if (run->network != NULL || cube->address < 0) return false;
  return hy_cube_counts(cube) || (run->together && hy_cube_dry(cube));
}

/* The script's lines are written. */
static hyla_status play(hyla_cube *cube, const struct hy_run *run, struct hy_script *script,
                        bool *played) {
  struct hy_run own = *run; /* add_unseen gets it without const */
  const int outside = cube->address & ~(int)run->dims;
  script->within = run->dims;
  script->members = run->members > 0 ? (int)run->members : 1 << hy_popcount(run->dims);
  script->first = run->members > 0 ? outside | (int)hy_member_address(cube, run->dims, 0) : outside;
  script->add = run->silent ? NULL : add_unseen;
  script->arg = &own;
  return hy_script_run(cube, script, played);
}

hyla_status hy_lines_run(hyla_cube *cube, hy_write_lines *write, const struct hy_run *run,
                         bool *played) {
  struct hy_script_line lines[LINES];
  struct hy_script script = {.lines = lines, .able = true};
  *played = false;
  if (!has_script(cube, run)) return HYLA_OK;
  script.count = write(run->dims, cube->address, run->blocks.words, run->size, lines);
  return play(cube, run, &script, played);
}

hyla_status hy_schedule_run(hyla_cube *cube, const struct hy_schedule *schedule,
                            const struct hy_run *run) {
  struct hy_script_line lines[LINES];
  struct hy_script script = {.lines = lines};
  bool played = false;
  if (has_script(cube, run)) {
    script.able = write_lines(cube, schedule, run, &script);
    TRY(play(cube, run, &script, &played));
  }
  return played ? HYLA_OK : run_steps(cube, schedule, run);
}
