/* The looks of all types in one set of instructions, for looks.c, with these macros set, which are
 * undefined here:
 *   FOR(name)  <name>_plain or <name>_wide
 *   TARGET     the attribute that selects the instructions */

#define REAL float
#define ABSOLUTE(x) fabsf(x)
#define PARTS 1
#define NAME(name) FOR(name##_s)
#include "local/looks_body.h"

#define REAL double
#define ABSOLUTE(x) fabs(x)
#define PARTS 1
#define NAME(name) FOR(name##_d)
#include "local/looks_body.h"

#define REAL float
#define ABSOLUTE(x) fabsf(x)
#define PARTS 2
#define NAME(name) FOR(name##_c)
#include "local/looks_body.h"

#define REAL double
#define ABSOLUTE(x) fabs(x)
#define PARTS 2
#define NAME(name) FOR(name##_z)
#include "local/looks_body.h"

static const struct hy_looks FOR(looks) = {
    .largest = {FOR(largest_s), FOR(largest_d), FOR(largest_c), FOR(largest_z)},
    .pass = {FOR(pass_s), FOR(pass_d), FOR(pass_c), FOR(pass_z)},
    .magnitudes = {FOR(magnitudes_s), FOR(magnitudes_d), FOR(magnitudes_c), FOR(magnitudes_z)},
};

#undef FOR
#undef TARGET
