package import RealmModel
package import RealmStorage
import Synchronization

/// The source of the objects of a realm of formats 2 to 9. It returns batches like a ``RealmSource``; the key of an
/// object is its row.
///
/// Embedded objects are always nested. To leave damage out, the realm must be opened for that
/// (``LegacyRealm/init(leavingOutDamageOf:isDamaged:)``). Unreadable values of properties are then null, even those of
/// required properties; a list or subtable that cannot be read as a whole is empty. Rows without any readable value are
/// left out (``LegacyRows``).
package final class LegacySource: RealmObjectSource {
  /// The fewest objects of a part, as many as a leaf usually has.
  private static let leastRowsPerPart = 1000
  /// The most parts of that size. A damaged realm can claim so many rows that a list of such parts would not fit
  /// into memory.
  private static let partLimit = 100_000

  let realm: LegacyRealm
  private let request: ObjectRequest
  package let classes: [Int]
  private let rowsPerPart: Int
  /// Number of the first part of each class, by position of the class.
  private let firstParts: [Int: Int]
  /// Bytes of the nodes that the parts opened so far.
  private let opened = Mutex(OpenedBytes(of: "the objects"))

  /// - Parameter classes: positions of the classes whose objects are read, in this order; nil for all
  ///   classes of the app except the embedded ones.
  package init(
    _ realm: LegacyRealm, _ request: ObjectRequest = ObjectRequest(), classes: [Int]? = nil
  ) {
    (self.realm, self.request) = (realm, request)
    let classes = classes ?? realm.schema.topLevelClasses
    let rowCounts = classes.map { realm.layouts[$0].table?.rowCount ?? 0 }
    // Rounded up to whole leaves.
    let leaves = rowCounts.reduce(0, +) / Self.partLimit / Self.leastRowsPerPart
    rowsPerPart = (leaves + 1) * Self.leastRowsPerPart
    var (firstParts, partCount): ([Int: Int], Int) = ([:], 0)
    for (position, rowCount) in zip(classes, rowCounts) {
      firstParts[position] = partCount
      partCount += (rowCount + rowsPerPart - 1) / rowsPerPart
    }
    (self.classes, self.firstParts) = (classes, firstParts)
  }

  package var schema: ObjectSchema { realm.schema }

  package var objectCount: Int { classes.reduce(0) { $0 + rowCount($1) } }

  /// There are no sets.
  package var duplicateMembers: Int { 0 }

  private func rowCount(_ position: Int) -> Int { realm.layouts[position].table?.rowCount ?? 0 }

  package func parts() -> [ObjectPart] {
    var parts: [ObjectPart] = []
    for position in classes {
      for _ in stride(from: 0, to: rowCount(position), by: rowsPerPart) {
        parts.append(ObjectPart(classPosition: position, number: parts.count))
      }
    }
    return parts
  }

  /// The rows of a part.
  func rows(of part: ObjectPart) -> Range<Int> {
    let start = (part.number - (firstParts[part.classPosition] ?? 0)) * rowsPerPart
    return start..<min(start + rowsPerPart, rowCount(part.classPosition))
  }

  package func makeCursor() throws(RealmFileError) -> LegacyCursor {
    LegacyCursor(self, try LegacyAssembler(realm, request, LegacyLedger()))
  }

  /// - Throws: `damaged` with rule `storage.node-overlap` if the parts opened more bytes than the file has.
  package func accept(_ report: PartReport, of part: ObjectPart) throws(RealmFileError) {
    guard request.damage == .stop else { return }
    do {
      try opened.withLock { (opened) throws(RealmFileError) in
        try opened.add(
          report.openedByteCount, at: realm.layouts[part.classPosition].table?.ref ?? 0,
          fileSize: realm.snapshot.top.logicalSize)
      }
    } catch {
      throw error.adding(className: schema.classes[part.classPosition].name.text)
    }
  }
}
