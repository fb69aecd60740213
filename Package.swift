// swift-tools-version: 6.0

// The iOS library of clients/ios: SwiftPM reads a manifest only at the root of a repository.

import PackageDescription

let folder = "clients/ios"

/// Only the tests of this repository on Linux set it: modules with the names of Apple's, as far as the views use those.
let hasStandIns = Context.environment["PLACARD_STAND_INS"] == "1"
let standIns = hasStandIns ? ["UIKit", "WebKit", "AVFoundation", "Network", "SwiftUI"] : []

let package = Package(
    name: "placard",
    platforms: [.iOS(.v15), .macCatalyst(.v15), .visionOS(.v1), .macOS(.v12), .tvOS(.v15), .watchOS(.v8)],
    products: [
        .library(name: "PlacardCore", targets: ["PlacardCore"]),
        .library(name: "PlacardUI", targets: ["PlacardUI"]),
    ],
    targets: [
        .target(
            name: "PlacardCore",
            path: "\(folder)/Sources/PlacardCore",
            resources: [.copy("PrivacyInfo.xcprivacy")]
        ),
        .target(
            name: "PlacardUI",
            dependencies: ["PlacardCore"] + standIns.map { .byName(name: $0) },
            path: "\(folder)/Sources/PlacardUI",
            resources: [.copy("PrivacyInfo.xcprivacy")]
        ),
        .executableTarget(
            name: "PlacardJourneys",
            dependencies: ["PlacardCore"],
            path: "\(folder)/Tests/Journeys"
        ),
        .testTarget(
            name: "PlacardCoreTests",
            dependencies: ["PlacardCore"],
            path: "\(folder)/Tests/PlacardCoreTests"
        ),
    ],
    swiftLanguageModes: [.v6]
)

if hasStandIns {
    package.targets += standIns.map { name in
        .target(
            name: name,
            dependencies: name == "UIKit" || name == "Network" ? [] : ["UIKit"],
            path: "\(folder)/Tests/StandIns/\(name)"
        )
    }
    package.targets.append(
        .testTarget(
            name: "PlacardUITests",
            dependencies: ["PlacardUI", "PlacardCore"] + standIns.map { .byName(name: $0) },
            path: "\(folder)/Tests/PlacardUITests"
        ))
}
