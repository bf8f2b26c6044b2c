/* The words, as labels, with which each collective starts and must end. */
#include "schedule/contract.h"

/* The label of word `word' of `source's contribution.  It mixes both by a bijection, so no two
 * words have the same label.  Never 0. */
static uint64_t label(uint64_t source, int64_t word) {
  uint64_t x = (source << 40) + (uint64_t)word + 1;
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static uint64_t sum(const struct hy_collective *c, int64_t word) {
  const uint32_t members = hy_members(c);
  uint64_t all = 0;
  for (uint32_t node = 0; node < members; node++) all += label(node, word);
  return all;
}

static int64_t start_of(const struct hy_collective *c, uint32_t block) {
  return c->blocks.offsets != NULL ? c->blocks.offsets[block] : block * c->blocks.words;
}

uint32_t hy_collective_count(const struct hy_collective *c) {
  switch (c->task) {
  case HY_TASK_BROADCAST:
  case HY_TASK_REDUCE:
  case HY_TASK_ALLREDUCE:
  case HY_TASK_PERMUTE: return 1;
  case HY_TASK_WINDOW: return 1u << c->window;
  case HY_TASK_BAND_EXCHANGE:
  case HY_TASK_BAND_BROADCAST: return (uint32_t)c->matrices << c->dims;
  default: return hy_members(c);
  }
}

int64_t hy_contract_words(const struct hy_collective *c) {
  return start_of(c, hy_collective_count(c));
}

bool hy_exchanges(const struct hy_collective *c, uint32_t tag) {
  int distance = hy_popcount(tag);
  if (c->tags != NULL && c->tags[tag] == 0) return false;
  return c->farthest == 0 || (c->nearest <= distance && distance <= c->farthest);
}

/* The block of a word: the last block that starts at or before it. */
static uint32_t block_of(const struct hy_collective *c, int64_t word) {
  uint32_t low = 0;
  uint32_t high = hy_collective_count(c);
  if (c->blocks.offsets == NULL && c->blocks.words > 0)
    return (uint32_t)hy_min(word / c->blocks.words, (int64_t)high - 1);
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (start_of(c, middle) <= word)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* For several matrices: the node of a block's column. */
static uint32_t column_of(const struct hy_collective *c, uint32_t block) {
  return block & ((1u << c->dims) - 1);
}

/* The label of a word in a block of `node', which lay in that node's block on the block's node. */
static uint64_t exchanged(const struct hy_collective *c, uint32_t node, uint32_t block,
                          int64_t word) {
  return label(block, start_of(c, node) + word - start_of(c, block));
}

/* Is this word of a block filled by the words that source has for target? */
static bool is_filled(const struct hy_collective *c, uint32_t source, uint32_t target,
                      int64_t word) {
  if (c->blocks.sources == NULL) return true;
  int64_t inside = word - start_of(c, block_of(c, word));
  return inside < hy_blocks_filled(&c->blocks, source, target);
}

uint64_t hy_contract_before(const struct hy_collective *c, uint32_t node, int64_t word) {
  switch (c->task) {
  case HY_TASK_BROADCAST:
  case HY_TASK_SCATTER: return node == c->root ? label(0, word) : 0;
  case HY_TASK_GATHER:
  case HY_TASK_ALLGATHER: return block_of(c, word) == node ? label(node, word) : 0;
  case HY_TASK_PARTIAL: return c->active[node] && block_of(c, word) == node ? label(node, word) : 0;
  case HY_TASK_REDUCE:
  case HY_TASK_ALLREDUCE:
  case HY_TASK_REDUCE_SCATTER: return label(node, word);
  case HY_TASK_EXCHANGE: return is_filled(c, node, block_of(c, word), word) ? label(node, word) : 0;
  case HY_TASK_PERMUTE:
    if (c->to[node] < 0 || !is_filled(c, node, 0, word)) return 0;
    return label(node, word);
  case HY_TASK_PARTIAL_EXCHANGE: return c->active[node] ? label(node, word) : 0;
  case HY_TASK_PARTIAL_GATHER: return c->active[block_of(c, word)] ? label(node, word) : 0;
  case HY_TASK_WINDOW:
    return node >> c->window == 0 && block_of(c, word) == node ? label(node, word) : 0;
  case HY_TASK_BAND_EXCHANGE: return label(node, word);
  case HY_TASK_BAND_BROADCAST:
    return column_of(c, block_of(c, word)) == node ? label(node, word) : 0;
  }
  return 0;
}

static bool in_band(const struct hy_collective *c, uint32_t x, uint32_t y) {
  int d = c->dims, b = c->band - 1;
  if (b < 0) return true;
  uint32_t away = (hy_banded_column(d, b, x) - hy_banded_column(d, b, y)) & ((1u << d) - 1);
  return away <= 1u << b || (1u << d) - away <= 1u << b;
}

bool hy_partners(const struct hy_collective *c, uint32_t x, uint32_t y) {
  return hy_exchanges(c, x ^ y) && in_band(c, x, y);
}

bool hy_partners_of(const struct hy_collective *c, int matrix, uint32_t x, uint32_t y) {
  if (c->dims == 0) return true;
  const int d = c->dims, back = d - matrix * (c->band - 1) % d;
  return in_band(c, hy_rotate(x, back, d), hy_rotate(y, back, d));
}

int64_t hy_contract_source(const struct hy_collective *c, uint32_t node) {
  if (c->task != HY_TASK_PERMUTE) return -1;
  for (uint32_t source = 0; source < hy_members(c); source++)
    if (c->to[source] == (int32_t)node) return source;
  return -1;
}

/* The word from the block's node, if that node lies within the band. */
static uint64_t banded(const struct hy_collective *c, uint32_t node, uint32_t block, int64_t word) {
  const int matrix = (int)(block >> c->dims);
  const uint32_t source = column_of(c, block);
  const uint32_t there = ((uint32_t)matrix << c->dims) + node;
  if (!hy_partners_of(c, matrix, node, source)) return 0;
  if (c->task == HY_TASK_BAND_BROADCAST) return label(source, word);
  return label(source, start_of(c, there) + word - start_of(c, block));
}

uint64_t hy_contract_after(const struct hy_collective *c, uint32_t node, int64_t word) {
  return hy_contract_wanted(c, node, hy_contract_source(c, node), word);
}

uint64_t hy_contract_wanted(const struct hy_collective *c, uint32_t node, int64_t source,
                            int64_t word) {
  uint32_t block = block_of(c, word);
  switch (c->task) {
  case HY_TASK_BROADCAST: return label(0, word);
  case HY_TASK_SCATTER: return block == node ? label(0, word) : 0;
  case HY_TASK_GATHER: return node == c->root ? label(block, word) : 0;
  case HY_TASK_ALLGATHER: return label(block, word);
  case HY_TASK_PARTIAL: return c->active[block] ? label(block, word) : 0;
  case HY_TASK_REDUCE: return node == c->root ? sum(c, word) : 0;
  case HY_TASK_ALLREDUCE: return sum(c, word);
  case HY_TASK_REDUCE_SCATTER: return block == node ? sum(c, word) : 0;
  case HY_TASK_EXCHANGE:
    if (!hy_partners(c, node, block)) return 0;
    if (!is_filled(c, block, node, word)) return 0;
    return exchanged(c, node, block, word);
  case HY_TASK_PERMUTE:
    if (source < 0 || !is_filled(c, (uint32_t)source, 0, word)) return 0;
    return label((uint64_t)source, word);
  case HY_TASK_PARTIAL_EXCHANGE: return c->active[block] ? exchanged(c, node, block, word) : 0;
  case HY_TASK_PARTIAL_GATHER: return c->active[node] ? exchanged(c, node, block, word) : 0;
  case HY_TASK_WINDOW: return node >> c->window == 0 ? label(block, word) : 0;
  case HY_TASK_BAND_EXCHANGE:
  case HY_TASK_BAND_BROADCAST: return banded(c, node, block, word);
  }
  return 0;
}
