/// The first byte of an encoded value, which says how the value continues (docs/hash.md). All numbers are
/// little-endian; a length has 8 bytes.
///
/// ```
/// null                                     int        8 bytes
/// bool       1 byte                        float      4 bytes
/// double     8 bytes                       string     length, UTF-8
/// binary     length, bytes                 date       seconds 8 bytes, nanoseconds 8 bytes
/// decimal    16 bytes                      objectId   12 bytes
/// uuid       16 bytes                      link       1 if unresolved, name of the class, identity
/// object     values in the order of names  list       elements, end
/// dictionary keys and values in turn, end
/// ```
enum ValueTag: UInt8 {
  case null = 0
  case int, bool, float, double, string, binary, date, decimal, objectId, uuid
  case link, object, list, dictionary, end
}

extension EncodedBytes {
  /// Appends a string: its tag, length and bytes.
  mutating func append(string bytes: [UInt8]) {
    append(.string)
    append(UInt64(bytes.count))
    append(bytes)
  }
}
