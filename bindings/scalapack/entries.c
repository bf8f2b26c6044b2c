/* The routines under ScaLAPACK's names, for the four types. */
#include "dropin.h"

#define LETTER s
#define TYPE HYLA_FLOAT
#include "entries_body.h"

#define LETTER d
#define TYPE HYLA_DOUBLE
#include "entries_body.h"

#define COMPLEX_TYPE
#define LETTER c
#define TYPE HYLA_COMPLEX
#include "entries_body.h"

#define LETTER z
#define TYPE HYLA_DOUBLE_COMPLEX
#include "entries_body.h"
