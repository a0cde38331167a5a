import Testing

@testable import RealmQuery

@Suite("Shapes on the sphere")
struct GeoShapeTests {
  private func point(_ longitude: Double, _ latitude: Double) -> SpherePoint {
    SpherePoint(longitude: longitude, latitude: latitude)
  }

  private func ring(_ places: [(Double, Double)]) -> SphereRing {
    SphereRing(places.map { point($0.0, $0.1) })
  }

  @Test("a circle contains the points at an angle of up to its radius")
  func circle() {
    // One degree of latitude is π/180 radians.
    let shape = GeoShape.circle(center: point(10, 20), radius: 5.001 * .pi / 180)
    #expect(shape.contains(point(10, 25)))
    #expect(!shape.contains(point(10, 25.1)))
    // At 20 degrees of latitude, a degree of longitude is cos(20°) = 0.94 degrees.
    #expect(shape.contains(point(15.3, 20)))
    #expect(!shape.contains(point(15.4, 20)))
  }

  @Test("a ring contains the smaller part of the sphere, in either direction")
  func directions() {
    let places: [(Double, Double)] = [(0, 0), (40, 0), (40, 40), (0, 40)]
    for shape in [ring(places), ring(places.reversed())] {
      #expect(shape.contains(point(20, 20)))
      #expect(!shape.contains(point(-1, 20)))
      #expect(!shape.contains(point(200 - 360, -20)))
      #expect(!shape.contains(point(0, -90)))
    }
  }

  @Test("edges are great circles: the northern edge of a box lies north of its corners")
  func edges() {
    let box = ring([(-45, 0), (45, 0), (45, 45), (-45, 45)])
    // The great circle between (-45, 45) and (45, 45) passes 54.7 degrees north.
    #expect(box.contains(point(0, 54)))
    #expect(!box.contains(point(0, 55)))
    #expect(!box.contains(point(44, 46)))
  }

  @Test("a ring around a pole or over the date line contains its middle")
  func poles() {
    let pole = ring([(0, 70), (120, 70), (-120, 70)])
    #expect(pole.contains(point(17, 90)))
    #expect(!pole.contains(point(17, -90)))
    let dateLine = ring([(170, -10), (-170, -10), (-170, 10), (170, 10)])
    #expect(dateLine.contains(point(180, 0)))
    #expect(!dateLine.contains(point(0, 0)))
  }

  @Test("a hole is not part of a polygon")
  func holes() {
    let shape = GeoShape.polygon(
      outer: ring([(0, 0), (40, 0), (40, 40), (0, 40)]),
      holes: [ring([(10, 10), (20, 10), (20, 20), (10, 20)])])
    #expect(shape.contains(point(5, 5)))
    #expect(!shape.contains(point(15, 15)))
  }
}
