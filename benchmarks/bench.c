/* Times, the limit, and arguments of the benchmark drivers. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hyla_status bench_add(hyla_cube *cube, struct bench_times *times, double seconds) {
  int64_t nanoseconds = (int64_t)(seconds * 1e9);
  hyla_status status = hyla_cube_max(cube, &nanoseconds, 1);
  if (status == HYLA_OK && times->count < BENCH_REPEAT_MAX)
    times->seconds[times->count++] = (double)nanoseconds * 1e-9;
  return status;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_median(const struct bench_times *times) {
  struct bench_times copy = *times;
  if (copy.count == 0) return 0;
  qsort(copy.seconds, (size_t)copy.count, sizeof *copy.seconds, by_value);
  return (copy.seconds[(copy.count - 1) / 2] + copy.seconds[copy.count / 2]) / 2;
}

/* Real multiply-adds in one multiply-add of the type. */
static double width_of(hyla_type type) {
  return type == HYLA_COMPLEX || type == HYLA_DOUBLE_COMPLEX ? 4 : 1;
}

static hyla_status make_alone(hyla_type type, int64_t size, struct bench_limit *limit) {
  hyla_options options;
  hyla_options_init(&options);
  options.threads = 0; /* all that the ranks have: their number belongs to the process */
  hyla_status status = hyla_cube_create(MPI_COMM_SELF, &options, &limit->alone);
  hyla_matrix **matrices[] = {&limit->a, &limit->b, &limit->c};
  for (int i = 0; i < 3 && status == HYLA_OK; i++) {
    status = hyla_matrix_create(limit->alone, type, size, size, NULL, matrices[i]);
    if (status == HYLA_OK)
      status = hyla_matrix_generate(limit->alone, *matrices[i], HYLA_RANDOM, (uint64_t)i);
  }
  if (status == HYLA_OK)
    status = hyla_gemm_plan(limit->alone, HYLA_NONE, HYLA_NONE, 1, limit->a, limit->b, 0, limit->c,
                            NULL, &limit->plan);
  return status;
}

hyla_status bench_limit_create(hyla_cube *cube, hyla_type type, int64_t size,
                               struct bench_limit *limit) {
  memset(limit, 0, sizeof *limit);
  double n = (double)size;
  limit->flops = 2 * n * n * n * width_of(type) * hyla_cube_nodes(cube);
  hyla_status mine = HYLA_OK;
  if (hyla_cube_address(cube) >= 0) mine = make_alone(type, size, limit);
  int64_t worst = (int64_t)mine;
  hyla_status status = hyla_cube_max(cube, &worst, 1);
  return status == HYLA_OK ? (hyla_status)worst : status;
}

hyla_status bench_limit_measure(hyla_cube *cube, struct bench_limit *limit) {
  hyla_status status = hyla_cube_barrier(cube);
  if (status != HYLA_OK) return status;
  double start = MPI_Wtime();
  if (limit->plan != NULL) status = hyla_plan_run(limit->alone, limit->plan);
  double seconds = MPI_Wtime() - start;
  hyla_status added = bench_add(cube, &limit->times, seconds);
  return status == HYLA_OK ? added : status;
}

void bench_limit_destroy(struct bench_limit *limit) {
  hyla_plan_destroy(&limit->plan);
  hyla_matrix_destroy(&limit->a);
  hyla_matrix_destroy(&limit->b);
  hyla_matrix_destroy(&limit->c);
  hyla_cube_destroy(&limit->alone);
}

double bench_limit_gflops(const struct bench_limit *limit) {
  return limit->flops / bench_median(&limit->times) * 1e-9;
}

bool bench_read_size(const char *text, int64_t *m, int64_t *n, int64_t *k) {
  int64_t *const sizes[] = {m, n, k};
  int count = 0;
  for (const char *at = text; count < 3; at++) {
    char *end;
    long long value = strtoll(at, &end, 10);
    if (end == at || value < 0) return false;
    *sizes[count++] = value;
    if (*end == '\0') break;
    if (*end != 'x' || count == 3) return false;
    at = end;
  }
  if (count == 2) return false;
  if (count == 1) *n = *k = *m;
  return true;
}

int bench_exit(const hyla_cube *cube, hyla_status status) {
  if (status == HYLA_OK) return 0;
  if (cube == NULL || hyla_cube_address(cube) == 0)
    fprintf(stderr, "%s: %s\n", hyla_status_name(status), hyla_cube_message(cube));
  return status == HYLA_ARGUMENT || status == HYLA_UNSUPPORTED ? 2 : 1;
}
