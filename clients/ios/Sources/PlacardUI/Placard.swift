#if canImport(UIKit) && canImport(WebKit)
    import Network
    import PlacardCore
    import UIKit

    /// The library of this app. Call ``initialize(publishableKey:edgeURL:)`` once, when the app has launched; it only stores
    /// its arguments.
    @MainActor
    public enum Placard {
        /// The client of ``initialize(publishableKey:edgeURL:)``; nil before it.
        public private(set) static var client: PlacardClient?
        private static var connectivity: Connectivity?

        /// With a publishable key and the base URL of the edge of its environment. Consent is read from the standard
        /// defaults of consent platforms (TCF, GPP).
        public static func initialize(publishableKey: String, edgeURL: String) {
            initialize(Options(publishableKey: publishableKey, edgeURL: edgeURL))
        }

        /// As above, with more settings. Called again, it replaces the settings for ads that are requested from then on.
        public static func initialize(_ options: Options) {
            var options = options
            if options.folder == nil {
                let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
                options.folder = folders.first?.appendingPathComponent("placard", isDirectory: true)
            }
            if options.languages == nil { options.languages = Locale.preferredLanguages.joined(separator: ",") }
            client?.close()
            client = PlacardClient(options)
            if connectivity == nil { connectivity = Connectivity { client?.flush() } }
        }

        /// The user's own refusal of personalised ads, for a switch in your app's settings. It is stored on the device,
        /// and every request then asks for contextual ads.
        public static func setOptedOut(_ isOptedOut: Bool) { client?.setOptedOut(isOptedOut) }

        /// Requests an ad for your own views.
        public static func loadNative(_ request: ServeRequest) async -> NativeOutcome {
            guard let client else {
                let message = "Call Placard.initialize() first."
                return .failed(PlacardError(code: "invalid_request", message: message))
            }
            switch await client.serve(request) {
            case .filled(let ad): return .loaded(NativeAd(ad, client))
            case .noFill(let reason): return .noFill(reason: reason)
            case .failed(let error): return .failed(error)
            }
        }
    }

    /// Reports when the device is online again.
    @MainActor
    private final class Connectivity {
        private let monitor = NWPathMonitor()

        init(_ onOnline: @escaping @MainActor () -> Void) {
            monitor.pathUpdateHandler = { @Sendable path in
                let isOnline = path.status == .satisfied
                Task { @MainActor in if isOnline { onOnline() } }
            }
            monitor.start(queue: DispatchQueue(label: "placard.connectivity", qos: .utility))
        }
    }
#endif
