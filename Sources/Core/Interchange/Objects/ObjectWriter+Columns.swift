import RealmModel
import RealmStorage

/// Columns as a whole.
extension ObjectWriter {
  /// Makes the text of a column for all objects of the cluster, name included. Embedded objects,
  /// mixed values, sets, dictionaries and lists whose leaf does not hold the values itself are
  /// written when their object is, as one of them can be of any size.
  func prepare(
    _ column: Int, of decoded: DecodedCluster, _ plan: TablePlan,
    into prepared: inout PreparedColumns
  ) throws(RealmFileError) {
    let name = plan.names[column]
    switch decoded.batches[column] {
    case .int(let values, let nulls):
      prepared.append(values.count, name, nulls) { style.append(int: values[$0], to: &$1) }
    case .bool(let values, let nulls):
      prepared.append(values.count, name, nulls) {
        values[$0] ? $1.append("true") : $1.append("false")
      }
    case .float(let values, let nulls):
      prepared.append(values.count, name, nulls) {
        style.append(float: values[$0], inMixed: false, to: &$1)
      }
    case .double(let values, let nulls):
      prepared.append(values.count, name, nulls) { style.append(double: values[$0], to: &$1) }
    case .string(let values):
      prepared.append(values, name) { style.append(string: $0, to: &$1) }
    case .binary(let values):
      prepared.append(values, name) { style.append(binary: $0, to: &$1) }
    case .timestamp(let seconds, let nanoseconds, let nulls):
      prepared.append(seconds.count, name, nulls) {
        style.append(seconds: seconds[$0], nanoseconds: nanoseconds[$0], to: &$1)
      }
    case .decimal(let values):
      prepared.append(values.count, name, NullMask()) {
        values[$0].isNull ? $1.append("null") : style.append(decimal: values[$0], to: &$1)
      }
    case .objectId(let values):
      prepared.append(values, name) { style.append(objectId: $0, to: &$1) }
    case .uuid(let values):
      prepared.append(values, name) { style.append(uuid: $0, to: &$1) }
    case .link(let keys):
      guard let target = plan.targets[column] else { return prepared.skip() }
      prepare(keys, to: target, name, into: &prepared)
    case .collection(let roots):
      let property = plan.table.columns[column]
      guard property.collection == .list, ![.link, .typedLink, .mixed].contains(property.type)
      else { return prepared.skip() }
      _ = try reader.nodes.traversing { () throws(RealmFileError) in
        try prepared.append(roots.count, name) { (row, text) throws(RealmFileError) in
          do throws(RealmFileError) {
            return try write(smallList: property, root: roots[row], into: &text)
          } catch {
            throw place(error, row, of: decoded, plan, column)
          }
        }
      }
    case .mixed: prepared.skip()
    }
  }

  /// Links to live objects. Where there are others, or damage, each is told with its object.
  private func prepare(
    _ keys: [ObjectKey], to target: LinkTarget, _ name: [UInt8],
    into prepared: inout PreparedColumns
  ) {
    let table = target.table
    guard table.kind != .embedded else { return prepared.skip() }
    guard let primaryKeys = target.primaryKeys else {
      prepared.append(keys.count, name) { row, text in
        guard !keys[row].isUnresolved else { return false }
        if keys[row].isNull {
          text.append("null")
        } else {
          style.appendLink(
            to: table, identity: .int(keys[row].raw), isPrimaryKey: false, isTyped: false,
            text: &text, writeIdentity: { write(plain: $0, into: &$1) })
        }
        return true
      }
      return
    }
    // What is wrong is told, with its place, where the links are written one by one.
    guard let identities = try? primaryKeys.values(of: keys) else { return prepared.skip() }
    prepared.append(keys.count, name) { row, text in
      guard !keys[row].isNull else {
        text.append("null")
        return true
      }
      guard let identity = identities[row] else { return false }
      style.appendLink(
        to: table, identity: identity, isPrimaryKey: true, isTyped: false, text: &text,
        writeIdentity: { write(plain: $0, into: &$1) })
      return true
    }
  }

  /// A list of values that one leaf holds; false for any other.
  private func write(
    smallList property: Column, root: Ref, into text: inout TextBuffer
  ) throws(RealmFileError) -> Bool {
    guard let elements = try reader.smallList(property, root: root) else { return false }
    text.append(UInt8(ascii: "["))
    try write(elements: elements, target: nil, into: &text)
    text.append(UInt8(ascii: "]"))
    return true
  }
}
