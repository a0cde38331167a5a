import RealmModel

/// Operations on ascending keys.
enum SortedKeys {
  /// The keys of both. Without branches that depend on the keys, which no processor could predict.
  static func intersection(_ a: [ObjectKey], _ b: [ObjectKey]) -> [ObjectKey] {
    unsafe [ObjectKey](unsafeUninitializedCapacity: min(a.count, b.count)) { kept, count in
      var (i, j) = (0, 0)
      unsafe a.withUnsafeBufferPointer { a in
        unsafe b.withUnsafeBufferPointer { b in
          // `count` is at most `i` and `j`, so there is room for one more key.
          while i < a.count, j < b.count {
            let (x, y) = unsafe (a[i].raw, b[j].raw)
            unsafe kept[count] = ObjectKey(x)
            count &+= x == y ? 1 : 0
            i &+= x <= y ? 1 : 0
            j &+= y <= x ? 1 : 0
          }
        }
      }
    }
  }

  /// The keys of `a` that are not in `b`.
  static func subtraction(_ a: [ObjectKey], _ b: [ObjectKey]) -> [ObjectKey] {
    var kept: [ObjectKey] = []
    var next = 0
    for key in a {
      while next < b.count, b[next].raw < key.raw { next += 1 }
      if next == b.count || b[next] != key { kept.append(key) }
    }
    return kept
  }
}
