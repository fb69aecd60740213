// swift-tools-version: 6.0

// The iOS library of clients/ios: SwiftPM reads a manifest only at the root of a repository.

import PackageDescription

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
            path: "clients/ios/Sources/PlacardCore",
            resources: [.copy("PrivacyInfo.xcprivacy")]
        ),
        .target(
            name: "PlacardUI",
            dependencies: ["PlacardCore"],
            path: "clients/ios/Sources/PlacardUI",
            resources: [.copy("PrivacyInfo.xcprivacy")]
        ),
        .executableTarget(
            name: "PlacardJourneys",
            dependencies: ["PlacardCore"],
            path: "clients/ios/Tests/Journeys"
        ),
        .testTarget(
            name: "PlacardCoreTests",
            dependencies: ["PlacardCore"],
            path: "clients/ios/Tests/PlacardCoreTests"
        ),
    ],
    swiftLanguageModes: [.v6]
)
