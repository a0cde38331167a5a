#ifndef REALM_CLI_CZLIB_SHIM_H
#define REALM_CLI_CZLIB_SHIM_H

#include <string.h>
#include <zlib.h>

// Inflates a zlib stream of `count` bytes, which lacks its two header bytes but has its checksum, into
// the `room` bytes at `out`. Returns the number of bytes produced, or -1 if the stream is incomplete or
// damaged, continues after the checksum, or produces more than `room` bytes.
static inline long czlib_inflate_headless(
    const unsigned char *bytes, unsigned count, unsigned char *out, unsigned room) {
  static const unsigned char header[2] = {0x78, 0x01};
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  if (inflateInit(&stream) != Z_OK) return -1;
  unsigned char spare;
  stream.next_in = (unsigned char *)header;
  stream.avail_in = sizeof header;
  stream.next_out = room == 0 ? &spare : out;
  stream.avail_out = room;
  int state = inflate(&stream, Z_NO_FLUSH);
  stream.next_in = (unsigned char *)bytes;
  stream.avail_in = count;
  if (state == Z_OK || state == Z_BUF_ERROR) state = inflate(&stream, Z_FINISH);
  int is_whole = state == Z_STREAM_END && stream.avail_in == 0;
  unsigned left = stream.avail_out;
  inflateEnd(&stream);
  return is_whole ? (long)(room - left) : -1;
}

#endif
