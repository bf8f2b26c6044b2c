/* Every routine, type and case of the drop-in, on one grid: without the drop-in, with it by its
 * sizes, and with all calls taken.
 *
 *   mpiexec -n P benchmarks/dropin_cases ROWS TYPES SECONDS N...
 *
 * The grid has ROWS rows of processes; blocks of 32.  Each case has an equal part of the seconds
 * that are left, and the sizes that fit in it.  A line is: MPI P GRID ROUTINE TYPE CASE N, and the
 * microseconds of the slowest process without the drop-in, by size, taken: medians of 5 to 31 calls
 * in turns.  Where the calls by size took over 1.05 of those without the drop-in, they are timed
 * again, up to three times; of these the line has the times whose ratio is least. */
#include "tools/scalapack.h"
#include "tools/tool.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SLOWER = 1.05;
enum { TRIES = 4 };

struct walk {
  struct scalapack *s;
  const char *grid, *types;
  int ranks, rank, count, *n;
  double begun, budget;
};

/* The same on all processes. */
static double now(const struct walk *w) { return scalapack_largest(w->s, tool_clock() - w->begun); }

static double ratio(const double *seconds) {
  return seconds[SCALAPACK_BY_SIZE] / seconds[SCALAPACK_ALONE];
}

static bool time_case(const struct walk *w, const struct scalapack_row *row, int n,
                      double *seconds) {
  double again[SCALAPACK_WAYS];
  if (!scalapack_time(w->s, row, n, SCALAPACK_WAYS, seconds)) return false;
  for (int i = 1; i < TRIES && ratio(seconds) > SLOWER; i++) {
    if (!scalapack_time(w->s, row, n, SCALAPACK_WAYS, again)) return false;
    if (ratio(again) < ratio(seconds)) memcpy(seconds, again, sizeof again);
  }
  return true;
}

static void try_row(const struct walk *w, const struct scalapack_row *row, char type, double part) {
  const char *routine = scalapack_routine(w->s, row, type);
  const double begin = now(w);
  double last = 0, before = begin;
  for (int i = 0; i < w->count && before - begin + 2 * last <= part; i++) {
    double seconds[SCALAPACK_WAYS];
    if (!time_case(w, row, w->n[i], seconds)) return;
    if (w->rank == 0)
      printf("%s %d %s %s %c %d %d %.2f %.2f %.2f\n", HY_MPI, w->ranks, w->grid, routine, type,
             scalapack_kind(row), w->n[i], 1e6 * seconds[SCALAPACK_ALONE],
             1e6 * seconds[SCALAPACK_BY_SIZE], 1e6 * seconds[SCALAPACK_TAKEN]);
    const double end = now(w);
    last = end - before, before = end;
  }
}

static void walk(const struct walk *w, int p) {
  int rows = 0, done = 0;
  while (scalapack_row_at(rows) != NULL) rows++;
  for (const char *type = w->types; *type != '\0'; type++) {
    scalapack_begin_grid(w->s, *type, p, w->ranks / p);
    for (int i = 0; i < rows; i++, done++) {
      const struct scalapack_row *row = scalapack_row_at(i);
      if (scalapack_routine(w->s, row, *type) == NULL) continue;
      const int left = rows * (int)strlen(w->types) - done;
      try_row(w, row, *type, (w->budget - now(w)) / left);
    }
    scalapack_end_grid(w->s);
  }
}

int main(int count, char **texts) {
  MPI_Init(&count, &texts);
  struct walk w = {.begun = tool_clock()};
  char why[512] = "usage: dropin_cases ROWS TYPES SECONDS N...";
  MPI_Comm_size(MPI_COMM_WORLD, &w.ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
  const int p = count > 4 ? atoi(texts[1]) : 0;
  int n[16];
  if (p > 0 && w.ranks % p == 0) w.s = scalapack_load(NULL, why, sizeof why);
  if (w.s == NULL) {
    if (w.rank == 0) fprintf(stderr, "%s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  w.grid = w.ranks == 1 ? "one" : p == 1 ? "row" : p == w.ranks ? "column" : "array";
  w.types = texts[2], w.budget = atof(texts[3]), w.n = n;
  for (int i = 4; i < count && w.count < (int)(sizeof n / sizeof *n); i++)
    if (atoi(texts[i]) > 0 && atoi(texts[i]) <= 1024) n[w.count++] = atoi(texts[i]);
  walk(&w, p);
  scalapack_free(w.s);
  MPI_Finalize();
  return 0;
}
