"""Least squares."""

import ctypes

import numpy as np

from .._cube import library
from .._library import LstsqOptions, LstsqReport
from ._operands import LinAlgError, Operands


def lstsq(a, b, rcond=None, *, check_finite=True, everywhere=True, cube=None):
    """The x of least norm among those that minimise |b - a x|, column by column, for a of any shape
    and rank.  Collective.

    As scipy.linalg.lstsq with lapack_driver="gelsy": QR with pivoted columns decides the rank, not
    singular values.  So the returns are x, an empty array in the place of residuals, the rank, and
    None in the place of singular values.  a: a matrix; b: a vector or a matrix; arrays or DistArrays.
    rcond: entries of R's diagonal count towards the rank if they are above rcond times the first;
    None: max(m, n) times the precision of the type."""
    operands = Operands(cube, everywhere, check_finite, a=a, b=b)
    operands.demand("a")
    shape_a, shape_b = operands.shape["a"], operands.shape["b"]
    if len(shape_a) != 2 or len(shape_b) not in (1, 2):
        raise LinAlgError(
            "ARGUMENT", f"a has the shape {shape_a}, b {shape_b}; give a matrix, and one or a vector"
        )
    if shape_b[0] != shape_a[0]:
        raise LinAlgError(
            "ARGUMENT", f"b has the shape {shape_b}; with a of shape {shape_a} it has {shape_a[0]} rows"
        )
    n, rest = shape_a[1], shape_b[1:]
    if not rest:
        operands.columns("b")
    options, report = LstsqOptions(rcond=0 if rcond is None else rcond), LstsqReport()

    def core(undo, index):
        a, b = operands.matrix(undo, "a", index), operands.matrix(undo, "b", index)
        x = operands.answer(undo, n, b.cols)
        operands.check(
            library().hyla_lstsq(
                operands.cube._at, ctypes.byref(options), a.at, b.at, x.at, ctypes.byref(report)
            )
        )
        return (x,)

    (x,) = operands.each(core, (), ((n, *rest), operands.dtype))
    return operands.like("b", x), np.empty(0, operands.real), int(report.rank), None
