import RealmModel
import RealmStorage

extension IndexData {
  /// The hash of a primary key, by which links find their targets. It is the same within one run of the
  /// program.
  ///
  /// Integers have unique hashes. Hashes of strings, other keys and null depend on a secret of the process, so
  /// nobody can craft two keys with the same hash and make a link refer to the wrong object.
  package var linkHash: UInt64 {
    var hasher = Hasher()
    switch self {
    case .null: break
    case .short(let low, 0, 8): return mixed(low)
    case .short(let low, let high, let count):
      hasher.combine(low)
      hasher.combine(high)
      hasher.combine(count)
    case .long(let bytes):
      unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

extension BatchValue {
  /// The hash of a primary key, as in ``IndexData/linkHash``.
  var linkHash: UInt64 {
    switch self {
    case .int(let number): IndexData(number).linkHash
    case .string(let bytes), .objectId(let bytes), .uuid(let bytes): IndexData(bytes).linkHash
    case .null: IndexData.null.linkHash
    default: IndexData(MixedValue(self)).linkHash
    }
  }
}
