/* Small matrices whole on every node, and rotations of their columns. */
#include "solve/small.h"

#include <complex.h>
#include <math.h>
#include <string.h>

hyla_status hy_small_create(void *owner, const hyla_matrix *a, int64_t m, int64_t n,
                            struct hy_small *s) {
  *s = (struct hy_small){.cube = a->cube, .k = a->k, .m = (int)m, .n = (int)n};
  const struct hy_group groups[] = {
      {&s->sums, hy_all_dims(a->cube), HY_TASK_ALLREDUCE, m * n, sizeof *s->entries}, {0}};
  return hy_make_groups(owner, a->cube, groups);
}

hyla_status hy_small_allocate(void *owner, struct hy_small *s) {
  const struct hy_owned arrays[] = {
      {&s->entries, (int64_t)s->m * s->n * (int64_t)sizeof *s->entries}, {0}};
  struct hy_subcube_op *const groups[] = {&s->sums, NULL};
  TRY(hy_take_arrays(&s->cube->base, owner, arrays));
  return hy_allocate_groups(groups);
}

/* This node's entries, zeros elsewhere.  Copies are one node's. */
static void put(const struct hy_small *s, const hyla_matrix *a, enum hy_part part) {
  const bool copy = hy_matrix_has_copies(a) && ((uint32_t)s->cube->address & a->unused_dims) != 0;
  memset(s->entries, 0, (size_t)(s->m * s->n) * sizeof *s->entries);
  for (int64_t m = 0; m < a->local_cols && !copy; m++)
    for (int64_t l = 0; l < a->local_rows; l++) {
      const int64_t i = hyla_matrix_row(a, l), j = hyla_matrix_col(a, m);
      const double _Complex entry = a->k->get(hy_at(a, l, m), 0);
      if (part == HY_WHOLE || (part == HY_LOWER_PART ? i > j : i < j))
        s->entries[i + j * s->m] = entry;
      else if (i == j)
        s->entries[i + j * s->m] = creal(entry);
    }
}

static void add_entries(void *into, const void *from, int64_t count, const void *arg) {
  double _Complex *to = into;
  const double _Complex *add = from;
  const struct hy_kernels *k = arg;
  for (int64_t i = 0; i < count && !k->dry; i++) to[i] += add[i];
}

/* All nodes have the same entries, and so the same verdict. */
hyla_status hy_small_bring(struct hy_small *s, const hyla_matrix *a, enum hy_part part) {
  enum { LEAST = -1000 };
  const int64_t count = (int64_t)s->m * s->n;
  double largest = 0;
  if (!s->k->dry) put(s, a, part);
  TRY(hy_subcube_allreduce(&s->sums, s->entries, count, add_entries, s->k));
  for (int64_t i = 0; i < count && !s->k->dry; i++) {
    const double re = creal(s->entries[i]), im = cimag(s->entries[i]);
    CHECK(&s->cube->base, isfinite(re) && isfinite(im), NOT_FINITE,
          "the %s has an entry that is not finite", part == HY_WHOLE ? "matrix" : "triangle");
    largest = fmax(largest, fmax(fabs(re), fabs(im)));
  }
  frexp(largest, &s->exponent);
  s->exponent = (int)hy_max(LEAST, s->exponent);
  return HYLA_OK;
}

hy_small_entry hy_small_at(const struct hy_small *s, int i, int j) {
  return ldexpl(1, -s->exponent) * (hy_small_entry)s->entries[i + j * s->m];
}

hy_small_entry hy_small_value(const struct hy_small *s, int i, int j) {
  return s->entries[i + j * s->m];
}

hy_small_entry hy_small_product(const struct hy_small *s, int i, int j) {
  hy_small_entry sum = 0;
  for (int k = 0; k < s->m; k++) sum += conjl(hy_small_value(s, k, i)) * hy_small_value(s, k, j);
  return sum;
}

/* A set of matrices owns their entries. */
hyla_status hy_small_bring_all(hyla_cube *cube, const struct hy_small_source *from, int count,
                               struct hy_small **all) {
  TRY(hy_agree(cube, hy_alloc(&cube->base, count, sizeof **all, all)));
  hyla_status status = HYLA_OK;
  for (int i = 0; i < count && status == HYLA_OK; i++)
    status = hy_small_create(*all, from[i].matrix, from[i].matrix->row.n, from[i].matrix->col.n,
                             &(*all)[i]);
  for (int i = 0; i < count && status == HYLA_OK && cube->address >= 0; i++)
    status = hy_small_allocate(*all, &(*all)[i]);
  TRY(hy_agree(cube, status));
  for (int i = 0; i < count && status == HYLA_OK && cube->address >= 0; i++)
    status = hy_small_bring(&(*all)[i], from[i].matrix, from[i].part);
  return hy_agree(cube, status);
}

void hy_small_turn(int rows, hy_small_entry *matrix, int p, int q, long double c,
                   hy_small_entry se) {
  for (int i = 0; i < rows; i++) {
    hy_small_entry *x = &matrix[i + p * rows], *y = &matrix[i + q * rows];
    const hy_small_entry before = *x;
    *x = c * before - conjl(se) * *y;
    *y = se * before + c * *y;
  }
}

struct hy_small_angle hy_small_angle(long double difference, hy_small_entry off) {
  const long double size = cabsl(off), theta = difference / (2 * size);
  struct hy_small_angle angle;
  angle.t = copysignl(1, theta) / (fabsl(theta) + sqrtl(1 + theta * theta));
  angle.c = 1 / sqrtl(1 + angle.t * angle.t);
  angle.se = angle.t * angle.c / size * off;
  return angle;
}
