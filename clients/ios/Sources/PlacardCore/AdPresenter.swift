import Foundation

/// What happens to an ad view, in the order of time.
public enum AdViewEvent: Sendable, Equatable {
    /// An ad is shown.
    case load(Ad)
    /// There is no ad for the slot now; this is not an error. The reason is for test keys only.
    case noFill(reason: String?)
    case impression(Ad)
    /// Enough of the ad was in view for long enough.
    case viewable(Ad)
    case click(Ad)
    case error(PlacardError)
}

/// An ad as a platform's view shows it.
@MainActor
package protocol RenderedAd: AnyObject {
    /// While it plays, no other ad takes its place.
    var isBusy: Bool { get }

    /// It is out of the user's sight.
    func pause()

    func end()
}

/// What an ``AdPresenter`` needs of a platform's view.
@MainActor
package protocol AdStage: AnyObject {
    /// Nil: nothing is requested.
    var request: ServeRequest? { get }
    var backend: (any AdBackend)? { get }
    /// The user touches the ad, or it has the focus.
    var isInUse: Bool { get }
    var isAttached: Bool { get }

    /// Passes nil to *done* where a part could not be loaded. Throws ``PlacardError`` where the ad cannot be shown.
    func render(_ showing: Showing, _ done: @escaping @MainActor ((any RenderedAd)?) -> Void) throws(PlacardError)

    /// Shows what was rendered, in place of what the app put there.
    func put(_ rendered: any RenderedAd, _ ad: Ad)

    /// Removes the ad, and shows what the app put there.
    func clear()

    func open(_ url: URL)

    func report(_ event: AdViewEvent)

    func requested(_ slot: String, _ outcome: ServeOutcome, tookMs: Int)

    /// Begins to call ``AdPresenter/sample(nowMs:ratio:area:)``, ten times a second, until it returns false.
    func startSampling()

    func stopSampling()
}

/// An ad that is being rendered, and what its parts report.
@MainActor
package struct Showing {
    package let session: AdSession
    /// With the URL that was followed, or nil for the ad's own.
    package let click: @MainActor (String?) -> Void

    package init(session: AdSession, click: @escaping @MainActor (String?) -> Void) {
        self.session = session
        self.click = click
    }

    package var ad: Ad { session.ad }
}

/// What an ad view does over time: request, show, count, measure, refresh.
@MainActor
package final class AdPresenter {
    package weak var stage: (any AdStage)?
    /// Increases with each change; what was begun in an earlier life is dropped.
    private var life = 0
    private var session: AdSession?
    private var shown: (any RenderedAd)?
    private var viewClock: ViewClock?
    private var refreshClock: RefreshClock?
    private var refreshSeconds: Int?

    package init() {}

    package func attach() {
        if session == nil { show() } else { measure() }
    }

    package func detach() {
        life += 1
        stage?.stopSampling()
        // What is out of sight has a break in its view.
        if let nowMs = stage?.backend?.nowMs() { _ = sample(nowMs: nowMs, ratio: 0, area: 0) }
        shown?.pause()
    }

    package func pause() { shown?.pause() }

    /// Another slot, format or client: what changes in one go counts as one change. *later* runs a task on the main
    /// thread after the present one.
    package func restart(later: (@escaping @MainActor () -> Void) -> Void) {
        life += 1
        let ours = life
        clear()
        later { [weak self] in
            guard let self, ours == life, stage?.isAttached == true else { return }
            show()
        }
    }

    /// Returns whether samples are still needed.
    package func sample(nowMs: Int, ratio: Double, area: Double) -> Bool {
        if let session, viewClock?.sample(nowMs: nowMs, ratio: ratio, area: area) == true {
            viewClock = nil
            if session.record(.viewable) { stage?.report(.viewable(session.ad)) }
        }
        if refreshClock?.sample(nowMs: nowMs, ratio: ratio, area: area) == true, !isInUse {
            refreshClock = nil
            show()
        }
        return viewClock != nil || refreshClock != nil
    }

    private var isInUse: Bool { stage?.isInUse == true || shown?.isBusy == true }

    private func show() {
        guard let stage, let request = stage.request else { return }
        guard let backend = stage.backend else {
            let message = "Call Placard.initialize() first, or set a client."
            return stage.report(.error(PlacardError(code: "invalid_request", message: message)))
        }
        life += 1
        let ours = life
        let startMs = backend.nowMs()
        backend.serveForView(request) { [weak self] served in
            guard let self, ours == life else { return }
            refreshSeconds = served.refreshSeconds
            self.stage?.requested(request.slot, served.outcome, tookMs: backend.nowMs() - startMs)
            finish(served.outcome, backend)
        }
    }

    private func finish(_ outcome: ServeOutcome, _ backend: any AdBackend) {
        switch outcome {
        case .filled(let ad): return render(AdSession(ad, backend))
        // A refresh that finds no ad leaves the present one, and is not reported.
        case .noFill(let reason): if session == nil { stage?.report(.noFill(reason: reason)) }
        case .failed(let error): if session == nil { stage?.report(.error(error)) }
        }
        measure()
    }

    private func render(_ next: AdSession) {
        let ours = life
        let showing = Showing(session: next) { [weak self] url in self?.clicked(next, url) }
        do throws(PlacardError) {
            try stage?.render(showing) { [weak self] rendered in
                guard let self, ours == life else { return }
                guard let rendered else {
                    let message = "A part of the ad could not be loaded."
                    return unrendered(next, PlacardError(code: "render", message: message))
                }
                put(next, rendered)
            }
        } catch {
            unrendered(next, error)
        }
    }

    private func unrendered(_ failed: AdSession, _ error: PlacardError) {
        failed.record(.error)
        clear()
        stage?.report(.error(error))
        measure()
    }

    private func put(_ next: AdSession, _ rendered: any RenderedAd) {
        clear()
        session = next
        shown = rendered
        stage?.put(rendered, next.ad)
        stage?.report(.load(next.ad))
        if next.recordImpression() { stage?.report(.impression(next.ad)) }
        viewClock = ViewClock(next.ad.viewability)
        measure()
    }

    private func clear() {
        stage?.stopSampling()
        shown?.end()
        shown = nil
        session = nil
        viewClock = nil
        refreshClock = nil
        stage?.clear()
    }

    private func measure() {
        refreshClock = refreshSeconds.map(RefreshClock.init(seconds:))
        if viewClock != nil || refreshClock != nil { stage?.startSampling() }
    }

    private func clicked(_ of: AdSession, _ followed: String?) {
        guard let target = of.recordClick() else { return }
        stage?.open(followed.flatMap(URL.init(string:)) ?? target)
        stage?.report(.click(of.ad))
    }
}
