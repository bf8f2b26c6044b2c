/* BLACS' grids and their cubes.  A context's cube is made when the first call on it is taken, and
 * kept until BLACS ends the context, or MPI or the process ends.
 *
 * The grid's own communicator, which BLACS lends, is renumbered by rows, whatever the order of
 * BLACS_GRIDINIT or the map of BLACS_GRIDMAP.  So process (i, j) is the rank i q + j that
 * hyla_matrix_wrap_scalapack expects. */
#include "dropin.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct dropin_grid *grids;

/* Functions of BLACS' C interface. */
typedef void grid_info(int context, int *p, int *q, int *row, int *col);
typedef void get_value(int context, int what, int *value);
typedef MPI_Comm system_handle(int handle);
enum { SYSTEM_OF_GRID = 10 };

/* Frees a grid; if the program has ended MPI, MPI's objects are gone already. */
static void drop(struct dropin_grid **place) {
  struct dropin_grid *grid = *place;
  int finalized = 0;
  *place = grid->next;
  dropin_keep_drop(grid);
  hyla_cube_destroy(&grid->cube);
  MPI_Finalized(&finalized);
  if (!finalized && grid->processes != MPI_COMM_NULL) MPI_Comm_free(&grid->processes);
  free(grid);
}

static struct dropin_grid **place_of(int context) {
  struct dropin_grid **place = &grids;
  while (*place != NULL && (*place)->context != context) place = &(*place)->next;
  return place;
}

void dropin_drop_context(int context) {
  struct dropin_grid **place = place_of(context);
  if (*place != NULL) drop(place);
}

void dropin_drop_all(void) {
  while (grids != NULL) drop(&grids);
}

static bool is_power(int value) { return (value & (value - 1)) == 0; }

/* To look the function up takes as long as all else of a call. */
void dropin_grid_shape(int context, int *p, int *q, int *row, int *col) {
  static grid_info *info;
  if (info == NULL) info = (grid_info *)dropin_find("Cblacs_gridinfo");
  info(context, p, q, row, col);
}

struct dropin_grid *dropin_grid_find(int context) {
  struct dropin_grid grid = {.context = context, .processes = MPI_COMM_NULL};
  dropin_grid_shape(context, &grid.p, &grid.q, &grid.row, &grid.col);
  if (grid.row < 0 || grid.col < 0) return NULL;
  for (struct dropin_grid *old = grids; old != NULL; old = old->next)
    if (old->context == context) return old;
  struct dropin_grid *kept = malloc(sizeof *kept);
  if (kept == NULL) return NULL;
  *kept = grid;
  kept->next = grids;
  grids = kept;
  return kept;
}

/* The text of an array of nodes for hyla_options.array. */
enum { ARRAY_TEXT = 24 };

/* Waits for ever, as ScaLAPACK does, unless the environment has a limit.  At level 1 the log is the
 * drop-in's alone.  The nodes are the grid, which lies on a cube where its sides are powers of
 * two. */
static void choose_options(const struct dropin_grid *grid, char array[ARRAY_TEXT],
                           hyla_options *options) {
  hyla_options_init(options);
  if (is_power(grid->p) && is_power(grid->q))
    snprintf(array, ARRAY_TEXT, "cube");
  else
    snprintf(array, ARRAY_TEXT, "%dx%d", grid->p, grid->q);
  options->array = array;
  if (getenv("HYLA_TIMEOUT") == NULL) options->timeout = 0;
  if (options->log_level > 0) options->log_level--;
}

/* Makes a communicator of the grid's processes, numbered by rows. */
static bool processes_of(const struct dropin_grid *grid, MPI_Comm *own) {
  int handle = 0;
  ((get_value *)dropin_find("Cblacs_get"))(grid->context, SYSTEM_OF_GRID, &handle);
  MPI_Comm lent = ((system_handle *)dropin_find("Cblacs2sys_handle"))(handle);
  return MPI_Comm_split(lent, 0, grid->row * grid->q + grid->col, own) == MPI_SUCCESS;
}

static hyla_status make_cube(struct dropin_grid *grid) {
  MPI_Comm own;
  if (!processes_of(grid, &own)) return HYLA_COMMUNICATION;
  hyla_options options;
  char array[ARRAY_TEXT];
  choose_options(grid, array, &options);
  hyla_status status = hyla_cube_create(own, &options, &grid->cube);
  MPI_Comm_free(&own);
  return status;
}

hyla_cube *dropin_grid_cube(struct dropin_grid *grid) {
  if (grid->cube != NULL || grid->failed) return grid->failed ? NULL : grid->cube;
  grid->failed = make_cube(grid) != HYLA_OK;
  if (grid->failed && grid->row == 0 && grid->col == 0)
    fprintf(stderr, "hyla_scalapack: no cube for a grid of %d x %d, calls go to ScaLAPACK: %s\n",
            grid->p, grid->q, hyla_cube_message(grid->cube));
  return grid->failed ? NULL : grid->cube;
}

bool dropin_grid_processes(struct dropin_grid *grid) {
  if (grid->processes != MPI_COMM_NULL) return true;
  int count = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  grid->has_cores = count <= sysconf(_SC_NPROCESSORS_ONLN);
  return processes_of(grid, &grid->processes);
}

int64_t dropin_local_row(const struct dropin_grid *grid, const int *desc, int64_t index) {
  int64_t block = index / desc[MB];
  if ((block + desc[RSRC]) % grid->p != grid->row) return -1;
  return block / grid->p * desc[MB] + index % desc[MB];
}

int64_t dropin_local_col(const struct dropin_grid *grid, const int *desc, int64_t index) {
  int64_t block = index / desc[NB];
  if ((block + desc[CSRC]) % grid->q != grid->col) return -1;
  return block / grid->q * desc[NB] + index % desc[NB];
}

/* MPI has ended the cubes by now; frees their memory. */
__attribute__((destructor)) static void end(void) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized && finalized) dropin_drop_all();
}
