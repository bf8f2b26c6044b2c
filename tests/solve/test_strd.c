/* Least squares: linear problems of the Statistical Reference Datasets (NIST), refined with
 * residuals in twice the precision, have 13 digits of the certified values. */
// ranks: 1 2 3 4
// sample: 1 3
#include "lu_case.h"

#include <math.h>

enum { DIGITS = 13 };

/* Longley 1967.  The first column after y is in tenths, so that all data are whole numbers. */
enum { YEARS = 16, LONGLEY = 7 };
static const int EMPLOYED[YEARS][6] = {
    {60323, 830, 234289, 2356, 1590, 107608},  {61122, 885, 259426, 2325, 1456, 108632},
    {60171, 882, 258054, 3682, 1616, 109773},  {61187, 895, 284599, 3351, 1650, 110929},
    {63221, 962, 328975, 2099, 3099, 112075},  {63639, 981, 346999, 1932, 3594, 113270},
    {64989, 990, 365385, 1870, 3547, 115094},  {63761, 1000, 363112, 3578, 3350, 116219},
    {66019, 1012, 397469, 2904, 3048, 117388}, {67857, 1046, 419180, 2822, 2857, 118734},
    {68169, 1084, 442769, 2936, 2798, 120445}, {66513, 1108, 444546, 4681, 2637, 121950},
    {68655, 1126, 482704, 3813, 2552, 123366}, {69564, 1142, 502601, 3931, 2514, 125368},
    {69331, 1157, 518173, 4806, 2572, 127852}, {70551, 1169, 554894, 4007, 2827, 130081}};
/* The certified values, and as many digits more, found with fractions of whole numbers. */
static const double LONGLEY_VALUES[LONGLEY] = {-3482258.6345958183253,   15.061872271373294970 / 10,
                                               -0.035819179292591016619, -2.0202298038168250857,
                                               -1.0332268671735919755,   -0.051104105653580714471,
                                               1829.1514646135518452};

static double _Complex longley(void *arg, int64_t i, int64_t j) {
  (void)arg;
  return j == 0 ? 1 : j == 6 ? 1947 + (double)i : EMPLOYED[i][j];
}

static double _Complex longley_side(void *arg, int64_t i, int64_t j) {
  (void)arg, (void)j;
  return EMPLOYED[i][0];
}

/* Wampler 1970: powers to the fifth of 0 ... 20. */
enum { POINTS = 21, WAMPLER = 6 };
static const int NOISE[POINTS] = {759,   -2048, 2048,  -2048, 2523,  -2048, 2048,
                                  -2048, 1838,  -2048, 2048,  -2048, 1838,  -2048,
                                  2048,  -2048, 2523,  -2048, 2048,  -2048, 759};

static double power(double x, int64_t n) {
  double value = 1;
  for (int64_t i = 0; i < n; i++) value *= x;
  return value;
}

static double _Complex wampler(void *arg, int64_t i, int64_t j) {
  (void)arg;
  return power((double)i, j);
}

/* Problem 1 ... 5; the second one in units of 1e-5, so that it has whole numbers. */
static double _Complex wampler_side(void *arg, int64_t i, int64_t j) {
  const int number = *(const int *)arg;
  double sum = 0;
  (void)j;
  for (int l = 0; l < WAMPLER; l++)
    sum += power((double)i, l) * (number == 2 ? power(10, 5 - l) : 1);
  return number < 3 ? sum : sum + NOISE[i] * power(100, number - 3);
}

/* Filippelli: y, in units of 1e-4, by powers to the tenth of -x, in units of 1e-9. */
enum { FILIP = 82, FILIP_POWERS = 11 };
static const int64_t FILIPPELLI[FILIP][2] = {
    {8116, 6860120914}, {9072, 4324130045}, {9052, 4358625055}, {9039, 4358426747},
    {8053, 6955852379}, {8377, 6661145254}, {8667, 6355462942}, {8809, 6118102026},
    {7975, 7115148017}, {8162, 6815308569}, {8515, 6519993057}, {8766, 6204119983},
    {8885, 5853871964}, {8859, 6109523091}, {8959, 5798329820}, {8913, 5482672118},
    {8959, 5171791386}, {8971, 4851705903}, {9021, 4517126416}, {9090, 4143573228},
    {9139, 3709075441}, {9199, 3499489089}, {8692, 6300769497}, {8872, 5953504836},
    {8900, 5642065153}, {8910, 5031376979}, {8977, 4680685696}, {9035, 4329846955},
    {9078, 3928486195}, {7675, 8567351340}, {7705, 8363211311}, {7713, 8107682739},
    {7736, 7823908741}, {7775, 7522878745}, {7841, 7218819279}, {7971, 6920818754},
    {8329, 6628932138}, {8641, 6323946875}, {8804, 5991399828}, {7668, 8781464495},
    {7633, 8663140179}, {7678, 8473531488}, {7697, 8247337057}, {7700, 7971428747},
    {7749, 7676129393}, {7796, 7352812702}, {7897, 7072065318}, {8131, 6774174009},
    {8498, 6478861916}, {8741, 6159517513}, {8061, 6835647144}, {8460, 6531652670},
    {8751, 6224098421}, {8856, 5910094889}, {8919, 5598599459}, {8934, 5290645224},
    {8940, 4974284616}, {8957, 4644548480}, {9047, 4290560426}, {9129, 3885055584},
    {9209, 3408378962}, {9219, 3132002490}, {7739, 8726767166}, {7681, 8666955970},
    {7665, 8511026475}, {7703, 8165388579}, {7702, 7886056648}, {7761, 7588043762},
    {7809, 7283412422}, {7961, 6995678626}, {8253, 6691862621}, {8602, 6392544977},
    {8809, 6067374056}, {8301, 6684029655}, {8664, 6378719832}, {8834, 6065855188},
    {8898, 5752272167}, {8964, 5132414673}, {8963, 4811352704}, {9074, 4098269308},
    {9119, 3661742770}, {9228, 3264401100}};
static const double FILIP_VALUES[FILIP_POWERS] = {
    -1467.4896142297958823,    -2772.1795919334239280,     -2316.3710816089307588,
    -1127.9739409837156986,    -354.47823370334877161,     -75.124201739375713891,
    -10.875318035534251085,    -1.0622149858894676646,     -0.067019115459340837593,
    -0.0024678107827547865084, -0.000040296252508040367130};

/* x^j in two words. */
struct pair {
  double high, low;
};

static struct pair multiply(struct pair a, struct pair b) {
  const double high = a.high * b.high;
  const double low = fma(a.high, b.high, -high) + (a.high * b.low + a.low * b.high);
  const double sum = high + low;
  return (struct pair){sum, low - (sum - high)};
}

static struct pair filip_power(int64_t i, int64_t j) {
  const double units = -(double)FILIPPELLI[i][1], high = units / 1e9;
  const struct pair x = {high, fma(-high, 1e9, units) / 1e9};
  struct pair value = {1, 0};
  for (int64_t l = 0; l < j; l++) value = multiply(value, x);
  return value;
}

static double _Complex filip(void *arg, int64_t i, int64_t j) {
  const struct pair value = filip_power(i, j);
  return *(const int *)arg == 0 ? value.high : value.low;
}

static double _Complex filip_side(void *arg, int64_t i, int64_t j) {
  (void)arg, (void)j;
  return (double)FILIPPELLI[i][0];
}

/* ------------------------------------------------------------------ problems -- */

typedef double _Complex entries(void *arg, int64_t i, int64_t j);

static hyla_matrix *filled(hyla_cube *cube, int64_t m, int64_t n, entries *of, void *arg) {
  hyla_matrix *made = NULL;
  lu_assert_status(cube, hyla_matrix_create(cube, HYLA_DOUBLE, m, n, NULL, &made), HYLA_OK);
  lu_assert_status(cube, hyla_matrix_fill(cube, made, of, arg), HYLA_OK);
  return made;
}

struct fit {
  hyla_matrix *a, *lower, *b;
  double unit; /* of b */
};

/* All coefficients have the digits. */
static void check(hyla_cube *cube, struct fit *f, int64_t n, const double *values) {
  const hyla_lstsq_options options = {.method = HYLA_LSTSQ_QR, .extended = true, .lower = f->lower};
  hyla_lstsq_report report;
  hyla_matrix *x = NULL;
  lu_assert_status(cube, hyla_matrix_create(cube, HYLA_DOUBLE, n, 1, NULL, &x), HYLA_OK);
  lu_assert_status(cube, hyla_lstsq(cube, &options, f->a, f->b, x, &report), HYLA_OK);
  assert_true(report.refinements >= 1 && report.correction <= 1e-13);
  for (int64_t i = 0; i < n; i++) {
    hyla_scalar found = 0;
    lu_assert_status(cube, hyla_matrix_get(cube, x, i, 0, &found), HYLA_OK);
    const double error = fabs(creal(found) * f->unit / values[i] - 1);
    if (!(error <= pow(10, -DIGITS))) fail_msg("coefficient %d: error %g", (int)i, error);
  }
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&f->b);
  hyla_matrix_destroy(&f->lower);
  hyla_matrix_destroy(&f->a);
}

static void employment_has_all_digits(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct fit f = {.unit = 1};
  f.a = filled(cube, YEARS, LONGLEY, longley, NULL);
  f.b = filled(cube, YEARS, 1, longley_side, NULL);
  check(cube, &f, LONGLEY, LONGLEY_VALUES);
  cube_close(&cube);
}

/* Noise of the size of y, times 1, 100 and 10000, is orthogonal to the powers. */
static void powers_have_all_digits(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int number = 1; number <= 5; number++) {
    struct fit f = {.unit = number == 2 ? 1e-5 : 1};
    double values[WAMPLER];
    harness_note("Wampler %d", number);
    for (int l = 0; l < WAMPLER; l++) values[l] = number == 2 ? 1 / power(10, l) : 1;
    f.a = filled(cube, POINTS, WAMPLER, wampler, NULL);
    f.b = filled(cube, POINTS, 1, wampler_side, &number);
    check(cube, &f, WAMPLER, values);
  }
  cube_close(&cube);
}

/* Powers to the tenth need two words: their rounding alone would leave no digit. */
static void filippellis_data_have_all_digits(void **state) {
  (void)state;
  int words[] = {0, 1};
  hyla_cube *cube = cube_open_array();
  struct fit f = {.unit = 1e-4};
  f.a = filled(cube, FILIP, FILIP_POWERS, filip, &words[0]);
  f.lower = filled(cube, FILIP, FILIP_POWERS, filip, &words[1]);
  f.b = filled(cube, FILIP, 1, filip_side, NULL);
  check(cube, &f, FILIP_POWERS, FILIP_VALUES);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(employment_has_all_digits),
      cmocka_unit_test(powers_have_all_digits),
      cmocka_unit_test(filippellis_data_have_all_digits),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
