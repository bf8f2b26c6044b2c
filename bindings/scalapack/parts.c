/* Parts of arrays, each process for its own entries: p?lacpy, p?laset, p?elset, p?elget, p?tradd.
 */
#include "dropin.h"

#include <complex.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

/* --------------------------------------------------------------------- columns -- */

int64_t dropin_rows_before(const struct dropin_grid *g, const struct dropin_operand *o, int64_t i) {
  const int me = (g->row - o->desc[RSRC] + g->p) % g->p;
  return dropin_held(o->i - 1 + i, o->desc[MB], me, g->p);
}

int64_t dropin_cols_before(const struct dropin_grid *g, const struct dropin_operand *o, int64_t j) {
  const int me = (g->col - o->desc[CSRC] + g->q) % g->q;
  return dropin_held(o->j - 1 + j, o->desc[NB], me, g->q);
}

int64_t dropin_column_number(const struct dropin_grid *g, const struct dropin_operand *o,
                             int64_t local) {
  const int64_t block = o->desc[NB], me = (g->col - o->desc[CSRC] + g->q) % g->q;
  return (local / block * g->q + me) * block + local % block - (o->j - 1);
}

/* Rows of column j that belong to the part: first ... end - 1. */
static void rows_of(enum dropin_region part, int64_t rows, int64_t j, int64_t *first,
                    int64_t *end) {
  *first = part == DROPIN_LOWER || part == DROPIN_DIAGONAL ? j : part == DROPIN_BELOW ? j + 1 : 0;
  *end = part == DROPIN_UPPER || part == DROPIN_DIAGONAL ? j + 1 : part == DROPIN_ABOVE ? j : rows;
  if (*end > rows) *end = rows;
  if (*first > *end) *first = *end;
}

bool dropin_next_stretch(const struct dropin_call *call, int operand, enum dropin_region part,
                         struct dropin_stretch *s) {
  const struct dropin_grid *g = call->grid;
  const struct dropin_operand *o = &call->operand[operand];
  if (s->count == 0) {
    s->before_rows = dropin_rows_before(g, o, 0);
    s->before_cols = dropin_cols_before(g, o, 0);
    s->count = dropin_cols_before(g, o, o->cols) - s->before_cols;
    s->col = -1;
  }
  if (++s->col >= s->count) return false;
  int64_t first, end;
  rows_of(part, o->rows, dropin_column_number(g, o, s->before_cols + s->col), &first, &end);
  s->row = dropin_rows_before(g, o, first) - s->before_rows;
  s->rows = dropin_rows_before(g, o, end) - s->before_rows - s->row;
  return true;
}

/* An entry of the operand in the caller's array. */
static char *entry_at(const struct dropin_call *call, int operand, const struct dropin_stretch *s) {
  const struct dropin_operand *o = &call->operand[operand];
  const int64_t at = (s->before_cols + s->col) * o->desc[LLD] + s->before_rows + s->row;
  return (char *)o->array + at * (int64_t)dropin_entry_size(call->type);
}

/* y := x + beta y; beta 0 does not read y. */
static void add(hyla_type type, const void *x, hyla_scalar beta, void *y, int64_t count) {
  if (beta == 0) {
    memcpy(y, x, (size_t)count * dropin_entry_size(type));
    return;
  }
  const float real = (float)creal(beta);
  const float _Complex single = (float _Complex)beta;
  for (int64_t k = 0; k < count; k++) switch (type) {
    case HYLA_FLOAT: ((float *)y)[k] = ((const float *)x)[k] + real * ((float *)y)[k]; break;
    case HYLA_DOUBLE:
      ((double *)y)[k] = ((const double *)x)[k] + creal(beta) * ((double *)y)[k];
      break;
    case HYLA_COMPLEX:
      ((float _Complex *)y)[k] = ((const float _Complex *)x)[k] + single * ((float _Complex *)y)[k];
      break;
    default:
      ((double _Complex *)y)[k] =
          ((const double _Complex *)x)[k] + beta * ((double _Complex *)y)[k];
    }
}

/* The place in a matrix that lies as the operand. */
static char *place_in(const struct dropin_call *call, const hyla_matrix *m,
                      const struct dropin_stretch *s) {
  void *local = NULL;
  int64_t ld = 0;
  hyla_matrix_local(m, &local, NULL, NULL, &ld);
  return (char *)local + (s->row + s->col * ld) * (int64_t)dropin_entry_size(call->type);
}

void dropin_add_part(struct dropin_call *call, int operand, enum dropin_region part,
                     const hyla_matrix *x, hyla_scalar beta) {
  for (struct dropin_stretch s = {0}; dropin_next_stretch(call, operand, part, &s);)
    if (s.rows > 0)
      add(call->type, place_in(call, x, &s), beta, entry_at(call, operand, &s), s.rows);
}

void dropin_copy_part(const struct dropin_call *call, int operand, enum dropin_region part,
                      const hyla_matrix *from, hyla_matrix *to) {
  const size_t size = dropin_entry_size(call->type);
  for (struct dropin_stretch s = {0}; dropin_next_stretch(call, operand, part, &s);) {
    if (s.rows == 0) continue;
    if (from == NULL)
      memset(place_in(call, to, &s), 0, (size_t)s.rows * size);
    else
      memcpy(place_in(call, to, &s), place_in(call, from, &s), (size_t)s.rows * size);
  }
}

void dropin_real_diagonal(struct dropin_call *call, int operand, const hyla_matrix *in) {
  for (struct dropin_stretch s = {0}; dropin_next_stretch(call, operand, DROPIN_DIAGONAL, &s);) {
    if (s.rows == 0) continue;
    void *entry = in == NULL ? entry_at(call, operand, &s) : place_in(call, in, &s);
    if (call->type == HYLA_COMPLEX) ((float *)entry)[1] = 0;
    if (call->type == HYLA_DOUBLE_COMPLEX) ((double *)entry)[1] = 0;
  }
}

/* ------------------------------------------------------------------ p?lacpy -- */

static enum dropin_region part_named(const struct dropin_call *call, int at, bool strict) {
  switch (toupper(*(const unsigned char *)call->arguments[at])) {
  case 'U': return strict ? DROPIN_ABOVE : DROPIN_UPPER;
  case 'L': return strict ? DROPIN_BELOW : DROPIN_LOWER;
  default: return DROPIN_WHOLE;
  }
}

/* Do the entries of both operands lie on the same processes in the same order? */
static bool lie_alike(const struct dropin_call *call, int one, int two) {
  const struct dropin_operand *a = &call->operand[one], *b = &call->operand[two];
  const int mb = a->desc[MB], nb = a->desc[NB];
  if (call->grid == NULL || b->desc[MB] != mb || b->desc[NB] != nb || mb < 1 || nb < 1)
    return false;
  const int row = (a->i - 1) / mb + a->desc[RSRC] - (b->i - 1) / mb - b->desc[RSRC];
  const int col = (a->j - 1) / nb + a->desc[CSRC] - (b->j - 1) / nb - b->desc[CSRC];
  return (a->i - 1) % mb == (b->i - 1) % mb && (a->j - 1) % nb == (b->j - 1) % nb &&
         row % call->grid->p == 0 && col % call->grid->q == 0;
}

bool dropin_read_lacpy(struct dropin_call *call) {
  const int m = dropin_integer(call, 1), n = dropin_integer(call, 2);
  call->bare = call->alone = true;
  dropin_operand(call, 3, m, n);
  dropin_operand(call, 7, m, n);
  call->size = sqrt((double)m * (double)n);
  return m == 0 || n == 0 || lie_alike(call, 0, 1);
}

hyla_status dropin_run_lacpy(struct dropin_call *call) {
  const size_t size = dropin_entry_size(call->type);
  const enum dropin_region part = part_named(call, 0, false);
  struct dropin_stretch from = {0}, to = {0};
  while (dropin_next_stretch(call, 0, part, &from) && dropin_next_stretch(call, 1, part, &to))
    if (from.rows > 0)
      memmove(entry_at(call, 1, &to), entry_at(call, 0, &from), (size_t)from.rows * size);
  return HYLA_OK;
}

/* ------------------------------------------------------------------ p?laset -- */

enum { LASET_ALPHA = 3, LASET_BETA = 4 };

bool dropin_read_laset(struct dropin_call *call) {
  const int m = dropin_integer(call, 1), n = dropin_integer(call, 2);
  call->bare = call->alone = true;
  dropin_operand(call, 5, m, n);
  call->size = sqrt((double)m * (double)n);
  return true;
}

static void fill(struct dropin_call *call, enum dropin_region part, const void *value) {
  const size_t size = dropin_entry_size(call->type);
  for (struct dropin_stretch s = {0}; dropin_next_stretch(call, 0, part, &s);) {
    const size_t bytes = (size_t)s.rows * size;
    char *at = entry_at(call, 0, &s);
    if (bytes == 0) continue;
    memcpy(at, value, size);
    for (size_t done = size; done < bytes; done *= 2)
      memcpy(at + done, at, done < bytes - done ? done : bytes - done);
  }
}

hyla_status dropin_run_laset(struct dropin_call *call) {
  fill(call, part_named(call, 0, true), call->arguments[LASET_ALPHA]);
  fill(call, DROPIN_DIAGONAL, call->arguments[LASET_BETA]);
  return HYLA_OK;
}

/* ---------------------------------------------------------------- one entry -- */

/* elset: A, IA, JA, DESCA, ALPHA; elget: SCOPE, TOP, ALPHA, A, IA, JA, DESCA. */
enum { ELSET_ALPHA = 4, ELGET_ALPHA = 2, ELGET_A = 3 };

/* The operand's one entry, if this process has it. */
static void *own_entry(const struct dropin_call *call) {
  struct dropin_stretch s = {0};
  const bool column = dropin_next_stretch(call, 0, DROPIN_WHOLE, &s);
  return column && s.rows > 0 ? entry_at(call, 0, &s) : NULL;
}

bool dropin_read_elset(struct dropin_call *call) {
  call->bare = call->alone = true;
  dropin_operand(call, 0, 1, 1);
  return true;
}

hyla_status dropin_run_elset(struct dropin_call *call) {
  void *entry = own_entry(call);
  if (entry != NULL) memcpy(entry, call->arguments[ELSET_ALPHA], dropin_entry_size(call->type));
  return HYLA_OK;
}

/* To all processes or none; those of a row or a column are left to ScaLAPACK. */
bool dropin_read_elget(struct dropin_call *call) {
  const int scope = toupper(*(const unsigned char *)call->arguments[0]);
  call->bare = true;
  dropin_operand(call, ELGET_A, 1, 1);
  return scope != 'R' && scope != 'C';
}

hyla_status dropin_run_elget(struct dropin_call *call) {
  const size_t size = dropin_entry_size(call->type);
  const bool to_all = toupper(*(const unsigned char *)call->arguments[0]) == 'A';
  char value[sizeof(double _Complex)] = {0};
  if (to_all && !dropin_grid_processes(call->grid)) return HYLA_COMMUNICATION;
  const void *entry = own_entry(call);
  if (entry != NULL) memcpy(value, entry, size);
  if (to_all) dropin_share(call->grid, value, (int)size, MPI_BYTE, MPI_BOR);
  memcpy(call->arguments[ELGET_ALPHA], value, size);
  return HYLA_OK;
}

/* ------------------------------------------------------------------ p?tradd -- */

/* UPLO, TRANS, M, N, ALPHA, A, BETA, C. */
bool dropin_read_tradd(struct dropin_call *call) {
  if (!dropin_read_triangle(call, 0) || !dropin_read_operation(call, 1, &call->op_a)) return false;
  const int m = dropin_integer(call, 2), n = dropin_integer(call, 3);
  const bool plain = call->op_a == HYLA_NONE;
  dropin_operand(call, 5, plain ? m : n, plain ? n : m);
  dropin_operand(call, 10, m, n);
  call->alpha = dropin_scalar(call, 4);
  call->beta = dropin_scalar(call, 9);
  call->written = true;
  call->size = sqrt((double)m * (double)n);
  return call->alpha != 0;
}

/* alpha op(A) is brought to where C's entries are; then C's triangle is added to. */
hyla_status dropin_run_tradd(struct dropin_call *call) {
  hyla_cube *cube = call->grid->cube;
  hyla_matrix *brought = NULL;
  const hyla_matrix *a = call->operand[0].view;
  hyla_plan **plan = dropin_next_step(call);
  hyla_status status = dropin_twin(call, 1, 0, &brought);
  const hyla_transfer move = {call->op_a, call->alpha, a, brought};
  if (status == HYLA_OK && *plan == NULL)
    status = hyla_redistribute_plan(cube, 1, &move, NULL, plan);
  status = dropin_run_step(call, status, *plan);
  if (status == HYLA_OK)
    dropin_add_part(call, 1, call->triangle == HYLA_LOWER ? DROPIN_LOWER : DROPIN_UPPER, brought,
                    call->beta);
  return status;
}
