/** Where a reader of events keeps its position. */

import { open, readFile, rename } from "node:fs/promises";

/** A row of your database, a key of your cache: anything that survives the process. */
export interface CursorStore {
  /** The cursor saved last; null before the first. */
  load(): Promise<string | null>;
  /** Called when every event before `cursor` has been handled. */
  save(cursor: string): Promise<void>;
}

/** A file that is replaced as a whole, so that a crash leaves the old cursor or the new one. */
export class CursorFile implements CursorStore {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async load(): Promise<string | null> {
    try {
      return (await readFile(this.#path, "utf8")).trim() || null;
    } catch (failure) {
      if ((failure as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw failure;
    }
  }

  async save(cursor: string): Promise<void> {
    const path = `${this.#path}.new`;
    const file = await open(path, "w");
    try {
      await file.writeFile(cursor);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(path, this.#path);
  }
}
