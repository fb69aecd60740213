/** Campaigns, ads, properties, keys, reports and events. */
import { EventsOperations, ManagementOperations } from "./operations.js";
import { Transport } from "./transport.js";
/** `list` and `listPage` are the feed as it is; `follow` is for a program that handles every event. */
export class Events extends EventsOperations {
    /**
     * Every event, oldest first, without end. A cursor is valid only with the filters it was created with.
     *
     * The cursor is saved after the last event of a page was handled, so a reader that is stopped within a page reads that
     * page again: handle each event by its `id`, at least once. Throws `ExpiredError` if the cursor is older than the
     * retention.
     */
    async *follow(cursors, options = {}) {
        const { start = "earliest", pollMs = 2000, limit = 100, ...filters } = options;
        let cursor = await cursors.load();
        if (cursor === null && start === "now") {
            cursor = (await this.listPage({ ...filters, limit: 1 })).next_cursor;
            if (cursor !== null)
                await cursors.save(cursor);
        }
        for (;;) {
            const page = await this.listPage({ ...filters, limit, cursor: cursor ?? "earliest" });
            yield* page.data;
            if (page.next_cursor !== null && page.next_cursor !== cursor) {
                cursor = page.next_cursor;
                await cursors.save(cursor);
            }
            if (!page.has_more)
                await this.transport.sleep(pollMs);
        }
    }
}
/**
 * `key`: an integration key (`ak_`) or an access token (`at_`); a secret key (`sk_`) reaches `caller` alone.
 */
export class ManagementClient extends ManagementOperations {
    events;
    constructor(key, options) {
        const transport = new Transport(options.baseUrl, key, ["ak_", "at_", "sk_"], 30_000, options);
        super(transport);
        this.events = new Events(transport);
    }
}
