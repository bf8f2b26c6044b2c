/* The routines of one type, each under Fortran's name for it.  entries.c includes this once per
 * type, with these macros set:
 *   LETTER        s, d, c or z
 *   TYPE          the tag of hyla.h
 *   REAL          the real type
 *   COMPLEX_TYPE  defined if entries have an imaginary part
 * Fortran passes the lengths of characters after all arguments.  They are not read here, and
 * lengths that are passed on are 1. */

#define NAME_OF(letter, name) p##letter##name##_
#define NAME_WITH(letter, name) NAME_OF(letter, name)
#define NAME(name) NAME_WITH(LETTER, name)

HYLA_API void NAME(gemm)(char *op_a, char *op_b, int *m, int *n, int *k, void *alpha, void *a,
                         int *ia, int *ja, int *desc_a, void *b, int *ib, int *jb, int *desc_b,
                         void *beta, void *c, int *ic, int *jc, int *desc_c) {
  dropin_call(DROPIN_gemm, TYPE,
              (void *[]){op_a, op_b, m, n, k, alpha, a, ia, ja, desc_a, b, ib, jb, desc_b, beta, c,
                         ic, jc, desc_c});
}

HYLA_API void NAME(symm)(char *side, char *triangle, int *m, int *n, void *alpha, void *a, int *ia,
                         int *ja, int *desc_a, void *b, int *ib, int *jb, int *desc_b, void *beta,
                         void *c, int *ic, int *jc, int *desc_c) {
  dropin_call(DROPIN_symm, TYPE,
              (void *[]){side, triangle, m, n, alpha, a, ia, ja, desc_a, b, ib, jb, desc_b, beta, c,
                         ic, jc, desc_c});
}

HYLA_API void NAME(syrk)(char *triangle, char *op, int *n, int *k, void *alpha, void *a, int *ia,
                         int *ja, int *desc_a, void *beta, void *c, int *ic, int *jc, int *desc_c) {
  dropin_call(DROPIN_syrk, TYPE,
              (void *[]){triangle, op, n, k, alpha, a, ia, ja, desc_a, beta, c, ic, jc, desc_c});
}

HYLA_API void NAME(trmm)(char *side, char *triangle, char *op, char *diagonal, int *m, int *n,
                         void *alpha, void *a, int *ia, int *ja, int *desc_a, void *b, int *ib,
                         int *jb, int *desc_b) {
  dropin_call(
      DROPIN_trmm, TYPE,
      (void *[]){side, triangle, op, diagonal, m, n, alpha, a, ia, ja, desc_a, b, ib, jb, desc_b});
}

HYLA_API void NAME(trsm)(char *side, char *triangle, char *op, char *diagonal, int *m, int *n,
                         void *alpha, void *a, int *ia, int *ja, int *desc_a, void *b, int *ib,
                         int *jb, int *desc_b) {
  dropin_call(
      DROPIN_trsm, TYPE,
      (void *[]){side, triangle, op, diagonal, m, n, alpha, a, ia, ja, desc_a, b, ib, jb, desc_b});
}

HYLA_API void NAME(getrf)(int *m, int *n, void *a, int *ia, int *ja, int *desc_a, int *pivots,
                          int *info) {
  dropin_call(DROPIN_getrf, TYPE, (void *[]){m, n, a, ia, ja, desc_a, pivots, info});
}

HYLA_API void NAME(getrs)(char *op, int *n, int *nrhs, void *a, int *ia, int *ja, int *desc_a,
                          int *pivots, void *b, int *ib, int *jb, int *desc_b, int *info) {
  dropin_call(DROPIN_getrs, TYPE,
              (void *[]){op, n, nrhs, a, ia, ja, desc_a, pivots, b, ib, jb, desc_b, info});
}

HYLA_API void NAME(gesv)(int *n, int *nrhs, void *a, int *ia, int *ja, int *desc_a, int *pivots,
                         void *b, int *ib, int *jb, int *desc_b, int *info) {
  dropin_call(DROPIN_gesv, TYPE,
              (void *[]){n, nrhs, a, ia, ja, desc_a, pivots, b, ib, jb, desc_b, info});
}

HYLA_API void NAME(getri)(int *n, void *a, int *ia, int *ja, int *desc_a, int *pivots, void *work,
                          int *lwork, int *iwork, int *liwork, int *info) {
  dropin_call(DROPIN_getri, TYPE,
              (void *[]){n, a, ia, ja, desc_a, pivots, work, lwork, iwork, liwork, info});
}

HYLA_API void NAME(potrf)(char *triangle, int *n, void *a, int *ia, int *ja, int *desc_a,
                          int *info) {
  dropin_call(DROPIN_potrf, TYPE, (void *[]){triangle, n, a, ia, ja, desc_a, info});
}

HYLA_API void NAME(potrs)(char *triangle, int *n, int *nrhs, void *a, int *ia, int *ja, int *desc_a,
                          void *b, int *ib, int *jb, int *desc_b, int *info) {
  dropin_call(DROPIN_potrs, TYPE,
              (void *[]){triangle, n, nrhs, a, ia, ja, desc_a, b, ib, jb, desc_b, info});
}

HYLA_API void NAME(posv)(char *triangle, int *n, int *nrhs, void *a, int *ia, int *ja, int *desc_a,
                         void *b, int *ib, int *jb, int *desc_b, int *info) {
  dropin_call(DROPIN_posv, TYPE,
              (void *[]){triangle, n, nrhs, a, ia, ja, desc_a, b, ib, jb, desc_b, info});
}

HYLA_API void NAME(trtri)(char *triangle, char *diagonal, int *n, void *a, int *ia, int *ja,
                          int *desc_a, int *info) {
  dropin_call(DROPIN_trtri, TYPE, (void *[]){triangle, diagonal, n, a, ia, ja, desc_a, info});
}

HYLA_API void NAME(potri)(char *triangle, int *n, void *a, int *ia, int *ja, int *desc_a,
                          int *info) {
  dropin_call(DROPIN_potri, TYPE, (void *[]){triangle, n, a, ia, ja, desc_a, info});
}

HYLA_API void NAME(geqrf)(int *m, int *n, void *a, int *ia, int *ja, int *desc_a, void *tau,
                          void *work, int *lwork, int *info) {
  dropin_call(DROPIN_geqrf, TYPE, (void *[]){m, n, a, ia, ja, desc_a, tau, work, lwork, info});
}

HYLA_API void NAME(gels)(char *op, int *m, int *n, int *nrhs, void *a, int *ia, int *ja,
                         int *desc_a, void *b, int *ib, int *jb, int *desc_b, void *work,
                         int *lwork, int *info) {
  dropin_call(DROPIN_gels, TYPE,
              (void *[]){op, m, n, nrhs, a, ia, ja, desc_a, b, ib, jb, desc_b, work, lwork, info});
}

/* more: integers; in complex types reals. */
HYLA_API void NAME(gecon)(char *norm, int *n, void *a, int *ia, int *ja, int *desc_a, void *a_norm,
                          void *rcond, void *work, int *lwork, void *more, int *lmore, int *info) {
  dropin_call(
      DROPIN_gecon, TYPE,
      (void *[]){norm, n, a, ia, ja, desc_a, a_norm, rcond, work, lwork, more, lmore, info});
}

HYLA_API void NAME(pocon)(char *triangle, int *n, void *a, int *ia, int *ja, int *desc_a,
                          void *a_norm, void *rcond, void *work, int *lwork, void *more, int *lmore,
                          int *info) {
  dropin_call(
      DROPIN_pocon, TYPE,
      (void *[]){triangle, n, a, ia, ja, desc_a, a_norm, rcond, work, lwork, more, lmore, info});
}

/* Norms are functions; their value is one more argument for the drop-in. */
HYLA_API REAL NAME(lange)(char *norm, int *m, int *n, void *a, int *ia, int *ja, int *desc_a,
                          void *work) {
  REAL value = 0;
  dropin_call(DROPIN_lange, TYPE, (void *[]){norm, m, n, a, ia, ja, desc_a, work, &value});
  return value;
}

HYLA_API REAL NAME(lansy)(char *norm, char *triangle, int *n, void *a, int *ia, int *ja,
                          int *desc_a, void *work) {
  REAL value = 0;
  dropin_call(DROPIN_lansy, TYPE, (void *[]){norm, triangle, n, a, ia, ja, desc_a, work, &value});
  return value;
}

HYLA_API REAL NAME(lantr)(char *norm, char *triangle, char *diagonal, int *m, int *n, void *a,
                          int *ia, int *ja, int *desc_a, void *work) {
  REAL value = 0;
  dropin_call(DROPIN_lantr, TYPE,
              (void *[]){norm, triangle, diagonal, m, n, a, ia, ja, desc_a, work, &value});
  return value;
}

HYLA_API void NAME(geadd)(char *op, int *m, int *n, void *alpha, void *a, int *ia, int *ja,
                          int *desc_a, void *beta, void *c, int *ic, int *jc, int *desc_c) {
  dropin_call(DROPIN_geadd, TYPE,
              (void *[]){op, m, n, alpha, a, ia, ja, desc_a, beta, c, ic, jc, desc_c});
}

HYLA_API void NAME(gemv)(char *op, int *m, int *n, void *alpha, void *a, int *ia, int *ja,
                         int *desc_a, void *x, int *ix, int *jx, int *desc_x, int *inc_x,
                         void *beta, void *y, int *iy, int *jy, int *desc_y, int *inc_y) {
  dropin_call(DROPIN_gemv, TYPE,
              (void *[]){op, m, n, alpha, a, ia, ja, desc_a, x, ix, jx, desc_x, inc_x, beta, y, iy,
                         jy, desc_y, inc_y});
}

HYLA_API void NAME(tradd)(char *triangle, char *op, int *m, int *n, void *alpha, void *a, int *ia,
                          int *ja, int *desc_a, void *beta, void *c, int *ic, int *jc,
                          int *desc_c) {
  dropin_call(DROPIN_tradd, TYPE,
              (void *[]){triangle, op, m, n, alpha, a, ia, ja, desc_a, beta, c, ic, jc, desc_c});
}

HYLA_API void NAME(lacpy)(char *part, int *m, int *n, void *a, int *ia, int *ja, int *desc_a,
                          void *b, int *ib, int *jb, int *desc_b) {
  dropin_call(DROPIN_lacpy, TYPE, (void *[]){part, m, n, a, ia, ja, desc_a, b, ib, jb, desc_b});
}

HYLA_API void NAME(laset)(char *part, int *m, int *n, void *alpha, void *beta, void *a, int *ia,
                          int *ja, int *desc_a) {
  dropin_call(DROPIN_laset, TYPE, (void *[]){part, m, n, alpha, beta, a, ia, ja, desc_a});
}

HYLA_API void NAME(elset)(void *a, int *ia, int *ja, int *desc_a, void *alpha) {
  dropin_call(DROPIN_elset, TYPE, (void *[]){a, ia, ja, desc_a, alpha});
}

HYLA_API void NAME(elget)(char *scope, char *topology, void *alpha, void *a, int *ia, int *ja,
                          int *desc_a) {
  dropin_call(DROPIN_elget, TYPE, (void *[]){scope, topology, alpha, a, ia, ja, desc_a});
}

HYLA_API void NAME(syr2k)(char *triangle, char *op, int *n, int *k, void *alpha, void *a, int *ia,
                          int *ja, int *desc_a, void *b, int *ib, int *jb, int *desc_b, void *beta,
                          void *c, int *ic, int *jc, int *desc_c) {
  dropin_call(DROPIN_syr2k, TYPE,
              (void *[]){triangle, op, n, k, alpha, a, ia, ja, desc_a, b, ib, jb, desc_b, beta, c,
                         ic, jc, desc_c});
}

#ifdef COMPLEX_TYPE
HYLA_API REAL NAME(lanhe)(char *norm, char *triangle, int *n, void *a, int *ia, int *ja,
                          int *desc_a, void *work) {
  REAL value = 0;
  dropin_call(DROPIN_lanhe, TYPE, (void *[]){norm, triangle, n, a, ia, ja, desc_a, work, &value});
  return value;
}

HYLA_API void NAME(hemm)(char *side, char *triangle, int *m, int *n, void *alpha, void *a, int *ia,
                         int *ja, int *desc_a, void *b, int *ib, int *jb, int *desc_b, void *beta,
                         void *c, int *ic, int *jc, int *desc_c) {
  dropin_call(DROPIN_hemm, TYPE,
              (void *[]){side, triangle, m, n, alpha, a, ia, ja, desc_a, b, ib, jb, desc_b, beta, c,
                         ic, jc, desc_c});
}

HYLA_API void NAME(herk)(char *triangle, char *op, int *n, int *k, void *alpha, void *a, int *ia,
                         int *ja, int *desc_a, void *beta, void *c, int *ic, int *jc, int *desc_c) {
  dropin_call(DROPIN_herk, TYPE,
              (void *[]){triangle, op, n, k, alpha, a, ia, ja, desc_a, beta, c, ic, jc, desc_c});
}

HYLA_API void NAME(tranu)(int *m, int *n, void *alpha, void *a, int *ia, int *ja, int *desc_a,
                          void *beta, void *c, int *ic, int *jc, int *desc_c) {
  dropin_call(DROPIN_tranu, TYPE,
              (void *[]){m, n, alpha, a, ia, ja, desc_a, beta, c, ic, jc, desc_c});
}

HYLA_API void NAME(tranc)(int *m, int *n, void *alpha, void *a, int *ia, int *ja, int *desc_a,
                          void *beta, void *c, int *ic, int *jc, int *desc_c) {
  dropin_call(DROPIN_tranc, TYPE,
              (void *[]){m, n, alpha, a, ia, ja, desc_a, beta, c, ic, jc, desc_c});
}

HYLA_API void NAME(unmqr)(char *side, char *op, int *m, int *n, int *k, void *a, int *ia, int *ja,
                          int *desc_a, void *tau, void *c, int *ic, int *jc, int *desc_c,
                          void *work, int *lwork, int *info) {
  dropin_call(
      DROPIN_unmqr, TYPE,
      (void *[]){side, op, m, n, k, a, ia, ja, desc_a, tau, c, ic, jc, desc_c, work, lwork, info});
}

HYLA_API void NAME(ungqr)(int *m, int *n, int *k, void *a, int *ia, int *ja, int *desc_a, void *tau,
                          void *work, int *lwork, int *info) {
  dropin_call(DROPIN_ungqr, TYPE, (void *[]){m, n, k, a, ia, ja, desc_a, tau, work, lwork, info});
}

HYLA_API void NAME(gesvd)(char *left, char *right, int *m, int *n, void *a, int *ia, int *ja,
                          int *desc_a, void *s, void *u, int *iu, int *ju, int *desc_u, void *vt,
                          int *ivt, int *jvt, int *desc_vt, void *work, int *lwork, void *rwork,
                          int *info) {
  dropin_call(DROPIN_gesvd, TYPE,
              (void *[]){left, right,  m,  n,   a,   ia,      ja,   desc_a, s,     u,   iu,
                         ju,   desc_u, vt, ivt, jvt, desc_vt, work, lwork,  rwork, info});
}

HYLA_API void NAME(geqpf)(int *m, int *n, void *a, int *ia, int *ja, int *desc_a, int *pivots,
                          void *tau, void *work, int *lwork, void *rwork, int *lrwork, int *info) {
  dropin_call(DROPIN_geqpf, TYPE,
              (void *[]){m, n, a, ia, ja, desc_a, pivots, tau, work, lwork, rwork, lrwork, info});
}

HYLA_API void NAME(hetrd)(char *triangle, int *n, void *a, int *ia, int *ja, int *desc_a, void *d,
                          void *e, void *tau, void *work, int *lwork, int *info) {
  dropin_call(DROPIN_hetrd, TYPE,
              (void *[]){triangle, n, a, ia, ja, desc_a, d, e, tau, work, lwork, info});
}

HYLA_API void NAME(heev)(char *job, char *triangle, int *n, void *a, int *ia, int *ja, int *desc_a,
                         void *w, void *z, int *iz, int *jz, int *desc_z, void *work, int *lwork,
                         void *rwork, int *lrwork, int *info) {
  dropin_call(DROPIN_heev, TYPE,
              (void *[]){job, triangle, n, a, ia, ja, desc_a, w, z, iz, jz, desc_z, work, lwork,
                         rwork, lrwork, info});
}

HYLA_API void NAME(heevd)(char *job, char *triangle, int *n, void *a, int *ia, int *ja, int *desc_a,
                          void *w, void *z, int *iz, int *jz, int *desc_z, void *work, int *lwork,
                          void *rwork, int *lrwork, int *iwork, int *liwork, int *info) {
  dropin_call(DROPIN_heevd, TYPE,
              (void *[]){job, triangle, n, a, ia, ja, desc_a, w, z, iz, jz, desc_z, work, lwork,
                         rwork, lrwork, iwork, liwork, info});
}

HYLA_API void NAME(heevx)(char *job, char *range, char *triangle, int *n, void *a, int *ia, int *ja,
                          int *desc_a, void *low, void *high, int *first, int *last,
                          void *tolerance, int *m, int *nz, void *w, void *orthogonal, void *z,
                          int *iz, int *jz, int *desc_z, void *work, int *lwork, void *rwork,
                          int *lrwork, int *iwork, int *liwork, int *failed, int *clusters,
                          void *gap, int *info) {
  dropin_call(DROPIN_heevx, TYPE,
              (void *[]){job,        range, triangle, n,      a,         ia,   ja,    desc_a,
                         low,        high,  first,    last,   tolerance, m,    nz,    w,
                         orthogonal, z,     iz,       jz,     desc_z,    work, lwork, rwork,
                         lrwork,     iwork, liwork,   failed, clusters,  gap,  info});
}

HYLA_API void NAME(heevr)(char *job, char *range, char *triangle, int *n, void *a, int *ia, int *ja,
                          int *desc_a, void *low, void *high, int *first, int *last, int *m,
                          int *nz, void *w, void *z, int *iz, int *jz, int *desc_z, void *work,
                          int *lwork, void *rwork, int *lrwork, int *iwork, int *liwork,
                          int *info) {
  dropin_call(DROPIN_heevr, TYPE,
              (void *[]){job,    range, triangle, n,     a,      ia,    ja,     desc_a, low,
                         high,   first, last,     m,     nz,     w,     z,      iz,     jz,
                         desc_z, work,  lwork,    rwork, lrwork, iwork, liwork, info});
}

HYLA_API void NAME(geru)(int *m, int *n, void *alpha, void *x, int *ix, int *jx, int *desc_x,
                         int *inc_x, void *y, int *iy, int *jy, int *desc_y, int *inc_y, void *a,
                         int *ia, int *ja, int *desc_a) {
  dropin_call(DROPIN_geru, TYPE,
              (void *[]){m, n, alpha, x, ix, jx, desc_x, inc_x, y, iy, jy, desc_y, inc_y, a, ia, ja,
                         desc_a});
}

HYLA_API void NAME(gerc)(int *m, int *n, void *alpha, void *x, int *ix, int *jx, int *desc_x,
                         int *inc_x, void *y, int *iy, int *jy, int *desc_y, int *inc_y, void *a,
                         int *ia, int *ja, int *desc_a) {
  dropin_call(DROPIN_gerc, TYPE,
              (void *[]){m, n, alpha, x, ix, jx, desc_x, inc_x, y, iy, jy, desc_y, inc_y, a, ia, ja,
                         desc_a});
}

HYLA_API void NAME(her2k)(char *triangle, char *op, int *n, int *k, void *alpha, void *a, int *ia,
                          int *ja, int *desc_a, void *b, int *ib, int *jb, int *desc_b, void *beta,
                          void *c, int *ic, int *jc, int *desc_c) {
  dropin_call(DROPIN_her2k, TYPE,
              (void *[]){triangle, op, n, k, alpha, a, ia, ja, desc_a, b, ib, jb, desc_b, beta, c,
                         ic, jc, desc_c});
}

HYLA_API void NAME(unmtr)(char *side, char *triangle, char *op, int *m, int *n, void *a, int *ia,
                          int *ja, int *desc_a, void *tau, void *c, int *ic, int *jc, int *desc_c,
                          void *work, int *lwork, int *info) {
  dropin_call(DROPIN_unmtr, TYPE,
              (void *[]){side, triangle, op, m, n, a, ia, ja, desc_a, tau, c, ic, jc, desc_c, work,
                         lwork, info});
}

HYLA_API void NAME(hegst)(int *kind, char *triangle, int *n, void *a, int *ia, int *ja, int *desc_a,
                          void *b, int *ib, int *jb, int *desc_b, void *scale, int *info) {
  dropin_call(DROPIN_hegst, TYPE,
              (void *[]){kind, triangle, n, a, ia, ja, desc_a, b, ib, jb, desc_b, scale, info});
}

HYLA_API void NAME(hengst)(int *kind, char *triangle, int *n, void *a, int *ia, int *ja,
                           int *desc_a, void *b, int *ib, int *jb, int *desc_b, void *scale,
                           void *work, int *lwork, int *info) {
  dropin_call(DROPIN_hengst, TYPE,
              (void *[]){kind, triangle, n, a, ia, ja, desc_a, b, ib, jb, desc_b, scale, work,
                         lwork, info});
}

HYLA_API void NAME(hegvx)(int *kind, char *job, char *range, char *triangle, int *n, void *a,
                          int *ia, int *ja, int *desc_a, void *b, int *ib, int *jb, int *desc_b,
                          void *low, void *high, int *first, int *last, void *tolerance, int *m,
                          int *nz, void *w, void *orthogonal, void *z, int *iz, int *jz,
                          int *desc_z, void *work, int *lwork, void *rwork, int *lrwork, int *iwork,
                          int *liwork, int *failed, int *clusters, void *gap, int *info) {
  dropin_call(DROPIN_hegvx, TYPE,
              (void *[]){kind,   job,       range, triangle, n,      a,          ia,    ja,
                         desc_a, b,         ib,    jb,       desc_b, low,        high,  first,
                         last,   tolerance, m,     nz,       w,      orthogonal, z,     iz,
                         jz,     desc_z,    work,  lwork,    rwork,  lrwork,     iwork, liwork,
                         failed, clusters,  gap,   info});
}

#else
HYLA_API void NAME(tran)(int *m, int *n, void *alpha, void *a, int *ia, int *ja, int *desc_a,
                         void *beta, void *c, int *ic, int *jc, int *desc_c) {
  dropin_call(DROPIN_tran, TYPE,
              (void *[]){m, n, alpha, a, ia, ja, desc_a, beta, c, ic, jc, desc_c});
}

HYLA_API void NAME(ormqr)(char *side, char *op, int *m, int *n, int *k, void *a, int *ia, int *ja,
                          int *desc_a, void *tau, void *c, int *ic, int *jc, int *desc_c,
                          void *work, int *lwork, int *info) {
  dropin_call(
      DROPIN_ormqr, TYPE,
      (void *[]){side, op, m, n, k, a, ia, ja, desc_a, tau, c, ic, jc, desc_c, work, lwork, info});
}

HYLA_API void NAME(orgqr)(int *m, int *n, int *k, void *a, int *ia, int *ja, int *desc_a, void *tau,
                          void *work, int *lwork, int *info) {
  dropin_call(DROPIN_orgqr, TYPE, (void *[]){m, n, k, a, ia, ja, desc_a, tau, work, lwork, info});
}

HYLA_API void NAME(sytrd)(char *triangle, int *n, void *a, int *ia, int *ja, int *desc_a, void *d,
                          void *e, void *tau, void *work, int *lwork, int *info) {
  dropin_call(DROPIN_sytrd, TYPE,
              (void *[]){triangle, n, a, ia, ja, desc_a, d, e, tau, work, lwork, info});
}

HYLA_API void NAME(syev)(char *job, char *triangle, int *n, void *a, int *ia, int *ja, int *desc_a,
                         void *w, void *z, int *iz, int *jz, int *desc_z, void *work, int *lwork,
                         int *info) {
  dropin_call(
      DROPIN_syev, TYPE,
      (void *[]){job, triangle, n, a, ia, ja, desc_a, w, z, iz, jz, desc_z, work, lwork, info});
}

HYLA_API void NAME(syevd)(char *job, char *triangle, int *n, void *a, int *ia, int *ja, int *desc_a,
                          void *w, void *z, int *iz, int *jz, int *desc_z, void *work, int *lwork,
                          int *iwork, int *liwork, int *info) {
  dropin_call(DROPIN_syevd, TYPE,
              (void *[]){job, triangle, n, a, ia, ja, desc_a, w, z, iz, jz, desc_z, work, lwork,
                         iwork, liwork, info});
}

HYLA_API void NAME(syevx)(char *job, char *range, char *triangle, int *n, void *a, int *ia, int *ja,
                          int *desc_a, void *low, void *high, int *first, int *last,
                          void *tolerance, int *m, int *nz, void *w, void *orthogonal, void *z,
                          int *iz, int *jz, int *desc_z, void *work, int *lwork, int *iwork,
                          int *liwork, int *failed, int *clusters, void *gap, int *info) {
  dropin_call(DROPIN_syevx, TYPE,
              (void *[]){job,        range,  triangle, n,    a,         ia,   ja,    desc_a,
                         low,        high,   first,    last, tolerance, m,    nz,    w,
                         orthogonal, z,      iz,       jz,   desc_z,    work, lwork, iwork,
                         liwork,     failed, clusters, gap,  info});
}

HYLA_API void NAME(syevr)(char *job, char *range, char *triangle, int *n, void *a, int *ia, int *ja,
                          int *desc_a, void *low, void *high, int *first, int *last, int *m,
                          int *nz, void *w, void *z, int *iz, int *jz, int *desc_z, void *work,
                          int *lwork, int *iwork, int *liwork, int *info) {
  dropin_call(DROPIN_syevr, TYPE,
              (void *[]){job, range, triangle, n,    a,     ia,    ja,     desc_a,
                         low, high,  first,    last, m,     nz,    w,      z,
                         iz,  jz,    desc_z,   work, lwork, iwork, liwork, info});
}

HYLA_API void NAME(gesvd)(char *left, char *right, int *m, int *n, void *a, int *ia, int *ja,
                          int *desc_a, void *s, void *u, int *iu, int *ju, int *desc_u, void *vt,
                          int *ivt, int *jvt, int *desc_vt, void *work, int *lwork, int *info) {
  dropin_call(DROPIN_gesvd, TYPE,
              (void *[]){left, right, m,      n,  a,   ia,  ja,      desc_a, s,     u,
                         iu,   ju,    desc_u, vt, ivt, jvt, desc_vt, work,   lwork, info});
}

HYLA_API void NAME(geqpf)(int *m, int *n, void *a, int *ia, int *ja, int *desc_a, int *pivots,
                          void *tau, void *work, int *lwork, int *info) {
  dropin_call(DROPIN_geqpf, TYPE,
              (void *[]){m, n, a, ia, ja, desc_a, pivots, tau, work, lwork, info});
}

HYLA_API void NAME(ger)(int *m, int *n, void *alpha, void *x, int *ix, int *jx, int *desc_x,
                        int *inc_x, void *y, int *iy, int *jy, int *desc_y, int *inc_y, void *a,
                        int *ia, int *ja, int *desc_a) {
  dropin_call(DROPIN_ger, TYPE,
              (void *[]){m, n, alpha, x, ix, jx, desc_x, inc_x, y, iy, jy, desc_y, inc_y, a, ia, ja,
                         desc_a});
}

HYLA_API void NAME(ormtr)(char *side, char *triangle, char *op, int *m, int *n, void *a, int *ia,
                          int *ja, int *desc_a, void *tau, void *c, int *ic, int *jc, int *desc_c,
                          void *work, int *lwork, int *info) {
  dropin_call(DROPIN_ormtr, TYPE,
              (void *[]){side, triangle, op, m, n, a, ia, ja, desc_a, tau, c, ic, jc, desc_c, work,
                         lwork, info});
}

HYLA_API void NAME(sygst)(int *kind, char *triangle, int *n, void *a, int *ia, int *ja, int *desc_a,
                          void *b, int *ib, int *jb, int *desc_b, void *scale, int *info) {
  dropin_call(DROPIN_sygst, TYPE,
              (void *[]){kind, triangle, n, a, ia, ja, desc_a, b, ib, jb, desc_b, scale, info});
}

HYLA_API void NAME(syngst)(int *kind, char *triangle, int *n, void *a, int *ia, int *ja,
                           int *desc_a, void *b, int *ib, int *jb, int *desc_b, void *scale,
                           void *work, int *lwork, int *info) {
  dropin_call(DROPIN_syngst, TYPE,
              (void *[]){kind, triangle, n, a, ia, ja, desc_a, b, ib, jb, desc_b, scale, work,
                         lwork, info});
}

HYLA_API void NAME(sygvx)(int *kind, char *job, char *range, char *triangle, int *n, void *a,
                          int *ia, int *ja, int *desc_a, void *b, int *ib, int *jb, int *desc_b,
                          void *low, void *high, int *first, int *last, void *tolerance, int *m,
                          int *nz, void *w, void *orthogonal, void *z, int *iz, int *jz,
                          int *desc_z, void *work, int *lwork, int *iwork, int *liwork, int *failed,
                          int *clusters, void *gap, int *info) {
  dropin_call(DROPIN_sygvx, TYPE,
              (void *[]){kind,  job,   range,  triangle,   n,        a,    ia,    ja,     desc_a,
                         b,     ib,    jb,     desc_b,     low,      high, first, last,   tolerance,
                         m,     nz,    w,      orthogonal, z,        iz,   jz,    desc_z, work,
                         lwork, iwork, liwork, failed,     clusters, gap,  info});
}

#endif

#undef NAME_OF
#undef NAME_WITH
#undef NAME
