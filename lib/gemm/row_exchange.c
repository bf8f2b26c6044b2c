/* A total exchange of rows for columns.  See row_exchange.h. */
#include "gemm/row_exchange.h"

static int64_t held(const struct hy_fiber *fiber, int member) {
  return hy_held(fiber->axis, hy_fiber_part(fiber, member));
}

static int64_t most(const struct hy_fiber *fiber) {
  int64_t most = 0;
  for (int x = 0; x >> fiber->bits == 0; x++) most = hy_max(most, held(fiber, x));
  return most;
}

struct hy_row_exchange hy_row_exchange_make(const struct hy_axis *rows, const struct hy_axis *cols,
                                            int bits, int node) {
  struct hy_row_exchange e = {.rows = hy_fiber_stack(rows, 0, bits, node),
                              .cols = hy_fiber_stack(cols, 0, bits, node)};
  e.stride = most(&e.rows) * most(&e.cols);
  return e;
}

hyla_status hy_row_exchange_allocate(void *owner, hyla_cube *cube, size_t size,
                                     struct hy_row_exchange *e) {
  int64_t half = e->stride << e->cols.bits >> 1;
  if (e->cols.bits == 0) return HYLA_OK;
  TRY(hy_alloc_data_for(&cube->base, owner, 2 * half, size, &e->slots));
  TRY(hy_alloc_data_for(&cube->base, owner, half, size, &e->out));
  return hy_alloc_data_for(&cube->base, owner, half, size, &e->in);
}

/* Entries in a slot. */
static int64_t entries(const struct hy_row_exchange *e, int done, int slot) {
  int source = (e->cols.own & ~done) | (slot & done);
  int target = (slot & ~done) | (e->rows.own & done);
  return held(&e->rows, target) * held(&e->cols, source);
}

static bool crosses(const struct hy_row_exchange *e, int bit, int slot) {
  return ((slot ^ e->cols.own) >> bit & 1) != 0;
}

/* The entries of the slots that cross a bit, after the bits `done' have been crossed. */
static int64_t crossing(const struct hy_row_exchange *e, int bit, int done) {
  int64_t sum = 0;
  for (int slot = 0; slot >> e->cols.bits == 0; slot++)
    if (crosses(e, bit, slot)) sum += entries(e, done, slot);
  return sum;
}

static char *slot_at(const struct hy_row_exchange *e, int slot, size_t size) {
  return e->slots + slot * e->stride * (int64_t)size;
}

/* Copies this node's rows for a target, without gaps, to `to'. */
static void pick_rows(const struct hy_row_exchange *e, const struct hy_gemm_factor *b, int target,
                      char *to) {
  const hyla_matrix *x = b->matrix;
  const struct hy_panel block = hy_panel_own(b);
  int64_t u = e->rows.axis->code.block, round = u << e->rows.bits;
  int64_t rows = b->op == HYLA_NONE ? x->local_rows : x->local_cols;
  int64_t cols = held(&e->cols, e->cols.own), ld = hy_max(1, held(&e->rows, target));
  for (int64_t from = target * u, done = 0; from < rows; from += round, done += u) {
    struct hy_panel part = hy_panel_at(&block, from, 0, x->k->size);
    x->k->copy(part.op, (int)hy_min(u, rows - from), (int)cols, 1, part.data, (int)part.ld,
               to + done * (int64_t)x->k->size, (int)ld);
  }
}

/* Copies the slots that cross a bit to a message, or from one. */
static void carry(const struct hy_row_exchange *e, int bit, int done, const struct hy_kernels *k,
                  char *message, bool in) {
  for (int slot = 0; slot >> e->cols.bits == 0; slot++) {
    if (!crosses(e, bit, slot)) continue;
    char *place = slot_at(e, slot, k->size);
    int64_t count = entries(e, done, slot);
    hy_copy_entries(k, in ? place : message, in ? message : place, count);
    message += count * (int64_t)k->size;
  }
}

static hyla_status cross(hyla_cube *cube, const struct hy_row_exchange *e, int bit,
                         const struct hy_kernels *k) {
  int before = (1 << bit) - 1, after = (2 << bit) - 1;
  int peer = cube->address ^ 1 << e->cols.axis->code.dim[bit];
  int64_t size = (int64_t)k->size;
  carry(e, bit, before, k, e->out, false);
  TRY(hy_exchange(cube, peer, e->out, crossing(e, bit, before) * size, e->in,
                  crossing(e, bit, after) * size));
  carry(e, bit, after, k, e->in, true);
  return HYLA_OK;
}

hyla_status hy_row_exchange_run(const struct hy_row_exchange *e, const struct hy_gemm_factor *b,
                                char *to) {
  const struct hy_kernels *k = b->matrix->k;
  int all = (1 << e->cols.bits) - 1;
  if (e->cols.bits == 0) {
    pick_rows(e, b, 0, to);
    return HYLA_OK;
  }
  for (int slot = 0; slot <= all; slot++) pick_rows(e, b, slot, slot_at(e, slot, k->size));
  for (int bit = 0; bit < e->cols.bits; bit++) TRY(cross(b->matrix->cube, e, bit, k));
  for (int slot = 0; slot <= all; slot++) {
    int64_t count = entries(e, all, slot);
    hy_copy_entries(k, to, slot_at(e, slot, k->size), count);
    to += count * (int64_t)k->size;
  }
  return HYLA_OK;
}
