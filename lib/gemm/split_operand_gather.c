/* Panels of an operand are gathered from the shares of the nodes along its axis.  See
 * split_operand.h.
 *
 * Shares are stretches of columns.  A panel without gaps has them side by side, so nothing has to
 * be put together after they have arrived.  A triangular factor sends only the rows of A, or the
 * columns of B, that have entries in the triangle. */
#include "gemm/split_operand_body.h"

struct hy_indices hy_split_operand_round(const struct hy_split_operand *s, int64_t round) {
  const struct hy_fiber *k = &s->shares.k;
  return hy_interval(hy_fiber_from(k, round), hy_fiber_length(k, round));
}

/* All columns of B on these nodes. */
static struct hy_indices columns(const struct hy_split_operand *s) {
  return hy_interval(hy_fiber_from(&s->shares.fiber, 0), hy_fiber_length(&s->shares.fiber, 0));
}

/* Takes the collective, if the option names one.  Without it each step runs beside a product. */
static hyla_status allocate(struct hy_split_operand *s) {
  hyla_cube *cube = s->factor.matrix->cube;
  char asked[HY_NAME_MAX];
  hy_forced_variant(cube->session.collective, hy_task_name(HY_TASK_ALLGATHER), asked, sizeof asked);
  if (s->rooms == 0 || asked[0] == '\0') return HYLA_OK;
  int64_t length = s->name == HY_A ? hy_split_operand_round(s, 0).count : columns(s).count;
  return hy_fiber_group_allocate(s->owner, cube, &s->shares.fiber, HY_TASK_ALLGATHER,
                                 s->entries / hy_max(1, length), length, s->problem->kernels->size,
                                 &s->pieces);
}

static const struct hy_split_operand_use SHARES = {.allocate = allocate};

void hy_split_operand_in_shares(struct hy_split_operand *s, int bits, int64_t rounds) {
  struct hy_shares *shares = &s->shares;
  s->use = &SHARES;
  shares->fiber = hy_fiber_make(s->axis, bits, s->node);
  shares->k = s->name == HY_A ? shares->fiber : hy_fiber_make(&s->operand->row, 0, s->node);
  s->rooms = bits == 0 ? 0 : rounds > 1 ? 2 : 1;
  /* The first round's panel is the widest. */
  int64_t across = s->name == HY_A ? s->beside.count : columns(s).count;
  s->entries = across * hy_split_operand_round(s, 0).count;
}

/* A panel during the gathering: without gaps, and without the rows of A, or columns of B, outside
 * its reach. */
struct gathering {
  struct hy_fiber fiber;
  int64_t across, length; /* rows and columns */
  int64_t first;          /* entries from entry (0, 0) to the first */
};

static struct gathering gathering_of(const struct hy_split_operand *s, int64_t round) {
  const struct hy_indices k = hy_split_operand_round(s, round);
  struct gathering g = {.fiber = s->shares.fiber};
  if (s->name == HY_A) {
    const struct hy_triangle_block block = {s->part, s->beside, k};
    const struct hy_reach reach = hy_triangle_block_rows(&block);
    g.across = reach.count;
    g.length = k.count;
    g.first = reach.from;
    return g;
  }
  const struct hy_triangle_block block = {s->part, k, columns(s)};
  g.across = k.count;
  g.length = block.cols.count;
  g.fiber.limited = true;
  g.fiber.limits = hy_triangle_block_cols(&block);
  return g;
}

/* This node's share of a round's panel, in the node's block. */
static struct hy_panel own_share(const struct hy_split_operand *s, int64_t round) {
  const struct hy_panel own = hy_panel_own(&s->factor);
  int64_t skip = round * s->shares.k.axis->block;
  return hy_panel_at(&own, s->name == HY_A ? 0 : skip, s->name == HY_A ? skip : 0,
                     s->problem->kernels->size);
}

struct hy_panel hy_split_operand_gathered(const struct hy_split_operand *s, int64_t round) {
  if (s->rooms == 0) return own_share(s, round);
  return (struct hy_panel){s->room[round % 2], hy_max(1, gathering_of(s, round).across), HYLA_NONE};
}

void hy_split_operand_gather_begin(struct hy_split_operand *s, int64_t round) {
  const struct hy_kernels *k = s->problem->kernels;
  const struct gathering g = gathering_of(s, round);
  const struct hy_fiber *fiber = &g.fiber;
  int64_t from = hy_fiber_before(fiber, g.length, fiber->own);
  int64_t own = hy_fiber_before(fiber, g.length, fiber->own + 1) - from;
  int64_t skip = from - hy_fiber_before(&s->shares.fiber, g.length, fiber->own);
  if (s->rooms == 0 || own == 0 || g.across == 0) return;
  hy_count_copied(s->problem->cube, own * g.across);
  const struct hy_panel share = own_share(s, round);
  const struct hy_panel part = hy_panel_at(&share, g.first, skip, k->size);
  char *place = s->room[round % 2] + (g.first + from * g.across) * (int64_t)k->size;
  k->copy(part.op, (int)g.across, (int)own, 1, part.data, (int)part.ld, place, (int)g.across);
}

hyla_status hy_split_operand_gather_whole(struct hy_split_operand *s, int64_t round) {
  int64_t *offsets = s->pieces.offsets;
  if (offsets == NULL) return HYLA_OK;
  const struct gathering g = gathering_of(s, round);
  for (int x = 0; x <= 1 << g.fiber.bits; x++)
    offsets[x] = g.across * hy_fiber_before(&g.fiber, g.length, x);
  char *panel = s->room[round % 2] + g.first * (int64_t)s->problem->kernels->size;
  return hy_subcube_allgather(&s->pieces.group, panel, offsets);
}

int hy_split_operand_gather_steps(const struct hy_split_operand *s) {
  return s->pieces.offsets != NULL ? 0 : s->shares.fiber.bits;
}

void hy_split_operand_gather(struct hy_split_operand *s, int64_t round, int number,
                             struct hy_step *step) {
  size_t size = s->problem->kernels->size;
  if (number >= hy_split_operand_gather_steps(s)) return;
  const struct gathering g = gathering_of(s, round);
  char *panel = s->room[round % 2] + g.first * (int64_t)size;
  hy_fiber_gather(&g.fiber, number, g.across, g.length, size, panel, step);
}
