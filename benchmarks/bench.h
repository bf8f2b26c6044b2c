/* Shared by the benchmark drivers, which use hyla.h alone. */
#ifndef BENCH_H
#define BENCH_H 1

#include <hyla.h>

/* Repetitions of one measurement, in seconds of the slowest rank. */
#define BENCH_REPEAT_MAX 101
struct bench_times {
  int count;
  double seconds[BENCH_REPEAT_MAX];
};
/* Collective.  Adds the slowest rank's time of this repetition. */
hyla_status bench_add(hyla_cube *cube, struct bench_times *times, double seconds);
double bench_median(const struct bench_times *times);

/* The limit: the speed at which the ranks' cores multiply size x size matrices, each rank on its
 * own, all at the same time.  `alone' is a cube of one rank with the rank's BLAS threads. */
struct bench_limit {
  hyla_cube *alone;
  hyla_matrix *a, *b, *c;
  hyla_plan *plan;
  double flops; /* real operations of all ranks that take part in one repetition */
  struct bench_times times;
};
/* Collective over cube; guests take no part in the work. */
hyla_status bench_limit_create(hyla_cube *cube, hyla_type type, int64_t size,
                               struct bench_limit *limit);
hyla_status bench_limit_measure(hyla_cube *cube, struct bench_limit *limit);
void bench_limit_destroy(struct bench_limit *limit);
/* 10^9 real operations a second of all ranks together, by the median. */
double bench_limit_gflops(const struct bench_limit *limit);

/* Reads "MxNxK" or "N" from an argument; false for another text. */
bool bench_read_size(const char *text, int64_t *m, int64_t *n, int64_t *k);

/* Rank 0 prints what failed; returns the exit status, 0 for OK. */
int bench_exit(const hyla_cube *cube, hyla_status status);

#endif
