/* Prints HPL's table: a line for each system, and below the table whether its residual passed. */
#include "operation.h"

#include <inttypes.h>
#include <stdio.h>

static void rule(char mark) {
  for (int i = 0; i < 80; i++) putchar(mark);
  putchar('\n');
}

void hpl_head(const struct run *run, const char *method) {
  printf("A X = B by %s on %d node%s; the time is that of factorization and\n"
         "substitution, the least of %d; Gflop/s by 2/3 n^3 + 3/2 n^2 operations, as HPL\n"
         "counts them for lu and one right-hand side; * the planner's choice\n",
         method, hyla_cube_nodes(run->cube), hyla_cube_nodes(run->cube) == 1 ? "" : "s",
         run->options.repeat);
  rule('=');
  printf("%-22s %8s %5s %5s %5s %15s %13s\n", "T/V", "N", "NB", "P", "Q", "Time", "Gflops");
  rule('-');
}

void hpl_row(const struct result *r) {
  const hyla_axis *row = &r->layout.row;
  int64_t block = row->block > 0 ? row->block : 1;
  if (row->storage == HYLA_CONSECUTIVE) block = (r->n + (1 << row->dims) - 1) >> row->dims;
  printf("%c %-20s %8" PRId64 " %5" PRId64 " %5d %5d %15.6g %13.4e\n", r->chosen ? '*' : ' ',
         r->variant, r->n, block, 1 << row->dims, 1 << r->layout.col.dims, r->seconds_least,
         1e-9 * r->flops / r->seconds_least);
  printf("||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= %16.8g ...... %s\n", r->residual,
         r->residual <= RESIDUAL_LIMIT ? "PASSED" : "FAILED");
}
