/* One node sends to another one over all paths that have no other node in common, except those with
 * a lost link.
 *
 *   variant  steps        words                  method
 *   paths    g + l - 1    (g + l - 1) m / (p g)  an equal part over each of the p paths, in g
 *                                                packets one behind the other
 * with l the links of the longest of these paths.  Among the d paths to a node at distance n, n
 * have n links and d - n have n + 2.  A lost link lies on one of them at most, so the message
 * arrives unless d links are lost.
 * Reference: Johnsson 1987, section 2, for the paths.
 * All ports.  Any length.
 * Memory: the message, on every node; twice as much if the receiver sends back.
 * Restriction: all nodes know the lost links; some path has none. */
#include "collective/papers.h"

/* A message's ways: of the paths from 0 to target the `count' paths[...], each without lost links.
 */
struct ways {
  uint32_t target;
  int count, longest, messages;
  uint8_t paths[HYLA_DIMS_MAX];
};

static bool is_lost(const struct hy_collective *c, uint32_t node, uint32_t bit) {
  for (int i = 0; i < c->lost_count; i++)
    if (c->lost[i].across == bit && ((node ^ c->lost[i].node) & ~bit) == 0) return true;
  return false;
}

static bool is_whole(const struct hy_collective *c, const uint8_t *over, int length) {
  uint32_t place = hy_send_root(c);
  for (int i = 0; i < length; place ^= 1u << over[i++])
    if (is_lost(c, place, 1u << over[i])) return false;
  return true;
}

static struct ways ways_of(const struct hy_collective *c) {
  uint8_t over[HY_PATH_MOST];
  struct ways ways = {.target = hy_send_target(c), .messages = hy_send_messages(c)};
  for (int path = 0; path < c->dims && ways.target != 0; path++) {
    int length = hy_disjoint_path(c->dims, ways.target, path, over);
    if (!is_whole(c, over, length)) continue;
    ways.paths[ways.count++] = (uint8_t)path;
    ways.longest = length; /* the shortest come first */
  }
  return ways;
}

static const char *applies(const struct hy_collective *c) {
  const char *reason = hy_send_applies(c);
  if (reason != NULL || hy_send_target(c) == 0) return reason;
  return ways_of(c).count == 0 ? "a link of each of the d paths to the receiver is lost" : NULL;
}

static int groups_of(const struct hy_collective *c, const struct ways *ways) {
  const struct hy_stage stage = {
      .each = 1, .once = hy_max(0, ways->longest - 1), .parts = hy_max(1, ways->count)};
  return hy_best_groups(c, c->blocks.words, &stage, 1);
}

/* One packet over a path from 0 to the target, or back over the same links. */
static hyla_status add_way(const struct ways *ways, const uint8_t *over, int length, bool back,
                           uint32_t node, struct hy_piece piece, struct hy_schedule *out) {
  uint32_t place = back ? ways->target : 0;
  for (int step = 0; step < length; step++) {
    const uint32_t bit = 1u << over[back ? length - 1 - step : step];
    for (int action = HY_OUT; action <= HY_IN; action++) {
      if (place == node) TRY(hy_schedule_add(out, step, bit, (enum hy_action)action, piece));
      if (action == HY_OUT) place ^= bit;
    }
  }
  return HYLA_OK;
}

/* One packet over each path.  The receiver's own, if it sends back, pass through scratch. */
static hyla_status make(const struct hy_generator *generator, uint32_t node,
                        struct hy_schedule *out) {
  const struct ways *ways = generator->table;
  const bool ends = node == 0 || node == ways->target;
  uint8_t over[HY_PATH_MOST];
  out->parts = (uint32_t)hy_max(1, ways->count);
  out->steps = ways->longest;
  out->scratch = ways->messages > 1;
  for (int i = 0; i < ways->count; i++) {
    int length = hy_disjoint_path(generator->dims, ways->target, ways->paths[i], over);
    for (int back = 0; back < ways->messages; back++) {
      const struct hy_piece piece = {
          .block = back && !ends, .run = 1, .from = (uint32_t)i, .to = (uint32_t)i + 1};
      TRY(add_way(ways, over, length, back, node, piece, out));
    }
  }
  return HYLA_OK;
}

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct ways *ways = NULL;
  TRY(hy_recipe_table(recipe, 1, sizeof *ways, &ways));
  *ways = ways_of(c);
  const struct hy_generator *once = hy_recipe_add(recipe, c, make, ways);
  hy_recipe_push(recipe, hy_pipeline(once, groups_of(c, ways), NULL));
  return HYLA_OK;
}

static struct hy_form form(const struct hy_collective *c) {
  const struct ways ways = ways_of(c);
  if (ways.count == 0) return (struct hy_form){0, {0, 1}, 0, 1};
  const int64_t g = groups_of(c, &ways), steps = g + ways.longest - 1;
  uint8_t over[HY_PATH_MOST];
  int64_t links = 0;
  for (int i = 0; i < ways.count; i++)
    links += hy_disjoint_path(c->dims, ways.target, ways.paths[i], over);
  return (struct hy_form){
      steps, {steps, ways.count * g}, g * links * hy_send_messages(c), ways.count * g};
}

static void letters(const struct hy_collective *c, struct hy_text *text) {
  const struct ways ways = ways_of(c);
  hy_text_add(text, ", g = %d, l = %d, p = %d", groups_of(c, &ways), ways.longest, ways.count);
}

const struct hy_collective_variant hy_permute_paths = {
    .base = {.name = "paths", .reference = "johnsson-1987, section 2"},
    .applies = applies,
    .task = HY_TASK_PERMUTE,
    .formula = "(g+l-1)(tau m / (p g) + beta)",
    .detours = true,
    .root = hy_send_root,
    .build = build,
    .form = form,
    .letters = letters,
};
