/** What an edge says of its property before anything is asked of it. */
export interface Features {
    readonly slots: readonly {
        readonly key: string;
        readonly id: string;
        readonly refresh_seconds: number | null;
    }[];
    readonly consent: {
        readonly default: string;
    };
    readonly tracking: {
        readonly timeout_ms: number;
        readonly retry: {
            readonly max: number;
            readonly base_ms: number;
        };
    };
    readonly sdk: {
        readonly min: Readonly<Record<string, string>>;
        readonly kill_switch: boolean;
    };
    readonly ttl_seconds: number;
}
export declare const VERSION = "0.1.0";
/** What holds until an edge says otherwise. */
export declare const USUAL: Features["tracking"];
/** Why nothing may be asked; null where it may. */
export declare function stopOf({ sdk }: Partial<Features>): string | null;
