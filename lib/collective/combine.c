/* The library's own combinations of numbers, by type; users' reductions name them. */
#include "collective/planned.h"

#define FOR(name) name##_float
#define NUMBER float
#define REAL float
#include "collective/combine_body.h"

#define FOR(name) name##_double
#define NUMBER double
#define REAL double
#include "collective/combine_body.h"

#define FOR(name) name##_complex
#define NUMBER float _Complex
#include "collective/combine_body.h"

#define FOR(name) name##_double_complex
#define NUMBER double _Complex
#include "collective/combine_body.h"

#define FOR(name) name##_int32
#define NUMBER uint32_t
#define REAL int32_t
#include "collective/combine_body.h"

#define FOR(name) name##_int64
#define NUMBER uint64_t
#define REAL int64_t
#include "collective/combine_body.h"

enum { COMBINATIONS = HYLA_COMBINE_MIN + 1 };

/* Indexed by hyla_combination; NULL for an order that numbers do not have. */
static const struct {
  struct hy_number number;
  hyla_combine *combine[COMBINATIONS];
} NUMBERS[] = {
    [HYLA_NUMBER_FLOAT] = {{"float", sizeof(float), false},
                           {sum_float, product_float, max_float, min_float}},
    [HYLA_NUMBER_DOUBLE] = {{"double", sizeof(double), false},
                            {sum_double, product_double, max_double, min_double}},
    [HYLA_NUMBER_COMPLEX] = {{"complex", 2 * sizeof(float), true}, {sum_complex, product_complex}},
    [HYLA_NUMBER_DOUBLE_COMPLEX] = {{"double complex", 2 * sizeof(double), true},
                                    {sum_double_complex, product_double_complex}},
    [HYLA_NUMBER_INT32] = {{"int32", sizeof(int32_t), false},
                           {sum_int32, product_int32, max_int32, min_int32}},
    [HYLA_NUMBER_INT64] = {{"int64", sizeof(int64_t), false},
                           {sum_int64, product_int64, max_int64, min_int64}},
};
enum { TYPES = sizeof NUMBERS / sizeof *NUMBERS };

const struct hy_number *hy_number_of(hyla_number number) {
  return (int)number >= 0 && (int)number < TYPES ? &NUMBERS[number].number : NULL;
}

hyla_combine *hy_combine_of(hyla_number number, hyla_combination by) {
  bool known = hy_number_of(number) != NULL && (int)by >= 0 && (int)by < COMBINATIONS;
  return known ? NUMBERS[number].combine[by] : NULL;
}
