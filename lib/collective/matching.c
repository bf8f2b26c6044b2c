/* Whole messages on shortest paths, matched to links or as negotiated: see papers.h.
 *
 * A message waits in a block of its own behind the task's blocks.  At its target it takes its place
 * at once, unless a message that has yet to leave stands there; then it does so in the last step.
 * Messages: as many transmissions as the sum of the distances.
 * Work: one search for a link for each waiting message, over all steps. */
#include "collective/papers.h"

enum { HEADS = 2 }; /* entries of a node that come before its transfers */

/* A message under way. */
struct way {
  int64_t next; /* the next message in its queue; -1: it is the last */
  uint32_t at;
  uint32_t left; /* dimensions that it still has to cross */
  uint32_t block;
  int64_t crossing; /* its next crossing, if crossings are given */
};

/* A free block in a node's list. */
struct free_block {
  int64_t next;
  uint32_t block;
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
  int64_t *queues;  /* [node][weight of left][first and last message] */
  uint8_t *taken;   /* [node][block]: holds a message that has yet to leave */
  uint32_t *passes; /* [node]: blocks behind the task's that were ever used */
  int64_t *free;    /* [node]: the block freed last; -1: none */
  struct free_block *freed;
  int64_t freed_count;
  struct move *moves; /* moves of this step */
  int64_t move_count;
  int64_t under_way;
  struct hy_matching *out;
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

static void record(struct matcher *m, uint32_t node, int step, uint32_t across,
                   enum hy_action action, uint32_t block) {
  struct hy_matching *out = m->out;
  struct hy_transfer *head = &out->transfer[HEADS * (int64_t)node];
  int64_t own = out->count++;
  out->transfer[own] = (struct hy_transfer){-1, across, block, step, action};
  if (head[0].next < 0)
    head[0].next = own;
  else
    out->transfer[head[1].next].next = own;
  head[1].next = own;
}

/* A block behind the task's, for a message that passes through the node. */
static uint32_t take_block(struct matcher *m, uint32_t node) {
  int64_t free = m->free[node];
  if (free < 0) {
    m->out->scratch = (uint32_t)hy_max(m->out->scratch, m->passes[node] + 1);
    return m->blocks + m->passes[node]++;
  }
  m->free[node] = m->freed[free].next;
  return m->freed[free].block;
}

static void give_block(struct matcher *m, uint32_t node, uint32_t block) {
  if (block < m->blocks) {
    m->taken[(int64_t)node * m->blocks + block] = 0;
    return;
  }
  m->freed[m->freed_count] = (struct free_block){m->free[node], block};
  m->free[node] = m->freed_count++;
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
  record(m, way->at, step, across, HY_OUT, way->block);
  give_block(m, way->at, way->block);
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
  uint32_t to = m->block_moves[move->message].to;
  bool place = way->left == 0 && m->taken[(int64_t)way->at * m->blocks + to] == 0;
  way->block = place ? to : take_block(m, way->at);
  record(m, way->at, step, move->across, HY_IN, way->block);
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
  m->out->found.steps = step;
  for (int out = 1; out >= 0; out--)
    for (int64_t i = 0; i < m->count; i++) {
      const struct way *way = &m->ways[i];
      if (way->block == m->block_moves[i].to ||
          m->block_moves[i].source == m->block_moves[i].target)
        continue;
      record(m, way->at, step - 1, 0, out ? HY_OUT : HY_IN,
             out ? way->block : m->block_moves[i].to);
    }
}

/* `ways' owns the rest but the result. */
static hyla_status allocate(struct matcher *m, int64_t hops) {
  const int64_t nodes = m->nodes, heads = HEADS * nodes;
  TRY(hy_alloc(m->base, m->count, sizeof *m->ways, &m->ways));
  TRY(hy_alloc_for(m->base, m->ways, 2 * nodes * (m->dims + 1), sizeof *m->queues, &m->queues));
  TRY(hy_alloc_for(m->base, m->ways, nodes * m->blocks, sizeof *m->taken, &m->taken));
  TRY(hy_alloc_for(m->base, m->ways, nodes, sizeof *m->passes, &m->passes));
  TRY(hy_alloc_for(m->base, m->ways, nodes, sizeof *m->free, &m->free));
  TRY(hy_alloc_for(m->base, m->ways, hops, sizeof *m->freed, &m->freed));
  TRY(hy_alloc_for(m->base, m->ways, nodes * m->dims, sizeof *m->moves, &m->moves));
  const int64_t transfers = heads + 2 * hops + 2 * m->count;
  TRY(hy_alloc(m->base, (int64_t)sizeof *m->out + transfers * (int64_t)sizeof(struct hy_transfer),
               1, &m->out));
  m->out->count = heads;
  for (int64_t i = 0; i < heads; i++) m->out->transfer[i].next = -1;
  for (int64_t i = 0; i < 2 * nodes * (m->dims + 1); i++) m->queues[i] = -1;
  for (int64_t i = 0; i < nodes; i++) m->free[i] = -1;
  return HYLA_OK;
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
    m->taken[(int64_t)move->source * m->blocks + move->from] = 1;
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
  *matching = m.out;
  return status;
}

hyla_status hy_matching_schedule(const struct hy_generator *generator, uint32_t node,
                                 struct hy_schedule *out) {
  const struct hy_matching *matching = generator->table;
  const struct hy_transfer *all = matching->transfer;
  out->steps = matching->found.steps;
  out->scratch = matching->scratch;
  for (int64_t i = all[HEADS * (int64_t)node].next; i >= 0; i = all[i].next) {
    struct hy_piece piece = {.block = all[i].block, .run = 1, .from = 0, .to = 1};
    TRY(hy_schedule_add(out, all[i].step, all[i].across, all[i].action, piece));
  }
  return HYLA_OK;
}
