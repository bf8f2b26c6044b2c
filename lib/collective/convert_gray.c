/* Gray code to binary code and back: node G(i) sends its words to node i, or node i to node G(i).
 *
 * Method: the highest bits of G(i) and i are the same.  Below it, one dimension after the other is
 * crossed by the words whose bit differs there.  After each dimension every node holds the words of
 * one node again.  So a dimension's links carry one packet a step, however many packets follow each
 * other, and each packet follows the one before one step behind.
 * 4 nodes, G = 0 1 3 2: the words of nodes 2 and 3 cross dimension 0; no others move.
 * Reference: Johnsson 1987, lemma 3.4, corollaries 3.3 and 3.4.
 * Steps: g + d - 2 of m / g words.  With g = m, words that travel one by one, this is the count of
 * corollary 3.4; for one word it is d - 1.  All ports.
 * Memory: in place, and one block for packets on their way.
 * Restriction: none; exact when g divides m. */
#include "collective/papers.h"

static uint32_t to_binary(int dims, uint32_t node) {
  (void)dims;
  return hy_gray_inverse(node);
}

static bool maps(const struct hy_collective *c, uint32_t (*map)(uint32_t)) {
  for (uint32_t node = 0; node >> c->dims == 0; node++)
    if (c->to == NULL || c->to[node] != (int32_t)map(node)) return false;
  return true;
}

static const char *applies(const struct hy_collective *c) {
  if (maps(c, hy_gray_inverse) || maps(c, hy_gray)) return NULL;
  return "it sends from node G(i) to node i or back only";
}

static int path(const struct hy_routing *routing, uint32_t differ, int part, struct hy_leg *legs) {
  int count = 0;
  for (int i = routing->dims - 2, step = part; i >= 0; i--, step++)
    if (differ >> i & 1u) legs[count++] = (struct hy_leg){step, 1u << i};
  return count;
}

static int path_to_binary(const struct hy_routing *routing, uint32_t source, int part,
                          struct hy_leg *legs) {
  return path(routing, source ^ hy_gray_inverse(source), part, legs);
}

static int path_to_gray(const struct hy_routing *routing, uint32_t source, int part,
                        struct hy_leg *legs) {
  return path(routing, source ^ hy_gray(source), part, legs);
}

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe) {
  const int d = c->dims, g = hy_best_packets(c, d - 1);
  struct hy_routing routing = {.parts = g,
                               .direct = true,
                               .shapes = 1,
                               .steps = d > 1 ? g + d - 2 : 0,
                               .path = maps(c, hy_gray) ? path_to_gray : path_to_binary};
  return hy_push_routing(c, recipe, routing);
}

/* Half of the nodes cross each dimension except the highest one. */
static struct hy_form form(const struct hy_collective *c) {
  const int64_t d = c->dims, g = hy_best_packets(c, d - 1);
  return hy_form_packets(g, hy_max(0, d - 1), g * hy_max(0, d - 1) << d >> 1);
}

const struct hy_collective_variant hy_permute_gray = {
    .base = {.name = "gray", .reference = "johnsson-1987, corollary 3.4"},
    .applies = applies,
    .task = HY_TASK_PERMUTE,
    .formula = "(g + d - 2)(tau m / g + beta), d > 1",
    .ragged = true,
    .sends = to_binary,
    .build = build,
    .form = form,
};
