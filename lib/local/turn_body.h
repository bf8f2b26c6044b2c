/* Transpositions of one type; copies_body.h includes this file through types.h. */

/* How a transposition changes entries. */
struct NAME(image) {
  bool conjugate, scale;
  ENTRY alpha;
};

static inline ENTRY NAME(image_of)(const struct NAME(image) * image, ENTRY x) {
#if COMPLEX_TYPE
  if (image->conjugate) x = (ENTRY)conj(x);
#endif
  return image->scale ? image->alpha * x : x;
}

/* A square of SQUARE x SQUARE entries reads and writes whole lines. */
enum { NAME(SQUARE) = HY_LINE / (int)sizeof(ENTRY) };

static TARGET inline void NAME(turn_square)(const struct NAME(image) * image, const ENTRY *a,
                                            int64_t lda, ENTRY *b, int64_t ldb, bool stream) {
  _Alignas(HY_LINE) ENTRY square[NAME(SQUARE)][NAME(SQUARE)], *entry = square[0];
  FOR(turn_square)
  (sizeof(ENTRY), (const char *)a, lda * (int64_t)sizeof(ENTRY), (char *)square);
#if COMPLEX_TYPE
  /* Conjugates the parts one by one: changing the sign of every second number is one operation on a
   * vector. */
  REAL *part = (REAL *)square;
  for (int e = 0; e < 2 * NAME(SQUARE) * NAME(SQUARE) && image->conjugate; e++)
    part[e] = e % 2 != 0 ? -part[e] : part[e];
#endif
  for (int e = 0; e < NAME(SQUARE) * NAME(SQUARE) && image->scale; e++)
    entry[e] = image->alpha * entry[e];
  for (int j = 0; j < NAME(SQUARE); j++) FOR(put_line)(b + j * ldb, square[j], stream);
}

/* Transposes the rows and columns that do not fill squares. */
static TARGET void NAME(turn_rest)(const struct NAME(image) * image, int m, int n, const ENTRY *a,
                                   int64_t lda, ENTRY *b, int64_t ldb) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) b[i + j * ldb] = NAME(image_of)(image, a[j + i * lda]);
}

/* Transposes a tile; m and n are multiples of SQUARE.  It goes along the columns of B, so that
 * neighbouring lines are written one after the other.  It takes two lines of each column of A at a
 * time, since processors fetch lines in pairs.  Meanwhile it prefetches the next two lines, and at
 * the end the first two of the next tile.  It prefetches by the last entry of a square, since the
 * line of the first entry may be there already. */
static TARGET inline void NAME(turn_tile)(const struct NAME(image) * image, int m, int n,
                                          const ENTRY *a, int64_t lda, ENTRY *b, int64_t ldb,
                                          bool stream, const ENTRY *next) {
  const int64_t column = lda * (int64_t)sizeof(ENTRY), last = HY_LINE - (int64_t)sizeof(ENTRY);
  for (int j = 0; j < n; j += 2 * NAME(SQUARE)) {
    const ENTRY *ahead = j + 2 * NAME(SQUARE) < n ? a + j + 2 * NAME(SQUARE) : next;
    for (int i = 0; i < m; i += NAME(SQUARE)) {
      for (int c = i; c < i + NAME(SQUARE) && stream && ahead != NULL; c++) {
        prefetch_line((const char *)ahead, c * column + last);
        prefetch_line((const char *)ahead, c * column + last + HY_LINE);
      }
      NAME(turn_square)(image, a + j + i * lda, lda, b + i + j * ldb, ldb, stream);
      if (j + NAME(SQUARE) < n) NAME(turn_square)
      (image, a + j + NAME(SQUARE) + i * lda, lda, b + i + (j + NAME(SQUARE)) * ldb, ldb, stream);
    }
  }
}

/* m and n are multiples of SQUARE. */
static TARGET inline void NAME(turn_tiles)(const struct NAME(image) * image, int m, int n,
                                           const ENTRY *a, int64_t lda, ENTRY *b, int64_t ldb,
                                           bool stream, const ENTRY *next) {
  for (int j = 0; j < n; j += TILE)
    for (int i = 0; i < m; i += TILE) {
      const ENTRY *after = i + TILE < m   ? a + j + (i + TILE) * lda
                           : j + TILE < n ? a + j + TILE
                                          : next;
      NAME(turn_tile)
      (image, m - i < TILE ? m - i : TILE, n - j < TILE ? n - j : TILE, a + j + i * lda, lda,
       b + i + j * ldb, ldb, stream, after);
    }
}

static TARGET void NAME(turn)(hyla_operation op, int m, int n, double _Complex alpha, const void *a,
                              int lda, void *b, int ldb, bool stream, const void *next) {
  const ENTRY *from = a, factor = (ENTRY)alpha;
  ENTRY *to = b;
  const struct NAME(image) same = {0},
                           image = {op == HYLA_CONJUGATE && COMPLEX_TYPE, factor != 1, factor};
  /* Streaming needs columns that all begin at the same place in a line. */
  const bool lines = stream && ldb % NAME(SQUARE) == 0;
  int head = lines ? (int)(line_head(b) / (int64_t)sizeof(ENTRY)) : 0;
  head = head < m ? head : m;
  const int rows = (m - head) / NAME(SQUARE) * NAME(SQUARE), tail = head + rows;
  const int cols = n / NAME(SQUARE) * NAME(SQUARE);
  const ENTRY *inner = from + (int64_t)head * lda;
  if (image.conjugate || image.scale)
    NAME(turn_tiles)(&image, rows, cols, inner, lda, to + head, ldb, lines, next);
  else if (lines)
    NAME(turn_tiles)(&same, rows, cols, inner, lda, to + head, ldb, true, next);
  else
    NAME(turn_tiles)(&same, rows, cols, inner, lda, to + head, ldb, false, NULL);
  NAME(turn_rest)(&image, head, cols, from, lda, to, ldb);
  NAME(turn_rest)(&image, m - tail, cols, from + (int64_t)tail * lda, lda, to + tail, ldb);
  NAME(turn_rest)(&image, m, n - cols, from + cols, lda, to + (int64_t)cols * ldb, ldb);
}
