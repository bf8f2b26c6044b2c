/* Recursive doubling: the base from which the better schedules are made.  Alone it serves short
 * messages on machines with one port.
 *
 * Reference: Stout and Wagar 1990, BROADCAST 1; all-gather is its completion, reduction its
 * reverse.
 * Steps: d, each with one packet to and from one neighbour.
 * Words: broadcast m a step; all-gather 2^k m in step k.
 *
 * A broadcast crosses the highest dimension first.  Its reverse, a reduction, crosses the lowest
 * first, so every partial result is that of 2^k nodes with consecutive numbers.  The tree of
 * additions is therefore the same for every root and for both all-reductions, and so are the bits
 * of the sum.
 *
 * 4 nodes, broadcast from 0: step 0: 0 -> 2; step 1: 0 -> 1, 2 -> 3.
 * Reduction: step 0: 0 + 1, 2 + 3; step 1: (0 + 1) + (2 + 3). */
#include "schedule/schedule.h"

static struct hy_piece whole(uint32_t block, uint32_t run) {
  return (struct hy_piece){.block = block, .run = run, .from = 0, .to = 1};
}

hyla_status hy_doubling_broadcast(const struct hy_generator *generator, uint32_t node,
                                  struct hy_schedule *out) {
  int d = generator->dims;
  for (int step = 0; step < d; step++) {
    uint32_t bit = 1u << (d - 1 - step);
    /* Nodes whose bits below the last crossed dimension are 0 hold the data before the step. */
    bool sends = (node & (2 * bit - 1)) == 0;
    bool receives = (node & (2 * bit - 1)) == bit;
    if (sends || receives)
      TRY(hy_schedule_add(out, step, bit, sends ? HY_OUT : HY_IN, whole(0, 1)));
  }
  out->steps = d;
  return HYLA_OK;
}

/* Crosses the lowest dimension first, so a node always holds a run of consecutive blocks. */
hyla_status hy_doubling_allgather(const struct hy_generator *generator, uint32_t node,
                                  struct hy_schedule *out) {
  for (int step = 0; step < generator->dims; step++) {
    uint32_t bit = 1u << step;
    uint32_t first = node & ~(bit - 1);
    TRY(hy_schedule_add(out, step, bit, HY_OUT, whole(first, bit)));
    TRY(hy_schedule_add(out, step, bit, HY_IN, whole(first ^ bit, bit)));
  }
  return HYLA_OK;
}

hyla_status hy_doubling_allreduce(const struct hy_generator *generator, uint32_t node,
                                  struct hy_schedule *out) {
  (void)node;
  for (int step = 0; step < generator->dims; step++) {
    TRY(hy_schedule_add(out, step, 1u << step, HY_OUT, whole(0, 1)));
    TRY(hy_schedule_add(out, step, 1u << step, HY_ADD, whole(0, 1)));
  }
  return HYLA_OK;
}

/* For long messages.  Each step halves the part that a node sums up, lowest dimension first; then
 * the finished sums are gathered in the opposite order.  2 d steps, 2 (1 - 2^-d) m words instead of
 * d m. */
hyla_status hy_halving_allreduce(const struct hy_generator *generator, uint32_t node,
                                 struct hy_schedule *out) {
  int d = generator->dims;
  uint32_t first = 0;
  out->parts = 1u << d;
  for (int step = 0; step < d; step++) {
    uint32_t half = 1u << (d - 1 - step);
    bool upper = node >> step & 1u;
    uint32_t keep = upper ? first + half : first;
    uint32_t give = upper ? first : first + half;
    struct hy_piece kept = {.run = 1, .from = keep, .to = keep + half};
    struct hy_piece given = {.run = 1, .from = give, .to = give + half};
    TRY(hy_schedule_add(out, step, 1u << step, HY_OUT, given));
    TRY(hy_schedule_add(out, step, 1u << step, HY_ADD, kept));
    first = keep;
  }
  for (int step = d - 1; step >= 0; step--) {
    uint32_t half = 1u << (d - 1 - step);
    uint32_t other = node >> step & 1u ? first - half : first + half;
    struct hy_piece mine = {.run = 1, .from = first, .to = first + half};
    struct hy_piece theirs = {.run = 1, .from = other, .to = other + half};
    TRY(hy_schedule_add(out, 2 * d - 1 - step, 1u << step, HY_OUT, mine));
    TRY(hy_schedule_add(out, 2 * d - 1 - step, 1u << step, HY_IN, theirs));
    first = (uint32_t)hy_min(first, other);
  }
  return HYLA_OK;
}

/* ------------------------------------------------------------------ lines -- */

/* Appends a step's message out and the one in; returns the number of lines. */
static int add_pair(struct hy_script_line *lines, int count, struct hy_script_line as, int64_t out,
                    int64_t in) {
  const bool adds = as.adds;
  as.out = true;
  as.adds = false;
  as.bytes = out;
  if (out > 0) lines[count++] = as;
  as.out = false;
  as.adds = adds;
  as.bytes = in;
  if (in > 0) lines[count++] = as;
  return count;
}

int hy_doubling_lines(uint32_t within, int address, int64_t words, size_t size,
                      struct hy_script_line *lines) {
  int count = 0, step = 0;
  for (uint32_t left = within; left != 0; left &= left - 1, step++) {
    const int peer = address ^ (int)(left & (~left + 1));
    const int64_t bytes = words * (int64_t)size;
    count =
        add_pair(lines, count, (struct hy_script_line){.peer = peer, .step = step, .adds = true},
                 bytes, bytes);
  }
  return count;
}

/* part: from each step on, the words that the node still sums up; the halves of a part meet where
 * the schedule cuts it. */
int hy_halving_lines(uint32_t within, int address, int64_t words, size_t size,
                     struct hy_script_line *lines) {
  int64_t part[HYLA_DIMS_MAX + 1] = {words}, first = 0;
  int peer[HYLA_DIMS_MAX], count = 0, d = 0;
  const int dims = hy_popcount(within);
  for (uint32_t left = within; left != 0; left &= left - 1, d++) {
    const uint32_t bit = left & (~left + 1);
    const int64_t half = INT64_C(1) << (dims - 1 - d), middle = first + half, end = middle + half;
    const bool upper = (uint32_t)address & bit;
    const int64_t lower = (middle * words >> dims) - (first * words >> dims);
    peer[d] = address ^ (int)bit;
    part[d + 1] = upper ? (end * words >> dims) - (middle * words >> dims) : lower;
    if (upper) first = middle;
    count =
        add_pair(lines, count, (struct hy_script_line){.peer = peer[d], .step = d, .adds = true},
                 (part[d] - part[d + 1]) * (int64_t)size, part[d + 1] * (int64_t)size);
  }
  for (int i = d - 1; i >= 0; i--)
    count = add_pair(lines, count, (struct hy_script_line){.peer = peer[i], .step = 2 * d - 1 - i},
                     part[i + 1] * (int64_t)size, (part[i] - part[i + 1]) * (int64_t)size);
  return count;
}
