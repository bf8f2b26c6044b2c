/* Addresses: bits, subcubes. */
#include "address/address.h"

int hy_popcount(uint32_t bits) {
  int count = 0;
  for (; bits != 0; bits &= bits - 1) count++;
  return count;
}

int hy_log2_floor(uint32_t bits) {
  int place = -1;
  for (; bits != 0; bits >>= 1) place++;
  return place;
}

int hy_lowest(uint32_t bits) { return hy_log2_floor(bits & (~bits + 1)); }

uint32_t hy_deposit(uint32_t member, uint32_t dims) {
  uint32_t address = 0;
  for (; dims != 0; dims &= dims - 1, member >>= 1)
    if (member & 1) address |= dims & (~dims + 1);
  return address;
}

uint32_t hy_extract(uint32_t address, uint32_t dims) {
  uint32_t member = 0;
  for (uint32_t bit = 1; dims != 0; dims &= dims - 1, bit <<= 1)
    if (address & dims & (~dims + 1)) member |= bit;
  return member;
}
