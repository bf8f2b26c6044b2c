/* What each collective starts from and must lead to, in labels. */
#include "comm/verify.h"

/* The label of word `word` of `source`'s contribution: a bijective mix of both
 * (so that no two have the same), never 0. */
static uint64_t label(uint64_t source, int64_t word) {
  uint64_t x = (source << 40) + (uint64_t)word + 1;
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static uint64_t sum(const struct hy_contract *contract, int64_t word) {
  uint64_t all = 0;
  for (uint32_t node = 0; node >> contract->dims == 0; node++) all += label(node, word);
  return all;
}

static int64_t start_of(const struct hy_contract *contract, uint32_t block) {
  return contract->blocks.offsets != NULL ? contract->blocks.offsets[block]
                                          : block * contract->blocks.words;
}

int64_t hy_contract_words(const struct hy_contract *contract) {
  return start_of(contract, contract->count);
}

/* The block that the word lies in: the last that starts at or before it. */
static uint32_t block_of(const struct hy_contract *contract, int64_t word) {
  uint32_t low = 0;
  uint32_t high = contract->count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (start_of(contract, middle) <= word)
      low = middle;
    else
      high = middle;
  }
  return low;
}

uint64_t hy_contract_before(const struct hy_contract *contract, uint32_t node, int64_t word) {
  switch (contract->task) {
  case HY_TASK_BROADCAST:
  case HY_TASK_SCATTER: return node == contract->root ? label(0, word) : 0;
  case HY_TASK_GATHER:
  case HY_TASK_ALLGATHER: return block_of(contract, word) == node ? label(node, word) : 0;
  case HY_TASK_REDUCE:
  case HY_TASK_ALLREDUCE:
  case HY_TASK_REDUCE_SCATTER:
  case HY_TASK_EXCHANGE: return label(node, word);
  }
  return 0;
}

uint64_t hy_contract_after(const struct hy_contract *contract, uint32_t node, int64_t word) {
  uint32_t block = block_of(contract, word);
  switch (contract->task) {
  case HY_TASK_BROADCAST: return label(0, word);
  case HY_TASK_SCATTER: return block == node ? label(0, word) : 0;
  case HY_TASK_GATHER: return node == contract->root ? label(block, word) : 0;
  case HY_TASK_ALLGATHER: return label(block, word);
  case HY_TASK_REDUCE: return node == contract->root ? sum(contract, word) : 0;
  case HY_TASK_ALLREDUCE: return sum(contract, word);
  case HY_TASK_REDUCE_SCATTER: return block == node ? sum(contract, word) : 0;
  case HY_TASK_EXCHANGE:
    return label(block, start_of(contract, node) + word - start_of(contract, block));
  }
  return 0;
}
