/* Includes FUSED_BODY once for each type and each set of instructions with fused multiply-add, if
 * the compiler has them (HY_FUSED), with these macros set:
 *   REAL, COMPLEX_TYPE    the type of an entry's parts; 1 for entries of two parts
 *   TYPE                  the tag of hyla.h
 *   NAME(name)            <name>_<type>_<bytes of a vector>
 *   TARGET                the attribute that allows the compiler to use the instructions
 *   VECTOR, V(name)       a vector of REALs; its operation of that name in Intel's terms
 *   SWAP(a)               swaps the two lanes of each pair
 *   MASK, RANGE(from, to) a set of lanes; lanes from ... to-1
 *   PART_LOAD(mask, x), PART_STORE(x, mask, a)
 *                         load and store those lanes alone; a load gives zeros in the others
 *   EQUAL(a, b)           a bit for each lane in which a and b are equal
 * and those of fused_body.h.  FUSED_TABLE(name) then holds the body's
 * functions of that name, indexed by fused_row and by type. */
#include "local/lines.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HY_FUSED

#define TARGET __attribute__((target("avx2,fma")))
#define MASK __m256i
#define REAL float
#define VECTOR __m256
#define V(name) _mm256_##name##_ps
#define SWAP(a) _mm256_permute_ps(a, 0xb1)
#define LANES_32 _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)
#define RANGE(from, to)                                                                            \
  _mm256_and_si256(_mm256_cmpgt_epi32(LANES_32, _mm256_set1_epi32((from)-1)),                      \
                   _mm256_cmpgt_epi32(_mm256_set1_epi32(to), LANES_32))
#define PART_LOAD(mask, x) _mm256_maskload_ps(x, mask)
#define PART_STORE(x, mask, a) _mm256_maskstore_ps(x, mask, a)
#define EQUAL(a, b) (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ))
#define COMPLEX_TYPE 0
#define TYPE HYLA_FLOAT
#define NAME(name) name##_s_32
#include "local/fused_body.h"
#define COMPLEX_TYPE 1
#define TYPE HYLA_COMPLEX
#define NAME(name) name##_c_32
#include "local/fused_body.h"
#undef REAL
#undef VECTOR
#undef V
#undef SWAP
#undef RANGE
#undef PART_LOAD
#undef PART_STORE
#undef EQUAL

#define REAL double
#define VECTOR __m256d
#define V(name) _mm256_##name##_pd
#define SWAP(a) _mm256_permute_pd(a, 0x5)
#define LANES_64 _mm256_setr_epi64x(0, 1, 2, 3)
#define RANGE(from, to)                                                                            \
  _mm256_and_si256(_mm256_cmpgt_epi64(LANES_64, _mm256_set1_epi64x((from)-1)),                     \
                   _mm256_cmpgt_epi64(_mm256_set1_epi64x(to), LANES_64))
#define PART_LOAD(mask, x) _mm256_maskload_pd(x, mask)
#define PART_STORE(x, mask, a) _mm256_maskstore_pd(x, mask, a)
#define EQUAL(a, b) (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ))
#define COMPLEX_TYPE 0
#define TYPE HYLA_DOUBLE
#define NAME(name) name##_d_32
#include "local/fused_body.h"
#define COMPLEX_TYPE 1
#define TYPE HYLA_DOUBLE_COMPLEX
#define NAME(name) name##_z_32
#include "local/fused_body.h"
#undef REAL
#undef VECTOR
#undef V
#undef SWAP
#undef RANGE
#undef PART_LOAD
#undef PART_STORE
#undef EQUAL
#undef MASK
#undef TARGET

#define TARGET __attribute__((target("avx512f")))
#define RANGE(from, to) (MASK)((1u << (to)) - (1u << (from)))
#define MASK __mmask16
#define REAL float
#define VECTOR __m512
#define V(name) _mm512_##name##_ps
#define SWAP(a) _mm512_permute_ps(a, 0xb1)
#define PART_LOAD(mask, x) _mm512_maskz_loadu_ps(mask, x)
#define PART_STORE(x, mask, a) _mm512_mask_storeu_ps(x, mask, a)
#define EQUAL(a, b) _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)
#define COMPLEX_TYPE 0
#define TYPE HYLA_FLOAT
#define NAME(name) name##_s_64
#include "local/fused_body.h"
#define COMPLEX_TYPE 1
#define TYPE HYLA_COMPLEX
#define NAME(name) name##_c_64
#include "local/fused_body.h"
#undef REAL
#undef VECTOR
#undef V
#undef SWAP
#undef MASK
#undef PART_LOAD
#undef PART_STORE
#undef EQUAL

#define MASK __mmask8
#define REAL double
#define VECTOR __m512d
#define V(name) _mm512_##name##_pd
#define SWAP(a) _mm512_permute_pd(a, 0x55)
#define PART_LOAD(mask, x) _mm512_maskz_loadu_pd(mask, x)
#define PART_STORE(x, mask, a) _mm512_mask_storeu_pd(x, mask, a)
#define EQUAL(a, b) _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ)
#define COMPLEX_TYPE 0
#define TYPE HYLA_DOUBLE
#define NAME(name) name##_d_64
#include "local/fused_body.h"
#define COMPLEX_TYPE 1
#define TYPE HYLA_DOUBLE_COMPLEX
#define NAME(name) name##_z_64
#include "local/fused_body.h"
#undef REAL
#undef VECTOR
#undef V
#undef SWAP
#undef RANGE
#undef MASK
#undef PART_LOAD
#undef PART_STORE
#undef EQUAL
#undef TARGET

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
