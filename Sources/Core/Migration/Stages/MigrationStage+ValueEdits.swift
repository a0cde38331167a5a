import RealmModel
import RealmQuery
import RealmStorage

extension MigrationStage {
  /// The properties that the operations on a class read and write.
  struct ValueEdit {
    var read: Set<Int> = []
    var written: Set<Int> = []
  }

  /// The classes of which the stage only sets single values that are no links, by position. The other columns of their
  /// tables can be copied.
  ///
  /// The operations read only single values, too: collections can divide the objects of a cluster among batches, see
  /// ``keepsClusters(ofClass:_:in:)``.
  func valueEdits(of realm: Realm) -> [Int: ValueEdit] {
    let old = realm.schema.objects.classes
    var edits: [Int: ValueEdit] = [:]
    for (position, operations) in operations where position < old.count {
      var edit = ValueEdit()
      edit.read = Set([old[position].primaryKey].compactMap(\.self))
      let isPlain = operations.allSatisfy { operation in
        guard case .set(let choice, let values) = operation.change else { return false }
        edit.written.formUnion(values.map(\.position))
        for formula in values.map(\.formula) + [choice.condition].compactMap(\.self) {
          edit.read.formUnion(formula.properties)
        }
        return true
      }
      edit.read.formUnion(edit.written)
      let properties = old[position].properties
      guard isPlain, !operations.isEmpty,
        draft.classes[position]?.keepsTable(of: old[position], changing: edit.written) == true,
        old[position].primaryKey.map(edit.written.contains) != true,
        edit.read.allSatisfy({ properties[$0].isSingle }),
        edit.written.allSatisfy({ properties[$0].target == nil })
      else { continue }
      edits[position] = edit
    }
    return edits
  }

  /// Whether the objects of each cluster come in one batch, so that their new leaf can take the place of the old one.
  /// Strings and binaries of many bytes divide them.
  func keepsClusters(
    ofClass position: Int, _ edit: ValueEdit, in realm: Realm
  ) throws(RealmFileError) -> Bool {
    let properties = realm.schema.objects.classes[position].properties
    let large = edit.read.filter { [.string, .binary].contains(properties[$0].type) }
    guard !large.isEmpty, realm.snapshot.top.logicalSize > LeafValues.batchByteCount else {
      return true
    }
    var request = ObjectRequest()
    request.properties[position] = large
    let source = RealmSource(realm, request, classes: [position])
    let cursor = try source.makeCursor()
    for part in try source.parts() {
      cursor.open(part)
      var count = 0
      while try cursor.next() != nil { count += 1 }
      guard count == part.clusters.count else { return false }
    }
    return true
  }
}

extension Property {
  /// Whether the property has one value of one type.
  fileprivate var isSingle: Bool { collection == nil && type != .mixed && type != .typedLink }
}
