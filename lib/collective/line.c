/* All-gather on a line or ring whose nodes have numbers of packets of their own.
 *
 * Method: in each direction by itself a node passes on at once the packet that came, and sends a
 * packet of its own when none came.  So a packet never waits once it has left.  On a ring each
 * block is cut in two halves, one for each way round.
 * The rule needs no search on a line: seen from a packet under way, the slots of a link are those
 * of the link before it and one earlier slot, and each node takes the earliest that are free.
 * Example, line:4 with 2, 0, 1 and 0 packets: upwards node 0's packets leave in steps 0 and 1 and
 * are at node 3 after steps 2 and 3; node 2's leaves in step 0, before they come.
 * Reference: Varvarigos 1992, 3.2, theorem 2: at most K + p - 1 steps for K packets in all, on a
 * ring of half the length.
 * Steps, exact on a line: the larger of both directions' max of (S_j + p - 2 - j) over j <= p - 2
 * with S_j > 0, S_j = c_0 + ... + c_j.  On a ring the rule is played; it takes between
 * K - min c_j and K + p - 2.
 * Packets: of the length that takes least time, on a ring the best of the eight with the lowest
 * bounds; one block for each node if all are equal.
 * Memory: the result. */
#include "collective/mesh.h"

enum { DIRECTIONS = 2, PARTS_MOST = 1 << 24, PLAYED_MOST = 100000000, TRIED = 8 };

struct parcel {
  uint32_t source, from, to;
  int32_t start; /* the step in which it leaves its source */
};

struct line {
  struct hy_found found; /* first */
  const struct hy_network *network;
  uint32_t parts;
  int64_t count[DIRECTIONS];
  struct parcel *parcel[DIRECTIONS]; /* upwards, downwards; by source, as a packet meets them */
};

/* ----------------------------------------------------------- the lengths -- */

static int64_t words_of(const struct hy_collective *c, uint32_t node) {
  const int64_t *offsets = c->blocks.offsets;
  return offsets != NULL ? offsets[node + 1] - offsets[node] : c->blocks.words;
}

/* The number of words of a node's block that go in a direction; *first: the first of them. */
static int64_t share_of(const struct hy_collective *c, uint32_t node, int direction,
                        int64_t *first) {
  const int64_t words = words_of(c, node);
  *first = 0;
  if (!hy_is_ring(c->network, 0)) return words;
  if (direction == 1) *first = words - words / 2;
  return direction == 0 ? words - words / 2 : words / 2;
}

/* The node at a place, counted in the direction. */
static uint32_t node_at(const struct hy_network *network, int direction, uint32_t place) {
  return direction == 0 ? place : network->nodes - 1 - place;
}

static int64_t packets_at(const struct hy_collective *c, int64_t words, int direction,
                          uint32_t place) {
  int64_t first = 0;
  const uint32_t node = node_at(c->network, direction, place);
  return hy_ceil_div(share_of(c, node, direction, &first), words);
}

/* The steps in one direction with packets of `words' words; for a ring a lower bound. */
static int64_t steps_in(const struct hy_collective *c, int64_t words, int direction) {
  const int64_t nodes = c->network->nodes;
  int64_t sum = 0, most = 0, least = INT64_MAX;
  for (int64_t j = 0; j < nodes; j++) {
    const int64_t count = packets_at(c, words, direction, (uint32_t)j);
    sum += count;
    least = hy_min(least, count);
    if (sum > 0 && j < nodes - 1) most = hy_max(most, sum + nodes - 2 - j);
  }
  return hy_is_ring(c->network, 0) ? sum - least : most;
}

/* Plays the rule on a ring, where places have packets from next[place] to end[place].  links: room
 * for a number a place, zeros; parcel: gets the packets' starts, if it is not NULL.  Returns the
 * steps. */
static int32_t play_ring(uint32_t nodes, int64_t *next, const int64_t *end, uint32_t *links,
                         struct parcel *parcel) {
  int64_t left = 0;
  int32_t step = 0;
  for (uint32_t place = 0; place < nodes; place++) left += (end[place] - next[place]) * (nodes - 1);
  /* links[x]: the links that a packet under way has yet to cross.  In step t the packet that a
   * place sends stands at links[(place - t) mod nodes]. */
  for (; left > 0; step++) {
    const uint32_t turned = (uint32_t)step % nodes;
    for (uint32_t place = 0; place < nodes; place++) {
      uint32_t *way = &links[place >= turned ? place - turned : place + nodes - turned];
      if (*way == 0 && next[place] < end[place]) {
        if (parcel != NULL) parcel[next[place]].start = step;
        next[place]++;
        *way = nodes - 1;
      }
      if (*way == 0) continue;
      (*way)--;
      left--;
    }
  }
  return step;
}

/* A length of packets, and the time that it takes. */
struct length {
  int64_t words;
  double time;
};

static struct length length_of(const struct hy_times *times, int64_t words, int64_t steps) {
  return (struct length){words, (double)steps * (times->beta + times->tau * (double)words)};
}

/* The steps on a ring, played; the bound if there is no memory. */
static int64_t played_steps(const struct hy_collective *c, int64_t words) {
  struct hy_base base = {0};
  const uint32_t nodes = c->network->nodes;
  int64_t *next = NULL, *end = NULL, most = hy_max(steps_in(c, words, 0), steps_in(c, words, 1));
  uint32_t *links = NULL;
  hyla_status status = hy_alloc(&base, nodes, sizeof *next, &next);
  if (status == HYLA_OK) status = hy_alloc_for(&base, next, nodes, sizeof *end, &end);
  if (status == HYLA_OK) status = hy_alloc_for(&base, next, nodes, sizeof *links, &links);
  for (int direction = 0; direction < DIRECTIONS && status == HYLA_OK; direction++) {
    for (uint32_t place = 0; place < nodes; place++) {
      next[place] = 0;
      end[place] = packets_at(c, words, direction, place);
    }
    most = hy_max(most, play_ring(nodes, next, end, links, NULL));
  }
  hy_free(&base, &next);
  return most;
}

/* Puts a length among the best, the fastest first. */
static int keep(struct length *best, int count, struct length length) {
  int at = count < TRIED ? count : TRIED;
  for (; at > 0 && length.time < best[at - 1].time; at--)
    if (at < TRIED) best[at] = best[at - 1];
  if (at < TRIED) best[at] = length;
  return count < TRIED ? count + 1 : TRIED;
}

/* The words of a packet.  Equal blocks are not cut: more packets would not end earlier.  On a ring
 * the lengths with the lowest bounds are played. */
static int64_t packet_words(const struct hy_collective *c) {
  const struct hy_times times = hy_times_of(c);
  const int64_t nodes = c->network->nodes;
  const bool ring = hy_is_ring(c->network, 0);
  struct length best[TRIED] = {{.words = 0}};
  int64_t longest = 1;
  int count = 0, fastest = 0;
  for (uint32_t node = 0; node < nodes; node++) {
    int64_t first = 0;
    longest = hy_max(longest, share_of(c, node, 0, &first));
  }
  int64_t most = hy_min(longest, HY_GROUPS_MAX);
  if (ring) most = hy_max(1, hy_min(most, PLAYED_MOST / nodes / nodes));
  if (c->groups > 0) most = hy_min(c->groups, longest);
  if (c->blocks.offsets == NULL) most = 1;
  for (int64_t g = c->groups > 0 ? most : 1, before = 0; g <= most; g++) {
    const int64_t words = hy_ceil_div(longest, g);
    if (words == before) continue;
    before = words;
    count = keep(best, count,
                 length_of(&times, words, hy_max(steps_in(c, words, 0), steps_in(c, words, 1))));
  }
  for (int i = 0; i < count && ring && count > 1; i++) {
    best[i] = length_of(&times, best[i].words, played_steps(c, best[i].words));
    if (best[i].time < best[fastest].time) fastest = i;
  }
  return best[fastest].words;
}

/* ------------------------------------------------------------- the starts -- */

/* The point, in parts, at which a block's word begins. */
static uint32_t cut(const struct line *line, int64_t word, int64_t words) {
  if (word >= words) return line->parts;
  return (uint32_t)hy_ceil_div(word * line->parts, words);
}

static void cut_parcels(const struct hy_collective *c, int64_t words, int direction,
                        struct line *line) {
  struct parcel *next = line->parcel[direction];
  for (uint32_t place = 0; place < c->network->nodes; place++) {
    const uint32_t node = node_at(c->network, direction, place);
    int64_t first = 0;
    const int64_t all = words_of(c, node), share = share_of(c, node, direction, &first);
    for (int64_t at = 0; at < share; at += words)
      *next++ = (struct parcel){.source = node,
                                .from = cut(line, first + at, all),
                                .to = cut(line, first + hy_min(share, at + words), all)};
  }
}

/* On a line.  A slot is the step less the place.  Slots that are free lie on a stack, the earliest
 * on top; below them all slots from `end' on are free. */
static hyla_status start_on_line(struct hy_base *base, struct line *line, int direction) {
  const int64_t nodes = line->network->nodes;
  struct parcel *parcel = line->parcel[direction];
  int32_t *stack = NULL;
  int64_t height = 0, end = 0, i = 0;
  TRY(hy_alloc(base, nodes, sizeof *stack, &stack));
  for (uint32_t place = 0; place < nodes; place++) {
    if (place > 0) stack[height++] = -(int32_t)place;
    for (;
         i < line->count[direction] && parcel[i].source == node_at(line->network, direction, place);
         i++) {
      const int64_t slot = height > 0 ? stack[--height] : end++;
      parcel[i].start = (int32_t)(slot + place);
      if (place + 1 < nodes) line->found.steps = (int)hy_max(line->found.steps, slot + nodes - 1);
    }
  }
  hy_free(base, &stack);
  return HYLA_OK;
}

static hyla_status start_on_ring(struct hy_base *base, struct line *line, int direction) {
  const uint32_t nodes = line->network->nodes;
  struct parcel *parcel = line->parcel[direction];
  int64_t *next = NULL, *end = NULL, i = 0;
  uint32_t *links = NULL;
  TRY(hy_alloc(base, nodes, sizeof *next, &next));
  hyla_status status = hy_alloc_for(base, next, nodes, sizeof *end, &end);
  if (status == HYLA_OK) status = hy_alloc_for(base, next, nodes, sizeof *links, &links);
  for (uint32_t place = 0; place < nodes && status == HYLA_OK; place++) {
    next[place] = i;
    while (i < line->count[direction] &&
           parcel[i].source == node_at(line->network, direction, place))
      i++;
    end[place] = i;
  }
  if (status == HYLA_OK)
    line->found.steps = (int)hy_max(line->found.steps, play_ring(nodes, next, end, links, parcel));
  hy_free(base, &next);
  return status;
}

static hyla_status fill(struct hy_base *base, const struct hy_collective *c, struct line *line) {
  const int64_t words = packet_words(c);
  int64_t longest = 1;
  line->network = c->network;
  for (uint32_t node = 0; node < c->network->nodes; node++)
    longest = hy_max(longest, words_of(c, node));
  line->parts = (uint32_t)hy_min(longest, PARTS_MOST);
  for (int direction = 0; direction < DIRECTIONS; direction++) {
    for (uint32_t place = 0; place < c->network->nodes; place++)
      line->count[direction] += packets_at(c, words, direction, place);
    TRY(hy_alloc_for(base, line, line->count[direction], sizeof(struct parcel),
                     &line->parcel[direction]));
    cut_parcels(c, words, direction, line);
    TRY((hy_is_ring(c->network, 0) ? start_on_ring : start_on_line)(base, line, direction));
  }
  return HYLA_OK;
}

static hyla_status plan(struct hy_base *base, const struct hy_collective *c, struct line **line) {
  TRY(hy_alloc(base, 1, sizeof **line, line));
  hyla_status status = fill(base, c, *line);
  if (status != HYLA_OK) hy_free(base, line);
  return status;
}

/* --------------------------------------------------------------- the row -- */

static hyla_status make(const struct hy_generator *generator, uint32_t node,
                        struct hy_schedule *out) {
  const struct line *line = generator->table;
  const int64_t nodes = line->network->nodes;
  const bool ring = hy_is_ring(line->network, 0);
  out->parts = line->parts;
  out->steps = line->found.steps;
  for (int direction = 0; direction < DIRECTIONS; direction++)
    for (int64_t i = 0; i < line->count[direction]; i++) {
      const struct parcel *parcel = &line->parcel[direction][i];
      const struct hy_piece piece = {
          .block = parcel->source, .run = 1, .from = parcel->from, .to = parcel->to};
      int64_t behind = (int64_t)node - parcel->source, room = nodes - 1 - node;
      if (direction == 1) {
        behind = -behind;
        room = node;
      }
      if (ring && behind < 0) behind += nodes;
      if (ring) room = nodes - 1 - behind;
      if (behind > 0)
        TRY(hy_schedule_add(out, (int)(parcel->start + behind - 1),
                            hy_line_across(line->network, 0, direction == 1), HY_IN, piece));
      if (behind >= 0 && room > 0)
        TRY(hy_schedule_add(out, (int)(parcel->start + behind),
                            hy_line_across(line->network, 0, direction == 0), HY_OUT, piece));
    }
  return HYLA_OK;
}

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct line *line = NULL;
  TRY(plan(recipe->base, c, &line));
  hy_recipe_keep(recipe, line);
  hy_recipe_add(recipe, c, make, line);
  return HYLA_OK;
}

/* For unequal blocks the form's words are those of the packets of all steps, whatever m is. */
static struct hy_form form(const struct hy_collective *c) {
  struct hy_base base = {0};
  struct line *line = NULL;
  const int64_t words = packet_words(c);
  if (plan(&base, c, &line) != HYLA_OK) return (struct hy_form){-1, {-1, 1}, 0, 0};
  struct hy_form form = {line->found.steps, {line->found.steps * words, 1}, 0, 1};
  if (c->blocks.offsets == NULL) form.words.den = hy_max(1, c->blocks.words);
  hy_free(&base, &line);
  return form;
}

static const char *serves(const struct hy_collective *c) {
  return c->network->axes == 1 ? NULL : "it needs a line or a ring";
}

static void letters(const struct hy_collective *c, struct hy_text *text) {
  int64_t packets = 0, words = packet_words(c);
  for (uint32_t place = 0; place < c->network->nodes; place++)
    packets += packets_at(c, words, 0, place);
  hy_text_add(text, ", p = %u, K = %lld, words of a packet = %lld", c->network->nodes,
              (long long)packets, (long long)words);
}

const struct hy_collective_variant hy_allgather_line = {
    .base = {.name = "line", .reference = "varvarigos-1992, chapter 3, theorem 2"},
    .applies = serves,
    .task = HY_TASK_ALLGATHER,
    .networks = HY_ON_MESHES,
    .formula =
        "(p-1) (tau m + beta) on a line, (p-1) (tau m / 2 + beta) on a ring; blocks of their "
        "own lengths: max of (S_j + p-2-j) packets on a line, from either end, j <= p-2, "
        "S_j = c_0 + ... + c_j > 0; at most K + p-2 packets on a ring",
    .build = build,
    .form = form,
    .letters = letters,
};
