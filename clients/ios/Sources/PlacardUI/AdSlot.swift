#if canImport(UIKit) && canImport(WebKit) && canImport(SwiftUI)
    import PlacardCore
    import SwiftUI

    /// An ad of a slot in SwiftUI; see ``AdView``. Another slot or format is another ad.
    public struct AdSlot: UIViewRepresentable {
        private let request: ServeRequest
        private let onEvent: (@MainActor (AdViewEvent) -> Void)?

        /// *slotID*: key or id of the slot.
        public init(_ slotID: String, format: String? = nil, onEvent: (@MainActor (AdViewEvent) -> Void)? = nil) {
            self.init(ServeRequest(slot: slotID, format: format), onEvent: onEvent)
        }

        /// With a whole request, with keywords and key-values.
        public init(_ request: ServeRequest, onEvent: (@MainActor (AdViewEvent) -> Void)? = nil) {
            self.request = request
            self.onEvent = onEvent
        }

        public func makeUIView(context: Context) -> AdView {
            let view = AdView(frame: .zero)
            view.setContentHuggingPriority(.required, for: .vertical)
            return view
        }

        public func updateUIView(_ view: AdView, context: Context) {
            view.onEvent = onEvent
            view.format = request.format
            view.request = request
        }

        public static func dismantleUIView(_ view: AdView, coordinator: ()) { view.onEvent = nil }
    }
#endif
