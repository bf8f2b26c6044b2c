/* The nodes along an axis gather everything that they have of an operand, member by member.  See
 * split_operand.h.
 *
 * The members' shares stand one after another, each without gaps.  So a share that has arrived can
 * be multiplied while the next step is under way. */
#include "gemm/split_operand_body.h"

/* Does the block stay where it is? */
static bool stays(const struct hy_split_operand *s) {
  return s->stack.fiber.bits == 0 && !s->stack.brought;
}

static char *share_of(const struct hy_split_operand *s, int member) {
  int64_t entries = hy_fiber_before(&s->stack.fiber, 0, member) * s->beside.count;
  return s->room[0] + entries * (int64_t)s->problem->kernels->size;
}

static int64_t ld_of(const struct hy_split_operand *s, int member) {
  const struct hy_fiber *fiber = &s->stack.fiber;
  return hy_max(1, s->rows ? hy_held(s->axis, hy_fiber_part(fiber, member)) : s->beside.count);
}

static hyla_status allocate(struct hy_split_operand *s) {
  struct hy_stack *stack = &s->stack;
  hyla_cube *cube = s->factor.matrix->cube;
  int members = 1 << stack->fiber.bits;
  TRY(hy_fiber_group_allocate(s->owner, cube, &stack->fiber, HY_TASK_ALLGATHER, s->beside.count, 0,
                              s->problem->kernels->size, &s->pieces));
  TRY(hy_alloc_for(&cube->base, s->owner, members, sizeof *stack->arrival, &stack->arrival));
  for (int x = 0; x < members && members > 1; x++) {
    stack->arrival[x] = hy_subcube_arrival(&s->pieces.group, (uint32_t)x);
    stack->last = (int)hy_max(stack->last, stack->arrival[x]);
  }
  return HYLA_OK;
}

/* Copies the node's own share to its place in the stack. */
static void begin(struct hy_split_operand *s) {
  const struct hy_panel own = hy_panel_own(&s->factor);
  const struct hy_reach all = {0, s->beside.count};
  int member = s->stack.fiber.own;
  if (stays(s) || s->stack.brought) return;
  hy_split_operand_copy(s, &own, hy_held_at(s->axis, s->node), &all, share_of(s, member),
                        ld_of(s, member));
}

static const struct hy_split_operand_use STACK = {.allocate = allocate, .begin = begin};

void hy_split_operand_in_stack(struct hy_split_operand *s, int low, int bits, bool brought) {
  s->use = &STACK;
  s->stack.fiber = hy_fiber_stack(s->axis, low, bits, s->node);
  s->stack.brought = brought;
  s->rooms = stays(s) ? 0 : 1;
  s->entries = hy_fiber_total(&s->stack.fiber) * s->beside.count;
}

char *hy_split_operand_stack_own(struct hy_split_operand *s) {
  return share_of(s, s->stack.fiber.own);
}

hyla_status hy_split_operand_stack_gather(struct hy_split_operand *s) {
  if (s->pieces.offsets == NULL) return HYLA_OK;
  return hy_subcube_allgather(&s->pieces.group, s->room[0], s->pieces.offsets);
}

hyla_status hy_split_operand_stack_start(struct hy_split_operand *s) {
  s->stack.steps = 0;
  s->stack.seen = 0;
  if (s->pieces.offsets == NULL) return HYLA_OK;
  return hy_subcube_allgather_start(&s->pieces.group, s->room[0], s->pieces.offsets);
}

hyla_status hy_split_operand_stack_next(struct hy_split_operand *s, int *member) {
  struct hy_stack *stack = &s->stack;
  int members = 1 << stack->fiber.bits;
  for (; stack->steps <= stack->last; stack->seen = 0) {
    while (stack->seen < members && stack->arrival[stack->seen] != stack->steps) stack->seen++;
    *member = stack->seen++;
    if (*member < members) return HYLA_OK;
    if (stack->steps++ < stack->last) TRY(hy_subcube_advance(&s->pieces.group));
  }
  *member = -1;
  return s->pieces.offsets == NULL ? HYLA_OK : hy_subcube_complete(&s->pieces.group);
}

struct hy_panel hy_split_operand_stack_at(const struct hy_split_operand *s, int member,
                                          int64_t index) {
  int part = hy_fiber_part(&s->stack.fiber, member);
  struct hy_panel share = hy_panel_own(&s->factor);
  if (!stays(s)) share = (struct hy_panel){share_of(s, member), ld_of(s, member), HYLA_NONE};
  return hy_split_operand_at(s, &share, hy_axis_before(s->axis, part, index));
}
