/* Turns a picture to the left again and again, in a layout that a quarter turn does not change.
 *
 *   mpiexec -n 4 turn
 *
 * An entry is a character's number.  After four quarter turns the picture is the first one, bit for
 * bit. */
#include <hyla.h>
#include <stdio.h>

enum { ROWS = 3, COLS = 6, TURNS = 4 };

static double _Complex entry(void *arg, int64_t row, int64_t col) {
  static const char *const picture[ROWS] = {"+----+", "|hyla>", "+----+"};
  (void)arg;
  return picture[row][col];
}

/* One quarter turn: *b is the result, and a is freed. */
static hyla_status turn(hyla_cube *cube, hyla_matrix **a, hyla_matrix **b) {
  hyla_status status = hyla_matrix_create(cube, HYLA_DOUBLE, hyla_matrix_cols(*a),
                                          hyla_matrix_rows(*a), hyla_matrix_layout(*a), b);
  hyla_transfer quarter = {HYLA_TURN_LEFT, 1, *a, *b};
  if (!status) status = hyla_redistribute(cube, 1, &quarter);
  hyla_matrix_destroy(a);
  return status;
}

static hyla_status show(hyla_cube *cube, const hyla_matrix *a) {
  double whole[ROWS * COLS];
  int64_t rows = hyla_matrix_rows(a), cols = hyla_matrix_cols(a);
  hyla_status status = hyla_matrix_gather(cube, a, HYLA_FACE, whole, rows);
  for (int64_t i = 0; i < rows && !status && hyla_cube_address(cube) == 0; i++) {
    for (int64_t j = 0; j < cols; j++) putchar((int)whole[i + j * rows]);
    putchar('\n');
  }
  return status;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hyla_cube *cube = NULL;
  hyla_matrix *a = NULL, *b = NULL;
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, NULL, &cube);
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, ROWS, COLS, NULL, &a);
  if (!status) status = hyla_matrix_fill(cube, a, entry, NULL);
  if (!status) status = show(cube, a);
  for (int i = 0; i < TURNS && !status; i++) {
    status = turn(cube, &a, &b);
    a = b;
    b = NULL;
    if (!status && (i == 0 || i == TURNS - 1)) status = show(cube, a);
  }
  if (status && hyla_cube_address(cube) == 0)
    fprintf(stderr, "turn: %s\n", hyla_cube_message(cube));
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
  MPI_Finalize();
  return status ? 1 : 0;
}
