/* Verifies schedules in tests: one call that wants a sound schedule. */
#ifndef PAPER_H
#define PAPER_H 1

#include "tests/harness/harness.h"

#include "schedule/verify.h"

/* The verdict on a generator; fails the test unless it is sound. */
static inline struct hy_verdict paper_sound(const struct hy_generator *generator,
                                            const struct hy_collective *contract,
                                            const struct hy_network *network) {
  struct hy_base base = {0};
  struct hy_verdict verdict;
  assert_int_equal(hy_verify(generator, contract, network, &base, &verdict), HYLA_OK);
  if (verdict.fault != HY_SOUND)
    fail_msg("%s: step %d, node %u", hy_fault_text(verdict.fault), verdict.step, verdict.node);
  assert_int_equal(base.bytes_now, 0);
  return verdict;
}

#endif
