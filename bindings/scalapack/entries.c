/* The routines under ScaLAPACK's names for the four types; moves for integers too. */
#include "dropin.h"

#define LETTER s
#define REAL float
#define TYPE HYLA_FLOAT
#include "entries_body.h"
#include "moves_body.h"
#undef LETTER
#undef REAL
#undef TYPE

#define LETTER d
#define REAL double
#define TYPE HYLA_DOUBLE
#include "entries_body.h"
#include "moves_body.h"
#undef LETTER
#undef REAL
#undef TYPE

#define COMPLEX_TYPE
#define LETTER c
#define REAL float
#define TYPE HYLA_COMPLEX
#include "entries_body.h"
#include "moves_body.h"
#undef LETTER
#undef REAL
#undef TYPE

#define LETTER z
#define REAL double
#define TYPE HYLA_DOUBLE_COMPLEX
#include "entries_body.h"
#include "moves_body.h"
#undef LETTER
#undef REAL
#undef TYPE

#define LETTER i
#define TYPE DROPIN_INTEGER
#include "moves_body.h"
