/* Gathers the columns of a matrix: all ranks that hold the same rows get all columns. */
#include "solve/panels/panels.h"

/* The member that holds a part of the columns. */
static int64_t member_of(const struct hy_gathered *g, int part) {
  uint32_t address = hy_axis_address(&g->m->col.code, (uint32_t)part);
  return (int64_t)hy_member(g->group->cube, g->group->what.within, (int)address);
}

hyla_status hy_gathered_run(const struct hy_gathered *g) {
  const hyla_matrix *m = g->m;
  const struct hy_kernels *k = m->k;
  int64_t *offsets = g->offsets, members = m->col.parts, rows = m->local_rows;
  for (int64_t x = 0; x <= members; x++) offsets[x] = 0;
  for (int part = 0; part < m->col.parts; part++)
    offsets[member_of(g, part) + 1] = rows * hy_held(&m->col, part);
  for (int64_t x = 0; x < members; x++) offsets[x + 1] += offsets[x];
  char *own = g->data + offsets[member_of(g, m->col_part)] * (int64_t)k->size;
  hy_copy_block(g->group->cube, k, HYLA_NONE, rows, m->local_cols, m->local, m->ld, own,
                hy_max(1, rows));
  if (members == 1 || offsets[members] == 0) return HYLA_OK;
  return hy_subcube_allgather(g->group, g->data, offsets);
}

const char *hy_gathered_column(const struct hy_gathered *g, int64_t column) {
  const hyla_matrix *m = g->m;
  int part = hy_axis_owner(&m->col, column);
  int64_t at =
      g->offsets[member_of(g, part)] + hy_axis_before(&m->col, part, column) * m->local_rows;
  return g->data + at * (int64_t)m->k->size;
}
