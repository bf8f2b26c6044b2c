/* Banded matrices: entry (i, j) is 0 unless |i - j| <= width or |i - j| >= n - width, so the band
 * is periodic.  These functions say which parts of an axis exchange entries of the band, and
 * whether the axis lies as Varvarigos' exchange needs it.
 *
 * Letters: b is the length of a block, D = floor((width + b - 1) / b).  Two indices at most `width'
 * apart are in blocks at most D apart.  A block's number modulo the number of parts is its part.
 * Near the ends of the axis the last block may be short, and rounds incomplete; there every
 * distance is tested.
 * Reference: Varvarigos 1992, 2.5 (one index a part). */
#include "redistribute/direct.h"

/* The distance of two parts on the circle of all parts. */
static int64_t around(int64_t a, int64_t b, int64_t parts) {
  int64_t away = (a - b) % parts;
  if (away < 0) away += parts;
  return hy_min(away, parts - away);
}

int64_t hy_band_reach(const struct hy_axis *axis, int64_t width) {
  int64_t n = axis->n, block = axis->block, parts = axis->parts, blocks = hy_ceil_div(n, block);
  int64_t apart = hy_min((width + block - 1) / block, blocks);
  if (width == 0 || n == 0) return 0;
  if (2 * apart >= parts) return parts / 2;
  int64_t reach = hy_min(apart, blocks - 1);
  for (int64_t low = 0; low <= apart && low < blocks; low++)
    for (int64_t up = blocks - 1; up >= 0 && up >= blocks - 1 - apart; up--) {
      int64_t last = hy_min(n, (up + 1) * block) - 1;
      if (low * block + n - last <= width) reach = hy_max(reach, around(low, up, parts));
    }
  return reach;
}

int hy_band_exponent(const struct hy_axis *axis, int dims, int64_t width) {
  int64_t reach = hy_band_reach(axis, width);
  if (axis->first != 0 || axis->n != axis->total) return -1;
  for (int b = 0; b < dims; b++) {
    bool lies = reach <= (int64_t)1 << b;
    for (uint32_t part = 0; lies && part >> dims == 0; part++)
      lies = hy_axis_address(&axis->code, part) == hy_banded_node(dims, b, part);
    if (lies) return b;
  }
  return -1;
}

bool hy_band_between(const struct hy_axis *axis, int b, int one, int other) {
  int p = (int)hy_axis_part(&axis->code, (uint32_t)one);
  int q = (int)hy_axis_part(&axis->code, (uint32_t)other);
  return around(p, q, axis->parts) <= (int64_t)1 << b;
}
