/* Whole messages on shortest paths, matched to links or as negotiated: see papers.h.
 *
 * A message waits in a block of its own behind the task's blocks.  At its target it takes its place
 * at once, unless a message that has yet to leave stands there; then it does so in the last step.
 * Messages: as many transmissions as the sum of the distances.
 * Work: one search for a link for each waiting message, over all steps. */
#include "collective/papers.h"

/* A message under way. */
struct way {
  int64_t next; /* the next message in its queue; -1: it is the last */
  uint32_t at;
  uint32_t left; /* dimensions that it still has to cross */
  uint32_t block;
  int64_t crossing; /* its next crossing, if crossings are given */
};

/* A message that crosses a dimension in this step. */
struct move {
  int64_t message;
  uint32_t across;
};

struct matcher {
  struct hy_base *base;
  int dims;
  uint32_t nodes, blocks;
  const struct hy_block_move *block_moves;
  int64_t count;
  const struct hy_link_use *crossings; /* NULL: links are matched */
  struct way *ways;
  int64_t *queues; /* [node][weight of left][first and last message] */
  struct hy_rooms rooms;
  struct move *moves; /* moves of this step */
  int64_t move_count;
  int64_t under_way;
};

static int64_t *queue_of(const struct matcher *m, uint32_t node, int weight) {
  return &m->queues[2 * ((int64_t)node * (m->dims + 1) + weight)];
}

static void wait_at(struct matcher *m, int64_t i) {
  if (m->crossings != NULL) return;
  int64_t *queue = queue_of(m, m->ways[i].at, hy_popcount(m->ways[i].left));
  m->ways[i].next = -1;
  if (queue[0] < 0)
    queue[0] = i;
  else
    m->ways[queue[1]].next = i;
  queue[1] = i;
}

static uint32_t left_of(const void *arg, int64_t i) {
  const struct matcher *m = arg;
  return m->ways[i].left;
}

static void leave(struct matcher *m, uint32_t node, int weight, const struct hy_links *links) {
  int64_t *queue = queue_of(m, node, weight), last = -1;
  for (int64_t i = queue[0], next; i >= 0; i = next) {
    bool goes = false;
    next = m->ways[i].next;
    for (uint32_t left = m->ways[i].left; left != 0 && !goes; left &= left - 1)
      goes = links->carried[hy_lowest(left)] == i + 1;
    if (!goes) {
      last = i;
      continue;
    }
    if (last < 0)
      queue[0] = next;
    else
      m->ways[last].next = next;
  }
  queue[1] = last;
}

static void cross(struct matcher *m, int64_t i, int step, uint32_t across) {
  struct way *way = &m->ways[i];
  hy_rooms_leave(&m->rooms, way->at, step, across, way->block);
  way->left ^= across;
  way->at ^= across;
  m->moves[m->move_count++] = (struct move){i, across};
}

static void send_matched(struct matcher *m, uint32_t node, int step) {
  struct hy_links links = {.links = left_of, .arg = m};
  int matched = 0;
  for (int weight = m->dims; weight > 0; weight--)
    for (int64_t i = queue_of(m, node, weight)[0]; i >= 0 && matched < m->dims; i = m->ways[i].next)
      matched += hy_links_carry(&links, i);
  for (int weight = m->dims; weight > 0 && matched > 0; weight--) leave(m, node, weight, &links);
  for (int j = 0; j < m->dims; j++)
    if (links.carried[j] > 0) cross(m, links.carried[j] - 1, step, 1u << j);
}

static void send_given(struct matcher *m, int step) {
  for (int64_t i = 0; i < m->count; i++) {
    struct way *way = &m->ways[i];
    if (way->left == 0 || m->crossings[way->crossing].step != step) continue;
    cross(m, i, step, m->crossings[way->crossing++].across);
  }
}

static void arrive(struct matcher *m, const struct move *move, int step) {
  struct way *way = &m->ways[move->message];
  const uint32_t to = m->block_moves[move->message].to;
  way->block = hy_rooms_enter(&m->rooms, way->at, step, move->across, way->left == 0, to);
  if (way->left != 0)
    wait_at(m, move->message);
  else
    m->under_way--;
}

static void run_steps(struct matcher *m) {
  int step = 0;
  for (; m->under_way > 0; step++) {
    m->move_count = 0;
    if (m->crossings != NULL) send_given(m, step);
    for (uint32_t node = 0; node < m->nodes && m->crossings == NULL; node++)
      send_matched(m, node, step);
    for (int64_t i = 0; i < m->move_count; i++) arrive(m, &m->moves[i], step);
  }
  m->rooms.out->found.steps = step;
  for (int out = 1; out >= 0; out--)
    for (int64_t i = 0; i < m->count; i++)
      if (m->block_moves[i].source != m->block_moves[i].target)
        hy_rooms_settle(&m->rooms, m->ways[i].at, out == 1, m->ways[i].block, m->block_moves[i].to);
}

/* `ways' owns the rest but the result. */
static hyla_status allocate(struct matcher *m, int64_t hops) {
  const int64_t nodes = m->nodes;
  TRY(hy_alloc(m->base, m->count, sizeof *m->ways, &m->ways));
  TRY(hy_alloc_for(m->base, m->ways, 2 * nodes * (m->dims + 1), sizeof *m->queues, &m->queues));
  TRY(hy_alloc_for(m->base, m->ways, nodes * m->dims, sizeof *m->moves, &m->moves));
  for (int64_t i = 0; i < 2 * nodes * (m->dims + 1); i++) m->queues[i] = -1;
  return hy_rooms_create(m->base, m->ways, m->nodes, m->blocks, m->count, hops, &m->rooms);
}

static void begin(struct matcher *m) {
  int64_t crossing = 0;
  for (int64_t i = 0; i < m->count; i++) {
    const struct hy_block_move *move = &m->block_moves[i];
    uint32_t tag = move->source ^ move->target;
    m->ways[i] =
        (struct way){.at = move->source, .left = tag, .block = move->from, .crossing = crossing};
    crossing += hy_popcount(tag);
    if (tag == 0) continue;
    hy_rooms_fill(&m->rooms, move->source, move->from);
    m->under_way++;
    wait_at(m, i);
  }
}

hyla_status hy_matching_create(struct hy_base *base, int dims, uint32_t blocks,
                               const struct hy_block_move *block_moves, int64_t count,
                               const struct hy_link_use *crossings, struct hy_matching **matching) {
  struct matcher m = {.base = base,
                      .dims = dims,
                      .nodes = 1u << dims,
                      .blocks = blocks,
                      .block_moves = block_moves,
                      .count = count,
                      .crossings = crossings};
  int64_t hops = 0;
  for (int64_t i = 0; i < count; i++)
    hops += hy_popcount(block_moves[i].source ^ block_moves[i].target);
  hyla_status status = allocate(&m, hops);
  if (status == HYLA_OK) {
    begin(&m);
    run_steps(&m);
  }
  hy_free(base, &m.ways);
  *matching = m.rooms.out;
  return status;
}
