/* Systems whose answer is known, one kind for each way of eliminating. */
#include "known_case.h"
#include "jordan_case.h"

static double _Complex *new_entries(int64_t count) {
  double _Complex *entries = calloc((size_t)count + 1, sizeof *entries);
  assert_non_null(entries);
  return entries;
}

static double _Complex *copy_of(const double _Complex *entries, int64_t count) {
  double _Complex *copy = new_entries(count);
  memcpy(copy, entries, (size_t)count * sizeof *copy);
  return copy;
}

static double _Complex draw_small(bool complex_type) {
  return hy_complex((double)harness_draw(-1, 1), complex_type ? (double)harness_draw(-1, 1) : 0);
}

static double _Complex draw_fraction(bool complex_type) {
  return hy_complex((double)harness_draw(-999, 999) / 1024,
                    complex_type ? (double)harness_draw(-999, 999) / 1024 : 0);
}

/* ------------------------------------------------------- matrices by kind -- */

static void draw_lu(struct known *s, int64_t stop) {
  struct lu_case x = lu_case_draw(s->n, s->complex_type, stop);
  int64_t n = s->n;
  for (int64_t i = 0; i < n && s->kind == SETTLED; i++) x.swaps[i] = i;
  if (s->kind == SETTLED) lu_case_multiply(&x);
  s->a = copy_of(x.a, n * n);
  s->l = copy_of(x.l, n * n);
  s->u = copy_of(x.u, n * n);
  s->rows = calloc((size_t)n + 1, sizeof *s->rows);
  assert_non_null(s->rows);
  for (int64_t i = 0; i < n; i++) s->rows[i] = i;
  for (int64_t i = 0; i < n; i++) {
    int64_t held = s->rows[i];
    s->rows[i] = s->rows[x.swaps[i]];
    s->rows[x.swaps[i]] = held;
  }
  lu_case_free(&x);
}

static void draw_definite(struct known *s) {
  int64_t n = s->n;
  s->a = new_entries(n * n);
  s->l = new_entries(n * n);
  s->u = new_entries(n * n);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++) {
      double _Complex entry = draw_small(s->complex_type);
      s->l[i + j * n] = i == j ? (double)(1 << harness_draw(0, 1)) : entry;
      s->u[j + i * n] = conj(s->l[i + j * n]);
    }
  for (int64_t j = 0; j < n; j++)
    for (int64_t k = 0; k <= j; k++)
      for (int64_t i = k; i < n; i++)
        s->a[i + j * n] += known_times(s->l[i + k * n], s->u[k + j * n]);
}

static void draw_product(struct known *s) {
  struct jordan_case x = jordan_case_draw(s->n, s->nrhs, s->complex_type);
  s->a = copy_of(x.a, s->n * s->n);
  s->u = copy_of(x.f, s->n * s->n);
  s->x = copy_of(x.x, s->n * s->nrhs);
  for (int op = 0; op < 3; op++) s->b[op] = copy_of(x.b[op], s->n * s->nrhs);
  jordan_case_free(&x);
}

static void draw_dominant(struct known *s) {
  int64_t n = s->n, *large = calloc((size_t)n + 1, sizeof *large); /* the row in each column */
  assert_non_null(large);
  s->a = new_entries(n * n);
  for (int64_t j = 0; j < n; j++) {
    int64_t other = s->kind == DOMINANT ? harness_draw(0, j) : j;
    large[j] = large[other];
    large[other] = j;
    for (int64_t i = 0; i < n; i++) {
      bool mirrored = s->kind == BALANCED && i < j;
      s->a[i + j * n] = mirrored ? conj(s->a[j + i * n]) : draw_small(s->complex_type);
    }
  }
  for (int64_t j = 0; j < n; j++) s->a[large[j] + j * n] = (double)(4 * n);
  if (s->kind == BALANCED) s->positive = n;
  free(large);
}

static void draw_indefinite_kind(struct known *s) {
  struct indefinite drawn =
      draw_indefinite(s->n, (enum kind)harness_draw(0, KINDS - 1), s->complex_type);
  s->a = copy_of(drawn.a, s->n * s->n);
  s->signs = drawn.kind;
  s->positive = drawn.positive;
  free_indefinite(&drawn);
}

static void draw_random(struct known *s) {
  s->a = new_entries(s->n * s->n);
  for (int64_t i = 0; i < s->n * s->n; i++) s->a[i] = draw_fraction(s->complex_type);
}

/* ------------------------------------------------------------------ sides -- */

static bool has_solution(const struct known *s) {
  return s->kind != RANDOM && s->kind != INDEFINITE;
}

static double _Complex entry_of(const struct known *s, int op, int64_t i, int64_t j) {
  double _Complex entry = op == HYLA_NONE ? s->a[i + j * s->n] : s->a[j + i * s->n];
  return op == HYLA_CONJUGATE ? conj(entry) : entry;
}

static void draw_sides(struct known *s) {
  int64_t n = s->n, count = s->n * s->nrhs;
  double _Complex *drawn = new_entries(count);
  for (int64_t i = 0; i < count; i++)
    drawn[i] = has_solution(s) ? draw_small(s->complex_type) : draw_fraction(s->complex_type);
  for (int op = 0; op < 3; op++) {
    s->b[op] = has_solution(s) ? new_entries(count) : copy_of(drawn, count);
    for (int64_t j = 0; j < n && has_solution(s); j++)
      for (int64_t i = 0; i < n; i++) {
        double _Complex entry = entry_of(s, op, i, j);
        for (int64_t c = 0; c < s->nrhs && entry != 0; c++)
          s->b[op][i + c * n] += known_times(entry, drawn[j + c * n]);
      }
  }
  if (has_solution(s)) s->x = drawn;
  if (!has_solution(s)) free(drawn);
}

/* Only the lower triangle is there; of the diagonal L D L^H reads the real parts. */
static void hide_upper(struct known *s) {
  for (int64_t j = 0; j < s->n; j++)
    for (int64_t i = 0; i <= j; i++) {
      double _Complex *entry = &s->given[i + j * s->n];
      if (i < j) *entry = hy_complex(NAN, 0);
      if (i == j && s->complex_type && s->kind != DEFINITE) *entry = hy_complex(creal(*entry), NAN);
    }
}

static void stop_at(struct known *s, int64_t stop) {
  double _Complex *row = s->given + stop, *column = s->given + stop * s->n;
  if (s->kind == DEFINITE) {
    double _Complex root = s->l[stop + stop * s->n];
    column[stop] -= root * root + (double)harness_draw(0, 1);
  } else if (s->kind == PRODUCT) {
    column[stop] -= 1 / s->u[stop + stop * s->n];
  } else if (s->kind != SWAPPED && s->kind != SETTLED) {
    for (int64_t i = 0; i < s->n; i++) {
      column[i] = 0;
      if (s->kind == BALANCED) row[i * s->n] = 0;
    }
  }
}

struct known known_draw(enum known_kind kind, int64_t n, int64_t nrhs, bool complex_type,
                        int64_t stop) {
  struct known s = {.kind = kind,
                    .n = n,
                    .nrhs = nrhs,
                    .complex_type = complex_type,
                    .signs = KINDS,
                    .positive = -1};
  switch (kind) {
  case SWAPPED:
  case SETTLED: draw_lu(&s, stop); break;
  case DEFINITE: draw_definite(&s); break;
  case PRODUCT: draw_product(&s); break;
  case DOMINANT:
  case BALANCED: draw_dominant(&s); break;
  case INDEFINITE: draw_indefinite_kind(&s); break;
  default: draw_random(&s);
  }
  if (kind != PRODUCT) draw_sides(&s);
  s.given = copy_of(s.a, n * n);
  if (stop >= 0) stop_at(&s, stop);
  if (kind == DEFINITE || kind == BALANCED || kind == INDEFINITE) hide_upper(&s);
  return s;
}

void known_free(struct known *s) {
  free(s->a);
  free(s->given);
  free(s->x);
  for (int op = 0; op < 3; op++) free(s->b[op]);
  free(s->l);
  free(s->u);
  free(s->rows);
}

double known_error(const struct known *s, double unit) {
  bool rounded = s->kind == DOMINANT || s->kind == BALANCED;
  return rounded ? 8 * (double)(s->n + 1) * unit : 0;
}
