/* The machine model: seconds = alpha starts + beta bytes + gamma operations.
 *
 * Memory is not priced: words that stay on a rank cost nothing.  Of steps and
 * messages the larger number counts, because a rank may start several messages
 * in one step but pays for each start, and waits for each step even when it has
 * nothing to send.
 */
#include "plan/plan.h"

struct hy_machine hy_machine_default(void) {
  /* A rank a core, 2020s: a microsecond a message, 10 GB/s, 50 GFLOP/s. */
  return (struct hy_machine){.name = "default", .alpha = 1e-6, .beta = 1e-10, .gamma = 2e-11};
}

double hy_machine_operations(int64_t flops, size_t size, bool complex_type) {
  double width = (double)size / (complex_type ? 2.0 : 1.0) / (double)sizeof(double);
  return (double)flops * (complex_type ? 4.0 : 1.0) * width;
}

double hy_machine_seconds(const struct hy_machine *machine, const hyla_cost *cost, size_t size,
                          bool complex_type) {
  double starts = (double)hy_max(cost->steps, cost->messages);
  double bytes = (double)cost->words * (double)size;
  double operations = hy_machine_operations(cost->flops, size, complex_type);
  return machine->alpha * starts + machine->beta * bytes + machine->gamma * operations;
}
