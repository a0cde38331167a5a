import RealmModel
import RealmQuery
import Testing

@Suite("Comparison of schemas")
struct SchemaComparisonTests {
  private let dog = ObjectClass(
    name: Name("Dog"), properties: [Property(name: Name("name"), type: .string)])

  private func schema(_ properties: [Property], primaryKey: Int? = nil) -> ObjectSchema {
    ObjectSchema(classes: [
      ObjectClass(name: Name("A"), properties: properties, primaryKey: primaryKey), dog,
    ])
  }

  /// The changes as `property kind local synced`, with `!` if values are lost.
  private func changes(_ old: ObjectSchema, _ new: ObjectSchema) -> [String] {
    SchemaComparison(from: old, to: new).changes.map { change in
      let kind = "\(change.kind)".prefix { $0 != "(" }
      return "\(change.property?.text ?? change.className.text) \(kind)"
        + " \(change.local) \(change.synced)" + (change.losesValues ? " !" : "")
    }
  }

  private func property(
    _ type: PropertyType, optional: Bool = false, _ collection: CollectionKind? = nil,
    target: Int? = nil, index: PropertyIndex? = nil
  ) -> Property {
    Property(
      name: Name("p"), type: type, isOptional: optional, collection: collection, target: target,
      index: index)
  }

  @Test("changes of a property, as the measured table of the SDKs' modes has them")
  func properties() {
    let int = schema([property(.int)])
    #expect(changes(int, int).isEmpty)
    #expect(changes(schema([]), int) == ["p propertyAdded migration additive"])
    #expect(changes(int, schema([])) == ["p propertyRemoved migration ignored !"])
    #expect(
      changes(int, schema([property(.double)])) == ["p typeChanged migration impossible !"])
    #expect(
      changes(int, schema([property(.int, .list)])) == ["p typeChanged migration impossible !"])
    #expect(
      changes(int, schema([property(.int, optional: true)]))
        == ["p madeOptional migration impossible"])
    #expect(
      changes(schema([property(.int, optional: true)]), int)
        == ["p madeRequired migration impossible !"])
    #expect(
      changes(int, schema([property(.int, index: .search)])) == ["p index nothing additive"])
    #expect(
      changes(int, schema([property(.int, optional: true, index: .search)])) == [
        "p madeOptional migration impossible", "p index nothing additive",
      ])
  }

  @Test("links to another class have another type; mixed values are always optional")
  func targets() {
    #expect(
      changes(
        schema([property(.link, optional: true, target: 1)]),
        schema([property(.link, optional: true, target: 0)]))
        == ["p typeChanged migration impossible !"])
    #expect(changes(schema([property(.mixed)]), schema([property(.mixed, optional: true)])).isEmpty)
  }

  @Test("changes of a class")
  func classes() {
    let one = schema([property(.int)])
    #expect(
      changes(one, ObjectSchema(classes: [dog])) == ["A classRemoved nothing ignored"])
    #expect(changes(ObjectSchema(classes: [dog]), one) == ["A classAdded nothing additive"])
    // The index of a primary key in some formats is not a change.
    #expect(
      changes(one, schema([property(.int, index: .search)], primaryKey: 0))
        == ["A primaryKey migration impossible"])
    func kind(_ kind: ObjectClass.Kind) -> ObjectSchema {
      ObjectSchema(classes: [ObjectClass(name: Name("A"), kind: kind, properties: []), dog])
    }
    #expect(
      changes(kind(.topLevel), kind(.embedded)) == ["A classKind migration impossible"])
    #expect(
      changes(kind(.topLevel), kind(.asymmetric)) == ["A classKind impossible impossible"])
  }

  @Test("classes and properties are compared by name, whatever their order")
  func order() {
    let (a, b) = (
      Property(name: Name("a"), type: .int), Property(name: Name("b"), type: .string)
    )
    let one = ObjectSchema(classes: [ObjectClass(name: Name("A"), properties: [a, b]), dog])
    let other = ObjectSchema(classes: [dog, ObjectClass(name: Name("A"), properties: [b, a])])
    #expect(changes(one, other).isEmpty)
  }
}
