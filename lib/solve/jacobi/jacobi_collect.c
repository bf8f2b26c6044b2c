/* After the last sweep: values in descending order, the same on all nodes, and the columns of U and
 * V where they belong.
 *
 * A column's value is its length.  All nodes learn all values by one all-reduction, and sort them
 * alike.  Then each node sends each other one the columns that belong there, in P - 1 rounds: in
 * round r to the node r places further. */
#include "solve/jacobi/jacobi.h"

#include <math.h>
#include <string.h>

static char *column_of(const struct hy_jacobi *j, const struct hy_jacobi_block *block, int c) {
  return block->data + (int64_t)c * j->rows * (int64_t)j->k->size;
}

/* The columns' lengths; X's columns become those of U. */
static void measure(struct hy_jacobi *j, const struct hy_jacobi_block *block) {
  const struct hy_kernels *k = j->k;
  for (int c = 0; c < block->columns; c++) {
    char *x = column_of(j, block, c);
    const int m = (int)j->m;
    const double largest = k->largest(m, 1, x, m);
    const double length = largest == 0 ? 0 : largest * sqrt(k->squares(m, 1, x, m, largest));
    if (length > 0) k->divide(m, length, x, 1);
    /* A column that stands for one of zeros. */
    const bool none = length <= ldexp((double)j->n, hy_jacobi_tiny(k) + 2);
    j->found[block->id * j->width + c] = none ? 0 : ldexp(length, -j->problem.shift);
  }
}

static void add_numbers(void *into, const void *from, int64_t count, const void *arg) {
  const struct hy_kernels *k = arg;
  double *to = into;
  const double *others = from;
  for (int64_t i = 0; i < count && !k->dry; i++) to[i] += others[i];
}

/* Is column a before column b? By value, descending, then by number. */
static bool before(const struct hy_jacobi *j, int64_t a, int64_t b) {
  return j->found[a] != j->found[b] ? j->found[a] > j->found[b] : a < b;
}

/* Puts order[root] in its place in a heap of `count' columns, the last one on top. */
static void sift(struct hy_jacobi *j, int64_t root, int64_t count) {
  const int64_t column = j->order_of[root];
  for (int64_t child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && before(j, j->order_of[child], j->order_of[child + 1])) child++;
    if (!before(j, column, j->order_of[child])) break;
    j->order_of[root] = j->order_of[child];
  }
  j->order_of[root] = column;
}

/* order_of[i]: the column with value i.  Without data columns keep their places; so do those of
 * zeros, which are the last ones. */
static void sort(struct hy_jacobi *j) {
  const int64_t live = j->problem.live;
  for (int64_t i = 0; i < j->n; i++) j->order_of[i] = i;
  if (j->k->dry) return;
  for (int64_t root = live / 2 - 1; root >= 0; root--) sift(j, root, live);
  for (int64_t last = live - 1; last > 0; last--) {
    hy_swap_numbers(&j->order_of[0], &j->order_of[last]);
    sift(j, 0, last);
  }
  for (int64_t i = 0; i < j->n; i++) j->values[i] = j->found[j->order_of[i]];
}

/* ------------------------------------------------------------------ vectors -- */

/* A matrix of results, and where its columns are in those that travel. */
struct result {
  hyla_matrix *to;
  int64_t first, length; /* the first entry in a column, their number */
};

/* The node of the column with value i, and its place there. */
static uint32_t place_of(const struct hy_jacobi *j, int64_t i, int *slot, int64_t *c) {
  const int64_t id = j->order_of[i] / j->width, at = j->next_ids[id];
  *slot = (int)(at % 2);
  *c = j->order_of[i] % j->width;
  return (uint32_t)(at / 2);
}

/* Copies the columns that go from here to a node, in their order; returns their number. */
static int64_t pack(const struct hy_jacobi *j, const struct result *r, uint32_t me, uint32_t node,
                    char *to) {
  const int64_t size = (int64_t)j->k->size, here = 2 * (int64_t)j->width;
  int64_t count = 0, c;
  int slot;
  for (int64_t i = here * node; i < hy_min(j->problem.live, here * (node + 1)); i++) {
    if (place_of(j, i, &slot, &c) != me) continue;
    const char *from = j->block[slot].data + (c * j->rows + r->first) * size;
    if (!j->k->dry) hy_copy_entries(j->k, to + count * r->length * size, from, r->length);
    count++;
  }
  return count;
}

/* Copies the columns that have come from a node to their places; with from NULL only counts. */
static int64_t unpack(const struct hy_jacobi *j, const struct result *r, uint32_t me, uint32_t node,
                      const char *from) {
  const int64_t size = (int64_t)j->k->size, here = 2 * (int64_t)j->width;
  int64_t count = 0, c;
  int slot;
  for (int64_t i = here * me; i < hy_min(j->problem.live, here * (me + 1)); i++) {
    if (place_of(j, i, &slot, &c) != node) continue;
    if (from != NULL && !j->k->dry)
      hy_copy_entries(j->k, hy_at(r->to, 0, i - here * me), from + count * r->length * size,
                      r->length);
    count++;
  }
  return count;
}

/* The rows and columns of zeros keep the vectors of the identity. */
static void set_rest(const struct hy_jacobi *j, const struct result *r) {
  for (int64_t c = 0; c < r->to->local_cols && !j->k->dry; c++) {
    const int64_t column = hyla_matrix_col(r->to, c);
    if (column < j->problem.live) continue;
    memset(hy_at(r->to, 0, c), 0, (size_t)r->length * j->k->size);
    j->k->set(hy_at(r->to, 0, c), column, 1);
  }
}

static hyla_status deliver(struct hy_jacobi *j, const struct result *r) {
  const uint32_t all = hy_all_dims(j->cube), nodes = (uint32_t)j->cube->nodes;
  const uint32_t me = hy_member(j->cube, all, j->cube->address);
  const int64_t column = r->length * (int64_t)j->k->size;
  if (r->to == NULL) return HYLA_OK;
  hy_count_copied(j->cube, 2 * r->length * r->to->local_cols);
  for (uint32_t round = 0; round < nodes; round++) {
    const uint32_t to = (me + round) % nodes, from = (me + nodes - round) % nodes;
    struct hy_message messages[] = {{.verb = HY_SEND,
                                     .peer = (int)hy_member_address(j->cube, all, to),
                                     .bytes = pack(j, r, me, to, j->out) * column,
                                     .data = j->out},
                                    {.verb = HY_RECV,
                                     .peer = (int)hy_member_address(j->cube, all, from),
                                     .bytes = unpack(j, r, me, from, NULL) * column,
                                     .data = j->in}};
    if (round > 0) TRY(hy_link_step(j->cube, messages, 2));
    (void)unpack(j, r, me, from, round > 0 ? j->in : j->out);
  }
  set_rest(j, r);
  return HYLA_OK;
}

hyla_status hy_jacobi_collect(struct hy_jacobi *j) {
  const struct hy_kernels *k = j->k;
  for (int64_t i = 0; i < j->n && !k->dry; i++) j->found[i] = 0;
  for (int s = 0; s < 2 && !k->dry; s++) measure(j, &j->block[s]);
  TRY(hy_subcube_allreduce(&j->results, j->found, j->n, add_numbers, k));
  sort(j);
  for (int64_t i = 0; i < 2 * (int64_t)j->cube->nodes; i++) j->next_ids[j->ids[i]] = i;
  TRY(deliver(j, &(struct result){j->problem.z, 0, j->m}));
  const struct result v = {j->problem.v_wanted ? j->problem.v : NULL, j->m, j->n};
  return deliver(j, &v);
}
