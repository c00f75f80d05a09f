import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

const MESSAGE = 'Figures of these records could not be read, or they are older than 30 days.';
const COUNTS = { log: 'rejectedLogRecords', span: 'rejectedSpans', metric: 'rejectedDataPoints' } as const;

/** Returns the JSON answer to an export request; rejected records are a partial success. */
export function successJson(signal: keyof typeof COUNTS, rejected: number): string {
  if (rejected === 0) return '{}';
  return JSON.stringify({ partialSuccess: { [COUNTS[signal]]: String(rejected), errorMessage: MESSAGE } });
}

/** Returns the same as an `ExportLogsServiceResponse`. That of spans and metrics has the same fields. */
export function successProtobuf(rejected: number): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  if (rejected > 0) {
    writer.tag(1, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.Varint).int64(rejected);
    writer.tag(2, WireType.LengthDelimited).string(MESSAGE);
    writer.join();
  }
  return new Uint8Array(writer.finish());
}
