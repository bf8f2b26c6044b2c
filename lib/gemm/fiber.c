/* Fiber groups: blocks gathered from their shares.  See fiber.h.
 *
 * The bits of a part number are taken one by one.  An all-gather joins the shares of two nodes that
 * differ in bit 0, then bit 1, ...; an addition splits by the highest bit first.  Bit t of the part
 * number is the address bit axis.dim[t].  This holds in Gray code too, because there the nodes that
 * agree in all higher bits hold the same stretch of parts. */
#include "gemm/fiber.h"

struct hy_fiber hy_fiber_make(const struct hy_axis *axis, int bits, int node) {
  int own = hy_part_of(axis, node) & ((1 << bits) - 1);
  return (struct hy_fiber){.axis = axis, .bits = bits, .node = node, .own = own};
}

struct hy_fiber hy_fiber_stack(const struct hy_axis *axis, int low, int bits, int node) {
  int own = hy_part_of(axis, node) >> low & ((1 << bits) - 1);
  return (struct hy_fiber){
      .axis = axis, .low = low, .bits = bits, .node = node, .own = own, .stacked = true};
}

int hy_fiber_part(const struct hy_fiber *fiber, int member) {
  return hy_part_of(fiber->axis, fiber->node) + (member - fiber->own) * (1 << fiber->low);
}

int64_t hy_fiber_total(const struct hy_fiber *fiber) {
  return hy_fiber_before(fiber, fiber->axis->n, 1 << fiber->bits);
}

int64_t hy_fiber_from(const struct hy_fiber *fiber, int64_t round) {
  int64_t part = hy_part_of(fiber->axis, fiber->node) - fiber->own;
  return hy_min(fiber->axis->n, (round * fiber->axis->parts + part) * fiber->axis->block);
}

int64_t hy_fiber_length(const struct hy_fiber *fiber, int64_t round) {
  int64_t all = fiber->axis->block << fiber->bits;
  return hy_min(fiber->axis->n - hy_fiber_from(fiber, round), all);
}

int64_t hy_fiber_before(const struct hy_fiber *fiber, int64_t length, int member) {
  if (!fiber->stacked) {
    int64_t at = hy_min(length, member * fiber->axis->block);
    if (!fiber->limited) return at;
    const struct hy_reach *limits = &fiber->limits;
    return hy_max(limits->from, hy_min(limits->from + limits->count, at));
  }
  int64_t held = 0;
  for (int x = 0; x < member; x++) held += hy_held(fiber->axis, hy_fiber_part(fiber, x));
  return held;
}

struct hy_fiber_halves hy_fiber_halves_at(const struct hy_fiber *fiber, int step, int64_t length) {
  int run = 1 << step, first = fiber->own & -run, other = first ^ run;
  int64_t mine = hy_fiber_before(fiber, length, first);
  int64_t theirs = hy_fiber_before(fiber, length, other);
  return (struct hy_fiber_halves){fiber->node ^ 1 << fiber->axis->code.dim[fiber->low + step], mine,
                                  hy_fiber_before(fiber, length, first + run) - mine, theirs,
                                  hy_fiber_before(fiber, length, other + run) - theirs};
}

hyla_status hy_fiber_group_allocate(void *owner, hyla_cube *cube, const struct hy_fiber *fiber,
                                    enum hy_task task, int64_t across, int64_t length, size_t size,
                                    struct hy_fiber_group *group) {
  int members = 1 << fiber->bits;
  uint32_t dims = 0, *place = NULL;
  if (fiber->bits == 0) return HYLA_OK;
  for (int bit = 0; bit < fiber->bits; bit++)
    dims |= UINT32_C(1) << fiber->axis->code.dim[fiber->low + bit];
  TRY(hy_alloc_for(&cube->base, owner, members + 1, sizeof *group->offsets, &group->offsets));
  for (int x = 0; x <= members; x++) group->offsets[x] = across * hy_fiber_before(fiber, length, x);
  TRY(hy_alloc_for(&cube->base, owner, members, sizeof *place, &place));
  for (int x = 0; x < members; x++) {
    int node = hy_node_along(fiber->axis, fiber->node, hy_fiber_part(fiber, x));
    place[hy_extract((uint32_t)node, dims)] = (uint32_t)x;
  }
  TRY(hy_subcube_make_for(owner, cube, dims, task, group->offsets[members], size, place,
                          &group->group));
  hy_free(&cube->base, &place);
  return hy_subcube_allocate_blocks(&group->group, group->offsets);
}

void hy_fiber_gather(const struct hy_fiber *fiber, int number, int64_t across, int64_t length,
                     size_t size, char *data, struct hy_step *step) {
  if (number >= fiber->bits) return;
  struct hy_fiber_halves at = hy_fiber_halves_at(fiber, number, length);
  int64_t bytes = across * (int64_t)size;
  hy_step_add(step, HY_RECV, at.peer, data + at.theirs * bytes, at.theirs_length * bytes);
  hy_step_add(step, HY_SEND, at.peer, data + at.mine * bytes, at.mine_length * bytes);
}
