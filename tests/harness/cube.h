/* Cubes over all ranks of a test program. */
#ifndef CUBE_H
#define CUBE_H 1

#include "harness.h"
#include "hyla.h"

/* private_memory: all blocks travel as messages. */
static inline hyla_cube *cube_open(bool private_memory) {
  hyla_options options;
  hyla_cube *cube = NULL;
  hyla_options_init(&options);
  options.private_memory = private_memory;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  return cube;
}

static inline void cube_close(hyla_cube **cube) {
  assert_int_equal(hyla_cube_destroy(cube), HYLA_OK);
  assert_null(*cube);
}

#endif
