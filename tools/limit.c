/* Repeated times; the limit with which speeds are compared; the copy with which moves are. */
#include "operation.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

bool times_init(struct times *times, int room) {
  *times = (struct times){.room = room,
                          .seconds = calloc((size_t)room, sizeof(double)),
                          .each = calloc((size_t)room, sizeof(double))};
  return times->seconds != NULL && times->each != NULL;
}

void times_free(struct times *times) {
  free(times->seconds);
  free(times->each);
  *times = (struct times){0};
}

void times_clear(struct times *times) { times->count = 0; }

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

hyla_status times_add(hyla_cube *cube, struct times *times, double seconds) {
  int64_t nanoseconds = (int64_t)(seconds * 1e9);
  hyla_status status = hyla_cube_max(cube, &nanoseconds, 1);
  if (status || times->count == times->room) return status;
  times->each[times->count] = times->seconds[times->count] = (double)nanoseconds * 1e-9;
  times->count++;
  qsort(times->seconds, (size_t)times->count, sizeof(double), by_value);
  return HYLA_OK;
}

double times_least(const struct times *times) { return times->count ? times->seconds[0] : 0; }

double times_most(const struct times *times) {
  return times->count ? times->seconds[times->count - 1] : 0;
}

double times_median(const struct times *times) {
  if (times->count == 0) return 0;
  int low = (times->count - 1) / 2, high = times->count / 2;
  return (times->seconds[low] + times->seconds[high]) / 2;
}

/* Waits for OpenBLAS' threads to sleep.  They look for more work for some 30 ms, on cores that the
 * next measurement needs. */
static void let_threads_rest(const struct limit *limit) {
  const struct timespec span = {.tv_nsec = 50000000};
  if (limit->threaded) nanosleep(&span, NULL);
}

static bool is_threaded(const hyla_cube *cube) {
  char *description = tool_describe(cube), threads[32];
  tool_lookup(description, "threads", threads, sizeof threads);
  free(description);
  return strtol(threads, NULL, 10) > 1;
}

static hyla_status make_alone(hyla_type type, int64_t size, struct limit *limit) {
  hyla_options options;
  hyla_options_init(&options);
  options.threads = 0; /* all that the ranks have: their number belongs to the process */
  options.variant = options.array = options.network = NULL;
  options.wisdom = NULL;
  options.measure = false;
  options.reproducible = false;
  hyla_status status = hyla_cube_create(MPI_COMM_SELF, &options, &limit->alone);
  limit->threaded = !status && is_threaded(limit->alone);
  hyla_matrix **matrices[] = {&limit->a, &limit->b, &limit->c};
  for (int i = 0; i < 3 && !status; i++) {
    status = hyla_matrix_create(limit->alone, type, size, size, NULL, matrices[i]);
    if (!status)
      status = hyla_matrix_generate(limit->alone, *matrices[i], HYLA_RANDOM, (uint64_t)i);
  }
  if (!status)
    status = hyla_gemm_plan(limit->alone, HYLA_NONE, HYLA_NONE, 1, limit->a, limit->b, 0, limit->c,
                            NULL, &limit->plan);
  return status;
}

/* All ranks return the worst status of any. */
static hyla_status agree(hyla_cube *cube, hyla_status mine) {
  int64_t worst = (int64_t)mine;
  hyla_status status = hyla_cube_max(cube, &worst, 1);
  return status ? status : (hyla_status)worst;
}

hyla_status limit_create(hyla_cube *cube, hyla_type type, int64_t size, int room,
                         struct limit *limit) {
  double n = (double)size;
  *limit =
      (struct limit){.flops = 2 * n * n * n * (type_complex(type) ? 4 : 1) * hyla_cube_nodes(cube)};
  hyla_status mine = times_init(&limit->times, room) ? HYLA_OK : HYLA_MEMORY;
  if (!mine && hyla_cube_address(cube) >= 0) mine = make_alone(type, size, limit);
  return agree(cube, mine);
}

hyla_status limit_measure(hyla_cube *cube, struct limit *limit) {
  hyla_status status = hyla_cube_barrier(cube);
  if (status) return status;
  double begin = tool_clock();
  if (limit->plan) status = hyla_plan_run(limit->alone, limit->plan);
  double seconds = tool_clock() - begin;
  let_threads_rest(limit);
  status = agree(cube, status);
  return status ? status : times_add(cube, &limit->times, seconds);
}

void limit_destroy(struct limit *limit) {
  hyla_plan_destroy(&limit->plan);
  hyla_matrix_destroy(&limit->a);
  hyla_matrix_destroy(&limit->b);
  hyla_matrix_destroy(&limit->c);
  hyla_cube_destroy(&limit->alone);
  times_free(&limit->times);
}

/* AWAY: bytes that the nodes of a cube read together to empty the caches, several times their size.
 * LARGE: the size of a part from which on they do, because moves then go past the caches.  WORDS:
 * words of 64 bits in a cache line. */
enum { AWAY = 1 << 28, LARGE = 1 << 20, WORDS = 8 };

static void empty_caches(struct copying *copying) {
  for (size_t word = 0; word < copying->away_words; word += WORDS)
    copying->sum += copying->away[word];
}

hyla_status copying_create(hyla_cube *cube, const hyla_matrix *target, int room,
                           struct copying *copying) {
  int64_t rows = 0, cols = 0;
  hyla_matrix_local(target, NULL, &rows, &cols, NULL);
  *copying = (struct copying){.bytes = (size_t)(rows * cols) * type_size(hyla_matrix_type(target))};
  if (copying->bytes > LARGE)
    copying->away_words = (size_t)(AWAY / hyla_cube_nodes(cube)) / sizeof *copying->away;
  copying->from = malloc(copying->bytes + 1);
  copying->to = malloc(copying->bytes + 1);
  copying->away = malloc(copying->away_words * sizeof *copying->away + 1);
  bool enough = times_init(&copying->times, room) && copying->from && copying->to && copying->away;
  /* The system gives memory to a page only when it is written. */
  if (enough) memset(copying->from, 1, copying->bytes);
  if (enough) memset(copying->to, 2, copying->bytes);
  if (enough) memset(copying->away, 3, copying->away_words * sizeof *copying->away);
  return agree(cube, enough ? HYLA_OK : HYLA_MEMORY);
}

hyla_status copying_measure(hyla_cube *cube, struct copying *copying) {
  empty_caches(copying);
  hyla_status status = hyla_cube_barrier(cube);
  if (status) return status;
  double begin = tool_clock();
  memcpy(copying->to, copying->from, copying->bytes);
  double seconds = tool_clock() - begin;
  empty_caches(copying);
  return times_add(cube, &copying->times, seconds);
}

void copying_destroy(struct copying *copying) {
  free(copying->from);
  free(copying->to);
  free(copying->away);
  times_free(&copying->times);
}
