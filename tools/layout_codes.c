/* hyla layout --codes N: brings a loop of 2^N elements from the binary-reflected Gray code to the
 * binary code, one cube dimension after the other from the second highest down.  Johnsson 1987,
 * lemma 3.4 and Table I. */
#include "layout.h"

/* The node of element i once dimensions `done` and above hold binary bits. */
static int place(const hyla_layout *gray, int64_t nodes, int64_t i, int done) {
  int code = hyla_layout_owner(gray, nodes, 1, i, 0), low = (1 << done) - 1;
  return ((int)i & ~low) | (code & low);
}

static int64_t element_at(const hyla_layout *gray, int64_t nodes, int node, int done) {
  int64_t i = 0;
  while (place(gray, nodes, i, done) != node) i++;
  return i;
}

void layout_print_codes(int dims) {
  int64_t nodes = INT64_C(1) << dims;
  hyla_layout gray = {.row = {.dims = dims, .code = HYLA_GRAY, .storage = HYLA_CYCLIC}};
  for (int dim = 0; dim < dims; dim++) gray.row.dim[dim] = (uint8_t)dim;
  printf("element of each node, the nodes in the order of the Gray code; then after a\n"
         "reflection on each bit, which is an exchange over that dimension:\n\n"
         "%*s  %9s",
         dims < 7 ? 7 : dims, "address", "Gray code");
  for (int bit = dims - 1; bit-- > 0;) printf("  %4s %d", "bit", bit);
  printf("\n");
  for (int64_t i = 0; i < nodes; i++) {
    int node = place(&gray, nodes, i, dims);
    printf("%*s", dims < 7 ? 7 - dims : 0, "");
    for (int bit = dims; bit-- > 0;) printf("%d", node >> bit & 1);
    printf("  %9lld", (long long)i);
    for (int bit = dims - 1; bit-- > 0;)
      printf("  %6lld", (long long)element_at(&gray, nodes, node, bit));
    printf("\n");
  }
}
