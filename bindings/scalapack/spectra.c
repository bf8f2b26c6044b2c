/* ScaLAPACK's eigensolvers p?syev, p?syevd, p?syevx, p?syevr, p?sygvx, in complex types p?heev and
 * so on, by hyla_eigen_plan; the generalised one by Cholesky's factor of B (pencils.c).
 *
 * ABSTOL and ORFAC are not used: all values are found to full accuracy, and all vectors are
 * orthogonal, so that IFAIL and ICLUSTR are 0 and GAP -1, as where ScaLAPACK has no failures and no
 * clusters.  A is not changed, which ScaLAPACK allows itself.  Of Z only the columns of the vectors
 * found change; for an interval they come through a copy. */
#include "dropin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The operand B of a generalised problem, and numbers of workspaces; those of `dropin_complete'
 * come first. */
enum { OPERAND_B = 1, KEEPS_FACTOR = 2, KEEPS_TURNED = 3, KEEPS_VECTORS = 4 };

/* Positions of a routine's arguments; 0 for those that it has not, except jobz, which is the first
 * but in the generalised solvers, which have B besides.  Workspaces are each followed by their
 * length. */
struct places {
  int range, triangle, order, a, low, first, found, values, z;
  int work, reals, integers, failed, info;
  int job, b;
};

static const struct places PLACES[] = {
    [DROPIN_syev] =
        {.triangle = 1, .order = 2, .a = 3, .values = 7, .z = 8, .work = 12, .info = 14},
    [DROPIN_heev] = {.triangle = 1,
                     .order = 2,
                     .a = 3,
                     .values = 7,
                     .z = 8,
                     .work = 12,
                     .reals = 14,
                     .info = 16},
    [DROPIN_syevd] = {.triangle = 1,
                      .order = 2,
                      .a = 3,
                      .values = 7,
                      .z = 8,
                      .work = 12,
                      .integers = 14,
                      .info = 16},
    [DROPIN_heevd] = {.triangle = 1,
                      .order = 2,
                      .a = 3,
                      .values = 7,
                      .z = 8,
                      .work = 12,
                      .reals = 14,
                      .integers = 16,
                      .info = 18},
    [DROPIN_syevx] = {1, 2, 3, 4, 8, 10, 13, 15, 17, 21, 0, 23, 25, 28},
    [DROPIN_heevx] = {1, 2, 3, 4, 8, 10, 13, 15, 17, 21, 23, 25, 27, 30},
    [DROPIN_syevr] = {1, 2, 3, 4, 8, 10, 12, 14, 15, 19, 0, 21, 0, 23},
    [DROPIN_heevr] = {1, 2, 3, 4, 8, 10, 12, 14, 15, 19, 21, 23, 0, 25},
    [DROPIN_sygvx] = {2, 3, 4, 5, 13, 15, 18, 20, 22, 26, 0, 28, 30, 33, 1, 9},
    [DROPIN_hegvx] = {2, 3, 4, 5, 13, 15, 18, 20, 22, 26, 28, 30, 32, 35, 1, 9},
};

static int letter(const struct dropin_call *call, int at) {
  return toupper(*(const unsigned char *)call->arguments[at]);
}

static bool wants_vectors(const struct dropin_call *call) {
  return letter(call, PLACES[call->number].job) == 'V';
}

/* Which values are wanted; false if the arguments say none that there are. */
static bool read_range(const struct dropin_call *call, const struct places *at, int n,
                       hyla_eigen_options *options) {
  *options = (hyla_eigen_options){.range = HYLA_EIGEN_ALL};
  switch (at->range == 0 ? 'A' : letter(call, at->range)) {
  case 'A': return true;
  case 'I':
    options->range = HYLA_EIGEN_INDEX;
    options->first = dropin_integer(call, at->first) - 1;
    options->last = dropin_integer(call, at->first + 1) - 1;
    return options->first >= 0 && options->first <= options->last && options->last < n;
  case 'V':
    options->range = HYLA_EIGEN_INTERVAL;
    options->low = dropin_real(call, at->low);
    options->high = dropin_real(call, at->low + 1);
    return options->low < options->high;
  default: return false;
  }
}

/* Notes what tells kinds of calls apart. */
static void note_kind(struct dropin_call *call, const hyla_eigen_options *options) {
  const double numbers[DROPIN_EXTRA] = {wants_vectors(call),    options->range,
                                        (double)options->first, (double)options->last,
                                        options->low,           options->high};
  memcpy(call->extra, numbers, sizeof numbers);
}

static bool asks_length(struct dropin_call *call, int at) {
  return at > 0 && dropin_asks_workspace(call, at, -1);
}

/* Of Z the columns of the vectors that are wanted, as far as that is known. */
static bool read_spectrum(struct dropin_call *call) {
  const struct places *at = &PLACES[call->number];
  const int n = dropin_integer(call, at->order), job = letter(call, at->job);
  hyla_eigen_options options;
  call->info = call->arguments[at->info];
  call->size = n;
  call->written = true;
  dropin_operand(call, at->a, n, n);
  if (at->b > 0) dropin_operand(call, at->b, n, n);
  const bool ranged = read_range(call, at, n, &options);
  const bool by_index = ranged && options.range == HYLA_EIGEN_INDEX;
  if (job == 'V')
    dropin_operand(call, at->z, n, by_index ? options.last - options.first + 1 : n);
  else
    call->written = false;
  note_kind(call, &options);
  call->kind = job == 'N';
  return (job == 'V' || job == 'N') && dropin_read_triangle(call, at->triangle) && ranged &&
         !asks_length(call, at->work) && !asks_length(call, at->reals) &&
         !asks_length(call, at->integers);
}

/* ------------------------------------------------------------------ results -- */

static void write_reals(const struct dropin_call *call, int at, const double *values,
                        int64_t count) {
  const bool single = call->type == HYLA_FLOAT || call->type == HYLA_COMPLEX;
  for (int64_t k = 0; k < count; k++)
    if (single)
      ((float *)call->arguments[at])[k] = (float)values[k];
    else
      ((double *)call->arguments[at])[k] = values[k];
}

/* What ScaLAPACK's expert says where nothing failed. */
static void write_success(const struct dropin_call *call, const struct places *at, int count) {
  const int processes = call->grid->p * call->grid->q;
  const double none = -1;
  if (at->found > 0) {
    *(int *)call->arguments[at->found] = count;
    if (wants_vectors(call)) *(int *)call->arguments[at->found + 1] = count;
  }
  if (at->failed == 0 || !wants_vectors(call)) return;
  int *failed = call->arguments[at->failed], *clusters = call->arguments[at->failed + 1];
  for (int k = 0; k < count; k++) failed[k] = 0;
  for (int k = 0; k < 2 * processes; k++) clusters[k] = 0;
  const bool single = call->type == HYLA_FLOAT || call->type == HYLA_COMPLEX;
  char *gap = call->arguments[at->failed + 2];
  for (int k = 0; k < processes; k++)
    if (single)
      ((float *)(void *)gap)[k] = (float)none;
    else
      ((double *)(void *)gap)[k] = none;
}

/* ----------------------------------------------------------------------- run -- */

/* The experts' lengths are the best, not the least, and since no workspace is used, any serves. */
static bool has_workspaces(struct dropin_call *call, const struct places *at) {
  const int rooms[DROPIN_LENGTHS] = {at->work, at->reals, at->integers};
  return dropin_has_workspaces(call, rooms, (const bool[]){false, false, true}, at->range > 0);
}

/* Plans the solution for a matrix; its vectors go to Z or, for an interval, to a copy. */
static hyla_status plan_spectrum(struct dropin_call *call, const hyla_matrix *of,
                                 const hyla_eigen_options *options, hyla_plan **plan) {
  hyla_cube *cube = call->grid->cube;
  struct dropin_kept *kept = call->kept;
  const int64_t n = call->operand[0].rows;
  hyla_matrix *vectors = wants_vectors(call) ? call->operand[call->operands - 1].view : NULL;
  hyla_status status = HYLA_OK;
  /* If one process has no memory, values is NULL there, and the call that needs it tells all. */
  kept->values = malloc((size_t)n * sizeof *kept->values);
  if (vectors != NULL && options->range == HYLA_EIGEN_INTERVAL) {
    status = hyla_matrix_create(cube, call->type, n, n, NULL, &kept->work[KEEPS_VECTORS]);
    vectors = kept->work[KEEPS_VECTORS];
  }
  if (status != HYLA_OK) return status;
  return hyla_eigen_plan(cube, options, call->triangle, of, kept->values, vectors, plan);
}

/* Z's first columns := the copy's. */
static hyla_status bring_vectors(struct dropin_call *call, int64_t count) {
  const struct dropin_operand *z = &call->operand[call->operands - 1];
  hyla_matrix *from = NULL, *to = NULL;
  if (count == 0) return HYLA_OK;
  (void)hyla_matrix_view(call->kept->work[KEEPS_VECTORS], 0, 0, z->rows, count, &from);
  (void)hyla_matrix_view(z->view, 0, 0, z->rows, count, &to);
  const hyla_status status = hyla_matrix_copy(call->grid->cube, from, to);
  hyla_matrix_destroy(&from);
  hyla_matrix_destroy(&to);
  return status;
}

/* Vectors of the standard problem to those of the given one. */
static hyla_status bring_back(struct dropin_call *call, const hyla_matrix *factor, hyla_matrix *z) {
  const bool lower = call->triangle == HYLA_LOWER, inverse = dropin_integer(call, 0) != 3;
  const hyla_operation op = lower == inverse ? HYLA_CONJUGATE : HYLA_NONE;
  return dropin_times(call, inverse, HYLA_LEFT, op, factor, z);
}

/* The vectors, which are those of the standard problem, on their way to Z.  factor: of B in a
 * generalised problem, else NULL. */
static hyla_status finish_vectors(struct dropin_call *call, bool copied, int64_t count,
                                  const hyla_matrix *factor) {
  hyla_matrix *found =
      copied ? call->kept->work[KEEPS_VECTORS] : call->operand[call->operands - 1].view;
  hyla_status status = HYLA_OK;
  if (factor != NULL) status = bring_back(call, factor, found);
  return status == HYLA_OK && copied ? bring_vectors(call, count) : status;
}

/* Finds values and vectors of a matrix in A's layout. */
static hyla_status solve(struct dropin_call *call, const hyla_matrix *of,
                         const hyla_matrix *factor) {
  const struct places *at = &PLACES[call->number];
  hyla_eigen_options options;
  hyla_spectrum found = {0};
  hyla_plan **plan = dropin_next_step(call);
  hyla_status status = HYLA_OK;
  (void)read_range(call, at, (int)call->operand[0].rows, &options);
  if (*plan == NULL) status = plan_spectrum(call, of, &options, plan);
  status = dropin_run_step(call, status, *plan);
  if (status == HYLA_OK) status = hyla_eigen_found(*plan, &found);
  if (status == HYLA_OK && wants_vectors(call))
    status = finish_vectors(call, options.range == HYLA_EIGEN_INTERVAL, found.count, factor);
  if (status != HYLA_OK) return status;
  write_reals(call, at->values, call->kept->values, found.count);
  write_success(call, at, (int)found.count);
  return dropin_succeed(call);
}

static hyla_status run_spectrum(struct dropin_call *call) {
  if (!has_workspaces(call, &PLACES[call->number])) return HYLA_ARGUMENT;
  return solve(call, call->operand[0].view, NULL);
}

/* ----------------------------------------------------------- generalised problems -- */

bool dropin_read_sygvx(struct dropin_call *call) {
  const int kind = dropin_integer(call, 0);
  const bool read = read_spectrum(call) && kind >= 1 && kind <= 3;
  call->op_b = kind == 2 ? HYLA_TRANSPOSE : kind == 3 ? HYLA_CONJUGATE : HYLA_NONE;
  return read && dropin_square_blocks(call, 0) && dropin_square_blocks(call, OPERAND_B);
}
bool dropin_read_hegvx(struct dropin_call *call) { return dropin_read_sygvx(call); }

/* The Cholesky factor in a workspace, as it is to lie in B. */
static hyla_status factor_b(struct dropin_call *call, hyla_matrix **factor) {
  hyla_status status = dropin_twin(call, OPERAND_B, KEEPS_FACTOR, factor);
  if (status == HYLA_OK) status = dropin_factor_cholesky(call, OPERAND_B, 0, KEEPS_TURNED);
  return status != HYLA_OK
             ? status
             : hyla_factor_packed(call->grid->cube, call->kept->factor, call->triangle, *factor);
}

/* B gets its factor last, so that until then ScaLAPACK can still take the call. */
hyla_status dropin_run_sygvx(struct dropin_call *call) {
  const enum dropin_region part = call->triangle == HYLA_LOWER ? DROPIN_LOWER : DROPIN_UPPER;
  hyla_matrix *factor = NULL, *whole = NULL;
  if (!has_workspaces(call, &PLACES[call->number])) return HYLA_ARGUMENT;
  hyla_status status = factor_b(call, &factor);
  if (status == HYLA_OK) status = dropin_complete(call, &whole);
  if (status == HYLA_OK) status = dropin_reduce(call, dropin_integer(call, 0), factor, whole);
  if (status == HYLA_OK) status = solve(call, whole, factor);
  if (status == HYLA_OK) dropin_add_part(call, OPERAND_B, part, factor, 0);
  return status;
}
hyla_status dropin_run_hegvx(struct dropin_call *call) { return dropin_run_sygvx(call); }

#define SPECTRUM(name)                                                                             \
  bool dropin_read_##name(struct dropin_call *call) { return read_spectrum(call); }                \
  hyla_status dropin_run_##name(struct dropin_call *call) { return run_spectrum(call); }
SPECTRUM(syev)
SPECTRUM(heev)
SPECTRUM(syevd)
SPECTRUM(heevd)
SPECTRUM(syevx)
SPECTRUM(heevx)
SPECTRUM(syevr)
SPECTRUM(heevr)
