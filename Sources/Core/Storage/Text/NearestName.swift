/// Finds the name that a user probably meant.
package enum NearestName {
  /// The position of the name that is most similar to `word`; nil if none is similar.
  package static func position(of word: String, in names: [String]) -> Int? {
    var best: (position: Int, distance: Int)?
    // Allows two errors in a word of six letters. A name that starts with the word always matches.
    let limit = max(1, word.count / 3)
    for (position, name) in names.enumerated() {
      let isBeginning = word.count > 2 && name.hasPrefix(word)
      let distance = isBeginning ? 1 : editDistance(word, name)
      if distance <= limit, best.map({ distance < $0.distance }) ?? true {
        best = (position, distance)
      }
    }
    return best?.position
  }

  /// `did you mean 'age'?`; or the names, if none is similar. Nil if there are no names.
  ///
  /// - Parameters:
  ///   - list: the words before the names, such as `the classes are`.
  ///   - limit: the most names in a list.
  package static func suggestion(
    _ word: String, _ names: [String], of list: String, limit: Int = 12
  ) -> String? {
    if let nearest = position(of: word.lowercased(), in: names.map { $0.lowercased() }) {
      return "did you mean '\(names[nearest])'?"
    }
    return names.isEmpty ? nil : "\(list) \(self.list(names, limit: limit))"
  }

  /// The names with commas between them; of more than `limit`, the first ones and the number of the others.
  package static func list(_ names: [String], limit: Int = 12) -> String {
    let shown = names.prefix(limit).joined(separator: ", ")
    return names.count > limit ? "\(shown) and \(names.count - limit) more" : shown
  }

  /// The number of characters that must be added, removed, replaced or swapped with their neighbour to turn
  /// one string into the other.
  private static func editDistance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    // Distances between the first i characters of a and the first j of b: the rows for i - 2, i - 1
    // and i.
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var distance = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          distance = min(distance, beforeLast[j - 1] + 1)
        }
        row.append(distance)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
