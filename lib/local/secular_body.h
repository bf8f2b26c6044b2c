/* Sums over the terms of a secular equation, in the instructions of a processor.  secular.c
 * includes this file with FOR(name) and TARGET set.  A step takes eight terms; the last ones are
 * copied to full lanes before (tail). */

/* ------------------------------------------------------------------- sums -- */

static TARGET ALWAYS void FOR(sums_step)(const double *pole, const double *square, double shift,
                                         double mu, struct eight sums[3]) {
  lanes p, w;
  memcpy(&p, pole, sizeof p);
  memcpy(&w, square, sizeof w);
  const lanes inverse = 1 / ((p - shift) - mu), once = w * inverse, twice = once * inverse;
  sums[0].lanes += once;
  sums[1].lanes += twice;
  sums[2].lanes += twice * inverse;
}

static TARGET ALWAYS void FOR(add_terms)(int count, const double *pole, const double *square,
                                         double shift, double mu, double sums[3]) {
  struct eight into[3] = {0};
  int i = 0;
  for (; i + EIGHT <= count; i += EIGHT) FOR(sums_step)(pole + i, square + i, shift, mu, into);
  if (i < count) {
    double p[EIGHT], w[EIGHT];
    tail(p, pole + i, count - i, INFINITY);
    tail(w, square + i, count - i, 0);
    FOR(sums_step)(p, w, shift, mu, into);
  }
  for (int s = 0; s < 3; s++) sums[s] = sum_of(&into[s]);
}

static TARGET void FOR(sums)(const struct hy_secular *f, int end, int begin, double shift,
                             double mu, struct hy_secular_sums *sums) {
  FOR(add_terms)(end, f->pole, f->square, shift, mu, sums->below);
  FOR(add_terms)(f->k - begin, f->pole + begin, f->square + begin, shift, mu, sums->above);
}

/* ----------------------------------------------------------------- weights -- */

/* over *= x - at, under *= pole - at. */
static TARGET ALWAYS void FOR(weight_step)(const double *pole, const double *shift,
                                           const double *mu, double at, struct eight *over,
                                           struct eight *under) {
  lanes p, s, m;
  memcpy(&p, pole, sizeof p);
  memcpy(&s, shift, sizeof s);
  memcpy(&m, mu, sizeof m);
  over->lanes *= (s - at) + m;
  under->lanes *= p - at;
}

/* Eight roots over poles; root `index' has no pole. */
static TARGET void FOR(weight_part)(const struct hy_secular *f, const double *shift,
                                    const double *mu, int index, int i, struct eight *all) {
  const double at = f->pole[index];
  double p[EIGHT], s[EIGHT], m[EIGHT];
  struct eight over = *all, under = {.x = {1, 1, 1, 1, 1, 1, 1, 1}};
  tail(p, f->pole + i, f->k - i, at + 1);
  tail(s, shift + i, f->k - i, at);
  tail(m, mu + i, f->k - i, 1);
  if (index >= i && index < i + EIGHT) p[index - i] = at + 1;
  FOR(weight_step)(p, s, m, at, &over, &under);
  all->lanes = over.lanes / under.lanes;
}

/* A division takes the time of several products, so products of TOGETHER factors are divided. */
static TARGET double FOR(weight)(const struct hy_secular *f, const double *shift, const double *mu,
                                 int index) {
  enum { TOGETHER = 4 * EIGHT };
  const struct eight ones = {.x = {1, 1, 1, 1, 1, 1, 1, 1}};
  const double at = f->pole[index];
  struct eight all = ones;
  int i = 0;
  for (; i + TOGETHER <= f->k; i += TOGETHER) {
    if (index >= i && index < i + TOGETHER) {
      for (int j = i; j < i + TOGETHER; j += EIGHT) FOR(weight_part)(f, shift, mu, index, j, &all);
      continue;
    }
    struct eight over = all, under = ones;
    for (int j = i; j < i + TOGETHER; j += EIGHT)
      FOR(weight_step)(f->pole + j, shift + j, mu + j, at, &over, &under);
    all.lanes = over.lanes / under.lanes;
  }
  for (; i < f->k; i += EIGHT) FOR(weight_part)(f, shift, mu, index, i, &all);
  return ((all.x[0] * all.x[1]) * (all.x[2] * all.x[3])) *
         ((all.x[4] * all.x[5]) * (all.x[6] * all.x[7]));
}

/* ----------------------------------------------------------------- vectors -- */

static TARGET ALWAYS void FOR(column_step)(const double *pole, const double *weight,
                                           const double *first, const double *last, double shift,
                                           double mu, struct eight sums[3]) {
  lanes p, w, x, y;
  memcpy(&p, pole, sizeof p);
  memcpy(&w, weight, sizeof w);
  memcpy(&x, first, sizeof x);
  memcpy(&y, last, sizeof y);
  const lanes entry = w / ((p - shift) - mu);
  sums[0].lanes += entry * entry;
  sums[1].lanes += x * entry;
  sums[2].lanes += y * entry;
}

static TARGET void FOR(column)(const struct hy_secular *f, const double *first, const double *last,
                               double shift, double mu, double sums[3]) {
  struct eight into[3] = {0};
  int i = 0;
  for (; i + EIGHT <= f->k; i += EIGHT)
    FOR(column_step)(f->pole + i, f->weight + i, first + i, last + i, shift, mu, into);
  if (i < f->k) {
    double p[EIGHT], w[EIGHT], x[EIGHT], y[EIGHT];
    tail(p, f->pole + i, f->k - i, INFINITY);
    tail(w, f->weight + i, f->k - i, 0);
    tail(x, first + i, f->k - i, 0);
    tail(y, last + i, f->k - i, 0);
    FOR(column_step)(p, w, x, y, shift, mu, into);
  }
  for (int s = 0; s < 3; s++) sums[s] = sum_of(&into[s]);
}

static TARGET ALWAYS void FOR(fill_step)(const double *pole, const double *weight, double shift,
                                         double mu, double factor, struct eight *entries) {
  lanes p, w;
  memcpy(&p, pole, sizeof p);
  memcpy(&w, weight, sizeof w);
  entries->lanes = w / ((p - shift) - mu) * factor;
}

/* The entries behind the last full step, in both types. */
static TARGET void FOR(fill_tail)(int count, const double *pole, const double *weight, double shift,
                                  double mu, double factor, struct eight *entries) {
  double p[EIGHT], w[EIGHT];
  tail(p, pole, count, INFINITY);
  tail(w, weight, count, 0);
  FOR(fill_step)(p, w, shift, mu, factor, entries);
}

static TARGET void FOR(fill_d)(int count, const double *pole, const double *weight, double shift,
                               double mu, double factor, void *column) {
  double *to = column;
  struct eight entries;
  int i = 0;
  for (; i + EIGHT <= count; i += EIGHT) {
    FOR(fill_step)(pole + i, weight + i, shift, mu, factor, &entries);
    memcpy(to + i, &entries, sizeof entries);
  }
  if (i == count) return;
  FOR(fill_tail)(count - i, pole + i, weight + i, shift, mu, factor, &entries);
  memcpy(to + i, &entries, (size_t)(count - i) * sizeof *to);
}

static TARGET void FOR(fill_s)(int count, const double *pole, const double *weight, double shift,
                               double mu, double factor, void *column) {
  float *to = column;
  struct eight entries;
  int i = 0;
  for (; i + EIGHT <= count; i += EIGHT) {
    FOR(fill_step)(pole + i, weight + i, shift, mu, factor, &entries);
    const floats rounded = __builtin_convertvector(entries.lanes, floats);
    memcpy(to + i, &rounded, sizeof rounded);
  }
  if (i == count) return;
  FOR(fill_tail)(count - i, pole + i, weight + i, shift, mu, factor, &entries);
  for (int j = 0; i + j < count; j++) to[i + j] = (float)entries.x[j];
}

static TARGET void FOR(rotate_d)(int rows, double c, double s, void *x, void *y) {
  double *restrict a = x, *restrict b = y;
  for (int i = 0; i < rows; i++) {
    const double before = a[i];
    a[i] = c * before + s * b[i];
    b[i] = c * b[i] - s * before;
  }
}

static TARGET void FOR(rotate_s)(int rows, double c, double s, void *x, void *y) {
  float *restrict a = x, *restrict b = y;
  const float cosine = (float)c, sine = (float)s;
  for (int i = 0; i < rows; i++) {
    const float before = a[i];
    a[i] = cosine * before + sine * b[i];
    b[i] = cosine * b[i] - sine * before;
  }
}

static const struct hy_secular_kernels FOR(kernels) = {FOR(sums),
                                                       FOR(weight),
                                                       FOR(column),
                                                       {FOR(fill_s), FOR(fill_d)},
                                                       {FOR(rotate_s), FOR(rotate_d)}};
