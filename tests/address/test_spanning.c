/* The spanning trees of the collectives, tested exhaustively. */
#include "tests/harness/harness.h"

#include "address/address.h"

#include <string.h>

enum { D_MAX = 14 };

static uint32_t table[1 << D_MAX];
static uint8_t marks[1 << D_MAX];
static uint32_t group_of[1 << D_MAX];

static void disjoint_trees_share_no_link(void **state) {
  (void)state;
  for (int d = 1; d <= 10; d++) {
    uint32_t used[1 << 10] = {0}; /* dimensions of links out of a node */
    for (int tree = 0; tree < d; tree++)
      for (uint32_t node = 1; node < 1u << d; node++) {
        uint32_t parent = hy_disjoint_parent(d, tree, node);
        uint32_t bit = parent ^ node;
        harness_note("d = %d, tree %d, node %u", d, tree, node);
        assert_int_equal(hy_popcount(bit), 1);
        assert_int_equal(used[parent] & bit, 0);
        used[parent] |= bit;
        if (parent != 0)
          assert_true(hy_disjoint_stage(tree, parent) < hy_disjoint_stage(tree, node));
        assert_in_range(hy_disjoint_stage(tree, node), 0, d);
      }
  }
}

/* d = 3, stages 0 ... 3 of Fig. 2 without the packets that return to node 0. */
static void the_figure_of_stout_and_wagar(void **state) {
  (void)state;
  static const uint32_t parents[3][8] = {
      {0, 0, 3, 1, 5, 1, 7, 3}, {0, 3, 0, 2, 6, 7, 2, 6}, {0, 5, 6, 7, 0, 4, 4, 5}};
  for (int tree = 0; tree < 3; tree++)
    for (uint32_t node = 1; node < 8; node++) {
      harness_note("tree %d, node %u", tree, node);
      assert_int_equal(hy_disjoint_parent(3, tree, node), parents[tree][node]);
    }
}

static void rotation_order_can_be_replicated(void **state) {
  (void)state;
  for (int d = 1; d <= D_MAX; d++) {
    uint32_t nodes = 1u << d;
    memset(group_of, 0, sizeof group_of);
    hy_rotation_order(d, table);
    assert_int_equal(table[0], 0);
    group_of[0] = 1;
    for (uint32_t n = 1; n < nodes; n++) {
      uint32_t bit = 1u << (n - 1) % (uint32_t)d;
      uint32_t group = 2 + (n - 1) / (uint32_t)d;
      uint32_t parent = table[n] ^ bit;
      harness_note("d = %d, n = %u, node %u", d, n, table[n]);
      assert_int_equal(group_of[table[n]], 0);
      assert_true((table[n] & bit) != 0);
      assert_in_range(group_of[parent], 1, group - 1);
      group_of[table[n]] = group;
    }
  }
}

static void balanced_trees_are_balanced(void **state) {
  (void)state;
  for (int d = 1; d <= D_MAX; d++) {
    uint32_t nodes = 1u << d;
    uint32_t size[D_MAX] = {0};
    hy_balanced_tree(d, table, marks);
    for (uint32_t node = 1; node < nodes; node++) {
      harness_note("d = %d, node %u", d, node);
      assert_true((table[node] & ~node) == 0);
      assert_int_equal(hy_popcount(table[node]) + 1, hy_popcount(node));
      if (table[node] != 0) assert_int_equal(marks[table[node]], marks[node]);
      if (table[node] == 0) assert_int_equal(node, 1u << marks[node]);
      size[marks[node]]++;
    }
    for (int i = 0; i < d; i++)
      assert_in_range(size[i], (nodes - 1) / (uint32_t)d, (nodes - 2) / (uint32_t)d + 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(disjoint_trees_share_no_link),
      cmocka_unit_test(the_figure_of_stout_and_wagar),
      cmocka_unit_test(rotation_order_can_be_replicated),
      cmocka_unit_test(balanced_trees_are_balanced),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
