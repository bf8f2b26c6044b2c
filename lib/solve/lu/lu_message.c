/* LU: a panel as a message, and its way between the message and the matrix. */
#include "solve/lu/lu.h"

#include <string.h>

int64_t hy_lu_header_bytes(int64_t block) {
  int64_t bytes = (int64_t)sizeof(struct hy_lu_header) + block * (int64_t)sizeof(int64_t);
  return hy_ceil_div(bytes, 64) * 64;
}

char *hy_lu_diagonal(const struct hy_lu *lu, const struct hy_diagonal_block *at) {
  return lu->diagonals + at->column * lu->array.block * (int64_t)lu->k->size;
}

struct hy_lu_panel hy_lu_panel_at(const struct hy_lu *lu, int64_t index) {
  int64_t size = (int64_t)lu->k->size;
  struct hy_lu_panel panel = {.at = hy_diagonal_block(&lu->array, index)};
  const struct hy_diagonal_block *at = &panel.at;
  panel.at_diagonal = hy_lu_header_bytes(lu->array.block);
  panel.at_rows = panel.at_diagonal + (at->top ? 0 : (int64_t)at->width * at->width * size);
  panel.ld = (int)hy_max(1, at->rows);
  panel.ld_diagonal = at->top ? panel.ld : at->width;
  panel.bytes = panel.at_rows + (int64_t)at->rows * at->width * size;
  return panel;
}

void hy_lu_load(const struct hy_lu *lu, const struct hy_lu_panel *panel) {
  const struct hy_kernels *k = lu->k;
  const struct hy_diagonal_block *at = &panel->at;
  char *data = panel->slot->data;
  k->copy(HYLA_NONE, at->rows, at->width, 1, hy_at(lu->a, at->row, at->column), (int)lu->a->ld,
          data + panel->at_rows, panel->ld);
  if (!k->dry) {
    struct hy_lu_header *header = (struct hy_lu_header *)(void *)data;
    header->status = HYLA_OK;
    header->column = 0;
    memcpy(header->swaps, lu->swaps + at->first, (size_t)at->width * sizeof *lu->swaps);
  }
  if (!at->top)
    k->copy(HYLA_NONE, at->width, at->width, 1, hy_lu_diagonal(lu, at), (int)lu->array.block,
            data + panel->at_diagonal, panel->ld_diagonal);
}

void hy_lu_store(const struct hy_lu *lu, const struct hy_lu_panel *panel) {
  const struct hy_diagonal_block *at = &panel->at;
  lu->k->copy(HYLA_NONE, at->rows, at->width, 1, panel->slot->data + panel->at_rows, panel->ld,
              hy_at(lu->a, at->row, at->column), (int)lu->a->ld);
}
