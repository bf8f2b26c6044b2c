/* Rational numbers for the closed forms that formula.h reads.  of: the text that is being read, for
 * the message when numbers are too large or of the wrong kind. */
#ifndef FORMULA_NUMBER_H
#define FORMULA_NUMBER_H 1

#include "formula.h"

static inline struct formula_number formula_int(int64_t value) {
  return (struct formula_number){value, 1};
}
static inline struct formula_number formula_negative(struct formula_number a) {
  return (struct formula_number){-a.num, a.den};
}

struct formula_number formula_make(const char *of, int64_t num, int64_t den);
struct formula_number formula_add(const char *of, struct formula_number a, struct formula_number b);
struct formula_number formula_multiply(const char *of, struct formula_number a,
                                       struct formula_number b);
struct formula_number formula_divide(const char *of, struct formula_number a,
                                     struct formula_number b);
struct formula_number formula_power(const char *of, struct formula_number base, int64_t exponent);
/* Negative, 0 or positive if a is smaller, equal or larger. */
int formula_compare(const char *of, struct formula_number a, struct formula_number b);
/* The number, which must be whole. */
int64_t formula_whole_of(const char *of, struct formula_number a);
int64_t formula_floor_of(struct formula_number a);
struct formula_number formula_binomial(const char *of, int64_t n, int64_t k);
/* Counts binary digits; 0 has neither ones nor trailing zeros. */
int64_t formula_trailing_zeros(int64_t value);
int64_t formula_ones(int64_t value);

#endif
