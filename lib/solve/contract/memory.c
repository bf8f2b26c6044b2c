/* The memory of a state, from lists. */
#include "solve/contract/contract.h"

hyla_status hy_take_arrays(struct hy_base *base, void *owner, const struct hy_owned *array) {
  for (; array->at != NULL; array++)
    TRY(hy_alloc_data_for(base, owner, array->bytes, 1, array->at));
  return HYLA_OK;
}

hyla_status hy_make_groups(void *owner, hyla_cube *cube, const struct hy_group *group) {
  for (; group->op != NULL; group++)
    TRY(hy_subcube_make_for(owner, cube, group->dims, group->task, group->words, group->size, NULL,
                            group->op));
  return HYLA_OK;
}

hyla_status hy_allocate_groups(struct hy_subcube_op *const *group) {
  for (; *group != NULL; group++) TRY(hy_subcube_allocate(*group));
  return HYLA_OK;
}

void hy_explain_asked(const struct hy_subcube_op *group, const char *what, struct hy_text *text) {
  if (group->choice.why == HY_ASKED) hy_subcube_explain(group, what, text);
}
