/* The command line of a subcommand, with glibc's argp.  All ranks parse; only
 * rank 0 prints, and nobody exits here, because MPI has to be finalized. */
#include "options.h"
#include "operation.h"

#include <complex.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the parser fills, and against what. */
struct parse {
  const struct grammar *grammar;
  struct options *options;
  int key; /* of the option at hand */
};

/* The i-th option, of all lists one after the other; NULL beyond the last. */
static const struct argp_option *option_at(const struct grammar *grammar, int i) {
  for (int l = 0; l < OPTION_LISTS && grammar->lists[l]; l++)
    for (const struct argp_option *o = grammar->lists[l]; o->name || o->doc; o++)
      if (i-- == 0) return o;
  return NULL;
}

static const char *name_of(const struct grammar *grammar, int key) {
  const struct argp_option *option = NULL;
  for (int i = 0; (option = option_at(grammar, i)) && option->key != key;) i++;
  return option ? option->name : "";
}

/* Would the option do nothing for this operation? */
static bool idle(const struct argp_option *option, const char *name) {
  const struct operation *operation = operation_find(name);
  if (option->group != OF_MATRICES && option->group != OF_COLLECTIVES) return false;
  if (strcmp(name, "collective") == 0) return option->group == OF_MATRICES;
  if (!operation) return false;
  if (operation_options() & OPTION_BIT(option->key))
    return !(operation->takes & OPTION_BIT(option->key));
  return option->group == OF_COLLECTIVES;
}

/* The operation that the command line is about: named by an option or by the first argument. */
static const char *operation_of(const struct parse *parse) {
  const struct options *options = parse->options;
  if (parse->grammar->product) return options->product;
  return options->path_count > 0 ? options->paths[0] : "";
}

/* The first option given that the operation does not have; NULL when there is none. */
static const struct argp_option *misplaced(const struct parse *parse) {
  const struct options *options = parse->options;
  const struct argp_option *option = NULL;
  for (int i = 0; (option = option_at(parse->grammar, i)); i++) {
    if (option->key < KEY_FIRST || !(options->given & OPTION_BIT(option->key))) continue;
    if (idle(option, operation_of(parse))) return option;
  }
  return NULL;
}

static error_t check_end(struct argp_state *state) {
  const struct parse *parse = state->input;
  const struct options *options = parse->options;
  if (options->help || options->usage) return 0;
  const struct argp_option *option = misplaced(parse);
  if (options->path_count < parse->grammar->least)
    argp_error(state, "too few arguments: %s is needed", parse->grammar->usage);
  else if (option)
    argp_error(state, "--%s is no option of %s", option->name, operation_of(parse));
  else
    return 0;
  return EINVAL;
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct parse *parse = state->input;
  struct options *options = parse->options;
  switch (key) {
  case ARGP_KEY_INIT:
    for (int i = 0; state->root_argp->children[i].argp; i++) state->child_inputs[i] = parse;
    return 0;
  case ARGP_KEY_ARG:
    if (options->path_count == parse->grammar->most) {
      argp_error(state, "too many arguments: `%s'", text);
      return EINVAL;
    }
    options->paths[options->path_count++] = text;
    return 0;
  case ARGP_KEY_END: return check_end(state);
  default: return ARGP_ERR_UNKNOWN;
  }
}

/* The options proper; shared by the parents' and the children's lists. */
static error_t parse_flag(int key, char *text, struct argp_state *state) {
  struct options *options = ((struct parse *)state->input)->options;
  switch (key) {
  case 'o': options->output = text; return 0;
  case KEY_LOWER: options->lower = text; return 0;
  case KEY_UPPER: options->upper = text; return 0;
  case KEY_PIVOTS: options->pivots = text; return 0;
  case KEY_FORCE: options->force = true; return 0;
  case 'h': options->help = true; return 0;
  case KEY_USAGE: options->usage = true; return 0;
  case KEY_VARIANT: options->variant = strcmp(text, "auto") == 0 ? NULL : text; return 0;
  case KEY_LAYOUT: options->layout = text; return 0;
  case KEY_TO: options->to = text; return 0;
  case KEY_WISDOM: options->wisdom = text; return 0;
  case KEY_COLLECTIVE: options->collectives = text; return 0;
  case KEY_MEASURE: options->measure = true; return 0;
  case KEY_JSON: options->json = true; return 0;
  case KEY_PROGRESS: options->progress = true; return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

/* What was wrong with an option's argument: rank 0 says it. */
static error_t reject(struct argp_state *state, const char *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static error_t reject(struct argp_state *state, const char *text, const char *format, ...) {
  char wanted[128];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(wanted, sizeof wanted, format, arguments);
  va_end(arguments);
  const struct parse *parse = state->input;
  argp_error(state, "--%s is `%s'; give %s", name_of(parse->grammar, parse->key), text, wanted);
  return EINVAL;
}

static error_t parse_whole(struct argp_state *state, const char *text, int64_t least, int64_t most,
                           int64_t *value) {
  char *end = NULL;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (end == text || *end || errno || number < least || number > most)
    return reject(state, text, "a whole number from %lld to %lld", (long long)least,
                  (long long)most);
  *value = number;
  return 0;
}

static error_t parse_int(struct argp_state *state, const char *text, int least, int most,
                         int *value) {
  int64_t number = 0;
  error_t error = parse_whole(state, text, least, most, &number);
  *value = (int)number;
  return error;
}

static error_t parse_time(struct argp_state *state, const char *text, double *value) {
  char *end = NULL;
  *value = strtod(text, &end);
  if (end != text && *end == 0 && *value >= 0 && isfinite(*value)) return 0;
  return reject(state, text, "a time from 0 on, as in 1.5e-6");
}

static error_t parse_ports(struct argp_state *state, const char *text, struct options *options) {
  options->ports = strcmp(text, "one") == 0 ? HYLA_ONE_PORT : HYLA_ALL_PORTS;
  options->ports_given = true;
  if (strcmp(text, "one") == 0 || strcmp(text, "all") == 0) return 0;
  return reject(state, text, "one or all");
}

/* "16x16": numbers from 1, joined by x; as many as a size can have, or fewer. */
static error_t parse_size(struct argp_state *state, const char *text, struct options *options) {
  const int most = sizeof options->size / sizeof *options->size;
  const char *at = text;
  char *end = NULL;
  for (options->size_count = 0; options->size_count < most; at = end + 1) {
    errno = 0;
    long long number = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : 0;
    if (number < 1 || errno) break;
    options->size[options->size_count++] = number;
    if (*end == 0) return 0;
    if (*end != 'x') break;
  }
  return reject(state, text, "numbers from 1 joined by x, as in 16x16");
}

static error_t parse_type(struct argp_state *state, const char *text, hyla_type *type) {
  static const char names[] = "sdcz"; /* in the order of hyla_type */
  const char *place = strlen(text) == 1 ? strchr(names, *text) : NULL;
  if (!place) return reject(state, text, "s, d, c or z");
  *type = (hyla_type)(place - names);
  return 0;
}

/* The number of a kind; when the name is none, the names. */
static error_t parse_embedding(struct argp_state *state, const char *text, int *kind) {
  char names[128] = "";
  const char *name;
  for (int i = 0; (name = hyla_embedding_name(i)); i++) {
    *kind = i;
    if (strcmp(name, text) == 0) return 0;
    size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? ", " : "", name);
  }
  return reject(state, text, "one of %s", names);
}

static error_t parse_product(struct argp_state *state, const char *text, const char **product) {
  const struct operation *operation = operation_find(text);
  if (!operation || operation->factors == 0 || !operation->variants ||
      strcmp(operation->variants, "gemm") != 0)
    return reject(state, text, OPERATION_PRODUCTS);
  *product = operation->name;
  return 0;
}

static error_t parse_method(struct argp_state *state, const char *text, struct options *options) {
  const bool solves = ((const struct parse *)state->input)->grammar == &solve_grammar;
  char names[128] = "";
  const hyla_method_traits *traits = NULL;
  for (int i = 0; (traits = hyla_method_at(i)); i++) {
    size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? ", " : "", traits->name);
  }
  int found = method_find(text);
  options->method_given = true;
  options->triangular = solves && strcmp(text, "triangular") == 0;
  if (found < 0 && !options->triangular)
    return reject(state, text, "one of %s%s", names, solves ? ", triangular" : "");
  options->method = found < 0 ? HYLA_LU : (hyla_method)found;
  return 0;
}

/* One of two words; *second: it is that one. */
static error_t parse_either(struct argp_state *state, const char *text, const char *one,
                            const char *other, bool *second) {
  *second = strcmp(text, other) == 0;
  return *second || strcmp(text, one) == 0 ? 0 : reject(state, text, "%s or %s", one, other);
}

static error_t parse_refinement(struct argp_state *state, const char *text,
                                hyla_refinement *refinement) {
  /* as of hyla_refinement */
  static const char *const names[] = {"default", "none",     "fixed",
                                      "mixed",   "extended", "mixed-extended"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(text, names[i]) == 0) {
      *refinement = (hyla_refinement)i;
      return 0;
    }
  return reject(state, text, "none, fixed, mixed, extended, mixed-extended or default");
}

static error_t parse_op(struct argp_state *state, const char *text, hyla_operation *op) {
  static const char names[] = "ntc"; /* in the order of hyla_operation */
  const char *place = strlen(text) == 1 ? strchr(names, *text) : NULL;
  if (!place) return reject(state, text, "n, t or c");
  *op = (hyla_operation)(place - names);
  return 0;
}

/* "-2" or "0.5,1": real and imaginary part. */
static error_t parse_factor(struct argp_state *state, const char *text, hyla_scalar *factor) {
  char *end = NULL;
  double real = strtod(text, &end), imaginary = 0;
  bool good = end != text;
  if (good && *end == ',') {
    const char *second = end + 1;
    imaginary = strtod(second, &end);
    good = end != second;
  }
  *factor = real + imaginary * I;
  if (good && *end == 0 && isfinite(real) && isfinite(imaginary)) return 0;
  return reject(state, text, "a number, as in -2, or real and imaginary part, as in 0.5,1");
}

/* The options of products. */
static error_t parse_shape(int key, char *text, struct argp_state *state) {
  struct options *options = ((struct parse *)state->input)->options;
  bool second = false;
  error_t fault = 0;
  switch (key) {
  case KEY_AS: return parse_product(state, text, &options->product);
  case KEY_TRANSPOSE: options->op = HYLA_TRANSPOSE; return 0;
  case KEY_OP: return parse_op(state, text, &options->op);
  case KEY_FACTOR: return parse_factor(state, text, &options->factor);
  case KEY_DIAGONAL:
    fault = parse_either(state, text, "non-unit", "unit", &second);
    options->diagonal = second ? HYLA_UNIT_DIAGONAL : HYLA_ANY_DIAGONAL;
    return fault;
  case KEY_CONJUGATE: options->conjugate = true; return 0;
  case KEY_METHOD: return parse_method(state, text, options);
  case KEY_REFINE: return parse_refinement(state, text, &options->refinement);
  case KEY_EQUILIBRATE: options->equilibrate = true; return 0;
  case KEY_SIDE:
    fault = parse_either(state, text, "left", "right", &second);
    options->side = second ? HYLA_RIGHT : HYLA_LEFT;
    return fault;
  case KEY_TRIANGLE:
    fault = parse_either(state, text, "lower", "upper", &second);
    options->triangle = second ? HYLA_UPPER : HYLA_LOWER;
    return fault;
  default: return parse_flag(key, text, state);
  }
}

/* The options of layout and generate. */
static error_t parse_layout(int key, char *text, struct argp_state *state) {
  struct options *options = ((struct parse *)state->input)->options;
  enum { CODES_MOST = 10 };
  switch (key) {
  case KEY_SIZE: return parse_size(state, text, options);
  case KEY_TYPE: return parse_type(state, text, &options->type);
  case KEY_NRHS: return parse_whole(state, text, 1, INT_MAX, &options->nrhs);
  case KEY_BAND: return parse_whole(state, text, 0, INT64_MAX, &options->band);
  case KEY_RANKS: return parse_int(state, text, 1, 1 << HYLA_DIMS_MAX, &options->ranks);
  case KEY_SVG: options->svg = text; return 0;
  case KEY_SEED: return parse_whole(state, text, 0, INT64_MAX, &options->seed);
  case KEY_LIST: options->list = true; return 0;
  case KEY_EMBED: return parse_embedding(state, text, &options->embedding);
  case KEY_CODES: return parse_int(state, text, 1, CODES_MOST, &options->codes);
  default: return parse_shape(key, text, state);
  }
}

/* The options of simulate and bench. */
static error_t parse_collective(int key, char *text, struct argp_state *state) {
  struct options *options = ((struct parse *)state->input)->options;
  hyla_collective *c = &options->collective;
  ((struct parse *)state->input)->key = key;
  if (key >= KEY_FIRST && key < KEY_END) options->given |= OPTION_BIT(key);
  switch (key) {
  case KEY_NAME: c->name = text; return 0;
  case KEY_WORDS: return parse_whole(state, text, 0, INT64_MAX / 8, &c->words);
  case KEY_ROOT: return parse_int(state, text, 0, INT_MAX, &c->root);
  case KEY_DISTANCE: return parse_int(state, text, 1, INT_MAX, &c->distance);
  case KEY_ACTIVE: return parse_int(state, text, 1, INT_MAX, &c->active);
  case KEY_ALPHA: options->times_given = true; return parse_time(state, text, &c->alpha);
  case KEY_BETA: options->times_given = true; return parse_time(state, text, &c->beta);
  case KEY_GAMMA: options->times_given = true; return parse_time(state, text, &options->gamma);
  case KEY_DRY: options->dry = true; return 0;
  case KEY_MACHINE: options->machine = text; return 0;
  case KEY_DIMS: return parse_int(state, text, 0, HYLA_DIMS_MAX, &options->dims);
  case KEY_PORTS: return parse_ports(state, text, options);
  case KEY_REPEAT: return parse_int(state, text, 1, INT_MAX - 1, &options->repeat);
  default: return parse_layout(key, text, state);
  }
}

/* The text of --method with the list of methods, for argp to free. */
static char *list_methods(int key, const char *text, void *input) {
  (void)input;
  if (key != KEY_METHOD) return (char *)(uintptr_t)text;
  char *list = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&list, &length);
  if (!stream) return NULL;
  fputs(text, stream);
  const hyla_method_traits *method = NULL;
  for (int i = 0; (method = hyla_method_at(i)); i++)
    fprintf(stream, "; %s: %s", method->name, method->text);
  fclose(stream);
  return list;
}

bool options_parse(const struct grammar *grammar, int argc, char **argv, int rank,
                   struct options *options) {
  *options = (struct options){.product = grammar->product,
                              .collective = {.words = 1000},
                              .type = HYLA_DOUBLE,
                              .nrhs = 1,
                              .band = -1,
                              .factor = 1,
                              .embedding = -1,
                              .ranks = 4,
                              .dims = 4,
                              .repeat = 5};
  struct argp lists[OPTION_LISTS + 1] = {{.options = options_of_all, .parser = parse_flag}};
  struct argp_child children[OPTION_LISTS + 2] = {{.argp = lists}};
  for (int i = 0; i < OPTION_LISTS && grammar->lists[i]; i++) {
    lists[i + 1] = (struct argp){
        .options = grammar->lists[i], .parser = parse_collective, .help_filter = list_methods};
    children[i + 1].argp = &lists[i + 1];
  }
  const struct argp argp = {.parser = parse_option,
                            .args_doc = grammar->usage,
                            .doc = grammar->text,
                            .children = children};
  struct parse parse = {.grammar = grammar, .options = options};
  unsigned flags = ARGP_NO_EXIT | ARGP_NO_HELP | (rank == 0 ? 0 : ARGP_NO_ERRS);
  if (argp_parse(&argp, argc, argv, flags, NULL, &parse)) return false;
  options->collective.variant = options->variant;
  const unsigned help = ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC;
  if (rank == 0 && options->help) argp_help(&argp, stdout, help, argv[0]);
  if (rank == 0 && options->usage) argp_help(&argp, stdout, ARGP_HELP_USAGE, argv[0]);
  return true;
}
