#!/usr/bin/env python3
"""The singular values that test_svd.c has for its graded matrix, by one-sided rotations in numbers
of 120 digits.  Run by hand; with STEP = 28 they are also those that mpmath found with 520."""
from decimal import Decimal, getcontext
ORDER, STEP = 24, 29
getcontext().prec = 120
getcontext().Emin, getcontext().Emax = -10**6, 10**6

def rem(a, b):  # as in C
    return a - b * int(a / b)

def entry(i, j):
    number = rem(i * 7919 + j * 104729 + i * i * j * 31 + i * j * j * 17, 2048) - 1024
    return (Decimal(number) / 1024 + (2 if i == j else 0)) * Decimal(2) ** (-STEP * j)

def dot(x, y):
    return sum((a * b for a, b in zip(x, y)), Decimal(0))

def values(columns):
    least = Decimal(10) ** -110
    largest = 1
    while largest > least:
        largest = Decimal(0)
        for p in range(ORDER):
            for q in range(p + 1, ORDER):
                x, y = columns[p], columns[q]
                a, b, c = dot(x, x), dot(y, y), dot(x, y)
                cosine = abs(c) / (a.sqrt() * b.sqrt())
                largest = max(largest, cosine)
                if cosine <= least:
                    continue
                zeta = (b - a) / (2 * c)
                t = (1 if zeta >= 0 else -1) / (abs(zeta) + (1 + zeta * zeta).sqrt())
                cs = 1 / (1 + t * t).sqrt()
                sn = t * cs
                columns[p] = [cs * u - sn * v for u, v in zip(x, y)]
                columns[q] = [sn * u + cs * v for u, v in zip(x, y)]
    return sorted((dot(x, x).sqrt() for x in columns), reverse=True)

if __name__ == "__main__":
    for v in values([[entry(i, j) for i in range(ORDER)] for j in range(ORDER)]):
        print(format(v, ".20e"))
