/* hyla_exchange_partitions, hyla_exchange_envelope, hyla_exchange_search: the cost of a multiphase
 * exchange in any phases, and the best phases: by the length of a message, and for one length among
 * all partitions.  (Nicol and Bokhari 1994, section 3) */
#include "collective/variant.h"
#include "hyla_lab.h"

#include <math.h>

static bool is_served(const hyla_machine *machine, int dims) {
  return machine != NULL && dims >= 0 && dims <= HYLA_DIMS_MAX;
}

static struct hy_circuits circuits_of(const hyla_machine *machine, int dims) {
  return (struct hy_circuits){.lambda = machine->alpha,
                              .tau = machine->beta,
                              .delta = machine->delta * dims,
                              .rho = machine->rho,
                              .omega = machine->omega * dims};
}

static void set_equal(int dims, int count, hyla_phases *phases) {
  uint8_t parts[HYLA_DIMS_MAX] = {0};
  if (count > 0) hy_partition_equal(dims, count, parts);
  phases->count = count;
  for (int i = 0; i < count; i++) phases->phase[i] = parts[i];
}

static void set_line(const struct hy_circuits *circuits, int dims, hyla_phases *phases) {
  for (int i = 0; i < phases->count; i++) {
    phases->empty += hy_phase_cost(dims, phases->phase[i], 0, circuits);
    phases->byte += hy_phase_cost(dims, phases->phase[i], 1, circuits);
  }
  phases->byte -= phases->empty;
}

int64_t hyla_exchange_partitions(const hyla_machine *machine, int dims, hyla_phases *all,
                                 int64_t room) {
  if (!is_served(machine, dims) || room < 0 || (all == NULL && room > 0)) return -1;
  const struct hy_circuits circuits = circuits_of(machine, dims);
  uint8_t parts[HYLA_DIMS_MAX] = {(uint8_t)dims};
  int64_t found = 0;
  for (int count = dims > 0; count > 0; count = hy_partition_next(parts, count), found++) {
    if (found >= room) continue;
    all[found] = (hyla_phases){.count = count};
    for (int i = 0; i < count; i++) all[found].phase[i] = parts[i];
    set_line(&circuits, dims, &all[found]);
  }
  return found;
}

int hyla_exchange_envelope(const hyla_machine *machine, int dims, hyla_phases *best) {
  if (!is_served(machine, dims) || best == NULL) return -1;
  const struct hy_circuits circuits = circuits_of(machine, dims);
  double from[HYLA_DIMS_MAX + 1];
  int counts[HYLA_DIMS_MAX + 1];
  int count = hy_partition_envelope(dims, &circuits, from, counts);
  for (int i = 0; i < count; i++) {
    const double empty = hy_partition_cost(dims, counts[i], 0, &circuits);
    const double one = hy_partition_cost(dims, counts[i], 1, &circuits);
    best[i] = (hyla_phases){.from = from[i], .empty = empty, .byte = one - empty};
    set_equal(dims, counts[i], &best[i]);
  }
  return count;
}

hyla_status hyla_exchange_search(const hyla_machine *machine, int dims, double bytes,
                                 hyla_phase_search *found) {
  CHECK(NULL, is_served(machine, dims) && found != NULL && bytes >= 0 && isfinite(bytes), ARGUMENT,
        "the machine or the place is NULL, or there is no such cube or message");
  const struct hy_circuits circuits = circuits_of(machine, dims);
  uint8_t phases[HYLA_DIMS_MAX] = {0};
  *found = (hyla_phase_search){.split = hy_split_point(dims, bytes, &circuits)};
  found->best.count =
      hy_partition_of_all(dims, bytes, &circuits, phases, &found->seconds, &found->partitions);
  for (int i = 0; i < found->best.count; i++) found->best.phase[i] = phases[i];
  set_equal(dims, hy_partition_search(dims, bytes, &circuits, &found->tried), &found->searched);
  if (found->searched.count > 0)
    found->searched_seconds = hy_partition_cost(dims, found->searched.count, bytes, &circuits);
  return HYLA_OK;
}
