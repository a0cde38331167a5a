// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "LeaveRealm",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  dependencies: [
    // An app writes the address of the repository and a version here.
    .package(name: "realm-cli", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "LeaveRealm",
      dependencies: [
        .product(name: "RealmReader", package: "realm-cli"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ])
  ]
)
