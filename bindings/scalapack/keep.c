/* What a call leaves for the next one of its kind: the matrices over the caller's arrays, plans,
 * factorizations, workspaces.
 *
 * Two calls are of one kind if they have the same routine, type, letters, sizes, scalars and
 * descriptors.  All processes give these alike, so all find the same record or none, without a
 * message.  The arrays and their leading dimensions, which each process has for
 * itself, may differ: the matrices are moved to them (hyla_matrix_rewrap), and plans work there.  A
 * process whose array does not fit, or overlaps another one, gives the next call of hyla's no
 * matrix, and so all processes learn of it.
 *
 * A context keeps the latest KINDS records, as long as all together take at most MEMORY bytes. */
#include "dropin.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 64, MEMORY = 96 << 20 };

/* ---------------------------------------------------------------------- keys -- */

static void make_key(const struct dropin_call *call, struct dropin_key *key) {
  memset(key, 0, sizeof *key);
  int *word = key->word;
  *word++ = (int)call->number << 8 | (int)call->type;
  *word++ = (int)call->op_a | (int)call->op_b << 4 | (int)call->side << 8 |
            (int)call->triangle << 12 | (int)call->diagonal << 16 | (int)call->norm << 20;
  *word++ = call->operands;
  for (int x = 0; x < call->operands; x++) {
    const struct dropin_operand *o = &call->operand[x];
    *word++ = o->i;
    *word++ = o->j;
    *word++ = (int)o->rows;
    *word++ = (int)o->cols;
    for (int e = M; e < LLD; e++) *word++ = o->desc[e];
  }
  memcpy(key->real, call->extra, sizeof call->extra);
  key->alpha = call->alpha;
  key->beta = call->beta;
}

/* ------------------------------------------------------------------- records -- */

static void destroy(struct dropin_kept *kept) {
  for (int i = DROPIN_STEPS; i-- > 0;) hyla_plan_destroy(&kept->step[i]);
  hyla_factor_destroy(&kept->factor);
  for (int i = DROPIN_WORKS; i-- > 0;) {
    hyla_matrix_destroy(&kept->work[i]);
    hyla_matrix_destroy(&kept->around[i]);
    free(kept->memory[i]);
  }
  for (int x = DROPIN_OPERANDS; x-- > 0;) {
    hyla_matrix_destroy(&kept->view[x]);
    hyla_matrix_destroy(&kept->whole[x]);
  }
  free(kept->values);
  free(kept);
}

void dropin_keep_drop(struct dropin_grid *grid) {
  while (grid->kept != NULL) {
    struct dropin_kept *first = grid->kept;
    grid->kept = first->next;
    destroy(first);
  }
}

/* Takes the record of this kind out of the grid's list; NULL if there is none. */
static struct dropin_kept *take_out(struct dropin_grid *grid, const struct dropin_key *key) {
  struct dropin_kept **place = &grid->kept;
  while (*place != NULL && memcmp(&(*place)->key, key, sizeof *key) != 0) place = &(*place)->next;
  struct dropin_kept *found = *place;
  if (found != NULL) *place = found->next;
  return found;
}

/* The most bytes on any process; the same on all of them. */
static int64_t bytes_of(const struct dropin_kept *kept) {
  int64_t bytes = kept->bytes;
  for (int i = 0; i < DROPIN_STEPS; i++)
    if (kept->step[i] != NULL) bytes += hyla_plan_cost(kept->step[i]).memory;
  if (kept->factor != NULL) bytes += hyla_plan_cost(hyla_factor_plan(kept->factor)).memory;
  return bytes;
}

/* Puts the record first, and drops the last ones that are too many. */
static void put_in(struct dropin_grid *grid, struct dropin_kept *kept) {
  int64_t bytes = 0;
  int count = 0;
  kept->next = grid->kept;
  grid->kept = kept;
  for (struct dropin_kept **place = &grid->kept; *place != NULL;) {
    struct dropin_kept *here = *place;
    bytes += here == kept ? bytes_of(here) : here->total;
    if (here == kept) kept->total = bytes;
    if (++count <= KINDS && bytes <= MEMORY) {
      place = &here->next;
      continue;
    }
    bytes -= here->total;
    count--;
    *place = here->next;
    destroy(here);
  }
}

/* -------------------------------------------------------------------- fitting -- */

/* This process' entries of an operand. */
struct extent {
  uintptr_t begin, end; /* equal if it has none */
};

static struct extent extent_of(const hyla_matrix *view, size_t size) {
  void *local = NULL;
  int64_t rows = 0, cols = 0, ld = 0;
  hyla_matrix_local(view, &local, &rows, &cols, &ld);
  if (rows == 0 || cols == 0) return (struct extent){0, 0};
  const uintptr_t begin = (uintptr_t)local;
  return (struct extent){begin, begin + (uintptr_t)((cols - 1) * ld + rows) * size};
}

static bool meet(int from, int64_t count, int other, int64_t others) {
  return from < other + others && other < from + count;
}

/* May the operand, which is written, share entries with another one?  Parts of one array are told
 * apart by their indices. */
static bool may_overlap(const struct dropin_call *call, int written, int other) {
  const struct dropin_operand *w = &call->operand[written], *o = &call->operand[other];
  const size_t size = dropin_entry_size(call->type);
  const struct extent one = extent_of(w->view, size), two = extent_of(o->view, size);
  if (one.begin >= two.end || two.begin >= one.end) return false;
  const bool parts = w->array == o->array && memcmp(w->desc, o->desc, sizeof w->desc) == 0;
  return !parts || (meet(w->i, w->rows, o->i, o->rows) && meet(w->j, w->cols, o->j, o->cols));
}

void dropin_misfit(struct dropin_call *call) {
  call->misfits = true;
  for (int x = 0; x < call->operands; x++) call->operand[x].view = call->operand[x].whole = NULL;
}

/* Moves the record's matrices to the call's arrays. */
static void move_to_arrays(struct dropin_call *call, const struct dropin_kept *kept) {
  for (int x = 0; x < call->operands; x++) {
    struct dropin_operand *o = &call->operand[x];
    o->whole = kept->whole[x];
    o->view = kept->view[x];
    call->misfits |= hyla_matrix_rewrap(o->whole, o->array, o->desc[LLD]) != HYLA_OK ||
                     hyla_matrix_rewrap(o->view, o->array, o->desc[LLD]) != HYLA_OK;
  }
  for (int x = 0; x + 1 < call->operands && call->written && !call->misfits; x++)
    call->misfits |= may_overlap(call, call->operands - 1, x);
  if (call->misfits) dropin_misfit(call);
}

/* ---------------------------------------------------------------------- calls -- */

hyla_status dropin_keep_begin(struct dropin_call *call) {
  struct dropin_key key;
  make_key(call, &key);
  call->kept = take_out(call->grid, &key);
  if (call->kept != NULL) {
    call->kept->found = true;
    move_to_arrays(call, call->kept);
    return HYLA_OK;
  }
  /* The opening is collective: without memory for the record on one process all have to know. */
  struct dropin_kept *kept = calloc(1, sizeof *kept);
  int64_t lacks = kept == NULL;
  hyla_status status = hyla_cube_max(call->grid->cube, &lacks, 1);
  if (status == HYLA_OK && lacks) status = HYLA_MEMORY;
  if (status != HYLA_OK) {
    free(kept);
    return status;
  }
  kept->key = key;
  call->kept = kept;
  return dropin_open(call);
}

void dropin_keep_end(struct dropin_call *call, hyla_status status) {
  if (call->kept == NULL) return;
  if (status == HYLA_OK)
    put_in(call->grid, call->kept);
  else
    destroy(call->kept);
  call->kept = NULL;
}

bool dropin_all_fit(struct dropin_call *call) {
  int64_t misfits = call->misfits;
  if (!call->kept->found) return true;
  return hyla_cube_max(call->grid->cube, &misfits, 1) == HYLA_OK && misfits == 0;
}

hyla_plan **dropin_next_step(struct dropin_call *call) {
  return call->steps < DROPIN_STEPS ? &call->kept->step[call->steps++] : NULL;
}

hyla_status dropin_run_step(struct dropin_call *call, hyla_status planned, hyla_plan *plan) {
  if (planned != HYLA_OK) return planned;
  return hyla_plan_run(call->grid->cube, call->misfits ? NULL : plan);
}

/* An array like the operand's, with its descriptor, so that each process has the same entries of
 * both. */
hyla_status dropin_twin(struct dropin_call *call, int operand, int number, hyla_matrix **twin) {
  struct dropin_kept *kept = call->kept;
  const struct dropin_operand *o = &call->operand[operand];
  *twin = kept->work[number];
  if (*twin != NULL) return HYLA_OK;
  const struct dropin_grid *grid = call->grid;
  hyla_scalapack array = {.p = grid->p, .q = grid->q, .order = 'R'};
  for (int e = 0; e <= LLD; e++) array.desc[e] = o->desc[e];
  array.desc[M] = o->i - 1 + (int)o->rows;
  array.desc[N] = o->j - 1 + (int)o->cols;
  int64_t rows = 0, cols = 0;
  hyla_status status = hyla_scalapack_local(grid->cube, &array, &rows, &cols);
  if (status != HYLA_OK) return status;
  array.desc[LLD] = rows > 0 ? (int)rows : 1;
  const size_t bytes = (size_t)(rows * cols) * dropin_entry_size(call->type);
  kept->memory[number] = malloc(bytes + 1);
  /* Without memory the array is NULL, and the wrapping tells all processes. */
  status = hyla_matrix_wrap_scalapack(grid->cube, call->type, &array, kept->memory[number],
                                      &kept->around[number]);
  if (status != HYLA_OK) return status;
  int64_t most = (int64_t)bytes;
  status = hyla_cube_max(grid->cube, &most, 1);
  kept->bytes += most;
  (void)hyla_matrix_view(kept->around[number], o->i - 1, o->j - 1, o->rows, o->cols,
                         &kept->work[number]);
  *twin = kept->work[number];
  return status;
}
