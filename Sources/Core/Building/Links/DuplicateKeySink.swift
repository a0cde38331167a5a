package import RealmModel
package import RealmStorage

/// The sink that finds objects of one class with equal primary keys. Takes 16 bytes per object, within a memory
/// budget.
package final class DuplicateKeySink: ObjectSink {
  package typealias Failure = RealmFileError

  private let classPosition: Int
  private let property: Int
  private let limit: Int
  private let runs: SortedRuns

  /// - Parameters:
  ///   - classPosition: position of the class.
  ///   - property: position of its primary key.
  ///   - limit: the most groups to find, and the most objects of a group.
  package init(classPosition: Int, property: Int, limit: Int, budget: MemoryBudget) {
    (self.classPosition, self.property, self.limit) = (classPosition, property, limit)
    runs = SortedRuns(width: 2, budget: budget)
  }

  package func begin(_ schema: ObjectSchema, classes: [Int]) {}
  package func makeEncoder() -> Encoder { Encoder(classPosition, property) }

  package func accept(
    _ output: [UInt64], of part: ObjectPart, isLast: Bool
  ) throws(RealmFileError) {
    try runs.append(output)
  }

  /// Finds the groups of objects with equal primary keys.
  ///
  /// - Returns: the object keys of each group, ordered by the second object of the group.
  /// - Throws: the errors of an unlinked file.
  package func finish() throws(RealmFileError) -> [[ObjectKey]] {
    try runs.finish()
    var groups: [[ObjectKey]] = []
    var (group, hash): ([ObjectKey], UInt64?) = ([], nil)
    func end() {
      guard group.count > 1 else { return }
      groups.append(group.sorted { $0.raw < $1.raw })
      guard groups.count > 2 * limit else { return }
      groups = first(of: groups)
    }
    while case let words = try runs.next(), !words.isEmpty {
      for i in stride(from: 0, to: words.count, by: 2) {
        if words[i] != hash {
          end()
          (group, hash) = ([], words[i])
        }
        // A long group need not be complete.
        if group.count < limit { group.append(ObjectKey(Int64(bitPattern: words[i + 1]))) }
      }
    }
    end()
    return first(of: groups)
  }

  private func first(of groups: [[ObjectKey]]) -> [[ObjectKey]] {
    Array(groups.sorted { $0[1].raw < $1[1].raw }.prefix(limit))
  }

  /// Collects the hash and the key of each object of a part. Used by one thread.
  package final class Encoder: ObjectEncoder {
    package typealias Failure = RealmFileError
    private let classPosition: Int
    private let property: Int
    private var records: [UInt64] = []

    fileprivate init(_ classPosition: Int, _ property: Int) {
      (self.classPosition, self.property) = (classPosition, property)
    }

    package func begin(_ part: ObjectPart, _ outlet: PartOutlet<[UInt64], RealmFileError>) {
      records = []
    }

    package func encode(_ batch: ObjectBatch) {
      guard batch.classPosition == classPosition,
        case .scalar(let values)? = batch.columns[property]
      else { return }
      IndexData.forEach(in: .scalar(values)) { row, data in
        records.append(data.linkHash)
        records.append(UInt64(bitPattern: batch.keys[row].raw))
      }
    }

    package func end() -> [UInt64] { records }
    package static func weight(of output: [UInt64]) -> Int { 8 * output.count }
  }
}
