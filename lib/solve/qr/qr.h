/* Door of solve/qr: the pieces of A = Q R by Householder's reflections.
 *
 * Panel k is block column k from its diagonal block down; it lies on rank column q_k, and its
 * diagonal block on rank row p_k (panels.h).  Its w reflections I - tau v v^H together are
 * I - V S^-1 V^H, with V's columns the vectors v, and S the upper triangle of V^H V with half of
 * its diagonal (Puglisi 1992): so only V is kept.  The panel's rows of R are negated, and the
 * panel's part of Q with them: Q_k = (I - V S^-1 V^H) D_k, D_k = -1 on those rows.  Each reflection
 * has the determinant -1, so Q's is 1, and A's is that of R. */
#ifndef HY_SOLVE_QR_H
#define HY_SOLVE_QR_H 1

#include "solve/triangle/triangle.h"

/* Columns that are reflected at a time; columns of a panel that are factored one by one. */
enum { HY_QR_STRIP = 512, HY_QR_BASE = 16 };

/* Rows of matrices whose sums of V^H V are extended, and those of S^-1 times columns where Q is
 * formed; of those whose M - V W is extended there as well. */
enum { HY_QR_FEW = 64, HY_QR_FEWER = 32 };

/* A product with at least PACKED columns copies V's rows first, where V has at most PACKED_ROWS
 * rows: a copy of more rows would take much memory and gain less. */
enum { HY_QR_PACKED = 32, HY_QR_PACKED_ROWS = 16384 };

/* A panel that travels: the header; S, width x width; V, the local rows from the diagonal block on,
 * with ones on its diagonal and zeros above. */
struct hy_qr_panel {
  struct hy_diagonal_block at;
  int ld; /* of V */
  int64_t bytes;
  struct hy_panel_slot *slot;
};
/* Where V begins in a message; S begins behind the header. */
static inline int64_t hy_qr_at_v(const struct hy_diagonal_block *at, size_t size) {
  return HY_PANEL_HEADER + (int64_t)at->width * at->width * (int64_t)size;
}

/* A norm that does not overflow: scale * sqrt(squares); and the column's leading entry, from the
 * member that has it. */
struct hy_qr_norm {
  double scale, squares;
  double leading[2];
};

struct hy_qr;
/* How a variant factors a panel.
 *   factor  v: the panel's rows, leading dimension ld, become V; s: S; q->upper: the panel's rows
 *           of R, negated, on its rank row.  Collective over the rank column.  The header has the
 *           verdict, with which the rest need not be done
 *   bytes   of q->tree; NULL: none */
struct hy_qr_way {
  struct hy_factor_traits traits; /* first: a variant's traits are these */
  hyla_status (*factor)(struct hy_qr *q, const struct hy_diagonal_block *at,
                        struct hy_panel_header *header, char *s, char *v, int ld);
  int64_t (*bytes)(const struct hy_qr *q);
};

struct hy_qr {
  const struct hy_factorization *problem;
  const struct hy_qr_way *way; /* NULL: Q is only applied */
  hyla_cube *cube;
  const struct hy_kernels *k;
  const hyla_matrix *a;
  struct hy_block_cyclic array;
  struct hy_panels panels;  /* along the rank rows */
  struct hy_qr_panel panel; /* the one in use */
  struct hy_qr_norm norm;
  char *triangles;              /* S of this rank column's panels, leading dimension block */
  char *upper;                  /* block x block: rows of R in the panel at work */
  char *products;               /* V^H times columns */
  char *tree;                   /* for panels by trees */
  struct hy_packed_rows packed; /* V's */
  int64_t strip;                /* columns that are reflected at a time, at most */
  /* Reflections from outside: their tau, on nodes; there is no D, and `triangles' is not used.
   * NULL: they are the factorization's own. */
  const double _Complex *tau;
  /* Collectives.  Over the rank row: panels; over the rank column: norms, sums of products. */
  struct hy_subcube_op shares, norms, sums, tops; /* tops: by trees, for factors of Q's top */
  struct hy_triangular_system backward;           /* R */
  struct hy_triangular_system transposed;         /* op(R); takes memory at the first use */
  char *transposed_memory;                        /* its owner; NULL: it is not made yet */
};

/* qr_panel.c.  reflections: local; tau[j] of reflection j on the ranks that have its diagonal
 * block, else 0, for all pivots.  The others: collective over the rank column; factor a panel in
 * its slot and put it back, or load a factored one from the matrix. */
void hy_qr_reflections(const struct hy_qr *q, double *tau);
hyla_status hy_qr_factor_panel(struct hy_qr *q, const struct hy_qr_panel *panel);
void hy_qr_load_panel(struct hy_qr *q, const struct hy_qr_panel *panel);

/* The ways: column by column (qr_panel.c); by a tree (qr_tsqr.c). */
hyla_status hy_qr_factor_columns(struct hy_qr *q, const struct hy_diagonal_block *at,
                                 struct hy_panel_header *header, char *s, char *v, int ld);
hyla_status hy_qr_factor_tree(struct hy_qr *q, const struct hy_diagonal_block *at,
                              struct hy_panel_header *header, char *s, char *v, int ld);
int64_t hy_qr_tree_bytes(const struct hy_qr *q);

/* The variants of the method; their traits are a struct hy_qr_way. */
extern const struct hy_variant hy_qr_householder, hy_qr_tsqr;

/* For qr_apply.c, with way NULL.  create is local: a state without systems for R; *q is the
 * caller's to free even after a failure.  allocate is collective over all ranks, agreed. */
hyla_status hy_qr_create(const struct hy_factorization *problem, const struct hy_qr_way *way,
                         struct hy_qr **q);
hyla_status hy_qr_allocate(struct hy_qr *q);

/* qr_apply.c.
 *   given     collective over all ranks, agreed.  A state that only applies Q, for reflections from
 *             outside: their vectors are below the diagonal of the problem's factors, whose order
 *             is their number.  tau: one each, on nodes; outlives the state.  The caller gives *q,
 *             if it is not NULL, to hy_free, also after a failure
 *   apply     collective over the nodes, not agreed: as times_q in hy_factor_traits */
hyla_status hy_qr_given(const struct hy_factorization *problem, const double _Complex *tau,
                        struct hy_qr **q);
hyla_status hy_qr_apply(struct hy_qr *q, enum hy_q_times what, const hyla_matrix *x);

/* qr_apply.c, for the loop over panels: use is m := Q_k^H m in some columns. */
struct hy_qr_panel hy_qr_panel_at(const struct hy_qr *q, int64_t index, struct hy_panel_slot *slot);
int64_t hy_qr_bytes(const void *state, int64_t index);
hyla_status hy_qr_arrive(void *state, int64_t index, struct hy_panel_slot *slot);
hyla_status hy_qr_use(void *state, const struct hy_columns *x);

/* qr_panel.c, local: the squares of a vector's entries below its leading one, which is added last.
 * Of a vector that is short beside its one, a sum that begins with it would round away what makes
 * the reflection unitary. */
double hy_qr_squares(const struct hy_kernels *k, int rows, const char *v);

/* qr_few.c, local.
 *   few       are the reflections the factorization's own, and the matrix' rows at most as many?
 *   products  of at most FEW rows: columns begin ... end-1 of this rank's part of V^H V, of `end'
 *             rows, to q->products: the upper triangle, without the leading ones on the diagonal
 *   squares   of the panel in use, 2 entries a column: v^H v of this rank's rows, in two parts
 *             whose sums over the ranks are v^H v to more digits than an entry has
 *   solve     W := S^-1 W, for W in q->products, with the squares' sums behind W
 *   subtract  of at most FEWER rows: M := M - V W */
bool hy_qr_few(const struct hy_qr *q, int64_t most);
void hy_qr_few_products(const struct hy_qr *q, const struct hy_diagonal_block *at, int begin,
                        int end, const char *v, int ldv);
void hy_qr_few_squares(const struct hy_qr *q, const char *v, char *squares);
void hy_qr_few_solve(const struct hy_qr *q, int columns, const char *s);
void hy_qr_few_subtract(const struct hy_qr *q, int columns, const char *v, char *m, int64_t ldm);

/* qr_apply.c, local.
 *   multiply  products := V^H M over this rank's rows, V rows x width, M rows x columns; the
 *             products of several calls lie one after the other
 *   subtract  M := M - V W, W width x columns; V's rows are not copied */
void hy_qr_multiply(const struct hy_qr *q, int rows, int width, const char *v, int ldv, int columns,
                    const char *m, int64_t ldm, char *products);
void hy_qr_subtract(const struct hy_qr *q, int rows, int width, const char *v, int ldv, int columns,
                    const char *w, char *m, int64_t ldm);

#endif
