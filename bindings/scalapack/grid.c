/* BLACS' grids and their cubes.  A context's cube is made when the first call on it is taken, and
 * kept until BLACS ends the context, or MPI or the process ends.
 *
 * The grid's own communicator, which BLACS lends, is renumbered by rows, whatever the order of
 * BLACS_GRIDINIT or the map of BLACS_GRIDMAP.  So process (i, j) is the rank i q + j that
 * hyla_matrix_wrap_scalapack expects.
 *
 * A square grid whose side is no power of two has a second context for its first processes. */
#include "dropin.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct dropin_grid *grids;

/* Functions of BLACS' C interface. */
typedef void grid_info(int context, int *p, int *q, int *row, int *col);
typedef void get_value(int context, int what, int *value);
typedef MPI_Comm system_handle(int handle);
typedef void leave(int context);
typedef int new_handle(MPI_Comm processes);
typedef void new_grid(int *context, const char *order, int p, int q);
enum { SYSTEM_OF_GRID = 10 };

/* Frees a grid; if the program has ended MPI, MPI's objects are gone already. */
static void drop(struct dropin_grid **place) {
  struct dropin_grid *grid = *place;
  int finalized = 0;
  *place = grid->next;
  hyla_cube_destroy(&grid->cube);
  MPI_Finalized(&finalized);
  if (!finalized && grid->processes != MPI_COMM_NULL) {
    if (grid->stage >= 0) ((leave *)dropin_find("Cblacs_gridexit"))(grid->stage);
    MPI_Comm_free(&grid->processes);
  }
  free(grid);
}

static struct dropin_grid **place_of(int context) {
  struct dropin_grid **place = &grids;
  while (*place != NULL && (*place)->context != context) place = &(*place)->next;
  return place;
}

/* Drops the cube of the context's stage first. */
void dropin_drop_context(int context) {
  struct dropin_grid *grid = *place_of(context);
  if (grid == NULL) return;
  if (grid->stage >= 0) dropin_drop_context(grid->stage);
  drop(place_of(context));
}

/* Stages were made after their grids, so they come first. */
void dropin_drop_all(void) {
  while (grids != NULL) drop(&grids);
}

static bool is_power(int value) { return (value & (value - 1)) == 0; }

/* Plans a stage: the largest power of two of a square grid's processes, as square as possible. */
static void plan_stage(struct dropin_grid *grid) {
  grid->stage = -1;
  grid->processes = MPI_COMM_NULL;
  if (grid->p != grid->q || is_power(grid->p)) return;
  grid->stage_p = grid->stage_q = 1;
  while (2 * grid->stage_p * grid->stage_q <= grid->p * grid->q)
    *(grid->stage_p < grid->stage_q ? &grid->stage_p : &grid->stage_q) *= 2;
}

void dropin_grid_shape(int context, int *p, int *q, int *row, int *col) {
  ((grid_info *)dropin_find("Cblacs_gridinfo"))(context, p, q, row, col);
}

struct dropin_grid *dropin_grid_find(int context) {
  struct dropin_grid grid = {.context = context};
  dropin_grid_shape(context, &grid.p, &grid.q, &grid.row, &grid.col);
  if (grid.row < 0 || grid.col < 0) return NULL;
  for (struct dropin_grid *old = grids; old != NULL; old = old->next)
    if (old->context == context) return old;
  struct dropin_grid *kept = malloc(sizeof *kept);
  if (kept == NULL) return NULL;
  plan_stage(&grid);
  *kept = grid;
  kept->next = grids;
  grids = kept;
  return kept;
}

/* Waits for ever, as ScaLAPACK does, unless the environment has a limit.  At level 1 the log is the
 * drop-in's alone. */
static void choose_options(hyla_options *options) {
  hyla_options_init(options);
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
  choose_options(&options);
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

bool dropin_grid_is_staged(const struct dropin_grid *grid) { return grid->stage_p > 0; }

/* Makes the next library's context of the first processes. */
bool dropin_grid_stage(struct dropin_grid *grid) {
  if (grid->is_stage_made) return true;
  if (!dropin_grid_processes(grid)) return false;
  grid->is_stage_made = true;
  int handle = ((new_handle *)dropin_find("Csys2blacs_handle"))(grid->processes);
  grid->stage = handle;
  ((new_grid *)dropin_find("Cblacs_gridinit"))(&grid->stage, "Row", grid->stage_p, grid->stage_q);
  ((leave *)dropin_find("Cfree_blacs_system_handle"))(handle);
  return true;
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
