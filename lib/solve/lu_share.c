/* LU: where panels lie, and a panel's way along the rank rows.
 *
 * A panel goes from rank column q_k to all others by recursive doubling over
 * the column dimensions: neighbours only, 2^c - 1 messages in c steps.  It is
 * lent, not sent: where the lender's memory can be read in place, the last rank
 * on each path multiplies straight from there; ranks that pass it on take a
 * copy.  Lending returns at once, so the owner goes on with its own work, and a
 * slot is waited for only when it is needed again.
 *
 * Where another broadcast was asked for, the panel goes by its schedule: its first step
 * starts as early, the others are taken when the panel is wanted. */
#include "solve/lu.h"

#include <string.h>

struct hy_lu_shape hy_lu_shape(const struct hy_lu *lu, int64_t index) {
  const hyla_matrix *a = lu->a;
  struct hy_lu_shape at = {.index = index, .first = index * lu->block};
  at.width = (int)hy_min(lu->block, lu->n - at.first);
  at.mine = hy_axis_owner(&a->col, at.first) == a->col_part;
  at.top = hy_axis_owner(&a->row, at.first) == a->row_part;
  at.column = hy_axis_before(&a->col, a->col_part, at.first);
  at.row = hy_axis_before(&a->row, a->row_part, at.first);
  at.rows = (int)(a->local_rows - at.row);
  return at;
}

int hy_lu_row_root(const struct hy_lu *lu, int64_t index) {
  const hyla_matrix *a = lu->a;
  return hy_matrix_node(a, a->row_part, hy_axis_owner(&a->col, index * lu->block));
}

int hy_lu_col_root(const struct hy_lu *lu, int64_t index) {
  const hyla_matrix *a = lu->a;
  return hy_matrix_node(a, hy_axis_owner(&a->row, index * lu->block), a->col_part);
}

char *hy_lu_diagonal(const struct hy_lu *lu, const struct hy_lu_shape *at) {
  return lu->diagonals + at->column * lu->block * (int64_t)lu->k->size;
}

static struct hy_lu_panel *slot_of(struct hy_lu *lu, int64_t index) {
  return &lu->panel[index % HY_LU_SLOTS];
}

static void lay_out(const struct hy_lu *lu, int64_t index, enum hy_lu_half half,
                    struct hy_lu_panel *panel) {
  int64_t size = (int64_t)lu->k->size;
  struct hy_lu_shape at = hy_lu_shape(lu, index);
  panel->at = at;
  if (half == HY_LU_LOWER) {
    panel->rows = at.rows;
    panel->at_diagonal = hy_lu_header_bytes(lu->block);
    panel->at_rows = panel->at_diagonal + (at.top ? 0 : (int64_t)at.width * at.width * size);
  } else {
    panel->rows = (int)at.row + (at.top ? at.width : 0);
    panel->at_diagonal = panel->at_rows = 0;
  }
  panel->ld = (int)hy_max(1, panel->rows);
  panel->ld_diagonal = at.top ? panel->ld : at.width;
  panel->bytes = panel->at_rows + (int64_t)panel->rows * at.width * size;
  panel->seen = panel->slot;
}

static hyla_status clear_slot(struct hy_lu *lu, struct hy_lu_panel *panel) {
  int messages = panel->messages;
  panel->messages = 0;
  return hy_link_wait(lu->cube, panel->message, messages);
}

hyla_status hy_lu_open(struct hy_lu *lu, int64_t index, enum hy_lu_half half,
                       struct hy_lu_panel **panel) {
  *panel = slot_of(lu, index);
  TRY(clear_slot(lu, *panel));
  lay_out(lu, index, half, *panel);
  return HYLA_OK;
}

void hy_lu_load(struct hy_lu *lu, struct hy_lu_panel *panel, enum hy_lu_half half) {
  const struct hy_kernels *k = lu->k;
  const struct hy_lu_shape *at = &panel->at;
  int64_t row = half == HY_LU_LOWER ? at->row : 0;
  k->copy(HYLA_NONE, panel->rows, at->width, 1, hy_at(lu->a, row, at->column), (int)lu->a->ld,
          panel->slot + panel->at_rows, panel->ld);
  if (half == HY_LU_UPPER) return;
  struct hy_lu_header *header = (struct hy_lu_header *)(void *)panel->slot;
  header->status = HYLA_OK;
  header->column = 0;
  memcpy(header->swaps, lu->swaps + at->first, (size_t)at->width * sizeof *lu->swaps);
  if (!at->top)
    k->copy(HYLA_NONE, at->width, at->width, 1, hy_lu_diagonal(lu, at), (int)lu->block,
            panel->slot + panel->at_diagonal, panel->ld_diagonal);
}

/* Starts the loans to the ranks that get the panel from this one, whose number
 * counts from the owner; the highest dimension, with most ranks behind it, first. */
static hyla_status lend_on(struct hy_lu *lu, struct hy_lu_panel *panel, uint32_t number) {
  int me = lu->cube->address, count = 0;
  int dims = number == 0 ? hy_popcount(lu->col_dims) : hy_lowest(number);
  for (int i = dims - 1; i >= 0; i--) {
    int peer = me ^ (int)hy_deposit(UINT32_C(1) << i, lu->col_dims);
    panel->message[count++] = (struct hy_message){.verb = HY_LEND,
                                                  .peer = peer,
                                                  .bytes = panel->bytes,
                                                  .data = panel->slot,
                                                  .window = lu->window};
  }
  panel->messages = count;
  return hy_link_start(lu->cube, panel->message, count);
}

static hyla_status start(const struct hy_lu *lu, const struct hy_lu_panel *panel) {
  return hy_group_start(&lu->shares, hy_lu_row_root(lu, panel->at.index), panel->slot,
                        panel->bytes / (int64_t)lu->k->size);
}

hyla_status hy_lu_lend(struct hy_lu *lu, struct hy_lu_panel *panel) {
  return hy_lu_by_schedule(lu) ? start(lu, panel) : lend_on(lu, panel, 0);
}

/* This rank's number along the rank row, counted from the panel's owner. */
static uint32_t number_of(const struct hy_lu *lu, int64_t index) {
  uint32_t root = (uint32_t)hy_lu_row_root(lu, index);
  return hy_extract((uint32_t)lu->cube->address ^ root, lu->col_dims);
}

hyla_status hy_lu_expect(struct hy_lu *lu, int64_t index, enum hy_lu_half half) {
  uint32_t number = index < 0 || index >= lu->panels ? 0 : number_of(lu, index);
  if (number == 0) return HYLA_OK;
  struct hy_lu_panel *panel = NULL;
  TRY(hy_lu_open(lu, index, half, &panel));
  if (hy_lu_by_schedule(lu)) return start(lu, panel);
  uint32_t way = hy_deposit(number & -number, lu->col_dims);
  panel->borrowed = true;
  panel->message[0] = (struct hy_message){.verb = HY_BORROW,
                                          .peer = lu->cube->address ^ (int)way,
                                          .bytes = panel->bytes,
                                          .data = panel->slot,
                                          .window = lu->window};
  return hy_link_start(lu->cube, panel->message, 1);
}

hyla_status hy_lu_receive(struct hy_lu *lu, int64_t index, struct hy_lu_panel **arrived) {
  struct hy_lu_panel *panel = *arrived = slot_of(lu, index);
  uint32_t number = number_of(lu, index);
  if (hy_lu_by_schedule(lu)) return hy_group_complete(&lu->shares);
  if (number == 0) return HYLA_OK;
  TRY(hy_link_wait(lu->cube, panel->message, 1));
  panel->seen = panel->message[0].seen;
  if (hy_lowest(number) == 0) return HYLA_OK;
  if (panel->seen != panel->slot) memcpy(panel->slot, panel->seen, (size_t)panel->bytes);
  TRY(hy_lu_close(lu, panel));
  panel->seen = panel->slot;
  return lend_on(lu, panel, number);
}

hyla_status hy_lu_close(struct hy_lu *lu, struct hy_lu_panel *panel) {
  if (!panel->borrowed) return HYLA_OK;
  panel->borrowed = false;
  return hy_link_return(lu->cube, panel->message, 1);
}

hyla_status hy_lu_finish(struct hy_lu *lu) {
  for (int i = 0; i < HY_LU_SLOTS; i++) TRY(clear_slot(lu, &lu->panel[i]));
  return HYLA_OK;
}
