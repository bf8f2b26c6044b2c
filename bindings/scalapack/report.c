/* With HYLA_LOG=1: when the process ends, rank 0 of MPI_COMM_WORLD prints how many calls of each
 * routine were taken, all on the program's own processes, or passed on, why, and their seconds; and
 * the share of all calls that were taken. */
#include "dropin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASONS = 12 };

struct tally {
  int64_t taken, passed;
  double taken_seconds, passed_seconds;
  struct {
    char why[DROPIN_WHY];
    int64_t calls;
  } reason[REASONS];
};

static struct tally tallies[DROPIN_COUNT][DROPIN_TYPES];
static bool is_first;

void dropin_count(enum dropin_number number, hyla_type type, const char *why, double seconds) {
  struct tally *tally = &tallies[number][type];
  if (tally->taken + tally->passed == 0) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    is_first = rank == 0;
  }
  if (why == NULL) {
    tally->taken++;
    tally->taken_seconds += seconds;
    return;
  }
  tally->passed++;
  tally->passed_seconds += seconds;
  for (int i = 0; i < REASONS; i++) {
    char *known = tally->reason[i].why;
    if (known[0] != '\0' && strcmp(known, why) != 0) continue;
    snprintf(known, DROPIN_WHY, "%s", why);
    tally->reason[i].calls++;
    return;
  }
}

static void print(const char *name, const struct tally *tally) {
  fprintf(stderr, "  %-8s %8lld %10.3f %10lld %10.3f", name, (long long)tally->taken,
          tally->taken_seconds, (long long)tally->passed, tally->passed_seconds);
  const char *between = "  ";
  for (int i = 0; i < REASONS && tally->reason[i].calls > 0; i++) {
    fprintf(stderr, "%s%lld %s", between, (long long)tally->reason[i].calls, tally->reason[i].why);
    between = ", ";
  }
  fprintf(stderr, "\n");
}

/* Questions for the length of a workspace are no work. */
static int64_t queries(const struct tally *tally) {
  for (int i = 0; i < REASONS && tally->reason[i].calls > 0; i++)
    if (strcmp(tally->reason[i].why, "query") == 0) return tally->reason[i].calls;
  return 0;
}

__attribute__((destructor)) static void report(void) {
  const char *level = getenv("HYLA_LOG");
  if (!is_first || level == NULL || atoi(level) < 1) return;
  fprintf(stderr, "hyla_scalapack, calls on rank 0:\n  %-8s %8s %10s %10s %10s  why\n", "routine",
          "taken", "seconds", "passed on", "seconds");
  int64_t taken = 0, all = 0;
  for (int number = 0; number < DROPIN_COUNT; number++)
    for (int type = 0; type < DROPIN_TYPES; type++) {
      const struct tally *tally = &tallies[number][type];
      char name[16];
      taken += tally->taken;
      all += tally->taken + tally->passed - queries(tally);
      snprintf(name, sizeof name, "p%c%s", dropin_letter((hyla_type)type),
               dropin_routines[number].name);
      if (tally->taken + tally->passed > 0) print(name, tally);
    }
  if (all > 0)
    fprintf(stderr, "  in place %lld of %lld calls (%.1f %%)\n", (long long)taken, (long long)all,
            100.0 * (double)taken / (double)all);
}
