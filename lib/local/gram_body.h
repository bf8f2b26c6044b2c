/* The loops of gram.c, compiled for one set of instructions.  Columns are padded to whole groups of
 * eight numbers. */

#define LANES(p) (*(lanes *)(void *)(p))

/* x := x + (c x + a y), y := y + (c y + b x). */
static TARGET void FOR(mix_real)(int n, double c, double a, double b, double *x, double *y) {
  for (int i = 0; i < n; i += EIGHT) {
    const lanes p = LANES(x + i), q = LANES(y + i);
    LANES(x + i) = p + (c * p + a * q);
    LANES(y + i) = q + (c * q + b * p);
  }
}

/* x := x + (c x + a w y), y := y + (c y + b conj(w) x), complex w.  Numbers and columns are given
 * as their real and imaginary parts. */
static TARGET void FOR(mix_complex)(int n, double c, double a, double b, const double w[2],
                                    double *const x[2], double *const y[2]) {
  const double ar = a * w[0], ai = a * w[1], br = b * w[0], bi = -b * w[1];
  for (int i = 0; i < n; i += EIGHT) {
    const lanes p = LANES(x[0] + i), pi = LANES(x[1] + i), q = LANES(y[0] + i),
                qi = LANES(y[1] + i);
    LANES(x[0] + i) = p + (c * p + (ar * q - ai * qi));
    LANES(x[1] + i) = pi + (c * pi + (ar * qi + ai * q));
    LANES(y[0] + i) = q + (c * q + (br * p - bi * pi));
    LANES(y[1] + i) = qi + (c * qi + (br * pi + bi * p));
  }
}

#undef LANES

static const struct loops FOR(loops) = {FOR(mix_real), FOR(mix_complex)};
