// Loaded before a service: its now is `CLOCK_SHIFT_MS` from the machine's, so that a book of some past month is fresh.
import { env } from 'node:process';

const shift = Number(env.CLOCK_SHIFT_MS);
const Machine = Date;

globalThis.Date = class extends Machine {
  constructor(...parts) {
    super(...(parts.length === 0 ? [Machine.now() + shift] : parts));
  }

  static now() {
    return Machine.now() + shift;
  }
};
