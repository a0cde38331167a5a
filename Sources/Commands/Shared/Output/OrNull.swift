/// A member of a JSON report that is written as null if it has no value, so that scripts always find it.
@propertyWrapper
package struct OrNull<Value: Encodable>: Encodable {
  package var wrappedValue: Value?

  package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}
