/* The command `hyla`: what its files share.
 *
 * Every rank parses the same arguments and gets the same status from every
 * collective call, so all ranks take the same way and return the same exit
 * code without asking one another; rank 0 alone speaks.  Where a rank is stopped or lost
 * nothing can be agreed upon, and one that is left speaks and ends the job.
 *
 * Exit codes: 0 done and within tolerance; 1 numerical failure (singular, not
 * finite, residual too large); 2 anything else (wrong use, bad input, no
 * memory, a failure of MPI).  hydra returns the bitwise OR over the ranks. */
#ifndef TOOL_H
#define TOOL_H 1

#include <argp.h>
#include <hyla_lab.h>
#include <jansson.h>
#include <stdio.h>

enum { EXIT_DONE = 0, EXIT_NUMERICAL = 1, EXIT_USE = 2 };

/* Residuals above this are wrong answers (as in HPL). */
#define RESIDUAL_LIMIT 16.0

/* -------------------------------------------------------------- options -- */

/* What the command line says; texts point into argv, and the collective to its own numbers. */
enum { NUMBERS_MOST = 1024, EMBED_GRAPH = 64, EMBED_BLOCKS };
enum { SIZE_MOST = HYLA_EMBED_AXES }; /* numbers of a size */
struct options {
  const char *paths[2]; /* NULL: not given */
  int path_count;
  const char *output;                 /* NULL: nothing is written */
  const char *lower, *upper, *pivots; /* of factor: likewise */
  bool force;                         /* also over an input, and what cannot be trusted */
  const char *layout;                 /* NULL: the default layout */
  const char *to;                     /* the layout to come; NULL: as the subcommand has it */
  const char *variant;                /* NULL: chosen */
  bool explain;                       /* all that is known in place of the short report */
  bool json;
  bool progress; /* also when standard error is no terminal */
  bool help, usage;
  hyla_collective collective; /* of simulate and bench */
  int tags[NUMBERS_MOST];     /* of it, as many as it says */
  int which[NUMBERS_MOST];    /* likewise; or the nodes of `blocks' blocks that are embedded */
  int blocks;
  int dims;
  hyla_ports ports;
  bool ports_given;
  int repeat;
  const char *sizes, *lengths; /* as given, of matrices and messages; NULL: none */
  int64_t size[SIZE_MOST];     /* M, N, K of the one at hand, or sides, as many as given */
  int size_count;
  hyla_type type;
  int64_t nrhs;
  int64_t band;            /* its width; -1: no band */
  const char *machine;     /* NULL: the environment's */
  const char *wisdom;      /* likewise */
  const char *collectives; /* variants of collectives that are asked for; likewise */
  bool measure;
  bool verify;
  bool reproducible;      /* or as the environment has it, once there is a cube */
  const char *checkpoint; /* likewise; NULL: none */
  double every;
  bool every_given;
  double gamma;     /* of simulate, beside the collective's alpha and beta */
  bool times_given; /* alpha, beta or gamma */
  bool dry;
  const char *product; /* of multiply */
  hyla_method method;
  bool method_given;
  bool triangular; /* in place of a method, of solve */
  hyla_refinement refinement;
  bool equilibrate;
  bool quick; /* the residual alone judges */
  hyla_side side;
  hyla_triangle triangle;
  hyla_operation op; /* of trmm, trsm and, transposed or not, of syrk, herk */
  hyla_diagonal diagonal;
  hyla_scalar factor;   /* what B is scaled by */
  bool conjugate;       /* of transpose */
  hyla_operation by;    /* of turn */
  uint64_t given;       /* which of the options, a bit each */
  int ranks;            /* of explain */
  int64_t memory;       /* bytes a rank may take, of explain; 0: not given */
  const char *svg;      /* of layout and simulate */
  const char *trace;    /* of simulate */
  const char *cube_svg; /* likewise */
  const char *schedule; /* likewise; "-": standard output */
  int codes;
  bool bound; /* of explain, of collectives */
  bool phases;
  int embedding;        /* a kind, the library's or one of these; -1: none */
  const char *embedded; /* of what, as given behind the kind; NULL: nothing */
  bool closed;          /* of a mesh that is embedded */
  int64_t seed;
  bool list;
};

/* What a subcommand takes. */
enum { OPTION_LISTS = 8 };
struct grammar {
  const char *usage;                             /* of the arguments, "A.mtx [B.mtx]" */
  const char *text;                              /* what it does, for --help; after \v: details */
  const char *product;                           /* without --as; NULL: paths[0] is the operation */
  const struct argp_option *lists[OPTION_LISTS]; /* beyond --json and --help */
  int least, most;                               /* how many paths */
  bool sizes, lengths;                           /* --size, --words may give several */
  bool sides;                                    /* --size may be of more than three numbers */
};

/* Lists of options, which subcommands put together. */
extern const struct argp_option options_of_all[];
extern const struct argp_option options_of_files[];
extern const struct argp_option options_of_multiply[];
extern const struct argp_option options_of_triangles[];
extern const struct argp_option options_of_systems[];
extern const struct argp_option options_of_wisdom[];
extern const struct argp_option options_of_factors[];
extern const struct argp_option options_of_methods[];
extern const struct argp_option options_of_refinement[];
extern const struct argp_option options_of_parts[];
extern const struct argp_option options_of_bits[];
extern const struct argp_option options_of_states[];
extern const struct argp_option options_of_target[];
extern const struct argp_option options_of_types[];
extern const struct argp_option options_of_transpose[];
extern const struct argp_option options_of_turn[];
extern const struct argp_option options_of_progress[];
extern const struct argp_option options_of_report[];
extern const struct argp_option options_of_problems[];
extern const struct argp_option options_of_simulate[];
extern const struct argp_option options_of_bench[];
extern const struct argp_option options_of_explain[];
extern const struct argp_option options_of_layout[];
extern const struct argp_option options_of_machine[];
extern const struct argp_option options_of_generate[];

/* Fills options from argv[0 ... argc-1], argv[0] being "hyla solve".  Returns
 * false on wrong use, of which rank 0 has then told; prints --help on rank 0. */
bool options_parse(const struct grammar *grammar, int argc, char **argv, int rank,
                   struct options *options);

/* The whole text on a subcommand, on standard output: all options and what is to be known. */
void options_print_all(const struct grammar *grammar, const char *name);

/* Takes the i-th of several sizes, or lengths of messages, from 0; false beyond the last. */
bool options_size(struct options *options, int i);
bool options_length(struct options *options, int i);

/* --------------------------------------------------------------- a run -- */

/* Parts of a run; each may come several times.  read: with a look at what was read; memory: all
 * that is planned and taken before the work. */
enum stage { STAGE_START, STAGE_MEMORY, STAGE_READ, STAGE_SOLVE, STAGE_JUDGE, STAGE_WRITE, STAGES };
struct stages {
  enum stage now;
  double since;
  double seconds[STAGES]; /* of those that have ended */
};

/* What a subcommand works on. */
struct run {
  const char *name; /* "hyla solve", for messages */
  int rank;
  int ranks;
  bool silent; /* another rank speaks */
  struct options options;
  hyla_cube *cube;
  struct ticker *ticker;
  struct patience *patience;
  struct stages stages;
};

/* Local.  The run's first stage began with the process; the stage at hand ends and the next one
 * begins; on rank 0, which stages took how long: a line of the report, an object in JSON. */
void stages_start(struct run *run);
void stage_begin(struct run *run, enum stage stage);
void stages_print(const struct run *run);
void stages_json(const struct run *run, json_t *json);

/* The subcommands, one file each.  All ranks call them alike. */
int tool_solve(struct run *run);
int tool_factor(struct run *run);
int tool_invert(struct run *run);
int tool_trsm(struct run *run);
int tool_multiply(struct run *run);
int tool_convert(struct run *run);
int tool_transpose(struct run *run);
int tool_turn(struct run *run);
int tool_info(struct run *run);
int tool_simulate(struct run *run);
int tool_bench(struct run *run);
int tool_simulate_collective(struct run *run);
/* explain collective --phases. */
int explain_phases(const struct run *run, const hyla_machine *machine, int dims);
int tool_explain(struct run *run);
int tool_bench_collective(struct run *run);
int tool_layout(struct run *run);
int tool_machine(struct run *run);
int tool_generate(struct run *run);

extern const struct grammar solve_grammar, factor_grammar, invert_grammar, trsm_grammar,
    multiply_grammar, convert_grammar, transpose_grammar, turn_grammar, info_grammar,
    simulate_grammar, bench_grammar, layout_grammar, machine_grammar, explain_grammar,
    generate_grammar;

/* A subcommand; the i-th of all, NULL beyond the last. */
struct subcommand {
  const char *name;
  const char *text;
  const struct grammar *grammar;
  int (*work)(struct run *run);
};
const struct subcommand *subcommand_at(int i);

/* Local, on rank 0, on standard output.  The short text of `hyla SUBCOMMAND --help`, within
 * 24 lines of 80 columns where the options allow; all that is known of a topic, false where there
 * is none of that name; the script that completes command lines in bash or zsh, likewise. */
void help_short(const char *name, const struct grammar *grammar);
bool help_topic(const char *topic, bool speaks);
bool print_completion(const char *shell);

/* " (did you mean `solve'?)", or "" where none of the names, which end with NULL, is near. */
enum { MEANT_TEXT = 80 };
const char *meant_text(const char *word, const char *const *names, char text[MEANT_TEXT]);

/* A paragraph on standard output, wrapped to 80 columns: a label, and the lines under each other
 * beside it; NULL: without the column of labels. */
void print_paragraph(const char *label, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The rank that speaks: one line on standard error, "hyla solve: ...". */
void tell(const struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The whole text of hyla_cube_describe, hyla_plan_explain, for the caller to free; NULL: no memory.
 */
char *tool_describe(const hyla_cube *cube);
char *tool_explain_plan(const hyla_plan *plan);

/* The value after "key: " in describe's text, "" if there is none. */
const char *tool_lookup(const char *description, const char *key, char *value, size_t capacity);

/* Local.  Has a launcher started this process and others beside it, as far as it says? */
bool is_launched_with_others(void);
/* Before MPI and any thread: where all ranks are on one machine MPI's hwloc looks for no devices,
 * which takes longer than all else of its start, unless the environment tells it what to do. */
void start_light(void);
/* Collective.  Have all ranks the same words on their command line?  Where not, or where they could
 * not be asked: the message. */
hyla_status words_agree(int argc, char **argv, char *why, size_t capacity);

/* First of all: standard input, output and error that are closed become /dev/null, and files that
 * grow too large (ulimit -f) make writing fail and no more. */
void surroundings_prepare(void);

/* From now on SIGTERM and SIGINT remove files that are not complete, before they end this rank. */
void interrupt_prepare(void);

/* The machine that a simulation is asked for: that of the options, or that of these ranks, of which
 * the links of a cube are then simulated; with the options' ports.  Collective. */
hyla_status tool_machine_simulated(struct run *run, hyla_machine *machine);
/* "cube, all ports, store"; "switch". */
const char *tool_network(const hyla_machine *machine, char text[48]);
const char *ports_name(hyla_ports ports);
const char *switching_name(hyla_switching switching);

/* Seconds since some moment. */
double tool_clock(void);

/* ------------------------------------------------------------- progress -- */

/* Shows what is being done, how far it is and how long it will take, on rank 0's standard error,
 * once it takes more than a second: when that is a terminal or --progress is given.
 * A thread of its own; makes no MPI calls. */
struct ticker;
struct ticker *ticker_start(bool wanted);
/* What is being done from now on; a static text. */
void ticker_phase(struct ticker *ticker, const char *phase);
/* The same of a phase that computes on the cube until ticker_phase or ticker_stop is called again:
 * so many operations of this rank, in so many seconds as predicted; 0: not known. */
void ticker_work(struct ticker *ticker, const char *phase, const hyla_cube *cube, double operations,
                 double seconds);
/* Erases the line; ends the thread; sets *ticker to NULL. */
void ticker_stop(struct ticker **ticker);

/* --------------------------------------------------------------- memory -- */

/* Says that there is none and ends the job. */
_Noreturn void memory_end(void);
/* malloc, which does so where it fails. */
void *memory_take(size_t bytes);
/* From now on jansson takes its memory so. */
void memory_watch(void);

/* --------------------------------------------------------------- result -- */

/* What was sent: each the largest over the ranks.  Words are matrix entries;
 * index `dims` of the lists stands for ranks that are no neighbours. */
struct counts {
  int64_t steps, messages, words;
  int64_t dim_messages[HYLA_DIMS_MAX + 1];
  int64_t dim_words[HYLA_DIMS_MAX + 1];
};

/* What solve, multiply, convert, transpose and turn report.  -1 and NULL: does not apply. */
struct result {
  const char *op;
  const char *product; /* of multiply: which operation it is */
  hyla_status status;
  int exit_code;
  char message[512];
  const char *method; /* of a solution */
  char why[256];      /* it is this one; "": it is no solution */
  const char *variant;
  char *reason;
  json_t *plan; /* the same as data */
  hyla_type type;
  int64_t m, n, k, nrhs;
  hyla_layout layout;
  char layout_from[HYLA_LAYOUT_TEXT]; /* of what was moved; "": nothing was */
  double seconds, seconds_read;       /* the median where it was repeated; -1: nothing was read */
  int repeat;
  double seconds_least, seconds_most; /* of several */
  const double *each;                 /* of these, one a run, in order; NULL: not kept */
  double limit;                       /* 10^9 operations a second; 0: not measured */
  double fraction_best;               /* of the limit, both at their best */
  double copy;                        /* seconds of a copy, of moves; 0: not measured */
  double ratio_best;                  /* to it, both at their best */
  int chosen;                         /* by the planner; -1: does not apply */
  double flops;
  bool finished; /* what follows is known */
  hyla_cost predicted;
  double seconds_predicted;
  struct counts counted;
  double residual;
  const char *check; /* how it was found, where that has a name */
  bool has_error;
  double error; /* forward error */
  int64_t pivot;
  bool has_report; /* of solve */
  hyla_solve_report report;
  bool vector; /* what is written has one dimension, as what was read */
  const char *written;
};

void result_init(struct result *result, const char *op);
void result_free(struct result *result);

/* What a plan says of itself: variant, reason, prediction. */
void result_plan(struct result *result, const hyla_plan *plan);

/* Sets the message of wrong input, the same on every rank; returns ARGUMENT. */
hyla_status result_refuse(struct result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The run that the plan predicts begins: shown as a phase of that name. */
void result_begin(struct run *run, const struct result *result, const char *phase);

/* Takes the ledger into result->counted.  Collective. */
hyla_status result_count(struct run *run, struct result *result);

/* What was counted, and in brackets what was predicted where that is not the same. */
const char *count_text(int64_t counted, int64_t predicted, char text[48]);

/* Closes the result with the status of the work: judges the residual and, of solve, the report;
 * writes `answer` when --output is given and all is well or, of solve, --force is; fixes exit
 * code and message.  Collective. */
void result_finish(struct run *run, struct result *result, hyla_status status,
                   const hyla_matrix *answer);

/* States of factorizations, once something has become of one (hyla_checkpoints).  check: --every
 * belongs to --checkpoint.  On rank 0: a line of the report; lines on standard error of what failed
 * and of other matrices' states; the same in a JSON object, as "states". */
hyla_status states_check(const struct run *run, struct result *result);
void states_print(const struct run *run);
void states_tell(const struct run *run);
void states_json(const struct run *run, json_t *json);

/* Checks of results, once one was made (hyla_faults).  On rank 0: a line of the report; one on
 * standard error of what was wrong and is right now; the same in a JSON object, as "faults". */
void faults_print(const struct run *run);
void faults_tell(const struct run *run);
void faults_json(const struct run *run, json_t *json);

/* Rank 0: prints the result as text or JSON, the message on standard error.
 * Returns the exit code. */
int result_print(const struct run *run, const struct result *result);

/* Matrices by their sizes. */
struct extent {
  int64_t rows, cols;
};
/* Is there room for all of these at the same time?  Asked before the first one is read, which may
 * take long.  In the layout of the command line.  Collective. */
hyla_status tool_afford(struct run *run, hyla_type type, int count, const struct extent *extents);

/* Reads a matrix in a layout, NULL: that of the command line.  Collective. */
hyla_status tool_read(struct run *run, const char *path, const hyla_layout *layout,
                      hyla_matrix **matrix);

/* On one rank: hyla_text_write, and the message where it fails; an exit code. */
int write_whole(const struct run *run, const char *path, hyla_text_writer *write, const void *arg);

/* Can --output be written, and is it no input?  Asked before the work.  Collective. */
hyla_status tool_check_output(struct run *run, struct result *result);
/* The same for the file of an option, NULL: not given; vector: .npy alone. */
hyla_status tool_check_file(struct run *run, const char *option, const char *path, bool vector,
                            struct result *result);

/* How a system is solved. */
struct way {
  bool found; /* by what A is, and not asked for */
  bool triangular;
  hyla_triangle triangle;
  int64_t zero;       /* of the diagonal of a triangle, the first one from 1; 0: none */
  hyla_method method; /* unless it is triangular */
};
/* The way that was asked for, or else the one that A's structure tells, with the reason in
 * result->why; collective.  ARGUMENT where A is to be triangular and is not. */
hyla_status structure_find(struct run *run, const hyla_matrix *a, struct result *result,
                           struct way *way);
/* Collective.  ARGUMENT where the options' method reads one triangle of a Hermitian matrix, and A
 * is none; adds to result->why where it is one but for rounding. */
hyla_status structure_require(struct run *run, const hyla_matrix *a, struct result *result);
/* Adds to the reason that Cholesky's method failed at result->pivot. */
void structure_indefinite(struct result *result);

/* Every variant that a plan was chosen from, and its own plans in the same way; the caller's. */
json_t *plan_json(const hyla_plan *plan);
/* Where and when: host, date, version, libraries, ranks; the caller's. */
json_t *context_json(const struct run *run);
/* The times of single runs, in their order. */
json_t *times_json(const double *seconds, int count);
/* One line of JSON on standard output; releases json. */
void json_line(json_t *json);
/* The result as an object. */
json_t *result_json(const struct run *run, const struct result *result);

const char *type_name(hyla_type type);
size_t type_size(hyla_type type);
bool type_complex(hyla_type type);
/* The narrowest that holds the entries of both. */
hyla_type type_common(hyla_type a, hyla_type b);

#endif
