import RealmStorage

/// Search indexes of a realm that a new realm gets as they are: their nodes are copied, and no entries are
/// collected.
///
/// Invariant 1: the objects of the classes keep their keys, none is added or left out, and the values of the
/// properties do not change.
package struct KeptIndexes: Sendable {
  private let realm: Realm
  /// Roots in the realm, by position of a class in the new schema and of its property.
  private var roots: [Int: [Int: Ref]] = [:]

  /// - Returns: nil for a realm of another format than the one that ``RealmBuilder`` builds.
  package init?(of realm: Realm) {
    guard realm.snapshot.format == RealmBuilder.format else { return nil }
    self.realm = realm
  }

  /// Keeps the index of a column, if the property has the same one in the new realm.
  ///
  /// - Parameters:
  ///   - position: position of the property in its class in the new schema.
  ///   - classPosition: position of that class.
  package mutating func add(
    _ column: Column, as property: Property, at position: Int, ofClass classPosition: Int
  ) {
    let old = column.property
    // Links in mixed values name tables, which can move.
    guard column.index != 0, old.index == property.index, old.type == property.type,
      old.collection == property.collection, property.type != .mixed
    else { return }
    roots[classPosition, default: [:]][position] = column.index
  }

  /// The root in the realm of the index of a property; nil if it is built.
  func root(ofProperty position: Int, ofClass classPosition: Int) -> Ref? {
    roots[classPosition]?[position]
  }

  /// Copies the indexes of columns that have one.
  ///
  /// - Returns: the roots of the copies, by number of the column.
  /// - Throws: `damaged`; the errors of an encrypted realm and of the output.
  func copy(
    of columns: [BuildColumn], to writer: RealmFileWriter
  ) throws(RealmFileError) -> [Int: Ref] {
    let nodes = try realm.snapshot.makeReaderOfAll()
    var copier = NodeCopier(nodes: nodes, writer: writer, edits: NodeEdits()) { _ in }
    var copies: [Int: Ref] = [:]
    try nodes.traversing { () throws(RealmFileError) in
      for column in columns {
        if let root = column.keptIndex { copies[column.number] = try copier.copy(root) }
      }
    }
    return copies
  }
}
