package import RealmModel
package import RealmStorage
import Synchronization

/// The objects of a realm of formats 2 to 9: a source that gives the same batches as a ``RealmSource``. The
/// key of an object is its row.
///
/// Embedded objects are always nested, and damage always stops the cursor.
package final class LegacySource: RealmObjectSource {
  /// Objects per part: as many as a leaf usually has.
  private static let rowsPerPart = 1000

  let realm: LegacyRealm
  private let request: ObjectRequest
  package let classes: [Int]
  /// Number of the first part of each class, by position of the class.
  private let firstParts: [Int: Int]
  /// Bytes of the nodes that the parts opened so far.
  private let openedByteCount = Mutex(0)

  /// - Parameter classes: positions of the classes whose objects are read, in this order; nil for all
  ///   classes of the app except the embedded ones.
  package init(
    _ realm: LegacyRealm, _ request: ObjectRequest = ObjectRequest(), classes: [Int]? = nil
  ) {
    (self.realm, self.request) = (realm, request)
    let classes = classes ?? realm.schema.topLevelClasses
    var (firstParts, partCount): ([Int: Int], Int) = ([:], 0)
    for position in classes {
      firstParts[position] = partCount
      partCount += LegacySource.partCount(of: realm.layouts[position])
    }
    (self.classes, self.firstParts) = (classes, firstParts)
  }

  private static func partCount(of layout: LegacyClassLayout) -> Int {
    ((layout.table?.rowCount ?? 0) + rowsPerPart - 1) / rowsPerPart
  }

  package var schema: ObjectSchema { realm.schema }

  package var objectCount: Int { classes.reduce(0) { $0 &+ rowCount($1) } }

  /// There are no sets.
  package var duplicateMembers: Int { 0 }

  private func rowCount(_ position: Int) -> Int { realm.layouts[position].table?.rowCount ?? 0 }

  package func parts() -> [ObjectPart] {
    var parts: [ObjectPart] = []
    for position in classes {
      for _ in 0..<LegacySource.partCount(of: realm.layouts[position]) {
        parts.append(ObjectPart(classPosition: position, number: parts.count))
      }
    }
    return parts
  }

  /// The rows of a part.
  func rows(of part: ObjectPart) -> Range<Int> {
    let start = (part.number - (firstParts[part.classPosition] ?? 0)) * LegacySource.rowsPerPart
    return start..<min(start + LegacySource.rowsPerPart, rowCount(part.classPosition))
  }

  package func makeCursor() throws(RealmFileError) -> LegacyCursor {
    LegacyCursor(self, try LegacyAssembler(realm, request, LegacyLedger()))
  }

  /// - Throws: `damaged` with rule `storage.node-overlap` if the parts opened more bytes than the file has.
  package func accept(_ report: PartReport, of part: ObjectPart) throws(RealmFileError) {
    let opened = openedByteCount.withLock {
      $0 += report.openedByteCount
      return $0
    }
    let size = realm.snapshot.top.logicalSize
    guard opened <= size else {
      throw RealmFileError(
        .damaged(.storageNodeOverlap),
        className: schema.classes[part.classPosition].name.text,
        detail: "the objects up to here lie in \(opened) bytes of nodes, but the file has \(size)")
    }
  }
}
