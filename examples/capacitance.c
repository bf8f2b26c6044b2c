/* The capacitance of a square plate and of a cube with sides of 1 by the method of moments
 * (Harrington 1968, chapter 2).  Neither has a closed form.
 *
 *   mpiexec -n 4 capacitance                     both, with finer and finer panels
 *   mpiexec -n 4 capacitance plate               one of them
 *   mpiexec -n 4 capacitance plate 32            with 32 x 32 panels a face
 *   mpiexec -n 4 capacitance plate 32 plate      the same; its system goes to
 *                                                plate-A.mtx and plate-b.mtx
 *
 * A conductor at potential 1 carries its charge on its surface.  The surface is cut into panels,
 * each with a constant density of charge; the unknowns q are the panels' charges.  Row i says that
 * the potentials of all panels add up to 1 at the centre of panel i: P q = b with b = (1, ..., 1).
 * The capacitance is the whole charge, b^T q, here in units of 4 pi epsilon_0 times the side. */
#include <complex.h>
#include <hyla.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The published values are correct except for their last digit. */
struct conductor {
  const char *name;
  int faces;
  double published;
  const char *reference; /* key in doc/references.bib */
};
static const struct conductor plate = {"plate", 1, 0.3667874, "read-1997"};
static const struct conductor cube6 = {"cube", 6, 0.6606782, "hwang-2004"};

/* ---- geometry ---- */

/* Face f of the cube is the plane in which coordinate f mod 3 is 0 or 1; face 0
 * alone is the plate.  A face has n x n panels. */
struct panel {
  int normal, u, v; /* the axis across the face and the two along it */
  double height;    /* 0 or 1 on the normal axis */
  double low[2], high[2];
};

/* Panels shrink towards the edges, where the density of charge grows without bound. */
static double edge(int64_t i, int n) {
  double t = (double)i / n;
  return t * t * t * (10 - 15 * t + 6 * t * t);
}

static struct panel panel_at(int n, int64_t index) {
  int face = (int)(index / ((int64_t)n * n));
  int64_t i = index % n, j = index / n % n;
  return (struct panel){.normal = face % 3,
                        .u = (face + 1) % 3,
                        .v = (face + 2) % 3,
                        .height = face / 3,
                        .low = {edge(i, n), edge(j, n)},
                        .high = {edge(i + 1, n), edge(j + 1, n)}};
}

/* ---- physics ---- */

/* The integral of 1/r over the rectangle between the origin and (x, y), seen from
 * height z above the origin. */
static double corner(double x, double y, double z) {
  double sum = 0;
  if (x != 0) sum += x * asinh(y / hypot(x, z));
  if (y != 0) sum += y * asinh(x / hypot(y, z));
  if (z != 0) sum -= z * atan(x * y / (z * sqrt(x * x + y * y + z * z)));
  return sum;
}

/* The potential at a point of charge 1 spread evenly over a panel. */
static double potential(const struct panel *panel, const double point[3]) {
  double z = point[panel->normal] - panel->height;
  double x0 = panel->low[0] - point[panel->u], x1 = panel->high[0] - point[panel->u];
  double y0 = panel->low[1] - point[panel->v], y1 = panel->high[1] - point[panel->v];
  double integral = corner(x1, y1, z) - corner(x0, y1, z) - corner(x1, y0, z) + corner(x0, y0, z);
  return integral / ((x1 - x0) * (y1 - y0));
}

/* Entry (i, j): the potential at the centre of panel i of charge 1 on panel j. */
static double _Complex coefficient(void *arg, int64_t i, int64_t j) {
  int n = *(const int *)arg;
  struct panel at = panel_at(n, i), of = panel_at(n, j);
  double centre[3];
  centre[at.normal] = at.height;
  centre[at.u] = (at.low[0] + at.high[0]) / 2;
  centre[at.v] = (at.low[1] + at.high[1]) / 2;
  return potential(&of, centre);
}

/* ---- algebra ---- */

/* Writes the system to <prefix>-A.mtx and <prefix>-b.mtx. */
static hyla_status write_system(hyla_cube *cube, const hyla_matrix *p, const hyla_matrix *b,
                                const char *prefix) {
  char path[4096];
  snprintf(path, sizeof path, "%s-A.mtx", prefix);
  hyla_status status = hyla_matrix_write(cube, p, path);
  snprintf(path, sizeof path, "%s-b.mtx", prefix);
  if (!status) status = hyla_matrix_write(cube, b, path);
  return status;
}

/* Makes and solves the system for n x n panels a face.  prefix may be NULL. */
static hyla_status capacitance(hyla_cube *cube, int faces, int n, const char *prefix, double *value,
                               double *residual) {
  int64_t panels = (int64_t)faces * n * n;
  hyla_matrix *p = NULL, *b = NULL, *q = NULL, *charge = NULL;
  double _Complex total = 0;

  hyla_status status = hyla_matrix_create(cube, HYLA_DOUBLE, panels, panels, NULL, &p);
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, panels, 1, NULL, &b);
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, panels, 1, NULL, &q);
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, 1, 1, NULL, &charge);

  if (!status) status = hyla_matrix_fill(cube, p, coefficient, &n);
  if (!status) status = hyla_matrix_generate(cube, b, HYLA_ONES, 0);
  if (!status && prefix) status = write_system(cube, p, b, prefix);

  if (!status) status = hyla_solve(cube, p, b, q, NULL);
  if (!status) status = hyla_residual(cube, p, q, b, residual);
  if (!status) status = hyla_gemm(cube, HYLA_TRANSPOSE, HYLA_NONE, 1, b, q, 0, charge);
  if (!status) status = hyla_matrix_get(cube, charge, 0, 0, &total);
  *value = creal(total);

  hyla_matrix_destroy(&charge);
  hyla_matrix_destroy(&q);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&p);
  return status;
}

/* Prints one line of the table for each n = first, 2 first, ... last.  Every rank gets the same
 * status, so all ranks take the same way; rank 0 prints. */
static hyla_status table(hyla_cube *cube, const struct conductor *of, int first, int last,
                         const char *prefix) {
  bool speaks = hyla_cube_address(cube) == 0;
  if (speaks)
    printf("%s: published %.7f (%s)\n  %6s %8s %12s %12s %9s\n", of->name, of->published,
           of->reference, "n", "panels", "capacitance", "difference", "residual");
  for (int n = first; n <= last; n *= 2) {
    double value = 0, residual = 0;
    hyla_status status = capacitance(cube, of->faces, n, prefix, &value, &residual);
    if (status) return status;
    if (speaks)
      printf("  %6d %8d %12.7f %12.7f %9.4f\n", n, of->faces * n * n, value, value - of->published,
             residual);
  }
  return HYLA_OK;
}

/* The conductor that the argument names; NULL: both. */
static const struct conductor *chosen(const char *name) {
  if (name && strcmp(name, plate.name) == 0) return &plate;
  if (name && strcmp(name, cube6.name) == 0) return &cube6;
  return NULL;
}

/* The words in one text, which the caller frees; NULL: no memory. */
static char *join(int argc, char **argv) {
  size_t size = 1;
  for (int i = 0; i < argc; i++) size += strlen(argv[i]) + 1;
  char *text = malloc(size), *end = text;
  for (int i = 0; i < argc && text; i++) end += sprintf(end, i ? " %s" : "%s", argv[i]);
  return text;
}

/* A rank that ended because of its words alone would leave the others waiting. */
static hyla_status agree(int argc, char **argv, int rank) {
  char why[400], *words = join(argc, argv);
  hyla_status status = hyla_words_agree(MPI_COMM_WORLD, NULL, words, why, sizeof why);
  if (status && rank == 0) fprintf(stderr, "capacitance: %s\n", why);
  free(words);
  return status;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const struct conductor *one = chosen(argc > 1 ? argv[1] : NULL);
  int n = argc > 2 ? atoi(argv[2]) : 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (agree(argc, argv, rank)) {
    MPI_Finalize();
    return 2;
  }
  if (argc > 4 || (argc > 1 && !one) || (argc > 2 && (n < 1 || n > 1000))) {
    if (rank == 0) fprintf(stderr, "usage: capacitance [plate|cube [PANELS [PREFIX]]]\n");
    MPI_Finalize();
    return 2;
  }

  hyla_cube *cube = NULL;
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, NULL, &cube);
  if (!status && n > 0)
    status = table(cube, one, n, n, argc > 3 ? argv[3] : NULL);
  else {
    if (!status && one != &cube6) status = table(cube, &plate, 4, 32, NULL);
    if (!status && one != &plate) status = table(cube, &cube6, 2, 16, NULL);
  }
  if (status && rank == 0) fprintf(stderr, "capacitance: %s\n", hyla_cube_message(cube));
  hyla_cube_destroy(&cube);
  MPI_Finalize();
  return status ? 1 : 0;
}
