import RealmStorage

/// The place where values are masked: equal values in one domain stay equal.
struct MaskDomain: Sendable {
  /// What a mask replaces. Masks of different kinds have nothing in common.
  enum Kind: UInt8 {
    case int, bool, double, float, decimal, date, nanoseconds, objectId, uuid
    case text, word, binary
  }

  /// Counts the attempts to find a value that a collection does not have yet.
  var attempt: UInt8 = 0
  /// Whether equal words of strings stay equal, because a full-text index stores each word once.
  var isByWord = false
  /// Whether this is the domain of primary keys, mixed values and keys of dictionaries.
  let isOfIdentities: Bool
  /// The hash of nothing, with the key of the domain.
  private let hash: MaskHash

  /// - Parameters:
  ///   - name: what no other domain has; empty for the domain of identities.
  ///   - code: has the secret of the redaction as its key.
  init(_ name: [UInt8], _ code: MessageCode) throws(RealmFileError) {
    hash = MaskHash(key: try code.code(of: name))
    isOfIdentities = name.isEmpty
  }

  /// The hash that the message of a value continues.
  ///
  /// - Parameter range: the values that are replaced by one another; each range has masks of its own.
  @inline(__always)
  func hash(_ kind: Kind, range: Int = 0) -> MaskHash {
    var hash = hash
    hash.add(
      UInt64(attempt) | UInt64(kind.rawValue) &<< 8 | UInt64(truncatingIfNeeded: range) &<< 16)
    return hash
  }
}
