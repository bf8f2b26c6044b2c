/* Triangular systems of small order: one body for four types and two sets of instructions. */
#include "local/triangle.h"

#include "local/copies.h"
#include "local/lines.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HY_FUSED

#define TARGET __attribute__((target("avx2,fma")))
#define REAL float
#define VECTOR __m256
#define V(name) _mm256_##name##_ps
#define SWAP(a) _mm256_permute_ps(a, 0xb1)
#define COMPLEX_TYPE 0
#define TYPE HYLA_FLOAT
#define NAME(name) name##_s_32
#include "local/triangle_body.h"
#define COMPLEX_TYPE 1
#define TYPE HYLA_COMPLEX
#define NAME(name) name##_c_32
#include "local/triangle_body.h"
#undef REAL
#undef VECTOR
#undef V
#undef SWAP

#define REAL double
#define VECTOR __m256d
#define V(name) _mm256_##name##_pd
#define SWAP(a) _mm256_permute_pd(a, 0x5)
#define COMPLEX_TYPE 0
#define TYPE HYLA_DOUBLE
#define NAME(name) name##_d_32
#include "local/triangle_body.h"
#define COMPLEX_TYPE 1
#define TYPE HYLA_DOUBLE_COMPLEX
#define NAME(name) name##_z_32
#include "local/triangle_body.h"
#undef REAL
#undef VECTOR
#undef V
#undef SWAP
#undef TARGET

#define TARGET __attribute__((target("avx512f")))
#define REAL float
#define VECTOR __m512
#define V(name) _mm512_##name##_ps
#define SWAP(a) _mm512_permute_ps(a, 0xb1)
#define COMPLEX_TYPE 0
#define TYPE HYLA_FLOAT
#define NAME(name) name##_s_64
#include "local/triangle_body.h"
#define COMPLEX_TYPE 1
#define TYPE HYLA_COMPLEX
#define NAME(name) name##_c_64
#include "local/triangle_body.h"
#undef REAL
#undef VECTOR
#undef V
#undef SWAP

#define REAL double
#define VECTOR __m512d
#define V(name) _mm512_##name##_pd
#define SWAP(a) _mm512_permute_pd(a, 0x55)
#define COMPLEX_TYPE 0
#define TYPE HYLA_DOUBLE
#define NAME(name) name##_d_64
#include "local/triangle_body.h"
#define COMPLEX_TYPE 1
#define TYPE HYLA_DOUBLE_COMPLEX
#define NAME(name) name##_z_64
#include "local/triangle_body.h"
#undef REAL
#undef VECTOR
#undef V
#undef SWAP
#undef TARGET
#endif

/* A lower M is walked from its last entry backwards, which makes it an upper one. */
struct hy_triangle hy_triangle_of(hyla_side side, hyla_triangle triangle, hyla_operation op,
                                  hyla_diagonal diagonal, int order, int sides, size_t size,
                                  const void *t, int ldt) {
  bool turned = side == HYLA_LEFT, as_stored = turned == (op != HYLA_NONE);
  bool upper = as_stored == (triangle == HYLA_UPPER);
  struct hy_triangle m = {.order = order,
                          .t = t,
                          .down = as_stored ? 1 : ldt,
                          .across = as_stored ? ldt : 1,
                          .unit = diagonal == HYLA_UNIT_DIAGONAL,
                          .conjugate = op == HYLA_CONJUGATE,
                          .backward = !upper,
                          .turned = turned,
                          .sides = sides};
  if (upper) return m;
  m.t = (const char *)t + (order - 1) * (1 + (int64_t)ldt) * (int64_t)size;
  m.down = -m.down;
  m.across = -m.across;
  return m;
}

hy_triangle_solve *hy_triangle_solver(hyla_type type, int bytes) {
#ifdef HY_FUSED
  static hy_triangle_solve *const fused[2][4] = {{solve_s_32, solve_d_32, solve_c_32, solve_z_32},
                                                 {solve_s_64, solve_d_64, solve_c_64, solve_z_64}};
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (bytes == 64 && avx2 && __builtin_cpu_supports("avx512f")) return fused[1][type];
  if (bytes == 32 && avx2) return fused[0][type];
#else
  (void)type, (void)bytes;
#endif
  return NULL;
}

hy_triangle_solve *hy_triangle_best(hyla_type type) {
  hy_triangle_solve *best = hy_triangle_solver(type, 64);
  return best != NULL ? best : hy_triangle_solver(type, 32);
}
