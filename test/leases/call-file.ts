import { appendFileSync, existsSync, readFileSync } from 'node:fs';

interface CallSums {
  /** What each ended call used, in the order of the ends. */
  readonly ended: number[];
  /** Needs of the calls without an end, by id. */
  readonly open: ReadonlyMap<string, number>;
}

/** A journal in its simplest form: a line for each begin and end. It outlives its process. */
export class CallFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  begin(id: string, need: number): void {
    appendFileSync(this.#path, `begin ${id} ${need}\n`);
  }

  end(id: string, counted: number): void {
    appendFileSync(this.#path, `end ${id} ${counted}\n`);
  }

  read(): CallSums {
    const ended: number[] = [];
    const open = new Map<string, number>();
    const lines = existsSync(this.#path) ? readFileSync(this.#path, 'utf8').split('\n') : [];
    for (const line of lines.filter((each) => each !== '')) {
      const [kind, id = '', amount] = line.split(' ');
      if (kind === 'begin') open.set(id, Number(amount));
      else {
        open.delete(id);
        ended.push(Number(amount));
      }
    }
    return { ended, open };
  }
}
