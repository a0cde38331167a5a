/// The defects of one column or history: the first few of each rule as they are, the rest summed up,
/// so that one broken node is not told as a thousand unfindable objects.
public struct DefectCollector {
  /// Defects of a rule that are told one by one.
  public static let limit = 10

  private let table: TableKey?
  private let column: ColumnKey?
  private var defects: [Defect] = []
  private var counts: [String: Int] = [:]
  /// Rules in the order of their first defect.
  private var order: [String] = []

  public init(table: TableKey? = nil, column: ColumnKey? = nil) {
    self.table = table
    self.column = column
  }

  /// - Parameter text: only asked for where the defect is told by itself.
  public mutating func add(
    _ ruleID: String, _ text: @autoclosure () -> String, at offset: Int? = nil,
    object: ObjectKey? = nil
  ) {
    let count = counts[ruleID, default: 0]
    if count == 0 { order.append(ruleID) }
    counts[ruleID] = count + 1
    guard count < DefectCollector.limit else { return }
    defects.append(
      Defect(
        ruleID, text(), offset: offset, table: table, column: column, objectKey: object))
  }

  public var isEmpty: Bool { defects.isEmpty }

  /// How many defects of a rule there were.
  public func count(of ruleID: String) -> Int { counts[ruleID, default: 0] }

  /// Hands everything over, sums last.
  public func flush(_ report: (Defect) -> Void) {
    for defect in defects { report(defect) }
    for ruleID in order {
      let more = count(of: ruleID) - DefectCollector.limit
      guard more > 0 else { continue }
      report(
        Defect(ruleID, "and \(more) more", table: table, column: column, count: more))
    }
  }
}
