/* The roots of a level's merges, and what follows from them: each is found by one node, whose
 * threads take some roots at a time, and its bits are then shared. */
#include "solve/divide/tree.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* Operations that are counted: of a term of the secular equation in each pass, and passes of a
 * root; for a weight; for a column. */
enum { TERM = 8, PASSES = 4, WEIGHT = 5, COLUMN = 9 };
/* Roots that a thread finds in one go. */
enum { CHUNK = 16 };

/* Deals the roots to the nodes by their cost, k each. */
void hy_divide_deal(struct hy_divide_pass *pass) {
  const struct hy_divide_tree *s = pass->s;
  const int64_t nodes = s->cube->nodes;
  const uint32_t me = hy_member(s->cube, hy_all_dims(s->cube), s->cube->address);
  int64_t x = 0, roots = 0, cost = 0;
  for (int64_t i = 0; i < pass->end - pass->begin; i++) {
    const int64_t k = hy_divide_merge_of(pass, i).k;
    pass->cost += k * k;
    pass->roots += k;
  }
  pass->first = 0;
  pass->last = pass->roots;
  if (!pass->shared || s->gathers.cube == NULL) return;
  for (int64_t i = 0; i < pass->end - pass->begin; i++) {
    const int64_t k = hy_divide_merge_of(pass, i).k;
    for (; x < nodes && pass->cost / nodes * x < cost + k * k; x++)
      s->starts[x] = roots + (pass->cost / nodes * x - cost) / k;
    cost += k * k;
    roots += k;
  }
  for (; x <= nodes; x++) s->starts[x] = pass->roots;
  pass->first = s->starts[me];
  pass->last = s->starts[me + 1];
}

/* -------------------------------------------------------------------- roots -- */

/* What is done for roots j ... end-1 of a merge; words: for root j. */
typedef void find_roots(const struct hy_divide_tree *s, const struct hy_merge *m, int j, int end,
                        double *words);
struct search {
  const struct hy_divide_pass *pass;
  find_roots *find;
  int words;
};

static struct hy_secular equation(const struct hy_divide_tree *s, const struct hy_merge *m,
                                  int side) {
  return (struct hy_secular){.k = m->k,
                             .pole = s->pole + m->lo,
                             .square = s->square + m->lo,
                             .weight = s->side[side].weight + m->lo};
}

static void find_values(const struct hy_divide_tree *s, const struct hy_merge *m, int j, int end,
                        double *words) {
  const struct hy_secular f = equation(s, m, HY_RIGHT);
  for (; j < end; j++, words += 2) hy_divide_root(s->secular, &f, m->rho, j, &words[0], &words[1]);
}

/* In long double, as roundings of few weights are a large part of small vectors' distance from
 * orthogonal. */
static double exact_weight(const struct hy_secular *f, const double *shift, const double *mu,
                           int index) {
  enum { TOGETHER = 8 }; /* factors that stay in the range */
  const long double at = f->pole[index];
  long double all = 1;
  for (int i = 0; i < f->k; i += TOGETHER) {
    long double over = 1, under = 1;
    for (int j = i; j < f->k && j < i + TOGETHER; j++) {
      over *= ((long double)shift[j] - at) + mu[j];
      if (j != index) under *= f->pole[j] - at;
    }
    all *= over / under;
  }
  return (double)all;
}

static void find_weights(const struct hy_divide_tree *s, const struct hy_merge *m, int j, int end,
                         double *words) {
  const struct hy_secular f = equation(s, m, HY_RIGHT);
  const double *shift = s->shift + m->lo, *mu = s->mu + m->lo;
  for (; j < end; j++, words++) {
    const double square = f.k <= s->kind->exact ? exact_weight(&f, shift, mu, j)
                                                : s->secular->weight(&f, shift, mu, j);
    *words = copysign(sqrt(square), f.weight[j]);
  }
}

static void find_columns(const struct hy_divide_tree *s, const struct hy_merge *m, int j, int end,
                         double *words) {
  const int sides = s->kind->sides, count = hy_divide_words(s);
  const struct hy_secular right = equation(s, m, HY_RIGHT), left = equation(s, m, sides - 1);
  const double *head = s->head + m->lo, *tail = s->tail + m->lo;
  for (; j < end; j++, words += count) {
    const double shift = s->shift[m->lo + j], mu = s->mu[m->lo + j];
    double sums[3] = {0};
    if (s->side[HY_LEFT].wanted) s->secular->column(&left, head, tail, shift, mu, sums);
    if (sides == 2) words[3] = 1 / sqrt(1 + sums[0]); /* its middle entry is 1 */
    s->secular->column(&right, head, tail, shift, mu, words);
    words[0] = 1 / sqrt(words[0]);
    words[1] *= words[0];
    words[2] *= words[0];
  }
}

/* The merge with root number `root' of the pass. */
static const struct hy_merge *merge_of(const struct hy_divide_pass *pass, int64_t root) {
  int64_t low = 0, high = pass->end - pass->begin;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (pass->s->merge[middle].roots <= root)
      low = middle;
    else
      high = middle;
  }
  return &pass->s->merge[low];
}

static void find_chunk(void *arg, int64_t piece, int thread) {
  const struct search *search = arg;
  const struct hy_divide_pass *pass = search->pass;
  int64_t root = pass->first + piece * CHUNK;
  const int64_t last = hy_min(root + CHUNK, pass->last);
  (void)thread;
  for (const struct hy_merge *m = merge_of(pass, root); root < last; m++) {
    const int64_t end = hy_min(last, m->roots + m->k);
    if (root < end)
      search->find(pass->s, m, (int)(root - m->roots), (int)(end - m->roots),
                   pass->s->words + root * search->words);
    root = hy_max(root, end);
  }
}

/* Shares what the nodes have found for their roots, `count' words for each. */
static hyla_status share(const struct hy_divide_pass *pass, int count) {
  const struct hy_divide_tree *s = pass->s;
  if (!pass->shared || s->gathers.cube == NULL) return HYLA_OK;
  for (int64_t x = 0; x <= s->cube->nodes; x++) s->offsets[x] = s->starts[x] * count;
  return hy_subcube_allgather(&s->gathers, s->words, s->offsets);
}

/* Finds this node's share, and shares it; then `to' has a merge's words by position.  flops: for a
 * term. */
static hyla_status find(const struct hy_divide_pass *pass, find_roots *roots_of, int words,
                        int flops, double *const to[]) {
  const struct hy_divide_tree *s = pass->s;
  struct search search = {pass, roots_of, words};
  int64_t terms = 0, roots = 0;
  for (int64_t i = 0; i < pass->end - pass->begin; i++) {
    const int64_t k = hy_divide_merge_of(pass, i).k;
    terms += k * hy_max(0, hy_min(pass->last, roots + k) - hy_max(pass->first, roots));
    roots += k;
  }
  hy_compute(s->cube, terms * flops, sizeof(double), false);
  if (!s->k->dry)
    TRY(hy_divide_spread(s, s->threads, find_chunk, &search,
                         hy_ceil_div(pass->last - pass->first, CHUNK)));
  TRY(share(pass, words));
  for (int64_t i = 0; i < pass->end - pass->begin && !s->k->dry; i++) {
    const struct hy_merge *m = &s->merge[i];
    const double *from = s->words + m->roots * words;
    for (int64_t j = 0; j < m->k; j++)
      for (int w = 0; w < words; w++) to[w][m->lo + j] = *from++;
  }
  return HYLA_OK;
}

hyla_status hy_divide_find_values(const struct hy_divide_pass *pass) {
  const struct hy_divide_tree *s = pass->s;
  return find(pass, find_values, 2, TERM * PASSES, (double *const[]){s->shift, s->mu});
}

/* The left vectors' weights; that of the middle entry is another. */
static void set_left_weights(const struct hy_divide_pass *pass) {
  const struct hy_divide_tree *s = pass->s;
  for (int64_t i = 0; i < pass->end - pass->begin && !s->k->dry; i++) {
    const struct hy_merge *m = &s->merge[i];
    for (int64_t j = m->lo; j < m->lo + m->k; j++)
      s->side[HY_LEFT].weight[j] = s->sigma[j] * s->side[HY_RIGHT].weight[j];
  }
}

hyla_status hy_divide_find_columns(const struct hy_divide_pass *pass) {
  const struct hy_divide_tree *s = pass->s;
  const struct hy_divide_side *right = &s->side[HY_RIGHT], *left = &s->side[HY_LEFT];
  TRY(find(pass, find_weights, 1, WEIGHT, (double *const[]){right->weight}));
  if (s->kind->sides == 2) set_left_weights(pass);
  return find(pass, find_columns, hy_divide_words(s), left->wanted ? 2 * COLUMN : COLUMN,
              (double *const[]){right->factor, s->head, s->tail, left->factor});
}
