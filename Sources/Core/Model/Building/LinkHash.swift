import RealmStorage

extension IndexData {
  /// The hash of a primary key by which links find their targets, the same in one run of the program.
  ///
  /// It is exact for integers. For other keys it depends on a secret of the process, so that nobody can make a text
  /// with two keys of one hash, where a link would find the wrong object.
  var linkHash: UInt64 {
    var hasher = Hasher()
    switch self {
    case .null: return 1
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
