#ifndef REALM_CLI_CTEXT_H
#define REALM_CLI_CTEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// In C, because the Swift compiler turns a comparison of vectors into one comparison per byte.

typedef uint8_t ctext_block __attribute__((vector_size(16)));

// Copies 16 bytes, and returns a mark for each byte that is '"', '\\' or below 0x20.
static inline ctext_block ctext_copy_block(const uint8_t *source, uint8_t *target) {
  ctext_block block;
  memcpy(&block, source, sizeof(block));
  memcpy(target, &block, sizeof(block));
  return (ctext_block)((block < (uint8_t)0x20) | (block == (uint8_t)'"') |
                       (block == (uint8_t)'\\'));
}

// Copies `size` bytes, at least 16. Returns 1 if one of them must be escaped in a JSON string ('"', '\\'
// or below 0x20), otherwise 0.
static inline int ctext_copy(const void *source, void *target, ptrdiff_t size) {
  // The last block overlaps the one before it, so that no block ends past `size`.
  ptrdiff_t last = size - (ptrdiff_t)sizeof(ctext_block);
  ctext_block marks =
      ctext_copy_block((const uint8_t *)source + last, (uint8_t *)target + last);
  for (ptrdiff_t position = 0; position < last; position += (ptrdiff_t)sizeof(ctext_block)) {
    marks |= ctext_copy_block((const uint8_t *)source + position, (uint8_t *)target + position);
  }
  uint64_t words[2];
  memcpy(words, &marks, sizeof(words));
  return (words[0] | words[1]) != 0;
}

#endif
