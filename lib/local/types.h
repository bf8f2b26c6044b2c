/* Includes TYPE_BODY once for each type, s, d, c and z, with these macros set:
 *   LETTER        the type's letter
 *   ENTRY, REAL   the C types of an entry and of its parts
 *   COMPLEX_TYPE  1 when entries have an imaginary part; PARTS: REALs of an entry
 *   TYPE          the tag of hyla.h
 *   NAME(name)    <name>_<type><SUFFIX>; the includer sets SUFFIX, perhaps to nothing
 *   FOR(name)     <name><SUFFIX> */
#ifndef HY_LOCAL_TYPES_H
#define HY_LOCAL_TYPES_H 1

typedef float entry_s, real_s, real_c;
typedef double entry_d, real_d, real_z;
typedef float _Complex entry_c;
typedef double _Complex entry_z;
#define TYPE_s HYLA_FLOAT
#define TYPE_d HYLA_DOUBLE
#define TYPE_c HYLA_COMPLEX
#define TYPE_z HYLA_DOUBLE_COMPLEX
#define COMPLEX_s 0
#define COMPLEX_d 0
#define COMPLEX_c 1
#define COMPLEX_z 1

#define JOIN(a, b) JOIN_EXPANDED(a, b)
#define JOIN_EXPANDED(a, b) a##b
#define JOIN3(a, b, c) JOIN3_EXPANDED(a, b, c)
#define JOIN3_EXPANDED(a, b, c) a##b##c
#define ENTRY JOIN(entry_, LETTER)
#define REAL JOIN(real_, LETTER)
#define COMPLEX_TYPE JOIN(COMPLEX_, LETTER)
#define PARTS (1 + COMPLEX_TYPE)
#define TYPE JOIN(TYPE_, LETTER)
#define NAME(name) JOIN3(name##_, LETTER, SUFFIX)
#define FOR(name) JOIN(name, SUFFIX)
/* A function of all types, indexed by hyla_type. */
#define BY_TYPE(name)                                                                              \
  { FOR(name##_s), FOR(name##_d), FOR(name##_c), FOR(name##_z) }

#endif

#define LETTER s
#include TYPE_BODY
#undef LETTER
#define LETTER d
#include TYPE_BODY
#undef LETTER
#define LETTER c
#include TYPE_BODY
#undef LETTER
#define LETTER z
#include TYPE_BODY
#undef LETTER
#undef TYPE_BODY
