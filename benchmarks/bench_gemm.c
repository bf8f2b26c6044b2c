/* Speed of C := A B, and what part of the limit it is.
 *
 *   mpiexec -n P benchmarks/bench_gemm [--size N|MxNxK] [--type s|d|c|z]
 *     [--variant NAME] [--layout L] [--repeat R]
 *
 * The limit is P times what one core multiplies with all P at work, measured in
 * the same run: repetitions of the product and of the limit alternate, so both
 * see the same machine.  Times are the slowest rank's; medians count.  One JSON
 * object goes to standard output, with the keys of `hyla bench`. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_SIZE = 2000 }; /* the largest product that the limit is measured with */

struct run {
  int64_t m, n, k;
  hyla_type type;
  const char *variant; /* NULL: chosen */
  const char *layout;  /* NULL: the default */
  int repeat;
  hyla_cube *cube;
  hyla_matrix *a, *b, *c;
  hyla_plan *plan;
  struct bench_limit limit;
  struct bench_times times;
  hyla_ledger ledger;
};

static bool read_arguments(int count, char **arguments, struct run *run) {
  for (int i = 1; i < count; i += 2) {
    if (i + 1 == count) return false;
    const char *name = arguments[i], *value = arguments[i + 1];
    if (strcmp(name, "--size") == 0) {
      if (!bench_read_size(value, &run->m, &run->n, &run->k)) return false;
    } else if (strcmp(name, "--type") == 0) {
      if (!bench_read_type(value, &run->type)) return false;
    } else if (strcmp(name, "--variant") == 0) {
      run->variant = strcmp(value, "auto") == 0 ? NULL : value;
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
  const int64_t sizes[3][2] = {{run->m, run->k}, {run->k, run->n}, {run->m, run->n}};
  hyla_matrix **matrices[] = {&run->a, &run->b, &run->c};
  if (status != HYLA_OK) return status;
  for (int i = 0; i < 3 && status == HYLA_OK; i++) {
    status =
        hyla_matrix_create(run->cube, run->type, sizes[i][0], sizes[i][1], &layout, matrices[i]);
    if (status == HYLA_OK)
      status = hyla_matrix_generate(run->cube, *matrices[i], HYLA_RANDOM, (uint64_t)i);
  }
  return status;
}

static hyla_status prepare(struct run *run) {
  hyla_status status = make_matrices(run);
  if (status == HYLA_OK)
    status = hyla_gemm_plan(run->cube, HYLA_NONE, HYLA_NONE, 1, run->a, run->b, 0, run->c,
                            run->variant, &run->plan);
  int64_t largest = run->m > run->n ? run->m : run->n;
  largest = largest > run->k ? largest : run->k;
  if (status == HYLA_OK)
    status = bench_limit_create(run->cube, run->type, largest < LIMIT_SIZE ? largest : LIMIT_SIZE,
                                &run->limit);
  return status;
}

static hyla_status repeat_once(struct run *run) {
  hyla_status status = hyla_cube_barrier(run->cube);
  if (status != HYLA_OK) return status;
  hyla_cube_ledger_clear(run->cube);
  double start = MPI_Wtime();
  status = hyla_plan_run(run->cube, run->plan);
  double seconds = MPI_Wtime() - start;
  hyla_cube_ledger(run->cube, &run->ledger);
  return status == HYLA_OK ? bench_add(run->cube, &run->times, seconds) : status;
}

/* The first round warms up and does not count. */
static hyla_status measure(struct run *run) {
  hyla_status status = HYLA_OK;
  for (int i = 0; i <= run->repeat && status == HYLA_OK; i++) {
    if (i == 1) run->times.count = run->limit.times.count = 0;
    status = bench_limit_measure(run->cube, &run->limit);
    if (status == HYLA_OK) status = repeat_once(run);
  }
  return status;
}

static hyla_status report(struct run *run) {
  const hyla_ledger *ledger = &run->ledger;
  int64_t counted[3] = {ledger->steps, ledger->far_messages, ledger->far_bytes};
  for (int i = 0; i < ledger->dims; i++) {
    counted[1] += ledger->messages[i];
    counted[2] += ledger->bytes[i];
  }
  hyla_status status = hyla_cube_max(run->cube, counted, 3);
  if (status != HYLA_OK || hyla_cube_address(run->cube) != 0) return status;
  static const int64_t bytes[] = {4, 8, 8, 16};
  char layout[HYLA_LAYOUT_TEXT];
  hyla_layout_format(hyla_matrix_layout(run->c), layout, sizeof layout);
  hyla_cost cost = hyla_plan_cost(run->plan);
  double flops = 2 * (double)run->m * (double)run->n * (double)run->k * bench_width(run->type);
  double gflops = flops / bench_median(&run->times) * 1e-9;
  double limit = bench_limit_gflops(&run->limit);
  /* Of the least times: what is left when others use the machine meanwhile. */
  double best = flops / bench_min(&run->times) / (run->limit.flops / bench_min(&run->limit.times));
  printf("{\"op\": \"gemm\", \"variant\": \"%s\", \"type\": \"%c\", \"m\": %lld, \"n\": %lld, "
         "\"k\": %lld, \"ranks\": %d, \"layout\": \"%s\", \"repeat\": %d, "
         "\"seconds_median\": %.6g, \"seconds_min\": %.6g, \"seconds_max\": %.6g, "
         "\"gflops\": %.4g, \"gflops_limit\": %.4g, \"fraction\": %.4f, \"fraction_best\": %.4f, ",
         hyla_plan_variant(run->plan), "sdcz"[run->type], (long long)run -> m, (long long)run -> n,
         (long long)run -> k, hyla_cube_nodes(run->cube) + hyla_cube_guests(run->cube), layout,
         run -> times.count, bench_median(&run->times), bench_min(&run->times),
         bench_max(&run->times), gflops, limit, gflops / limit, best);
  printf("\"steps_predicted\": %lld, \"steps_counted\": %lld, \"messages_predicted\": %lld, "
         "\"messages_counted\": %lld, \"words_predicted\": %lld, \"words_counted\": %lld, "
         "\"memory_bytes\": %lld}\n",
         (long long)cost.steps, (long long)counted[0], (long long)cost.messages,
         (long long)counted[1], (long long)cost.words, (long long)(counted[2] / bytes[run->type]),
         (long long)cost.memory);
  return HYLA_OK;
}

static int go(struct run *run) {
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, NULL, &run->cube);
  if (status == HYLA_OK) status = prepare(run);
  if (status == HYLA_OK) status = measure(run);
  if (status == HYLA_OK) status = report(run);
  int code = bench_exit(run->cube, status);
  bench_limit_destroy(&run->limit);
  hyla_plan_destroy(&run->plan);
  hyla_matrix_destroy(&run->a);
  hyla_matrix_destroy(&run->b);
  hyla_matrix_destroy(&run->c);
  hyla_cube_destroy(&run->cube);
  return code;
}

int main(int count, char **arguments) {
  struct run run = {.m = 2000, .n = 2000, .k = 2000, .type = HYLA_DOUBLE, .repeat = 5};
  int code = 2;
  MPI_Init(&count, &arguments);
  if (read_arguments(count, arguments, &run))
    code = go(&run);
  else
    fprintf(stderr, "usage: bench_gemm [--size N|MxNxK] [--type s|d|c|z] [--variant NAME] "
                    "[--layout L] [--repeat R]\n");
  MPI_Finalize();
  return code;
}
