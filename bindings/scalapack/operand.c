/* Reads arguments as Fortran passes them: characters, numbers, arrays with their descriptors. */
#include "dropin.h"

#include <ctype.h>

int dropin_integer(const struct dropin_call *call, int at) {
  return *(const int *)call->arguments[at];
}

size_t dropin_entry_size(hyla_type type) {
  static const size_t sizes[] = {sizeof(float), sizeof(double), 2 * sizeof(float),
                                 2 * sizeof(double), sizeof(int)};
  return sizes[type];
}

bool dropin_is_complex(hyla_type type) {
  return type == HYLA_COMPLEX || type == HYLA_DOUBLE_COMPLEX;
}

double dropin_real(const struct dropin_call *call, int at) {
  const void *value = call->arguments[at];
  bool single = call->type == HYLA_FLOAT || call->type == HYLA_COMPLEX;
  return single ? (double)*(const float *)value : *(const double *)value;
}

hyla_scalar dropin_scalar(const struct dropin_call *call, int at) {
  const void *value = call->arguments[at];
  if (call->type == HYLA_COMPLEX) return *(const float _Complex *)value;
  if (call->type == HYLA_DOUBLE_COMPLEX) return *(const double _Complex *)value;
  return dropin_real(call, at);
}

static int character(const struct dropin_call *call, int at) {
  return toupper(*(const unsigned char *)call->arguments[at]);
}

bool dropin_read_operation(const struct dropin_call *call, int at, hyla_operation *op) {
  int letter = character(call, at);
  *op = letter == 'N' ? HYLA_NONE : letter == 'T' ? HYLA_TRANSPOSE : HYLA_CONJUGATE;
  if (!dropin_is_complex(call->type) && letter == 'C') *op = HYLA_TRANSPOSE;
  return letter == 'N' || letter == 'T' || letter == 'C';
}

bool dropin_read_triangle(struct dropin_call *call, int at) {
  int letter = character(call, at);
  call->triangle = letter == 'L' ? HYLA_LOWER : HYLA_UPPER;
  return letter == 'L' || letter == 'U';
}

bool dropin_read_side(struct dropin_call *call, int at) {
  int letter = character(call, at);
  call->side = letter == 'L' ? HYLA_LEFT : HYLA_RIGHT;
  return letter == 'L' || letter == 'R';
}

bool dropin_read_diagonal(struct dropin_call *call, int at) {
  int letter = character(call, at);
  call->diagonal = letter == 'U' ? HYLA_UNIT_DIAGONAL : HYLA_ANY_DIAGONAL;
  return letter == 'U' || letter == 'N';
}

bool dropin_read_norm(struct dropin_call *call, int at) {
  int letter = character(call, at);
  call->norm = letter == 'I' ? HYLA_NORM_INF : HYLA_NORM_ONE;
  return letter == '1' || letter == 'O' || letter == 'I';
}

/* PBLAS also knows descriptors with the lengths of the first block of rows and of columns: DTYPE,
 * CTXT, M, N, IMB, INB, MB, NB, RSRC, CSRC, LLD. */
static void read_descriptor(const int *given, int *desc) {
  enum { DENSE = 1, FIRST_BLOCKS = 2, IMB = 4, INB = 5, BETWEEN = 2 };
  bool wide = given[DTYPE] == FIRST_BLOCKS;
  for (int e = 0; e <= LLD; e++) desc[e] = given[wide && e >= MB ? e + BETWEEN : e];
  if (wide) desc[DTYPE] = given[IMB] == desc[MB] && given[INB] == desc[NB] ? DENSE : 0;
}

void dropin_operand(struct dropin_call *call, int at, int64_t rows, int64_t cols) {
  struct dropin_operand *o = &call->operand[call->operands];
  *o = (struct dropin_operand){.array = call->arguments[at],
                               .at = at,
                               .i = dropin_integer(call, at + 1),
                               .j = dropin_integer(call, at + 2),
                               .rows = rows,
                               .cols = cols};
  read_descriptor(call->arguments[at + 3], o->desc);
  if (call->operands++ == 0) call->grid = dropin_grid_find(o->desc[CTXT]);
}

bool dropin_lies_within(int from, int64_t count, int size, int block, int source, int processes) {
  return from >= 1 && from - 1 + count <= size && block >= 1 && source >= 0 && source < processes;
}

int64_t dropin_held(int64_t count, int64_t block, int me, int processes) {
  const int64_t round = block * processes, last = count % round - me * block;
  return count / round * block + (last < 0 ? 0 : last < block ? last : block);
}

int64_t dropin_held_of(const struct dropin_operand *o, int p, int q, int row, int col) {
  const int *desc = o->desc;
  return dropin_held(o->i - 1 + o->rows, desc[MB], (row - desc[RSRC] + p) % p, p) *
         dropin_held(o->j - 1 + o->cols, desc[NB], (col - desc[CSRC] + q) % q, q);
}

const char *dropin_check(const struct dropin_call *call) {
  const struct dropin_grid *grid = call->grid;
  for (int x = 0; x < call->operands; x++) {
    const struct dropin_operand *o = &call->operand[x];
    const int *desc = o->desc;
    if (o->rows < 0 || o->cols < 0 || desc[DTYPE] != 1) return "arguments";
    if (o->rows == 0 || o->cols == 0) return "nothing to do";
    if (desc[CTXT] != grid->context) return "contexts";
    if (!dropin_lies_within(o->i, o->rows, desc[M], desc[MB], desc[RSRC], grid->p) ||
        !dropin_lies_within(o->j, o->cols, desc[N], desc[NB], desc[CSRC], grid->q))
      return "arguments";
  }
  return NULL;
}

bool dropin_square_blocks(const struct dropin_call *call, int operand) {
  const struct dropin_operand *o = &call->operand[operand];
  const int *desc = o->desc;
  return desc[MB] == desc[NB] && desc[MB] >= 1 && (o->i - 1) % desc[MB] == 0 &&
         (o->j - 1) % desc[NB] == 0;
}

bool dropin_same_rows(const struct dropin_call *call, int a, int b) {
  const struct dropin_operand *x = &call->operand[a], *y = &call->operand[b];
  if (call->grid == NULL) return false;
  int block = x->desc[MB];
  if (y->desc[MB] != block || (y->i - 1) % block != 0) return false;
  int one = (x->i - 1) / block + x->desc[RSRC], other = (y->i - 1) / block + y->desc[RSRC];
  return (one - other) % call->grid->p == 0;
}

/* Wraps the whole array, because LLD counts all its local rows; a view then leaves out the rest. */
static hyla_status wrap(struct dropin_call *call, struct dropin_operand *o) {
  hyla_scalapack array = {.p = call->grid->p, .q = call->grid->q, .order = 'R'};
  for (int e = 0; e <= LLD; e++) array.desc[e] = o->desc[e];
  return hyla_matrix_wrap_scalapack(call->grid->cube, call->type, &array, o->array, &o->whole);
}

/* A view may fail on one process alone for want of memory.  It is NULL there, and the call that
 * gets it reports that to all processes. */
hyla_status dropin_open(struct dropin_call *call) {
  hyla_status status = HYLA_OK;
  for (int x = 0; x < call->operands && status == HYLA_OK; x++) {
    struct dropin_operand *o = &call->operand[x];
    status = wrap(call, o);
    if (status == HYLA_OK)
      (void)hyla_matrix_view(o->whole, o->i - 1, o->j - 1, o->rows, o->cols, &o->view);
    call->kept->whole[x] = o->whole;
    call->kept->view[x] = o->view;
  }
  return status;
}
