#include "ccipher.h"

#include <string.h>

void ccipher_wipe(void *bytes, size_t count) {
  memset(bytes, 0, count);
  // The compiler must assume that this reads the memory.
  __asm__ __volatile__("" : : "r"(bytes) : "memory");
}

int ccipher_is_equal(const void *a, const void *b, size_t count) {
  const volatile uint8_t *left = a;
  const volatile uint8_t *right = b;
  uint8_t difference = 0;
  for (size_t i = 0; i < count; i++) difference |= left[i] ^ right[i];
  return difference == 0;
}
