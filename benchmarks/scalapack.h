/* Routines of ScaLAPACK that benchmarks/peers and benchmarks/unchanged call; it has no header of
 * its own. */
#ifndef SCALAPACK_H
#define SCALAPACK_H 1

#include <mpi.h>

enum { DESCRIPTOR = 9 };

int Csys2blacs_handle(MPI_Comm comm);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridexit(int context);
void descinit_(int *descriptor, const int *m, const int *n, const int *row_block,
               const int *col_block, const int *first_row, const int *first_col, const int *context,
               const int *ld, int *info);
void pdtran_(const int *m, const int *n, const double *alpha, const double *a, const int *ia,
             const int *ja, const int *desc_a, const double *beta, double *c, const int *ic,
             const int *jc, const int *desc_c);
void pdgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja,
               const int *desc_a, double *b, const int *ib, const int *jb, const int *desc_b,
               const int *context);
void pdgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k,
             const double *alpha, const double *a, const int *ia, const int *ja, const int *desc_a,
             const double *b, const int *ib, const int *jb, const int *desc_b, const double *beta,
             double *c, const int *ic, const int *jc, const int *desc_c);
void pdgemv_(const char *op, const int *m, const int *n, const double *alpha, const double *a,
             const int *ia, const int *ja, const int *desc_a, const double *x, const int *ix,
             const int *jx, const int *desc_x, const int *incx, const double *beta, double *y,
             const int *iy, const int *jy, const int *desc_y, const int *incy);
void pdgesv_(const int *n, const int *nrhs, double *a, const int *ia, const int *ja,
             const int *desc_a, int *pivots, double *b, const int *ib, const int *jb,
             const int *desc_b, int *info);
void pdgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja,
              const int *desc_a, int *pivots, int *info);
void pdgetrs_(const char *op, const int *n, const int *nrhs, const double *a, const int *ia,
              const int *ja, const int *desc_a, const int *pivots, double *b, const int *ib,
              const int *jb, const int *desc_b, int *info);
void pdgetri_(const int *n, double *a, const int *ia, const int *ja, const int *desc_a,
              const int *pivots, double *work, const int *words, int *integer_work,
              const int *integers, int *info);
void pdpotri_(const char *triangle, const int *n, double *a, const int *ia, const int *ja,
              const int *desc_a, int *info);
void pdposv_(const char *triangle, const int *n, const int *nrhs, double *a, const int *ia,
             const int *ja, const int *desc_a, double *b, const int *ib, const int *jb,
             const int *desc_b, int *info);
void pdpotrf_(const char *triangle, const int *n, double *a, const int *ia, const int *ja,
              const int *desc_a, int *info);
void pdtrsm_(const char *side, const char *triangle, const char *op, const char *diagonal,
             const int *m, const int *n, const double *alpha, const double *a, const int *ia,
             const int *ja, const int *desc_a, double *b, const int *ib, const int *jb,
             const int *desc_b);
void pdsygvx_(const int *kind, const char *job, const char *range, const char *triangle,
              const int *n, double *a, const int *ia, const int *ja, const int *desc_a, double *b,
              const int *ib, const int *jb, const int *desc_b, const double *low,
              const double *high, const int *first, const int *last, const double *tolerance,
              int *values_found, int *vectors_found, double *values, const double *orthogonal,
              double *z, const int *iz, const int *jz, const int *desc_z, double *work,
              const int *words, int *integer_work, const int *integers, int *failed, int *clusters,
              double *gaps, int *info);
void pdorgqr_(const int *m, const int *n, const int *k, double *a, const int *ia, const int *ja,
              const int *desca, const double *tau, double *work, const int *lwork, int *info);
void pdgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja,
              const int *desc_a, double *tau, double *work, const int *words, int *info);
void pdgels_(const char *op, const int *m, const int *n, const int *nrhs, double *a, const int *ia,
             const int *ja, const int *desc_a, double *b, const int *ib, const int *jb,
             const int *desc_b, double *work, const int *words, int *info);
void pdsyevd_(const char *job, const char *triangle, const int *n, double *a, const int *ia,
              const int *ja, const int *desc_a, double *values, double *z, const int *iz,
              const int *jz, const int *desc_z, double *work, const int *words, int *integer_work,
              const int *integers, int *info);
void pdsyevr_(const char *job, const char *range, const char *triangle, const int *n, double *a,
              const int *ia, const int *ja, const int *desc_a, const double *low,
              const double *high, const int *first, const int *last, int *values_found,
              int *vectors_found, double *values, double *z, const int *iz, const int *jz,
              const int *desc_z, double *work, const int *words, int *integer_work,
              const int *integers, int *info);
/* LAPACK's routines, by the names that ScaLAPACK calls. */
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *pivots, double *b,
            const int *ldb, int *info);
void dposv_(const char *triangle, const int *n, const int *nrhs, double *a, const int *lda,
            double *b, const int *ldb, int *info);
void pdgesvd_(const char *job_left, const char *job_right, const int *m, const int *n, double *a,
              const int *ia, const int *ja, const int *desca, double *values, double *u,
              const int *iu, const int *ju, const int *descu, double *vt, const int *ivt,
              const int *jvt, const int *descvt, double *work, const int *lwork, int *info);
void dgesdd_(const char *job, const int *m, const int *n, double *a, const int *lda, double *values,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork,
             int *numbers, int *info);
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *words, int *info);
void dsyevd_(const char *job, const char *triangle, const int *n, double *a, const int *lda,
             double *values, double *work, const int *words, int *integer_work, const int *integers,
             int *info);

#endif
