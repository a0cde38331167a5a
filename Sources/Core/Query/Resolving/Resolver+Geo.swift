import RealmModel

/// `GEOWITHIN` (chapter 6, section 4.16).
extension Resolver {
  mutating func geoWithin(_ syntax: GeoWithinSyntax) throws(QueryError) -> Condition {
    let path = try self.path(syntax.path)
    let target = schema.classes[path.keyPath.target]
    guard case .objects = path.keyPath.end, path.keyPath.reading == .values,
      !path.keyPath.links.isEmpty,
      target.kind == .embedded, GeoPlace(target) != nil
    else {
      throw QueryError(
        .type, "\(source(syntax.path.range)) is not a place", at: syntax.path.range,
        hint: "GEOWITHIN needs an embedded object with the properties type (string) and "
          + "coordinates (list of double)")
    }
    return .geoWithin(path.keyPath, try shape(syntax.shape, at: syntax.shapeRange))
  }

  private func shape(
    _ shape: GeoWithinSyntax.Shape, at range: TextRange
  ) throws(QueryError) -> GeoShape {
    switch shape {
    case .box(let first, let second): return try box(first, second)
    case .circle(let center, let radius):
      let angle = try number(radius)
      guard angle >= 0, angle.isFinite else {
        throw QueryError(
          .type, "the radius \(angle) is not a positive angle in radians", at: radius.range,
          hint: "divide a distance in kilometers by 6378.1, the radius of the earth")
      }
      return .circle(center: try point(center), radius: angle)
    case .polygon(let rings): return try polygon(rings, at: range)
    case .argument(let number): return try argumentShape(number, at: range)
    }
  }

  private static let argumentHint = "pass geoBox(…), geoCircle(…) or geoPolygon(…)"

  /// A shape given as a string argument.
  private func argumentShape(
    _ number: Int, at range: TextRange
  ) throws(QueryError) -> GeoShape {
    guard case .value(.string(let text)) = try argument(number, at: range) else {
      throw QueryError(
        .argument, "argument $\(number) is not a string with a shape", at: range,
        hint: Resolver.argumentHint)
    }
    let within = try argumentSyntax(number, text, at: range)
    if case .argument = within.shape {
      throw QueryError(
        .argument, "argument $\(number) is not a shape: '\(text)'", at: range,
        hint: Resolver.argumentHint)
    }
    do throws(QueryError) {
      return try shape(within.shape, at: range)
    } catch {
      throw QueryError(
        .argument, "argument $\(number): \(error.message)", at: range, hint: error.hint)
    }
  }

  /// Parses the shape in an argument as a part of a query.
  private func argumentSyntax(
    _ number: Int, _ text: String, at range: TextRange
  ) throws(QueryError) -> GeoWithinSyntax {
    do throws(QueryError) {
      let syntax = try QuerySyntax(parsing: "place geoWithin \(text)")
      if case .geoWithin(let within) = syntax.predicate, syntax.orderings.isEmpty { return within }
    } catch {
      throw QueryError(
        .argument, "argument $\(number) is not a shape: '\(text)'", at: range, hint: error.message)
    }
    throw QueryError(
      .argument, "argument $\(number) is not a shape: '\(text)'", at: range,
      hint: Resolver.argumentHint)
  }

  // MARK: Points

  private func number(_ syntax: GeoCoordinateSyntax) throws(QueryError) -> Double {
    switch syntax.value {
    case .number(let number): return number
    case .argument(let number):
      switch try argument(number, at: syntax.range) {
      case .value(.double(let number)): return number
      case .value(.float(let number)): return Double(number)
      case .value(.int(let number)): return Double(number)
      default:
        throw QueryError(
          .argument, "argument $\(number) is not a number", at: syntax.range,
          hint: "pass a number for a coordinate or a radius")
      }
    }
  }

  private func degrees(
    _ syntax: GeoPointSyntax
  ) throws(QueryError) -> (longitude: Double, latitude: Double) {
    let (longitude, latitude) = (try number(syntax.longitude), try number(syntax.latitude))
    guard abs(longitude) <= 180 else {
      throw QueryError(
        .type, "the longitude \(longitude) is not between -180 and 180", at: syntax.range,
        hint: "a point is [longitude, latitude], in degrees")
    }
    guard abs(latitude) <= 90 else {
      throw QueryError(
        .type, "the latitude \(latitude) is not between -90 and 90", at: syntax.range,
        hint: "a point is [longitude, latitude], in degrees")
    }
    return (longitude, latitude)
  }

  private func point(_ syntax: GeoPointSyntax) throws(QueryError) -> SpherePoint {
    let degrees = try degrees(syntax)
    return SpherePoint(longitude: degrees.longitude, latitude: degrees.latitude)
  }

  // MARK: Rings

  private func box(
    _ first: GeoPointSyntax, _ second: GeoPointSyntax
  ) throws(QueryError) -> GeoShape {
    let (a, b) = (try degrees(first), try degrees(second))
    let corners = [
      SpherePoint(longitude: a.longitude, latitude: a.latitude),
      SpherePoint(longitude: b.longitude, latitude: a.latitude),
      SpherePoint(longitude: b.longitude, latitude: b.latitude),
      SpherePoint(longitude: a.longitude, latitude: b.latitude),
    ]
    return .polygon(outer: SphereRing(corners), holes: [])
  }

  private func polygon(
    _ syntax: [[GeoPointSyntax]], at range: TextRange
  ) throws(QueryError) -> GeoShape {
    var rings: [SphereRing] = []
    for ring in syntax { rings.append(try self.ring(ring, at: range)) }
    guard let outer = rings.first else {
      throw QueryError(
        .type, "the polygon has no ring", at: range,
        hint:
          "write the points of the outer ring first: geoPolygon({[0, 0], [1, 0], [1, 1], [0, 0]})")
    }
    let holes = Array(rings.dropFirst())
    for (i, hole) in holes.enumerated() {
      guard hole.points.allSatisfy({ outer.contains($0) }) else {
        throw QueryError(
          .type, "hole \(i + 1) is not inside the outer ring", at: range,
          hint: "the first ring is the outer one; the others are holes in it")
      }
      for (j, other) in holes.enumerated() where i != j {
        guard !hole.points.contains(where: { other.contains($0) }) else {
          throw QueryError(
            .type, "holes \(i + 1) and \(j + 1) overlap", at: range,
            hint: "join the two holes into one")
        }
      }
    }
    return .polygon(outer: outer, holes: holes)
  }

  private func ring(
    _ syntax: [GeoPointSyntax], at range: TextRange
  ) throws(QueryError) -> SphereRing {
    var points: [SpherePoint] = []
    for point in syntax { points.append(try self.point(point)) }
    guard points.count > 1, points.first == points.last else {
      throw QueryError(
        .type, "a ring must end where it begins", at: range,
        hint: "repeat the first point at the end")
    }
    points.removeLast()
    let isSimple = points.indices.allSatisfy { !points[..<$0].contains(points[$0]) }
    guard points.count >= 3, isSimple else {
      throw QueryError(
        .type, "a ring needs at least three different points", at: range,
        hint: "give each corner once, and the first one again at the end")
    }
    return SphereRing(points)
  }
}

/// The properties of a class that holds places as GeoJSON points.
struct GeoPlace {
  let type: Int
  let coordinates: Int

  /// Nil if the class lacks a property.
  init?(_ objectClass: ObjectClass) {
    guard let type = objectClass.position(ofPropertyNamed: "type"),
      let coordinates = objectClass.position(ofPropertyNamed: "coordinates"),
      objectClass.properties[type].type == .string,
      objectClass.properties[type].collection == nil,
      objectClass.properties[coordinates].type == .double,
      objectClass.properties[coordinates].collection == .list
    else { return nil }
    (self.type, self.coordinates) = (type, coordinates)
  }
}
