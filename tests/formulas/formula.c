/* Closed forms case by case and clause by clause; see formula.h. */
#include "formula_read.h"

#include <string.h>

typedef struct formula_number number;

/* Does the clause define a name that was not given, or a function? */
static bool defines(const struct formula_reader *r, const char *clause) {
  char name[FORMULA_NAME], parameter[FORMULA_NAME];
  size_t length = formula_name_at(clause, name);
  if (length == 0 || formula_place_of(&r->names, name) >= 0) return false;
  return (clause[length] == '(' || clause[length] == ' ') && !formula_is_function(name) &&
         formula_definition_of(r, name, parameter) != NULL;
}

/* Is this the end of the text or case, or of the word's clause?  Passes a word without a
 * meaning. */
static bool ends_with(struct formula_reader *r, const char *word) {
  formula_skip(r);
  if (*word != 0 && !formula_take(r, word)) return false;
  formula_skip(r);
  return *r->at == 0 || *r->at == ',' || *r->at == ';';
}

/* Does the clause, if it is a condition, hold? */
static bool holds(struct formula_reader *r, const char *clause) {
  char word[FORMULA_NAME];
  if (defines(r, clause)) return true;
  r->at = clause;
  bool true_so_far = formula_read_condition(r);
  formula_skip(r);
  if (formula_name_at(r->at, word) > 0) return true; /* a value and its unit */
  if (!ends_with(r, "")) fail_msg("'%s' is not understood in '%s'", r->at, r->text);
  return true_so_far;
}

static struct formula_reader begin(const char *text, const struct formula_names *names) {
  return (struct formula_reader){.text = text, .at = text, .names = *names};
}

static bool ends_case(const char *clause, const char *next) {
  return next == NULL || memchr(clause, ';', (size_t)(next - clause)) != NULL;
}

number formula_value(const char *text, const struct formula_names *names) {
  struct formula_reader r = begin(text, names);
  for (const char *at = text; at != NULL;) {
    bool all = true;
    const char *value = at, *clause = at, *next = formula_next_clause(at);
    while (!ends_case(clause, next)) {
      clause = next;
      next = formula_next_clause(clause);
      all = holds(&r, clause) && all;
    }
    at = next;
    if (!all) continue;
    r.at = value;
    number result = formula_read_sum(&r);
    if (!ends_with(&r, "")) fail_msg("'%s' is not understood in '%s'", r.at, text);
    return result;
  }
  return formula_int(0);
}

int64_t formula_whole(const char *text, const struct formula_names *names) {
  struct formula_reader r = begin(text, names);
  return formula_whole_of(r.text, formula_value(text, names));
}

int64_t formula_beside(const char *text, const char *word, const struct formula_names *names) {
  struct formula_reader r = begin(text, names);
  for (const char *at = formula_next_clause(text); at != NULL; at = formula_next_clause(at)) {
    const char *next = formula_next_clause(at);
    size_t length = next == NULL ? strlen(at) : (size_t)(next - at);
    char clause[200];
    if (length >= sizeof clause || defines(&r, at)) continue;
    memcpy(clause, at, length);
    clause[length] = 0;
    if (strstr(clause, word) == NULL) continue;
    r.at = at;
    number value = formula_read_sum(&r);
    if (!ends_with(&r, word)) fail_msg("'%s' is not understood in '%s'", r.at, text);
    return formula_whole_of(r.text, value);
  }
  return -1;
}

void formula_set(struct formula_names *names, const char *name, int64_t value) {
  int place = formula_place_of(names, name);
  if (place < 0) {
    assert_true(names->count < FORMULA_NAMES);
    place = names->count++;
  }
  names->of[place].name = name;
  names->of[place].value = formula_int(value);
}
