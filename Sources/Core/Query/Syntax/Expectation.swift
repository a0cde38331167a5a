/// What a query may have at a place, for messages.
enum Expectation: Equatable {
  /// After a value.
  case comparison
  /// After arithmetic, or after a value in parentheses.
  case comparisonOfExpression
  /// After a condition in parentheses.
  case conditionOrParenthesis
  case valueOrParenthesis
  case endOfQuery
  /// After a path in a list of paths.
  case endOfPaths
  case value
  /// After ANY, ALL or NONE.
  case quantified
  case constant
  /// In a list, after a constant.
  case element
  case argument
  case path
  /// After a dot in a path.
  case member
  /// In brackets in a path.
  case position
  case bounds
  case variable
  case subqueryCount
  case className
  case primaryKey
  case bytes
  case direction
  case limit
  case shape
  case point
  case coordinate
  case altitude
  case radius
  /// In an expression of a migration plan: after a value, in place of a value, and after an argument.
  case formulaOperator, formulaValue, formulaArgument
  /// A certain symbol.
  case symbol(String)
  /// The end of a list, or a comma.
  case listEnd(String)

  var text: String {
    switch self {
    case .comparison: "an operator such as == or CONTAINS"
    case .comparisonOfExpression: "one of == != < <= > >= IN + - * /"
    case .conditionOrParenthesis: "&&, || or ')'"
    case .valueOrParenthesis: "an operator such as == or +, or ')'"
    case .endOfQuery: "&&, ||, SORT, DISTINCT, LIMIT or the end of the query"
    case .endOfPaths: "'.', '[', ',' or the end"
    case .value: "a value: a property, a constant or a list"
    case .quantified: "a path, a list in braces or an argument"
    case .constant: "a constant"
    case .element: "',' or '}'"
    case .argument: "an argument such as $0"
    case .path: "the path of a property, such as name or dog.name"
    case .member: "the name of a property, or a word such as @count"
    case .position: "a number, a string, an argument, FIRST, LAST, SIZE or *"
    case .bounds: "two constants in braces, such as {1, 5}"
    case .variable: "a variable such as $x"
    case .subqueryCount: "'.@count' after SUBQUERY(…)"
    case .className: "the name of a class in quotes"
    case .primaryKey: "a primary key: a string, an integer, an objectId, a uuid or an argument"
    case .bytes: "a string or B64\"…\""
    case .direction: "ASC or DESC"
    case .limit: "a number of objects"
    case .shape: "geoBox, geoCircle, geoPolygon or an argument"
    case .point: "a point such as [10.5, 20.5]"
    case .coordinate: "a coordinate such as 10 or -10.5, or an argument"
    case .altitude: "an altitude with a decimal point, such as 10.0"
    case .radius: "a radius in radians such as 0.1, or an argument"
    case .formulaOperator: "an operator such as + or ==, or the end of the expression"
    case .formulaValue: "a value: a property, a constant or a function"
    case .formulaArgument: "an operator such as +, ',' or ')'"
    case .symbol(let symbol): "'\(symbol)'"
    case .listEnd(let symbol): "',' or '\(symbol)'"
    }
  }
}
