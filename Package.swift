// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// FRP_ARCHIVES=DIRECTORY links the program with the archives there, and with no shared library but glibc's (scripts/release
/// sets it where that is possible; decision 0023). Nothing that others depend on has such flags.
let withoutSharedLibraries: [LinkerSetting] =
  Context.environment["FRP_ARCHIVES"].map { directory in
    [
      .unsafeFlags(
        // At a fixed place nothing has to be relocated at the start.
        ["-L", directory, "-Xclang-linker", "-no-pie", "-Xclang-linker", "-static-libgcc"]
          + (["--no-export-dynamic", "--start-group", "-ledit", "-ltinfo", "-lbsd", "-lmd", "--end-group"])
          .flatMap { ["-Xlinker", $0] },
        .when(configuration: .release))
    ]
  } ?? []

/// FRP_OPTIMIZED=1 optimizes what the tests spend their time in, and keeps all assertions (scripts/checked sets it).
let isOptimized = Context.environment["FRP_OPTIMIZED"] == "1"
let optimized: [SwiftSetting] =
  isOptimized
  ? [.unsafeFlags(["-O", "-wmo", "-num-threads", "2", "-assert-config", "Debug"], .when(configuration: .debug))] : []

/// What would bring Swift's regular expressions into the program is an error there, too (FRPBase/TextSearch.swift).
let product: [SwiftSetting] =
  strict + optimized
  + (isOptimized ? [.unsafeFlags(["-disable-implicit-string-processing-module-import"])] : [])

/// The C library shows the functions of frp.h alone, in every build. Who depends on this package by its products in Swift
/// links none of it.
let showingFunctionsOfHeader: [LinkerSetting] = [
  .unsafeFlags(
    ["-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/FRPC/frp.map"], .when(platforms: [.linux]))
]

/// What is not where programs spend their time is small before it is fast, in the program that scripts/release makes.
let small: [SwiftSetting] =
  Context.environment["FRP_ARCHIVES"] == nil ? [] : [.unsafeFlags(["-Osize"], .when(configuration: .release))]

func module(_ name: String, _ dependencies: Target.Dependency..., exclude: [String] = [], isSmall: Bool = false)
  -> Target
{
  .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: product + (isSmall ? small : []))
}

/// What is not shipped: the model, and what makes programs, runs them and compares. FRPModel is in Checking/Model.
func checking(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Checking/\(name.dropFirst(3))", swiftSettings: strict + optimized)
}

func tests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// Small applications that embed the library; Tests/Embedding/run runs them.
let applications: [Target] =
  [
    "LoginForm", "NearbyList", "GameLoop", "Server", "Tenants", "HotReload", "VirtualTime", "Sandbox", "Readings",
  ].map { name in
    .executableTarget(
      name: name, dependencies: ["FRP"], path: "examples/embedding/\(name)", exclude: ["expected.txt"],
      swiftSettings: strict)
  } + [
    .executableTarget(
      name: "GeoPrompt", dependencies: ["FRP", "FRPPrompt"], path: "examples/embedding/GeoPrompt",
      exclude: ["expected.txt", "entries.txt"], swiftSettings: strict)
  ]

let package = Package(
  name: "frp",
  products: [
    .executable(name: "frp", targets: ["FRPMain"]),
    .library(name: "FRP", targets: ["FRP"]),
    .library(name: "FRPPrompt", targets: ["FRPPrompt"]),
    .library(name: "frp-c", type: .dynamic, targets: ["FRPC"]),
  ],
  targets: [
    module("FRPLibc"),
    module("FRPBase", "FRPLibc"),
    module("FRPSyntax", "FRPBase", isSmall: true),
    module("FRPCore", "FRPBase"),
    module("FRPPasses", "FRPBase", "FRPCore"),
    module("FRPSema", "FRPBase", "FRPSyntax", "FRPCore", "FRPPasses"),
    module("FRPGraph", "FRPBase", "FRPCore"),
    .target(name: "CStack"),
    .target(name: "CRefusal", dependencies: ["CStack"]),
    module("FRPRuntime", "FRPLibc", "FRPBase", "FRPCore", "FRPGraph", "CStack", exclude: ["README.md"]),
    module("FRP", "FRPLibc", "FRPBase", "FRPSyntax", "FRPCore", "FRPPasses", "FRPSema", "FRPGraph", "FRPRuntime"),
    .target(
      name: "FRPC", dependencies: ["FRP", "FRPBase", "FRPCore", "FRPGraph", "FRPRuntime"],
      exclude: ["frp.h", "frp.map"], swiftSettings: product, linkerSettings: showingFunctionsOfHeader),
    module("FRPWorld", "FRP", "FRPBase", "FRPIO", isSmall: true),
    .target(name: "CEditline", linkerSettings: [.linkedLibrary("edit")]),
    .target(name: "CLinux"),
    .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CNet", exclude: ["library"]),
    module("FRPIO", "FRPBase", "CLinux", "CNet", "CSQLite", exclude: ["README.md"], isSmall: true),
    .target(
      name: "FRPCommands",
      dependencies: [
        "FRP", "FRPWorld", "FRPIO", "FRPBase", "FRPSyntax", "FRPCore", "FRPSema", "FRPGraph", "FRPRuntime", "CEditline",
        "CLinux", "CStack",
      ], exclude: ["LanguageServer/README.md", "Page/README.md"], resources: [.embedInCode("Page/assets")],
      swiftSettings: product + small),
    module("FRPPrompt", "FRP", "FRPCommands", isSmall: true),
    .executableTarget(
      name: "FRPMain", dependencies: ["FRPCommands", "CRefusal"], swiftSettings: strict,
      linkerSettings: withoutSharedLibraries),

    checking("FRPModel", "FRPBase", "FRPCore"),
    checking("FRPTestFiles"),
    checking(
      "FRPDifferential", "FRPTestFiles", "FRPModel", "FRPRuntime", "FRPGraph", "FRPSema", "FRPSyntax", "FRPCore",
      "FRPBase"),
    .target(name: "CSystemCalls", path: "Checking/SystemCalls"),
    checking("FRPSimulatedWorld", "CSystemCalls", "FRPDifferential", "FRPCommands", "FRPIO", "FRP", "FRPBase"),
    .executableTarget(
      name: "FRPSoak",
      dependencies: [
        "FRPSimulatedWorld", "FRPDifferential", "FRPTestFiles", "FRPBase", "FRPModel", "FRPSema", "FRPCore",
      ], path: "Checking/Soak", swiftSettings: strict),
    checking("FRPCosts", "FRP", "FRPRuntime", "FRPCore", "FRPBase"),
    checking(
      "FRPFuzzing", "FRPIO", "FRP", "FRPC", "FRPCommands", "FRPDifferential", "FRPModel", "FRPRuntime", "FRPGraph",
      "FRPSema",
      "FRPSyntax", "FRPCore", "FRPBase"),

    .target(name: "CMeasure", path: "Bench/CMeasure"),
    .executableTarget(
      name: "FRPBench",
      dependencies: ["FRP", "FRPC", "FRPCosts", "FRPRuntime", "FRPGraph", "FRPCore", "FRPBase", "CMeasure"],
      path: "Bench/Programs", swiftSettings: strict),

    tests("FRPBaseTests", "FRPBase"),
    tests("FRPSyntaxTests", "FRPDifferential", "FRPTestFiles", "FRPSyntax", "FRPBase"),
    tests("FRPPassesTests", "FRPTestFiles", "FRPPasses", "FRPSema", "FRPSyntax", "FRPBase", "FRPCore"),
    tests("FRPSemaTests", "FRPTestFiles", "FRPSema", "FRPSyntax", "FRPBase", "FRPCore"),
    tests("FRPRuntimeTests", "FRPRuntime", "FRPGraph", "FRPCore", "FRPBase"),
    tests("ReactorTests", "FRPCosts", "FRP", "FRPRuntime", "FRPGraph", "FRPCore", "FRPBase"),
    tests(
      "DifferentialTests", "FRPDifferential", "FRPTestFiles", "FRPFuzzing", "FRPModel", "FRPSema", "FRPSyntax",
      "FRPCore",
      "FRPBase"),
    tests("FRPIOTests", "FRPIO", "FRPBase", "CLinux"),
    tests(
      "FRPTests", "FRPTestFiles", "FRPDifferential", "FRPCommands", "FRPWorld", "FRP", "FRPBase", "FRPCore", "FRPGraph",
      "FRPRuntime",
      "FRPSema"),
  ] + applications,
  swiftLanguageModes: [.v6]
)

// The fuzzer's entrance needs libFuzzer, which only a build with its instrumentation links (scripts/fuzz).
if Context.environment["FRP_FUZZ"] != nil {
  package.products.append(.executable(name: "frp-fuzz", targets: ["FRPFuzz"]))
  package.targets.append(
    .executableTarget(
      name: "FRPFuzz", dependencies: ["FRPFuzzing", "FRPBase"], path: "Checking/Fuzz", swiftSettings: strict))
}
