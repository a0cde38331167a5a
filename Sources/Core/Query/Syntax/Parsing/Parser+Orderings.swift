// What may follow the condition: SORT, DISTINCT and LIMIT.

extension Parser {
  mutating func orderings() throws(QueryError) -> [OrderingSyntax] {
    var orderings: [OrderingSyntax] = []
    while let ordering = try ordering() { orderings.append(ordering) }
    return orderings
  }

  private mutating func ordering() throws(QueryError) -> OrderingSyntax? {
    let kind = token.kind
    guard kind == .sort || kind == .distinct || kind == .limit else { return nil }
    try advance()
    try expect(.leftParenthesis, .symbol("("))
    let ordering: OrderingSyntax
    switch kind {
    case .sort: ordering = .sort(try sortKeys())
    case .distinct: ordering = .distinct(try paths())
    default:
      let count = token.range
      try expect(.natural, .limit)
      ordering = .limit(Int(clamping: integer(at: count)))
    }
    try expect(.rightParenthesis, kind == .limit ? .symbol(")") : .listEnd(")"))
    return ordering
  }

  private mutating func sortKeys() throws(QueryError) -> [SortKeySyntax] {
    var keys: [SortKeySyntax] = []
    repeat {
      let path = try plainPath()
      let isAscending = try consume(.ascending)
      if !isAscending { try expect(.descending, .direction) }
      keys.append(SortKeySyntax(path: path, isAscending: isAscending))
    } while try consume(.comma)
    return keys
  }

  private mutating func paths() throws(QueryError) -> [PathSyntax] {
    var paths: [PathSyntax] = []
    repeat { paths.append(try plainPath()) } while try consume(.comma)
    return paths
  }
}
