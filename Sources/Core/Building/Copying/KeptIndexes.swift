package import RealmModel
package import RealmStorage

/// The search indexes of a realm that are copied to a new realm, node by node and without collecting entries.
///
/// Invariant 1: the objects of the classes keep their keys, none is added or removed, and the values of the
/// properties do not change.
package struct KeptIndexes: Sendable {
  /// A property of the new schema.
  private struct Place: Hashable {
    let classPosition: Int
    let position: Int
  }

  private let realm: Realm
  /// The columns with the indexes, by place of the property.
  private var columns: [Place: (table: Table, position: Int)] = [:]

  /// - Parameter format: the format of the new realm.
  /// - Returns: nil if the realm has another format.
  package init?(of realm: Realm, _ format: FileFormat) {
    guard realm.snapshot.fileFormat == format else { return nil }
    self.realm = realm
  }

  /// Keeps the index of a column, if the property has the same index in the new realm.
  ///
  /// - Parameters:
  ///   - column: position of the column in `table`.
  ///   - position: position of the property in its class in the new schema.
  ///   - classPosition: position of that class.
  package mutating func add(
    _ column: Int, of table: Table, as property: Property, at position: Int,
    ofClass classPosition: Int
  ) {
    let old = table.columns[column].property
    // Links in mixed values contain table keys, which can change.
    guard table.columns[column].index != 0, old.index == property.index, old.type == property.type,
      old.collection == property.collection, property.type != .mixed
    else { return }
    columns[Place(classPosition: classPosition, position: position)] = (table, column)
  }

  /// Leaves out wrong indexes, so that the new realm gets correct ones.
  ///
  /// - Parameter wrong: returns the columns among `positions` whose index does not list exactly the objects of the
  ///   table by their values.
  package mutating func remove(
    _ wrong: (Table, _ positions: Set<Int>) throws(RealmFileError) -> Set<Int>
  ) throws(RealmFileError) {
    for (_, places) in Dictionary(grouping: columns.keys, by: \.classPosition) {
      guard let table = places.first.flatMap({ columns[$0]?.table }) else { continue }
      let wrong = try wrong(table, Set(places.compactMap { columns[$0]?.position }))
      for place in places where columns[place].map({ wrong.contains($0.position) }) ?? false {
        columns[place] = nil
      }
    }
  }

  /// The root of the index of a property, in the old realm; nil if the index is built.
  func root(ofProperty position: Int, ofClass classPosition: Int) -> Ref? {
    columns[Place(classPosition: classPosition, position: position)].map {
      $0.table.columns[$0.position].index
    }
  }

  /// Copies the indexes of columns that have one.
  ///
  /// - Returns: the roots of the copies, by number of the column.
  /// - Throws: `damaged`; the errors of an encrypted realm and of the output.
  func copy(
    of columns: [BuildColumn], to writer: RealmFileWriter
  ) throws(RealmFileError) -> [Int: Ref] {
    guard columns.contains(where: { $0.keptIndex != nil }) else { return [:] }
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
