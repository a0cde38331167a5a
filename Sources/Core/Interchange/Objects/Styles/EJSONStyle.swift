import RealmModel
import RealmStorage

/// MongoDB Extended JSON v2 in its canonical form, for `mongoimport`.
struct EJSONStyle: TextStyle {
  /// The member that identifies a document in MongoDB.
  static let identityName = "_id"
  private static let identity = RealmJSONSchema.memberName(Name(identityName))

  func keyMember(of objectClass: ObjectClass) -> [UInt8]? {
    objectClass.primaryKey == nil && objectClass.kind != .embedded ? EJSONStyle.identity : nil
  }

  func memberName(of position: Int, in objectClass: ObjectClass) -> [UInt8] {
    RealmJSONSchema.memberName(EJSONStyle.name(of: position, in: objectClass))
  }

  /// The member name of a property in a document. The primary key is `_id`; another property of this name
  /// gets underscores until its name is unique.
  static func name(of position: Int, in objectClass: ObjectClass) -> Name {
    let name = objectClass.properties[position].name
    guard objectClass.kind != .embedded else { return name }
    guard position != objectClass.primaryKey else { return Name(identityName) }
    guard name.bytes == Array(identityName.utf8) else { return name }
    var free = "__id"
    while objectClass.property(named: free) != nil { free = "_" + free }
    return Name(free)
  }

  func append(int value: Int64, to text: inout TextBuffer) {
    text.append("{\"$numberLong\":\"")
    text.append(decimal: value)
    text.append("\"}")
  }

  func append(float value: Float, inMixed: Bool, to target: inout TextTarget) {
    append(double: Double(value), to: &target)
  }

  func append(double value: Double, to target: inout TextTarget) {
    target.text.append("{\"$numberDouble\":\"")
    if value.isFinite {
      target.text.append(shortest: value)
    } else {
      target.text.append(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    }
    target.text.append("\"}")
  }

  func append(string value: ByteSlice, to target: inout TextTarget) {
    target.appendRepaired(value)
  }

  func append(binary value: ByteSlice, to target: inout TextTarget) {
    target.append(wrappedBinary: value)
  }

  func append(seconds: Int64, nanoseconds: Int64, to target: inout TextTarget) {
    let (milliseconds, isTooLarge) = seconds.multipliedReportingOverflow(by: 1000)
    let (sum, isBeyond) = milliseconds.addingReportingOverflow(nanoseconds / 1_000_000)
    guard !isTooLarge, !isBeyond else {
      return target.appendNull(.outlyingDates)
    }
    if nanoseconds % 1_000_000 != 0 { target.losses.add(.cutDates) }
    target.text.append("{\"$date\":{\"$numberLong\":\"")
    target.text.append(decimal: sum)
    target.text.append("\"}}")
  }

  func append(decimal value: Decimal128, to text: inout TextBuffer) {
    text.append("{\"$numberDecimal\":\"")
    text.append(canonicalDecimal128Low: value.low, high: value.high)
    text.append("\"}")
  }

  func append(objectId value: ByteSlice, to text: inout TextBuffer) {
    text.append(wrappedObjectId: value)
  }

  func append(uuid value: ByteSlice, to text: inout TextBuffer) {
    text.append("{\"$binary\":{\"base64\":\"")
    text.append(base64: value)
    text.append("\",\"subType\":\"04\"}}")
  }

  func appendLinkStart(
    to objectClass: ObjectClass, hasIdentity: Bool, isTyped: Bool, target: inout TextTarget
  ) -> LinkForm {
    guard isTyped else {
      guard hasIdentity else {
        target.appendNull(.linksToNull)
        return .done
      }
      return .value(end: "")
    }
    // A DBRef, MongoDB's convention for a link that names its collection.
    target.text.append("{\"$ref\":")
    target.text.append(bytes: RealmJSONSchema.quoted(objectClass.name))
    target.text.append(",\"$id\":")
    return .value(end: "}")
  }

  func appendUnresolvedStart(
    to objectClass: ObjectClass, isTyped: Bool, isElement: Bool, target: inout TextTarget
  ) -> LinkForm {
    target.appendNull(.unresolvedLinks)
    return .done
  }

  func append(key: BatchValue, to target: inout TextTarget) {
    target.appendKey(key) { $0.append(documentKey: $1) }
  }
}

extension TextTarget {
  /// Appends a dictionary key of a document.
  fileprivate mutating func append(documentKey key: ByteSlice) {
    guard let escaped = DocumentKey.escaped(key.bytes) else { return appendRepaired(key) }
    losses.add(.changedKeys)
    text.append(UInt8(ascii: "\""))
    text.append(jsonEscaped: String(decoding: escaped, as: UTF8.self))
    text.append(UInt8(ascii: "\""))
  }
}

// The wrappers that Extended JSON and Realm JSON share.

extension TextTarget {
  /// Appends a binary.
  mutating func append(wrappedBinary value: ByteSlice) {
    text.append("{\"$binary\":{\"base64\":\"")
    append(base64: value)
    text.append("\",\"subType\":\"00\"}}")
  }
}

extension TextBuffer {
  /// Appends an ObjectId.
  mutating func append(wrappedObjectId value: ByteSlice) {
    append("{\"$oid\":\"")
    append(hex: value)
    append("\"}")
  }
}
