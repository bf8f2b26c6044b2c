/* Random programs, one after the other, on real ranks for a given time.
 *
 *   mpiexec -n P soak SECONDS SEED           programs of all operations (operations.c)
 *   mpiexec -n P soak SECONDS SEED NUMBER    the same from the cube of program NUMBER on
 *   mpiexec -n P soak CUBES SEED cubes       this many cubes, made, used a little and destroyed
 *
 * Each program must end with the same status and the same result, to the last bit, as on the same
 * number of virtual ranks (network.c), which are made anew for each program.  Cubes live for some
 * programs; their options are drawn, among them the array of nodes.  A sixth of the run, and at
 * least 400 programs, warm up; from then on a rank's resident memory, its mappings and its
 * descriptors must not grow, nor the books' memory after each program.  Exit status 0: no fault was
 * found; 1: some were. */
#include "operations.h"
#include "random.h"
#include "usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LIFE = 40, WARM = 400 }; /* programs of a cube; programs after which a rank is warm */

struct soak {
  int rank, ranks;
  uint64_t seed;
  hyla_options options;
  char array[TRIAL_ARRAY];
  hyla_cube *cube;
  int64_t number, refused, cubes, first; /* number: of the program, from `first' on */
  struct usage warm, now;
};

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool complain(const struct soak *s, const char *what, const struct trial *t) {
  fprintf(stderr, "soak: seed %" PRIu64 ", program %" PRId64 ", rank %d of %d: %s\n", s->seed,
          s->number, s->rank, s->ranks, what);
  if (t != NULL)
    fprintf(stderr, "  array %s, %s:%s type %d %dx%dx%d %s %s %s: %s\n", s->array, t->operation,
            t->variant != NULL ? t->variant : "(chosen)", (int)t->type, (int)t->m, (int)t->n,
            (int)t->k, t->layout[0], t->layout[1], t->layout[2],
            s->cube != NULL ? hyla_cube_message(s->cube) : "");
  return false;
}

/* Replaces the cube by one with other options. */
static bool renew(struct soak *s, uint64_t *state) {
  if (hyla_cube_destroy(&s->cube) != HYLA_OK) return complain(s, "a cube that stays", NULL);
  hyla_options_init(&s->options);
  s->options.timeout = 60;
  trial_draw_array(s->ranks, state, s->array);
  s->options.array = s->array;
  s->options.check_messages = random_below(state, 4) == 0;
  s->options.private_memory = random_below(state, 3) == 0;
  s->options.memory_kept = random_below(state, 2) == 0 ? 0 : s->options.memory_kept;
  s->cubes++;
  if (hyla_cube_create(MPI_COMM_WORLD, &s->options, &s->cube) != HYLA_OK)
    return complain(s, "no cube", NULL);
  /* Virtual ranks have a core each; this decides about the factors' layout and so about last
   * bits. */
  s->cube->ranks.share = 1;
  return true;
}

/* The outcome that the program must have: the one on virtual ranks. */
static bool foresee(const struct soak *s, struct trial *t, struct run *run) {
  *run = (struct run){.ranks = s->ranks, .options = &s->options, .body = trial_run, .arg = t};
  return network_run(run) && !run->hung;
}

static bool play(struct soak *s) {
  struct trial t = trial_draw(s->seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)s->number);
  struct run run;
  uint64_t state = t.seed ^ UINT64_C(0x2545f4914f6cdd1d);
  if (s->number % LIFE == 0 && !renew(s, &state)) return false;
  /* A choice between variants depends on the machine. */
  int variants = 0;
  while (hyla_variant_name(t.operation, variants) != NULL) variants++;
  if (t.variant == NULL && variants > 0)
    t.variant = hyla_variant_name(t.operation, (int)random_below(&state, (size_t)variants));
  struct trial right = t;
  if (!foresee(s, &right, &run)) return complain(s, "it fails on virtual ranks", &t);
  int64_t before = s->cube->base.bytes_now;
  hyla_status status = trial_run(s->cube, &t);
  s->refused += status != HYLA_OK;
  if (status != run.status[s->rank]) return complain(s, "another status", &t);
  if (t.result[s->rank] != right.result[s->rank]) return complain(s, "another result", &t);
  if (s->cube->base.bytes_now != before) return complain(s, "memory stays allocated", &t);
  return true;
}

/* Makes one cube, on which the ranks meet and make a matrix, and destroys it. */
static bool use_cube(struct soak *s) {
  hyla_matrix *matrix = NULL;
  double norm = 0;
  s->cubes++;
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, NULL, &s->cube);
  if (status == HYLA_OK) status = hyla_matrix_create(s->cube, HYLA_DOUBLE, 8, 8, NULL, &matrix);
  if (status == HYLA_OK) status = hyla_matrix_generate(s->cube, matrix, HYLA_IDENTITY, 0);
  if (status == HYLA_OK) status = hyla_matrix_norm(s->cube, matrix, HYLA_NORM_ONE, &norm);
  if (status != HYLA_OK || norm != 1) return complain(s, "a cube that does not work", NULL);
  hyla_matrix_destroy(&matrix);
  return hyla_cube_destroy(&s->cube) == HYLA_OK || complain(s, "a cube that stays", NULL);
}

/* Can all ranks continue? */
static bool all_go_on(bool mine) {
  int go = mine, all = 0;
  MPI_Allreduce(&go, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

static void print_usage(const struct soak *s) {
  char who[32];
  snprintf(who, sizeof who, "soak: rank %d", s->rank);
  usage_print(who, &s->warm, &s->now);
}

static bool soak(struct soak *s, double most, bool cubes) {
  const double begin = seconds_now();
  bool good = true, on = true;
  double done = 0;
  while (on) {
    good = cubes ? use_cube(s) : play(s);
    s->number++;
    done = cubes ? (double)s->number : seconds_now() - begin;
    if (done < most / 6 || s->number - s->first <= WARM) s->warm = usage_now();
    /* One rank's clock decides. */
    int more = done < most;
    if (s->number % LIFE == 0 || !good) {
      if (!all_go_on(good)) return false;
      MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
      on = more != 0;
    }
  }
  if (s->cube != NULL && hyla_cube_destroy(&s->cube) != HYLA_OK) return false;
  s->now = usage_now();
  print_usage(s);
  if (s->rank == 0 && s->number - s->first <= WARM)
    printf("soak: too few programs to say whether memory is flat\n");
  if (s->number - s->first > WARM && !usage_is_flat(&s->warm, &s->now))
    return complain(s, "memory, mappings or descriptors have grown", NULL);
  if (s->rank == 0)
    printf("soak: %" PRId64 " %s on %d ranks in %.0f s, seed %" PRIu64 ", %" PRId64
           " of them refused, %" PRId64 " cubes: nothing found\n",
           s->number - s->first, cubes ? "cubes" : "programs", s->ranks, seconds_now() - begin,
           s->seed, s->refused, s->cubes);
  return true;
}

int main(int argc, char **argv) {
  struct soak s = {.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
  if (argc > 3)
    s.number = s.first = strtoll(argv[3], NULL, 10) / LIFE * LIFE; /* `cubes' is no number */
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
  if (argc < 3 || s.ranks > RANKS_MOST) {
    if (s.rank == 0)
      fprintf(stderr, "usage: soak SECONDS SEED [NUMBER], or soak CUBES SEED cubes\n");
    MPI_Finalize();
    return 2;
  }
  bool cubes = argc > 3 && strcmp(argv[3], "cubes") == 0;
  bool good = all_go_on(soak(&s, strtod(argv[1], NULL), cubes));
  if (!good) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}
