/* Includes FUSED_BODY once for each type and each set of instructions with fused multiply-add, if
 * the compiler has them (HY_FUSED), with the macros of types.h and these:
 *   TARGET                the attribute that allows the compiler to use the instructions
 *   VECTOR, V(name)       a vector of REALs; its operation of that name in Intel's terms
 *   SWAP(a)               swaps the two lanes of each pair
 *   MASK, RANGE(from, to) a set of lanes; lanes from ... to-1
 *   PART_LOAD(mask, x), PART_STORE(x, mask, a)
 *                         load and store those lanes alone; a load gives zeros in the others
 *   EQUAL(a, b)           a bit for each lane in which a and b are equal
 * and those of fused_body.h.  Functions have their vector's bytes as suffix.  FUSED_TABLE(name)
 * then holds the body's functions of that name, indexed by fused_row and by type. */
#include "local/lines.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HY_FUSED

typedef __m256 vector_s_32, vector_c_32;
typedef __m256d vector_d_32, vector_z_32;
typedef __m512 vector_s_64, vector_c_64;
typedef __m512d vector_d_64, vector_z_64;
typedef __m256i mask_s_32, mask_d_32, mask_c_32, mask_z_32;
typedef __mmask16 mask_s_64, mask_c_64;
typedef __mmask8 mask_d_64, mask_z_64;
#define OF_s _ps
#define OF_d _pd
#define OF_c _ps
#define OF_z _pd
#define VECTOR NAME(vector)
#define MASK NAME(mask)
#define V(name) JOIN3(INTEL, _##name, JOIN(OF_, LETTER))
#define SWAP(a) V(permute)(a, sizeof(REAL) == 4 ? 0xb1 : sizeof(VECTOR) == 32 ? 0x5 : 0x55)

#define SUFFIX _32
#define TARGET __attribute__((target("avx2,fma")))
#define INTEL _mm256
#define RANGE_s(from, to)                                                                          \
  _mm256_and_si256(_mm256_cmpgt_epi32(LANES_32, _mm256_set1_epi32((from)-1)),                      \
                   _mm256_cmpgt_epi32(_mm256_set1_epi32(to), LANES_32))
#define RANGE_d(from, to)                                                                          \
  _mm256_and_si256(_mm256_cmpgt_epi64(LANES_64, _mm256_set1_epi64x((from)-1)),                     \
                   _mm256_cmpgt_epi64(_mm256_set1_epi64x(to), LANES_64))
#define LANES_32 _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)
#define LANES_64 _mm256_setr_epi64x(0, 1, 2, 3)
#define RANGE_c RANGE_s
#define RANGE_z RANGE_d
#define RANGE JOIN(RANGE_, LETTER)
#define PART_LOAD(mask, x) V(maskload)(x, mask)
#define PART_STORE(x, mask, a) V(maskstore)(x, mask, a)
#define EQUAL(a, b) (unsigned)V(movemask)(V(cmp)(a, b, _CMP_EQ_OQ))
#define TYPE_BODY "local/fused_body.h"
#include "local/types.h"
#undef SUFFIX
#undef TARGET
#undef INTEL
#undef RANGE
#undef PART_LOAD
#undef PART_STORE
#undef EQUAL

#define SUFFIX _64
#define TARGET __attribute__((target("avx512f")))
#define INTEL _mm512
#define RANGE(from, to) (MASK)((1u << (to)) - (1u << (from)))
#define PART_LOAD(mask, x) V(maskz_loadu)(mask, x)
#define PART_STORE(x, mask, a) V(mask_storeu)(x, mask, a)
#define EQUAL(a, b) JOIN(V(cmp), _mask)(a, b, _CMP_EQ_OQ)
#define TYPE_BODY "local/fused_body.h"
#include "local/types.h"

/* The row of a table for vectors of `bytes' bytes, or for the widest ones if bytes is 0; -1 if this
 * processor lacks them. */
static int fused_row(int bytes) {
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const int most = avx2 ? __builtin_cpu_supports("avx512f") ? 64 : 32 : 0;
  if (bytes == 0) bytes = most;
  return bytes == 0 || bytes > most ? -1 : bytes / 64;
}
#define FUSED_TABLE(name)                                                                          \
  {                                                                                                \
    {name##_s_32, name##_d_32, name##_c_32, name##_z_32}, {                                        \
      name##_s_64, name##_d_64, name##_c_64, name##_z_64                                           \
    }                                                                                              \
  }
#else
static int fused_row(int bytes) { return (void)bytes, -1; }
#define FUSED_TABLE(name)                                                                          \
  {                                                                                                \
    { NULL }                                                                                       \
  }
#endif
