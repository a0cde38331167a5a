import Testing

@testable import RealmModel

@Suite("Rows of several columns")
struct RowPickTests {
  @Test("embedded objects stay if another row has the value of an object without one")
  func embeddedObjects() {
    let objects = ObjectBatch(
      classPosition: 1, count: 1, keys: [], columns: [.scalar(.int([7], NullMask()))], owner: nil)
    let own = ColumnValues.embedded(EmbeddedColumn(rows: [-1, 0], objects: objects))
    let property = Property(name: Name("home"), type: .link, isOptional: true, target: 1)
    let picked = ColumnValues.picking(
      [RowPick(source: 1, row: 0), RowPick(source: 0, row: 1)],
      of: [own, property.defaultValues(count: 2)])
    guard case .embedded(let column) = picked,
      case .scalar(.int(let numbers, _))?? = column.objects.columns.first
    else {
      Issue.record("\(picked)")
      return
    }
    #expect(column.rows == [-1, 0] && numbers == [7])
  }
}
