/* The array of nodes for a subcommand that works on files: by its operation and the files' sizes.
 *
 * A cube's array is fixed when it is made, and files are read on a cube.  So the heads are read on
 * a cube of 2^d ranks first, rank 0 compares arrays, all learn the fastest, and the cube of the run
 * is made with it.  Rank 0 compares by counts, and again by rehearsals if these take little time
 * beside the operation. */
#include "operation.h"

#include <stdio.h>
#include <string.h>

/* What rehearsing a message takes, and the part of the predicted time that rehearsals may take. */
static const double rehearsed_seconds = 2e-6, rehearsed_share = .05;

enum { REHEARSED_MOST = 1 << 20 };

static const struct work {
  int (*work)(struct run *run);
  const struct operation *operation; /* NULL: the options' product */
} works[] = {
    {tool_solve, &operation_solve},         {tool_factor, &operation_factor},
    {tool_invert, &operation_invert},       {tool_eig, &operation_eigen},
    {tool_trsm, &operation_trsm},           {tool_multiply, NULL},
    {tool_transpose, &operation_transpose}, {tool_turn, &operation_turn},
    {tool_det, &operation_factor},          {tool_cond, &operation_factor},
    {tool_svd, &operation_svd},
};

static const struct work *find_work(int (*work)(struct run *run)) {
  for (size_t i = 0; i < sizeof works / sizeof *works; i++)
    if (works[i].work == work) return &works[i];
  return NULL;
}

bool works_on_files(int (*work)(struct run *run)) { return find_work(work) != NULL; }

struct head {
  hyla_type type;
  int64_t rows, cols;
};

/* Sets the options' size, as --size would give it, to that of the files. */
static void take_size(struct options *o, const struct operation *operation,
                      const struct head head[2]) {
  const struct head *a = &head[0], *b = &head[o->path_count - 1];
  const bool square = a->rows == a->cols;
  o->type = type_common(a->type, b->type);
  o->size_count = operation->factors == 0 && square ? 1 : 2;
  o->size[0] = a->rows;
  o->size[1] = a->cols;
  if (operation == &operation_gemm) {
    o->size_count = 3;
    o->size[1] = b->cols;
    o->size[2] = a->cols;
  } else if (operation->factors == 2) {
    o->size[0] = b->rows;
    o->size[1] = o->path_count == 2 ? b->cols : 1;
  } else if (operation->factors == 1 && o->op != HYLA_NONE) {
    o->size[0] = a->cols;
    o->size[1] = a->rows;
  }
  o->nrhs = operation != &operation_solve ? 0 : o->path_count == 2 ? b->cols : 1;
}

/* Compares arrays; the fastest comes first. */
static hyla_status compare(const struct run *run, const struct operation *operation,
                           const struct options *asked, struct arrays *arrays) {
  hyla_machine machine;
  struct problem sized = {.options = asked};
  if (!operation->read_size(&sized)) return HYLA_ARGUMENT;
  hyla_status status = hyla_cube_machine(run->cube, &machine);
  if (!status) status = arrays_compare(operation, asked, &machine, run->ranks, 0, arrays);
  if (status) return status;
  double messages = rehearsed_share / rehearsed_seconds * arrays->array[0].seconds / arrays->count;
  if (messages > REHEARSED_MOST) messages = REHEARSED_MOST;
  if (messages < 1) return HYLA_OK;
  return arrays_compare(operation, asked, &machine, run->ranks, (int64_t)messages, arrays);
}

hyla_status array_for_files(struct run *run, int (*work)(struct run *run), char array[32]) {
  const struct work *row = find_work(work);
  struct options asked = run->options;
  struct head head[2] = {{0}};
  const struct operation *operation = row->operation;
  if (asked.triangular) operation = &operation_trsm;
  if (!operation) operation = operation_find(asked.product);
  array[0] = '\0';
  for (int i = 0; i < asked.path_count; i++) {
    if (strcmp(asked.paths[i], "-") == 0) return HYLA_OK; /* can be read once only */
    hyla_status status =
        hyla_matrix_probe(run->cube, asked.paths[i], &head[i].type, &head[i].rows, &head[i].cols);
    if (status) return status;
  }
  take_size(&asked, operation, head);
  struct arrays arrays = {0};
  int64_t sides[2] = {0, 0};
  if (run->rank == 0 && !compare(run, operation, &asked, &arrays)) {
    sides[0] = arrays.array[0].rows;
    sides[1] = arrays.array[0].cols;
    (void)arrays_idle(&arrays, run->idle, sizeof run->idle);
  }
  hyla_status status = hyla_cube_max(run->cube, sides, 2);
  if (!status && sides[0] > 0)
    snprintf(array, 32, "%lldx%lld", (long long)sides[0], (long long)sides[1]);
  return status;
}
