/* Evaluates the values and conditions of closed forms while reading them; see formula.h.  Nothing
 * of a text is kept: terms with an index, and names defined elsewhere, are read again each time. */
#include "formula_read.h"

#include <ctype.h>
#include <string.h>

typedef struct formula_number number;

/* -------------------------------------------------------------- tokens -- */

void formula_skip(struct formula_reader *r) {
  while (*r->at == ' ') r->at++;
}

/* Takes a sign, or a word, if it comes next. */
bool formula_take(struct formula_reader *r, const char *token) {
  formula_skip(r);
  size_t length = strlen(token);
  if (strncmp(r->at, token, length) != 0) return false;
  if (isalpha((unsigned char)*token) && isalnum((unsigned char)r->at[length])) return false;
  r->at += length;
  return true;
}

static void want(struct formula_reader *r, const char *token) {
  if (!formula_take(r, token)) fail_msg("'%s' is wanted at '%s' in '%s'", token, r->at, r->text);
}

/* The name at a place, a letter and the letters and digits after it; returns its length, 0 if there
 * is no name. */
size_t formula_name_at(const char *at, char name[FORMULA_NAME]) {
  size_t length = 0;
  if (!isalpha((unsigned char)*at)) return 0;
  while (isalnum((unsigned char)at[length]) || at[length] == '\'') length++;
  assert_true(length < FORMULA_NAME);
  memcpy(name, at, length);
  name[length] = 0;
  return length;
}

/* Skips to the place after the next comma or semicolon outside of parentheses: the next clause,
 * NULL at the end. */
const char *formula_next_clause(const char *at) {
  int depth = 0;
  for (; *at != 0; at++) {
    depth += (*at == '(') - (*at == ')');
    if (depth == 0 && (*at == ',' || *at == ';')) return at + 1 + strspn(at + 1, " ");
  }
  return NULL;
}

/* ------------------------------------------------------------- names -- */

int formula_place_of(const struct formula_names *names, const char *name) {
  int i = names->count - 1;
  while (i >= 0 && strcmp(names->of[i].name, name) != 0) i--;
  return i;
}

static void push(struct formula_reader *r, const char *name, number value) {
  assert_true(r->names.count < FORMULA_NAMES);
  r->names.of[r->names.count].name = name;
  r->names.of[r->names.count++].value = value;
}

/* The value of the definition of a name, or of a function of one parameter, in the text; NULL: it
 * is not defined.  parameter: its name, "" for none. */
const char *formula_definition_of(const struct formula_reader *r, const char *name,
                                  char parameter[FORMULA_NAME]) {
  for (const char *at = r->text; at != NULL; at = formula_next_clause(at)) {
    char found[FORMULA_NAME];
    size_t length = formula_name_at(at, found);
    if (length == 0 || strcmp(found, name) != 0) continue;
    const char *rest = at + length;
    *parameter = 0;
    if (*rest == '(') {
      size_t inner = formula_name_at(rest + 1, parameter);
      if (inner == 0 || rest[inner + 1] != ')') continue;
      rest += inner + 2;
    }
    if (strncmp(rest, " = ", 3) == 0) return rest + 3;
  }
  return NULL;
}

/* Reads a definition's value, under its parameter's value, at its place in the text. */
static number read_definition(struct formula_reader *r, const char *value, const char *parameter,
                              number argument) {
  const char *back = r->at;
  int count = r->names.count;
  if (*parameter) push(r, parameter, argument);
  r->at = value;
  number result = formula_read_sum(r);
  r->at = back;
  r->names.count = count;
  return result;
}

/* --------------------------------------------------------- functions -- */

enum kind { SUM, COUNT, LARGEST };

static number gather(const struct formula_reader *r, enum kind kind, number so_far, number next,
                     bool first) {
  if (kind != LARGEST) return formula_add(r->text, so_far, next);
  return first || formula_compare(r->text, next, so_far) > 0 ? next : so_far;
}

static number read_term(struct formula_reader *r, enum kind kind) {
  return kind == COUNT ? formula_int(formula_read_condition(r)) : formula_read_sum(r);
}

/* The numbers that an index goes through: from ... to, or those of a list. */
struct range {
  int64_t from, to;
  enum { WHOLE, PHASES, TAGS } of;
};

static struct range read_bounds(struct formula_reader *r) {
  struct range range = {.of = WHOLE};
  if (formula_take(r, "in")) {
    range.of = formula_take(r, "tags") ? TAGS : PHASES;
    if (range.of == PHASES) want(r, "phases");
    range.to = (range.of == TAGS ? r->names.tag_count : r->names.phase_count) - 1;
  } else {
    want(r, "=");
    range.from = formula_whole_of(r->text, formula_read_sum(r));
    want(r, "...");
    range.to = formula_whole_of(r->text, formula_read_sum(r));
  }
  return range;
}

/* (j = 1 ... k: term) or (x in phases: term), after the parenthesis and the name.  If the range is
 * empty, the term is skipped. */
static number read_range(struct formula_reader *r, enum kind kind, const char *index) {
  const struct range range = read_bounds(r);
  want(r, ":");
  const char *term = r->at;
  number result = formula_int(0);
  int place = r->names.count;
  push(r, index, formula_int(0));
  for (int64_t i = range.from; i <= range.to; i++) {
    const int64_t value = range.of == TAGS     ? r->names.tags[i]
                          : range.of == PHASES ? r->names.phases[i]
                                               : i;
    r->at = term;
    r->names.of[place].value = formula_int(value);
    result = gather(r, kind, result, read_term(r, kind), i == range.from);
  }
  r->names.count = place;
  if (range.to < range.from) /* the clause ends here, or at the parenthesis that was opened before
                              * it */
    for (int depth = 0; depth > 0 || *r->at != ')'; r->at++)
      depth += (*r->at == '(') - (*r->at == ')');
  want(r, ")");
  return result;
}

/* least(k: condition), after the parenthesis. */
static number read_least(struct formula_reader *r) {
  char index[FORMULA_NAME];
  formula_skip(r);
  r->at += formula_name_at(r->at, index);
  want(r, ":");
  const char *condition = r->at;
  int place = r->names.count;
  push(r, index, formula_int(0));
  for (int64_t k = 0;; k++) {
    assert_true(k < 1000);
    r->at = condition;
    r->names.of[place].value = formula_int(k);
    if (!formula_read_condition(r)) continue;
    r->names.count = place;
    want(r, ")");
    return formula_int(k);
  }
}

/* The exponent of the smallest power of two that is not below the number, or of the largest one not
 * above it. */
static number read_log2(struct formula_reader *r, bool up) {
  number value = formula_read_sum(r);
  int64_t log = 0;
  assert_true(formula_compare(r->text, value, formula_int(1)) >= 0);
  while (formula_compare(r->text, formula_int((int64_t)2 << log), value) <= 0) log++;
  return formula_int(log +
                     (up && formula_compare(r->text, formula_int((int64_t)1 << log), value) < 0));
}

/* A function of one or more arguments; the first has been read. */
static number read_rest(struct formula_reader *r, const char *name, number first) {
  number result = first;
  if (strcmp(name, "ceil") == 0) result = formula_int(-formula_floor_of(formula_negative(first)));
  if (strcmp(name, "floor") == 0) result = formula_int(formula_floor_of(first));
  if (strcmp(name, "ones") == 0 || strcmp(name, "popcount") == 0)
    result = formula_int(formula_ones(formula_whole_of(r->text, first)));
  if (strcmp(name, "zeros") == 0)
    result = formula_int(formula_trailing_zeros(formula_whole_of(r->text, first)));
  while (formula_take(r, ",")) {
    number other = formula_read_sum(r);
    int order = formula_compare(r->text, other, result);
    if (strcmp(name, "C") == 0)
      result = formula_binomial(r->text, formula_whole_of(r->text, first),
                                formula_whole_of(r->text, other));
    else if (strcmp(name, "max") == 0 ? order > 0 : order < 0)
      result = other;
  }
  want(r, ")");
  return result;
}

/* A function that all formulas may use, after its name. */
static number read_function(struct formula_reader *r, const char *name) {
  want(r, "(");
  bool up = strcmp(name, "ceil") == 0;
  if ((up || strcmp(name, "floor") == 0) && formula_take(r, "log2")) {
    number log = read_log2(r, up);
    want(r, ")");
    return log;
  }
  if (strcmp(name, "least") == 0) return read_least(r);
  char index[FORMULA_NAME];
  size_t length = formula_name_at(r->at, index);
  const char *rest = r->at + length + strspn(r->at + length, " ");
  if (length > 0 && (*rest == '=' || strncmp(rest, "in ", 3) == 0)) {
    r->at = rest;
    enum kind kind = strcmp(name, "max") == 0 ? LARGEST : strcmp(name, "count") == 0 ? COUNT : SUM;
    return read_range(r, kind, index);
  }
  return read_rest(r, name, formula_read_sum(r));
}

bool formula_is_function(const char *name) {
  static const char *const known[] = {"ceil", "floor", "ones",  "popcount", "zeros", "C",
                                      "max",  "min",   "count", "sum",      "least"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i], name) == 0) return true;
  return false;
}

/* -------------------------------------------------------- expressions -- */

/* Does a number, a name with a meaning, or a parenthesis come next? */
static bool at_factor(struct formula_reader *r) {
  char name[FORMULA_NAME], parameter[FORMULA_NAME];
  formula_skip(r);
  if (*r->at == '(' || isdigit((unsigned char)*r->at)) return true;
  if (formula_name_at(r->at, name) == 0) return false;
  return formula_is_function(name) || formula_place_of(&r->names, name) >= 0 ||
         formula_definition_of(r, name, parameter) != NULL;
}

static number read_name(struct formula_reader *r) {
  char name[FORMULA_NAME], parameter[FORMULA_NAME];
  const char *from = r->at;
  r->at += formula_name_at(r->at, name);
  int place = formula_place_of(&r->names, name);
  if (place >= 0) return r->names.of[place].value;
  if (formula_is_function(name)) return read_function(r, name);
  const char *value = formula_definition_of(r, name, parameter);
  if (value == NULL) fail_msg("no value at '%s' in '%s'", from, r->text);
  number argument = formula_int(0);
  if (*parameter) {
    want(r, "(");
    argument = formula_read_sum(r);
    want(r, ")");
  }
  return read_definition(r, value, parameter, argument);
}

static number read_primary(struct formula_reader *r) {
  if (formula_take(r, "-")) return formula_negative(read_primary(r));
  if (formula_take(r, "(")) {
    number inner = formula_read_sum(r);
    want(r, ")");
    return inner;
  }
  if (!isdigit((unsigned char)*r->at)) return read_name(r);
  int64_t digits = 0;
  while (isdigit((unsigned char)*r->at)) digits = 10 * digits + *r->at++ - '0';
  return formula_int(digits);
}

static number read_factor(struct formula_reader *r) {
  number base = read_primary(r);
  return formula_take(r, "^")
             ? formula_power(r->text, base, formula_whole_of(r->text, read_primary(r)))
             : base;
}

static number read_product(struct formula_reader *r) {
  number result = read_factor(r);
  for (;;) {
    if (formula_take(r, "/")) {
      result = formula_divide(r->text, result, read_factor(r));
    } else if (formula_take(r, "mod")) {
      number by = read_factor(r);
      number times_whole = formula_int(formula_floor_of(formula_divide(r->text, result, by)));
      result = formula_add(r->text, result,
                           formula_negative(formula_multiply(r->text, by, times_whole)));
    } else if (formula_take(r, "*") || at_factor(r)) {
      result = formula_multiply(r->text, result, read_factor(r));
    } else {
      return result;
    }
  }
}

number formula_read_sum(struct formula_reader *r) {
  number result = read_product(r);
  for (;;) {
    if (formula_take(r, "+"))
      result = formula_add(r->text, result, read_product(r));
    else if (formula_take(r, "-"))
      result = formula_add(r->text, result, formula_negative(read_product(r)));
    else
      return result;
  }
}

/* Takes one comparison sign: does it hold if a number is below, equal to, or above the other? */
static bool take_comparison(struct formula_reader *r, bool by_order[3]) {
  static const struct {
    const char *sign;
    bool holds[3]; /* below, equal, above */
  } signs[] = {{"<=", {true, true, false}}, {">=", {false, true, true}},
               {"!=", {true, false, true}}, {"<", {true, false, false}},
               {">", {false, false, true}}, {"=", {false, true, false}}};
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (formula_take(r, signs[i].sign)) {
      memcpy(by_order, signs[i].holds, sizeof signs[i].holds);
      return true;
    }
  return false;
}

bool formula_read_condition(struct formula_reader *r) {
  bool holds = true, by_order[3];
  do {
    number left = formula_read_sum(r);
    while (take_comparison(r, by_order)) {
      number right = formula_read_sum(r);
      holds = by_order[1 + formula_compare(r->text, left, right)] && holds;
      left = right;
    }
  } while (formula_take(r, "and"));
  return holds;
}
