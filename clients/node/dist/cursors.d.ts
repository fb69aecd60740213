/** Where a reader of events keeps its position. */
/** A row of your database, a key of your cache: anything that survives the process. */
export interface CursorStore {
    /** The cursor saved last; null before the first. */
    load(): Promise<string | null>;
    /** Called when every event before `cursor` has been handled. */
    save(cursor: string): Promise<void>;
}
/** A file that is replaced as a whole, so that a crash leaves the old cursor or the new one. */
export declare class CursorFile implements CursorStore {
    #private;
    constructor(path: string);
    load(): Promise<string | null>;
    save(cursor: string): Promise<void>;
}
