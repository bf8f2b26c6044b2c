/* Rotations of Gray-coded arrays: edge-disjoint routings, searched for and checked. */
#include "tests/harness/harness.h"

#include "address/address.h"

#include <stdio.h>
#include <string.h>

enum { DIMS = 8 };

static uint8_t order[DIMS << DIMS];
static int32_t work[2 * DIMS << DIMS];
static uint8_t crossed[DIMS << DIMS];

/* Every element moves to its target along a shortest path, and no link is crossed twice. */
static void assert_disjoint(int dims, uint32_t places) {
  memset(crossed, 0, sizeof crossed);
  for (uint32_t node = 0; node >> dims == 0; node++) {
    uint32_t target = hy_rotation_target(dims, places, node), place = node;
    int hops = hy_popcount(node ^ target);
    for (int hop = 0; hop < hops; hop++) {
      uint32_t dim = order[node * (uint32_t)dims + (uint32_t)hop];
      assert_true(dim < (uint32_t)dims);
      assert_int_equal(crossed[place * (uint32_t)dims + dim]++, 0);
      place ^= 1u << dim;
    }
    assert_int_equal(place, target);
  }
}

/* Reports the n and i that have a routing, as in doc/theory.md. */
static void every_rotation_has_an_edge_disjoint_routing(void **state) {
  (void)state;
  for (int dims = 0; dims <= DIMS; dims++) {
    uint32_t found = 0;
    printf("n = %d: no routing for i =", dims);
    for (uint32_t places = 1; places >> dims == 0; places++) {
      harness_note("%d dimensions, %u places", dims, places);
      if (!hy_rotation_disjoint(dims, places, order, work)) {
        printf(" %u", places);
        continue;
      }
      assert_disjoint(dims, places);
      found++;
    }
    printf("%s; found for %u of %u rotations\n", found + 1 == 1u << dims ? " none" : "", found,
           (1u << dims) - 1);
    assert_int_equal(found, (1u << dims) - 1);
  }
}

/* The targets are a rotation: place j goes to place j + i. */
static void targets_are_i_places_on(void **state) {
  (void)state;
  for (int dims = 0; dims <= DIMS; dims++)
    for (int trial = 0; trial < 50; trial++) {
      uint32_t last = (1u << dims) - 1;
      uint32_t j = (uint32_t)harness_draw(0, last), i = (uint32_t)harness_draw(0, 2 * last);
      assert_int_equal(hy_rotation_target(dims, i, hy_gray(j)), hy_gray((j + i) & last));
    }
}

static void large_cubes_are_declined(void **state) {
  (void)state;
  assert_false(hy_rotation_disjoint(HY_ROTATION_DIMS + 1, 1, NULL, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_rotation_has_an_edge_disjoint_routing),
      cmocka_unit_test(targets_are_i_places_on),
      cmocka_unit_test(large_cubes_are_declined),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
