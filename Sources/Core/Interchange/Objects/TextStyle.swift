import RealmModel
import RealmStorage

/// How one text format writes values: what ``ObjectWriter`` asks for each of them. The writer walks
/// objects, collections and links; a style knows only text.
protocol TextStyle: Sendable {
  /// True where old formats are shown as the reference shows them after its own upgrade: with sets
  /// re-sorted and asymmetric classes emptied, but dictionaries and members as they are stored.
  var imitatesUpgrade: Bool { get }

  /// The text in front of the first property of an object, and the comma between the parts.
  func appendObjectStart(
    _ table: Table, key: ObjectKey, to text: inout TextBuffer
  ) -> Bool
  /// A property name with what surrounds it, `"name":`; made once a column.
  func memberName(_ name: Name) -> [UInt8]

  func append(int value: Int64, to text: inout TextBuffer)
  func append(float value: Float, inMixed: Bool, to text: inout TextBuffer)
  func append(double value: Double, to text: inout TextBuffer)
  func append(string value: ByteSlice, to text: inout TextBuffer)
  func append(binary value: ByteSlice, to text: inout TextBuffer)
  func append(seconds: Int64, nanoseconds: Int64, to text: inout TextBuffer)
  func append(decimal value: Decimal128, to text: inout TextBuffer)
  func append(objectId value: ByteSlice, to text: inout TextBuffer)
  func append(uuid value: ByteSlice, to text: inout TextBuffer)

  /// A link to an object of `table`.
  ///
  /// - Parameters:
  ///   - identity: its primary key, or its object key as an integer where the class has none.
  ///   - isTyped: the link is a value of a mixed property.
  ///   - writeIdentity: appends the identity as a scalar.
  func appendLink(
    to table: Table, identity: MixedValue, isPrimaryKey: Bool, isTyped: Bool,
    text: inout TextBuffer, writeIdentity: (MixedValue, inout TextBuffer) -> Void)
  /// A link whose target is a tombstone of `table`: `key` is unresolved.
  ///
  /// - Parameters:
  ///   - identity: the primary key of the tombstone, nil where the class has none.
  ///   - isElement: the link stands in a list or set.
  func appendUnresolved(
    _ table: Table, key: ObjectKey, identity: MixedValue?, isTyped: Bool, isElement: Bool,
    text: inout TextBuffer, writeIdentity: (MixedValue, inout TextBuffer) -> Void)

  /// What stands around an embedded object.
  func appendEmbeddedStart(_ table: Table, to text: inout TextBuffer)
  func appendEmbeddedEnd(to text: inout TextBuffer)
  /// What stands around the members of a set.
  func appendSetStart(to text: inout TextBuffer)
  func appendSetEnd(to text: inout TextBuffer)
  /// How the entries of a dictionary are written, from its keys.
  func dictionaryForm(keys: [MixedValue], isNested: Bool) -> DictionaryForm
  func appendDictionaryStart(_ form: DictionaryForm, to text: inout TextBuffer)
  func append(key: MixedValue, _ form: DictionaryForm, to text: inout TextBuffer)
  func appendDictionaryEnd(_ form: DictionaryForm, to text: inout TextBuffer)
}

/// The forms of a dictionary in text.
enum DictionaryForm {
  /// `{"key":value}`.
  case plain
  /// The same in a wrapper that tells it from other objects.
  case wrapped
  /// `[[key,value]]` in a wrapper: for keys that no JSON string can hold.
  case pairs
}
