/* Panels of C: all nodes along its axis add their summands on the panels' owners.  See
 * split_operand.h. */
#include "gemm/result.h"
#include "gemm/split_operand_body.h"

static hyla_status allocate(struct hy_split_operand *s) {
  return hy_split_operand_group_allocate(s, HY_TASK_REDUCE);
}

static const struct hy_split_operand_use SUMS = {.allocate = allocate};

void hy_split_operand_of_sums(struct hy_split_operand *s, const struct hy_panelling *panelling,
                              int which) {
  int64_t widest = 0;
  for (int64_t x = 0; x < panelling->panel_count; x++)
    widest = hy_max(widest, panelling->panels[x].width);
  s->use = &SUMS;
  s->panelling = panelling;
  s->which = which;
  s->rooms = 1;
  s->entries = widest * s->beside.count;
}

char *hy_split_operand_summand(struct hy_split_operand *s) { return s->room[0]; }

/* The panel of this node's block += the sum */
static void put(const struct hy_split_operand *s, const struct hy_index_panel *panel) {
  const hyla_matrix *c = s->factor.matrix;
  const struct hy_panel block = hy_panel_own(&s->factor);
  int64_t rows = s->rows ? panel->width : s->beside.count, done = 0;
  const struct hy_panel sum = {s->room[0], rows, HYLA_NONE};
  for (int64_t p = panel->first; p >= 0; p = s->panelling->pieces[p].next) {
    const struct hy_panel_piece *piece = &s->panelling->pieces[p];
    const struct hy_panel from = hy_split_operand_at(s, &sum, done);
    const struct hy_panel to = hy_split_operand_at(s, &block, piece->at[s->which]);
    c->k->add((int)(s->rows ? piece->length : rows),
              (int)(s->rows ? s->beside.count : piece->length), from.data, (int)from.ld,
              (char *)(uintptr_t)to.data, (int)to.ld);
    done += piece->length;
  }
  hy_count_copied(c->cube, panel->width * s->beside.count);
  hy_compute(c->cube, panel->width * s->beside.count, c->k->size, c->k->complex_type);
}

hyla_status hy_split_operand_reduce(struct hy_split_operand *s,
                                    const struct hy_index_panel *panel) {
  int64_t count = panel->width * s->beside.count;
  int owner = hy_split_operand_owner(s, panel);
  if (count == 0) return HYLA_OK;
  TRY(hy_subcube_reduce(&s->group, owner, s->room[0], count, hy_result_combine, s->problem));
  if (owner == s->node) put(s, panel);
  return HYLA_OK;
}
