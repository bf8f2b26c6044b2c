/* hyla: dense linear algebra on MPI ranks seen as a Boolean cube.  This file finds the subcommand,
 * starts and ends MPI and the cube, and sets the exit code; each subcommand has a file of its
 * own. */
#include "network.h"
#include "operation.h"
#include "script.h"
#include "speaker.h"
#include "watchdog.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct subcommand subcommands[] = {
    {"solve", "solve A X = B and check the residual", &solve_grammar, tool_solve},
    {"factor", "factor a matrix; its determinant and condition", &factor_grammar, tool_factor},
    {"det", "the determinant of a matrix", &det_grammar, tool_det},
    {"cond", "estimate the condition of a matrix", &cond_grammar, tool_cond},
    {"norm", "the norms of a matrix", &norm_grammar, tool_norm},
    {"invert", "invert a matrix and check the inverse", &invert_grammar, tool_invert},
    {"eig", "eigenvalues and vectors of a Hermitian matrix", &eig_grammar, tool_eig},
    {"svd", "singular values and vectors of a matrix", &svd_grammar, tool_svd},
    {"lstsq", "least squares: the X of least norm with the least |A X - B|", &lstsq_grammar,
     tool_lstsq},
    {"lowrank", "a matrix by few columns, A = Q B nearly", &lowrank_grammar, tool_lowrank},
    {"trsm", "solve a triangular system and check it", &trsm_grammar, tool_trsm},
    {"multiply", "compute C = A B, or another product, and check it", &multiply_grammar,
     tool_multiply},
    {"transpose", "transpose a matrix and check every bit", &transpose_grammar, tool_transpose},
    {"turn", "turn a matrix by a quarter or a half, check every bit", &turn_grammar, tool_turn},
    {"convert", "bring a matrix into another layout and check every bit", &convert_grammar,
     tool_convert},
    {"generate", "make a matrix whose properties are known", &generate_grammar, tool_generate},
    {"simulate", "an operation on a virtual cube: exact counts, virtual time", &simulate_grammar,
     tool_simulate},
    {"bench", "time an operation on these ranks", &bench_grammar, tool_bench},
    {"explain", "which variant, why, predicted cost, why not the others", &explain_grammar,
     tool_explain},
    {"machine", "measure these ranks, write a machine file", &machine_grammar, tool_machine},
    {"layout", "show which node of a cube owns which entry", &layout_grammar, tool_layout},
    {"info", "version, libraries, variants; or facts of a matrix", &info_grammar, tool_info},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

/* hyla plot of a matrix; of records it is a script, which usage and help are about. */
static const struct subcommand matrix_plot = {"plot", "draw the magnitudes of a matrix",
                                              &plot_grammar, tool_plot};

const struct subcommand *subcommand_at(int i) {
  return i >= 0 && i < SUBCOMMANDS ? &subcommands[i] : NULL;
}

/* Prints the usage: a line for each subcommand. */
static void print_usage(FILE *stream) {
  fprintf(stream, "Usage: mpiexec -n RANKS hyla SUBCOMMAND [ARGUMENT...]\n"
                  "Dense linear algebra on any number of ranks, 2^d of them as a Boolean cube.\n");
  for (int i = 0; i < SUBCOMMANDS; i++)
    fprintf(stream, "  hyla %-10s %s\n", subcommands[i].name, subcommands[i].text);
  script_usage(stream);
  fprintf(stream,
          "hyla SUBCOMMAND --help and hyla help [TOPIC] say more; hyla --version\n"
          "Exit status on every rank: 0 done, 1 numerical failure, 2 wrong use or input.\n");
}

void tell(const struct run *run, const char *format, ...) {
  if (run->silent || (run->ranks > 1 && is_told())) return;
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "%s: %s\n", run->name, line);
}

/* Ends the job on all ranks when one may be stopped or lost: MPI_Finalize would wait for it.  told:
 * rank 0 has printed the reason. */
static _Noreturn void end_job(struct run *run, const char *why, bool told) {
  bool speaks = take_turn(run->rank);
  if (speaks && !(run->rank == 0 && told)) fprintf(stderr, "%s: %s\n", run->name, why);
  fflush(NULL);
  abort_job();
}

/* Does the status mean that the ranks can no longer agree on anything? */
static bool is_cut(hyla_status status) {
  return status == HYLA_TIMEOUT || status == HYLA_COMMUNICATION || status == HYLA_BROKEN;
}

/* All ranks meet for the last time, so that none is missing in MPI_Finalize. */
static void meet(struct run *run) {
  char why[512];
  snprintf(why, sizeof why, "%s", hyla_cube_message(run->cube));
  hyla_status status = hyla_cube_barrier(run->cube);
  if (status == HYLA_BROKEN) end_job(run, why, true);
  if (is_cut(status)) end_job(run, hyla_cube_message(run->cube), false);
}

/* Ends this rank after all output.  OpenBLAS' threads may wait for memory for ever, and exit would
 * wait for them. */
static _Noreturn void leave_for_memory(struct run *run) {
  fflush(NULL);
  watchdog_wait(run->watchdog, "MPI_Finalize");
  MPI_Finalize();
  _Exit(EXIT_USE);
}

/* Finds the array that is the fastest for what a subcommand computes with its files, on a cube of
 * its own; "": that of the library.  A file that cannot be read is reported when it is read for
 * good. */
static hyla_status find_array(const struct subcommand *subcommand, struct run *run,
                              const hyla_options *options, char array[32]) {
  hyla_options plain = *options;
  plain.array = "cube";
  plain.trace = plain.wisdom = plain.checkpoint = NULL;
  array[0] = '\0';
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, &plain, &run->cube);
  if (!status) status = array_for_files(run, subcommand->work, array);
  if (is_cut(status)) return status;
  hyla_cube_destroy(&run->cube);
  return HYLA_OK;
}

/* Creates the cube.  Ranks that are no power of two lie on the array that is the fastest, unless
 * words ask for what may need a cube, as collectives do. */
static hyla_status create(const struct subcommand *subcommand, struct run *run,
                          hyla_options *options) {
  const struct options *words = &run->options;
  const bool cubic = words->collective.name && !options->network;
  const bool asked = words->variant || words->layout || words->to || cubic;
  char array[32] = "";
  hyla_status status = HYLA_OK;
  if (!options->array && !options->variant && !asked && works_on_files(subcommand->work) &&
      (run->ranks & (run->ranks - 1)) != 0)
    status = find_array(subcommand, run, options, array);
  if (status) return status;
  const char *given = options->array;
  if (!given) options->array = asked ? "cube" : array;
  status = hyla_cube_create(MPI_COMM_WORLD, options, &run->cube);
  options->array = given;
  return status;
}

/* The network of bench's collective.  Ranks that are no power of two all take part, unless words
 * ask for what only a cube has. */
static const char *network_of(const struct run *run) {
  const struct options *words = &run->options;
  const hyla_collective *c = &words->collective;
  const bool cubic = words->variant || words->collectives || c->distance || c->tags || c->phases ||
                     c->nearest || c->farthest || c->lost_count;
  hyla_network_variant row;
  if (words->network || (run->ranks & (run->ranks - 1)) == 0) return words->network;
  return c->name && !cubic && network_variant("ring:3", c->name, 0, &row) ? "all" : NULL;
}

/* Makes the cube, runs the subcommand, destroys the cube. */
static int work_on_cube(const struct subcommand *subcommand, struct run *run) {
  hyla_options options;
  hyla_options_init(&options);
  if (run->options.delimiter) options.delimiter = run->options.delimiter;
  if (run->options.wisdom) options.wisdom = run->options.wisdom;
  if (run->options.collectives) options.collective = run->options.collectives;
  if (run->options.measure) options.measure = true;
  if (subcommand->work == tool_bench && (run->options.network || !options.network))
    options.network = network_of(run);
  if (run->options.reproducible) options.reproducible = true;
  if (run->options.verify) options.check_results = options.check_messages = true;
  run->options.reproducible = options.reproducible;
  if (run->options.checkpoint) options.checkpoint = run->options.checkpoint;
  if (run->options.every_given) options.checkpoint_every = run->options.every;
  run->options.checkpoint = options.checkpoint;
  hyla_status status = create(subcommand, run, &options);
  if (status != HYLA_OK) {
    const char *text = hyla_cube_message(run->cube);
    char why[600];
    snprintf(why, sizeof why, "the cube cannot be made: %s",
             *text ? text : hyla_status_text(status));
    if (is_cut(status)) end_job(run, why, false);
    tell(run, "%s", why);
    hyla_cube_destroy(&run->cube);
    if (status == HYLA_MEMORY) leave_for_memory(run);
    return EXIT_USE;
  }
  if (run->rank == 0) run->ticker = ticker_start(run->options.progress, run->cube);
  stage_begin(run, STAGE_MEMORY);
  int code = subcommand->work(run);
  ticker_stop(&run->ticker);
  meet(run);
  if (options.trace && hyla_cube_write_trace(run->cube) != HYLA_OK && code == EXIT_DONE) {
    tell(run, "%s", hyla_cube_message(run->cube));
    code = EXIT_USE;
  }
  if (hyla_cube_destroy(&run->cube) != HYLA_OK && code == EXIT_DONE) code = EXIT_USE;
  return code;
}

static int run_subcommand(const struct subcommand *subcommand, int argc, char **argv,
                          struct run *run) {
  char name[32];
  snprintf(name, sizeof name, "hyla %s", subcommand->name);
  argv[0] = name;
  run->name = name;
  if (!options_parse(subcommand->grammar, argc, argv, run->rank, &run->options)) return EXIT_USE;
  if (run->options.help || run->options.usage) return EXIT_DONE;
  const char *const *paths = run->options.paths;
  if (paths[0] && paths[1] && strcmp(paths[0], "-") == 0 && strcmp(paths[1], "-") == 0) {
    tell(run, "standard input holds one matrix; give - once");
    return EXIT_USE;
  }
  if (standard_begin(run)) return work_on_cube(subcommand, run);
  tell(run, "standard output cannot be written");
  return EXIT_USE;
}

static void refuse_word(const char *word) {
  enum { SCRIPTS_MOST = 8 };
  const char *names[SUBCOMMANDS + SCRIPTS_MOST + 2] = {"help"};
  char meant[MEANT_TEXT];
  for (int i = 0; i < SUBCOMMANDS; i++) names[i + 1] = subcommands[i].name;
  for (int i = 0; i < SCRIPTS_MOST && script_name(i); i++)
    names[SUBCOMMANDS + 1 + i] = script_name(i);
  fprintf(stderr, "hyla: there is no subcommand `%s'%s; `hyla --help' lists them\n", word,
          meant_text(word, names, meant));
}

/* hyla help [TOPIC]; returns an exit code. */
static int run_help(int argc, char **argv, int rank) {
  bool known = argc <= 3;
  if (rank == 0 && argc == 2) print_usage(stdout);
  if (argc == 3) known = help_topic(argv[2], rank == 0);
  if (argc > 3 && rank == 0) fprintf(stderr, "hyla help: give one topic\n");
  return known ? EXIT_DONE : EXIT_USE;
}

static bool is_completion(int argc, char **argv) {
  return argc == 3 && strcmp(argv[1], "completion") == 0;
}

/* Makefiles and shells ask for completions and scripts, on machines where MPI may not start, so
 * these run before MPI.  One of several ranks must start MPI, because the others would wait for
 * it. */
static bool needs_no_ranks(int argc, char **argv) {
  return is_completion(argc, argv) || script_of(argc, argv) != NULL;
}

static int run_without_ranks(int argc, char **argv) {
  if (!is_completion(argc, argv)) return script_run(argc, argv);
  return print_completion(argv[2]) && fflush(stdout) == 0 ? EXIT_DONE : EXIT_USE;
}

/* Runs the subcommand that the first argument names. */
static int run_arguments(int argc, char **argv, struct run *run) {
  const int rank = run->rank;
  const char *word = argc > 1 ? argv[1] : "";
  if (needs_no_ranks(argc, argv)) {
    const char *script = script_of(argc, argv);
    tell(run, "%s needs no ranks; run it without mpiexec", script ? script : word);
    return EXIT_USE;
  }
  for (int i = 0; i < SUBCOMMANDS; i++)
    if (strcmp(word, subcommands[i].name) == 0)
      return run_subcommand(&subcommands[i], argc - 1, argv + 1, run);
  if (strcmp(word, matrix_plot.name) == 0)
    return run_subcommand(&matrix_plot, argc - 1, argv + 1, run);
  if (strcmp(word, "help") == 0) return run_help(argc, argv, rank);
  bool help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
  bool version = strcmp(word, "--version") == 0;
  if (rank == 0) {
    if (version)
      printf("hyla %s\n", hyla_version());
    else if (help)
      print_usage(stdout);
    else if (*word)
      refuse_word(word);
    else
      print_usage(stderr);
  }
  return help || version ? EXIT_DONE : EXIT_USE;
}

/* What asks for text alone: MPI would take nearly half of the time. */
static bool asks_for_text(int argc, char **argv) {
  static const char *const words[] = {"--help", "-h", "--version", "help"};
  if (argc < 2) return true;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(argv[1], words[i]) == 0) return true;
  return argc == 3 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "--usage") == 0);
}

/* The exit code, if all output could be written. */
static int end_output(int code) {
  const bool printed = fflush(stdout) == 0 && !ferror(stdout);
  if (printed || code != EXIT_DONE) return code;
  fprintf(stderr, "hyla: standard output cannot be written\n");
  return EXIT_USE;
}

/* Runs the arguments if they are the same on all ranks; returns an exit code. */
static int run_together(int argc, char **argv, struct run *run) {
  char why[512];
  hyla_status status = HYLA_OK;
  if (run->ranks > 1) status = words_agree(argc, argv, why, sizeof why);
  if (is_cut(status)) end_job(run, why, false);
  if (!status) return run_arguments(argc, argv, run);
  tell(run, "%s", why);
  return EXIT_USE;
}

/* Ends the job after MPI_Init, because the other ranks would wait for this one. */
static _Noreturn void lack_patience(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (take_turn(rank)) fprintf(stderr, "hyla: there is no room for a thread\n");
  abort_job();
}

int main(int argc, char **argv) {
  int provided = 0;
  struct watchdog watchdog;
  struct run run = {.name = "hyla", .ranks = 1, .watchdog = &watchdog};
  surroundings_prepare();
  stages_start(&run);
  if (needs_no_ranks(argc, argv) && !is_launched_with_others())
    return run_without_ranks(argc, argv);
  if (asks_for_text(argc, argv) && !is_launched_with_others())
    return end_output(run_arguments(argc, argv, &run));
  start_light();
  /* FUNNELED: the threads of the progress line and of the time limit never call MPI. */
  bool patient = watchdog_start(&watchdog);
  watchdog_wait(&watchdog, "MPI_Init");
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  watchdog_wait(&watchdog, NULL);
  if (!patient) lack_patience();
  interrupt_prepare();
  MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
  run.silent = run.rank != 0;
  memory_watch();
  const int code = end_output(run_together(argc, argv, &run));
  watchdog_wait(&watchdog, "MPI_Finalize");
  MPI_Finalize();
  watchdog_wait(&watchdog, NULL);
  exit(code); /* not return: watchdog's thread still uses main's stack */
}
