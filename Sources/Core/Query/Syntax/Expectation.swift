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
  case symbol(String, in: Construct)
  /// The end of a list, or a comma.
  case listEnd(String, in: Construct)

  /// A part of the language, as an example.
  enum Construct: String {
    case object = "obj('Dog', 1)"
    case binary = "binary('text') or binary(B64\"AAEC\")"
    case subquery = "SUBQUERY(dogs, $d, $d.age > 5).@count > 0"
    case box = "geoBox([5.0, 15.0], [15.0, 25.0])"
    case circle = "geoCircle([10.0, 20.0], 0.1)"
    case polygon = "geoPolygon({[0, 0], [1, 0], [1, 1], [0, 0]})"
    case point = "[10.5, 20.5]: first the longitude, then the latitude"
    case position = "scores[0], scores[LAST] or attrs['key']"
    case ordering = "SORT(age DESC), DISTINCT(name) or LIMIT(10)"
    case choice = "a condition with two values: age > 17 ? 'adult' : 'child'"
    case list = "a list of values in braces: {1, 2}"
  }

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
    case .symbol(let symbol, _): "'\(symbol)'"
    case .listEnd(let symbol, _): "',' or '\(symbol)'"
    }
  }

  /// What to write at the place.
  var hint: String {
    switch self {
    case .comparison, .comparisonOfExpression: "compare the value with another one: age > 30"
    case .conditionOrParenthesis, .valueOrParenthesis: "close the parenthesis with )"
    case .endOfQuery: "join conditions with && or ||; SORT, DISTINCT and LIMIT follow the last one"
    case .endOfPaths: "write commas between paths: name, dog.name"
    case .value: "write for example age == 30 or name IN {'Ann', 'Bob'}"
    case .quantified: "ANY, ALL and NONE take a path with a collection, or a list"
    case .constant:
      "a constant is a number, a string in quotes, true, false, null, a date, or an argument such as $0"
    case .element: "write commas between the constants, and } after the last one: {1, 2}"
    case .argument: "pass a list as an argument, and write $0 for the first argument"
    case .path: "a path is a property, or reaches one through links: dog.name"
    case .member: "after a link, name a property of the linked object: dog.name"
    case .position: "write \(Construct.position.rawValue)"
    case .bounds: "write BETWEEN {1, 5}; the bounds can be arguments: BETWEEN {$0, $1}"
    case .variable: "write \(Construct.subquery.rawValue)"
    case .subqueryCount: "SUBQUERY gives a number of objects: \(Construct.subquery.rawValue)"
    case .className, .primaryKey: "write \(Construct.object.rawValue)"
    case .bytes: "write \(Construct.binary.rawValue)"
    case .direction: "write SORT(age ASC), or DESC to begin with the largest"
    case .limit: "write LIMIT(10)"
    case .shape:
      "write \(Construct.box.rawValue), \(Construct.circle.rawValue) or \(Construct.polygon.rawValue)"
    case .point, .coordinate: "write \(Construct.point.rawValue)"
    case .altitude: "write [10.5, 20.5, 100.0], or leave the altitude out"
    case .radius: "divide a distance in kilometers by 6378.1, the radius of the earth"
    case .formulaOperator: "write for example age + 1 or age > 17"
    case .formulaValue: "write a property, a constant or a function, such as coalesce(name, '')"
    case .formulaArgument: "write commas between arguments, and ) after the last one"
    case .symbol(_, let construct), .listEnd(_, let construct): "write \(construct.rawValue)"
    }
  }
}
