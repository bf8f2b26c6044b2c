/* The keys and groups of the options, which the tables name and the parser knows. */
#ifndef OPTIONS_H
#define OPTIONS_H 1

#include "tool.h"

enum {
  KEY_FIRST = 256, /* above all characters */
  KEY_VARIANT = KEY_FIRST,
  KEY_LAYOUT,
  KEY_JSON,
  KEY_PROGRESS,
  KEY_USAGE,
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
  KEY_CODES,
  KEY_EMBED,
  KEY_CLOSED,
  KEY_TO,
  KEY_BAND,
  KEY_WISDOM,
  KEY_COLLECTIVE,
  KEY_MEASURE,
  KEY_AS,
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
  KEY_EQUILIBRATE,
  KEY_FORCE,
  KEY_SEED,
  KEY_LIST,
  KEY_LOWER,
  KEY_UPPER,
  KEY_PIVOTS,
  KEY_MEMORY,
  KEY_BOUND,
  KEY_PHASES,
  KEY_EXPLAIN,
  KEY_REPRODUCIBLE,
  KEY_VERIFY,
  KEY_CHECKPOINT,
  KEY_EVERY,
  KEY_QUICK,
  KEY_END
};

/* In struct options' given and struct operation's takes. */
#define OPTION_BIT(key) (UINT64_C(1) << ((key)-KEY_FIRST))

/* The groups of --help; for an operation on matrices there is no option of collectives,
 * and the other way round. */
enum { OF_MATRICES = 1, OF_COLLECTIVES, OF_ALL, OF_COMMON = -1 };

/* What the parser fills, and against what. */
struct parse {
  const struct grammar *grammar;
  struct options *options;
  int key; /* of the option at hand */
};

/* The i-th option, of all lists one after the other; NULL beyond the last. */
const struct argp_option *option_at(const struct grammar *grammar, int i);

/* The value of the option at hand, from a text.  0, or EINVAL, of which rank 0 has then told.
 * reject: tells what to give instead. */
error_t reject(struct argp_state *state, const char *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of a name that is none of a list, which ends with NULL: with the nearest and all. */
error_t reject_name(struct argp_state *state, const char *text, const char *const *names);
error_t parse_whole(struct argp_state *state, const char *text, int64_t least, int64_t most,
                    int64_t *value);
error_t parse_int(struct argp_state *state, const char *text, int least, int most, int *value);
error_t parse_partition(struct argp_state *state, const char *text, hyla_collective *c);
error_t parse_distance(struct argp_state *state, const char *text, hyla_collective *c);
/* Numbers from the least with commas between, up to NUMBERS_MOST. */
error_t parse_numbers(struct argp_state *state, const char *text, int least, int *numbers,
                      int *count);
error_t parse_active(struct argp_state *state, const char *text, struct options *options);
error_t parse_bytes(struct argp_state *state, const char *text, int64_t *bytes);
error_t parse_time(struct argp_state *state, const char *text, double *value);
error_t parse_ports(struct argp_state *state, const char *text, struct options *options);
error_t parse_size(struct argp_state *state, const char *text, struct options *options);
error_t parse_lengths(struct argp_state *state, char *text, struct options *options);
error_t parse_type(struct argp_state *state, const char *text, hyla_type *type);
error_t parse_embedding(struct argp_state *state, const char *text, struct options *options);
error_t parse_factor(struct argp_state *state, const char *text, hyla_scalar *factor);

#endif
