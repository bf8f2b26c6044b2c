/* The name that a misspelt word most likely means: the one with the least edit distance. */
#include "base/base.h"

#include <string.h>

enum { LONGEST = 63 };

/* Edit distance: letters inserted, removed, replaced, or swapped with the next one (Damerau 1964;
 * Wagner and Fischer 1974), computed row by row.  Only swaps need the row before the last one. */
static int distance(const char *a, const char *b) {
  int rows[3][LONGEST + 1];
  int length = (int)hy_min(LONGEST, (int64_t)strlen(b)), i = 1;
  for (int j = 0; j <= length; j++) rows[0][j] = j;
  for (; a[i - 1] != '\0'; i++) {
    int *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
    row[0] = i;
    for (int j = 1; j <= length; j++) {
      int replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      row[j] = (int)hy_min(replaced, hy_min(above[j], row[j - 1]) + 1);
      if (swapped) row[j] = (int)hy_min(row[j], two_above[j - 2] + 1);
    }
  }
  return rows[(i + 2) % 3][length];
}

const char *hyla_name_nearest(const char *word, const char *const *names) {
  const char *nearest = NULL;
  const size_t length = strlen(word);
  /* At most two letters of five may be wrong, or one of two: with more errors it is another
   * word. */
  int least = length < 2 ? 1 : (int)hy_max(1, 2 * (int64_t)length / 5) + 1;
  for (; *names != NULL; names++) {
    bool begun = length > 1 && strncmp(word, *names, length) == 0;
    int away = begun ? (*names)[length] != '\0' : distance(word, *names);
    if (away >= least) continue;
    least = away;
    nearest = *names;
  }
  return nearest;
}
