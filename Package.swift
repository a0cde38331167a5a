// swift-tools-version: 6.2

import PackageDescription

/// What every target of ours is built with (docs/architecture.md).
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .strictMemorySafety(),
]

// Where Homebrew keeps simdjson. On Linux it is where the compiler looks, and the flags that its
// configuration adds are ones that SwiftPM does not take.
#if os(macOS)
  let simdjson: String? = "simdjson"
#else
  let simdjson: String? = nil
#endif

/// A module of the engine, in the folder of its name.
func core(
  _ name: String, _ modules: [String], _ others: [Target.Dependency] = []
) -> Target {
  .target(
    name: "Realm\(name)",
    dependencies: modules.map { .target(name: "Realm\($0)") } + others,
    path: "Sources/Core/\(name)", swiftSettings: settings)
}

let package = Package(
  name: "realm-cli",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "realm-cli", targets: ["realm-cli"]),
    // The engine, for other programs: all that is in Core.
    .library(name: "RealmStorage", targets: ["RealmStorage"]),
    .library(name: "RealmModel", targets: ["RealmModel"]),
    .library(name: "RealmLegacy", targets: ["RealmLegacy"]),
    .library(name: "RealmSync", targets: ["RealmSync"]),
    .library(name: "RealmQuery", targets: ["RealmQuery"]),
    .library(name: "RealmInterchange", targets: ["RealmInterchange"]),
    .library(name: "RealmVerify", targets: ["RealmVerify"]),
    .library(name: "RealmSalvage", targets: ["RealmSalvage"]),
    .library(name: "RealmMigration", targets: ["RealmMigration"]),
    .library(name: "RealmBackup", targets: ["RealmBackup"]),
    .library(name: "RealmJobs", targets: ["RealmJobs"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
  ],
  targets: [
    .systemLibrary(
      name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(
      name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CArchive", path: "Sources/CArchive", pkgConfig: "libarchive",
      providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]),
    .systemLibrary(
      name: "CSimdJSONLibrary", path: "Sources/CSimdJSONLibrary", pkgConfig: simdjson,
      providers: [.apt(["libsimdjson-dev"]), .brew(["simdjson"])]),
    .systemLibrary(
      name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(
      name: "CSimdJSON", dependencies: ["CSimdJSONLibrary"], path: "Sources/CSimdJSON",
      linkerSettings: [.linkedLibrary("simdjson")]),
    .target(name: "CMapping", path: "Sources/CMapping"),
    .target(name: "CSystem", path: "Sources/CSystem"),
    .target(name: "CText", path: "Sources/CText"),
    core("Storage", [], ["COpenSSL", "CZlib", "CMapping", "CSystem"]),
    core("Model", ["Storage"]),
    core("Building", ["Model", "Storage"]),
    core("Legacy", ["Model", "Storage"]),
    core("Sync", ["Building", "Model", "Storage"]),
    core("Query", ["Model", "Storage"]),
    core("Interchange", ["Building", "Model", "Storage"], ["CSimdJSON", "CSQLite", "CText"]),
    core("Verify", ["Sync", "Legacy", "Building", "Model", "Storage"]),
    core("Salvage", ["Legacy", "Building", "Model", "Storage"]),
    core(
      "Migration", ["Verify", "Interchange", "Query", "Building", "Model", "Storage"],
      [.product(name: "Yams", package: "Yams")]),
    core("Backup", ["Storage"], ["CArchive"]),
    core(
      "Jobs",
      [
        "Backup", "Migration", "Salvage", "Verify", "Interchange", "Query", "Sync", "Legacy",
        "Building", "Model", "Storage",
      ]),
    .target(
      name: "Commands",
      dependencies: [
        "RealmJobs", "RealmBackup", "RealmMigration", "RealmSalvage", "RealmVerify",
        "RealmInterchange", "RealmQuery", "RealmSync", "RealmBuilding", "RealmModel",
        "RealmStorage", "CSystem",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: settings),
    .executableTarget(name: "realm-cli", dependencies: ["Commands"], swiftSettings: settings),

    .target(
      name: "TestSupport", dependencies: ["RealmStorage", "CSQLite"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "RealmJobs", "RealmInterchange", "RealmQuery", "RealmModel", "RealmStorage",
        "TestSupport",
      ],
      path: "Tests/Fuzz", swiftSettings: settings),
    .executableTarget(
      name: "random-realms",
      dependencies: ["RealmJobs", "RealmInterchange", "RealmStorage", "TestSupport"],
      path: "Tests/RandomRealms", swiftSettings: settings),
    .executableTarget(
      name: "repeat-realm", dependencies: ["RealmModel", "RealmStorage"], path: "Tests/Repeat",
      swiftSettings: settings),
    .executableTarget(
      name: "time-queries", dependencies: ["RealmQuery", "RealmModel", "RealmStorage"],
      path: "Tests/QueryTimes", swiftSettings: settings),
    .executableTarget(
      name: "salvage-recall",
      dependencies: ["RealmJobs", "RealmModel", "RealmStorage", "TestSupport"],
      path: "Tests/SalvageRecall", swiftSettings: settings),
    .executableTarget(name: "test-writer", path: "Tests/Writer", swiftSettings: settings),
    .testTarget(
      name: "StorageTests", dependencies: ["RealmStorage", "TestSupport", "COpenSSL", "CSystem"],
      swiftSettings: settings),
    .testTarget(
      name: "ModelTests", dependencies: ["RealmModel", "RealmStorage", "TestSupport", "CSystem"],
      swiftSettings: settings),
    .testTarget(
      name: "LegacyTests",
      dependencies: [
        "RealmLegacy", "RealmJobs", "RealmInterchange", "RealmSync", "RealmModel",
        "RealmStorage", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SyncTests", dependencies: ["RealmSync", "RealmModel", "RealmStorage", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "QueryTests",
      dependencies: ["RealmQuery", "RealmModel", "RealmStorage", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "InterchangeTests",
      dependencies: ["RealmInterchange", "RealmModel", "RealmStorage", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "MaintenanceTests",
      dependencies: [
        "RealmJobs", "RealmInterchange", "RealmQuery", "RealmSync", "RealmModel",
        "RealmStorage", "TestSupport", "CArchive",
      ],
      swiftSettings: settings),
    // Sees what another package would see of the libraries, and nothing else.
    .testTarget(
      name: "LibraryTests",
      dependencies: [
        "RealmJobs", "RealmInterchange", "RealmQuery", "RealmModel", "RealmStorage",
      ],
      packageAccess: false, swiftSettings: settings),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "Commands", "RealmJobs", "RealmInterchange", "RealmQuery", "RealmModel",
        "RealmStorage", "TestSupport",
        "realm-cli", "fuzz", "random-realms", "test-writer",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
  ],
  cxxLanguageStandard: .cxx17
)
