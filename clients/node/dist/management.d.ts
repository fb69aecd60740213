/** Campaigns, ads, properties, keys, reports and events. */
import type { CursorStore } from "./cursors.js";
import { EventsOperations, type EventsListQuery, ManagementOperations } from "./operations.js";
import { type ClientOptions } from "./transport.js";
import type * as types from "./types.js";
export interface FollowOptions extends Omit<EventsListQuery, "cursor"> {
    /** Where to begin if the store is empty; `earliest` by default. */
    start?: "earliest" | "now";
    /** 2000 by default. */
    pollMs?: number;
}
/** `list` and `listPage` are the feed as it is; `follow` is for a program that handles every event. */
export declare class Events extends EventsOperations {
    /**
     * Every event, oldest first, without end. A cursor is valid only with the filters it was created with.
     *
     * The cursor is saved after the last event of a page was handled, so a reader that is stopped within a page reads that
     * page again: handle each event by its `id`, at least once. Throws `ExpiredError` if the cursor is older than the
     * retention.
     */
    follow(cursors: CursorStore, options?: FollowOptions): AsyncGenerator<types.Event, void, undefined>;
}
export interface ManagementOptions extends ClientOptions {
    baseUrl: string;
}
/**
 * `key`: an integration key (`ak_`) or an access token (`at_`); a secret key (`sk_`) reaches `caller` alone.
 */
export declare class ManagementClient extends ManagementOperations {
    readonly events: Events;
    constructor(key: string, options: ManagementOptions);
}
