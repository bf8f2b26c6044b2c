/* Private to the reader of closed forms: its place in a text, and the meaning of names there. */
#ifndef FORMULA_READ_H
#define FORMULA_READ_H 1

#include "formula_number.h"
#include "tests/harness/harness.h"

struct formula_reader {
  const char *text; /* the whole text, for its definitions */
  const char *at;
  struct formula_names names; /* given names, and indices */
};

enum { FORMULA_NAME = 24 }; /* room for the longest name */

void formula_skip(struct formula_reader *r);
/* Takes a sign, or a word, if it comes next. */
bool formula_take(struct formula_reader *r, const char *token);
/* The name at a place, a letter and the letters and digits after it; returns its length, 0 if there
 * is no name. */
size_t formula_name_at(const char *at, char name[FORMULA_NAME]);
/* The place after the next comma or semicolon outside of parentheses; NULL at the end. */
const char *formula_next_clause(const char *at);
/* The latest entry of a name among those with a value; negative: it has no value. */
int formula_place_of(const struct formula_names *names, const char *name);
/* The value of the definition of a name, or of a function of one parameter, in the text; NULL: it
 * is not defined.  parameter: its name, "" for none. */
const char *formula_definition_of(const struct formula_reader *r, const char *name,
                                  char parameter[FORMULA_NAME]);
/* Is this a function that every formula may use? */
bool formula_is_function(const char *name);
/* Reads a value, or a condition. */
struct formula_number formula_read_sum(struct formula_reader *r);
bool formula_read_condition(struct formula_reader *r);

#endif
