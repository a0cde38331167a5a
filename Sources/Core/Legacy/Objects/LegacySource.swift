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
  /// Bytes of the nodes that the parts opened so far.
  private let openedByteCount = Mutex(0)

  /// - Parameter classes: positions of the classes whose objects are read, in this order; nil for all
  ///   classes of the app except the embedded ones.
  package init(
    _ realm: LegacyRealm, _ request: ObjectRequest = ObjectRequest(), classes: [Int]? = nil
  ) {
    (self.realm, self.request) = (realm, request)
    self.classes = classes ?? realm.schema.topLevelClasses
  }

  package var schema: ObjectSchema { realm.schema }

  package var objectCount: Int { classes.reduce(0) { $0 &+ rowCount($1) } }

  /// There are no sets.
  package var duplicateMembers: Int { 0 }

  private func rowCount(_ position: Int) -> Int { realm.layouts[position].table?.rowCount ?? 0 }

  package func parts() -> [ObjectPart] {
    var parts: [ObjectPart] = []
    for position in classes {
      let count = (rowCount(position) + LegacySource.rowsPerPart - 1) / LegacySource.rowsPerPart
      for _ in 0..<count {
        parts.append(ObjectPart(classPosition: position, number: parts.count))
      }
    }
    return parts
  }

  /// The rows of a part.
  func rows(of part: ObjectPart) -> Range<Int> {
    var before = 0
    for position in classes.prefix(while: { $0 != part.classPosition }) {
      before += (rowCount(position) + LegacySource.rowsPerPart - 1) / LegacySource.rowsPerPart
    }
    let start = (part.number - before) * LegacySource.rowsPerPart
    return start..<min(start + LegacySource.rowsPerPart, rowCount(part.classPosition))
  }

  package func makeCursor() throws(RealmFileError) -> LegacyCursor {
    LegacyCursor(self, try LegacyAssembler(realm, request))
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
