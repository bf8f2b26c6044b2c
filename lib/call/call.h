/* Door of the room call: the arguments of a collective call on matrices.
 *
 * A public call describes its arguments (struct hy_call).  The room does the rest, once for all
 * calls: it checks the arguments, with messages that name the call and the argument, makes one
 * number of them, and lets all ranks agree that they are good and the same everywhere. */
#ifndef HY_CALL_H
#define HY_CALL_H 1

#include "matrix/matrix.h"

/* The part of a matrix that is read, and the value of the rest: the mirror image of that part, or
 * zeros, with ones on the diagonal or without. */
enum hy_structure { HY_GENERAL, HY_SYMMETRIC, HY_HERMITIAN, HY_TRIANGULAR, HY_UNIT_TRIANGULAR };
struct hy_shape {
  enum hy_structure form;
  hyla_triangle triangle; /* the one that is read, in the matrix as it is given */
};

/* A matrix of a call.
 *   sizes     two letters, for rows and columns of op(matrix): sizes of one letter are equal
 *             throughout the call; 1: exactly one; M, N, K: those of the call's model; NULL: any
 *   result    the matrix once more if the call writes to it, else NULL
 *   replaced  the result takes the place of this argument: the two are one matrix
 *   late      the call writes to it once all others have been read: it may share their entries */
struct hy_argument {
  const char *name; /* the user's; NULL: there is no such argument */
  const hyla_matrix *matrix;
  hyla_operation op;
  const char *sizes;
  hyla_matrix *result;
  bool replaced, late;
  struct hy_shape shape;
};

/* An object that was made before and that matrices must fit, such as a factorization. */
struct hy_model {
  const char *name; /* "the factors"; NULL: there is none */
  const struct hy_kernels *k;
  int64_t m, n;      /* sizes M and N; K is the smaller one */
  int64_t number[2]; /* further numbers that the ranks agree upon */
  /* Its memory; matrices that the call writes share no entries with it; NULL: none. */
  const hyla_matrix *memory;
  bool written; /* the call writes to it: its matrices share no entries with it */
};

/* An address where the call leaves a result, or reads something that is no matrix. */
struct hy_named_place {
  const char *name; /* NULL: there is no such place */
  const void *address;
  int64_t room; /* numbers that must fit there; 0: none, and the address may be NULL */
};

/* An enumeration's value among those that the call takes: names[value], NULL-terminated; "": a
 * value of the enumeration that this call does not take. */
struct hy_option {
  const char *name; /* NULL: there is no such option */
  int value;
  const char *const *names;
};
extern const char *const hy_operation_names[];
extern const char *const hy_transpose_names[];
extern const char *const hy_conjugate_names[];
extern const char *const hy_turn_names[];
extern const char *const hy_triangle_names[];
extern const char *const hy_side_names[];
extern const char *const hy_diagonal_names[];

/* The arguments of a call.  All must be the same on all ranks, except addresses. */
enum { HY_ARGUMENTS = 4, HY_OPTIONS = 4, HY_PLACES = 3, HY_NUMBERS = 3, HY_TEXTS = 2 };
struct hy_call {
  const char *name; /* as the user wrote it, for messages */
  struct hy_option option[HY_OPTIONS];
  struct hy_named_place place[HY_PLACES];
  double _Complex alpha, beta;
  /* Further values that the ranks agree upon, checked by the front end; texts may be NULL. */
  int64_t number[HY_NUMBERS];
  const char *text[HY_TEXTS];
  struct hy_argument argument[HY_ARGUMENTS];
  struct hy_model model;
  bool converts;        /* the matrices may be of different types */
  bool needs_data;      /* it fails with UNSUPPORTED if matrices have none */
  const char *variant;  /* NULL or "": the planner's choice */
  const char *several;  /* the call that takes several columns where this one takes one; or NULL */
  const char *in_place; /* advice for a written matrix that shares entries; or NULL */
  int64_t most;         /* the most rows or columns that the operation takes; 0: any */
  const void *subject;  /* what the front end made of the arguments, for its operation until the
                           plan is made; or NULL */
};

/* Local.  Verdict on the arguments: ARGUMENT or UNSUPPORTED, with one message. */
hyla_status hy_call_check(hyla_cube *cube, const struct hy_call *call);
/* Local.  One number for all arguments. */
uint64_t hy_call_fingerprint(const struct hy_call *call);
/* Local.  Verdict on scalars that are given by address; HYLA_OK if there is no cube. */
hyla_status hy_call_check_scalars(hyla_cube *cube, const char *name, const hyla_scalar *alpha,
                                  const hyla_scalar *beta);
/* Collective, agreed upon.
 * agree  are all ranks' verdicts good, and their arguments the same? mine: this rank's verdict,
 *        with that of hy_call_check
 * enter  the same with hy_call_check; mine: the verdict on what the front end has checked before */
hyla_status hy_call_agree(hyla_cube *cube, const struct hy_call *call, hyla_status mine);
hyla_status hy_call_enter(hyla_cube *cube, const struct hy_call *call, hyla_status mine);

#endif
