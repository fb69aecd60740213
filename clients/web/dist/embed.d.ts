/** Opens a screen of the control plane in a dialog of the host's own page, already signed in. */
export interface EmbedSession {
    /** As `POST /v1/embed/sessions` answers it; other fields are not looked at. */
    readonly url: string;
}
export interface EmbedError {
    /** The screen's own, or `session_failed`: `fetchSession` gave none. */
    readonly code: string;
    readonly message: string;
}
export interface EmbedOptions {
    /** Asks your own server, which holds the key. Called once for each opening: a session is good for one. */
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
/** Answers at once; never throws. What the frame says is believed only from its own window and origin. */
export declare function openEmbed(options: EmbedOptions): Embed;
