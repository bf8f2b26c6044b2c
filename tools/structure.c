/* How hyla solve solves a system if the user does not say: by A's structure. */
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Would a band solver take less than a small part of the time? */
static bool banded(const hyla_structure *seen, int64_t n) {
  enum { FRACTION = 4 };
  return FRACTION * (seen->lower + seen->upper + 1) <= n;
}

/* Methods that read only the lower triangle of a Hermitian matrix. */
static bool reads_triangle(hyla_method method) {
  return method == HYLA_CHOLESKY || method == HYLA_LDL;
}

static const char *kind_of(const struct result *result) {
  return type_complex(result->type) ? "Hermitian" : "symmetric";
}

hyla_status structure_require(struct run *run, const hyla_matrix *a, struct result *result) {
  const char *path = run->options.paths[0];
  const char *method = hyla_method_at((int)run->options.method)->name;
  hyla_asymmetry seen;
  if (!reads_triangle(run->options.method)) return HYLA_OK;
  hyla_status status = hyla_matrix_asymmetry(run->cube, a, &seen);
  /* The factorization reports a NaN. */
  if (status || seen.largest == 0 || isnan(seen.largest)) return status;
  if (!seen.rounding && seen.row == seen.col)
    return result_refuse(result,
                         "%s is not Hermitian: entry (%lld, %lld) is not real; %s would factor "
                         "another matrix; take --method lu",
                         path, (long long)seen.row + 1, (long long)seen.col + 1, method);
  if (!seen.rounding)
    return result_refuse(result,
                         "%s is not %s: entry (%lld, %lld) differs from %sthat at (%lld, %lld) by "
                         "%.3g; %s reads the lower triangle and would factor another matrix; take "
                         "--method lu",
                         path, kind_of(result), (long long)seen.row + 1, (long long)seen.col + 1,
                         type_complex(result->type) ? "the conjugate of " : "",
                         (long long)seen.col + 1, (long long)seen.row + 1, seen.largest, method);
  size_t length = strlen(result->why);
  snprintf(result->why + length, sizeof result->why - length,
           "%sA is %s but for rounding, and its lower triangle is read", length > 0 ? "; " : "",
           kind_of(result));
  return HYLA_OK;
}

static void give_reason(struct result *result, const hyla_structure *seen) {
  const char *name = kind_of(result);
  size_t size = sizeof result->why;
  if (seen->lower == 0 && seen->upper == 0)
    snprintf(result->why, size, "A is diagonal");
  else if (seen->lower == 0 || seen->upper == 0)
    snprintf(result->why, size, "A is %s triangular", seen->upper == 0 ? "lower" : "upper");
  else if (seen->hermitian)
    snprintf(result->why, size, "A is %s%s with a positive diagonal", name,
             seen->positive_diagonal ? "" : ", but not");
  else if (seen->nearly_hermitian)
    snprintf(result->why, size,
             "A is %s but for rounding; --method %s reads its lower triangle and takes half the "
             "time",
             name, seen->positive_diagonal ? "cholesky, where A is definite," : "ldl");
  else
    snprintf(result->why, size, "A is neither triangular nor %s", name);
  size_t length = strlen(result->why);
  if (seen->lower > 0 && seen->upper > 0 && banded(seen, result->n))
    snprintf(result->why + length, size - length,
             "; it is a band of %lld below and %lld above the diagonal, for which there is no "
             "solver of its own",
             (long long)seen->lower, (long long)seen->upper);
}

hyla_status structure_find(struct run *run, const hyla_matrix *a, struct result *result,
                           struct way *way) {
  const struct options *options = &run->options;
  hyla_structure seen;
  *way = (struct way){.method = options->method};
  bool said = options->method_given || options->variant;
  if (said && !options->triangular) {
    snprintf(result->why, sizeof result->why,
             options->method_given ? "it was asked for" : "a variant was asked for");
    return structure_require(run, a, result);
  }
  hyla_status status = hyla_matrix_structure(run->cube, a, &seen);
  if (status) return status;
  way->triangular = seen.lower == 0 || seen.upper == 0;
  way->triangle = seen.upper == 0 ? HYLA_LOWER : HYLA_UPPER;
  if (options->triangular && !way->triangular)
    return result_refuse(result,
                         "%s is not triangular: there are entries %lld below and %lld above the "
                         "diagonal; take another --method",
                         options->paths[0], (long long)seen.lower, (long long)seen.upper);
  way->found = true;
  way->zero = seen.zero;
  if (seen.hermitian && seen.positive_diagonal) way->method = HYLA_CHOLESKY;
  give_reason(result, &seen);
  return HYLA_OK;
}

void structure_indefinite(struct result *result) {
  char found[sizeof result->why];
  memcpy(found, result->why, sizeof found);
  snprintf(result->why, sizeof result->why,
           "%.*s, but its leading block of order %lld is not "
           "positive definite%s",
           (int)strcspn(found, ";"), found, (long long)result->pivot, found + strcspn(found, ";"));
}
