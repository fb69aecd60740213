/** Where a reader of events keeps its position. */
import { open, readFile, rename } from "node:fs/promises";
/** A file that is replaced as a whole, so that a crash leaves the old cursor or the new one. */
export class CursorFile {
    #path;
    constructor(path) {
        this.#path = path;
    }
    async load() {
        try {
            return (await readFile(this.#path, "utf8")).trim() || null;
        }
        catch (failure) {
            if (failure.code === "ENOENT")
                return null;
            throw failure;
        }
    }
    async save(cursor) {
        const path = `${this.#path}.new`;
        const file = await open(path, "w");
        try {
            await file.writeFile(cursor);
            await file.sync();
        }
        finally {
            await file.close();
        }
        await rename(path, this.#path);
    }
}
