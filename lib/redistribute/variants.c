/* The list of redistribution variants.  Among equally fast ones the first is chosen. */
#include "redistribute/redistribute.h"

static const struct hy_variant *const LIST[] = {
    &hy_redistribute_direct,
    &hy_redistribute_moves,
    &hy_redistribute_multiphase,
    &hy_redistribute_waves,
    &hy_transpose_recursive,
    &hy_transpose_paths,
    &hy_transpose_torus,
    &hy_transpose_torus_paths,
    &hy_transpose_mesh,
    &hy_transpose_permuted,
    &hy_transpose_rows,
    &hy_transpose_pipelined,
    &hy_transpose_band,
    &hy_transpose_dense,
    &hy_turn_rings,
    &hy_turn_pairs,
    &hy_turn_permuted,
    NULL,
};

const struct hy_family hy_redistribute_family = {
    .name = "redistribute", .rows = LIST, .exact = true};
