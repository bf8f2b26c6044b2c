/* The command `hyla`: declarations that its files share.
 *
 * Every rank parses the same arguments and gets the same status from every collective call.  So all
 * ranks take the same way and return the same exit code without asking each other; rank 0 alone
 * prints.  If a rank is stopped or lost nothing can be agreed upon, and one of the remaining ranks
 * prints and ends the job.
 *
 * Exit codes: 0 done and within tolerance; 1 numerical failure (singular, not finite, residual too
 * large); 2 anything else (wrong use, bad input, no memory, a failure of MPI).  hydra returns the
 * bitwise OR over the ranks. */
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

/* The command line.  Texts point into argv, the collective's arrays into this struct. */
enum { NUMBERS_MOST = 1024, EMBED_GRAPH = 64, EMBED_BLOCKS, EMBED_PATHS };
enum { SIZE_MOST = HYLA_EMBED_AXES }; /* numbers of a size */
struct options {
  const char *paths[2]; /* NULL: not given */
  int path_count;
  const char *output;                 /* NULL: nothing is written */
  const char *lower, *upper, *pivots; /* of factor; NULL: not written */
  const char *values;                 /* of eig and svd; NULL: not written */
  const char *left, *right;           /* of svd and lowrank; NULL: not written */
  hyla_eigen_options eigen;           /* of eig, without the variant */
  int pencil;                         /* of eig with two matrices: 1 to 3; 0: not given */
  bool no_vectors;
  hyla_svd_options singular;    /* of svd; --variant replaces its method */
  hyla_lstsq_options squares;   /* of lstsq, without the variant */
  hyla_lowrank_options lowrank; /* the same of lowrank, without the seed */
  int64_t rank;                 /* 0: not given */
  bool force;                   /* write over an input, and write untrusted answers */
  const char *delimiter;        /* of tables; NULL: the environment's */
  const char *layout;           /* NULL: the default layout */
  const char *to;               /* the target's layout; NULL: the subcommand's default */
  const char *variant;          /* NULL: chosen */
  bool explain;                 /* print everything instead of the short report */
  bool json;
  bool progress; /* even if standard error is no terminal */
  bool help, usage;
  hyla_collective collective; /* of simulate and bench */
  int tags[NUMBERS_MOST];     /* the collective's, as many as it says */
  int which[NUMBERS_MOST];    /* the collective's; or the nodes of `blocks' embedded blocks */
  int blocks;
  const char *network; /* of what is simulated, explained or shown; NULL: a cube */
  const char *array;   /* of nodes, as 2x3; NULL: the default */
  int counts[NUMBERS_MOST];
  int counts_given;
  hyla_lost_link lost[NUMBERS_MOST]; /* the collective's, as many as it says */
  int dims;
  hyla_ports ports;
  bool ports_given;
  int repeat;
  const char *sizes, *lengths; /* of matrices and messages, as given; NULL: none */
  int64_t size[SIZE_MOST];     /* M, N, K of the current one, or sides, as many as given */
  int size_count;
  hyla_type type;
  int64_t nrhs;
  int64_t band;                                         /* its width; -1: no band */
  int64_t dense[NUMBERS_MOST], dense_row[NUMBERS_MOST]; /* dense columns and rows of a matrix */
  int dense_columns, dense_rows;
  const char *machine;     /* NULL: the environment's */
  const char *wisdom;      /* NULL: the environment's */
  const char *collectives; /* forced variants of collectives; NULL: the environment's */
  bool measure;
  bool verify;
  bool reproducible;      /* also if the environment says so, once there is a cube */
  const char *checkpoint; /* also the environment's; NULL: none */
  double every;
  bool every_given;
  double gamma;     /* of simulate, beside the collective's alpha and beta */
  bool times_given; /* alpha, beta or gamma */
  bool dry;
  const char *product; /* of multiply */
  hyla_method method;
  bool method_given;
  bool triangular; /* of solve, instead of a method */
  hyla_refinement refinement;
  bool equilibrate;
  bool quick; /* only the residual is checked */
  bool full;  /* the true condition is found */
  hyla_side side;
  hyla_triangle triangle;
  hyla_operation op; /* of trmm and trsm; transposed or not, of syrk and herk */
  hyla_diagonal diagonal;
  hyla_scalar factor;    /* multiplies B */
  bool conjugate;        /* of transpose */
  hyla_operation by;     /* of turn */
  uint64_t given;        /* bits of the options that were given */
  bool for_scalapack;    /* of machine */
  const char *scalapack; /* its library; NULL: that of configure */
  double budget;         /* seconds */
  int ranks;             /* of explain */
  int64_t memory;        /* of explain: bytes that a rank may take; 0: not given */
  const char *svg;       /* of layout and simulate */
  const char *trace;     /* of simulate */
  const char *cube_svg;  /* of simulate */
  const char *schedule;  /* of simulate; "-": standard output */
  int codes;
  bool bound; /* of explain, for collectives */
  bool phases;
  int embedding;            /* a kind: the library's or EMBED_...; -1: none */
  const char *embedded;     /* the kind's argument as given; NULL: none */
  bool closed;              /* of an embedded mesh */
  int distances, exchanges; /* drawn networks of each size; 0: not asked for */
  const char *permutations;
  int64_t seed;
  bool list;
  const char *scheme; /* of simulate traffic; NULL: none */
  int buffers;
  double access;
  hyla_traffic_pattern pattern;
  int64_t slots;
  double load;
  int64_t packets; /* of a block in a sweep */
  double prefix;
  double retry;
  bool whole;
};

/* The arguments and options that a subcommand takes. */
enum { OPTION_LISTS = 8 };
struct grammar {
  const char *usage;                             /* of the arguments, "A.mtx [B.mtx]" */
  const char *text;                              /* what it does, for --help; after \v: details */
  const char *product;                           /* default of --as; NULL: paths[0] names it */
  const struct argp_option *lists[OPTION_LISTS]; /* besides --json and --help */
  int least, most;                               /* number of paths */
  bool sizes, lengths;                           /* --size, --words take several */
  bool sides;                                    /* --size takes more than three numbers */
};

/* Lists of options, from which subcommands are composed. */
extern const struct argp_option options_of_all[];
extern const struct argp_option options_of_files[];
extern const struct argp_option options_of_input[];
extern const struct argp_option options_of_plot[];
extern const struct argp_option options_of_multiply[];
extern const struct argp_option options_of_spectra[], options_of_singular[];
extern const struct argp_option options_of_squares[], options_of_lowrank[];
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
extern const struct argp_option options_of_traffic[];
extern const struct argp_option options_of_bench[];
extern const struct argp_option options_of_explain[];
extern const struct argp_option options_of_layout[];
extern const struct argp_option options_of_machine[];
extern const struct argp_option options_of_generate[];

/* Fills options from argv[0 ... argc-1], with argv[0] as "hyla solve".  Prints --help on rank 0.
 * Returns false on wrong use, after rank 0 has printed a message. */
bool options_parse(const struct grammar *grammar, int argc, char **argv, int rank,
                   struct options *options);

/* Prints the whole text on a subcommand on standard output: all options and explanations. */
void options_print_all(const struct grammar *grammar, const char *name);

/* Takes the i-th of several sizes, or message lengths, from 0; false beyond the last. */
bool options_size(struct options *options, int i);
bool options_length(struct options *options, int i);

/* --------------------------------------------------------------- a run -- */

/* Stages of a run; each may come several times.  read: includes looking at what was read.  memory:
 * all planning and allocation before the work. */
enum stage { STAGE_START, STAGE_MEMORY, STAGE_READ, STAGE_SOLVE, STAGE_JUDGE, STAGE_WRITE, STAGES };
struct stages {
  enum stage now;
  double since;
  double seconds[STAGES]; /* of the finished ones */
};

/* The state of a subcommand. */
struct run {
  const char *name; /* "hyla solve", for messages */
  int rank;
  int ranks;
  bool silent; /* another rank speaks */
  struct options options;
  hyla_cube *cube;
  struct ticker *ticker;
  struct watchdog *watchdog;
  struct stages stages;
  int matrix_out; /* -o -: the other descriptor of standard_swap; 0: none */
  char idle[128]; /* why ranks are idle, on rank 0; "": as the cube says */
};

/* Local.  start: the run's first stage began with the process.  begin: ends the current stage and
 * begins another.  print, json: on rank 0, the stages' times as a line of the report or a JSON
 * object. */
void stages_start(struct run *run);
void stage_begin(struct run *run, enum stage stage);
void stages_print(const struct run *run);
void stages_json(const struct run *run, json_t *json);

/* The subcommands, one file each.  All ranks make the same call. */
int tool_solve(struct run *run);
int tool_factor(struct run *run);
int tool_invert(struct run *run);
int tool_eig(struct run *run);
int tool_svd(struct run *run);
int tool_lowrank(struct run *run);
int tool_lstsq(struct run *run);
int tool_trsm(struct run *run);
int tool_multiply(struct run *run);
int tool_convert(struct run *run);
int tool_transpose(struct run *run);
int tool_turn(struct run *run);
int tool_det(struct run *run);
int tool_cond(struct run *run);
int tool_norm(struct run *run);
int tool_plot(struct run *run);
int tool_info(struct run *run);
/* hyla info of a file. */
int tool_info_file(struct run *run);
int tool_simulate(struct run *run);
int tool_bench(struct run *run);
int tool_simulate_collective(struct run *run);
int tool_simulate_traffic(struct run *run);
/* Print what broadcasts in periods brought. */
void broadcasts_print(const hyla_traffic *traffic, const hyla_traffic_result *result);
void broadcasts_json(const hyla_traffic *traffic, const hyla_traffic_result *result);
/* explain collective --phases. */
int explain_phases(const struct run *run, const hyla_machine *machine, int dims);
/* explain collective --network. */
int explain_on_network(const struct run *run, const hyla_machine *machine);
/* explain collective --load. */
int explain_under_load(const struct run *run, const hyla_machine *machine, int dims);
/* For explain_on_network.  drawn: can the network be drawn, as an array or torus of one or two
 * axes? write: writes the schedule and the picture that the options ask for; an exit code. */
bool network_drawn(const char *network);
int network_write(const struct run *run, const hyla_collective *collective, const int64_t *counts,
                  const char *variant, int nodes);
int tool_explain(struct run *run);
int tool_bench_collective(struct run *run);
int tool_layout(struct run *run);
int tool_machine(struct run *run);
/* hyla machine --scalapack. */
int tool_machine_scalapack(struct run *run);
int tool_generate(struct run *run);

extern const struct grammar solve_grammar, factor_grammar, invert_grammar, eig_grammar, svd_grammar,
    lstsq_grammar, lowrank_grammar, trsm_grammar, multiply_grammar, det_grammar, cond_grammar,
    norm_grammar, convert_grammar, transpose_grammar, turn_grammar, info_grammar, simulate_grammar,
    bench_grammar, layout_grammar, machine_grammar, explain_grammar, generate_grammar, plot_grammar;

/* A subcommand; the i-th of all, NULL beyond the last. */
struct subcommand {
  const char *name;
  const char *text;
  const struct grammar *grammar;
  int (*work)(struct run *run);
};
const struct subcommand *subcommand_at(int i);

/* Local; rank 0 prints on standard output.  help_short: the short text of `hyla SUBCOMMAND --help`,
 * within 24 lines of 80 columns if the options allow it.  help_topic: all about a topic; false if
 * it does not exist.  print_completion: the script that completes command lines in bash or zsh;
 * false for another shell. */
void help_short(const char *name, const struct grammar *grammar);
bool help_topic(const char *topic, bool speaks);
bool print_completion(const char *shell);

/* Writes " (did you mean `solve'?)", or "" if none of the names, which end with NULL, is near. */
enum { MEANT_TEXT = 80 };
const char *meant_text(const char *word, const char *const *names, char text[MEANT_TEXT]);

/* Prints a paragraph on standard output, wrapped to 80 columns: a label, and the lines below each
 * other beside it.  label NULL: no column of labels. */
void print_paragraph(const char *label, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The rank that speaks prints one line on standard error, "hyla solve: ...". */
void tell(const struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The whole text of hyla_cube_describe or hyla_plan_explain, which the caller frees; NULL: no
 * memory. */
char *tool_describe(const hyla_cube *cube);
char *tool_explain_plan(const hyla_plan *plan);

/* The value after "key: " in a description, "" if there is none. */
const char *tool_lookup(const char *description, const char *key, char *value, size_t capacity);

/* The array on which a cube's matrices lie by default, as "2x3". */
void tool_array(const hyla_cube *cube, char text[32]);
/* The ranks at work: "4 nodes", or "6 of 7 ranks as 2x3". */
const char *tool_nodes(const struct run *run, char text[64]);

/* Local.  Has a launcher started this process together with others, according to its
 * environment? */
bool is_launched_with_others(void);
/* Call before MPI and before any thread.  If all ranks are on one machine, tells MPI's hwloc to
 * look for no devices, which takes longer than the rest of its start, unless the environment sets
 * that. */
void start_light(void);
/* Collective.  Are the words of the command line the same on all ranks?  If not, or if the ranks
 * could not be asked: the message. */
hyla_status words_agree(int argc, char **argv, char *why, size_t capacity);

/* Call first of all: closed standard streams become /dev/null, and a file that grows too large
 * (ulimit -f) only makes writing fail. */
void surroundings_prepare(void);

/* From now on SIGTERM and SIGINT remove incomplete files before they end this rank. */
void interrupt_prepare(void);

/* Collective.  The machine for a simulation: the options', or that of these ranks with the links of
 * a cube; with the options' ports. */
hyla_status tool_machine_simulated(struct run *run, hyla_machine *machine);
/* Writes "cube, all ports, store" or "switch". */
const char *tool_network(const hyla_machine *machine, char text[96]);
/* The dimensions of the cube on the nodes of a network, as in torus:4x6; 0 for other texts. */
int tool_network_dims(const char *network);
const char *ports_name(hyla_ports ports);
const char *switching_name(hyla_switching switching);

/* Seconds since some moment. */
double tool_clock(void);

/* ------------------------------------------------------------- progress -- */

/* Shows the current phase, its progress and its remaining time on rank 0's standard error, once it
 * takes more than a second, if that is a terminal or --progress is given.  Has a thread of its own,
 * which makes no MPI calls. */
struct ticker;
struct ticker *ticker_start(bool wanted, const hyla_cube *cube);
/* Names the phase that begins; a static text. */
void ticker_phase(struct ticker *ticker, const char *phase);
/* The same for a phase that computes on the cube until the next call of ticker_phase or
 * ticker_stop.  operations: of this rank; seconds: predicted; 0: not known. */
void ticker_work(struct ticker *ticker, const char *phase, const hyla_cube *cube, double operations,
                 double seconds);
/* The share of the phase that is done, where no cube counts it. */
void ticker_share(struct ticker *ticker, double share);
/* Erases the line, ends the thread, sets *ticker to NULL. */
void ticker_stop(struct ticker **ticker);

/* --------------------------------------------------------------- memory -- */

/* Prints that memory ran out, and ends the job. */
_Noreturn void memory_end(void);
/* malloc; calls memory_end if it fails. */
void *memory_take(size_t bytes);
/* From now on jansson allocates by memory_take. */
void memory_watch(void);

/* --------------------------------------------------------------- result -- */

/* Counts of messages sent, each the largest over the ranks.  Words are matrix entries.  Index
 * `dims` of the lists stands for ranks that are not neighbours. */
struct counts {
  int64_t steps, messages, words;
  int64_t dim_messages[HYLA_DIMS_MAX + 1];
  int64_t dim_words[HYLA_DIMS_MAX + 1];
};

/* The report of solve, multiply, convert, transpose and turn.  -1 or NULL: does not apply. */
/* The result of eig or, singular, of svd; values NULL: of another subcommand.  orthogonality: with
 * vectors.  counted: counts are of the first and the last value, which were checked by counting.
 * unchecked: nothing is known about the values' errors. */
struct spectrum_shown {
  const double *values;
  hyla_spectrum found;
  bool singular, vectors, reliable, counted, unchecked;
  hyla_eigen_counts counts;
  hyla_svd_report certain; /* of singular values */
  double orthogonality;
};

/* That of lstsq; made: it is. */
struct squares_shown {
  bool made;
  hyla_lstsq_report report;
};

/* That of lowrank; made: it is. */
struct lowrank_shown {
  bool made;
  hyla_lowrank_report report;
};

struct result {
  const char *op;
  const char *product; /* of multiply: the operation */
  hyla_status status;
  int exit_code;
  char message[512];
  const char *method; /* of a solution */
  char why[256];      /* the reason for the method; "": not a solution */
  const char *variant;
  char *reason;
  json_t *plan; /* the plan as data */
  hyla_type type;
  int64_t m, n, k, nrhs;
  hyla_layout layout;
  char layout_from[HYLA_LAYOUT_TEXT]; /* of the moved matrix; "": nothing was moved */
  double seconds, seconds_read;       /* the median of repetitions; -1: nothing was read */
  int repeat;
  double seconds_least, seconds_most; /* of repetitions */
  const double *each;                 /* all repetitions, in order; NULL: not kept */
  double limit;                       /* 10^9 operations a second; 0: not measured */
  double fraction_best;               /* best speed divided by the best limit */
  double copy;                        /* of moves: seconds of a copy; 0: not measured */
  double ratio_best;                  /* best time divided by the best copy's */
  int chosen;                         /* by the planner; -1: does not apply */
  double flops;
  bool finished; /* the following members are valid */
  hyla_cost predicted;
  double seconds_predicted;
  struct counts counted;
  double residual;
  const char *check; /* the name of the check, if it has one */
  bool has_error;
  double error; /* forward error */
  int64_t pivot;
  bool has_report; /* of solve */
  hyla_solve_report report;
  bool has_condition;
  double condition; /* by singular values */
  struct spectrum_shown spectrum;
  struct squares_shown squares;
  struct lowrank_shown lowrank;
  bool vector; /* the output has one dimension, as the input had */
  const char *written;
};

void result_init(struct result *result, const char *op);
void result_free(struct result *result);

/* Takes a plan's variant, reason and prediction. */
void result_plan(struct result *result, const hyla_plan *plan);

/* Sets the message for wrong input, the same on every rank; returns ARGUMENT. */
hyla_status result_refuse(struct result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The predicted run begins; shows it as a phase of that name. */
void result_begin(struct run *run, const struct result *result, const char *phase);

/* Collective.  Takes the ledger into result->counted. */
hyla_status result_count(struct run *run, struct result *result);

/* Writes the counted number, and in brackets the predicted one if it differs. */
const char *count_text(int64_t counted, int64_t predicted, char text[48]);

/* Collective.  Ends the result with the status of the work.  Judges the residual and, for solve,
 * the report.  Writes `answer` if --output is given and all is well or, for solve, --force is
 * given.  Sets exit code and message. */
void result_finish(struct run *run, struct result *result, hyla_status status,
                   const hyla_matrix *answer);

/* States of factorizations (hyla_checkpoints).  check: --every needs --checkpoint.  The others
 * print on rank 0, if there is anything to report.  print: a line of the report.  tell: lines on
 * standard error about failures and other matrices' states.  json: the same as "states" in an
 * object. */
hyla_status states_check(const struct run *run, struct result *result);
void checkpoints_print(const struct run *run);
void checkpoints_tell(const struct run *run);
void checkpoints_json(const struct run *run, json_t *json);

/* Checks of results (hyla_faults), on rank 0, if there were any.  print: a line of the report.
 * tell: a line on standard error about corrected faults.  json: the same as "faults" in an
 * object. */
void faults_print(const struct run *run);
void faults_tell(const struct run *run);
void faults_json(const struct run *run, json_t *json);

/* Rank 0 prints the result as text or JSON, and the message on standard error.  Returns the exit
 * code. */
int result_print(const struct run *run, const struct result *result);

/* The size of a matrix. */
struct extent {
  int64_t rows, cols;
};
/* Collective.  Is there room for all of these matrices at the same time, in the layout of the
 * command line?  Asked before the first one is read, which may take long. */
hyla_status tool_afford(struct run *run, hyla_type type, int count, const struct extent *extents);

/* Collective.  Reads a matrix in a layout; NULL: that of the command line. */
hyla_status tool_read(struct run *run, const char *path, const hyla_layout *layout,
                      hyla_matrix **matrix);

/* On one rank: hyla_text_write, with a message if it fails; returns an exit code. */
int write_whole(const struct run *run, const char *path, hyla_text_writer *write, const void *arg);

/* A matrix on standard output.  is_standard: is the path "-", or "-" and an ending?  begin: from
 * now on reports go to standard error, if --output is such a path; false on failure.  swap: before
 * and after the matrix is written. */
bool is_standard(const char *path);
bool standard_begin(struct run *run);
void standard_swap(struct run *run);

/* Collective.  Can --output be written, and is it no input?  Asked before the work. */
hyla_status tool_check_output(struct run *run, struct result *result);
/* Collective.  The same for an option's file, NULL: not given; vector: only .npy is allowed. */
hyla_status tool_check_file(struct run *run, const char *option, const char *path, bool vector,
                            struct result *result);
/* Collective.  Writes values, which all ranks have, to the file of --values if one is given. */
hyla_status tool_write_values(struct run *run, double *values, int64_t count);

/* The way to solve a system. */
struct way {
  bool found; /* from A's structure, not asked for */
  bool triangular;
  hyla_triangle triangle;
  int64_t zero;       /* the first zero on a triangle's diagonal, from 1; 0: none */
  hyla_method method; /* unless it is triangular */
};
/* Collective.  Finds the way that was asked for, or the one for A's structure, with the reason in
 * result->why.  ARGUMENT if A should be triangular and is not. */
hyla_status structure_find(struct run *run, const hyla_matrix *a, struct result *result,
                           struct way *way);
/* Collective.  ARGUMENT if the options' method reads one triangle of a Hermitian matrix, and A is
 * not Hermitian; adds to result->why if A is Hermitian only up to rounding. */
hyla_status structure_require(struct run *run, const hyla_matrix *a, struct result *result);
/* Adds to the reason that Cholesky's method failed at result->pivot. */
void structure_indefinite(struct result *result);

/* Every candidate of a plan, and its child plans in the same way; the caller owns it. */
json_t *plan_json(const hyla_plan *plan);
/* Where and when: host, date, version, libraries, ranks; the caller owns it. */
json_t *context_json(const struct run *run);
/* The times of single runs, in their order. */
json_t *times_json(const double *seconds, int count);
/* Prints one line of JSON on standard output; releases json. */
void json_line(json_t *json);
/* A number; JSON has neither NaN nor infinity, and null replaces them. */
json_t *number_json(double value);
/* The result as an object. */
json_t *result_json(const struct run *run, const struct result *result);

const char *type_name(hyla_type type);
size_t type_size(hyla_type type);
bool type_complex(hyla_type type);
/* The narrowest type that holds the entries of both. */
hyla_type type_common(hyla_type a, hyla_type b);

#endif
