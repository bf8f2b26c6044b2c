/* Traffic at random: the library's flows satisfy the thesis' equations as printed, and give its
 * tables; the laws of large cubes; the order of the schemes at saturation.  See routing.h. */
#include "routing.h"

#include "machine/machine.h"
#include "tests/harness/harness.h"

#include <math.h>

enum { MOST_BUFFERS = 3 };

/* A flow as the thesis writes it: p[i], e, theta = p[d] + e, b0. */
struct written {
  int dims;
  double access, p[HYLA_DIMS_MAX + 1], idle, theta, empty;
};

static struct written write(int dims, int buffers, double access,
                            const struct hy_traffic_flow *flow) {
  struct written w = {.dims = dims, .access = access, .idle = flow->idle};
  double all = 0;
  for (int i = 1; i <= dims; i++) {
    w.p[i] = flow->share[i] * (1 - flow->idle);
    all += w.p[i];
    assert_true(i == 1 || w.p[i] <= w.p[i - 1]);
  }
  assert_true(fabs(all + w.idle - 1) < 1e-12);
  assert_true(fabs(w.p[1] - flow->entering) < 1e-12);
  assert_true(fabs(w.p[dims] - flow->arriving) < 1e-12);
  w.theta = w.p[dims] + w.idle;
  const double y = (1 - w.theta) / (1 + w.theta);
  w.empty = buffers < 0 ? 1 - y * y : (1 - y * y) / (1 - pow(y, 2 * buffers + 2));
  return w;
}

static void assert_same(double a, double b) { assert_true(fabs(a - b) < 1e-12); }

/* (5.20) and the equation of e, for both schemes. */
static void check_ends(const struct written *w) {
  const double free = w->empty * (1 + w->theta) / 2 * (1 + w->theta) / 2;
  assert_same(w->p[1], w->access * free);
  assert_same(w->idle, (1 - w->access) * free);
}

/* (5.19). */
static void check_simple(const struct written *w) {
  const double t = w->theta;
  for (int i = 2; i <= w->dims; i++)
    assert_same(w->p[i], w->p[i - 1] * (t + 3) / 4 +
                             (t + 1) / 2 * (t + 1) / 2 * (1 - w->empty) * w->p[i - 1] / (1 - t));
}

/* (5.41). */
static void check_priority(const struct written *w) {
  const double t = w->theta;
  double above = 0;
  for (int i = w->dims; i > 1; i--) {
    const double before = w->p[i - 1];
    assert_same(w->p[i], before * (1 - above / 2 - before / 4) +
                             (1 + t) * (1 + t) / (2 * (1 - t) * (1 - t)) * (1 - w->empty) * before *
                                 (before / 2 + above));
    above += before;
  }
}

static int check_equations(void) {
  static const double accesses[] = {.003, .05, .2, .5, .9283, 1};
  int cases = 0;
  for (int dims = 2; dims <= 14; dims++)
    for (int buffers = -1; buffers <= MOST_BUFFERS; buffers++)
      for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++, cases++) {
        struct hy_traffic_flow flow;
        harness_note("d = %d, k = %d, p0 = %g", dims, buffers, accesses[i]);
        hy_traffic_simple(dims, buffers, accesses[i], &flow);
        struct written w = write(dims, buffers, accesses[i], &flow);
        check_ends(&w);
        check_simple(&w);
        if (buffers < 0)
          assert_same(2 * dims * w.p[dims],
                      2 * dims * accesses[i] / (1 + accesses[i] * (dims - 1)));
        hy_traffic_priority(dims, buffers, accesses[i], &flow);
        w = write(dims, buffers, accesses[i], &flow);
        check_ends(&w);
        check_priority(&w);
      }
  return cases;
}

/* (6.7) and (6.8) backwards from the library's p[d]: p falls, no link is reserved twice, (6.6)
 * holds, and the access comes out.  p[d] rises with the access. */
static int check_reservations(void) {
  static const double accesses[] = {.01, .05, .2, .5, 1};
  int cases = 0;
  for (int dims = 2; dims <= 14; dims++) {
    double before = 0;
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++, cases++) {
      double p[HYLA_DIMS_MAX + 1], sum = 0;
      const double last = p[dims] = hy_traffic_csr(dims, accesses[i]);
      harness_note("csr, d = %d, p0 = %g: %g", dims, accesses[i], last);
      for (int j = dims; j > 1; j--) {
        const double a = 2 - last * sum;
        p[j - 1] = a - sqrt(a * a - 4 * p[j]);
        assert_true(p[j - 1] > p[j]);
        assert_true(fabs(p[j - 1] * (1 - last * sum / 2 - p[j - 1] / 4) - p[j]) < 1e-12);
        sum += p[j - 1] / p[j];
      }
      assert_true(fabs(p[1] / (1 - (dims - 1) * last) / accesses[i] - 1) < 1e-9);
      assert_true(last > before && dims * last < 1);
      before = last;
    }
  }
  return cases;
}

/* (6.1): at the stable point as much goes out as comes in, and there is one. */
static int check_stable_points(void) {
  static const double chances[] = {.01, .05, .2, .6, 1};
  int cases = 0;
  double m = 0;
  for (int dims = 2; dims <= 14; dims += 3)
    for (int a = 0; a < 5; a++)
      for (int r = 0; r < 5; r++, cases++) {
        const double arrival = chances[a], retry = chances[r];
        const double out = hy_traffic_csr_stable(dims, arrival, retry, &m);
        harness_note("csr, d = %d, q_a = %g, q_r = %g: m = %g", dims, arrival, retry, m);
        assert_true(m > 0 && m < 1 && fabs(out - arrival * (1 - m)) < 1e-15);
        assert_true(fabs(hy_traffic_csr(dims, (1 - m) * arrival + m * retry) / out - 1) < 1e-9);
        int points = 0;
        for (int i = 1; i <= 64; i++) {
          const double at[] = {(i - 1) / 64., i / 64.};
          double rest[2];
          for (int j = 0; j < 2; j++)
            rest[j] =
                arrival * (1 - at[j]) - hy_traffic_csr(dims, (1 - at[j]) * arrival + at[j] * retry);
          points += rest[0] > 0 && rest[1] <= 0;
        }
        assert_int_equal(points, 1);
      }
  assert_true(fabs(22 * hy_traffic_csr_stable(11, .05, 1, &m) - .885) < 5e-4);
  assert_true(fabs(m - .196) < 6e-4);
  assert_true(fabs(22 * hy_traffic_csr_stable(11, 1 / 11., 1, &m) - 1.081) < 5e-4);
  assert_true(fabs(m - .460) < 5e-4);
  return cases;
}

/* Tables 5.1 (d = 8, k = 0), 5.2 (d = 7, k = 1) and 6.1 (d = 7): access and throughput by formula.
 * The last row of 5.1 was made with .00296, the last of 6.1 with .999995. */
static const double TABLE_5_1[][2] = {
    {.9983, .6325}, {.9288, .6401}, {.8045, .6539}, {.6972, .6657}, {.6042, .6754},
    {.5234, .6827}, {.4871, .6853}, {.3642, .6888}, {.3142, .6859}, {.2915, .6831},
    {.2145, .6628}, {.1982, .6552}, {.1094, .5712}, {.00296, .0448}};
static const double TABLE_5_2[][2] = {{.931384, 1.493738}, {.566517, 1.477039}, {.302901, 1.345433},
                                      {.199937, 1.189335}, {.169829, 1.116160}, {.144199, 1.038224},
                                      {.103110, .871355},  {.086444, .783858},  {.052758, .557855}};
static const double TABLE_6_1[][2] = {{.011666, .14},  {.027465, .28},   {.048996, .42},
                                      {.078620, .56},  {.119931, .70},   {.178584, .84},
                                      {.263852, .98},  {.391796, 1.12},  {.592309, 1.26},
                                      {.927213, 1.40}, {.999995, 1.4221}};

enum { ROWS_5_1 = sizeof TABLE_5_1 / sizeof *TABLE_5_1 };
enum { ROWS_5_2 = sizeof TABLE_5_2 / sizeof *TABLE_5_2 };
enum { ROWS_6_1 = sizeof TABLE_6_1 / sizeof *TABLE_6_1 };

static void check_tables(void) {
  struct hy_traffic_flow flow;
  for (int i = 0; i < ROWS_5_1; i++) {
    hy_traffic_simple(8, 0, TABLE_5_1[i][0], &flow);
    harness_note("table 5.1, p0 = %g: %g", TABLE_5_1[i][0], 16 * flow.arriving);
    assert_true(fabs(16 * flow.arriving - TABLE_5_1[i][1]) < 1.01e-4);
  }
  for (int i = 0; i < ROWS_5_2; i++) {
    hy_traffic_simple(7, 1, TABLE_5_2[i][0], &flow);
    harness_note("table 5.2, p0 = %g: %g", TABLE_5_2[i][0], 14 * flow.arriving);
    assert_true(fabs(14 * flow.arriving - TABLE_5_2[i][1]) < 4e-6);
  }
  for (int i = 0; i < ROWS_6_1; i++) {
    const double throughput = 14 * hy_traffic_csr(7, TABLE_6_1[i][0]);
    harness_note("table 6.1, p0 = %g: %g", TABLE_6_1[i][0], throughput);
    assert_true(fabs(throughput - TABLE_6_1[i][1]) < 1e-5);
  }
}

typedef double by_access(int dims, int buffers, double access);

static double simple(int dims, int buffers, double access) {
  struct hy_traffic_flow flow;
  hy_traffic_simple(dims, buffers, access, &flow);
  return 2 * dims * flow.arriving;
}

static double priority(int dims, int buffers, double access) {
  struct hy_traffic_flow flow;
  hy_traffic_priority(dims, buffers, access, &flow);
  return 2 * dims * flow.arriving;
}

static double csr(int dims, int buffers, double access) {
  (void)buffers;
  return 2 * dims * hy_traffic_csr(dims, access);
}

/* The most over accesses that differ by 3 %. */
static double best(by_access *throughput, int dims, int buffers) {
  double most = 0;
  for (double access = 1; access > 1e-8; access *= .97)
    most = fmax(most, throughput(dims, buffers, access));
  return most;
}

/* Values of the digest that were computed from the equations by another program. */
static void check_saturation(void) {
  static const int dims[] = {3, 5, 7, 8, 9, 11, 13};
  static const double expected[][7] = {{1.6124, 1.1394, .7961, .6891, .6076, .4916, .4129},
                                       {1.9414, 1.8071, 1.6671, 1.6014, 1.5395, 1.4271, 1.3287},
                                       {1.6959, 1.4311, 1.2353, 1.1563, 1.0869, .9710, .8778},
                                       {1.7290, 1.5520, 1.4221, 1.3672, 1.3174, 1.2298, 1.1549}};
  for (int i = 0; i < 7; i++) {
    const double found[] = {best(simple, dims[i], 0), priority(dims[i], 1, 1),
                            best(priority, dims[i], 0), best(csr, dims[i], 0)};
    for (int j = 0; j < 4; j++) {
      harness_note("d = %d, scheme %d: %g for %g", dims[i], j, found[j], expected[j][i]);
      assert_true(fabs(found[j] - expected[j][i]) < 3e-4);
    }
    if (dims[i] == 11) assert_true(fabs(best(priority, 11, 1) / 2 - .714) < 5e-4);
    if (dims[i] < 5) continue;
    assert_true(found[1] > found[3] && found[3] > found[2] && found[2] > found[0]);
  }
}

/* The best throughput times d^(1/(2k+1)) comes to its limit from above for k = 0, from below for
 * k = 1. */
static void check_laws(FILE *page) {
  double factor[3], power[3];
  for (int k = 0; k <= 2; k++) hy_traffic_law(k, &factor[k], &power[k]);
  assert_true(fabs(factor[0] - 5.1809) < 5e-5 && fabs(factor[1] - 3.1023) < 5e-5);
  assert_true(power[0] == 1 && fabs(power[1] - 1 / 3.) < 1e-15 && fabs(power[2] - .2) < 1e-15);
  static const struct {
    int dims, buffers;
    double value;
  } cases[] = {{64, 0, 5.2148}, {1024, 0, 5.1829}, {4096, 0, 5.1814},
               {64, 1, 2.7267}, {1024, 1, 2.9098}, {4096, 1, 2.9748}};
  for (int i = 0; i < 6; i++) {
    const int d = cases[i].dims, k = cases[i].buffers;
    const double scaled = best(simple, d, k) * pow(d, power[k]);
    harness_note("d = %d, k = %d: %g", d, k, scaled);
    assert_true(fabs(scaled / cases[i].value - 1) < 5e-4);
  }
  assert_true(fabs(best(simple, 256, 0) * 256 / factor[0] - 1) < .01);
  fprintf(page,
          "| best throughput of simple, k buffers, as d grows | varvarigos-1992, (5.29) (V36) | "
          "max(b: 4 (2b)^(1/(2k+1)) b/(e^b - 1)) / d^(1/(2k+1)): %.4f / d, %.4f / d^(1/3), %.4f / "
          "d^(1/5) | k = 0, 1, 2 | the order is the thesis', the factor ours; at d = 256, k = 0 "
          "within 1 %% |\n",
          factor[0], factor[1], factor[2]);
}

void routing_check_all(FILE *page) {
  const int cases = check_equations(), reserved = check_reservations();
  const int stable = check_stable_points();
  check_tables();
  check_saturation();
  fprintf(
      page,
      "\n## Traffic at random\n\n"
      "`hyla simulate traffic` prints these beside what it counts.  p[i]: how often a link\n"
      "carries a packet on its i-th transmission, e: none; t = p[d] + e; b: an empty buffer;\n"
      "k: buffers beside a link; p0: the access.  Sum and order are held too: p[1] + ... +\n"
      "p[d] + e = 1, p falls, where an iteration of (5.41) has false solutions.\n\n"
      "| traffic | reference | equation | cases | result |\n"
      "|---|---|---|---|---|\n"
      "| simple | varvarigos-1992, (5.19) (V34) | p[i] = p[i-1] (t+3)/4 + ((t+1)/2)^2 (1-b) "
      "p[i-1]/(1-t) | %d | satisfied; table 5.1 to 1e-4, table 5.2 to 4e-6 |\n"
      "| simple, priority | varvarigos-1992, (5.20), (5.42) | p[1] = p0 b ((1+t)/2)^2 | %d | "
      "satisfied |\n"
      "| priority | varvarigos-1992, (5.34), (5.41) (V35) | p[i] = p[i-1] (1 - S/2 - p[i-1]/4) "
      "+ (1+t)^2/(2 (1-t)^2) (1-b) p[i-1] (p[i-1]/2 + S), S = p[i] + ... + p[d-1] | %d | "
      "satisfied |\n"
      "| simple, any number of buffers | varvarigos-1992, section 5.3.2 (V36) | R = 2d p0/(1 + p0 "
      "(d-1)) | d = 2-14 | equal |\n",
      cases, 2 * cases, cases);
  check_laws(page);
  fprintf(
      page,
      "| Q wires a link, no buffers, as d grows | varvarigos-1992, section 5.3.3 (V50) | of order "
      "1/d^(1/Q) | Q = 2k + 1 | cited from Koch; printed beside the law of k buffers |\n"
      "| deflection | varvarigos-1992, (5.46) (V37, V38) | R = d/T, T = (d/2) N/(N-1) + 2 "
      "deflections | d = 3, 5, 7 | counted deflections within 1 %%, tests/sim/test_traffic |\n"
      "| heads of queues | varvarigos-1992, (5.47) (V39) | (m[i] + ... + m[d])/mean distance | "
      "d = 6; torus, array, line, folded and enhanced cubes | counted within 1 %%, "
      "tests/sim/test_traffic |\n"
      "| csr-paths | varvarigos-1992, section 6.2 (V40) | alone on h links a packet takes h (1 + "
      "beta); by packets h, by circuits h + beta | all pairs of cube, torus, array, folded cube | "
      "counted, equal; none dropped, late or overtaken, tests/sim/test_traffic |\n"
      "| csr | varvarigos-1992, (6.7), (6.8) (V41) | p[i-1] = A - (A^2 - 4 p[i])^(1/2), A = 2 - "
      "p[d] (p[i]/p[i+1] + ... + p[d-1]/p[d]), p[1] = p0 (1 - (d-1) p[d]) | %d | satisfied, p "
      "falls; table 6.1 to 1e-5; counted within 2 %%, tests/sim/test_traffic |\n"
      "| csr with retries | varvarigos-1992, (6.1) (V41) | qa (1-m) = p[d] at p0 = (1-m) qa + m "
      "qr | %d | one solution each, satisfied; counted within 3 %%, tests/sim/test_traffic |\n"
      "| saturation | varvarigos-1992, figure 6.5 (V42) | the most over all p0, divided by 2 | d "
      "= 3-13 | priority with a buffer, csr, priority, simple, in this order from d = 5 on |\n",
      reserved, stable);
}
