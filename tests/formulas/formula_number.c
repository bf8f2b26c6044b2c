/* Rational numbers that are exact or fail the test; see formula_number.h. */
#include "formula_number.h"

#include "tests/harness/harness.h"

typedef struct formula_number number;

number formula_make(const char *of, int64_t num, int64_t den) {
  if (den == 0) fail_msg("division by zero in '%s'", of);
  int64_t a = num < 0 ? -num : num, b = den < 0 ? -den : den;
  while (b != 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  if (den < 0) a = -a;
  return (number){num / a, den / a};
}

static int64_t times(const char *of, int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) fail_msg("numbers too large in '%s'", of);
  return product;
}

number formula_multiply(const char *of, number a, number b) {
  number x = formula_make(of, a.num, b.den), y = formula_make(of, b.num, a.den);
  return (number){times(of, x.num, y.num), times(of, x.den, y.den)};
}

number formula_divide(const char *of, number a, number b) {
  return formula_multiply(of, a, formula_make(of, b.den, b.num));
}

number formula_add(const char *of, number a, number b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(times(of, a.num, b.den), times(of, b.num, a.den), &sum))
    fail_msg("numbers too large in '%s'", of);
  return formula_make(of, sum, times(of, a.den, b.den));
}

int formula_compare(const char *of, number a, number b) {
  int64_t x = times(of, a.num, b.den), y = times(of, b.num, a.den);
  return (x > y) - (x < y);
}

int64_t formula_floor_of(number a) { return a.num / a.den - (a.num % a.den < 0); }

int64_t formula_whole_of(const char *of, number a) {
  if (a.den != 1) fail_msg("'%s' has a fraction where a whole number belongs", of);
  return a.num;
}

number formula_power(const char *of, number base, int64_t exponent) {
  number result = formula_int(1);
  for (int64_t i = exponent < 0 ? -exponent : exponent; i > 0; i--)
    result = formula_multiply(of, result, base);
  return exponent < 0 ? formula_divide(of, formula_int(1), result) : result;
}

number formula_binomial(const char *of, int64_t n, int64_t k) {
  number result = formula_int(k >= 0 && k <= n);
  for (int64_t i = 1; i <= k && k <= n; i++)
    result = formula_multiply(of, result, formula_make(of, n - k + i, i));
  return result;
}

int64_t formula_trailing_zeros(int64_t value) {
  int64_t count = 0;
  while (value != 0 && value % 2 == 0) value /= 2, count++;
  return count;
}

int64_t formula_ones(int64_t value) {
  int64_t count = 0;
  for (; value > 0; value /= 2) count += value % 2;
  return count;
}
