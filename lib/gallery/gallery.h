/* Door of the room gallery: matrices of which something is known beforehand.
 *
 * A kind of matrix is a row in a table: name, reference, what is known of it, and its entry as a
 * function of the indices, which count from 0.  Entries are computed where they lie, without
 * communication.  Few kinds need numbers in advance, O(m + n) of them, which every rank computes
 * by the same sums in the same order; so a matrix is the same bit for bit on any number of ranks
 * and in any layout. */
#ifndef HY_GALLERY_H
#define HY_GALLERY_H 1

#include "matrix/matrix.h"

/* What is known of all matrices of a kind; DEFINITE and UNITARY are NONSINGULAR too. */
enum hy_trait {
  HY_RECTANGULAR = 1,    /* there are m x n ones */
  HY_RANDOM = 2,         /* the seed matters */
  HY_SYMMETRIC = 4,      /* of a real type: Hermitian too */
  HY_HERMITIAN = 8,      /* of a real type: symmetric too */
  HY_DEFINITE = 16,      /* positive definite */
  HY_UNITARY = 32,       /* A^H A = I up to rounding; condition 1 */
  HY_NONSINGULAR = 64,   /* in exact arithmetic */
  HY_LOWER = 128,        /* zeros above the diagonal */
  HY_UPPER = 256,        /* zeros below the diagonal */
  HY_HESSENBERG = 512,   /* zeros below the first subdiagonal */
  HY_TRIDIAGONAL = 1024, /* both */
  HY_GROWS = 2048,       /* partial pivoting lets U's entries grow exponentially with n */
  HY_REAL_SYMMETRIC = HY_SYMMETRIC | HY_HERMITIAN /* of real entries also in complex types */
};

/* A matrix that is being made. */
struct hy_generated {
  const struct hy_kind *kind;
  const struct hy_kernels *k;
  int64_t m, n;
  uint64_t seed;
  double limit; /* the largest number below 1/2 that the type holds */
  /* What kinds with a `diagonal` are made of: S + P Q^H, S diagonal with real entries, P m x terms
   * and Q n x terms by columns. */
  int terms; /* that are there so far */
  double *s;
  double _Complex *p, *q;
};

struct hy_kind {
  hyla_kind is;
  unsigned traits; /* of enum hy_trait */
  /* What depends on the order, beyond the traits; NULL: nothing.  condition: as
   * hy_gallery_condition says of the type. */
  void (*facts)(int64_t n, double condition, hyla_properties *known);
  double _Complex (*entry)(const struct hy_generated *g, int64_t i, int64_t j);
  /* Of kinds made of reflectors around a diagonal S: its entry k of `count`, and how many
   * reflectors there are, from the left and from the right in turn; of HERMITIAN kinds each one
   * from the right is that from the left before it. */
  double (*diagonal)(const struct hy_generated *g, int64_t k, int64_t count);
  int reflectors; /* at most HY_REFLECTORS_MAX */
};

enum { HY_REFLECTORS_MAX = 4 };

/* A row of a kind without reflectors. */
#define HY_KIND(name, text, reference, known, dependent, ij)                                       \
  { .is = {name, text, reference}, .traits = known, .facts = dependent, .entry = ij }

/* The kinds, by theme; a row without a name ends each list. */
extern const struct hy_kind hy_random_kinds[];
extern const struct hy_kind hy_inverse_kinds[];
extern const struct hy_kind hy_integer_kinds[];
extern const struct hy_kind hy_band_kinds[];
extern const struct hy_kind hy_toeplitz_kinds[];
extern const struct hy_kind hy_unitary_kinds[];
extern const struct hy_kind hy_scaled_kinds[];
extern const struct hy_kind hy_growth_kinds[];
extern const struct hy_kind hy_spectrum_kinds[];

/* The i-th kind, from 0; NULL beyond the last.  The first ones are those of hyla_generator. */
const struct hy_kind *hy_kind_at(int i);
/* Its number by its name; -1 when there is none. */
int hy_kind_number(const char *name);

/* The condition that kinds of a chosen one have in a type: about 1 / sqrt(unit roundoff), a power
 * of two. */
static inline double hy_gallery_condition(const struct hy_kernels *k) {
  return k->epsilon > 0x1p-30 ? 0x1p12 : 0x1p26;
}

/* An entry uniform in (-1/2, 1/2), both parts; a function of the seed and the indices alone. */
double _Complex hy_random_entry(const struct hy_generated *g, int64_t i, int64_t j);
/* The same turned so that entry (j, i) is the conjugate of entry (i, j), with a real diagonal. */
double _Complex hy_random_hermitian(const struct hy_generated *g, int64_t i, int64_t j);

/* S, P and Q of a kind with reflectors.  MEMORY. */
hyla_status hy_reflect_make(struct hy_base *base, struct hy_generated *g);
void hy_reflect_free(struct hy_base *base, struct hy_generated *g);
/* The entry of S + P Q^H, exactly Hermitian for kinds that are. */
double _Complex hy_reflect_entry(const struct hy_generated *g, int64_t i, int64_t j);

/* a choose b, exact as long as it is below 2^52; infinite where it is too large. */
double hy_binomial(int64_t a, int64_t b);
/* sin(pi k / n) and cos(pi k / n) for n > 0, with the symmetries of both, bit for bit. */
double hy_sine(int64_t k, int64_t n);
double hy_cosine(int64_t k, int64_t n);

#endif
