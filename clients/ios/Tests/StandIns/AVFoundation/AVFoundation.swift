// The declarations of AVFoundation that PlacardUI uses; for machines without it. A player plays what a test says.

import UIKit

public struct CMTime: Sendable {
    public let seconds: Double
    public init(seconds: Double) { self.seconds = seconds }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func CMTimeGetSeconds(_ time: CMTime) -> Float64 { time.seconds }

@MainActor open class AVPlayerItem: NSObject {
    public enum Status: Int, Sendable {
        case unknown, readyToPlay, failed
    }

    open var status = AVPlayerItem.Status.readyToPlay
    open var duration = CMTime(seconds: 20)
}

@MainActor open class AVPlayer: NSObject {
    public enum TimeControlStatus: Int, Sendable {
        case paused, waitingToPlayAtSpecifiedRate, playing
    }

    /// The one that was made last, for tests.
    public static weak var last: AVPlayer?
    public init(url URL: URL) {
        super.init()
        Self.last = self
    }
    open var currentItem: AVPlayerItem? = AVPlayerItem()
    open var timeControlStatus = AVPlayer.TimeControlStatus.paused
    public var time = CMTime(seconds: 0)
    open func currentTime() -> CMTime { time }
    open func play() { timeControlStatus = .playing }
    open func pause() { timeControlStatus = .paused }
    open func replaceCurrentItem(with item: AVPlayerItem?) { currentItem = item }
}

@MainActor open class AVPlayerLayer: CALayer {
    open var player: AVPlayer?
}
