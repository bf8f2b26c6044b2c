/* Verifies schedules in tests: one call that wants a sound schedule. */
#ifndef PAPER_H
#define PAPER_H 1

#include "tests/harness/harness.h"

#include "tests/harness/verify.h"

/* The verdict on a generator; fails the test unless it is sound. */
static inline struct hy_verify_report paper_sound(const struct hy_generator *generator,
                                                  const struct hy_collective *contract,
                                                  const struct hy_paper_machine *machine) {
  struct hy_base base = {0};
  struct hy_verify_report report;
  assert_int_equal(hy_verify(generator, contract, machine, &base, &report), HYLA_OK);
  if (report.fault != HY_SOUND)
    fail_msg("%s: step %d, node %u", hy_fault_text(report.fault), report.step, report.node);
  assert_int_equal(base.bytes_now, 0);
  return report;
}

#endif
