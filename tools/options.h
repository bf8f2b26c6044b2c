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
  KEY_CODES,
  KEY_EMBED,
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
  KEY_METHOD,
  KEY_REFINE,
  KEY_EQUILIBRATE,
  KEY_FORCE,
  KEY_SEED,
  KEY_LIST,
  KEY_LOWER,
  KEY_UPPER,
  KEY_PIVOTS,
  KEY_END
};

/* In struct options' given and struct operation's takes. */
#define OPTION_BIT(key) (UINT64_C(1) << ((key)-KEY_FIRST))

/* The groups of --help; for an operation on matrices there is no option of collectives,
 * and the other way round. */
enum { OF_MATRICES = 1, OF_COLLECTIVES, OF_ALL, OF_COMMON = -1 };

#endif
