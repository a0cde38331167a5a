/// The condition of a page of an encrypted file (chapter 1, section 8, rules 25 to 27).
package enum PageCondition: UInt8, Sendable {
  case valid
  /// Only the older of the two checksums matches: a write was interrupted.
  case older
  /// Never written, or truncated and zero since then.
  case empty
  case damaged
}
