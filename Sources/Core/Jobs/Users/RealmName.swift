import RealmInterchange
public import RealmModel
import RealmStorage

/// How an app names the realm of a user.
public enum RealmName: Sendable, Equatable {
  /// The value of the partition: a string, an integer, an ObjectId, a UUID or null.
  case partition(RealmValue)
  /// Flexible sync; nil for the only realm of the user.
  case flexible(String?)
  /// A realm of an object server, such as `realms://host/~/settings`.
  case url(String)

  /// The realm of the partition with the value `text`: JSON with the wrappers of Realm JSON, or a bare word,
  /// which is a string.
  ///
  /// - Throws: `noPartition` for a value of another type.
  public init(partition text: String) throws {
    do throws(ImportError) {
      let value = try ValueText.value(text, in: ObjectSchema(classes: []))
      guard value.coreName == nil else {
        self = .partition(value)
        return
      }
    } catch {
      throw RequestError(.noPartition(text))
    }
    throw RequestError(.noPartition(text))
  }

  /// Names of the file before they are escaped, and the SDKs that use them (chapter 4, section 7.2).
  var fileNames: [(name: String, sdks: String)] {
    switch self {
    case .flexible(let name): return [(name ?? "flx_sync_default", "every SDK")]
    case .url(let url): return [(url, "object server")]
    case .partition(let value):
      // ``init(partition:)`` refuses other values.
      guard let core = value.coreName, let swift = value.extendedJSON else { return [] }
      return core == swift
        ? [(core, "every SDK")] : [(swift, "realm-swift"), (core, "other SDKs")]
    }
  }

  /// The string of the partition, as the libraries store it; nil without one.
  var partitionText: String? {
    if case .partition(let value) = self { value.extendedJSON } else { nil }
  }

  /// The name that older versions of realm-swift gave the realm of a partition: the user and the string of the
  /// partition, encoded for a URL (section 7.2); nil without a partition.
  func doublyEncodedName(user: String) -> String? {
    guard let text = partitionText else { return nil }
    // The characters that the path of a URL may contain.
    let plain = Set("!$&'()*+,-./:=@_~".utf8)
    var name = user + "/"
    for byte in text.utf8 {
      let scalar = Unicode.Scalar(byte)
      if plain.contains(byte) || scalar.properties.isASCIIHexDigit || ("a"..."z").contains(scalar)
        || ("A"..."Z").contains(scalar)
      {
        name.unicodeScalars.append(scalar)
      } else {
        name += "%" + CollectionOfOne(byte).hexadecimal.uppercased()
      }
    }
    return name
  }
}

extension RealmValue {
  /// The name that realm-core derives from a partition value.
  fileprivate var coreName: String? {
    switch self {
    case .null: "null"
    case .string(let text): "s_" + text
    case .int(let number): (Int32(exactly: number) == nil ? "l_" : "i_") + "\(number)"
    case .objectId(let bytes): "o_" + bytes.hexadecimal
    case .uuid(let bytes) where bytes.count == 16: "u_" + RealmValue.uuidText(bytes)
    default: nil
    }
  }

  /// The value in Extended JSON, as realm-swift writes it.
  fileprivate var extendedJSON: String? {
    switch self {
    case .null: "null"
    case .string(let text): RealmValue.quoted(text)
    case .int(let number):
      "{\"\(Int32(exactly: number) == nil ? "$numberLong" : "$numberInt")\":\"\(number)\"}"
    case .objectId(let bytes): "{\"$oid\":\"\(bytes.hexadecimal)\"}"
    case .uuid(let bytes):
      "{\"$binary\":{\"base64\":\"\(RealmValue.base64(bytes))\",\"subType\":\"04\"}}"
    default: nil
    }
  }

  private static func quoted(_ text: String) -> String {
    var value = RealmJSONValueText()
    value.append(Name(text))
    return String(decoding: value.take(), as: UTF8.self)
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    var text = TextBuffer()
    text.append(base64: bytes)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  private static func uuidText(_ bytes: [UInt8]) -> String {
    var text = TextBuffer(capacity: 36)
    text.append(uuid: bytes)
    return String(decoding: text.bytes, as: UTF8.self)
  }
}
