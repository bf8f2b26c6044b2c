/* Door of the room gallery: matrices with properties that are known beforehand.
 *
 * A kind of matrix is a row in a table: name, reference, known properties, and its entry as a
 * function of the indices, which count from 0.  Every rank computes its own entries, without
 * communication.  A few kinds need O(m + n) numbers in advance; every rank computes these by the
 * same sums in the same order.  So a matrix has the same bits on any number of ranks and in any
 * layout. */
#ifndef HY_GALLERY_H
#define HY_GALLERY_H 1

#include "call/call.h"

/* Properties of all matrices of a kind.  DEFINITE and UNITARY imply NONSINGULAR. */
enum hy_trait {
  HY_RECTANGULAR = 1,    /* the kind has m x n matrices; other kinds are square */
  HY_RANDOM = 2,         /* the seed matters */
  HY_IS_SYMMETRIC = 4,   /* in a real type Hermitian too */
  HY_IS_HERMITIAN = 8,   /* in a real type symmetric too */
  HY_DEFINITE = 16,      /* positive definite */
  HY_UNITARY = 32,       /* A^H A = I up to rounding; condition 1 */
  HY_NONSINGULAR = 64,   /* in exact arithmetic */
  HY_LOWER = 128,        /* zeros above the diagonal */
  HY_UPPER = 256,        /* zeros below the diagonal */
  HY_HESSENBERG = 512,   /* zeros below the first subdiagonal */
  HY_TRIDIAGONAL = 1024, /* zeros outside the diagonal and its two neighbours */
  HY_GROWS = 2048,       /* partial pivoting lets U's entries grow exponentially with n */
  HY_CHOSEN = 4096,      /* the condition is hy_gallery_condition */
  HY_REAL_SYMMETRIC = HY_IS_SYMMETRIC | HY_IS_HERMITIAN, /* entries are real in complex types too */
  HY_DIAGONAL = HY_REAL_SYMMETRIC | HY_LOWER | HY_UPPER
};

/* A matrix while its entries are computed. */
struct hy_generated {
  const struct hy_kind *kind;
  const struct hy_kernels *k;
  int64_t m, n;
  uint64_t seed;
  double limit; /* the largest number below 1/2 that the type holds */
  /* Kinds with a `diagonal' are S + P Q^H: S is diagonal with real entries; P (m x terms) and
   * Q (n x terms) are stored by columns. */
  int terms; /* columns of P and Q made so far */
  double *s;
  double _Complex *p, *q;
};

struct hy_kind {
  hyla_kind is;
  unsigned traits; /* of enum hy_trait */
  /* Sets the properties that depend on the order n; NULL if the traits say all.  The condition
   * becomes infinite where the rank is below n. */
  void (*facts)(int64_t n, hyla_properties *known);
  double (*formula)(int64_t i, int64_t j); /* an entry that depends on its place alone; or NULL */
  double _Complex (*entry)(const struct hy_generated *g, int64_t i, int64_t j); /* any other */
  /* For kinds made of reflectors around a diagonal S: entry k of S's `count' entries, and the
   * number of reflectors, which are applied from the left and the right in turn.  In a HERMITIAN
   * kind each reflector from the right is the one from the left before it. */
  double (*diagonal)(const struct hy_generated *g, int64_t k, int64_t count);
  int reflectors; /* at most HY_REFLECTORS_MAX */
};

enum { HY_REFLECTORS_MAX = 4 };

/* The row of a kind without reflectors, by its entry or its formula. */
#define HY_KIND(name, text, reference, known, dependent, ij)                                       \
  { .is = {name, text, reference}, .traits = known, .facts = dependent, .entry = ij }
#define HY_FORMULA(name, text, reference, known, dependent, ij)                                    \
  { .is = {name, text, reference}, .traits = known, .facts = dependent, .formula = ij }

/* The kinds by theme; a row without a name ends each list. */
extern const struct hy_kind hy_random_kinds[];
extern const struct hy_kind hy_inverse_kinds[];
extern const struct hy_kind hy_integer_kinds[];
extern const struct hy_kind hy_band_kinds[];
extern const struct hy_kind hy_toeplitz_kinds[];
extern const struct hy_kind hy_unitary_kinds[];
extern const struct hy_kind hy_scaled_kinds[];
extern const struct hy_kind hy_growth_kinds[];
extern const struct hy_kind hy_spectrum_kinds[];
extern const struct hy_kind hy_sep_kinds[];

/* The i-th kind, from 0; NULL beyond the last one.  The first kinds follow hyla_generator. */
const struct hy_kind *hy_kind_at(int i);
/* The number of the kind with this name; -1 if no kind has it. */
int hy_kind_number(const char *name);

/* The condition in a type of kinds whose condition can be chosen: about 1 / sqrt(unit roundoff), a
 * power of two. */
static inline double hy_gallery_condition(const struct hy_kernels *k) {
  return k->epsilon > 0x1p-30 ? 0x1p12 : 0x1p26;
}

/* An entry whose parts are uniform in (-1/2, 1/2); it depends on seed and indices alone. */
double _Complex hy_random_entry(const struct hy_generated *g, int64_t i, int64_t j);
/* The same made Hermitian: entry (j, i) is the conjugate of entry (i, j), the diagonal is real. */
double _Complex hy_random_hermitian(const struct hy_generated *g, int64_t i, int64_t j);

/* Local.  Makes S, P and Q of a kind with reflectors; reflect_free gives them back.  MEMORY. */
hyla_status hy_reflect_make(struct hy_base *base, struct hy_generated *g);
void hy_reflect_free(struct hy_base *base, struct hy_generated *g);
/* An entry of S + P Q^H; exactly Hermitian if the kind is. */
double _Complex hy_reflect_entry(const struct hy_generated *g, int64_t i, int64_t j);

/* The binomial coefficient a over b: exact below 2^52, infinite above the range. */
double hy_binomial(int64_t a, int64_t b);
/* sin(pi k / n) and cos(pi k / n) for n > 0.  The symmetries of both functions hold bit for bit. */
double hy_sine(int64_t k, int64_t n);
double hy_cosine(int64_t k, int64_t n);

#endif
