/* Counting cubes: a program's cost is found by running it on a cube that counts and does
 * nothing. */
#include "cube/trace.h"

void hy_count_begin(const hyla_cube *cube, int node, hyla_cube *counting) {
  *counting = *cube;
  counting->address = node;
  if (node >= 0) counting->base.rank = hy_rank_at(cube, node);
  counting->network.link = NULL;
  counting->network.trace = NULL;
  counting->session.threads = hy_team_threads(cube->session.team);
  counting->session.team = NULL;
  counting->session.unpriced = false;
  counting->network.ledger = hy_ledger_empty(cube);
  counting->network.counted = (hyla_cost){0};
  counting->base.log_level = 0;
  counting->base.relieve = NULL;
  counting->session.together = NULL;
  counting->session.kept = NULL;
  counting->session.kept_bytes = counting->session.keep_limit = 0;
  counting->base.no_data = (char *)counting; /* any address that hy_alloc does not return */
  counting->base.no_data_bytes = 0;
  counting->base.nowhere_used = counting->base.nowhere_most = 0;
}

void hy_count_together(hyla_cube *cube, hyla_cube *counting) {
  hy_count_begin(cube, cube->address, counting);
  counting->session.together = cube;
  counting->session.measure = counting->session.wise = false; /* there is nothing to time */
}

int64_t hy_count_held(const hyla_cube *cube) { return cube->base.nowhere_used; }

void hy_count_drop(hyla_cube *cube, int64_t held) {
  struct hy_base *base = &cube->base;
  if (!hy_cube_counts(cube)) return;
  base->nowhere_most = hy_max(base->nowhere_most, base->nowhere_used);
  base->nowhere_used = held;
}

/* The ledger holds steps, messages and words, as after a run; the books hold the memory of data. */
hyla_cost hy_count_end(hyla_cube *cube, const hyla_cube *counting, size_t size) {
  const hyla_ledger *ledger = &counting->network.ledger;
  hyla_cost cost = counting->network.counted;
  cost.steps = ledger->steps;
  cost.messages = ledger->far_messages;
  cost.words = ledger->far_bytes;
  for (int dim = 0; dim < ledger->dims; dim++) {
    cost.messages += ledger->messages[dim];
    cost.words += ledger->bytes[dim];
  }
  cost.words /= (int64_t)size;
  cost.lent /= (int64_t)size;
  cost.memory = hy_max(counting->base.nowhere_used, counting->base.nowhere_most);
  struct hy_base books = counting->base;
  books.rank = cube->base.rank;
  books.log_level = cube->base.log_level;
  books.no_data = cube->base.no_data;
  books.no_data_bytes = cube->base.no_data_bytes;
  books.nowhere_used = cube->base.nowhere_used;
  books.nowhere_most = cube->base.nowhere_most;
  cube->base = books;
  return cost;
}

void hy_count_copied(hyla_cube *cube, int64_t entries) {
  hy_trace_mark(cube, HY_SPAN_COPY);
  if (hy_cube_counts(cube)) cube->network.counted.copied += entries;
}

void hy_count_touched(hyla_cube *cube, int64_t entries) {
  if (hy_cube_counts(cube)) cube->network.counted.touched += entries;
}

void hy_count_read(hyla_cube *cube, int64_t entries) {
  if (hy_cube_counts(cube)) cube->network.counted.read += entries;
}

void hy_count_flops(hyla_cube *cube, int64_t flops) {
  if (hy_cube_counts(cube)) cube->network.counted.flops += flops;
}

void hy_count_scattered(hyla_cube *cube, int64_t entries) {
  if (hy_cube_counts(cube)) cube->network.counted.scattered += entries;
}

void hy_count_messages(hyla_cube *cube, int64_t steps, int64_t messages, int64_t bytes) {
  cube->network.ledger.steps += steps;
  cube->network.ledger.far_messages += messages;
  cube->network.ledger.far_bytes += bytes;
}

void hy_count_again(hyla_cube *cube, const hyla_ledger *before, int64_t times) {
  hyla_ledger *now = &cube->network.ledger;
  now->steps += (times - 1) * (now->steps - before->steps);
  now->far_messages += (times - 1) * (now->far_messages - before->far_messages);
  now->far_bytes += (times - 1) * (now->far_bytes - before->far_bytes);
  for (int dim = 0; dim < now->dims; dim++) {
    now->messages[dim] += (times - 1) * (now->messages[dim] - before->messages[dim]);
    now->bytes[dim] += (times - 1) * (now->bytes[dim] - before->bytes[dim]);
  }
}
