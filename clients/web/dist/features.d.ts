/** The features of a property, which are requested before the first ad. */
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
export declare const VERSION = "0.2.0";
/** Defaults until the edge returns other values. */
export declare const USUAL: Features["tracking"];
/** The reason why no ads may be requested; null if they may. */
export declare function stopOf({ sdk }: Partial<Features>): string | null;
