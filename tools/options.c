/* Parses a subcommand's command line with glibc's argp.  All ranks parse; only rank 0 prints, and
 * no rank exits here, because MPI must be finalized. */
#include "options.h"
#include "operation.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Would the option have no effect on this operation? */
static bool idle(const struct argp_option *option, const char *name) {
  const struct operation *operation = operation_find(name);
  if (strcmp(name, "traffic") == 0)
    return option->group != OF_TRAFFIC && option->key < KEY_MARKED && option->key != KEY_DIMS &&
           option->key != KEY_NETWORK && option->key != KEY_BETA;
  if (option->group == OF_TRAFFIC) return true;
  if (option->group != OF_MATRICES && option->group != OF_COLLECTIVES) return false;
  if (strcmp(name, "collective") == 0) return option->group == OF_MATRICES;
  if (!operation) return false;
  if (operation_options() & OPTION_BIT(option->key))
    return !(operation->takes & OPTION_BIT(option->key));
  return option->group == OF_COLLECTIVES;
}

/* The operation that an option or the first argument names. */
static const char *operation_of(const struct parse *parse) {
  const struct options *options = parse->options;
  if (parse->grammar->product) return options->product;
  return options->path_count > 0 ? options->paths[0] : "";
}

/* The first given option that the operation does not take; NULL if there is none. */
static const struct argp_option *misplaced(const struct parse *parse) {
  const struct options *options = parse->options;
  const struct argp_option *option = NULL;
  for (int i = 0; (option = option_at(parse->grammar, i)); i++) {
    if (option->key < KEY_FIRST || option->key >= KEY_MARKED) continue;
    if (!(options->given & OPTION_BIT(option->key))) continue;
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

/* Parses the options without a group; the parents' and the children's lists share it. */
static error_t parse_flag(int key, char *text, struct argp_state *state) {
  struct options *options = ((struct parse *)state->input)->options;
  switch (key) {
  case 'o': options->output = text; return 0;
  case KEY_LOWER: options->lower = text; return 0;
  case KEY_UPPER: options->upper = text; return 0;
  case KEY_PIVOTS: options->pivots = text; return 0;
  case KEY_VALUES: options->values = text; return 0;
  case KEY_LEFT: options->left = text; return 0;
  case KEY_RIGHT: options->right = text; return 0;
  case KEY_NO_VECTORS: options->no_vectors = true; return 0;
  case KEY_PENCIL: return parse_int(state, text, 1, 3, &options->pencil);
  case KEY_RANGE:
  case KEY_INTERVAL: return parse_spectrum(state, text, key == KEY_RANGE, &options->eigen);
  case KEY_FORCE: options->force = true; return 0;
  case 'h': options->help = true; return 0;
  case KEY_USAGE: options->usage = true; return 0;
  case KEY_VARIANT: options->variant = strcmp(text, "auto") == 0 ? NULL : text; return 0;
  case KEY_LAYOUT: options->layout = text; return 0;
  case KEY_TO: options->to = text; return 0;
  case KEY_WISDOM: options->wisdom = text; return 0;
  case KEY_COLLECTIVE: options->collectives = text; return 0;
  case KEY_MEASURE: options->measure = true; return 0;
  case KEY_REPRODUCIBLE: options->reproducible = true; return 0;
  case KEY_VERIFY: options->verify = true; return 0;
  case KEY_CHECKPOINT: options->checkpoint = text; return 0;
  case KEY_EXPLAIN: options->explain = true; return 0;
  case KEY_JSON: options->json = true; return 0;
  case KEY_PROGRESS: options->progress = true; return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static error_t parse_product(struct argp_state *state, const char *text, const char **product) {
  const struct operation *operation = operation_find(text);
  if (!operation || operation->factors == 0 || !operation->variants ||
      strcmp(operation->variants, "gemm") != 0) {
    static const char *const names[] = {"gemm", "symm", "hemm", "trmm", "syrk", "herk", NULL};
    return reject_name(state, text, names);
  }
  *product = operation->name;
  return 0;
}

/* The method of svd. */
static error_t parse_singular(struct argp_state *state, const char *text,
                              hyla_svd_options *singular) {
  static const char *const names[] = {"bidiagonal", "jacobi", NULL};
  for (size_t i = 0; names[i]; i++)
    if (strcmp(text, names[i]) == 0) {
      singular->method = names[i];
      return 0;
    }
  return reject_name(state, text, names);
}

/* The method of lstsq. */
static error_t parse_squares(struct argp_state *state, const char *text,
                             hyla_lstsq_options *squares) {
  static const char *const names[] = {"auto", "qr", "pivoted", NULL}; /* as hyla_lstsq_method */
  for (size_t i = 0; names[i]; i++)
    if (strcmp(text, names[i]) == 0) {
      squares->method = (hyla_lstsq_method)i;
      return 0;
    }
  return reject_name(state, text, names);
}

static error_t parse_method(struct argp_state *state, const char *text, struct options *options) {
  const struct grammar *grammar = ((const struct parse *)state->input)->grammar;
  const bool solves = grammar == &solve_grammar;
  enum { METHODS = 32 };
  const char *names[METHODS + 2] = {NULL};
  const hyla_method_traits *traits = NULL;
  int count = 0;
  while (count < METHODS && (traits = hyla_method_at(count))) names[count++] = traits->name;
  if (solves) names[count] = "triangular";
  int found = method_find(text);
  options->method_given = true;
  options->triangular = solves && strcmp(text, "triangular") == 0;
  if (found < 0 && !options->triangular) return reject_name(state, text, names);
  options->method = found < 0 ? HYLA_LU : (hyla_method)found;
  return 0;
}

/* Parses one of two words; *second: it is the second one. */
static error_t parse_either(struct argp_state *state, const char *text, const char *one,
                            const char *other, bool *second) {
  *second = strcmp(text, other) == 0;
  return *second || strcmp(text, one) == 0 ? 0 : reject(state, text, "%s or %s", one, other);
}

static error_t parse_refinement(struct argp_state *state, const char *text,
                                hyla_refinement *refinement) {
  /* in the order of hyla_refinement */
  static const char *const names[] = {"default",  "none",           "fixed", "mixed",
                                      "extended", "mixed-extended", NULL};
  for (size_t i = 0; names[i]; i++)
    if (strcmp(text, names[i]) == 0) {
      *refinement = (hyla_refinement)i;
      return 0;
    }
  return reject_name(state, text, names);
}

static error_t parse_op(struct argp_state *state, const char *text, hyla_operation *op) {
  static const char names[] = "ntc"; /* in the order of hyla_operation */
  const char *place = strlen(text) == 1 ? strchr(names, *text) : NULL;
  if (!place) return reject(state, text, "n, t or c");
  *op = (hyla_operation)(place - names);
  return 0;
}

static error_t parse_by(struct argp_state *state, const char *text, hyla_operation *op) {
  /* in the order of hyla_operation */
  static const char *const names[] = {"left", "right", "half", NULL};
  for (int i = 0; names[i]; i++)
    if (strcmp(text, names[i]) == 0) {
      *op = (hyla_operation)(HYLA_TURN_LEFT + i);
      return 0;
    }
  return reject_name(state, text, names);
}

/* Parses the options of products and moves. */
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
  case KEY_BY: return parse_by(state, text, &options->by);
  case KEY_METHOD: return parse_method(state, text, options);
  case KEY_PIVOTING: return parse_squares(state, text, &options->squares);
  case KEY_DECOMPOSITION: return parse_singular(state, text, &options->singular);
  case KEY_RCOND: return parse_tolerance(state, text, &options->squares.rcond);
  case KEY_EXTENDED: options->squares.extended = true; return 0;
  case KEY_RANK: return parse_whole(state, text, 1, INT_MAX, &options->rank);
  case KEY_TOLERANCE: return parse_tolerance(state, text, &options->lowrank.tolerance);
  case KEY_POWER: return parse_int(state, text, 0, 100, &options->lowrank.power);
  case KEY_REFINE: return parse_refinement(state, text, &options->refinement);
  case KEY_EQUILIBRATE: options->equilibrate = true; return 0;
  case KEY_QUICK: options->quick = true; return 0;
  case KEY_ACCURACY:
    return parse_either(state, text, "normal", "high", &options->singular.accurate);
  case KEY_REPORT: return parse_either(state, text, "short", "full", &options->full);
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

/* Parses the options of layout and generate. */
static error_t parse_layout(int key, char *text, struct argp_state *state) {
  struct options *options = ((struct parse *)state->input)->options;
  enum { CODES_MOST = 10, SEEDS_MOST = 10000 };
  switch (key) {
  case KEY_SIZE: return parse_size(state, text, options);
  case KEY_TYPE: return parse_type(state, text, &options->type);
  case KEY_NRHS: return parse_whole(state, text, 0, INT_MAX, &options->nrhs);
  case KEY_BAND: return parse_whole(state, text, 0, INT64_MAX, &options->band);
  case KEY_DENSE: return parse_dense(state, text, options);
  case KEY_RANKS: return parse_int(state, text, 1, 1 << HYLA_DIMS_MAX, &options->ranks);
  case KEY_EVERY: options->every_given = true; return parse_time(state, text, &options->every);
  case KEY_PHASES: options->phases = true; return 0;
  case KEY_BOUND: options->bound = true; return 0;
  case KEY_MEMORY: return parse_bytes(state, text, &options->memory);
  case KEY_SCALAPACK:
    options->for_scalapack = true;
    options->scalapack = text;
    return 0;
  case KEY_BUDGET: return parse_time(state, text, &options->budget);
  case KEY_SVG: options->svg = text; return 0;
  case KEY_DELIMITER: options->delimiter = text; return 0;
  case KEY_TRACE: options->trace = text; return 0;
  case KEY_CUBE_SVG: options->cube_svg = text; return 0;
  case KEY_SCHEDULE: options->schedule = text ? text : "-"; return 0;
  case KEY_SEED: return parse_whole(state, text, 0, INT64_MAX, &options->seed);
  case KEY_LIST: options->list = true; return 0;
  case KEY_EMBED: return parse_embedding(state, text, options);
  case KEY_CLOSED: options->closed = true; return 0;
  case KEY_SCHEME: options->scheme = text; return 0;
  case KEY_BUFFERS: return parse_buffers(state, text, &options->buffers);
  case KEY_ACCESS: return parse_probability(state, text, &options->access);
  case KEY_LOAD: return parse_positive(state, text, &options->load);
  case KEY_PACKETS: return parse_whole(state, text, 1, INT64_MAX / 8, &options->packets);
  case KEY_PREFIX: return parse_time(state, text, &options->prefix);
  case KEY_RETRY: return parse_probability(state, text, &options->retry);
  case KEY_WHOLE: options->whole = true; return 0;
  case KEY_PATTERN: return parse_pattern(state, text, &options->pattern);
  case KEY_SLOTS: return parse_whole(state, text, 0, INT64_MAX / 2, &options->slots);
  case KEY_DISTANCES: return parse_int(state, text, 1, SEEDS_MOST, &options->distances);
  case KEY_EXCHANGES: return parse_int(state, text, 1, SEEDS_MOST, &options->exchanges);
  case KEY_PERMUTATIONS: options->permutations = text; return 0;
  case KEY_CODES: return parse_int(state, text, 1, CODES_MOST, &options->codes);
  default: return parse_shape(key, text, state);
  }
}

/* Parses the options of simulate and bench. */
static error_t parse_collective(int key, char *text, struct argp_state *state) {
  struct options *options = ((struct parse *)state->input)->options;
  hyla_collective *c = &options->collective;
  ((struct parse *)state->input)->key = key;
  if (key >= KEY_FIRST && key < KEY_MARKED) options->given |= OPTION_BIT(key);
  switch (key) {
  case KEY_NAME: c->name = text; return 0;
  case KEY_WORDS: return parse_lengths(state, text, options);
  case KEY_ROOT: return parse_int(state, text, 0, INT_MAX, &c->root);
  case KEY_DISTANCE: return parse_distance(state, text, c);
  case KEY_ACTIVE: return parse_active(state, text, options);
  case KEY_LOST: return parse_lost(state, text, options);
  case KEY_TAGS:
    c->tag = options->tags;
    return parse_numbers(state, text, 1, options->tags, &c->tags);
  case KEY_PARTITION: return parse_partition(state, text, c);
  case KEY_NETWORK: options->network = text; return 0;
  case KEY_ARRAY: return parse_array(state, text, &options->array);
  case KEY_COUNTS: return parse_numbers(state, text, 0, options->counts, &options->counts_given);
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

/* Adds the list of methods to the text of --method; argp frees it. */
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

/* Argp would print a list of operations as one word, wider than a terminal. */
static bool lists_operations(const struct grammar *grammar) {
  return strchr(grammar->usage, '|') != NULL;
}

static const char *usage_of(const struct grammar *grammar) {
  return lists_operations(grammar) ? "OPERATION" : grammar->usage;
}

static void print_operations(const struct grammar *grammar) {
  char list[256];
  snprintf(list, sizeof list, "%s", grammar->usage);
  for (char *bar = list; (bar = strchr(bar, '|'));) *bar = ' ';
  print_paragraph(NULL, "OPERATION: %s.", list);
}

/* The parts of the parser, which must live as long as it works. */
struct parser {
  struct argp lists[OPTION_LISTS + 1];
  struct argp_child children[OPTION_LISTS + 2];
  struct argp argp;
};

static void make_parser(const struct grammar *grammar, struct parser *p) {
  *p = (struct parser){.lists = {{.options = options_of_all, .parser = parse_flag}},
                       .children = {{.argp = p->lists}},
                       .argp = {.parser = parse_option,
                                .args_doc = usage_of(grammar),
                                .doc = grammar->text,
                                .children = p->children}};
  for (int i = 0; i < OPTION_LISTS && grammar->lists[i]; i++) {
    p->lists[i + 1] = (struct argp){
        .options = grammar->lists[i], .parser = parse_collective, .help_filter = list_methods};
    p->children[i + 1].argp = &p->lists[i + 1];
  }
}

void options_print_all(const struct grammar *grammar, const char *name) {
  struct parser parser;
  char program[32];
  make_parser(grammar, &parser);
  snprintf(program, sizeof program, "hyla %s", name);
  argp_help(&parser.argp, stdout, ARGP_HELP_SHORT_USAGE, program);
  if (lists_operations(grammar)) print_operations(grammar);
  argp_help(&parser.argp, stdout, ARGP_HELP_LONG | ARGP_HELP_DOC, program);
}

/* Is this word, "--side" or "--side=left", the option or the beginning of its name? */
static bool begins_option(const struct argp_option *option, const char *word, bool *whole) {
  size_t length = strcspn(word + 2, "=");
  bool begins = option->name && strncmp(option->name, word + 2, length) == 0;
  *whole = begins && strlen(option->name) == length;
  return begins;
}

static const struct argp_option *find_option(const struct grammar *grammar, const char *word) {
  const struct argp_option *option = NULL, *found = NULL;
  bool whole = false;
  for (int i = 0; !whole && (option = option_at(grammar, i)); i++)
    if (begins_option(option, word, &whole)) found = option;
  whole = false;
  for (int i = 0; !found && options_of_all[i].doc; i++)
    if (begins_option(&options_of_all[i], word, &whole)) found = &options_of_all[i];
  return found;
}

static void refuse_option(const struct grammar *grammar, const char *name, const char *word) {
  enum { NAMES = 80 };
  const char *names[NAMES + 1] = {NULL};
  char bare[64], nearest[MEANT_TEXT];
  const struct argp_option *option = NULL;
  int count = 0;
  for (int i = 0; count < NAMES && options_of_all[i].name; i++)
    names[count++] = options_of_all[i].name;
  for (int i = 0; count < NAMES && (option = option_at(grammar, i)); i++)
    if (option->name) names[count++] = option->name;
  snprintf(bare, sizeof bare, "%.*s", (int)strcspn(word + 2, "="), word + 2);
  const char *meant = hyla_name_nearest(bare, names);
  snprintf(nearest, sizeof nearest, " (did you mean `--%s'?)", meant ? meant : "");
  fprintf(stderr, "%s: unrecognized option '--%s'%s\nTry `%s --help' for more information.\n", name,
          bare, meant ? nearest : "", name);
}

/* The first unknown long option; NULL if all are known.  Argp would refuse it without saying what
 * was probably meant. */
static const char *unknown_option(const struct grammar *grammar, int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "-o") == 0) i++;
    if (i >= argc || strncmp(argv[i], "--", 2) != 0) continue;
    const struct argp_option *option = find_option(grammar, argv[i]);
    if (!option) return argv[i];
    if (option->arg && !strchr(argv[i], '=')) i++;
  }
  return NULL;
}

bool options_parse(const struct grammar *grammar, int argc, char **argv, int rank,
                   struct options *options) {
  *options = (struct options){.product = grammar->product,
                              .collective = {.words = 1000},
                              .type = HYLA_DOUBLE,
                              .nrhs = 1,
                              .band = -1,
                              .by = HYLA_TURN_LEFT,
                              .factor = 1,
                              .embedding = -1,
                              .ranks = 4,
                              .dims = 4,
                              .access = 1,
                              .slots = 100000,
                              .packets = 1,
                              .repeat = 5,
                              .budget = 300};
  struct parser parser;
  struct parse parse = {.grammar = grammar, .options = options};
  const char *unknown = unknown_option(grammar, argc, argv);
  if (unknown && rank == 0) refuse_option(grammar, argv[0], unknown);
  if (unknown) return false;
  make_parser(grammar, &parser);
  unsigned flags = ARGP_NO_EXIT | ARGP_NO_HELP | (rank == 0 ? 0 : ARGP_NO_ERRS);
  int fault = argp_parse(&parser.argp, argc, argv, flags, NULL, &parse);
  if (fault == ENOMEM) memory_end(); /* other ranks may have had memory */
  if (fault) return false;
  options->collective.variant = options->variant;
  if (rank == 0 && options->help) help_short(argv[0], grammar);
  if (rank == 0 && options->usage) argp_help(&parser.argp, stdout, ARGP_HELP_USAGE, argv[0]);
  return true;
}
