/** Keeps files open between reads, because a volume's files are read thousands of times, one brick each. */
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';

const maxOpen = 64;
/** Short, because the space of a file deleted by another process is freed only once nobody has it open. */
const idleMs = 2000;

export interface OpenFile {
  readonly file: FileHandle;
  /** bytes; files never change */
  readonly size: number;
}

interface Kept {
  opening: Promise<OpenFile>;
  users: number;
  /** no longer in the list; its last user closes it */
  isForgotten: boolean;
}

export class OpenFiles {
  /** in order of use, because a Map keeps insertion order */
  readonly #kept = new Map<string, Kept>();
  #timer: NodeJS.Timeout | undefined;

  /** @throws the system's error when the file does not exist */
  async use<Result>(place: string, work: (opened: OpenFile) => Promise<Result>): Promise<Result> {
    const kept = this.#kept.get(place) ?? { opening: openFile(place), users: 0, isForgotten: false };
    kept.users += 1;
    this.#kept.delete(place);
    this.#kept.set(place, kept);
    try {
      const opened = await kept.opening.catch((error: unknown) => {
        if (this.#kept.get(place) === kept) this.#kept.delete(place);
        throw error;
      });
      return await work(opened);
    } finally {
      kept.users -= 1;
      if (kept.isForgotten && kept.users === 0) close(kept);
      this.#dropUnused();
    }
  }

  /** Closes a file, or all files of a folder, once nobody reads them; the name may refer to another file now. */
  forget(place: string): void {
    for (const [name, kept] of this.#kept)
      if (name === place || name.startsWith(place + path.sep)) this.#drop(name, kept);
  }

  #dropUnused(): void {
    for (const [name, kept] of this.#kept) {
      if (this.#kept.size <= maxOpen) break;
      if (kept.users === 0) this.#drop(name, kept);
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const [name, kept] of this.#kept) if (kept.users === 0) this.#drop(name, kept);
      if (this.#kept.size > 0) this.#dropUnused();
    }, idleMs).unref();
  }

  #drop(name: string, kept: Kept): void {
    this.#kept.delete(name);
    kept.isForgotten = true;
    if (kept.users === 0) close(kept);
  }
}

async function openFile(place: string): Promise<OpenFile> {
  const file = await open(place, 'r');
  try {
    return { file, size: (await file.stat()).size };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Closes a file, ignoring errors of opening and closing, which no longer concern any reader. */
function close({ opening }: Kept): void {
  opening.then(({ file }) => file.close()).catch(() => undefined);
}
