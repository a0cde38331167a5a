import RealmModel
import RealmStorage

extension FormulaRun {
  /// The values of a property, or of one that links lead to, one for each of `rows`.
  func values(_ path: FormulaPath, _ rows: [Int]) throws(FormulaFailure) -> [QueryValue] {
    guard let column = columns[path.first] else {
      return Array(repeating: .null, count: rows.count)
    }
    var values = rows.map { FormulaColumn.value(of: column, row: $0) }
    for place in path.rest { values = try follow(values, to: place) }
    return values
  }

  /// The values of the property at `place` of the objects that `links` lead to; null for no link.
  private func follow(
    _ links: [QueryValue], to place: FormulaPlace
  ) throws(FormulaFailure) -> [QueryValue] {
    var keys = Set<ObjectKey>()
    for case .link(_, let key) in links { keys.insert(key) }
    var found: [ObjectKey: QueryValue] = [:]
    var remaining = keys.sorted { $0.raw < $1.raw }[...]
    while !remaining.isEmpty {
      let some = Array(remaining.prefix(ObjectBatch.capacity))
      let batch: ObjectBatch
      do throws(RealmFileError) {
        batch = try context.objects(some, ofClass: place.classPosition)
      } catch {
        throw .file(error)
      }
      // A batch has at least one object.
      guard batch.count > 0, let column = batch.columns[place.property] else { break }
      keep(batch)
      for row in 0..<batch.count {
        found[some[row]] = FormulaColumn.value(of: column, row: row)
      }
      remaining = remaining.dropFirst(batch.count)
    }
    return links.map { link in
      if case .link(_, let key) = link { found[key] ?? .null } else { .null }
    }
  }
}
