/* ScaLAPACK's eigensolvers p?syev, p?syevd, p?syevx, p?syevr, in complex types p?heev and so on, by
 * hyla_eigen_plan.
 *
 * ABSTOL and ORFAC are not used: all values are found to full accuracy, and all vectors are
 * orthogonal, so that IFAIL and ICLUSTR are 0 and GAP -1, as where ScaLAPACK has no failures and no
 * clusters.  A is not changed, which ScaLAPACK allows itself.  Of Z only the columns of the vectors
 * found change; for an interval they come through a copy. */
#include "dropin.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* Positions of a routine's arguments; 0 for those that it has not, except jobz, which is the first.
 * Workspaces are each followed by their length. */
struct places {
  int range, triangle, order, a, low, first, found, values, z;
  int work, reals, integers, failed, info;
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
};

static int letter(const struct dropin_call *call, int at) {
  return toupper(*(const unsigned char *)call->arguments[at]);
}

static bool wants_vectors(const struct dropin_call *call) { return letter(call, 0) == 'V'; }

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

static bool asks_length(const struct dropin_call *call, int at) {
  return at > 0 && dropin_integer(call, at + 1) == -1;
}

static bool read_spectrum(struct dropin_call *call) {
  const struct places *at = &PLACES[call->number];
  const int n = dropin_integer(call, at->order), job = letter(call, 0);
  hyla_eigen_options options;
  call->info = call->arguments[at->info];
  call->size = n;
  if (job == 'N') call->from = HUGE_VAL; /* not measured (doc/dropin.md) */
  dropin_operand(call, at->a, n, n);
  if (job == 'V') dropin_operand(call, at->z, n, n);
  return (job == 'V' || job == 'N') && dropin_read_triangle(call, at->triangle) &&
         read_range(call, at, n, &options) && !asks_length(call, at->work) &&
         !asks_length(call, at->reals) && !asks_length(call, at->integers);
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

/* ---------------------------------------------------------------- workspaces -- */

static bool is_short(const struct dropin_call *call, int at, bool integers) {
  if (at == 0) return false;
  const double wanted = integers ? dropin_integer(call, at) : dropin_real(call, at);
  return dropin_integer(call, at + 1) < wanted;
}

/* The next library is asked for its workspaces' lengths, which are in the first entries afterwards,
 * and finds wrong arguments.  The experts' answer is the best length, not the least one, and since
 * no workspace is used, any serves.  Collective. */
static bool has_workspaces(struct dropin_call *call, const struct places *at) {
  void *arguments[DROPIN_ARGUMENTS] = {0};
  int query = -1;
  for (int i = 0; i < dropin_routines[call->number].arguments; i++)
    arguments[i] = call->arguments[i];
  const int rooms[] = {at->work, at->reals, at->integers};
  for (int i = 0; i < 3; i++)
    if (rooms[i] > 0) arguments[rooms[i] + 1] = &query;
  dropin_next(call->number, call->type, arguments);
  const bool is_short_of_one = is_short(call, at->work, false) ||
                               is_short(call, at->reals, false) ||
                               is_short(call, at->integers, true);
  int64_t lacks = *call->info != 0 || (at->range == 0 && is_short_of_one);
  const bool given = hyla_cube_max(call->grid->cube, &lacks, 1) == HYLA_OK && lacks == 0;
  if (!given) call->why = "arguments";
  return given;
}

/* ----------------------------------------------------------------------- run -- */

/* The matrix for the vectors: the part of Z for those wanted, or for an interval a copy. */
static hyla_status make_vectors(struct dropin_call *call, const hyla_eigen_options *options,
                                hyla_matrix **made) {
  const struct dropin_operand *z = &call->operand[1];
  const int64_t n = z->rows;
  switch (options->range) {
  case HYLA_EIGEN_INTERVAL:
    return hyla_matrix_create(call->grid->cube, call->type, n, n, NULL, made);
  case HYLA_EIGEN_INDEX:
    /* NULL for want of memory on one process alone is found by the call that gets it. */
    (void)hyla_matrix_view(z->view, 0, 0, n, options->last - options->first + 1, made);
    return HYLA_OK;
  default: (void)hyla_matrix_view(z->view, 0, 0, n, n, made); return HYLA_OK;
  }
}

/* Z's first columns := the copy's. */
static hyla_status bring_vectors(struct dropin_call *call, hyla_matrix *copy, int64_t count) {
  const struct dropin_operand *z = &call->operand[1];
  hyla_matrix *from = NULL, *to = NULL;
  if (count == 0) return HYLA_OK;
  (void)hyla_matrix_view(copy, 0, 0, z->rows, count, &from);
  (void)hyla_matrix_view(z->view, 0, 0, z->rows, count, &to);
  const hyla_status status = hyla_matrix_copy(call->grid->cube, from, to);
  hyla_matrix_destroy(&from);
  hyla_matrix_destroy(&to);
  return status;
}

static hyla_status find(struct dropin_call *call, const hyla_eigen_options *options, double *values,
                        hyla_matrix *vectors, hyla_spectrum *found) {
  hyla_cube *cube = call->grid->cube;
  hyla_plan *plan = NULL;
  hyla_status status =
      hyla_eigen_plan(cube, options, call->triangle, call->operand[0].view, values, vectors, &plan);
  if (status == HYLA_OK) status = hyla_plan_run(cube, plan);
  if (status == HYLA_OK) status = hyla_eigen_found(plan, found);
  hyla_plan_destroy(&plan);
  return status;
}

static hyla_status run_spectrum(struct dropin_call *call) {
  const struct places *at = &PLACES[call->number];
  const int n = (int)call->operand[0].rows;
  hyla_eigen_options options;
  hyla_spectrum found = {0};
  hyla_matrix *vectors = NULL;
  if (!has_workspaces(call, at)) return HYLA_ARGUMENT;
  (void)read_range(call, at, n, &options);
  /* If one process has no memory, values is NULL there, and the call that needs it tells all. */
  double *values = malloc((size_t)n * sizeof *values);
  hyla_status status = HYLA_OK;
  if (wants_vectors(call)) status = make_vectors(call, &options, &vectors);
  if (status == HYLA_OK) status = find(call, &options, values, vectors, &found);
  if (status == HYLA_OK && wants_vectors(call) && options.range == HYLA_EIGEN_INTERVAL)
    status = bring_vectors(call, vectors, found.count);
  if (status == HYLA_OK) {
    write_reals(call, at->values, values, found.count);
    write_success(call, at, (int)found.count);
    status = dropin_succeed(call);
  }
  hyla_matrix_destroy(&vectors);
  free(values);
  return status;
}

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
