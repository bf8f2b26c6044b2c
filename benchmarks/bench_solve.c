/* Speed of the solution of A X = B, and what part of the limit it is.
 *
 *   mpiexec -n P benchmarks/bench_solve [--size N] [--nrhs R] [--type s|d|c|z]
 *     [--layout L] [--repeat R]
 *
 * Two ways are timed: "solve" is hyla_solve, which takes and gives back all its
 * memory; "lu" computes and solves with a factorization that was made before.
 * The limit is P times what one core multiplies with all P at work, measured in
 * the same run: all three alternate, so they see the same machine.  Times are
 * the slowest rank's; medians count.  Operations: 2/3 n^3 + 2 n^2 nrhs.  One
 * JSON object for each way goes to standard output, with the keys of `hyla
 * bench`. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_SIZE = 2000 }; /* the largest product that the limit is measured with */

struct way {
  const char *name;
  struct bench_times times;
  hyla_ledger ledger;
};

struct run {
  int64_t n, nrhs;
  hyla_type type;
  const char *layout; /* NULL: the default */
  int repeat;
  hyla_cube *cube;
  hyla_matrix *a, *b, *x;
  hyla_factor *factor;
  struct bench_limit limit;
  struct way solve, lu;
  double residual;
};

static bool read_arguments(int count, char **arguments, struct run *run) {
  int64_t ignored;
  for (int i = 1; i < count; i += 2) {
    if (i + 1 == count) return false;
    const char *name = arguments[i], *value = arguments[i + 1];
    if (strcmp(name, "--size") == 0) {
      if (!bench_read_size(value, &run->n, &ignored, &ignored)) return false;
    } else if (strcmp(name, "--nrhs") == 0) {
      if (!bench_read_size(value, &run->nrhs, &ignored, &ignored)) return false;
    } else if (strcmp(name, "--type") == 0) {
      if (!bench_read_type(value, &run->type)) return false;
    } else if (strcmp(name, "--layout") == 0) {
      run->layout = value;
    } else if (strcmp(name, "--repeat") == 0) {
      run->repeat = atoi(value);
      if (run->repeat < 1 || run->repeat > BENCH_REPEAT_MAX) return false;
    } else {
      return false;
    }
  }
  return true;
}

static hyla_status make_matrices(struct run *run) {
  hyla_layout layout;
  hyla_status status = run->layout == NULL ? hyla_layout_default(run->cube, &layout)
                                           : hyla_layout_parse(run->cube, run->layout, &layout);
  const int64_t cols[] = {run->n, run->nrhs, run->nrhs};
  hyla_matrix **matrices[] = {&run->a, &run->b, &run->x};
  for (int i = 0; i < 3 && status == HYLA_OK; i++) {
    status = hyla_matrix_create(run->cube, run->type, run->n, cols[i], &layout, matrices[i]);
    if (status == HYLA_OK)
      status = hyla_matrix_generate(run->cube, *matrices[i], HYLA_RANDOM, (uint64_t)i);
  }
  return status;
}

static hyla_status prepare(struct run *run) {
  hyla_status status = make_matrices(run);
  if (status == HYLA_OK)
    status = hyla_factor_create(run->cube, run->type, run->n, run->nrhs,
                                run->layout == NULL ? NULL : hyla_matrix_layout(run->a), NULL,
                                &run->factor);
  if (status == HYLA_OK)
    status = bench_limit_create(run->cube, run->type, run->n < LIMIT_SIZE ? run->n : LIMIT_SIZE,
                                &run->limit);
  return status;
}

static hyla_status repeat_once(struct run *run, struct way *way) {
  hyla_status status = hyla_cube_barrier(run->cube);
  if (status != HYLA_OK) return status;
  hyla_cube_ledger_clear(run->cube);
  double start = MPI_Wtime();
  if (way == &run->solve) {
    status = hyla_solve(run->cube, run->a, run->b, run->x, NULL);
  } else {
    status = hyla_factor_compute(run->cube, run->factor, run->a);
    if (status == HYLA_OK) status = hyla_factor_solve(run->cube, run->factor, run->b, run->x);
  }
  double seconds = MPI_Wtime() - start;
  hyla_cube_ledger(run->cube, &way->ledger);
  return status == HYLA_OK ? bench_add(run->cube, &way->times, seconds) : status;
}

/* The first round warms up and does not count. */
static hyla_status measure(struct run *run) {
  hyla_status status = HYLA_OK;
  for (int i = 0; i <= run->repeat && status == HYLA_OK; i++) {
    if (i == 1) run->solve.times.count = run->lu.times.count = run->limit.times.count = 0;
    status = bench_limit_measure(run->cube, &run->limit);
    if (status == HYLA_OK) status = repeat_once(run, &run->solve);
    if (status == HYLA_OK) status = repeat_once(run, &run->lu);
  }
  if (status == HYLA_OK) status = hyla_residual(run->cube, run->a, run->x, run->b, &run->residual);
  return status;
}

static hyla_status report(struct run *run, const struct way *way) {
  const hyla_ledger *ledger = &way->ledger;
  int64_t counted[3] = {ledger->steps, ledger->far_messages, ledger->far_bytes};
  for (int i = 0; i < ledger->dims; i++) {
    counted[1] += ledger->messages[i];
    counted[2] += ledger->bytes[i];
  }
  hyla_status status = hyla_cube_max(run->cube, counted, 3);
  if (status != HYLA_OK || hyla_cube_address(run->cube) != 0) return status;
  static const int64_t bytes[] = {4, 8, 8, 16};
  char layout[HYLA_LAYOUT_TEXT];
  hyla_layout_format(hyla_matrix_layout(run->a), layout, sizeof layout);
  double n = (double)run->n, nrhs = (double)run->nrhs;
  double flops = (2.0 / 3 * n * n * n + 2 * n * n * nrhs) * bench_width(run->type);
  double gflops = flops / bench_median(&way->times) * 1e-9;
  double limit = bench_limit_gflops(&run->limit);
  /* Of the least times: what is left when others use the machine meanwhile. */
  double best = flops / bench_min(&way->times) / (run->limit.flops / bench_min(&run->limit.times));
  printf("{\"op\": \"%s\", \"variant\": \"%s\", \"type\": \"%c\", \"n\": %lld, \"nrhs\": %lld, "
         "\"ranks\": %d, \"layout\": \"%s\", \"repeat\": %d, \"seconds_median\": %.6g, "
         "\"seconds_min\": %.6g, \"seconds_max\": %.6g, \"gflops\": %.4g, \"gflops_limit\": %.4g, "
         "\"fraction\": %.4f, \"fraction_best\": %.4f, ",
         way->name, hyla_factor_variant(run->factor), "sdcz"[(int)run->type], (long long)run -> n,
         (long long)run -> nrhs, hyla_cube_nodes(run->cube) + hyla_cube_guests(run->cube), layout,
         way -> times.count, bench_median(&way->times), bench_min(&way->times),
         bench_max(&way->times), gflops, limit, gflops / limit, best);
  printf("\"residual\": %.4g, \"steps_counted\": %lld, \"messages_counted\": %lld, "
         "\"words_counted\": %lld}\n",
         run->residual, (long long)counted[0], (long long)counted[1],
         (long long)(counted[2] / bytes[run->type]));
  return HYLA_OK;
}

static int go(struct run *run) {
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, NULL, &run->cube);
  if (status == HYLA_OK) status = prepare(run);
  if (status == HYLA_OK) status = measure(run);
  if (status == HYLA_OK) status = report(run, &run->solve);
  if (status == HYLA_OK) status = report(run, &run->lu);
  int code = bench_exit(run->cube, status);
  bench_limit_destroy(&run->limit);
  hyla_factor_destroy(&run->factor);
  hyla_matrix_destroy(&run->a);
  hyla_matrix_destroy(&run->b);
  hyla_matrix_destroy(&run->x);
  hyla_cube_destroy(&run->cube);
  return code;
}

int main(int count, char **arguments) {
  struct run run = {.n = 4000, .nrhs = 1, .type = HYLA_DOUBLE, .repeat = 5};
  run.solve.name = "solve";
  run.lu.name = "lu";
  int code = 2;
  MPI_Init(&count, &arguments);
  if (read_arguments(count, arguments, &run))
    code = go(&run);
  else
    fprintf(stderr, "usage: bench_solve [--size N] [--nrhs R] [--type s|d|c|z] [--layout L] "
                    "[--repeat R]\n");
  MPI_Finalize();
  return code;
}
