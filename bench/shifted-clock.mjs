// Loaded before a service: shifts its clock by `CLOCK_SHIFT_MS`, so that a ledger of a past month is current.
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
