/* What happens when a block was written behind its end.  Nothing else stands in this file: a
 * program that is linked with the archive and defines hy_overrun, as the tests' harness does, gets
 * its own. */
#include "base/base.h"

void hy_overrun(const struct hy_base *base, int64_t bytes) {
  hy_log(base, 1, "a block of %lld bytes was written behind its end", (long long)bytes);
}
