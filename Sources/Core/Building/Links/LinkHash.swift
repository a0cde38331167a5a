import RealmModel
import RealmStorage

extension IndexData {
  /// The hash of a primary key by which links find their targets. It is the same during one run of the
  /// program.
  ///
  /// For integers the hash is unique. For other keys and null it depends on a secret of the process, so that
  /// nobody can craft a text with two keys of the same hash, which would lead a link to the wrong object.
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
