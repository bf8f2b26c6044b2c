/* Random programs in which a system call or an allocation fails, in one rank of several.
 *
 *   mpiexec -n P env LD_PRELOAD=failing.so calls SECONDS SEED [FIRST]
 *
 * Each program (operations.c), with its cube, runs first without failures, which counts the calls
 * of each rank.  Then it runs once for each call of each rank, which fails alone or with all later
 * ones; if there are many calls, only every STEP-th fails, drawn.  All ranks must end with the same
 * status and message, MEMORY or that of the first run; with OK, the result must be that of the
 * first run to the last bit; and no memory, mapping or descriptor may be left.  Exit status 0: no
 * fault was found; 1: some were. */
#include "failing.h"
#include "operations.h"
#include "random.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS_MOST = 60 }; /* for a program and a rank */

struct outcome {
  int status; /* of the program, or of its cube */
  bool mute;  /* there is no room for a cube, and so none for a message */
  uint64_t result;
  char message[HY_MESSAGE_MAX];
  struct failing left;
};

struct calls {
  int rank, ranks;
  uint64_t seed;
  int64_t number, runs, told;
  double end;
  hyla_cube *meeting;
  failing_arm_function *arm;
  failing_look_function *look;
};

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Makes a cube, runs the program on it, and destroys the cube. */
static struct outcome play(const struct calls *c, const struct trial *drawn, long at, bool on) {
  struct trial t = *drawn;
  struct outcome outcome = {.result = 0};
  hyla_options options;
  hyla_options_init(&options);
  options.timeout = 20;
  options.array = "cube"; /* for the layouts */
  options.private_memory = t.seed % 3 == 0;
  hyla_cube *cube = NULL;
  c->arm(at, on);
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, &options, &cube);
  if (status == HYLA_OK) status = trial_run(cube, &t);
  const char *message = hyla_cube_message(cube);
  outcome.mute = cube == NULL;
  if (status != HYLA_OK) snprintf(outcome.message, HY_MESSAGE_MAX, "%s", message);
  hyla_status destroyed = hyla_cube_destroy(&cube);
  c->look(&outcome.left);
  c->arm(0, false);
  outcome.status = (int)(status != HYLA_OK ? status : destroyed);
  if (status == HYLA_OK) outcome.result = t.result[c->rank];
  return outcome;
}

/* The maxima over all ranks, by a cube that is kept for this: MPI's own calls would not leave the
 * core. */
static void find_most(const struct calls *c, int64_t *most, int count) {
  if (hyla_cube_max(c->meeting, most, count) != HYLA_OK) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The fault; NULL: there is none.  right: the result of the run without failures. */
static const char *judge(const struct calls *c, const struct outcome *it,
                         const struct outcome *right) {
  int64_t words = (int64_t)(hy_fingerprint(0, it->message, strlen(it->message)) >> 1);
  int64_t most[] = {it->status, -it->status, words, -words, it->mute};
  find_most(c, most, 5);
  if (most[0] != -most[1]) return "ranks differ in their status";
  if (most[2] != -most[3] && most[4] == 0) return "ranks differ in their message";
  if (it->left.blocks != right->left.blocks || it->left.maps != right->left.maps ||
      it->left.descriptors != right->left.descriptors)
    return "something is left";
  if (it->status != HYLA_MEMORY && it->status != right->status) return "a wrong status";
  if (it->status == HYLA_OK && it->result != right->result) return "a wrong result";
  if (it->status != HYLA_OK && it->message[0] == '\0' && !it->mute)
    return "a failure without a message";
  return NULL;
}

static bool say(const struct calls *c, const struct trial *t, const struct outcome *it,
                const char *wrong, int victim, long at, bool on) {
  int64_t any = wrong != NULL;
  find_most(c, &any, 1);
  if (any)
    fprintf(
        stderr,
        "calls: seed %" PRIu64 ", program %" PRId64 ": %s\n  %s:%s type %d %dx%dx%d %s %s %s, "
        "call %ld%s of rank %d of %d\n  rank %d: %s \"%s\", left are %ld blocks, %ld mappings, %d "
        "descriptors; %s failed\n",
        c->seed, c->number, wrong != NULL ? wrong : "(another rank)", t->operation,
        t->variant != NULL ? t->variant : "(chosen)", (int)t->type, (int)t->m, (int)t->n, (int)t->k,
        t->layout[0], t->layout[1], t->layout[2], at, on ? " and later ones" : "", victim, c->ranks,
        c->rank, hyla_status_name((hyla_status)it->status), it->message, it->left.blocks,
        it->left.maps, it->left.descriptors, it->left.failed != NULL ? it->left.failed : "nothing");
  return any == 0;
}

/* Lets all calls of a rank fail in turn, or some of them. */
static bool try_rank(struct calls *c, const struct trial *t, const struct outcome *right,
                     int victim) {
  int64_t calls = c->rank == victim ? right->left.counted : 0;
  uint64_t state = t->seed + (uint64_t)victim;
  find_most(c, &calls, 1);
  long step = 1 + (long)calls / RUNS_MOST;
  for (long at = 1 + (long)random_below(&state, (size_t)step); at <= calls; at += step) {
    bool on = random_below(&state, 2) == 0;
    int64_t go_on = c->rank == 0 && seconds_now() < c->end;
    find_most(c, &go_on, 1);
    if (go_on == 0) return true;
    struct outcome it = play(c, t, c->rank == victim ? at : 0, on);
    c->runs++;
    c->told += it.status != HYLA_OK;
    if (!say(c, t, &it, judge(c, &it, right), victim, at, on)) return false;
  }
  return true;
}

static bool try_program(struct calls *c) {
  struct trial t = trial_draw(c->seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)c->number);
  struct outcome right = play(c, &t, 0, false);
  bool good = true;
  for (int victim = 0; victim < c->ranks && good; victim++) good = try_rank(c, &t, &right, victim);
  return good;
}

int main(int argc, char **argv) {
  struct calls c = {.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
  void *arm = dlsym(RTLD_DEFAULT, "failing_arm"), *look = dlsym(RTLD_DEFAULT, "failing_look");
  memcpy(&c.arm, &arm, sizeof arm);
  memcpy(&c.look, &look, sizeof look);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &c.ranks);
  if (argc < 3 || arm == NULL || look == NULL) {
    fprintf(stderr, "usage: env LD_PRELOAD=failing.so calls SECONDS SEED [FIRST]\n");
    MPI_Finalize();
    return 2;
  }
  c.number = argc > 3 ? strtoll(argv[3], NULL, 10) : 0;
  const double begin = seconds_now();
  const int64_t first = c.number;
  c.end = begin + strtod(argv[1], NULL);
  bool good = hyla_cube_create(MPI_COMM_WORLD, NULL, &c.meeting) == HYLA_OK;
  for (int64_t more = 1; more != 0 && good;) {
    good = try_program(&c);
    c.number++;
    more = c.rank == 0 && seconds_now() < c.end;
    find_most(&c, &more, 1);
  }
  hyla_cube_destroy(&c.meeting);
  if (!good) MPI_Abort(MPI_COMM_WORLD, 1);
  if (c.rank == 0)
    printf("calls: %" PRId64 " programs, %" PRId64
           " runs with a failing call on %d ranks in %.0f s, "
           "seed %" PRIu64 ", %" PRId64 " told of it: nothing found\n",
           c.number - first, c.runs, c.ranks, seconds_now() - begin, c.seed, c.told);
  MPI_Finalize();
  return 0;
}
