/* The keys and groups of the options, used by the tables and the parser. */
#ifndef OPTIONS_H
#define OPTIONS_H 1

#include "tool.h"

/* Keys before KEY_MARKED, at most 64, are those that an operation may refuse, or that other code
 * asks for: they have a bit in struct options' given. */
enum {
  KEY_FIRST = 256, /* above all characters */
  KEY_VARIANT = KEY_FIRST,
  KEY_LAYOUT,
  KEY_NAME,
  KEY_WORDS,
  KEY_ROOT,
  KEY_DISTANCE,
  KEY_ACTIVE,
  KEY_TAGS,
  KEY_PARTITION,
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
  KEY_TRACE,
  KEY_SCHEDULE,
  KEY_CUBE_SVG,
  KEY_TO,
  KEY_BAND,
  KEY_DENSE,
  KEY_WISDOM,
  KEY_COLLECTIVE,
  KEY_MEASURE,
  KEY_SIDE,
  KEY_TRIANGLE,
  KEY_TRANSPOSE,
  KEY_OP,
  KEY_DIAGONAL,
  KEY_FACTOR,
  KEY_CONJUGATE,
  KEY_BY,
  KEY_METHOD,
  KEY_REFINE,
  KEY_SEED,
  KEY_MEMORY,
  KEY_BOUND,
  KEY_PHASES,
  KEY_REPRODUCIBLE,
  KEY_VERIFY,
  KEY_CHECKPOINT,
  KEY_EVERY,
  KEY_QUICK,
  KEY_SCHEME,
  KEY_BUFFERS,
  KEY_ACCESS,
  KEY_SLOTS,
  KEY_NETWORK,
  KEY_COUNTS,
  KEY_LOAD,
  KEY_RETRY,
  KEY_PREFIX,
  KEY_WHOLE,
  KEY_LOST,
  KEY_PATTERN,
  KEY_PENCIL,
  KEY_NO_VECTORS,
  KEY_MARKED,
  KEY_JSON = KEY_MARKED,
  KEY_PROGRESS,
  KEY_USAGE,
  KEY_LOWER,
  KEY_UPPER,
  KEY_PIVOTS,
  KEY_FORCE,
  KEY_LIST,
  KEY_ARRAY,
  KEY_CODES,
  KEY_EMBED,
  KEY_CLOSED,
  KEY_EXPLAIN,
  KEY_AS,
  KEY_DISTANCES,
  KEY_EXCHANGES,
  KEY_PERMUTATIONS,
  KEY_VALUES,
  KEY_LEFT,
  KEY_RIGHT,
  KEY_RANGE,
  KEY_INTERVAL,
  KEY_EQUILIBRATE,
  KEY_DELIMITER,
  KEY_PACKETS,
  KEY_SCALAPACK,
  KEY_BUDGET,
  KEY_EXTENDED,
  KEY_RANK,
  KEY_TOLERANCE,
  KEY_POWER,
  KEY_RCOND,
  KEY_REPORT,
  KEY_ACCURACY,
  KEY_PIVOTING,      /* the method of lstsq */
  KEY_DECOMPOSITION, /* the method of svd */
  KEY_END
};
_Static_assert(KEY_MARKED - KEY_FIRST <= 64, "each marked key has a bit");

/* A bit of struct options' given and of struct operation's takes. */
#define OPTION_BIT(key) (UINT64_C(1) << ((key)-KEY_FIRST))

/* The groups of --help.  An operation on matrices takes no options of collectives or of traffic,
 * and so on. */
enum { OF_MATRICES = 1, OF_COLLECTIVES, OF_TRAFFIC, OF_RUNS, OF_ALL, OF_COMMON = -1 };

/* The state of the parser: the grammar, and the options that it sets. */
struct parse {
  const struct grammar *grammar;
  struct options *options;
  int key; /* of the current option */
};

/* The i-th option, counted over all lists; NULL beyond the last. */
const struct argp_option *option_at(const struct grammar *grammar, int i);

/* Each parses the current option's value from a text: 0, or EINVAL after rank 0 has printed a
 * message.  reject: prints what to give instead. */
error_t reject(struct argp_state *state, const char *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Rejects a name that is not in a list, which ends with NULL: prints the nearest and all names. */
error_t reject_name(struct argp_state *state, const char *text, const char *const *names);
error_t parse_whole(struct argp_state *state, const char *text, int64_t least, int64_t most,
                    int64_t *value);
error_t parse_int(struct argp_state *state, const char *text, int least, int most, int *value);
error_t parse_partition(struct argp_state *state, const char *text, hyla_collective *c);
error_t parse_distance(struct argp_state *state, const char *text, hyla_collective *c);
/* Parses up to NUMBERS_MOST numbers from `least' on, with commas between. */
error_t parse_numbers(struct argp_state *state, const char *text, int least, int *numbers,
                      int *count);
error_t parse_lost(struct argp_state *state, const char *text, struct options *options);
error_t parse_active(struct argp_state *state, const char *text, struct options *options);
error_t parse_dense(struct argp_state *state, const char *text, struct options *options);
error_t parse_bytes(struct argp_state *state, const char *text, int64_t *bytes);
error_t parse_probability(struct argp_state *state, const char *text, double *value);
error_t parse_pattern(struct argp_state *state, const char *text, hyla_traffic_pattern *value);
error_t parse_buffers(struct argp_state *state, const char *text, int *value);
error_t parse_tolerance(struct argp_state *state, const char *text, double *value);
error_t parse_positive(struct argp_state *state, const char *text, double *value);
error_t parse_spectrum(struct argp_state *state, const char *text, bool by_index,
                       hyla_eigen_options *eigen);
error_t parse_time(struct argp_state *state, const char *text, double *value);
error_t parse_ports(struct argp_state *state, const char *text, struct options *options);
error_t parse_size(struct argp_state *state, const char *text, struct options *options);
error_t parse_lengths(struct argp_state *state, char *text, struct options *options);
error_t parse_array(struct argp_state *state, const char *text, const char **array);
error_t parse_type(struct argp_state *state, const char *text, hyla_type *type);
error_t parse_embedding(struct argp_state *state, const char *text, struct options *options);
error_t parse_factor(struct argp_state *state, const char *text, hyla_scalar *factor);

#endif
