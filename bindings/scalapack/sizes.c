/* The sizes from which calls are taken, because hyla is then faster than ScaLAPACK: by routine,
 * type, shape of the grid and case.  sizes.h has the built-in ones.  A file has others, as `hyla
 * machine --scalapack' writes it: HYLA_SCALAPACK_SIZES names it, or else it is called as the
 * machine file that HYLA_MACHINE names, with .scalapack behind it.  Its lines:
 *
 *   ROUTINE TYPE GRID CASE SIZE
 *   mpi KIND
 *
 * GRID: one, row, column or array of processes.  CASE: 0 to 3, see `kind' in dropin.h.  SIZE: inf
 * for never.  The rest of a line from # on is a comment.  Where the table has no line, single
 * precision has the sizes of double.  KIND: mpich, openmpi or other; a table for another MPI is not
 * used.  The file is used on a grid whose processes all read the same one. */
#include "dropin.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sizes.h"

enum { REAL_TYPES = 4, GRIDS = 4, KINDS = 4 };
typedef float sizes[DROPIN_COUNT][REAL_TYPES][GRIDS][KINDS];

static sizes built_in, given;
static bool begun, named;     /* does the environment name a file? */
static uint64_t sum_of_given; /* 0: there is no file, or it is for another MPI */

static int index_of(const char *const *names, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

static int routine_of(const char *name) {
  for (int i = 0; i < DROPIN_COUNT; i++)
    if (strcmp(dropin_routines[i].name, name) == 0) return i;
  return -1;
}

/* Lines that say something else are skipped. */
static void read_line(const char *line, sizes to) {
  static const char *const grids[] = {"one", "row", "column", "array"};
  char name[16], grid[8], type[2];
  int kind = 0;
  float from = 0;
  if (sscanf(line, "%15s %1s %7s %d %f", name, type, grid, &kind, &from) != 5) return;
  const int routine = routine_of(name), shape = index_of(grids, GRIDS, grid);
  const char *letter = strchr("sdcz", type[0]);
  if (routine < 0 || shape < 0 || letter == NULL || kind < 0 || kind >= KINDS) return;
  to[routine][letter - "sdcz"][shape][kind] = from;
}

/* Sizes of single precision that are not given; -1: not given. */
static void complete(sizes table) {
  for (int i = 0; i < DROPIN_COUNT; i++)
    for (int g = 0; g < GRIDS; g++)
      for (int k = 0; k < KINDS; k++)
        for (int type = HYLA_DOUBLE; type <= HYLA_DOUBLE_COMPLEX; type += 2) {
          if (table[i][type][g][k] < 0) table[i][type][g][k] = (float)dropin_routines[i].from;
          if (table[i][type - 1][g][k] < 0) table[i][type - 1][g][k] = table[i][type][g][k];
        }
}

static void clear(sizes table) {
  for (float *size = &table[0][0][0][0]; size < &table[0][0][0][0] + sizeof(sizes) / sizeof *size;)
    *size++ = -1;
}

static bool is_for_another(const char *line) {
  char kind[16];
  return sscanf(line, "mpi %15s", kind) == 1 && strcmp(kind, HY_MPI) != 0;
}

static void read_file(const char *path) {
  char line[1024];
  bool fits = true;
  FILE *file = fopen(path, "r");
  if (file == NULL) return;
  memcpy(given, built_in, sizeof given);
  sum_of_given = 1;
  while (fgets(line, sizeof line, file) != NULL) {
    for (const char *c = line; *c != '\0' && *c != '#'; c++)
      sum_of_given = sum_of_given * 1099511628211u + (unsigned char)*c;
    read_line(line, given);
    fits = fits && !is_for_another(line);
  }
  fclose(file);
  if (!fits) sum_of_given = 0;
}

/* Reads the file that the environment names, if there is one. */
static void read_named(void) {
  const char *path = getenv("HYLA_SCALAPACK_SIZES"), *machine = getenv("HYLA_MACHINE");
  char beside[4096];
  if (path == NULL || path[0] == '\0') {
    if (machine == NULL || machine[0] == '\0') return;
    snprintf(beside, sizeof beside, "%s.scalapack", machine);
    path = beside;
  }
  named = true;
  read_file(path);
}

static void begin(void) {
  begun = true;
  clear(built_in);
  for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) read_line(SIZES[i], built_in);
  complete(built_in);
  read_named();
}

/* Have all processes of the grid read the same file?  Collective at a grid's first call. */
static bool agree(struct dropin_grid *grid) {
  if (grid->asked) return grid->has_sizes;
  if (!dropin_grid_processes(grid)) return false;
  int64_t range[2] = {(int64_t)(sum_of_given >> 2), -(int64_t)(sum_of_given >> 2)};
  dropin_share(grid, range, 2, MPI_INT64_T, MPI_MAX);
  grid->asked = true;
  grid->has_sizes = range[0] == -range[1] && sum_of_given != 0;
  return grid->has_sizes;
}

double dropin_from(const struct dropin_call *call) {
  struct dropin_grid *grid = call->grid;
  if (!begun) begin();
  if ((int)call->type >= REAL_TYPES) return dropin_routines[call->number].from;
  const int shape = grid->p * grid->q == 1 ? 0 : grid->p == 1 ? 1 : grid->q == 1 ? 2 : 3;
  const bool by_file = call->alone ? sum_of_given != 0 : named && agree(grid);
  return (double)(by_file ? given : built_in)[call->number][call->type][shape][call->kind];
}
