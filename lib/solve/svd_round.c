/* Products with a matrix whose columns are whole on nodes: its columns go round, P - 1 messages of
 * a node's share; and vectors made orthogonal by them, hy_svd_polish.
 *
 * Reference: Bjorck and Bowie 1971, for the step.  theory.md, svd:jacobi-*.
 * Method: with E = X^H X - I, X := X - X E / 2: the distance from unitary becomes its square, and
 * is that of rounding once.  What products with many reflections have added up goes.
 * Flops: 4 m n^2.  Messages: 2 (P - 1).  Memory: two shares of X, and a share of E. */
#include "solve/svd.h"

#include <string.h>

hyla_status hy_svd_round_make(hyla_cube *cube, const struct hy_kernels *k, int64_t rows,
                              int64_t share, void *owner, struct hy_svd_round *round) {
  struct hy_base *base = &cube->base;
  *round = (struct hy_svd_round){.cube = cube, .k = k, .share = share};
  if (cube->address < 0) return HYLA_OK;
  TRY(hy_alloc_data_for(base, owner, rows * share, k->size, &round->passing[0]));
  TRY(hy_alloc_data_for(base, owner, rows * share, k->size, &round->passing[1]));
  return hy_alloc_data_for(base, owner, cube->nodes * share * share, k->size, &round->e);
}

/* This node's columns, and columns of zeros for others that it might have. */
static void load(const struct hy_svd_round *r, const hyla_matrix *x) {
  const int64_t rows = x->row.n, column = rows * (int64_t)r->k->size;
  if (r->k->dry) return;
  memset(r->passing[0], 0, (size_t)(r->share * column));
  for (int64_t c = 0; c < x->local_cols; c++)
    hy_copy_entries(r->k, r->passing[0] + c * column, hy_at(x, 0, c), rows);
}

hyla_status hy_svd_round_run(struct hy_svd_round *r, const hyla_matrix *x, hy_svd_round_use *use,
                             void *arg) {
  const uint32_t all = hy_all_dims(r->cube);
  const int64_t nodes = r->cube->nodes, me = hy_member(r->cube, all, r->cube->address);
  const int64_t bytes = x->row.n * r->share * (int64_t)r->k->size;
  load(r, x);
  hy_count_copied(r->cube, x->row.n * x->local_cols);
  for (int64_t round = 0; round < nodes; round++) {
    struct hy_message messages[] = {
        {.verb = HY_SEND,
         .peer = (int)hy_member_address(r->cube, all, (uint32_t)((me + 1) % nodes)),
         .bytes = bytes,
         .data = r->passing[round % 2]},
        {.verb = HY_RECV,
         .peer = (int)hy_member_address(r->cube, all, (uint32_t)((me + nodes - 1) % nodes)),
         .bytes = bytes,
         .data = r->passing[1 - round % 2]}};
    use(arg, (me + nodes - round) % nodes, r->passing[round % 2]);
    if (round + 1 < nodes) TRY(hy_link_step(r->cube, messages, 2));
    TRY(hy_link_poll(r->cube));
  }
  return HYLA_OK;
}

/* ------------------------------------------------------------------ polish -- */

struct polish {
  const struct hy_svd_round *round;
  const hyla_matrix *x;
  int64_t me;
};

/* E's rows of a node; each node has as many of them. */
static char *rows_of(const struct polish *p, int64_t node) {
  return p->round->e + node * p->round->share * (int64_t)p->round->k->size;
}

static int ld_of(const struct polish *p) { return (int)(p->round->cube->nodes * p->round->share); }

static void count(const struct polish *p) {
  hy_compute(p->round->cube, 2 * p->x->row.n * p->round->share * p->x->local_cols,
             p->round->k->size, p->round->k->complex_type);
}

static void find(void *arg, int64_t node, const char *columns) {
  const struct polish *p = arg;
  const hyla_matrix *x = p->x;
  const struct hy_kernels *k = p->round->k;
  const int share = (int)p->round->share, ld = ld_of(p);
  char *e = rows_of(p, node);
  if (x->local_cols == 0) return;
  count(p);
  k->gemm(HYLA_CONJUGATE, HYLA_NONE, share, (int)x->local_cols, (int)x->row.n, 1, columns,
          (int)x->row.n, x->local, (int)x->ld, 0, e, ld);
  if (node != p->me || k->dry) return;
  for (int64_t c = 0; c < x->local_cols; c++) {
    char *entry = e + c * (ld + 1) * (int64_t)k->size;
    k->set(entry, 0, k->get(entry, 0) - 1);
  }
}

static void correct(void *arg, int64_t node, const char *columns) {
  const struct polish *p = arg;
  const hyla_matrix *x = p->x;
  const struct hy_kernels *k = p->round->k;
  if (x->local_cols == 0) return;
  count(p);
  k->gemm(HYLA_NONE, HYLA_NONE, (int)x->row.n, (int)x->local_cols, (int)p->round->share, -.5,
          columns, (int)x->row.n, rows_of(p, node), ld_of(p), 1, x->local, (int)x->ld);
}

hyla_status hy_svd_polish(struct hy_svd_round *r, const hyla_matrix *x) {
  struct polish p = {r, x, hy_member(r->cube, hy_all_dims(r->cube), r->cube->address)};
  TRY(hy_svd_round_run(r, x, find, &p));
  return hy_svd_round_run(r, x, correct, &p);
}
