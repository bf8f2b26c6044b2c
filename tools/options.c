/* The command line of a subcommand, with glibc's argp.  All ranks parse; only
 * rank 0 prints, and nobody exits here, because MPI has to be finalized. */
#include "tool.h"

#include <stdio.h>
#include <string.h>

enum { KEY_VARIANT = 256, KEY_LAYOUT, KEY_JSON, KEY_PROGRESS, KEY_USAGE };

static const struct argp_option options_of_all[] = {
    {"json", KEY_JSON, NULL, 0, "Print one JSON object on standard output", 10},
    {"help", 'h', NULL, 0, "Print this text", 10},
    {"usage", KEY_USAGE, NULL, 0, "Print the usage in short", 10},
    {0}};

const struct argp_option options_of_matrices[] = {
    {"output", 'o', "FILE", 0, "Write the result: .mtx (Matrix Market) or .npy (NumPy)", 1},
    {"variant", KEY_VARIANT, "NAME", 0,
     "Use this variant, as `hyla info' lists them; auto (the default) picks the fastest that "
     "applies",
     2},
    {"layout", KEY_LAYOUT, "LAYOUT", 0,
     "How matrices lie on the cube: CODE/STORAGE[:BLOCK][@RxC], as in gray/cyclic:64@2x4, with "
     "CODE binary or gray, STORAGE consecutive or cyclic; one for rows and columns or two, "
     "separated by a comma",
     2},
    {"progress", KEY_PROGRESS, NULL, 0,
     "Show what is being done on standard error also when that is no terminal (under mpiexec it "
     "never is)",
     3},
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
  case KEY_JSON: options->json = true; return 0;
  case KEY_PROGRESS: options->progress = true; return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

bool options_parse(const struct grammar *grammar, int argc, char **argv, int rank,
                   struct options *options) {
  *options = (struct options){0};
  const struct argp all = {.options = options_of_all, .parser = parse_flag};
  const struct argp extra = {.options = grammar->extra, .parser = parse_flag};
  const struct argp_child children[] = {{.argp = &all}, {.argp = &extra}, {0}};
  const struct argp argp = {.parser = parse_option,
                            .args_doc = grammar->usage,
                            .doc = grammar->text,
                            .children = children};
  struct parse parse = {grammar, options};
  unsigned flags = ARGP_NO_EXIT | ARGP_NO_HELP | (rank == 0 ? 0 : ARGP_NO_ERRS);
  if (argp_parse(&argp, argc, argv, flags, NULL, &parse)) return false;
  const unsigned help = ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC;
  if (rank == 0 && options->help) argp_help(&argp, stdout, help, argv[0]);
  if (rank == 0 && options->usage) argp_help(&argp, stdout, ARGP_HELP_USAGE, argv[0]);
  return true;
}
