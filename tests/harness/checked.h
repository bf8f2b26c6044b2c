/* Cubes that compare results with sums, and the damage that these have found. */
#ifndef CHECKED_H
#define CHECKED_H 1

#include "harness.h"
#include "hyla.h"

static inline hyla_cube *checked_cube(void) {
  hyla_options options;
  hyla_options_init(&options);
  options.check_results = true;
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  return cube;
}

static inline hyla_faults faults_of(const hyla_cube *cube) {
  hyla_faults faults;
  assert_int_equal(hyla_cube_faults(cube, &faults), HYLA_OK);
  return faults;
}

#endif
