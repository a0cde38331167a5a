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
// configuration adds are ones that SwiftPM does not take. Apple's systems have ciphers of their own.
#if os(macOS)
  let simdjson: String? = "simdjson"
  let libcrypto: String? = nil
#else
  let simdjson: String? = nil
  let libcrypto: String? = "libcrypto"
#endif

/// The systems whose ciphers come from OpenSSL.
let withOpenSSL: [Platform] = [.linux, .android, .openbsd]

/// Whether a build keeps its assertions and optimises only the modules in which tests spend their time: the options in
/// `Scripts/tested-build` set it. It is off by default, because SwiftPM takes no dependency with such flags.
let isTested = Context.environment["REALM_TESTED"] != nil
let optimized: [SwiftSetting] = isTested ? [.unsafeFlags(["-assert-config", "Debug"])] : []
let notOptimized: [SwiftSetting] = isTested ? [.unsafeFlags(["-Onone"])] : []

/// No module waits for the interface of tests; for it alone, another process would check all their sources once more.
let ofTests: [SwiftSetting] =
  isTested ? [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"])] : []

/// A folder with static libraries, which `Scripts/static-libraries` makes: `realm-cli` is linked with nothing but them, at a
/// fixed address, and so starts in a quarter of the time.
let staticLibraries = Context.environment["REALM_STATIC"]
/// Each library comes before those that it needs.
let linked: [LinkerSetting] =
  staticLibraries.map { folder in
    [.unsafeFlags(["-static-executable", "-L\(folder)"])]
      + [
        "_FoundationCollections", "_FoundationCShims", "simdjson", "archive", "nettle", "lzma",
        "zstd-threads", "bz2", "z", "edit", "tinfo", "bsd", "md", "stdc++",
      ].map { .linkedLibrary($0) }
  } ?? []

/// The types of the options of commands are then found by calls, where the compiler otherwise leaves their names to be looked
/// up at each start, which is 8 % of the time of `info`.
let foundByCalls: [SwiftSetting] =
  staticLibraries == nil
  ? []
  : [.unsafeFlags(["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"])]

/// The commit and its day, which `--version -v` prints: `Scripts/package` sets them.
let build: [CSetting] = ["REALM_BUILD_COMMIT", "REALM_BUILD_DATE"].compactMap { name in
  Context.environment[name].map { .define(name, to: "\"\($0)\"") }
}

/// A module of the engine, in the folder of its name.
///
/// - Parameters:
///   - embedded: a folder in it whose files become part of the program.
///   - isHot: whether tests spend much of their time in it.
func core(
  _ name: String, _ modules: [String], _ others: [Target.Dependency] = [], embedded: String? = nil,
  isHot: Bool = false
) -> Target {
  .target(
    name: "Realm\(name)",
    dependencies: modules.map { .target(name: "Realm\($0)") } + others,
    path: "Sources/Core/\(name)", exclude: ["README.md"],
    resources: embedded.map { [.embedInCode($0)] },
    swiftSettings: settings + (isHot ? optimized : notOptimized))
}

/// The tests of a module, or of the commands.
///
/// Programs that tests run are not among the modules: `swift test` builds them anyway, and the compilation of tests does not
/// have to wait for them.
func tests(
  _ name: String, _ modules: [String], _ others: [Target.Dependency] = []
) -> Target {
  .testTarget(
    name: "\(name)Tests",
    dependencies: modules.map { .target(name: "Realm\($0)") } + ["TestSupport"] + others,
    swiftSettings: settings + ofTests)
}

/// The fuzzer, which has no main function, so it links only with `--sanitize=fuzzer`: `Scripts/fuzz` builds it.
let fuzzer: [Target] =
  Context.environment["REALM_FUZZER"] == nil
  ? []
  : [
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
    .executableTarget(
      name: "fuzz", dependencies: ["FuzzTargets", "CFuzzer"], path: "Tests/Fuzz/Fuzzer",
      swiftSettings: settings),
  ]

let package = Package(
  name: "realm-cli",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .executable(name: "realm-cli", targets: ["realm-cli"]),
    // For programs that only read.
    .library(name: "RealmReader", targets: ["RealmReader"]),
    // The engine, for other programs: all that is in Core.
    .library(name: "RealmStorage", targets: ["RealmStorage"]),
    .library(name: "RealmModel", targets: ["RealmModel"]),
    .library(name: "RealmBuilding", targets: ["RealmBuilding"]),
    .library(name: "RealmLegacy", targets: ["RealmLegacy"]),
    .library(name: "RealmSync", targets: ["RealmSync"]),
    .library(name: "RealmQuery", targets: ["RealmQuery"]),
    .library(name: "RealmInterchange", targets: ["RealmInterchange"]),
    .library(name: "RealmCompare", targets: ["RealmCompare"]),
    .library(name: "RealmVerify", targets: ["RealmVerify"]),
    .library(name: "RealmSalvage", targets: ["RealmSalvage"]),
    .library(name: "RealmMigration", targets: ["RealmMigration"]),
    .library(name: "RealmBackup", targets: ["RealmBackup"]),
    .library(name: "RealmJobs", targets: ["RealmJobs"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
  ],
  targets: [
    .systemLibrary(
      name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: libcrypto,
      providers: [.apt(["libssl-dev"])]),
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
    .systemLibrary(
      name: "CYAML", path: "Sources/CYAML", pkgConfig: "yaml-0.1",
      providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
    .systemLibrary(
      name: "CEdit", path: "Sources/CEdit", pkgConfig: "libedit",
      providers: [.apt(["libedit-dev"]), .brew(["libedit"])]),
    .target(
      name: "CSimdJSON", dependencies: ["CSimdJSONLibrary"], path: "Sources/CSimdJSON",
      linkerSettings: [.linkedLibrary("simdjson")]),
    .target(
      name: "CCipher",
      dependencies: [.target(name: "COpenSSL", condition: .when(platforms: withOpenSSL))],
      path: "Sources/CCipher",
      linkerSettings: [.linkedLibrary("crypto", .when(platforms: withOpenSSL))]),
    .target(name: "CMapping", path: "Sources/CMapping"),
    .target(name: "CSystem", path: "Sources/CSystem", cSettings: build),
    .target(name: "CText", path: "Sources/CText"),
    core("Storage", [], ["CCipher", "CZlib", "CMapping", "CSystem"], isHot: true),
    core("Pictures", ["Storage"]),
    core("Model", ["Storage"], isHot: true),
    core("Building", ["Model", "Storage"], isHot: true),
    core("Legacy", ["Model", "Storage"], isHot: true),
    core("Reader", ["Legacy", "Model", "Storage"]),
    core("Sync", ["Building", "Model", "Storage"], isHot: true),
    core("Query", ["Model", "Storage"]),
    core(
      "Interchange", ["Pictures", "Building", "Model", "Storage"],
      ["CSimdJSON", "CSQLite", "CText"], isHot: true),
    core("Compare", ["Model", "Storage"]),
    core("Verify", ["Sync", "Legacy", "Building", "Model", "Storage"]),
    core("Salvage", ["Legacy", "Building", "Model", "Storage"], isHot: true),
    core(
      "Migration", ["Verify", "Interchange", "Query", "Building", "Model", "Storage"],
      ["CYAML"]),
    core("Backup", ["Storage"], ["CArchive"]),
    core(
      "Jobs",
      [
        "Backup", "Migration", "Salvage", "Verify", "Compare", "Interchange", "Query", "Sync",
        "Legacy", "Building", "Model", "Pictures", "Storage",
      ]),
    core(
      "Browse",
      [
        "Jobs", "Compare", "Migration", "Verify", "Interchange", "Query", "Sync", "Model",
        "Pictures", "Storage",
      ], ["CSystem"], embedded: "Assets"),
    .target(
      name: "Commands",
      dependencies: [
        "RealmBrowse", "RealmJobs", "RealmBackup", "RealmCompare", "RealmMigration", "RealmSalvage",
        "RealmVerify",
        "RealmInterchange", "RealmQuery", "RealmSync", "RealmBuilding", "RealmModel",
        "RealmPictures", "RealmStorage", "CEdit", "CSystem",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: settings + notOptimized + foundByCalls),
    .executableTarget(
      name: "realm-cli", dependencies: ["Commands"], swiftSettings: settings + notOptimized,
      linkerSettings: linked),

    // The ciphers of Apple's systems, for tests on others.
    .target(
      name: "CImitatedCommonCrypto", dependencies: ["CCipher"], path: "Tests/CommonCrypto",
      cSettings: [.headerSearchPath("imitation")]),
    // The realms, files and tools of tests, and on top of that what runs jobs.
    .target(
      name: "TestSupport",
      dependencies: [
        "RealmSync", "RealmLegacy", "RealmBuilding", "RealmModel", "RealmStorage", "CSQLite",
      ],
      path: "Tests/TestSupport", swiftSettings: settings + optimized),
    .target(
      name: "TestJobs",
      dependencies: [
        "RealmJobs", "RealmBackup", "RealmSalvage", "RealmVerify", "RealmInterchange",
        "RealmLegacy", "RealmModel", "RealmStorage", "TestSupport",
      ],
      path: "Tests/TestJobs", swiftSettings: settings + optimized),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "RealmBrowse", "RealmJobs", "RealmVerify", "RealmSalvage", "RealmInterchange", "RealmQuery",
        "RealmSync", "RealmBuilding", "RealmModel", "RealmStorage", "TestSupport",
      ],
      path: "Tests/Fuzz/Targets", swiftSettings: settings + optimized),
    .executableTarget(
      name: "bit-flips",
      dependencies: [
        "RealmJobs", "RealmVerify", "RealmInterchange", "RealmModel", "RealmStorage", "TestSupport",
      ],
      path: "Tests/BitFlips", swiftSettings: settings + notOptimized),
    .executableTarget(
      name: "random-realms",
      dependencies: [
        "RealmJobs", "RealmVerify", "RealmInterchange", "RealmModel", "RealmStorage", "TestSupport",
      ],
      path: "Tests/RandomRealms", swiftSettings: settings + optimized),
    .executableTarget(
      name: "repeat-realm", dependencies: ["RealmBuilding", "RealmModel", "RealmStorage"],
      path: "Tests/Repeat", swiftSettings: settings + notOptimized),
    .executableTarget(
      name: "time-queries", dependencies: ["RealmQuery", "RealmModel", "RealmStorage"],
      path: "Tests/QueryTimes", swiftSettings: settings + notOptimized),
    .executableTarget(
      name: "salvage-recall",
      dependencies: [
        "RealmJobs", "RealmVerify", "RealmSalvage", "RealmModel", "RealmStorage", "TestJobs",
        "TestSupport",
      ],
      path: "Tests/SalvageRecall", swiftSettings: settings + notOptimized),
    .executableTarget(
      name: "peak-memory", path: "Tests/PeakMemory", swiftSettings: settings + notOptimized),
    .executableTarget(
      name: "test-writer", path: "Tests/Writer", swiftSettings: settings + optimized),

    tests("Storage", ["Storage"], ["CCipher", "CImitatedCommonCrypto", "CSystem"]),
    // Verify, because the tests of leaves also check them.
    tests("Model", ["Verify", "Query", "Building", "Model", "Storage"], ["CSystem"]),
    tests("Building", ["Verify", "Interchange", "Building", "Model", "Storage"], ["TestJobs"]),
    tests("Legacy", ["Jobs", "Verify", "Legacy", "Model", "Storage"], ["TestJobs"]),
    tests("Reader", ["Reader"]),
    tests("Sync", ["Sync", "Query", "Building", "Model", "Storage"]),
    tests("Pictures", ["Pictures", "Storage"]),
    tests("Query", ["Jobs", "Query", "Interchange", "Model", "Storage"]),
    tests("Interchange", ["Interchange", "Model", "Storage"]),
    tests("Compare", ["Compare"]),
    tests("Verify", ["Jobs", "Verify", "Interchange", "Sync", "Model", "Storage"], ["TestJobs"]),
    tests("Salvage", ["Jobs", "Salvage", "Interchange", "Model", "Storage"], ["TestJobs"]),
    tests(
      "Migration", ["Jobs", "Migration", "Verify", "Interchange", "Query", "Model", "Storage"],
      ["TestJobs"]),
    tests("Backup", ["Jobs", "Backup", "Verify", "Model", "Storage"], ["TestJobs", "CArchive"]),
    tests(
      "Jobs",
      [
        "Jobs", "Migration", "Verify", "Interchange", "Query", "Sync", "Legacy", "Building",
        "Model",
        "Storage",
      ], ["TestJobs"]),
    tests(
      "Browse", ["Browse", "Jobs", "Interchange", "Query", "Model", "Storage"],
      ["Commands", "FuzzTargets"]),
    // Sees what another package would see of the libraries, and nothing else.
    .testTarget(
      name: "LibraryTests",
      dependencies: [
        "RealmJobs", "RealmCompare", "RealmVerify", "RealmInterchange", "RealmQuery", "RealmModel",
        "RealmStorage",
      ],
      packageAccess: false, swiftSettings: settings + ofTests),
    // The parts of the commands.
    tests(
      "Commands", ["Jobs", "Backup", "Query", "Model", "Storage"],
      ["Commands", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
    // The commands `import` and `export`, and all others, as programs.
    tests("ImportExport", ["Jobs", "Interchange", "Storage"]),
    tests("Command", ["Jobs", "Backup", "Interchange", "Storage"]),
    tests("Fuzz", [], ["FuzzTargets"]),
  ] + fuzzer,
  cxxLanguageStandard: .cxx17
)
