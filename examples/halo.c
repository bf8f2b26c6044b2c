/* A mesh of 2 x 3 ranks on a cube of 8: neighbours on the mesh are neighbours on the cube.
 *
 *   mpicc halo.c $(pkg-config --cflags --libs hyla) -o halo
 *   mpiexec -n 8 ./halo
 *
 * Each of the 6 ranks with a part of the mesh gets the borders of its neighbours' squares.  The
 * numbers are made from their places, so that each rank can check what arrives. */
#include <hyla_lab.h>
#include <stdio.h>

enum { SIDE = 4, ROOM = SIDE + 2 }; /* a square, and a border around it */

static double value(int row, int col) { return 100.0 * row + col; }

/* Fills the border along one axis: sends to the next rank and to the one before. */
static void exchange(MPI_Comm mesh, int axis, double square[ROOM][ROOM]) {
  MPI_Datatype border;
  int before = 0, after = 0, rows = axis == 0;
  MPI_Cart_shift(mesh, axis, 1, &before, &after);
  MPI_Type_vector(SIDE, 1, rows ? 1 : ROOM, MPI_DOUBLE, &border);
  MPI_Type_commit(&border);
  double *first = &square[1][1], *last = rows ? &square[SIDE][1] : &square[1][SIDE];
  double *front = rows ? &square[0][1] : &square[1][0];
  double *behind = rows ? &square[SIDE + 1][1] : &square[1][SIDE + 1];
  MPI_Sendrecv(last, 1, border, after, 0, front, 1, border, before, 0, mesh, MPI_STATUS_IGNORE);
  MPI_Sendrecv(first, 1, border, before, 1, behind, 1, border, after, 1, mesh, MPI_STATUS_IGNORE);
  MPI_Type_free(&border);
}

/* The count of the border's numbers that are wrong for their places. */
static int count_wrong(const int side[2], const int place[2], double square[ROOM][ROOM]) {
  int wrong = 0;
  for (int i = 0; i < ROOM; i++)
    for (int j = 0; j < ROOM; j++) {
      int row = place[0] * SIDE + i - 1, col = place[1] * SIDE + j - 1;
      int corner = (i == 0 || i > SIDE) && (j == 0 || j > SIDE);
      if (corner || row < 0 || col < 0 || row >= side[0] * SIDE || col >= side[1] * SIDE) continue;
      wrong += square[i][j] != value(row, col);
    }
  return wrong;
}

static int work(MPI_Comm mesh) {
  static double square[ROOM][ROOM];
  int side[2], closed[2], place[2];
  MPI_Cart_get(mesh, 2, side, closed, place);
  for (int i = 1; i <= SIDE; i++)
    for (int j = 1; j <= SIDE; j++)
      square[i][j] = value(place[0] * SIDE + i - 1, place[1] * SIDE + j - 1);
  for (int axis = 0; axis < 2; axis++) exchange(mesh, axis, square);
  return count_wrong(side, place, square);
}

int main(int argc, char **argv) {
  hyla_cube *cube = NULL;
  MPI_Comm mesh = MPI_COMM_NULL;
  hyla_embedding embedding = {.kind = HYLA_MESH_NAIVE, .axes = 2, .side = {2, 3}};
  MPI_Init(&argc, &argv);
  hyla_options options;
  hyla_options_init(&options);
  options.array = "cube"; /* whose links the mesh uses */
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, &options, &cube);
  if (!status) status = hyla_embed_comm(cube, &embedding, &mesh);
  if (status) {
    if (hyla_cube_address(cube) <= 0) fprintf(stderr, "halo: %s\n", hyla_cube_message(cube));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  int wrong = mesh != MPI_COMM_NULL ? work(mesh) : 0, all = 0;
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  (void)hyla_embed(&embedding);
  if (hyla_cube_address(cube) == 0)
    printf("2 x 3 mesh on %d ranks, neighbours %d link apart: %d numbers wrong\n",
           hyla_cube_nodes(cube), embedding.dilation, all);
  if (mesh != MPI_COMM_NULL) MPI_Comm_free(&mesh);
  hyla_cube_destroy(&cube);
  MPI_Finalize();
  return all > 0;
}
