import RealmModel
import RealmStorage

extension TableLayout {
  /// Appends a cluster tree of the table without objects. Whoever looks up a primary key opens its leaf.
  func appendEmptyTree(to buffer: NodeBuffer) -> Ref {
    var slots = [1] + Array(repeating: Int64(TableDonor.lostRef), count: spec.keys.count)
    if let primaryKey = (try? primaryKey()) ?? nil,
      let values = ColumnBuilder(type: spec.keys[primaryKey].type ?? .int).batch.scalars
    {
      let key = spec.keys[primaryKey]
      slots += Array(
        repeating: Int64(TableDonor.lostRef), count: max(0, key.leafIndex + 2 - slots.count))
      slots[key.leafIndex + 1] = Int64(
        Leaf.encode(values, 0..<0, isNullable: key.isNullable, into: buffer))
    }
    return buffer.append(refs: slots)
  }
}
