/// A Realm JSON document with one object per line.
public struct RealmJSONLines {
  public var head: JSONValue
  /// Class and object, in order.
  public var objects: [(className: String, object: JSONValue)] = []
  /// The last line's `counts`.
  public var counts: JSONValue

  /// - Returns: nil unless the lines are a head, objects and counts.
  public init?(_ lines: [JSONValue]) {
    guard lines.count >= 2, let last = lines.last, last.names == ["counts"],
      let counts = last["counts"]
    else { return nil }
    (head, self.counts) = (lines[0], counts)
    for line in lines.dropFirst().dropLast() {
      guard line.names == ["class", "object"], let name = line["class"]?.string,
        let object = line["object"]
      else { return nil }
      objects.append((name, object))
    }
  }

  /// The same as one document with head, schema, and the objects by class.
  public var document: JSONValue {
    let classes = counts.names.map { name in
      JSONValue.Member(name, .array(objects.filter { $0.className == name }.map(\.object)))
    }
    return .object((head.members ?? []) + [JSONValue.Member("objects", .object(classes))])
  }
}
