/* Sums of products in the instructions of a processor.  extended.c includes this file with these
 * macros set:
 *   FOR(name)                   the name of a function for these instructions
 *   TARGET                      the attribute that allows the compiler to use them
 *   PRODUCT_ERROR(a, b, p)      a b - p exactly, where p is a b rounded */

static TARGET void FOR(exact)(const double *restrict a, double x, double *restrict high,
                              double *restrict low) {
  for (int i = 0; i < HY_STRIP; i++) {
    double product = a[i] * x, error = PRODUCT_ERROR(a[i], x, product);
    double sum = high[i] + product, part = sum - high[i];
    low[i] += error + ((high[i] - (sum - part)) + (product - part));
    high[i] = sum;
  }
}

static TARGET void FOR(rounded)(const double *restrict a, double x, double *restrict high,
                                double *restrict low) {
  (void)low;
  for (int i = 0; i < HY_STRIP; i++) high[i] += a[i] * x;
}

static const struct hy_extended FOR(extended) = {.exact = FOR(exact), .rounded = FOR(rounded)};

#undef FOR
#undef TARGET
#undef PRODUCT_ERROR
