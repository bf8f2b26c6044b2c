/* Cubes over all ranks of a test program. */
#ifndef CUBE_H
#define CUBE_H 1

#include "harness.h"
#include "hyla.h"

#include <stdio.h>
#include <string.h>

/* private_memory: all blocks travel as messages. */
static inline hyla_cube *cube_open(bool private_memory) {
  hyla_options options;
  hyla_cube *cube = NULL;
  hyla_options_init(&options);
  options.private_memory = private_memory;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  return cube;
}

/* Sets the option array where the number of ranks is 5 or more and no power of two: a drawn one of
 * all ranks, or of one less, which leaves a guest.  array: its text. */
enum { CUBE_ARRAY = 24 };
static inline void cube_draw_array(hyla_options *options, char array[CUBE_ARRAY]) {
  const int ranks = harness_ranks();
  if (ranks < 5 || (ranks & (ranks - 1)) == 0) return;
  const int nodes = ranks - (harness_draw(0, 3) == 0);
  int rows = (int)harness_draw(1, nodes);
  while (nodes % rows != 0) rows--;
  if (harness_draw(0, 1) == 0) rows = nodes / rows;
  snprintf(array, CUBE_ARRAY, "%dx%d", rows, nodes / rows);
  options->array = array;
  harness_note("array %s", array);
}

/* A cube, or such an array. */
static inline hyla_cube *cube_open_array(void) {
  hyla_options options;
  hyla_cube *cube = NULL;
  char array[CUBE_ARRAY];
  hyla_options_init(&options);
  cube_draw_array(&options, array);
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  return cube;
}

/* A layout from its text.  Along sides that are no powers of two a Gray code becomes binary. */
static inline hyla_layout cube_layout(hyla_cube *cube, const char *text) {
  hyla_layout layout;
  char plain[HYLA_LAYOUT_TEXT];
  hyla_status status = hyla_layout_parse(cube, text, &layout);
  if (status == HYLA_UNSUPPORTED && strncmp(text, "gray", 4) == 0) {
    snprintf(plain, sizeof plain, "binary%s", text + 4);
    status = hyla_layout_parse(cube, plain, &layout);
  }
  assert_int_equal(status, HYLA_OK);
  return layout;
}

static inline void cube_close(hyla_cube **cube) {
  assert_int_equal(hyla_cube_destroy(cube), HYLA_OK);
  assert_null(*cube);
}

#endif
