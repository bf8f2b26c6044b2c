/* What somebody may have meant: the name with the least edit distance. */
#include "base/base.h"

#include <string.h>

enum { LONGEST = 63 };

/* Letters to be inserted, removed or replaced (Wagner and Fischer 1974, row by row). */
static int distance(const char *a, const char *b) {
  int row[LONGEST + 1];
  int length = (int)hy_min(LONGEST, (int64_t)strlen(b));
  for (int j = 0; j <= length; j++) row[j] = j;
  for (int i = 1; a[i - 1] != '\0'; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= length; j++) {
      int replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = (int)hy_min(replaced, hy_min(row[j], row[j - 1]) + 1);
    }
  }
  return row[length];
}

const char *hyla_name_nearest(const char *word, const char *const *names) {
  const char *nearest = NULL;
  /* Two letters of five may be wrong: beyond that it is another word. */
  int least = 2 * (int)strlen(word) / 5 + 1;
  for (; *names != NULL; names++) {
    size_t length = strlen(word);
    bool begun = length > 1 && strncmp(word, *names, length) == 0;
    int away = begun ? (*names)[length] != '\0' : distance(word, *names);
    if (away >= least) continue;
    least = away;
    nearest = *names;
  }
  return nearest;
}
