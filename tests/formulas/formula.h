/* Closed forms as the library and doc/formulas.md print them, read and evaluated.
 *
 *   text       case ; case ...            the first case whose conditions hold; none: 0
 *   case       value , clause , ...
 *   clause     k = value                  a definition, of a name that was not given
 *              K(x) = value
 *              value comparison value     a condition
 *              value word                 beside the time: 2^d (2^d-1) transmissions
 *   value      + - * / ^ mod ( ), products also without a sign: 2d, tau m / (d g);
 *              ceil floor log2 ones popcount zeros C, max and min of several,
 *              max, sum, count (j = 1 ... k: ...), sum(x in phases: ...), (t in tags: ...),
 *              least(k: comparison), from 0 on
 *   comparison < <= = != >= >, and chains of them, joined by `and`
 *
 * A definition is evaluated where its name stands, with the names known there.  Numbers are
 * rationals; a formula that cannot be read, or whose numbers are too large, fails the test. */
#ifndef FORMULA_H
#define FORMULA_H 1

#include <stdint.h>

struct formula_number {
  int64_t num;
  int64_t den; /* positive; the two have no common factor */
};

enum { FORMULA_NAMES = 24 };
struct formula_names {
  int count;
  struct {
    const char *name;
    struct formula_number value;
  } of[FORMULA_NAMES];
  const uint8_t *phases; /* the numbers that `x in phases' goes through */
  int phase_count;
  const uint32_t *tags; /* the numbers that `t in tags' goes through */
  int tag_count;
};

/* Gives a name a whole value, which replaces its old one. */
void formula_set(struct formula_names *names, const char *name, int64_t value);
/* The value under these names; whole: the value must be whole. */
struct formula_number formula_value(const char *text, const struct formula_names *names);
int64_t formula_whole(const char *text, const struct formula_names *names);
/* The number before the word in a clause; -1: no clause has the word. */
int64_t formula_beside(const char *text, const char *word, const struct formula_names *names);

#endif
