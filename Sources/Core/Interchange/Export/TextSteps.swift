/// How much text is written at a time. A test makes the steps small, so that each value is at an edge of one.
package struct TextSteps: Sendable {
  /// Smallest size in bytes of an output that is handed over before its part is complete.
  package var handOverByteCount = 1 << 20
  /// Largest size in bytes of a batch's columns that are prepared before its objects are assembled.
  package var columnByteCount = 4 << 20
  /// Bytes of a long string or binary between two looks whether to hand over the output.
  package var chunkByteCount = 96 << 10

  package init() {}
}
