/* Loops, meshes and trees on the cube: Johnsson 1987, rows J1-J4, J7-J11, J17-J21. */
#include "tests/harness/harness.h"

#include "address/address.h"

#include <stdlib.h>
#include <string.h>

static int distance(uint32_t a, uint32_t b) { return hy_popcount(a ^ b); }

/* J1: codes of successive integers differ in the transition's bit; T(n+1) = T(n), n, T(n). */
static void gray_code_and_its_transitions(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 1u << 16; i++) {
    assert_int_equal(hy_gray_inverse(hy_gray(i)), i);
    assert_int_equal(hy_gray(hy_gray_inverse(i)), i);
    assert_int_equal(hy_gray(i) ^ hy_gray(i + 1), 1u << hy_gray_transition(i));
  }
  for (int n = 0; n < 15; n++) {
    uint32_t half = 1u << n;
    assert_int_equal(hy_gray_transition(half - 1), n);
    for (uint32_t i = 0; i + 1 < half; i++)
      assert_int_equal(hy_gray_transition(half + i), hy_gray_transition(i));
  }
}

/* J2, J3: every length to 2^12. */
static void loops_of_every_length(void **state) {
  (void)state;
  enum { NODES = 1 << 12 };
  char *used = malloc(NODES);
  assert_non_null(used);
  for (uint32_t length = 1; length <= NODES; length++) {
    int long_edges = 0;
    memset(used, 0, NODES);
    for (uint32_t i = 0; i < length; i++) {
      uint32_t node = hy_loop_node(length, i);
      assert_true(node < 1u << hy_loop_dims(length));
      assert_false(used[node]);
      used[node] = 1;
      assert_int_equal(hy_loop_point(length, node), i);
      int edge = distance(node, hy_loop_node(length, (i + 1) % length));
      assert_true(edge <= 2);
      long_edges += edge == 2;
    }
    assert_int_equal(long_edges, length % 2 == 1 && length > 1);
    for (uint32_t node = 0; node >> hy_loop_dims(length) == 0; node++)
      assert_true(used[node] || hy_loop_point(length, node) >= length);
  }
  free(used);
}

/* J4: i and i + 2^j are 2 apart, 1 for j = 0. */
static void strides_of_powers_of_two(void **state) {
  (void)state;
  for (int n = 1; n <= 12; n++)
    for (int j = 0; j < n; j++)
      for (uint32_t i = 0; i < 1u << n; i++) {
        uint32_t other = (i + (1u << j)) & ((1u << n) - 1);
        int expected = j == 0 || n == 1 ? 1 : 2;
        assert_int_equal(distance(hy_gray(i), hy_gray(other)), expected);
      }
}

static bool is_power(uint32_t n) { return (n & (n - 1)) == 0; }

/* One node for a point; the inverse finds the point, and no point elsewhere. */
static void assert_one_to_one(const struct hy_mesh *mesh) {
  char *used = calloc((size_t)1 << mesh->dims, 1);
  assert_non_null(used);
  uint32_t point[HY_MESH_AXES] = {0}, found[HY_MESH_AXES], points = 1;
  for (int i = 0; i < mesh->axes; i++) points *= mesh->side[i];
  for (uint32_t p = 0; p < points; p++) {
    uint32_t rest = p;
    for (int i = mesh->axes - 1; i >= 0; i--) {
      point[i] = rest % mesh->side[i];
      rest /= mesh->side[i];
    }
    uint32_t node = hy_mesh_node(mesh, point);
    assert_true(node < 1u << mesh->dims);
    assert_false(used[node]);
    used[node] = 1;
    assert_true(hy_mesh_point(mesh, node, found));
    for (int i = 0; i < mesh->axes; i++) assert_int_equal(found[i], point[i]);
  }
  for (uint32_t node = 0; node >> mesh->dims == 0; node++)
    assert_true(used[node] || !hy_mesh_point(mesh, node, found));
  free(used);
}

/* J7, J8: dimensions, dilation, expansion below 2^axes. */
static void naive_meshes_and_tori(void **state) {
  (void)state;
  uint32_t side[3];
  for (side[0] = 1; side[0] <= 9; side[0]++)
    for (side[1] = 1; side[1] <= 9; side[1]++)
      for (side[2] = 1; side[2] <= 9; side[2]++)
        for (int torus = 0; torus < 2; torus++) {
          struct hy_mesh mesh;
          assert_null(hy_mesh_make(&mesh, HY_MESH_NAIVE, torus, 3, side));
          assert_one_to_one(&mesh);
          struct hy_mesh_quality quality = hy_mesh_measure(&mesh);
          bool odd = false, point = true;
          int dims = 0;
          for (int i = 0; i < 3; i++) {
            odd = odd || (side[i] % 2 == 1 && side[i] > 1);
            point = point && side[i] == 1;
            dims += hy_loop_dims(side[i]);
          }
          assert_int_equal(mesh.dims, dims);
          assert_int_equal(quality.dilation, point ? 0 : torus && odd ? 2 : 1);
          assert_int_equal(quality.points, side[0] * side[1] * side[2]);
          assert_int_equal(quality.nodes, 1 << dims);
          assert_true(quality.nodes < 8 * quality.points);
        }
}

static void check_folded(enum hy_mesh_kind kind, uint32_t n1, uint32_t n2) {
  struct hy_mesh mesh, naive;
  uint32_t m2 = 1u << hy_log2_floor(n2), side[2] = {n1, n2};
  assert_null(hy_mesh_make(&naive, HY_MESH_NAIVE, false, 2, side));
  const char *reason = hy_mesh_make(&mesh, kind, false, 2, side);
  if (n2 == m2 || (kind == HY_MESH_STEP && n1 > m2)) {
    assert_non_null(reason);
    return;
  }
  if (kind == HY_MESH_COMPRESSION && reason != NULL) return;
  assert_null(reason);
  assert_one_to_one(&mesh);
  int dilation = hy_mesh_measure(&mesh).dilation, m2_dims = hy_loop_dims(m2);
  if (kind == HY_MESH_FOLD) {
    assert_int_equal(mesh.dims, naive.dims);
    assert_int_equal(dilation, 1);
  } else if (kind == HY_MESH_STEP) {
    assert_int_equal(mesh.dims, m2_dims + hy_loop_dims(n1 + n2 - m2));
    assert_true(dilation <= 3);
    if (n1 >= 3 && n2 - m2 >= 2) assert_true(dilation >= 2);
  } else {
    uint32_t a = mesh.pair[1].a, b = mesh.pair[1].b;
    assert_true(b == a + 1 || b == 2 * a - 1);
    assert_int_equal(mesh.host[0], b * hy_ceil_div(n1, a));
    assert_true(a * hy_ceil_div(n2, b) <= m2);
    assert_true(dilation <= 2);
  }
}

/* J9, J10, J11 */
static void folded_stepped_and_compressed_meshes(void **state) {
  (void)state;
  for (uint32_t n1 = 1; n1 <= 20; n1++)
    for (uint32_t n2 = 1; n2 <= 40; n2++)
      for (int kind = HY_MESH_FOLD; kind <= HY_MESH_COMPRESSION; kind++) {
        harness_note("kind %d, %u x %u", kind, n1, n2);
        check_folded((enum hy_mesh_kind)kind, n1, n2);
      }
}

/* Every shape of block: a block of a rows and b columns is repeated in both directions. */
static void blocks_of_every_shape_compress(void **state) {
  (void)state;
  int shapes[2] = {0, 0};
  for (uint32_t m2 = 2; m2 <= 32; m2 *= 2)
    for (uint32_t n2 = m2 + 1; n2 < 2 * m2; n2++)
      for (uint32_t n1 = 1; n1 <= 3 * m2; n1++) {
        struct hy_mesh mesh;
        uint32_t side[2] = {n1, n2};
        if (hy_mesh_make(&mesh, HY_MESH_COMPRESSION, false, 2, side) != NULL) continue;
        harness_note("%u x %u: a = %u, b = %u", n1, n2, mesh.pair[1].a, mesh.pair[1].b);
        assert_in_range(hy_mesh_measure(&mesh).dilation, 1, 2);
        shapes[mesh.pair[1].b != mesh.pair[1].a + 1]++;
      }
  assert_in_range(shapes[0], 100, INT32_MAX);
  assert_in_range(shapes[1], 100, INT32_MAX);
}

/* An edge is at most as long as on two axes; on a torus twice that. */
static void several_axes_and_tori(void **state) {
  (void)state;
  static const int longest[] = {1, 1, 3, 2};
  int served[4] = {0};
  uint32_t side[4];
  for (int axes = 1; axes <= 4; axes++)
    for (uint32_t shape = 0; shape < (axes == 4 ? 4096u : 1u << (3 * axes)); shape++)
      for (int kind = HY_MESH_FOLD; kind <= HY_MESH_COMPRESSION; kind++)
        for (int torus = 0; torus < 2; torus++) {
          struct hy_mesh mesh;
          for (int i = 0; i < axes; i++) side[i] = (shape >> (3 * i) & 7u) + 1;
          harness_note("kind %d, torus %d, %d axes, shape %o", kind, torus, axes, shape);
          if (hy_mesh_make(&mesh, (enum hy_mesh_kind)kind, torus, axes, side) != NULL) {
            assert_true(axes < 2 || kind != HY_MESH_FOLD || is_power(side[axes - 1]));
            continue;
          }
          served[kind]++;
          assert_one_to_one(&mesh);
          assert_in_range(hy_mesh_measure(&mesh).dilation, 0, longest[kind] << torus);
        }
  for (int kind = HY_MESH_FOLD; kind <= HY_MESH_COMPRESSION; kind++)
    assert_in_range(served[kind], 1000, INT32_MAX);
}

/* 10 x 12 points lie on 15 x 8 hosts: 128 nodes where the naive embedding takes 256. */
static void compression_saves_a_dimension(void **state) {
  (void)state;
  struct hy_mesh mesh, naive;
  uint32_t side[2] = {10, 12};
  assert_null(hy_mesh_make(&naive, HY_MESH_NAIVE, false, 2, side));
  assert_null(hy_mesh_make(&mesh, HY_MESH_COMPRESSION, false, 2, side));
  assert_int_equal(naive.dims, 8);
  assert_int_equal(mesh.dims, 7);
}

/* J17: parents are one level up, and every node is reached.  Broadcasts from G(0), G(1), ..., one
 * started every second step, keep their order everywhere: node x is reached |x ^ G(i)| steps after
 * the start at 2i. */
static void binomial_trees(void **state) {
  (void)state;
  for (uint32_t node = 1; node < 1u << 12; node++) {
    uint32_t parent = hy_binomial_parent(node);
    assert_true(parent < node);
    assert_int_equal(distance(parent, node), 1);
    assert_int_equal(hy_popcount(parent) + 1, hy_popcount(node));
  }
  for (int n = 1; n <= 8; n++)
    for (uint32_t x = 0; x < 1u << n; x++)
      for (uint32_t i = 0; i + 1 < 1u << n; i++) {
        int first = 2 * (int)i + distance(x, hy_gray(i));
        int second = 2 * ((int)i + 1) + distance(x, hy_gray(i + 1));
        assert_true(first < second);
      }
}

/* J18, J19 and the shape of the tree */
static void inorder_trees(void **state) {
  (void)state;
  for (int n = 1; n <= 12; n++) {
    int64_t count = (INT64_C(1) << n) - 1, roots = 0;
    for (int64_t i = 0; i < count; i++) {
      roots += hy_inorder_parent(n, i) == -1;
      int64_t left = hy_inorder_child(i, false), right = hy_inorder_child(i, true);
      if (left == -1) {
        assert_int_equal(right, -1);
        continue;
      }
      assert_int_equal(hy_inorder_parent(n, left), i);
      assert_int_equal(hy_inorder_parent(n, right), i);
      uint32_t p = (uint32_t)i, l = (uint32_t)left, r = (uint32_t)right;
      assert_int_equal(distance(p, l), 1);
      assert_int_equal(distance(p, r), 2);
      assert_int_equal(distance(l, r), 1);
      int from_parent = left % 2 == 0 ? 1 : 2;
      assert_int_equal(distance(hy_gray(p), hy_gray(l)), from_parent);
      assert_int_equal(distance(hy_gray(p), hy_gray(r)), from_parent);
      assert_int_equal(distance(hy_gray(l), hy_gray(r)), 2);
    }
    assert_int_equal(roots, 1);
  }
}

/* J20: the interior of the tree in Gray code moves to the odd subcube by at most one step over
 * dimension 0, where it is an inorder tree in Gray code. */
static void contraction(void **state) {
  (void)state;
  for (uint32_t i = 1; i < 1u << 12; i += 2) {
    uint32_t node = hy_inorder_contracted(i);
    assert_true((node ^ hy_gray(i)) <= 1);
    assert_int_equal(node & 1, 1);
    assert_int_equal(node >> 1, hy_gray((i - 1) / 2));
  }
}

/* J21 */
static void trees_of_dilation_one(void **state) {
  (void)state;
  for (int n = 2; n <= 14; n++) {
    char *used = calloc((size_t)1 << (n + 1), 1);
    assert_non_null(used);
    for (uint32_t v = 1; v < 1u << n; v++) {
      uint32_t node = hy_heap_node(v);
      assert_true(node < 1u << (n + 1));
      assert_false(used[node]);
      used[node] = 1;
      if (v > 1) assert_int_equal(distance(node, hy_heap_node(v / 2)), 1);
    }
    free(used);
  }
}

static void kinds_say_why_they_do_not_apply(void **state) {
  (void)state;
  struct hy_mesh mesh;
  uint32_t side[3] = {3, 5, 2}, large[2] = {1u << 11, 1u << 10};
  assert_non_null(hy_mesh_make(&mesh, HY_MESH_FOLD, true, 1, side));
  assert_non_null(hy_mesh_make(&mesh, HY_MESH_STEP, false, 3, side));
  assert_non_null(hy_mesh_make(&mesh, HY_MESH_NAIVE, false, 2, large));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gray_code_and_its_transitions),
      cmocka_unit_test(loops_of_every_length),
      cmocka_unit_test(strides_of_powers_of_two),
      cmocka_unit_test(naive_meshes_and_tori),
      cmocka_unit_test(folded_stepped_and_compressed_meshes),
      cmocka_unit_test(blocks_of_every_shape_compress),
      cmocka_unit_test(several_axes_and_tori),
      cmocka_unit_test(compression_saves_a_dimension),
      cmocka_unit_test(binomial_trees),
      cmocka_unit_test(inorder_trees),
      cmocka_unit_test(contraction),
      cmocka_unit_test(trees_of_dilation_one),
      cmocka_unit_test(kinds_say_why_they_do_not_apply),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
