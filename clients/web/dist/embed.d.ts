/** Opens a dashboard page in a dialog of the host's own page, already signed in. */
export interface EmbedSession {
    /** From the response of `POST /v1/embed/sessions`; other fields are ignored. */
    readonly url: string;
}
export interface EmbedError {
    /** A code of the dashboard page, or `session_failed` if `fetchSession` failed. */
    readonly code: string;
    readonly message: string;
}
export interface EmbedOptions {
    /** Requests a session from your own server, which has the key. Called at each opening, because a session can be used once. */
    readonly fetchSession: () => Promise<EmbedSession> | EmbedSession;
    readonly onReady?: () => void;
    readonly onSaved?: (saved: {
        readonly campaign_id: string;
    }) => void;
    readonly onClose?: () => void;
    readonly onError?: (error: EmbedError) => void;
}
export interface Embed {
    close(): void;
}
/** Returns before the page has loaded, and never throws. Accepts messages only from the window and the origin of the frame. */
export declare function openEmbed(options: EmbedOptions): Embed;
