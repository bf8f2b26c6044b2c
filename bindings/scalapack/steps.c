/* Steps that several routines share.  They begin when results have changed already, so none may
 * fail: if hyla gives up, the next library does the step. */
#include "dropin.h"

#include <math.h>
#include <string.h>

/* 1 in this type. */
static const void *one_of(hyla_type type) {
  static const double one[2] = {1, 0};
  static const float single_one[2] = {1, 0};
  return type == HYLA_FLOAT || type == HYLA_COMPLEX ? (const void *)single_one : (const void *)one;
}

/* The place of a step's plan; NULL if its operands are not the call's, whose matrices are kept. */
static hyla_plan **place_of(struct dropin_call *call, const struct dropin_operand *a,
                            const struct dropin_operand *b) {
  bool kept_a = false, kept_b = false;
  for (int x = 0; x < call->operands; x++) {
    kept_a |= a == &call->operand[x];
    kept_b |= b == &call->operand[x];
  }
  return kept_a && kept_b ? dropin_next_step(call) : NULL;
}

/* The next library does the step; arguments are BLAS' letters. */
static void next_triangle(struct dropin_call *call, enum dropin_number number,
                          const struct dropin_triangle *t, struct dropin_operand *a,
                          struct dropin_operand *b) {
  int m = (int)b->rows, n = (int)b->cols;
  char letters[4] = {t->side == HYLA_LEFT ? 'L' : 'R', t->triangle == HYLA_LOWER ? 'L' : 'U',
                     "NTC"[t->op], t -> diagonal == HYLA_UNIT_DIAGONAL ? 'U' : 'N'};
  dropin_next(number, call->type,
              (void *[]){letters, letters + 1, letters + 2, letters + 3, &m, &n,
                         (void *)(uintptr_t)one_of(call->type), a->array, &a->i, &a->j, a->desc,
                         b->array, &b->i, &b->j, b->desc});
}

void dropin_substitute(struct dropin_call *call, const struct dropin_triangle *t,
                       struct dropin_operand *a, struct dropin_operand *b) {
  hyla_plan *once = NULL, **plan = place_of(call, a, b);
  if (plan == NULL) plan = &once;
  hyla_status status = HYLA_OK;
  if (*plan == NULL)
    status = hyla_trsm_plan(call->grid->cube, t->side, t->triangle, t->op, t->diagonal, 1, a->view,
                            b->view, NULL, plan);
  status = dropin_run_step(call, status, *plan);
  hyla_plan_destroy(&once);
  if (status != HYLA_OK) next_triangle(call, DROPIN_trsm, t, a, b);
}

void dropin_multiply(struct dropin_call *call, const struct dropin_triangle *t,
                     struct dropin_operand *a, struct dropin_operand *b) {
  hyla_status status =
      hyla_trmm(call->grid->cube, t->side, t->triangle, t->op, t->diagonal, 1, a->view, b->view);
  if (status != HYLA_OK) next_triangle(call, DROPIN_trmm, t, a, b);
}

void dropin_add_square(struct dropin_call *call, hyla_triangle triangle, hyla_operation op,
                       struct dropin_operand *a, struct dropin_operand *c) {
  hyla_cube *cube = call->grid->cube;
  bool complex_type = dropin_is_complex(call->type);
  hyla_operation turned = op == HYLA_NONE ? op : complex_type ? HYLA_CONJUGATE : HYLA_TRANSPOSE;
  hyla_status status = complex_type ? hyla_herk(cube, triangle, turned, 1, a->view, 1, c->view)
                                    : hyla_syrk(cube, triangle, turned, 1, a->view, 1, c->view);
  if (status == HYLA_OK) return;
  int n = (int)c->rows, k = (int)(op == HYLA_NONE ? a->cols : a->rows);
  char letters[2] = {triangle == HYLA_LOWER ? 'L' : 'U', "NTC"[turned]};
  void *one = (void *)(uintptr_t)one_of(call->type);
  dropin_next(complex_type ? DROPIN_herk : DROPIN_syrk, call->type,
              (void *[]){letters, letters + 1, &n, &k, one, a->array, &a->i, &a->j, a->desc, one,
                         c->array, &c->i, &c->j, c->desc});
}

void dropin_clear(hyla_matrix *view, int64_t first, int slope) {
  void *local = NULL;
  int64_t rows = 0, cols = 0, ld = 0;
  const size_t size = dropin_entry_size(hyla_matrix_type(view));
  hyla_matrix_local(view, &local, &rows, &cols, &ld);
  for (int64_t col = 0; col < cols; col++)
    for (int64_t row = 0; row < rows; row++)
      if (hyla_matrix_row(view, row) >= first + slope * hyla_matrix_col(view, col))
        memset((char *)local + (size_t)(row + col * ld) * size, 0, size);
}

/* ScaLAPACK's own routine: moves rows of B, or columns of A, to where IPIV's swaps put them, or
 * back. */
typedef void permute(const char *direction, const char *what, const char *vector, const int *m,
                     const int *n, void *a, const int *ia, const int *ja, const int *desc_a,
                     const int *pivots, const int *ip, const int *jp, const int *desc_p, int *work,
                     size_t, size_t, size_t);

void dropin_apply_pivots(struct dropin_call *call, const char *direction, const char *what,
                         struct dropin_operand *to, int *work) {
  const struct dropin_grid *grid = call->grid;
  const struct dropin_operand *a = &call->operand[0];
  const int *desc = a->desc, one = 1, m = (int)to->rows, n = (int)to->cols;
  int rows = 0; /* of A on this process (NUMROC) */
  for (int64_t block = 0, first; (first = block * desc[MB]) < desc[M]; block++)
    if ((block + desc[RSRC]) % grid->p == grid->row)
      rows += desc[M] - first < desc[MB] ? (int)(desc[M] - first) : desc[MB];
  const int pivots[] = {1,          desc[CTXT], desc[M] + desc[MB] * grid->p,
                        1,          desc[MB],   1,
                        desc[RSRC], grid->col,  desc[MB] + rows};
  char name[] = "p?lapiv_";
  name[1] = dropin_letter(call->type);
  ((permute *)dropin_find(name))(direction, what, "C", &m, &n, to->array, &to->i, &to->j, to->desc,
                                 call->pivots, &a->i, &one, pivots, work, 1, 1, 1);
}

/* ------------------------------------------------------------- workspaces -- */

/* A workspace's length, in its first entry, of integers or numbers of the type. */
double dropin_length_of(const struct dropin_call *call, int at, bool integers) {
  return integers ? dropin_integer(call, at) : dropin_real(call, at);
}

void dropin_write_length(const struct dropin_call *call, int at, bool integers, double length) {
  if (integers)
    *(int *)call->arguments[at] = (int)length;
  else if (call->type == HYLA_FLOAT || call->type == HYLA_COMPLEX)
    *(float *)call->arguments[at] = (float)length;
  else
    *(double *)call->arguments[at] = length;
}

void dropin_ask_workspaces(struct dropin_call *call, const int at[DROPIN_LENGTHS],
                           const bool integers[DROPIN_LENGTHS]) {
  void *arguments[DROPIN_ARGUMENTS] = {0};
  const int count = dropin_routines[call->number].arguments + dropin_more(call->number, call->type);
  int query = -1;
  for (int i = 0; i < count; i++) arguments[i] = call->arguments[i];
  for (int i = 0; i < DROPIN_LENGTHS; i++)
    if (at[i] > 0) arguments[at[i] + 1] = &query;
  dropin_next(call->number, call->type, arguments);
  for (int i = 0; i < DROPIN_LENGTHS; i++)
    if (at[i] > 0) call->kept->lengths[i] = dropin_length_of(call, at[i], integers[i]);
}

/* Is a workspace shorter than ScaLAPACK asked for, on this process? */
static bool is_short(const struct dropin_call *call, const int at[DROPIN_LENGTHS]) {
  for (int i = 0; i < DROPIN_LENGTHS; i++)
    if (at[i] > 0 && dropin_integer(call, at[i] + 1) < call->kept->lengths[i]) return true;
  return false;
}

/* ScaLAPACK has found no wrong argument in an earlier call of this kind, and its lengths are
 * known. */
static bool has_them_again(struct dropin_call *call, const int at[DROPIN_LENGTHS],
                           const bool integers[DROPIN_LENGTHS], bool any) {
  for (int i = 0; i < DROPIN_LENGTHS; i++)
    if (at[i] > 0 && (any || !is_short(call, at)))
      dropin_write_length(call, at[i], integers[i], call->kept->lengths[i]);
  if (!any && is_short(call, at)) dropin_misfit(call);
  if (call->misfits) call->why = "arguments";
  return true;
}

bool dropin_has_workspaces(struct dropin_call *call, const int at[DROPIN_LENGTHS],
                           const bool integers[DROPIN_LENGTHS], bool any) {
  if (call->kept->found) return has_them_again(call, at, integers, any);
  dropin_ask_workspaces(call, at, integers);
  int64_t lacks = *call->info != 0 || (!any && is_short(call, at));
  bool given = hyla_cube_max(call->grid->cube, &lacks, 1) == HYLA_OK && lacks == 0;
  if (!given) call->why = "arguments";
  return given;
}

bool dropin_has_workspace(struct dropin_call *call, int work, int more, bool integers) {
  const int at[DROPIN_LENGTHS] = {work, more < 0 ? 0 : more, 0};
  return dropin_has_workspaces(call, at, (const bool[]){false, integers, false}, false);
}

bool dropin_asks_workspace(struct dropin_call *call, int work, int more) {
  const bool asks =
      dropin_integer(call, work + 1) == -1 || (more >= 0 && dropin_integer(call, more + 1) == -1);
  call->asks |= asks;
  return asks;
}

hyla_status dropin_succeed(struct dropin_call *call) {
  *call->info = 0;
  return HYLA_OK;
}

void dropin_return(const struct dropin_call *call, double value) {
  void *place = call->arguments[dropin_routines[call->number].arguments];
  if (call->type == HYLA_FLOAT || call->type == HYLA_COMPLEX)
    *(float *)place = (float)value;
  else
    *(double *)place = value;
}

double dropin_order_of_work(int64_t a, int64_t b, int64_t c) {
  return cbrt((double)a * (double)b * (double)c);
}
