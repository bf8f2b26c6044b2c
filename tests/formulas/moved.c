/* A redistribution planned and run on a simulated cube. */
#include "moved.h"

#include "cube/cube.h"
#include "hyla_lab.h"

#include <stdio.h>

hyla_status moved_run(hyla_cube *cube, const hyla_transfer *transfer, const char *variant,
                      struct moved *moved) {
  hyla_plan *plan = NULL;
  hyla_ledger ledger;
  TRY(hyla_redistribute_plan(cube, 1, transfer, variant, &plan));
  TRY(hyla_cube_barrier(cube));
  TRY(hyla_cube_ledger_clear(cube));
  double begin = hyla_cube_clock(cube);
  hyla_status status = hyla_plan_run(cube, plan);
  double seconds = hyla_cube_clock(cube) - begin;
  if (seconds > moved->seconds) moved->seconds = seconds;
  if (status == HYLA_OK) status = hyla_cube_ledger(cube, &ledger);
  int64_t bytes = 0;
  for (int dim = 0; status == HYLA_OK && dim < ledger.dims; dim++) bytes += ledger.bytes[dim];
  moved->words = hy_max(moved->words, bytes / 8);
  if (cube->address == 0) {
    moved->predicted = hyla_plan_seconds(plan);
    moved->cost = hyla_plan_cost(plan);
    snprintf(moved->variant, sizeof moved->variant, "%s", hyla_plan_variant(plan));
  }
  hyla_plan_destroy(&plan);
  return status;
}
