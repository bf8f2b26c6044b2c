/* Conversions in waves: which elements cross when, and in which places they are.  See waves.h. */
#include "redistribute/waves.h"

#include <string.h>

/* An element: its index on each axis, as Gray code if the axis has it. */
struct element {
  uint32_t y[2];
};

static uint32_t ones(int bits) { return (UINT32_C(1) << bits) - 1; }
static uint32_t parity(uint32_t bits) { return (uint32_t)hy_popcount(bits) & 1; }
static int window_of(const struct hy_wave_axis *axis) { return axis->n - axis->k; }

/* The bits of a node's address that belong to an axis. */
static uint32_t code_of(const struct hy_wave_axis *axis, uint32_t node) {
  uint32_t code = 0;
  for (int i = 0; i < axis->k; i++) code |= (node >> axis->dim[i] & 1) << i;
  return code;
}

/* The index with this window on a node with this code, when `settled' dimensions are settled. */
static uint32_t index_with(const struct hy_wave_axis *axis, int settled, uint32_t code,
                           uint32_t window) {
  uint32_t y = window << settled;
  if (axis->gray && settled == axis->k) return (y | code) ^ (parity(window) << (axis->k - 1));
  return y | (code & ones(settled)) | code >> settled << (settled + window_of(axis));
}

static bool crosses(const struct hy_wave_axis *axis, int j, uint32_t y) {
  bool last = axis->gray && j == axis->k - 1;
  uint32_t target = last ? parity(y >> j) : y >> j & 1;
  return target != (y >> (window_of(axis) + j) & 1);
}

/* The number of bits that an axis contributes to a wave number. */
static int folds(const struct hy_wave_axis *axis) { return (int)hy_max(0, window_of(axis) - 1); }

static uint32_t fold(const struct hy_wave_axis *axis, uint32_t y) {
  int length = folds(axis), last = axis->n - 2 - axis->gray;
  uint32_t wave = 0;
  for (int i = 1; i <= last && length > 0; i++) wave ^= (y >> i & 1) << i % length;
  return wave;
}

static uint32_t wave_of(const struct hy_waves *waves, const struct element *e) {
  const struct hy_wave_axis *row = &waves->axis[0], *col = &waves->axis[1];
  int bits = folds(row);
  uint32_t wave = fold(row, e->y[0]) | fold(col, e->y[1]) << bits;
  if (row->k > 0 && col->k > 0)
    wave |= ((e->y[0] >> (row->n - 1) ^ e->y[1]) & 1) << (bits + folds(col));
  return wave;
}

/* The number of dimensions of an axis that are settled when `stage' of both axes are. */
static int settled_of(const struct hy_waves *waves, int axis, int stage) {
  int rows = (int)hy_min(stage, waves->axis[0].k);
  return axis == 0 ? rows : stage - rows;
}

/* The element with local number `local' at a stage; the number is made of both windows. */
static struct element element_at(const struct hy_waves *waves, uint32_t node, int stage,
                                 uint32_t local) {
  struct element e;
  for (int a = 0; a < 2; a++) {
    const struct hy_wave_axis *axis = &waves->axis[a];
    uint32_t window = a == 0 ? local & ones(window_of(axis)) : local >> window_of(&waves->axis[0]);
    e.y[a] = index_with(axis, settled_of(waves, a, stage), code_of(axis, node), window);
  }
  return e;
}

/* The element's local number at a stage. */
static uint32_t local_at(const struct hy_waves *waves, const struct element *e, int stage) {
  uint32_t window[2];
  for (int a = 0; a < 2; a++)
    window[a] = e->y[a] >> settled_of(waves, a, stage) & ones(window_of(&waves->axis[a]));
  return window[0] | window[1] << window_of(&waves->axis[0]);
}

struct hy_waves hy_waves_of(const struct hy_wave_axis axis[2]) {
  struct hy_waves waves = {.axis = {axis[0], axis[1]}};
  int windows = window_of(&axis[0]) + window_of(&axis[1]);
  for (int a = 0; a < 2; a++) waves.axis[a].gray = axis[a].gray && axis[a].k > 1;
  waves.dims = axis[0].k + axis[1].k;
  waves.bits = windows - 1;
  waves.held = INT64_C(1) << windows;
  return waves;
}

int hy_waves_dim(const struct hy_waves *waves, int j) {
  int rows = waves->axis[0].k;
  return j < rows ? waves->axis[0].dim[j] : waves->axis[1].dim[j - rows];
}

/* Crossing j: from the places of elements before it, by local number, to those after it. */
static void cross(struct hy_waves *waves, uint32_t node, int j, const int32_t *before,
                  int32_t *after) {
  int a = j >= waves->axis[0].k, dim = j - a * waves->axis[0].k;
  const struct hy_wave_axis *axis = &waves->axis[a];
  int32_t *places = waves->places + ((int64_t)j << waves->bits);
  uint32_t peer = node ^ UINT32_C(1) << axis->dim[dim];
  for (uint32_t local = 0; local < waves->held; local++) {
    struct element e = element_at(waves, node, j, local);
    if (crosses(axis, dim, e.y[a]))
      places[wave_of(waves, &e)] = before[local];
    else
      after[local_at(waves, &e, j + 1)] = before[local];
  }
  for (uint32_t local = 0; local < waves->held; local++) {
    struct element e = element_at(waves, peer, j, local);
    if (crosses(axis, dim, e.y[a])) after[local_at(waves, &e, j + 1)] = places[wave_of(waves, &e)];
  }
}

/* An element's number in the node's storage: consecutive before, cyclic after. */
static int32_t stored(const struct hy_waves *waves, const struct element *e, bool cyclic) {
  uint32_t number[2];
  for (int a = 0; a < 2; a++) {
    const struct hy_wave_axis *axis = &waves->axis[a];
    uint32_t index = axis->gray ? hy_gray_inverse(e->y[a]) : e->y[a];
    number[a] = cyclic ? index >> axis->k : index & ones(window_of(axis));
  }
  return (int32_t)(number[0] | number[1] << window_of(&waves->axis[0]));
}

static void fill(struct hy_waves *waves, uint32_t node, int32_t *before, int32_t *after) {
  for (uint32_t local = 0; local < waves->held; local++) {
    struct element e = element_at(waves, node, 0, local);
    before[local] = (int32_t)local;
    waves->first[local] = stored(waves, &e, false);
  }
  for (int j = 0; j < waves->dims; j++) {
    cross(waves, node, j, before, after);
    int32_t *swap = before;
    before = after;
    after = swap;
  }
  for (uint32_t local = 0; local < waves->held; local++) {
    struct element e = element_at(waves, node, waves->dims, local);
    waves->last[before[local]] = stored(waves, &e, true);
  }
}

hyla_status hy_waves_make(struct hy_base *base, void *owner, uint32_t node,
                          struct hy_waves *waves) {
  int32_t *both = NULL;
  TRY(hy_alloc_for(base, owner, (int64_t)waves->dims << waves->bits, sizeof *both, &waves->places));
  TRY(hy_alloc_for(base, owner, waves->held, sizeof *both, &waves->first));
  TRY(hy_alloc_for(base, owner, waves->held, sizeof *both, &waves->last));
  TRY(hy_alloc_for(base, owner, 2 * waves->held, sizeof *both, &both));
  fill(waves, node, both, both + waves->held);
  hy_free(base, &both);
  return HYLA_OK;
}
