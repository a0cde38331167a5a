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
  private func told(_ old: ObjectSchema, _ new: ObjectSchema) -> [String] {
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
    #expect(told(int, int).isEmpty)
    #expect(told(schema([]), int) == ["p propertyAdded migration additive"])
    #expect(told(int, schema([])) == ["p propertyRemoved migration ignored !"])
    #expect(
      told(int, schema([property(.double)])) == ["p typeChanged migration impossible !"])
    #expect(
      told(int, schema([property(.int, .list)])) == ["p typeChanged migration impossible !"])
    #expect(
      told(int, schema([property(.int, optional: true)]))
        == ["p madeOptional migration impossible"])
    #expect(
      told(schema([property(.int, optional: true)]), int)
        == ["p madeRequired migration impossible !"])
    #expect(
      told(int, schema([property(.int, index: .search)])) == ["p index nothing additive"])
    #expect(
      told(int, schema([property(.int, optional: true, index: .search)])) == [
        "p madeOptional migration impossible", "p index nothing additive",
      ])
  }

  @Test("links to another class have another type; mixed values are always optional")
  func targets() {
    #expect(
      told(
        schema([property(.link, optional: true, target: 1)]),
        schema([property(.link, optional: true, target: 0)]))
        == ["p typeChanged migration impossible !"])
    #expect(told(schema([property(.mixed)]), schema([property(.mixed, optional: true)])).isEmpty)
  }

  @Test("changes of a class")
  func classes() {
    let one = schema([property(.int)])
    #expect(
      told(one, ObjectSchema(classes: [dog])) == ["A classRemoved nothing ignored"])
    #expect(told(ObjectSchema(classes: [dog]), one) == ["A classAdded nothing additive"])
    // The index that a primary key has in some formats is no change.
    #expect(
      told(one, schema([property(.int, index: .search)], primaryKey: 0))
        == ["A primaryKey migration impossible"])
    func kind(_ kind: ObjectClass.Kind) -> ObjectSchema {
      ObjectSchema(classes: [ObjectClass(name: Name("A"), kind: kind, properties: []), dog])
    }
    #expect(
      told(kind(.topLevel), kind(.embedded)) == ["A classKind migration impossible"])
    #expect(
      told(kind(.topLevel), kind(.asymmetric)) == ["A classKind impossible impossible"])
  }

  @Test("classes and properties are compared by name, whatever their order")
  func order() {
    let (a, b) = (
      Property(name: Name("a"), type: .int), Property(name: Name("b"), type: .string)
    )
    let one = ObjectSchema(classes: [ObjectClass(name: Name("A"), properties: [a, b]), dog])
    let other = ObjectSchema(classes: [dog, ObjectClass(name: Name("A"), properties: [b, a])])
    #expect(told(one, other).isEmpty)
  }
}
