/* Predicted times beside those of SimGrid, a simulator that knows nothing of hyla: built with
 * smpicc and run by benchmarks/simgrid.  For each operation it plans, runs and prints one JSON
 * object. */
#include <hyla.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench {
  hyla_cube *cube;
  int64_t n;
  hyla_matrix *a, *b, *c;
  hyla_plan *product;
  hyla_factor *factor;
};

/* A factorization's matrix lies where its factors are to lie: what is explained moves none. */
static hyla_status create_factor(struct bench *t, hyla_method method, hyla_generator entries) {
  hyla_status status =
      hyla_factor_create(t->cube, method, HYLA_DOUBLE, t->n, 0, NULL, NULL, &t->factor);
  if (!status)
    status =
        hyla_matrix_create(t->cube, HYLA_DOUBLE, t->n, t->n, hyla_factor_layout(t->factor), &t->a);
  return status ? status : hyla_matrix_generate(t->cube, t->a, entries, 1);
}

static hyla_status create(struct bench *t, const char *op) {
  hyla_cube *cube = t->cube;
  if (strcmp(op, "cholesky") == 0) return create_factor(t, HYLA_CHOLESKY, HYLA_DOMINANT);
  if (strcmp(op, "lu") == 0) return create_factor(t, HYLA_LU, HYLA_RANDOM);
  hyla_status status = hyla_matrix_create(cube, HYLA_DOUBLE, t->n, t->n, NULL, &t->a);
  if (!status) status = hyla_matrix_generate(cube, t->a, HYLA_RANDOM, 1);
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, t->n, t->n, NULL, &t->b);
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, t->n, t->n, NULL, &t->c);
  if (!status) status = hyla_matrix_generate(cube, t->b, HYLA_RANDOM, 2);
  if (!status)
    status = hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, t->a, t->b, 0, t->c, NULL, &t->product);
  return status;
}

static hyla_status run(struct bench *t) {
  return t->factor != NULL ? hyla_factor_compute(t->cube, t->factor, t->a)
                           : hyla_plan_run(t->cube, t->product);
}

/* The time of the second run, on the slowest rank: the first one takes memory.  Further ones would
 * take the same simulated time. */
static hyla_status measure(struct bench *t, double *seconds) {
  hyla_status status = run(t);
  if (status) return status;
  MPI_Barrier(MPI_COMM_WORLD);
  double time = -MPI_Wtime();
  status = run(t);
  time += MPI_Wtime();
  MPI_Allreduce(&time, seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return status;
}

static hyla_status bench(hyla_cube *cube, const char *op, int64_t n) {
  struct bench t = {.cube = cube, .n = n};
  double seconds = 0;
  hyla_status status = create(&t, op);
  if (!status) status = measure(&t, &seconds);
  const hyla_plan *plan = t.factor != NULL ? hyla_factor_plan(t.factor) : t.product;
  if (!status && hyla_cube_address(cube) == 0)
    printf("{\"op\":\"%s\",\"n\":%lld,\"nodes\":%d,\"variant\":\"%s\",\"predicted\":%.9g,"
           "\"simulated\":"
           "%.9g}\n",
           op, (long long)n, hyla_cube_nodes(cube), hyla_plan_variant(plan),
           hyla_plan_seconds(plan), seconds);
  hyla_plan_destroy(&t.product);
  hyla_factor_destroy(&t.factor);
  hyla_matrix_destroy(&t.a);
  hyla_matrix_destroy(&t.b);
  hyla_matrix_destroy(&t.c);
  return status;
}

int main(int argc, char **argv) {
  hyla_cube *cube = NULL;
  MPI_Init(&argc, &argv);
  hyla_status status = argc > 2 ? hyla_cube_create(MPI_COMM_WORLD, NULL, &cube) : HYLA_ARGUMENT;
  for (int i = 2; i < argc && !status; i++) status = bench(cube, argv[i], atoll(argv[1]));
  if (status && hyla_cube_address(cube) <= 0)
    fprintf(stderr, "simgrid: %s\n",
            cube != NULL ? hyla_cube_message(cube) : "usage: simgrid N OPERATION...");
  hyla_cube_destroy(&cube);
  MPI_Finalize();
  return status ? 1 : 0;
}
