// The examples of README.md, so that they compile: a test compares the lines.

import PlacardCore
import PlacardUI
import SwiftUI
import UIKit

@MainActor
func show(in stack: UIStackView) {
    Placard.initialize(publishableKey: "pk_live_…", edgeURL: "https://edge.placard.example")

    let ad = AdView(slotID: "sidebar")
    ad.onEvent = { [weak ad] event in
        if case .noFill = event { ad?.isHidden = true }
    }
    stack.addArrangedSubview(ad)
}

@MainActor
func slot() -> AdSlot {
    AdSlot("sidebar") { event in
        if case .error(let error) = event { print(error) }
    }
}

@MainActor
final class Row {
    private let title = UILabel()
    private let row = UIView(frame: .zero)
    private var ad: NativeAd?

    func load() async {
        if case .loaded(let ad) = await Placard.loadNative(ServeRequest(slot: "feed", keywords: ["running"])) {
            title.text = ad.ad.content.title
            ad.bind(row)  // reports impression, view and click of this view
            self.ad = ad  // while it is shown
        }
    }
}
