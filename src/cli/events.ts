import type { Command } from 'commander';
import type { UsageEvent } from '../contract/observed.ts';
import { TollbookError } from '../domain/errors.ts';
import { countNoun, formatCount } from '../domain/text/counts.ts';
import { type CliEnvironment, type CommonOptions, subcommand, withContext } from './cli.ts';
import { readText } from './read-text.ts';

/** An event of a file, not checked yet. */
interface FileEvent {
  readonly line: number;
  readonly event: UsageEvent;
  readonly bytes: number;
}

/** The maximum of the API. */
const EVENTS_PER_REQUEST = 1_000;
/** Below the maximum body of the API. */
const BYTES_PER_REQUEST = 900_000;

export function eventsSend(program: Command, cli: CliEnvironment): void {
  subcommand(program, 'send <file>', 'report calls that did not go through the gateway, one JSON object a line').action(
    async (path: string, options: CommonOptions) => {
      const events = readEvents(path);
      await withContext(cli, options, async ({ client, print }) => {
        const sent = { events: 0, stored: 0, known: 0 };
        for (const batch of splitEvents(events)) {
          const body = { events: batch.map(({ event }) => event) };
          const result = await client.call('POST /api/usage/events', { body }).catch((error: unknown) => {
            throw locateEvent(error, path, batch);
          });
          sent.events += result.events;
          sent.stored += result.stored;
          sent.known += result.known;
        }
        print(sent, ({ stored, known }) => `${countNoun(stored, 'new event')}, ${formatCount(known)} known before.`);
      });
    },
  );
}

/** Reads events; the API checks them. Throws `invalid` for a line that is no JSON object, and names it. */
function readEvents(path: string): FileEvent[] {
  const lines = readText(path).split('\n');
  const events = lines.flatMap((text, index): FileEvent[] =>
    text.trim() === ''
      ? []
      : [{ line: index + 1, event: parseEventLine(text, path, index + 1), bytes: text.length * 3 }],
  );
  if (events.length === 0) throw new TollbookError('invalid', `${path} has no events. Write one JSON object a line.`);
  return events;
}

function parseEventLine(text: string, path: string, line: number): UsageEvent {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as UsageEvent;
  } catch {
    // Reported like other texts that are no object.
  }
  throw new TollbookError('invalid', `${path}:${line}: This is not a JSON object. Write one object a line.`);
}

function splitEvents(events: readonly FileEvent[]): FileEvent[][] {
  const batches: FileEvent[][] = [];
  let room = 0;
  for (const event of events) {
    const batch = batches.at(-1);
    if (batch && batch.length < EVENTS_PER_REQUEST && event.bytes <= room) batch.push(event);
    else {
      batches.push([event]);
      room = BYTES_PER_REQUEST;
    }
    room -= event.bytes;
  }
  return batches;
}

/** Names the line of the event that the API refused. */
function locateEvent(error: unknown, path: string, batch: readonly FileEvent[]): unknown {
  if (!(error instanceof TollbookError)) return error;
  const [, index] = /^events\.(\d+)/.exec(error.param ?? '') ?? [];
  const line = index === undefined ? undefined : batch[Number(index)]?.line;
  if (line === undefined) return error;
  const sentence = error.message.replace(/^events\.\d+\.?/, '');
  return new TollbookError(
    error.type,
    `${path}:${line}: ${sentence} Fix it and send the file again: an event that is stored counts once.`,
  );
}
