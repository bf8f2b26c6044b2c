/* Private to the reader of closed forms: where it stands in a text, and what names mean there. */
#ifndef FORMULA_READ_H
#define FORMULA_READ_H 1

#include "formula_number.h"
#include "harness.h"

struct formula_reader {
  const char *text; /* whole, for its definitions */
  const char *at;
  struct formula_names names; /* given, and indices */
};

enum { FORMULA_NAME = 24 }; /* room for the longest name */

void formula_skip(struct formula_reader *r);
/* Takes a sign, or a word, if it stands next. */
bool formula_take(struct formula_reader *r, const char *token);
/* The name that stands at a place, a letter and what follows it; its length, 0: there is none. */
size_t formula_name_at(const char *at, char name[FORMULA_NAME]);
/* Behind the next comma or semicolon outside of parentheses; NULL: there is none. */
const char *formula_next_clause(const char *at);
/* The latest of a name among those that have a value; below 0: it has none. */
int formula_place_of(const struct formula_names *names, const char *name);
/* The value of the definition of a name, or of a function's parameter, in the text; NULL:
 * there is none.  parameter: its name, "" for none. */
const char *formula_definition_of(const struct formula_reader *r, const char *name,
                                  char parameter[FORMULA_NAME]);
/* Does every formula know the function? */
bool formula_is_function(const char *name);
/* Reads a value, or a condition. */
struct formula_number formula_read_sum(struct formula_reader *r);
bool formula_read_condition(struct formula_reader *r);

#endif
