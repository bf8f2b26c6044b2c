/* Addresses: bits, subcubes. */
#include "address/address.h"

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
