/* Compiles the file BODY once for each width of vectors, with FOR(name) and TARGET set: plain, with
 * 32 bytes and with 64.  HY_WIDTH(name, bytes) is the address of the object `name' of that width,
 * NULL if this processor lacks it; 0 bytes are plain.  HY_WIDEST(name) is that of the widest one.
 * Each file includes this one once. */
#define FOR(name) name##_plain
#define TARGET
#include BODY
#undef FOR
#undef TARGET

#if defined(__x86_64__) && defined(__GNUC__)
#define FOR(name) name##_32
#define TARGET __attribute__((target("avx2")))
#include BODY
#undef FOR
#undef TARGET
#define FOR(name) name##_64
#define TARGET __attribute__((target("avx512f,prefer-vector-width=512")))
#include BODY
#undef FOR
#undef TARGET
#define HY_WIDTH(name, bytes)                                                                      \
  ((bytes) == 64   ? __builtin_cpu_supports("avx512f") ? &name##_64 : NULL                         \
   : (bytes) == 32 ? __builtin_cpu_supports("avx2") ? &name##_32 : NULL                            \
                   : &name##_plain)
#else
#define HY_WIDTH(name, bytes) ((bytes) == 0 ? &name##_plain : NULL)
#endif
#define HY_WIDEST(name)                                                                            \
  (HY_WIDTH(name, 64) != NULL   ? HY_WIDTH(name, 64)                                               \
   : HY_WIDTH(name, 32) != NULL ? HY_WIDTH(name, 32)                                               \
                                : &name##_plain)
