/* All-reduce on arrays and tori for long messages: each node sums up a part of the message, then
 * all gather the sums.
 *
 * Method: the message is cut in a part for each node.  The parts go the ways of an all-gather
 * backwards, and are added where they meet; then the sums go the same ways forwards.  The
 * all-gather is that by split classes, or if the sides differ that along the axes (mesh_partial.c).
 * Reference: Varvarigos 1992, chapter 3, theorem 6, forwards and backwards; its use here is ours.
 * Steps: twice those of the all-gather, for 2 / (w d) messages at most in all; w = 2 on tori, else
 * 1.
 * Memory: the message twice. */
#include "collective/mesh.h"

/* The piece of the message that stands for a piece of the all-gather. */
static struct hy_piece piece_of(const struct hy_piece *piece, uint32_t parts) {
  return (struct hy_piece){.run = 1,
                           .from = piece->block * parts + piece->from,
                           .to = (piece->block + piece->run - 1) * parts + piece->to};
}

static hyla_status add_packets(const struct hy_schedule *gather, bool backwards,
                               struct hy_schedule *out) {
  for (int64_t i = 0; i < gather->packet_count; i++) {
    const struct hy_packet *packet = &gather->packets[i];
    const enum hy_action back = packet->action == HY_OUT ? HY_ADD : HY_OUT;
    const int step = backwards ? gather->steps - 1 - packet->step : gather->steps + packet->step;
    for (int64_t j = packet->first; j < packet->first + packet->count; j++)
      TRY(hy_schedule_add(out, step, packet->across, backwards ? back : packet->action,
                          piece_of(&gather->pieces[j], gather->parts)));
  }
  return HYLA_OK;
}

static hyla_status make(const struct hy_generator *generator, uint32_t node,
                        struct hy_schedule *out) {
  struct hy_schedule gather;
  hyla_status status = hy_generate(generator->inner, node, out->base, &gather);
  out->parts = gather.parts * generator->network->nodes;
  if (status == HYLA_OK) status = add_packets(&gather, true, out);
  if (status == HYLA_OK) status = add_packets(&gather, false, out);
  out->steps = 2 * gather.steps;
  hy_schedule_free(&gather);
  return status;
}

static enum hy_mesh_way way_of(const struct hy_collective *c) {
  return hy_mesh_is_square(c->network) ? HY_WAY_SPLIT : HY_WAY_AXES;
}

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe) {
  TRY(hy_mesh_push_allgather(c, recipe, way_of(c)));
  const struct hy_generator *gather = hy_recipe_top(recipe);
  hy_recipe_push(recipe,
                 (struct hy_generator){make, c->dims, .inner = gather, .network = c->network});
  return HYLA_OK;
}

static struct hy_form form(const struct hy_collective *c) {
  const int64_t nodes = c->network->nodes;
  const struct hy_form gather = hy_mesh_partial_form(c->network, way_of(c), nodes);
  return (struct hy_form){2 * gather.steps,
                          {2 * gather.words.num, gather.words.den * nodes},
                          0,
                          gather.divisor * nodes};
}

const struct hy_collective_variant hy_allreduce_halves = {
    .base = {.name = "halves", .reference = "varvarigos-1992, chapter 3, theorem 6 (twice)"},
    .task = HY_TASK_ALLREDUCE,
    .networks = HY_ON_MESHES,
    .formula =
        "2 (N-1) (tau m / (w d N) + beta), equal sides; 2 R (tau m / N + beta), other sides, "
        "R = steps of allgather axes",
    .build = build,
    .form = form,
    .letters = hy_mesh_letters,
};
