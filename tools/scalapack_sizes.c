/* hyla machine --scalapack: from which size each routine of the drop-in is faster than the
 * ScaLAPACK library below it, on these ranks.
 *
 * Each routine, type, grid and case is timed in turns by both, for rising sizes in blocks of 32, on
 * the grids 1 x P, P x 1 and, if P is no prime, the most nearly square one.  Each has an equal part
 * of the time that is left, so that the whole keeps its budget.  The table has a line where the
 * size was found, or where hyla is never faster; other cases keep the sizes that are built in. */
#include "operation.h"
#include "options.h"
#include "scalapack.h"
#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int SIZES[] = {16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
enum { LENGTHS = sizeof SIZES / sizeof *SIZES, GRIDS = 3, BLOCK = 32 };

/* Longer calls are not timed: a larger matrix' time is that of the same kernels.  Below LARGE a
 * call is so long only where ranks wait for each other, and tells nothing of larger ones. */
static const double LONGEST = .05;
enum { LARGE = 128 };
/* hyla counts as faster from here, so that noise takes no call. */
static const double FASTER = .97;

/* What was found of a case. */
enum finding { NOT_TRIED, NOT_DONE, NEVER, FOUND, REFUSED };

/* One case: medians at the first `count' sizes, by the library below and by hyla. */
struct tried {
  const struct scalapack_row *row;
  const char *routine;
  char type;
  int grid;
  enum finding finding;
  double from;
  int count;
  double seconds[LENGTHS][2];
};

struct table {
  struct scalapack *libraries;
  struct tried *tried;
  int count, done;
  const char *types;
  int p[GRIDS], grids, ranks; /* rows of the grids */
  double begun, budget, spent;
  char host[64], date[32];
};

static const char *grid_name(const struct table *t, int grid) {
  const int p = t->p[grid];
  return t->ranks == 1 ? "one" : p == 1 ? "row" : p == t->ranks ? "column" : "array";
}

static const char *finding_text(enum finding finding) {
  static const char *const texts[] = {"not tried", "not done", "never", "found", "refused"};
  return texts[finding];
}

/* ---------------------------------------------------------------------- the walk -- */

static void list_grids(struct table *t) {
  int square = 1;
  for (int i = 1; i * i <= t->ranks; i++)
    if (t->ranks % i == 0) square = i;
  t->p[t->grids++] = 1;
  if (t->ranks > 1) t->p[t->grids++] = t->ranks;
  if (square > 1) t->p[t->grids++] = square;
}

static int count_rows(void) {
  int count = 0;
  while (scalapack_row_at(count) != NULL) count++;
  return count;
}

static bool is_faster(const double seconds[2]) { return seconds[1] <= FASTER * seconds[0]; }

/* The size from which all tried sizes are faster; *finding: whether there is one.  One size alone
 * may be an accident. */
static double size_from(const struct tried *it, bool to_the_end, enum finding *finding) {
  const bool is_entry = scalapack_is_entry(it->row);
  double from = INFINITY;
  int faster = 0;
  while (faster < it->count && is_faster(it->seconds[it->count - 1 - faster])) faster++;
  if (faster > 1 || (faster == 1 && is_entry)) from = SIZES[it->count - faster];
  *finding = !isinf(from) ? FOUND : to_the_end && faster == 0 ? NEVER : NOT_DONE;
  return is_entry && !isinf(from) ? 0 : from;
}

/* Collective over the grid, whose processes all see the same times. */
static void try_case(struct table *t, struct tried *it) {
  struct scalapack *s = t->libraries;
  double begin = scalapack_largest(s, tool_clock() - t->begun), now = begin, last = 0;
  const double part = (t->budget - begin) / (t->count - t->done);
  bool to_the_end = false;
  /* The next size may take twice as long. */
  for (int i = 0; i < LENGTHS && now - begin + 2 * last < part && !to_the_end; i++) {
    if (!scalapack_time(s, it->row, SIZES[i], SCALAPACK_TAKEN + 1, it->seconds[i])) {
      it->finding = REFUSED;
      return;
    }
    it->count = i + 1;
    const double before = now;
    now = scalapack_largest(s, tool_clock() - t->begun);
    last = now - before;
    const bool is_long = it->seconds[i][0] > LONGEST || it->seconds[i][1] > LONGEST;
    to_the_end = i + 1 == LENGTHS || scalapack_is_entry(it->row) || (is_long && SIZES[i] >= LARGE);
  }
  if (it->count > 0) it->from = size_from(it, to_the_end, &it->finding);
}

/* Lists the cases of all grids and types; false: no memory. */
static bool list_cases(struct table *t) {
  const int rows = count_rows(), types = (int)strlen(t->types);
  t->tried = calloc((size_t)(rows * types * t->grids), sizeof *t->tried);
  if (t->tried == NULL) return false;
  for (int grid = 0; grid < t->grids; grid++)
    for (const char *type = t->types; *type != '\0'; type++)
      for (int i = 0; i < rows; i++) {
        const struct scalapack_row *row = scalapack_row_at(i);
        const char *routine = scalapack_routine(t->libraries, row, *type);
        if (routine == NULL) continue;
        t->tried[t->count++] =
            (struct tried){.row = row, .routine = routine, .type = *type, .grid = grid};
      }
  return true;
}

static void walk(struct run *run, struct table *t) {
  ticker_phase(run->ticker, "measuring");
  for (t->done = 0; t->done < t->count; t->done++) {
    struct tried *it = &t->tried[t->done], *before = t->done > 0 ? it - 1 : NULL;
    const bool other = before == NULL || before->grid != it->grid || before->type != it->type;
    if (other && before != NULL) scalapack_end_grid(t->libraries);
    if (other)
      scalapack_begin_grid(t->libraries, it->type, t->p[it->grid], t->ranks / t->p[it->grid]);
    try_case(t, it);
    ticker_share(run->ticker, (t->done + 1.) / t->count);
  }
  if (t->count > 0) scalapack_end_grid(t->libraries);
  t->spent = tool_clock() - t->begun;
}

/* ------------------------------------------------------------------- the outcome -- */

static int count_of(const struct table *t, enum finding finding) {
  int count = 0;
  for (int i = 0; i < t->count; i++) count += t->tried[i].finding == finding;
  return count;
}

/* The table as the drop-in reads it. */
static bool write_table(const void *arg, FILE *stream) {
  const struct table *t = arg;
  fprintf(
      stream,
      "# The sizes from which calls of ScaLAPACK's routines are faster by hyla, for the variable\n"
      "# HYLA_SCALAPACK_SIZES; see hyla-machine(1).  %s, %s, %d rank%s, blocks of %d, %.0f s\n"
      "# %s\nmpi " HY_MPI "\n"
      "# routine type grid case size # n ratio of times (hyla's microseconds)\n",
      t->host, t->date, t->ranks, t->ranks == 1 ? "" : "s", BLOCK, t->spent,
      scalapack_file(t->libraries));
  for (int i = 0; i < t->count; i++) {
    const struct tried *it = &t->tried[i];
    const bool is_line = it->finding == FOUND || it->finding == NEVER;
    fprintf(stream, "%s%-7s %c %-6s %d ", is_line ? "" : "# ", it->routine, it->type,
            grid_name(t, it->grid), scalapack_kind(it->row));
    if (is_line)
      fprintf(stream, "%6g #", it->from);
    else
      fprintf(stream, "%s", finding_text(it->finding));
    for (int k = 0; k < it->count && it->finding != REFUSED; k++)
      fprintf(stream, " %d %.2f (%.0f)", SIZES[k], it->seconds[k][1] / it->seconds[k][0],
              1e6 * it->seconds[k][1]);
    fprintf(stream, "\n");
  }
  return true;
}

static json_t *case_json(const struct table *t, const struct tried *it) {
  json_t *tried = json_array();
  for (int k = 0; k < it->count; k++)
    json_array_append_new(tried,
                          json_pack("{s:i, s:f, s:f}", "n", SIZES[k], "seconds", it->seconds[k][1],
                                    "seconds_scalapack", it->seconds[k][0]));
  const char type[2] = {it->type, '\0'};
  json_t *from = it->finding == FOUND ? json_real(it->from) : json_null();
  return json_pack("{s:s, s:s, s:s, s:i, s:s, s:o, s:o}", "routine", it->routine, "type", type,
                   "grid", grid_name(t, it->grid), "case", scalapack_kind(it->row), "finding",
                   finding_text(it->finding), "from", from, "tried", tried);
}

static void print_json(const struct run *run, const struct table *t) {
  json_t *sizes = json_array();
  for (int i = 0; i < t->count; i++) json_array_append_new(sizes, case_json(t, &t->tried[i]));
  json_t *json = json_pack(
      "{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:f, s:f, s:o}", "op", "machine --scalapack", "status",
      "HYLA_OK", "host", t->host, "mpi", HY_MPI, "library", scalapack_file(t->libraries), "ranks",
      t->ranks, "block", BLOCK, "budget", t->budget, "seconds", t->spent, "sizes", sizes);
  if (run->options.output) json_object_set_new(json, "written", json_string(run->options.output));
  json_line(json);
}

static int give(const struct run *run, const struct table *t) {
  const char *output = run->options.output;
  int code = EXIT_DONE;
  if (output) code = write_whole(run, output, write_table, t);
  if (code != EXIT_DONE) return code;
  if (run->options.json) {
    print_json(run, t);
  } else if (output) {
    printf("%d cases in %.0f s: %d from a size, %d never faster, %d not done in the time, %d not "
           "tried\nwritten to %s; the drop-in reads it by HYLA_SCALAPACK_SIZES\n",
           t->count, t->spent, count_of(t, FOUND), count_of(t, NEVER), count_of(t, NOT_DONE),
           count_of(t, NOT_TRIED) + count_of(t, REFUSED), output);
  } else {
    write_table(t, stdout);
  }
  return EXIT_DONE;
}

/* Collective.  Have all ranks loaded the same libraries? */
static bool load(struct run *run, struct table *t) {
  char why[512], all[512] = "";
  t->libraries = scalapack_load(run->options.scalapack, why, sizeof why);
  const char *file = t->libraries ? scalapack_file(t->libraries) : "";
  const hyla_status status = hyla_words_agree(MPI_COMM_WORLD, NULL, file, all, sizeof all);
  if (status == HYLA_OK && t->libraries) return true;
  if (!t->libraries)
    tell(run, "%s", why);
  else
    tell(run, "not all ranks can load %s", file);
  return false;
}

int tool_machine_scalapack(struct run *run) {
  static const char *const letters[] = {"s", "d", "c", "z"};
  const bool given = run->options.given & OPTION_BIT(KEY_TYPE);
  struct table t = {.types = given ? letters[run->options.type] : "dz",
                    .ranks = run->ranks,
                    .budget = run->options.budget,
                    .begun = tool_clock()};
  const time_t now = time(NULL);
  struct tm day;
  int code = EXIT_USE;
  if (gethostname(t.host, sizeof t.host - 1) != 0) strcpy(t.host, "unknown");
  if (gmtime_r(&now, &day) != NULL) strftime(t.date, sizeof t.date, "%Y-%m-%d", &day);
  list_grids(&t);
  if (load(run, &t)) {
    if (list_cases(&t)) {
      walk(run, &t);
      code = EXIT_DONE;
    } else {
      tell(run, "no memory");
    }
  }
  ticker_stop(&run->ticker);
  if (code == EXIT_DONE && run->rank == 0) code = give(run, &t);
  free(t.tried);
  scalapack_free(t.libraries);
  return code;
}
