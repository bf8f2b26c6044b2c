/* CMocka under MPI.
 *
 * Each test function is run by CMocka as a group of one, between hooks that redirect CMocka's own
 * printing into a file.  So its report becomes this rank's verdict, while the test's and the
 * library's output goes to its usual place.  Rank 0 gathers the verdicts by non-blocking calls,
 * with naps between polls, because MPICH's blocking calls spin and because a failed rank must be
 * able to give up on ranks that will never come. */
#include "harness.h"

#include "base/base.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 1024, NOTE = 256, TAG_VERDICT = 1, TAG_ANSWER = 2 };

enum state { MISSING, PASSED, SKIPPED, FAILED };

struct agreement {
  enum state state;
  char text[TEXT]; /* file:line: message */
};

/* CMocka's hooks and signal handlers take no argument for our use. */
static struct {
  int rank, ranks;
  MPI_Comm comm; /* MPI_COMM_NULL in a serial program */
  unsigned limit, grace;
  uint64_t seed, stream;
  const struct CMUnitTest *test; /* NULL between tests */
  char where[128];               /* "rank 3: name", for signal handlers */
  char note[NOTE];
  FILE *capture;
  int screen[2]; /* the true standard output and error */
} run = {.ranks = 1};

int harness_rank(void) { return run.rank; }
int harness_ranks(void) { return run.ranks; }

/* The splitmix64 step. */
static uint64_t mix(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

int64_t harness_draw(int64_t low, int64_t high) {
  uint64_t span = (uint64_t)high - (uint64_t)low + 1;
  uint64_t draw = mix(&run.stream);
  return (int64_t)((uint64_t)low + (span == 0 ? draw : draw % span));
}

void harness_on_a_cube(void) { setenv("HYLA_ARRAY", "cube", 0); }

void harness_note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(run.note, sizeof run.note, format, arguments);
  va_end(arguments);
}

static bool is_prime(int64_t n) {
  for (int64_t i = 2; i * i <= n; i++)
    if (n % i == 0) return false;
  return n >= 2;
}

int harness_sizes(int p, int64_t sizes[HARNESS_SIZES]) {
  int64_t prime = 2 * (int64_t)p + 1;
  while (!is_prime(prime)) prime++;
  const int64_t wanted[HARNESS_SIZES] = {0, 1, p - 1, p, p + 1, prime};
  int count = 0;
  for (int i = 0; i < HARNESS_SIZES; i++) {
    bool seen = false;
    for (int j = 0; j < count; j++) seen = seen || sizes[j] == wanted[i];
    if (!seen) sizes[count++] = wanted[i];
  }
  return count;
}

/* ------------------------------------------------------- one test -- */

static void capture_begin(void) {
  fflush(NULL);
  dup2(fileno(run.capture), STDOUT_FILENO);
  dup2(fileno(run.capture), STDERR_FILENO);
}

static void capture_end(void) {
  fflush(NULL);
  dup2(run.screen[0], STDOUT_FILENO);
  dup2(run.screen[1], STDERR_FILENO);
}

static int before(void **state) {
  capture_end();
  return run.test->setup_func != NULL ? run.test->setup_func(state) : 0;
}

static void body(void **state) { run.test->test_func(state); }

static int after(void **state) {
  int status = run.test->teardown_func != NULL ? run.test->teardown_func(state) : 0;
  capture_begin();
  return status;
}

static void append(char *text, const char *more) {
  size_t length = strlen(text);
  snprintf(text + length, TEXT - length, "%s", more);
}

/* CMocka prints "[  ERROR   ] --- message" (perhaps several lines) and "[   LINE   ] --- file:line:
 * error: Failure!"; this makes "file:line: message" of it. */
static void read_report(struct agreement *verdict) {
  char line[TEXT], place[TEXT] = "", message[TEXT] = "";
  bool inside = false;
  rewind(run.capture);
  while (fgets(line, sizeof line, run.capture) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char *text = strstr(line, "] --- ");
    if (strncmp(line, "[   LINE   ]", 12) == 0 && text != NULL) {
      char *end = strstr(text, "error: Failure!");
      if (end != NULL) *end = '\0';
      snprintf(place, sizeof place, "%s", text + 6);
      inside = false;
    } else if (strncmp(line, "[  ERROR   ]", 12) == 0 && text != NULL) {
      append(message, text + 6);
      inside = true;
    } else if (line[0] == '[') {
      inside = false;
      if (strncmp(line, "[  SKIPPED ]", 12) == 0) verdict->state = SKIPPED;
    } else if (inside && line[0] != '\0') {
      append(message, "; ");
      append(message, line);
    }
  }
  if (verdict->state != FAILED) return;
  append(verdict->text, place);
  append(verdict->text, message[0] != '\0' ? message : "failed outside of the test function");
  if (run.note[0] == '\0') return;
  append(verdict->text, " [");
  append(verdict->text, run.note);
  append(verdict->text, "]");
}

static void run_one(const struct CMUnitTest *test, struct agreement *verdict) {
  run.test = test;
  run.note[0] = '\0';
  run.stream = run.seed;
  for (const char *c = test->name; *c != '\0'; c++) run.stream = mix(&run.stream) ^ (uint64_t)*c;
  snprintf(run.where, sizeof run.where, "rank %d: %s", run.rank, test->name);
  rewind(run.capture);
  if (ftruncate(fileno(run.capture), 0) != 0) perror("harness: cannot clear the capture file");
  const struct CMUnitTest hooked[1] = {{test->name, body, before, after, test->initial_state}};
  memset(verdict, 0, sizeof *verdict);
  alarm(run.limit);
  capture_begin();
  verdict->state =
      cmocka_run_group_tests_name(test->name, hooked, NULL, NULL) == 0 ? PASSED : FAILED;
  capture_end();
  alarm(0);
  read_report(verdict);
  run.test = NULL;
}

/* ------------------------------------------------- ends out of turn -- */

static void say(const char *text) {
  ssize_t written = write(run.screen[1], text, strlen(text));
  (void)written; /* nobody is left to be told */
}

/* Only write(2) here: the process may be in any state. */
static void say_where(const char *what) {
  say("FAILED ");
  say(run.where);
  say(what);
  if (run.note[0] != '\0') {
    say(" [");
    say(run.note);
    say("]");
  }
  say("\n");
}

static void on_signal(int number) {
  if (number == SIGALRM) {
    say_where(": does not end within HYLA_TEST_LIMIT");
    sleep(1); /* gives other hanging ranks time to report before the launcher ends them */
    _exit(1);
  }
  say_where(": aborted");
  signal(number, SIG_DFL);
  raise(number);
}

/* In the place of the library's own (lib/base/guard.c), which writes to the log. */
void hy_overrun(const struct hy_base *base, int64_t bytes) {
  char what[64];
  (void)base;
  snprintf(what, sizeof what, ": a block of %lld bytes was written behind its end",
           (long long)bytes);
  say_where(what);
  abort();
}

/* MPI itself exits on the ranks that another rank's abort reaches.  The launcher ends those within
 * a second, and they need not add to the report. */
static void on_exit_early(void) {
  if (run.test == NULL) return;
  sleep(1);
  say_where(": the process left in the middle of the test");
  _exit(1);
}

/* --------------------------------------------------------- verdicts -- */

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Prints each failure once with the ranks that had it, and the ranks that are missing. */
static void report(const char *name, const struct agreement *all, int first, int count) {
  fprintf(stderr, "FAILED %s at %d rank%s, seed %llu\n", name, run.ranks, run.ranks > 1 ? "s" : "",
          (unsigned long long)run.seed);
  for (int i = 0; i < count; i++) {
    bool seen = all[i].state != FAILED && all[i].state != MISSING;
    for (int j = 0; j < i; j++)
      seen = seen || (all[j].state == all[i].state && strcmp(all[j].text, all[i].text) == 0);
    if (seen) continue;
    for (int j = i; j < count; j++)
      if (all[j].state == all[i].state && strcmp(all[j].text, all[i].text) == 0)
        fprintf(stderr, "%s%d", j == i ? "  rank " : " ", first + j);
    fprintf(stderr, ": %s\n", all[i].state == MISSING ? "still in the test, or gone" : all[i].text);
  }
  fflush(stderr);
}

/* Waits for requests; a verdict with a failure shortens the wait to the grace.  all is NULL for
 * messages that hold no verdict. */
static bool finish(MPI_Request *requests, int count, const struct agreement *all, double deadline) {
  for (int polls = 0;;) {
    bool open = false;
    for (int i = 0; i < count; i++) {
      if (requests[i] == MPI_REQUEST_NULL) continue;
      int done = 0;
      MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
      open = open || !done;
      if (done && all != NULL && all[i].state == FAILED && deadline > now() + run.grace)
        deadline = now() + run.grace;
    }
    if (!open) return true;
    if (now() > deadline) return false;
    harness_wait(polls++);
  }
}

static void give_up(void) {
  MPI_Abort(run.comm, 1);
  _exit(1);
}

/* Rank 0: receives all verdicts, sends the common one. */
static enum state gather(const char *name, const struct agreement *mine) {
  size_t count = (size_t)run.ranks;
  struct agreement *all = calloc(count, sizeof *all);
  MPI_Request *requests = calloc(count, sizeof(MPI_Request));
  if (all == NULL || requests == NULL) give_up();
  all[0] = *mine;
  requests[0] = MPI_REQUEST_NULL;
  for (int i = 1; i < run.ranks; i++)
    MPI_Irecv(&all[i], (int)sizeof *all, MPI_BYTE, i, TAG_VERDICT, run.comm, &requests[i]);
  unsigned wait = mine->state == FAILED ? run.grace : run.limit + run.grace;
  bool complete = finish(requests, run.ranks, all, now() + wait);
  enum state common = complete ? PASSED : FAILED;
  for (int i = 0; i < run.ranks; i++)
    if (all[i].state > common) common = all[i].state;
  if (common == FAILED) report(name, all, 0, run.ranks);
  if (!complete) give_up();
  int answer = (int)common;
  for (int i = 1; i < run.ranks; i++)
    MPI_Isend(&answer, 1, MPI_INT, i, TAG_ANSWER, run.comm, &requests[i]);
  if (!finish(requests, run.ranks, NULL, now() + run.limit)) give_up();
  free(requests);
  free(all);
  return common;
}

/* The other ranks.  They wait longer than rank 0 does, so that its report, which is about all
 * ranks, comes first.  If rank 0 is the one that hangs, each rank speaks for itself. */
static enum state send_verdict(const char *name, const struct agreement *mine) {
  int answer = 0;
  MPI_Request requests[2];
  MPI_Isend(mine, (int)sizeof *mine, MPI_BYTE, 0, TAG_VERDICT, run.comm, &requests[0]);
  MPI_Irecv(&answer, 1, MPI_INT, 0, TAG_ANSWER, run.comm, &requests[1]);
  double wait = mine->state == FAILED ? 1.5 * run.grace + 0.5 : run.limit + 2.0 * run.grace;
  if (finish(requests, 2, NULL, now() + wait)) return (enum state)answer;
  if (mine->state == FAILED)
    report(name, mine, run.rank, 1);
  else
    fprintf(stderr, "FAILED %s: rank %d had no word from rank 0\n", name, run.rank);
  fflush(stderr);
  give_up();
  return FAILED;
}

static enum state agree(const char *name, const struct agreement *mine) {
  if (run.comm != MPI_COMM_NULL && run.ranks > 1)
    return run.rank == 0 ? gather(name, mine) : send_verdict(name, mine);
  if (mine->state == FAILED) report(name, mine, 0, 1);
  return mine->state;
}

/* ------------------------------------------------------------- main -- */

static unsigned seconds(const char *name, unsigned otherwise) {
  const char *text = getenv(name);
  return text != NULL && *text != '\0' ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

static int prepare(void) {
  const char *seed = getenv("HYLA_SEED");
  run.seed = seed != NULL && *seed != '\0' ? strtoull(seed, NULL, 0) : 1;
  run.limit = seconds("HYLA_TEST_LIMIT", 90);
  run.grace = seconds("HYLA_TEST_GRACE", 5);
  run.capture = tmpfile();
  run.screen[0] = dup(STDOUT_FILENO);
  run.screen[1] = dup(STDERR_FILENO);
  if (run.capture == NULL || run.screen[0] < 0 || run.screen[1] < 0) {
    perror("harness: no temporary file");
    return 1;
  }
  signal(SIGALRM, on_signal);
  signal(SIGABRT, on_signal);
  return atexit(on_exit_early);
}

static int run_all(const struct CMUnitTest *tests, size_t count) {
  const char *only = getenv("HYLA_TEST_ONLY");
  int tally[FAILED + 1] = {0};
  for (size_t i = 0; i < count; i++) {
    if (only != NULL && strstr(tests[i].name, only) == NULL) continue;
    struct agreement verdict;
    run_one(&tests[i], &verdict);
    tally[agree(tests[i].name, &verdict)]++;
  }
  if (run.rank == 0)
    printf("%d rank%s: %d passed, %d failed, %d skipped (seed %llu)\n", run.ranks,
           run.ranks > 1 ? "s" : "", tally[PASSED], tally[FAILED], tally[SKIPPED],
           (unsigned long long)run.seed);
  fflush(NULL);
  return tally[FAILED] > 0;
}

int harness_run_serial(const struct CMUnitTest *tests, size_t count) {
  run.comm = MPI_COMM_NULL;
  return prepare() != 0 || run_all(tests, count) != 0;
}

int harness_run(const struct CMUnitTest *tests, size_t count) {
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return 1;
  MPI_Comm_dup(MPI_COMM_WORLD, &run.comm);
  MPI_Comm_rank(run.comm, &run.rank);
  MPI_Comm_size(run.comm, &run.ranks);
  int status = prepare();
  if (status != 0) give_up();
  status = run_all(tests, count);
  run.note[0] = '\0';
  snprintf(run.where, sizeof run.where, "rank %d: MPI_Finalize", run.rank);
  alarm(run.limit);
  MPI_Comm_free(&run.comm);
  MPI_Finalize();
  alarm(0);
  return status;
}
