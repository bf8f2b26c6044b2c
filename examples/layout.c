/* Who owns what: an 8 x 8 matrix in some layout, each entry shown as the cube address of the node
 * that holds it.
 *
 *   mpiexec -n 4 layout                   the default layout
 *   mpiexec -n 4 layout gray/cyclic:2     another one
 *
 * Each node writes its address into its local part of the matrix, without communication; then the
 * entries are read one by one. */
#include <complex.h>
#include <hyla.h>
#include <stdio.h>

enum { N = 8 };

/* Sets this rank's part, which is stored by columns, to its address. */
static hyla_status mark(const hyla_cube *cube, const hyla_matrix *matrix) {
  void *local = NULL;
  int64_t rows = 0, cols = 0, ld = 0;
  hyla_status status = hyla_matrix_local(matrix, &local, &rows, &cols, &ld);
  double *entries = local;
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0; i < rows; i++) entries[i + j * ld] = hyla_cube_address(cube);
  return status;
}

static hyla_status show(hyla_cube *cube, const hyla_matrix *matrix) {
  for (int64_t i = 0; i < N; i++)
    for (int64_t j = 0; j < N; j++) {
      double _Complex owner = 0;
      hyla_status status = hyla_matrix_get(cube, matrix, i, j, &owner);
      if (status) return status;
      if (hyla_cube_address(cube) == 0) printf("%3.0f%s", creal(owner), j == N - 1 ? "\n" : "");
    }
  return HYLA_OK;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hyla_cube *cube = NULL;
  hyla_matrix *matrix = NULL;
  hyla_layout layout;
  char why[400];
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  /* A rank whose word alone is wrong would leave the others waiting. */
  if (hyla_words_agree(MPI_COMM_WORLD, NULL, argc > 1 ? argv[1] : "", why, sizeof why)) {
    if (rank == 0) fprintf(stderr, "layout: %s\n", why);
    MPI_Finalize();
    return 2;
  }
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, NULL, &cube);
  if (!status && argc > 1) status = hyla_layout_parse(cube, argv[1], &layout);
  if (!status)
    status = hyla_matrix_create(cube, HYLA_DOUBLE, N, N, argc > 1 ? &layout : NULL, &matrix);
  if (!status) status = mark(cube, matrix);
  if (!status && hyla_cube_address(cube) == 0) {
    char text[HYLA_LAYOUT_TEXT];
    hyla_layout_format(hyla_matrix_layout(matrix), text, sizeof text);
    printf("%s\n", text);
  }
  if (!status) status = show(cube, matrix);
  if (status && hyla_cube_address(cube) == 0)
    fprintf(stderr, "layout: %s\n", hyla_cube_message(cube));
  hyla_matrix_destroy(&matrix);
  hyla_cube_destroy(&cube);
  MPI_Finalize();
  return status ? 1 : 0;
}
