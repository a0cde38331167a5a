// Shapes (chapter 6, section 4.16).

extension Parser {
  /// `GEOWITHIN shape`; the operator is the next token.
  mutating func geoWithin(_ path: PathSyntax) throws(QueryError) -> GeoWithinSyntax {
    let operatorRange = token.range
    try advance()
    let start = token.range.lowerBound
    let shape: GeoWithinSyntax.Shape
    switch token.kind {
    case .geoBox: shape = try box()
    case .geoCircle: shape = try circle()
    case .geoPolygon: shape = try polygon()
    case .argument:
      shape = .argument(number(after: 1, in: token.range))
      try advance()
    default: throw unexpected(.shape)
    }
    return GeoWithinSyntax(
      path: path, range: operatorRange, shape: shape, shapeRange: range(from: start))
  }

  private mutating func box() throws(QueryError) -> GeoWithinSyntax.Shape {
    try advance()
    try expect(.leftParenthesis, .symbol("(", in: .box))
    let first = try point()
    try expect(.comma, .symbol(",", in: .box))
    let second = try point()
    try expect(.rightParenthesis, .symbol(")", in: .box))
    return .box(first, second)
  }

  private mutating func circle() throws(QueryError) -> GeoWithinSyntax.Shape {
    try advance()
    try expect(.leftParenthesis, .symbol("(", in: .circle))
    let center = try point()
    try expect(.comma, .symbol(",", in: .circle))
    let radius = try coordinate(.radius)
    try expect(.rightParenthesis, .symbol(")", in: .circle))
    return .circle(center: center, radius: radius)
  }

  private mutating func polygon() throws(QueryError) -> GeoWithinSyntax.Shape {
    try advance()
    try expect(.leftParenthesis, .symbol("(", in: .polygon))
    var rings: [[GeoPointSyntax]] = []
    repeat {
      try expect(.leftBrace, .symbol("{", in: .polygon))
      var ring: [GeoPointSyntax] = []
      repeat { ring.append(try point()) } while try consume(.comma)
      try expect(.rightBrace, .listEnd("}", in: .polygon))
      rings.append(ring)
    } while try consume(.comma)
    try expect(.rightParenthesis, .listEnd(")", in: .polygon))
    return .polygon(rings)
  }

  /// `[longitude, latitude]` or `[longitude, latitude, altitude]`.
  private mutating func point() throws(QueryError) -> GeoPointSyntax {
    let start = token.range.lowerBound
    try expect(.leftBracket, .point)
    let longitude = try coordinate(.coordinate)
    try expect(.comma, .symbol(",", in: .point))
    let latitude = try coordinate(.coordinate)
    var altitude: GeoCoordinateSyntax?
    if try consume(.comma) {
      guard token.kind == .float else { throw unexpected(.altitude) }
      altitude = try coordinate(.altitude)
    }
    try expect(
      .rightBracket, altitude == nil ? .listEnd("]", in: .point) : .symbol("]", in: .point))
    return GeoPointSyntax(
      longitude: longitude, latitude: latitude, altitude: altitude, range: range(from: start))
  }

  private mutating func coordinate(
    _ expected: Expectation
  ) throws(QueryError) -> GeoCoordinateSyntax {
    let range = token.range
    let value: GeoCoordinateSyntax.Value =
      switch token.kind {
      case .natural: .number(Double(integer(at: range)))
      case .float: .number(number(at: range))
      case .argument: .argument(number(after: 1, in: range))
      default: throw unexpected(expected)
      }
    try advance()
    return GeoCoordinateSyntax(value: value, range: range)
  }
}
