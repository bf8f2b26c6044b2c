/* The kinds of the gallery, for tests that walk through them. */
#ifndef GENERATORS_H
#define GENERATORS_H 1

#include "tests/matrix/matrix_cases.h"

#include "gallery/gallery.h"

static inline const char *name_of(int kind) { return hyla_kind_at(kind)->name; }

static inline int kind_count(void) {
  int count = 0;
  while (hyla_kind_at(count) != NULL) count++;
  return count;
}

static inline hyla_cube *cube_alone(void) {
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_SELF, NULL, &cube), HYLA_OK);
  return cube;
}

#endif
