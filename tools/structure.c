/* How hyla solve solves a system where nobody said it: by what A is. */
#include "tool.h"

#include <stdio.h>
#include <string.h>

/* A band solver would take less than a fraction of the time. */
static bool banded(const hyla_structure *seen, int64_t n) {
  enum { FRACTION = 4 };
  return FRACTION * (seen->lower + seen->upper + 1) <= n;
}

static void give_reason(struct result *result, const hyla_structure *seen) {
  const char *name = type_complex(result->type) ? "Hermitian" : "symmetric";
  size_t size = sizeof result->why;
  if (seen->lower == 0 && seen->upper == 0)
    snprintf(result->why, size, "A is diagonal");
  else if (seen->lower == 0 || seen->upper == 0)
    snprintf(result->why, size, "A is %s triangular", seen->upper == 0 ? "lower" : "upper");
  else if (seen->hermitian)
    snprintf(result->why, size, "A is %s%s with a positive diagonal", name,
             seen->positive_diagonal ? "" : ", but not");
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
    return HYLA_OK;
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
