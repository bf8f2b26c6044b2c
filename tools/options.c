/* The command line of a subcommand, with glibc's argp.  All ranks parse; only
 * rank 0 prints, and nobody exits here, because MPI has to be finalized. */
#include "tool.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  KEY_VARIANT = 256,
  KEY_LAYOUT,
  KEY_JSON,
  KEY_PROGRESS,
  KEY_USAGE,
  KEY_NAME,
  KEY_WORDS,
  KEY_ROOT,
  KEY_DISTANCE,
  KEY_ACTIVE,
  KEY_ALPHA,
  KEY_BETA,
  KEY_DIMS,
  KEY_PORTS,
  KEY_REPEAT,
  KEY_SIZE,
  KEY_TYPE,
  KEY_GAMMA,
  KEY_DRY,
  KEY_MACHINE,
  KEY_NRHS,
  KEY_RANKS,
  KEY_SVG,
  KEY_CODES,
  KEY_TO
};

static const struct argp_option options_of_all[] = {
    {"json", KEY_JSON, NULL, 0, "Print one JSON object on standard output", 10},
    {"help", 'h', NULL, 0, "Print this text", 10},
    {"usage", KEY_USAGE, NULL, 0, "Print the usage in short", 10},
    {0}};

#define OPTIONS_OF_MATRICES                                                                        \
  {"output", 'o', "FILE", 0, "Write the result: .mtx (Matrix Market) or .npy (NumPy)", 1},         \
      {"variant",                                                                                  \
       KEY_VARIANT,                                                                                \
       "NAME",                                                                                     \
       0,                                                                                          \
       "Use this variant, as `hyla info' lists them; auto (the default) picks the fastest that "   \
       "applies",                                                                                  \
       2},                                                                                         \
      {"layout",                                                                                   \
       KEY_LAYOUT,                                                                                 \
       "LAYOUT",                                                                                   \
       0,                                                                                          \
       "How matrices lie on the cube: CODE/STORAGE[:BLOCK][@RxC], as in gray/cyclic:64@2x4, with " \
       "CODE binary or gray, STORAGE consecutive or cyclic; one for rows and columns or two, "     \
       "separated by a comma; `hyla layout' shows them, and its manual page has all forms",        \
       2},                                                                                         \
  {                                                                                                \
    "progress", KEY_PROGRESS, NULL, 0,                                                             \
        "Show what is being done on standard error also when that is no terminal (under mpiexec "  \
        "it never is)",                                                                            \
        3                                                                                          \
  }

const struct argp_option options_of_matrices[] = {OPTIONS_OF_MATRICES, {0}};

const struct argp_option options_of_convert[] = {
    OPTIONS_OF_MATRICES, {"to", KEY_TO, "LAYOUT", 0, "How the result lies on the cube", 2}, {0}};

#define OPTIONS_OF_COLLECTIVES                                                                     \
  {"name",                                                                                         \
   KEY_NAME,                                                                                       \
   "NAME",                                                                                         \
   0,                                                                                              \
   "The collective: broadcast, reduce, scatter, gather, allgather, reduce-scatter, partial, "      \
   "exchange or permute",                                                                          \
   1},                                                                                             \
      {"variant",                                                                                  \
       KEY_VARIANT,                                                                                \
       "NAME",                                                                                     \
       0,                                                                                          \
       "Use this variant; auto (the default) picks the fastest that applies",                      \
       1},                                                                                         \
      {"words", KEY_WORDS, "M", 0, "Words of 8 bytes in one message (default 1000)", 1},           \
      {"root", KEY_ROOT, "NODE", 0, "Where it starts or ends (default 0)", 1},                     \
      {"distance",                                                                                 \
       KEY_DISTANCE,                                                                               \
       "N",                                                                                        \
       0,                                                                                          \
       "How far a single sender's receiver is (default: the opposite corner)",                     \
       1},                                                                                         \
      {"active", KEY_ACTIVE, "N", 0, "partial: how many nodes have a message (default: all)", 1},  \
      {"alpha", KEY_ALPHA, "TIME", 0, "Time to start a packet", 2}, {                              \
    "beta", KEY_BETA, "TIME", 0,                                                                   \
        "Time of a word (default for both: 1 to simulate, the machine's to bench)", 2              \
  }

const struct argp_option options_of_simulate[] = {
    {"dims", KEY_DIMS, "D", 0, "Dimensions of the cube (default 4)", 1},
    {"size", KEY_SIZE, "SIZE", 0, "gemm: N or MxNxK; lu: N; convert, transpose: N or MxN", 1},
    {"type", KEY_TYPE, "s|d|c|z", 0, "Type of the entries (default d)", 1},
    {"nrhs", KEY_NRHS, "R", 0, "lu: how many right-hand sides (default 1)", 1},
    {"layout", KEY_LAYOUT, "LAYOUT", 0, "How the matrices lie, as in gray/cyclic:64@2x4", 1},
    {"to", KEY_TO, "LAYOUT", 0, "convert, transpose: how the result is to lie", 1},
    {"dry", KEY_DRY, NULL, 0, "Counts and times without data, for cubes of many nodes", 1},
    {"machine", KEY_MACHINE, "NAME|FILE", 0,
     "Not of collectives: the machine, by name or file (default: that of these ranks); --alpha, "
     "--beta and "
     "--gamma stand for it",
     2},
    {"gamma", KEY_GAMMA, "TIME", 0, "Time of an operation on real numbers of 8 bytes", 2},
    OPTIONS_OF_COLLECTIVES,
    {"ports", KEY_PORTS, "one|all", 0, "Links a node uses at once (default: as the variant is for)",
     2},
    {0}};

const struct argp_option options_of_bench[] = {
    {"size", KEY_SIZE, "SIZE", 0, "gemm: N or MxNxK; lu: N", 1},
    {"type", KEY_TYPE, "s|d|c|z", 0, "gemm, lu: type of the entries (default d)", 1},
    {"nrhs", KEY_NRHS, "R", 0, "lu: how many right-hand sides (default 1)", 1},
    {"layout", KEY_LAYOUT, "LAYOUT", 0, "gemm, lu: how the matrices lie, as in gray/cyclic:64@2x4",
     1},
    {"repeat", KEY_REPEAT, "R", 0, "How many runs count (default 5)", 2},
    {"progress", KEY_PROGRESS, NULL, 0,
     "Show what is being done on standard error also when that is no terminal", 3},
    OPTIONS_OF_COLLECTIVES,
    {0}};

const struct argp_option options_of_layout[] = {
    {"size", KEY_SIZE, "MxN", 0, "Rows and columns of the matrix", 1},
    {"dims", KEY_DIMS, "D", 0, "Dimensions of the cube (default 4)", 1},
    {"layout", KEY_LAYOUT, "LAYOUT", 0,
     "How the matrix lies on the cube, as in gray/cyclic:2@4x4 (default: as create does it)", 1},
    {"svg", KEY_SVG, "FILE", 0, "Draw the matrix and the cube", 2},
    {"codes", KEY_CODES, "N", 0,
     "Instead of a matrix, show how a Gray code of N bits becomes a binary one", 3},
    {0}};

const struct argp_option options_of_machine[] = {
    {"output", 'o', "FILE", 0, "Write the machine file", 1},
    {"repeat", KEY_REPEAT, "R", 0, "How often each figure is measured, to 1000 (default 5)", 2},
    {"progress", KEY_PROGRESS, NULL, 0,
     "Say so on standard error also when that is no terminal (under mpiexec it never is)", 3},
    {0}};

const struct argp_option options_of_explain[] = {
    {"size", KEY_SIZE, "SIZE", 0, "gemm: N or MxNxK; lu: N; convert, transpose: N or MxN", 1},
    {"ranks", KEY_RANKS, "P", 0, "For how many ranks (default 4)", 1},
    {"machine", KEY_MACHINE, "NAME|FILE", 0,
     "For which machine, as `hyla machine' writes it (default: HYLA_MACHINE)", 1},
    {"type", KEY_TYPE, "s|d|c|z", 0, "Type of the entries (default d)", 1},
    {"nrhs", KEY_NRHS, "R", 0, "lu: how many right-hand sides (default 1)", 1},
    {"layout", KEY_LAYOUT, "LAYOUT", 0, "How the matrices lie, as in gray/cyclic:64@2x4", 1},
    {"to", KEY_TO, "LAYOUT", 0, "convert, transpose: how the result is to lie", 1},
    OPTIONS_OF_COLLECTIVES,
    {0}};

/* What the parser fills, and against what. */
struct parse {
  const struct grammar *grammar;
  struct options *options;
};

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
  case ARGP_KEY_END:
    if (options->help || options->usage || options->path_count >= parse->grammar->least) return 0;
    argp_error(state, "too few arguments: %s is needed", parse->grammar->usage);
    return EINVAL;
  default: return ARGP_ERR_UNKNOWN;
  }
}

/* The options proper; shared by the parents' and the children's lists. */
static error_t parse_flag(int key, char *text, struct argp_state *state) {
  struct options *options = ((struct parse *)state->input)->options;
  switch (key) {
  case 'o': options->output = text; return 0;
  case 'h': options->help = true; return 0;
  case KEY_USAGE: options->usage = true; return 0;
  case KEY_VARIANT: options->variant = strcmp(text, "auto") == 0 ? NULL : text; return 0;
  case KEY_LAYOUT: options->layout = text; return 0;
  case KEY_TO: options->to = text; return 0;
  case KEY_JSON: options->json = true; return 0;
  case KEY_PROGRESS: options->progress = true; return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

/* A whole number from `least` on; complains otherwise. */
static error_t parse_whole(struct argp_state *state, const char *text, int64_t least, int64_t most,
                           int64_t *value) {
  char *end = NULL;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (end == text || *end || errno || number < least || number > most) {
    argp_error(state, "`%s' is no whole number from %lld to %lld", text, (long long)least,
               (long long)most);
    return EINVAL;
  }
  *value = number;
  return 0;
}

static error_t parse_int(struct argp_state *state, const char *text, int least, int *value) {
  int64_t number = 0;
  error_t error = parse_whole(state, text, least, INT_MAX, &number);
  *value = (int)number;
  return error;
}

static error_t parse_time(struct argp_state *state, const char *text, double *value) {
  char *end = NULL;
  *value = strtod(text, &end);
  if (end != text && *end == 0 && *value >= 0 && isfinite(*value)) return 0;
  argp_error(state, "`%s' is no time from 0 on", text);
  return EINVAL;
}

static error_t parse_ports(struct argp_state *state, const char *text, struct options *options) {
  options->ports = strcmp(text, "one") == 0 ? HYLA_ONE_PORT : HYLA_ALL_PORTS;
  options->ports_given = true;
  if (strcmp(text, "one") == 0 || strcmp(text, "all") == 0) return 0;
  argp_error(state, "`%s' is neither one nor all", text);
  return EINVAL;
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
  argp_error(state, "`%s' is no size such as 16x16", text);
  return EINVAL;
}

static error_t parse_type(struct argp_state *state, const char *text, hyla_type *type) {
  static const char names[] = "sdcz"; /* in the order of hyla_type */
  const char *place = strlen(text) == 1 ? strchr(names, *text) : NULL;
  if (!place) {
    argp_error(state, "`%s' is none of the types s, d, c, z", text);
    return EINVAL;
  }
  *type = (hyla_type)(place - names);
  return 0;
}

/* The options of layout. */
static error_t parse_layout(int key, char *text, struct argp_state *state) {
  struct options *options = ((struct parse *)state->input)->options;
  enum { CODES_MOST = 10 };
  int64_t codes = 0;
  error_t error = 0;
  switch (key) {
  case KEY_SIZE: return parse_size(state, text, options);
  case KEY_TYPE: return parse_type(state, text, &options->type);
  case KEY_NRHS: return parse_whole(state, text, 1, INT_MAX, &options->nrhs);
  case KEY_RANKS: return parse_int(state, text, 1, &options->ranks);
  case KEY_SVG: options->svg = text; return 0;
  case KEY_CODES:
    error = parse_whole(state, text, 1, CODES_MOST, &codes);
    options->codes = (int)codes;
    return error;
  default: return parse_flag(key, text, state);
  }
}

/* The options of simulate and bench. */
static error_t parse_collective(int key, char *text, struct argp_state *state) {
  struct options *options = ((struct parse *)state->input)->options;
  hyla_collective *c = &options->collective;
  switch (key) {
  case KEY_NAME: c->name = text; return 0;
  case KEY_WORDS: return parse_whole(state, text, 0, INT64_MAX / 8, &c->words);
  case KEY_ROOT: return parse_int(state, text, 0, &c->root);
  case KEY_DISTANCE: return parse_int(state, text, 1, &c->distance);
  case KEY_ACTIVE: return parse_int(state, text, 1, &c->active);
  case KEY_ALPHA: options->times_given = true; return parse_time(state, text, &c->alpha);
  case KEY_BETA: options->times_given = true; return parse_time(state, text, &c->beta);
  case KEY_GAMMA: options->times_given = true; return parse_time(state, text, &options->gamma);
  case KEY_DRY: options->dry = true; return 0;
  case KEY_MACHINE: options->machine = text; return 0;
  case KEY_DIMS: return parse_int(state, text, 0, &options->dims);
  case KEY_PORTS: return parse_ports(state, text, options);
  case KEY_REPEAT: return parse_int(state, text, 1, &options->repeat);
  default: return parse_layout(key, text, state);
  }
}

bool options_parse(const struct grammar *grammar, int argc, char **argv, int rank,
                   struct options *options) {
  *options = (struct options){.collective = {.words = 1000},
                              .type = HYLA_DOUBLE,
                              .nrhs = 1,
                              .ranks = 4,
                              .dims = 4,
                              .repeat = 5};
  const struct argp all = {.options = options_of_all, .parser = parse_flag};
  const struct argp extra = {.options = grammar->extra, .parser = parse_collective};
  const struct argp_child children[] = {{.argp = &all}, {.argp = &extra}, {0}};
  const struct argp argp = {.parser = parse_option,
                            .args_doc = grammar->usage,
                            .doc = grammar->text,
                            .children = children};
  struct parse parse = {grammar, options};
  unsigned flags = ARGP_NO_EXIT | ARGP_NO_HELP | (rank == 0 ? 0 : ARGP_NO_ERRS);
  if (argp_parse(&argp, argc, argv, flags, NULL, &parse)) return false;
  options->collective.variant = options->variant;
  const unsigned help = ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC;
  if (rank == 0 && options->help) argp_help(&argp, stdout, help, argv[0]);
  if (rank == 0 && options->usage) argp_help(&argp, stdout, ARGP_HELP_USAGE, argv[0]);
  return true;
}
