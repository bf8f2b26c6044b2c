/* Several banded matrices at once: their columns exchanged for their rows, and the broadcast of one
 * block a column within each matrix' band.
 *
 * Column c of matrix j lies on hy_banded_node(c), its number rotated left by j b: so the parts of
 * d / b matrices that stay in a cube of b dimensions use different dimensions each, while what goes
 * round a ring may want links of any.
 *   variant                   method
 *   band-exchange matched     shortest paths, links matched step by step (matching.h)
 *   band-exchange negotiated  shortest paths, links negotiated for all steps at once (negotiate.c)
 *   band-broadcast wanted     in each step every node gets over each link a block that it wants and
 *                             the neighbour has, as many as can be, those that fewest have first
 * Reference: Varvarigos 1992, 2.7 and its remark 2.
 * Steps: counted.  The paper's 2^(b+1) + 1 for d / b exchanges takes the rings' parts to meet no
 * link more than 2^b + 1 times, which does not hold; negotiated paths take no more for b > 1, and
 * for b = 1 and d > 5 none can (doc/theory.md).  Nor does ceil((2^(b+1) + 1)/b) + 1 hold for
 * broadcasts, of more than two matrices (doc/formulas.md has both figures).
 * Every transmission of a broadcast brings a block to a node that wants it: the nodes that want
 * one are connected.  All ports.  Memory: in place; exchanges: blocks for what passes through.
 * Restriction: 0 <= b < d, messages of equal length; negotiated: not so many that it takes too
 * long.
 */
#include "collective/matching.h"

static const char *serves(const void *problem) {
  const struct hy_collective *collective = problem;
  bool band = 1 <= collective->band && collective->band <= collective->dims;
  if (!band && collective->dims > 0) return "it exchanges within a band of columns";
  return collective->blocks.offsets != NULL ? "the exchange wants blocks of equal length" : NULL;
}

/* Columns within the band of one matrix, its own too. */
static int64_t width_of(const struct hy_collective *c) {
  if (c->dims == 0) return 1;
  return hy_min(INT64_C(1) << c->dims, (INT64_C(2) << (c->band - 1)) + 1);
}

/* Both count what they take; without memory for that there is no form. */
static struct hy_form form_of(int64_t steps, int64_t packets) {
  return (struct hy_form){steps, {steps, 1}, packets, steps < 0 ? 0 : 1};
}

/* ------------------------------------------------------------- exchange -- */

/* How messages find their links. */
typedef hyla_status create_matching(struct hy_base *base, int dims, uint32_t blocks,
                                    const struct hy_letter *letters, int64_t count,
                                    struct hy_matching **matching);

static hyla_status match_steps(struct hy_base *base, int dims, uint32_t blocks,
                               const struct hy_letter *letters, int64_t count,
                               struct hy_matching **matching) {
  return hy_matching_create(base, dims, blocks, letters, count, NULL, matching);
}

static hyla_status match_all(struct hy_base *base, const struct hy_collective *c,
                             create_matching *create, struct hy_matching **matching) {
  const uint32_t nodes = 1u << c->dims;
  struct hy_letter *letters = NULL;
  int64_t count = 0;
  TRY(hy_alloc(base, width_of(c) * nodes * c->matrices, sizeof *letters, &letters));
  for (int j = 0; j < c->matrices; j++)
    for (uint32_t x = 0; x < nodes; x++)
      for (uint32_t y = 0; y < nodes; y++)
        if (hy_partners_of(c, j, x, y))
          letters[count++] =
              (struct hy_letter){x, y, (uint32_t)j * nodes + y, (uint32_t)j * nodes + x};
  hyla_status status = create(base, c->dims, hy_collective_count(c), letters, count, matching);
  hy_free(base, &letters);
  return status;
}

static hyla_status build_by(const struct hy_collective *c, struct hy_recipe *recipe,
                            create_matching *create) {
  struct hy_matching *matching = NULL;
  hyla_status status = match_all(recipe->base, c, create, &matching);
  recipe->tables[0] = matching;
  TRY(status);
  hy_recipe_push(recipe, (struct hy_generator){hy_matching_schedule, c->dims, .numbered = true,
                                               .table = matching});
  return HYLA_OK;
}

static struct hy_form form_by(const struct hy_collective *c, create_matching *create) {
  struct hy_base base = {0};
  struct hy_matching *matching = NULL;
  int64_t steps = match_all(&base, c, create, &matching) == HYLA_OK ? matching->steps : -1;
  hy_free(&base, &matching);
  return form_of(steps, 0);
}

static hyla_status build_matched(const struct hy_collective *c, struct hy_recipe *recipe) {
  return build_by(c, recipe, match_steps);
}

static struct hy_form form_matched(const struct hy_collective *c) {
  return form_by(c, match_steps);
}

static hyla_status build_negotiated(const struct hy_collective *c, struct hy_recipe *recipe) {
  return build_by(c, recipe, hy_matching_negotiate);
}

static struct hy_form form_negotiated(const struct hy_collective *c) {
  return form_by(c, hy_matching_negotiate);
}

/* Each message goes through all steps of all ways over its b + 1 dimensions; about 2^(b+1) each. */
static const char *serves_few(const void *problem) {
  const struct hy_collective *c = problem;
  const char *reason = serves(problem);
  if (reason != NULL || c->dims == 0) return reason;
  const int64_t messages = (width_of(c) << c->dims) * c->matrices, most = INT64_C(1) << 25;
  return c->band > 6 || messages > most >> (2 * c->band)
             ? "its messages are too many to negotiate about"
             : NULL;
}

/* ------------------------------------------------------------ broadcast -- */

/* A block that comes to a node. */
struct coming {
  uint32_t node, across, block;
  int step;
};

struct comings {
  int steps;
  int64_t count;
  struct coming coming[];
};

struct spreading {
  const struct hy_collective *c;
  uint32_t nodes, blocks;
  int64_t width;     /* blocks that a node may want */
  int64_t missing;   /* that nodes want and have not got */
  uint8_t *held;     /* [node][block] */
  uint32_t *wanted;  /* [node][width]: blocks; */
  int64_t *wants;    /* [node]: how many */
  uint32_t *holders; /* [block] */
  struct comings *out;
};

/* A node's matching of its links and the blocks that it wants. */
struct links {
  const struct spreading *s;
  uint32_t node;
  int64_t block[HYLA_DIMS_MAX]; /* the index in wanted; -1: none */
};

static bool is_there(const struct links *links, int64_t i, int dim) {
  const struct spreading *s = links->s;
  uint32_t block = s->wanted[links->node * s->width + i];
  return s->held[(int64_t)(links->node ^ 1u << dim) * s->blocks + block] != 0;
}

static bool match(struct links *links, int64_t i, uint32_t *seen) {
  for (int dim = 0; dim < links->s->c->dims; dim++) {
    if ((*seen >> dim & 1u) != 0 || !is_there(links, i, dim)) continue;
    *seen |= 1u << dim;
    if (links->block[dim] >= 0 && !match(links, links->block[dim], seen)) continue;
    links->block[dim] = i;
    return true;
  }
  return false;
}

/* Those that fewest nodes have come first. */
static void sort_wanted(const struct spreading *s, uint32_t node) {
  uint32_t *wanted = &s->wanted[node * s->width];
  for (int64_t i = 1; i < s->wants[node]; i++) {
    uint32_t block = wanted[i];
    int64_t at = i;
    for (; at > 0 && s->holders[wanted[at - 1]] > s->holders[block]; at--)
      wanted[at] = wanted[at - 1];
    wanted[at] = block;
  }
}

static void get_at(struct spreading *s, uint32_t node, int step) {
  struct links links = {.s = s, .node = node};
  int matched = 0;
  sort_wanted(s, node);
  for (int dim = 0; dim < s->c->dims; dim++) links.block[dim] = -1;
  for (int64_t i = 0; i < s->wants[node] && matched < s->c->dims; i++) {
    uint32_t seen = 0;
    matched += match(&links, i, &seen);
  }
  for (int dim = 0; dim < s->c->dims; dim++)
    if (links.block[dim] >= 0)
      s->out->coming[s->out->count++] =
          (struct coming){node, 1u << dim, s->wanted[node * s->width + links.block[dim]], step};
}

/* What came is there in the next step. */
static void settle(struct spreading *s, int64_t first) {
  for (int64_t i = first; i < s->out->count; i++) {
    const struct coming *coming = &s->out->coming[i];
    uint32_t *wanted = &s->wanted[coming->node * s->width];
    int64_t at = 0;
    while (wanted[at] != coming->block) at++;
    wanted[at] = wanted[--s->wants[coming->node]];
    s->held[(int64_t)coming->node * s->blocks + coming->block] = 1;
    s->holders[coming->block]++;
    s->missing--;
  }
}

static void list_wanted(struct spreading *s) {
  for (int j = 0; j < s->c->matrices; j++)
    for (uint32_t x = 0; x < s->nodes; x++) {
      const uint32_t first = (uint32_t)j * s->nodes;
      s->held[(int64_t)x * s->blocks + first + x] = 1;
      s->holders[first + x] = 1;
      for (uint32_t y = 0; y < s->nodes; y++) {
        if (x == y || !hy_partners_of(s->c, j, x, y)) continue;
        s->wanted[x * s->width + s->wants[x]++] = first + y;
        s->missing++;
      }
    }
}

static hyla_status take(struct hy_base *base, struct spreading *s) {
  const int64_t nodes = s->nodes;
  TRY(hy_alloc(base, nodes * s->blocks, sizeof *s->held, &s->held));
  TRY(hy_alloc(base, nodes * s->width, sizeof *s->wanted, &s->wanted));
  TRY(hy_alloc(base, nodes, sizeof *s->wants, &s->wants));
  TRY(hy_alloc(base, s->blocks, sizeof *s->holders, &s->holders));
  return hy_alloc(base, (int64_t)sizeof *s->out + nodes * s->width * (int64_t)sizeof(struct coming),
                  1, &s->out);
}

static hyla_status spread_all(struct hy_base *base, const struct hy_collective *c,
                              struct comings **out) {
  const uint32_t nodes = 1u << c->dims;
  struct spreading s = {
      .c = c, .nodes = nodes, .blocks = hy_collective_count(c), .width = width_of(c) * c->matrices};
  hyla_status status = take(base, &s);
  if (status == HYLA_OK) list_wanted(&s);
  while (status == HYLA_OK && s.missing > 0) {
    int64_t first = s.out->count;
    for (uint32_t node = 0; node < nodes; node++) get_at(&s, node, s.out->steps);
    settle(&s, first);
    s.out->steps++;
  }
  hy_free(base, &s.held);
  hy_free(base, &s.wanted);
  hy_free(base, &s.wants);
  hy_free(base, &s.holders);
  *out = s.out;
  return status;
}

static hyla_status make_broadcast(const struct hy_generator *generator, uint32_t node,
                                  struct hy_schedule *out) {
  const struct comings *comings = generator->table;
  out->steps = comings->steps;
  for (int64_t i = 0; i < comings->count; i++) {
    const struct coming *coming = &comings->coming[i];
    const struct hy_piece piece = {.block = coming->block, .run = 1, .from = 0, .to = 1};
    bool gets = coming->node == node, gives = (coming->node ^ coming->across) == node;
    if (gets || gives)
      TRY(hy_schedule_add(out, coming->step, coming->across, gets ? HY_IN : HY_OUT, piece));
  }
  return HYLA_OK;
}

static hyla_status build_broadcast(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct comings *comings = NULL;
  hyla_status status = spread_all(recipe->base, c, &comings);
  recipe->tables[0] = comings;
  TRY(status);
  hy_recipe_push(
      recipe, (struct hy_generator){make_broadcast, c->dims, .numbered = true, .table = comings});
  return HYLA_OK;
}

static struct hy_form form_broadcast(const struct hy_collective *c) {
  struct hy_base base = {0};
  struct comings *comings = NULL;
  bool there = spread_all(&base, c, &comings) == HYLA_OK;
  struct hy_form form = there ? form_of(comings->steps, comings->count) : form_of(-1, 0);
  hy_free(&base, &comings);
  return form;
}

const struct hy_collective_variant hy_band_exchange_matched = {
    .row = {.name = "matched", .reference = "varvarigos-1992, section 2.7", .applies = serves},
    .task = HY_TASK_BAND_EXCHANGE,
    .banded = true,
    .common = true,
    .build = build_matched,
    .form = form_matched,
};

const struct hy_collective_variant hy_band_exchange_negotiated = {
    .row = {.name = "negotiated",
            .reference = "varvarigos-1992, section 2.7",
            .applies = serves_few},
    .task = HY_TASK_BAND_EXCHANGE,
    .banded = true,
    .common = true,
    .build = build_negotiated,
    .form = form_negotiated,
};

const struct hy_collective_variant hy_band_broadcast_wanted = {
    .row = {.name = "wanted", .reference = "varvarigos-1992, section 2.7", .applies = serves},
    .task = HY_TASK_BAND_BROADCAST,
    .banded = true,
    .common = true,
    .build = build_broadcast,
    .form = form_broadcast,
};
