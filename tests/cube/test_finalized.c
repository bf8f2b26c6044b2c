/* Calls after MPI_Finalize return a status, and do not abort.  Without the harness, because that
 * still needs MPI then. */
// ranks: 1 2 3
#include <hyla.h>

#include <stdio.h>
#include <string.h>

static int failures;

static void expect(const char *what, hyla_status got, hyla_status wanted) {
  if (got == wanted) return;
  printf("FAILED %s: %s instead of %s\n", what, hyla_status_name(got), hyla_status_name(wanted));
  failures++;
}

static void expect_message(const hyla_cube *cube, const char *words) {
  if (strstr(hyla_cube_message(cube), words) != NULL) return;
  printf("FAILED the message is \"%s\"\n", hyla_cube_message(cube));
  failures++;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hyla_cube *cube = NULL, *late = NULL;
  hyla_matrix *a = NULL, *b = NULL;
  expect("the cube", hyla_cube_create(MPI_COMM_WORLD, NULL, &cube), HYLA_OK);
  expect("the matrix", hyla_matrix_create(cube, HYLA_DOUBLE, 7, 5, NULL, &a), HYLA_OK);
  MPI_Finalize();
  expect("a barrier", hyla_cube_barrier(cube), HYLA_BROKEN);
  expect_message(cube, "before MPI_Finalize");
  expect("a matrix", hyla_matrix_create(cube, HYLA_DOUBLE, 3, 3, NULL, &b), HYLA_BROKEN);
  expect("a product", hyla_gemm(cube, HYLA_NONE, HYLA_TRANSPOSE, 1, a, a, 0, b), HYLA_BROKEN);
  expect("a file", hyla_matrix_write(cube, a, "late.npy"), HYLA_BROKEN);
  expect("a cube", hyla_cube_create(MPI_COMM_WORLD, NULL, &late), HYLA_ARGUMENT);
  expect_message(late, "between MPI_Init and MPI_Finalize");
  char text[4096];
  if (hyla_cube_describe(cube, text, sizeof text) == 0) failures++;
  expect("its end", hyla_cube_destroy(&late), HYLA_OK);
  expect("the matrix' end", hyla_matrix_destroy(&a), HYLA_OK);
  expect("the cube's end", hyla_cube_destroy(&cube), HYLA_OK);
  return failures > 0;
}
