/* Threads with a cube each, for a tree with -fsanitize=thread.
 *
 *   mpiexec -n P threads ROUNDS SEED
 *
 * One thread runs ROUNDS programs (operations.c) on each of THREADS cubes; then THREADS threads run
 * the same programs at once, each on its own cube, while they make and destroy other cubes.  Status
 * and result must be those of the first run, to the last bit.  Exit status 0: no fault was found;
 * 1: some were; the sanitizer has its own status. */
#include "operations.h"
#include "random.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS_MOST = 10000, RENEW = 16 };

struct outcome {
  hyla_status status;
  uint64_t result;
};

struct worker {
  MPI_Comm comm;
  int rank, number, rounds;
  uint64_t seed;
  bool first; /* this run's results are the expected ones */
  bool good;
  struct outcome *right;
};

static bool complain(const struct worker *w, int round, const struct trial *t, const char *what) {
  fprintf(stderr, "threads: rank %d, thread %d, round %d, %s:%s: %s\n", w->rank, w->number, round,
          t->operation, t->variant != NULL ? t->variant : "(chosen)", what);
  return false;
}

static bool play(struct worker *w, hyla_cube *cube, int round) {
  uint64_t number = (uint64_t)(round * THREADS + w->number);
  struct trial t = trial_draw(w->seed * UINT64_C(0x9e3779b97f4a7c15) + number);
  struct outcome now = {.status = trial_run(cube, &t)};
  now.result = t.result[w->rank];
  if (w->first) w->right[round] = now;
  if (now.status != w->right[round].status) return complain(w, round, &t, "another status");
  if (now.result != w->right[round].result) return complain(w, round, &t, "another result");
  return true;
}

static void *work(void *arg) {
  struct worker *w = arg;
  hyla_cube *cube = NULL;
  w->good = true;
  for (int round = 0; round < w->rounds && w->good; round++) {
    if (round % RENEW == 0) {
      w->good = hyla_cube_destroy(&cube) == HYLA_OK;
      if (w->good) w->good = hyla_cube_create(w->comm, NULL, &cube) == HYLA_OK;
    }
    if (w->good) w->good = play(w, cube, round);
  }
  if (hyla_cube_destroy(&cube) != HYLA_OK) w->good = false;
  return NULL;
}

static bool run_all(struct worker *workers, bool together) {
  pthread_t thread[THREADS];
  bool good = true;
  for (int i = 0; i < THREADS; i++) {
    workers[i].first = !together;
    if (!together)
      (void)work(&workers[i]);
    else if (pthread_create(&thread[i], NULL, work, &workers[i]) != 0)
      abort();
  }
  for (int i = 0; i < THREADS && together; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < THREADS; i++) good = good && workers[i].good;
  return good;
}

int main(int argc, char **argv) {
  int provided = 0, rank = 0, ranks = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int rounds = argc > 2 ? atoi(argv[1]) : 0;
  if (rounds < 1 || rounds > ROUNDS_MOST || provided != MPI_THREAD_MULTIPLE) {
    if (rank == 0)
      fprintf(stderr, "usage: threads ROUNDS SEED, with an MPI for calls by several threads\n");
    MPI_Finalize();
    return 2;
  }
  struct worker workers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (struct worker){.rank = rank, .number = i, .rounds = rounds};
    workers[i].seed = strtoull(argv[2], NULL, 10);
    workers[i].right = calloc((size_t)rounds, sizeof *workers[i].right);
    if (workers[i].right == NULL) abort();
    MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
  }
  bool good = run_all(workers, false) && run_all(workers, true);
  for (int i = 0; i < THREADS; i++) {
    MPI_Comm_free(&workers[i].comm);
    free(workers[i].right);
  }
  if (!good) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 0)
    printf("threads: %d threads on %d ranks, each %d programs, seed %s: nothing found\n", THREADS,
           ranks, rounds, argv[2]);
  MPI_Finalize();
  return 0;
}
