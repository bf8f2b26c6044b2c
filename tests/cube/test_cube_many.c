/* More cubes than MPI has communicators: the call returns a status and a message, and works again
 * once some cubes are destroyed. */
// ranks: 1 3
#include "cube/cube.h"
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 4000 };

static void too_many_cubes_are_a_status(void **state) {
  (void)state;
  hyla_cube **cubes = calloc(MANY, sizeof(hyla_cube *));
  assert_non_null(cubes);
  hyla_status status = HYLA_OK;
  int made = 0;
  for (; made < MANY; made++) {
    status = hyla_cube_create(MPI_COMM_WORLD, NULL, &cubes[made]);
    if (status != HYLA_OK) break;
  }
  harness_note("%d cubes, then \"%s\"", made, hyla_cube_message(cubes[made % MANY]));
  assert_true(made > 1000);
  if (status != HYLA_OK) {
    int mine = made, least = 0, most = 0;
    harness_allreduce(&mine, &least, 1, MPI_INT, MPI_MIN);
    harness_allreduce(&mine, &most, 1, MPI_INT, MPI_MAX);
    assert_int_equal(least, most);
    assert_int_equal(status, HYLA_COMMUNICATION);
    assert_non_null(strstr(hyla_cube_message(cubes[made]), "until it is destroyed"));
    hyla_cube_destroy(&cubes[made]);
    hyla_cube_destroy(&cubes[made / 2]);
    assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, NULL, &cubes[made / 2]), HYLA_OK);
    assert_int_equal(hyla_cube_barrier(cubes[made / 2]), HYLA_OK);
  }
  assert_int_equal(hyla_cube_barrier(cubes[0]), HYLA_OK);
  for (int i = 0; i < made; i++) hyla_cube_destroy(&cubes[i]);
  free(cubes);
}

/* The program's handlers for MPI's errors are unchanged. */
static void handlers_of_errors_stay(void **state) {
  (void)state;
  const MPI_Comm comms[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
  for (int i = 0; i < 2; i++) {
    hyla_cube *cube = NULL;
    MPI_Errhandler before, after;
    MPI_Comm_get_errhandler(comms[i], &before);
    assert_int_equal(hyla_cube_create(comms[i], NULL, &cube), HYLA_OK);
    MPI_Comm_get_errhandler(comms[i], &after);
    assert_true(before == after);
    MPI_Errhandler_free(&before);
    MPI_Errhandler_free(&after);
    hyla_cube_destroy(&cube);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(too_many_cubes_are_a_status),
      cmocka_unit_test(handlers_of_errors_stay),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
