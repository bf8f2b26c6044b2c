/* Panels of C: sums of what all nodes along its axis have, to their owners.  See spread.h. */
#include "gemm/result.h"
#include "gemm/spread_body.h"

void hy_spread_of_sums(struct hy_spread *s, const struct hy_cut *cut, int which) {
  int64_t widest = 0;
  for (int64_t x = 0; x < cut->panel_count; x++) widest = hy_max(widest, cut->panels[x].width);
  s->cut = cut;
  s->which = which;
  s->sums = true;
  s->rooms = s->axis->parts == 1 ? 1 : 2;
  s->entries = widest * s->beside.count;
}

char *hy_spread_summand(struct hy_spread *s) { return s->room[0]; }

static int owner_of(const struct hy_spread *s, const struct hy_cut_panel *panel) {
  return hy_node_along(s->axis, s->node, hy_cut_owner(s->cut, panel, s->which));
}

/* The panel of this node's block += the sum */
static void put(const struct hy_spread *s, const struct hy_cut_panel *panel) {
  const hyla_matrix *c = s->factor.matrix;
  const struct hy_panel block = hy_panel_own(&s->factor);
  int64_t rows = s->rows ? panel->width : s->beside.count, done = 0;
  const struct hy_panel sum = {s->room[0], rows, HYLA_NONE};
  for (int64_t p = panel->first; p >= 0; p = s->cut->pieces[p].next) {
    const struct hy_cut_piece *piece = &s->cut->pieces[p];
    const struct hy_panel from = hy_spread_at(s, &sum, done);
    const struct hy_panel to = hy_spread_at(s, &block, piece->at[s->which]);
    c->k->add((int)(s->rows ? piece->length : rows),
              (int)(s->rows ? s->beside.count : piece->length), from.data, (int)from.ld,
              (char *)(uintptr_t)to.data, (int)to.ld);
    done += piece->length;
  }
  hy_compute(c->cube, panel->width * s->beside.count, c->k->size, c->k->complex_type);
}

hyla_status hy_spread_reduce(struct hy_spread *s, const struct hy_cut_panel *panel) {
  int64_t count = panel->width * s->beside.count;
  int owner = owner_of(s, panel);
  if (count == 0) return HYLA_OK;
  TRY(hy_result_reduce(s->problem, hy_axis_mask(&s->axis->code), owner, s->room[0], count,
                       s->room[1]));
  if (owner == s->node) put(s, panel);
  return HYLA_OK;
}

void hy_spread_sums_cost(const struct hy_spread *s, hyla_cost *cost) {
  uint32_t dims = hy_axis_mask(&s->axis->code);
  for (int64_t x = 0; x < s->cut->panel_count && s->problem->k > 0; x++) {
    const struct hy_cut_panel *panel = &s->cut->panels[x];
    int64_t count = panel->width * s->beside.count;
    uint32_t number = hy_extract((uint32_t)(s->node ^ owner_of(s, panel)), dims);
    hy_result_reduce_cost(number, hy_popcount(dims), count, cost);
  }
}
