/* A P = Q R: the loop over panels, and what the ways of choosing columns share.
 *
 *   for each panel of w columns:  choose w columns and bring them to its place
 *                                 [R11; 0] := Q_k^H [A11; A21]     on all nodes alike
 *                                 [A12; A22] := Q_k^H [A12; A22]   each node its own columns
 *
 * Layout: whole columns, dealt out in blocks of w.  Memory beside A: 3 or more columns, or panels
 * of w columns, on each node; the variants say how many.  Flops: those of QR, 2 n^2 (m - n/3), and
 * the choices'.  What travels does not depend on the entries.  theory.md, qr_pivoted. */
#include "solve/pivoted/pivoted.h"

#include <complex.h>
#include <math.h>

int64_t hy_pivoted_block(const hyla_cube *cube, int64_t n) {
  const int64_t nodes = hy_axis_dealt(cube, 1, n).parts;
  return hy_max(1, hy_min(HY_PIVOTED_PANEL, hy_ceil_div(n, nodes)));
}

/* ------------------------------------------------------------ reflections -- */

double hy_pivoted_norm(const struct hy_kernels *k, int64_t rows, const char *x) {
  const double scale = rows == 0 ? 0 : k->largest((int)rows, 1, x, (int)rows);
  if (!(scale > 0) || isinf(scale)) return scale;
  return scale * sqrt(k->squares((int)rows, 1, x, (int)rows, scale));
}

double _Complex hy_pivoted_reflect(const struct hy_pivoted *p, int64_t rows, char *x,
                                   double _Complex *beta) {
  const struct hy_kernels *k = p->k;
  if (k->dry) return 0;
  const double _Complex leading = k->get(x, 0);
  const double rest = hy_pivoted_norm(k, rows - 1, x + k->size);
  const double re = creal(leading), im = cimag(leading);
  k->set(x, 0, 1);
  *beta = leading;
  if (rest == 0 && im == 0) return 0;
  const double size = hypot(hypot(re, im), rest), real = re > 0 ? -size : size;
  *beta = real;
  if (rows > 1) k->divide((int)rows - 1, hy_complex(re - real, im), x + k->size, 1);
  return hy_complex((real - re) / real, -im / real);
}

hyla_status hy_pivoted_fail(const struct hy_pivoted *p) {
  return hy_fail(&p->cube->base, HYLA_NOT_FINITE,
                 "A has an entry that is infinite or not a number, or a column whose norm "
                 "overflows");
}

/* ----------------------------------------------------------------- memory -- */

hyla_status hy_pivoted_create(const struct hy_variant *variant, const void *given, void **made) {
  const struct hy_pivoted_task *task = given;
  hyla_cube *cube = task->cube;
  struct hy_pivoted *p = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *p, &p));
  *made = p;
  *p = (struct hy_pivoted){.task = task,
                           .pivoting = variant->traits,
                           .cube = cube,
                           .k = task->a->k,
                           .a = task->a,
                           .m = task->a->row.n,
                           .n = task->a->col.n,
                           .tau = task->tau,
                           .columns = task->columns};
  p->order = hy_min(p->m, p->n);
  p->block = (int)hy_pivoted_block(cube, p->n);
  p->bytes = hy_ceil_div(p->pivoting->bytes(p->m, p->block, (int64_t)p->k->size), 16) * 16;
  const struct hy_group groups[] = {
      {&p->offers, hy_all_dims(cube), HY_TASK_ALLREDUCE, 1, (size_t)p->bytes}, {0}};
  return hy_make_groups(p, cube, groups);
}

static hyla_status allocate(struct hy_pivoted *p) {
  struct hy_base *base = &p->cube->base;
  const int64_t size = (int64_t)p->k->size, w = p->block, own = p->a->local_cols;
  const struct hy_owned arrays[] = {{&p->message, p->bytes},
                                    {&p->v, p->m * w * size},
                                    {&p->factor, own * w * size},
                                    {&p->room, p->pivoting->room(p->m, w, own, size)},
                                    {&p->norms, 2 * own * (int64_t)sizeof(double)},
                                    {0}};
  struct hy_subcube_op *const groups[] = {&p->offers, NULL};
  TRY(hy_take_arrays(base, p, arrays));
  if (p->tau == NULL) TRY(hy_alloc_data_for(base, p, p->order, sizeof *p->tau, &p->tau));
  if (p->columns == NULL) TRY(hy_alloc_data_for(base, p, p->n, sizeof *p->columns, &p->columns));
  return hy_allocate_groups(groups);
}

hyla_status hy_pivoted_allocate(void *state) {
  struct hy_pivoted *p = state;
  return hy_agree(p->cube, p->cube->address < 0 ? HYLA_OK : allocate(p));
}

/* --------------------------------------------------------------------- run -- */

hyla_status hy_pivoted_run(void *state) {
  struct hy_pivoted *p = state;
  if (p->cube->address < 0) return HYLA_OK;
  for (int64_t j = 0; j < p->n && !p->k->dry; j++) p->columns[j] = j;
  if (p->pivoting->begin != NULL) p->pivoting->begin(p);
  for (p->first = 0; p->first < p->order; p->first += p->width) {
    p->width = (int)hy_min(p->block, p->order - p->first);
    TRY(p->pivoting->panel(p));
    TRY(hy_link_poll(p->cube));
  }
  return HYLA_OK;
}

void hy_pivoted_explain(const void *state, struct hy_text *text) {
  const struct hy_pivoted *p = state;
  hy_text_add(text, "  whole columns in blocks of %d, dealt out to all nodes\n", p->block);
  hy_explain_asked(&p->offers, "columns offered", text);
}
