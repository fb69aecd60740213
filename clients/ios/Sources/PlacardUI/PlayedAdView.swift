#if canImport(UIKit) && canImport(WebKit)
    import AVFoundation
    import PlacardCore
    import UIKit

    /// An ad that the user plays, by the platform's player: nothing is loaded before that. A button plays and pauses;
    /// quartiles are reported while it plays; a companion picture, or a text, leads to the advertiser.
    final class PlayedAdView: UIView, RenderedAd {
        private static let sampleNs: UInt64 = 250_000_000
        private static let usualHeight: CGFloat = 180
        private let medium: Medium
        private let showing: Showing
        private let words = Words.ofDevice
        private let button = UIButton(type: .system)
        private let skip = UIButton(type: .system)
        private let screen: PlayerView?
        private var player: AVPlayer?
        private var playback = Playback()
        private var looking: Task<Void, Never>?
        private var isOver = false
        private(set) var isBusy = false

        init(_ medium: Medium, isVideo: Bool, _ showing: Showing, _ client: PlacardClient) {
            self.medium = medium
            self.showing = showing
            screen = isVideo ? PlayerView() : nil
            super.init(frame: .zero)
            button.setTitle(words.play, for: .normal)
            button.addAction(UIAction { [weak self] _ in self?.toggle() }, for: .touchUpInside)
            skip.setTitle(words.skip, for: .normal)
            skip.addAction(UIAction { [weak self] _ in self?.skipped() }, for: .touchUpInside)
            skip.isHidden = true
            let controls = UIStackView(arrangedSubviews: [button, skip])
            let rows = UIStackView(arrangedSubviews: [screen, controls, more(client)].compactMap { $0 })
            rows.axis = .vertical
            rows.spacing = 4
            rows.pin(into: self)
            if let screen { arrange(screen) }
        }

        @available(*, unavailable)
        required init?(coder: NSCoder) { nil }

        func pause() {
            if !isBusy { return }
            isBusy = false
            looking?.cancel()
            player?.pause()
            button.setTitle(words.play, for: .normal)
        }

        func end() {
            pause()
            player?.replaceCurrentItem(with: nil)
            player = nil
        }

        private func arrange(_ screen: PlayerView) {
            screen.isAccessibilityElement = true
            screen.accessibilityLabel = showing.ad.content.title ?? words.advertisement
            let content = showing.ad.content
            if let width = content.width ?? showing.ad.width, let height = content.height ?? showing.ad.height {
                return screen.prefer(width: width, height: height)
            }
            screen.heightAnchor.constraint(equalToConstant: Self.usualHeight).isActive = true
        }

        private func more(_ client: PlacardClient) -> UIView? {
            if let companion = showing.ad.content.companion {
                let view = PictureAdView(companion, showing)
                Task {
                    view.image = await Pictures.load(companion.url, client)
                    view.isHidden = view.image == nil
                }
                return view
            }
            guard showing.ad.hasDestination else { return nil }
            let link = LinkView(showing, spoken: words.more)
            let label = UILabel()
            label.text = words.more
            label.font = .preferredFont(forTextStyle: .body)
            label.adjustsFontForContentSizeCategory = true
            label.textColor = .label
            link.fill(with: label)
            link.heightAnchor.constraint(greaterThanOrEqualToConstant: 44).isActive = true
            return link
        }

        private func toggle() {
            if isBusy { return pause() }
            guard !isOver, let url = URL(string: medium.url) else { return end(playback.fail()) }
            let player = player ?? AVPlayer(url: url)
            self.player = player
            screen?.player = player
            isBusy = true
            button.setTitle(words.pause, for: .normal)
            player.play()
            looking = Task { [weak self] in
                while !Task.isCancelled, self?.look() == true {
                    try? await Task.sleep(nanoseconds: Self.sampleNs)
                }
            }
        }

        /// Returns whether to go on.
        private func look() -> Bool {
            guard isBusy, let player, let item = player.currentItem else { return false }
            if item.status == .failed {
                end(playback.fail())
                return false
            }
            let (position, duration) = (Self.ms(player.currentTime()), Self.ms(item.duration))
            // A player that is still loading has played nothing yet.
            if position > 0 { report(playback.advance(positionMs: position, durationMs: duration)) }
            if let from = showing.ad.content.skipOffsetMs, position >= from { skip.isHidden = false }
            if player.timeControlStatus != .paused { return true }
            // It has stopped by itself: at its end, or because of a call or another app.
            if duration > 0, position >= duration - 250 { end(playback.complete()) } else { pause() }
            return false
        }

        private func skipped() { end(playback.skip()) }

        private func end(_ events: [AdEvent]) {
            report(events)
            pause()
            isOver = true
            button.isEnabled = false
            skip.isHidden = true
        }

        private func report(_ events: [AdEvent]) { for event in events { showing.session.record(event) } }

        /// 0 where the time is not known, as in a stream without an end.
        private static func ms(_ time: CMTime) -> Int {
            let seconds = CMTimeGetSeconds(time)
            return seconds.isFinite && seconds > 0 ? Int(min(seconds, 86_400) * 1000) : 0
        }
    }

    /// Where a video appears.
    private final class PlayerView: UIView {
        private let screen = AVPlayerLayer()

        init() {
            super.init(frame: .zero)
            backgroundColor = .black
            layer.addSublayer(screen)
        }

        @available(*, unavailable)
        required init?(coder: NSCoder) { nil }

        var player: AVPlayer? {
            get { screen.player }
            set { screen.player = newValue }
        }

        override func layoutSubviews() {
            super.layoutSubviews()
            screen.frame = bounds
        }
    }
#endif
