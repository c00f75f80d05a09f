import { NO_CONTEXT } from '../src/domain/usage/call-context.ts';
import type { CounterQuestion } from '../src/limits/counter-loads.ts';
import { Hold } from '../src/limits/hold.ts';
import { LimitsEngine } from '../src/limits/limits.ts';
import { NOON, sampleBudget, sampleCallEnd, sampleNeed, sampleSubject } from '../src/limits/contract/sample-limits.ts';

/**
 * Sessions that come and go under a limit on each: counters and memory stay flat. With a number as argument: so many
 * sessions, instead of 10,000,000. Each makes one call, a thousand of them in a second of window time.
 */
const SESSIONS = Number(process.argv[2] ?? 10_000_000);
const REPORTS = 10;
const IDLE_MS = 300_000;
const CALLS_PER_CHECK = 1_000;

const questions: CounterQuestion[] = [];
const engine = new LimitsEngine({ crossed: () => {}, overran: () => {}, asks: (asked) => questions.push(asked) });
engine.load(
  [sampleBudget('lim_1', 1_000, { window: 'total', scope: { kind: 'each', of: 'session', keyId: null } })],
  [],
  NOON,
);
const waiter = { keyId: 'key_a', until: Infinity, loaded: () => {}, gaveUp: () => {} };

let most = 0;
const began = performance.now();
for (let session = 1; session <= SESSIONS; session += 1) {
  const now = NOON + session;
  const subject = sampleSubject({ context: { ...NO_CONTEXT, session: `session-${session}` } });
  engine.awaitCounters({ ...waiter }, engine.findCounters(subject, now));
  for (const { question, places } of questions.splice(0))
    engine.receiveCounters(
      question,
      places.map((place) => Object.assign({ counted: 0, uncertain: 0 }, place)),
      now,
    );
  const hold = engine.admit(subject, engine.findCounters(subject, now), sampleNeed(10), now);
  if (!(hold instanceof Hold)) throw new Error(`session ${session} was not admitted: ${hold.reason}`);
  engine.settle(hold, sampleCallEnd(10), now);
  if (session % CALLS_PER_CHECK === 0) engine.dropIdle(engine.isOnDemandCrowded ? now : now - IDLE_MS, now);
  most = Math.max(most, engine.onDemandCounters);
  if (session % (SESSIONS / REPORTS) === 0) {
    const mib = Math.round(process.memoryUsage().heapUsed / 1_048_576);
    console.log(
      `${session.toLocaleString('en')} sessions: ${engine.onDemandCounters.toLocaleString('en')} counters, heap ${mib} MiB`,
    );
  }
}
const microseconds = ((performance.now() - began) * 1_000) / SESSIONS;
console.log(`At most ${most.toLocaleString('en')} counters; ${microseconds.toFixed(1)} µs a session.`);
