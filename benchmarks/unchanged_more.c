/* Operations of benchmarks/unchanged with workspaces, and norms.  Each asks for its workspaces
 * before it runs, as programs do. */
#include "unchanged.h"

#include <stdlib.h>
#include <string.h>

typedef double norm_of(const char *norm, const char *triangle, const int *n, const double *a,
                       const int *ia, const int *ja, const int *desc_a, double *work);
norm_of pdlansy_;
double pdlange_(const char *norm, const int *m, const int *n, const double *a, const int *ia,
                const int *ja, const int *desc_a, double *work);
void pdgeadd_(const char *op, const int *m, const int *n, const double *alpha, const double *a,
              const int *ia, const int *ja, const int *desc_a, const double *beta, double *c,
              const int *ic, const int *jc, const int *desc_c);
void pdsyev_(const char *job, const char *triangle, const int *n, double *a, const int *ia,
             const int *ja, const int *desc_a, double *values, double *z, const int *iz,
             const int *jz, const int *desc_z, double *work, const int *words, int *info);
void pdgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja,
              const int *desc_a, double *tau, double *work, const int *words, int *info);
void pdormqr_(const char *side, const char *op, const int *m, const int *n, const int *k,
              const double *a, const int *ia, const int *ja, const int *desc_a, const double *tau,
              double *c, const int *ic, const int *jc, const int *desc_c, double *work,
              const int *words, int *info);
void pdorgqr_(const int *m, const int *n, const int *k, double *a, const int *ia, const int *ja,
              const int *desc_a, const double *tau, double *work, const int *words, int *info);

static const int ONE = 1;

/* A workspace, its length, and integers with theirs. */
struct room {
  double *work, first[8], *values;
  int words, *integers, integer_first[8], integer_count;
};

static int take(struct room *r) {
  r->words = (int)r->first[0] + 8;
  r->integer_count = r->integer_first[0] + 8;
  r->work = malloc((size_t)r->words * sizeof *r->work);
  r->integers = malloc((size_t)r->integer_count * sizeof *r->integers);
  return r->work != NULL && r->integers != NULL;
}

/* syev, syevd, syevr: all values and vectors; syevn: p?syevr's values alone. */
static int solve(const struct work *w, const char *operation, struct room *r) {
  const double low = 0, high = 0;
  const int *n = &w->n, *desc = w->desc;
  const char *job = operation[4] == 'n' ? "N" : "V";
  double *work = r->first;
  int info = 0, words = -1, *integers = r->integer_first, count = -1, found = 0, vectors = 0;
  for (int pass = 0; pass < 2 && info == 0; pass++) {
    if (operation[4] == '\0')
      pdsyev_(job, "L", n, w->a, &ONE, &ONE, desc, r->values, w->c, &ONE, &ONE, desc, work, &words,
              &info);
    else if (operation[4] == 'd')
      pdsyevd_(job, "L", n, w->a, &ONE, &ONE, desc, r->values, w->c, &ONE, &ONE, desc, work, &words,
               integers, &count, &info);
    else
      pdsyevr_(job, "A", "L", n, w->a, &ONE, &ONE, desc, &low, &high, &ONE, n, &found, &vectors,
               r->values, w->c, &ONE, &ONE, desc, work, &words, integers, &count, &info);
    if (pass == 0 && !take(r)) return -1;
    work = r->work, words = r->words, integers = r->integers, count = r->integer_count;
  }
  return info;
}

/* Q from the left, or formed, of factors that are there. */
static int apply(const struct work *w, const char *operation, struct room *r) {
  const int *n = &w->n, *desc = w->desc;
  double *work = r->first;
  int info = 0, words = -1;
  for (int pass = 0; pass < 2 && info == 0; pass++) {
    if (strcmp(operation, "ormqr") == 0)
      pdormqr_("L", "T", n, n, n, w->a, &ONE, &ONE, desc, w->room, w->c, &ONE, &ONE, desc, work,
               &words, &info);
    else
      pdorgqr_(n, n, n, w->a, &ONE, &ONE, desc, w->room, work, &words, &info);
    if (pass == 0 && !take(r)) return -1;
    work = r->work, words = r->words;
  }
  return info;
}

int factor_for_q(struct work *w) {
  struct room r = {.words = -1};
  int info = 0;
  pdgeqrf_(&w->n, &w->n, w->a, &ONE, &ONE, w->desc, w->room, r.first, &r.words, &info);
  if (info == 0 && take(&r))
    pdgeqrf_(&w->n, &w->n, w->a, &ONE, &ONE, w->desc, w->room, r.work, &r.words, &info);
  free(r.integers);
  free(r.work);
  return info;
}

int run_more(const struct work *w, const char *operation) {
  const double one = 1;
  const int *n = &w->n, *desc = w->desc;
  struct room r = {.values = malloc((size_t)(8 * w->n + 8) * sizeof *r.values)};
  int info = r.values == NULL ? -1 : 0;
  if (info != 0)
    return info;
  else if (strncmp(operation, "syev", 4) == 0)
    info = solve(w, operation, &r);
  else if (strcmp(operation, "ormqr") == 0 || strcmp(operation, "orgqr") == 0)
    info = apply(w, operation, &r);
  else if (strncmp(operation, "lange", 5) == 0)
    (void)pdlange_(operation + 5, n, n, w->a, &ONE, &ONE, desc, r.values);
  else if (strncmp(operation, "lansy", 5) == 0)
    (void)pdlansy_(operation + 5, "L", n, w->a, &ONE, &ONE, desc, r.values);
  else if (strcmp(operation, "geadd") == 0)
    pdgeadd_("N", n, n, &one, w->a, &ONE, &ONE, desc, &one, w->c, &ONE, &ONE, desc);
  else if (strcmp(operation, "gemv") == 0)
    pdgemv_("N", n, n, &one, w->a, &ONE, &ONE, desc, w->b, &ONE, &ONE, desc, &ONE, &one, w->c, &ONE,
            &ONE, desc, &ONE);
  else
    info = -1;
  free(r.values);
  free(r.integers);
  free(r.work);
  return info;
}
