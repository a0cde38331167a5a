#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A point on the unit sphere.
struct SpherePoint: Sendable, Equatable {
  let x: Double
  let y: Double
  let z: Double

  init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }

  /// - Parameters:
  ///   - longitude: in degrees.
  ///   - latitude: in degrees.
  init(longitude: Double, latitude: Double) {
    let (theta, phi) = (longitude * .pi / 180, latitude * .pi / 180)
    self.init(x: cos(phi) * cos(theta), y: cos(phi) * sin(theta), z: sin(phi))
  }

  func dot(_ other: SpherePoint) -> Double { x * other.x + y * other.y + z * other.z }

  func cross(_ other: SpherePoint) -> SpherePoint {
    SpherePoint(
      x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
  }

  /// The angle to another point in radians.
  func angle(to other: SpherePoint) -> Double {
    let normal = cross(other)
    return atan2(normal.dot(normal).squareRoot(), dot(other))
  }
}

/// A closed line of arcs of great circles; its inside is the smaller part of the sphere.
struct SphereRing: Sendable {
  /// Counter-clockwise around the inside; the first point is not repeated at the end.
  let points: [SpherePoint]

  init(_ points: [SpherePoint]) {
    self.points = SphereRing.signedArea(points) < 0 ? points.reversed() : points
  }

  /// Whether the point is inside.
  ///
  /// Seen from a point inside, the ring turns once counter-clockwise. Seen from a point outside, it does not
  /// turn, or turns once clockwise if the opposite point is inside.
  func contains(_ point: SpherePoint) -> Bool {
    var turn = 0.0
    for (i, start) in points.enumerated() {
      turn += SphereRing.turn(from: start, to: points[(i + 1) % points.count], around: point)
    }
    return turn > .pi
  }

  /// The angle between the directions to two points, seen from `center`: from -π to π.
  private static func turn(
    from a: SpherePoint, to b: SpherePoint, around center: SpherePoint
  ) -> Double {
    let (x, y) = (center.cross(a), center.cross(b))
    return atan2(center.dot(x.cross(y)), x.dot(y))
  }

  /// The area to the left of the ring, from -2π to 2π: the sum of signed triangles.
  private static func signedArea(_ points: [SpherePoint]) -> Double {
    var area = 0.0
    for i in points.indices.dropFirst().dropLast() {
      let (a, b, c) = (points[0], points[i], points[i + 1])
      area += 2 * atan2(a.dot(b.cross(c)), 1 + a.dot(b) + b.dot(c) + c.dot(a))
    }
    // A sum beyond half of the sphere is the area of the other side.
    return area > 2 * .pi ? area - 4 * .pi : area < -2 * .pi ? area + 4 * .pi : area
  }
}

/// A shape on the sphere (chapter 6, section 4.16).
enum GeoShape: Sendable {
  /// - Parameter radius: an angle in radians.
  case circle(center: SpherePoint, radius: Double)
  case polygon(outer: SphereRing, holes: [SphereRing])

  func contains(_ point: SpherePoint) -> Bool {
    switch self {
    case .circle(let center, let radius): center.angle(to: point) <= radius
    case .polygon(let outer, let holes):
      outer.contains(point) && !holes.contains { $0.contains(point) }
    }
  }
}
