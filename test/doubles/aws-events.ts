import { crc32 } from 'node:zlib';

/** Encodes a message of a stream of AWS (AWS docs, "Event stream encoding"). */
export function eventMessage(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const named = Buffer.concat(Object.entries(headers).map(([name, value]) => headerBytes(name, value)));
  const body = Buffer.from(payload);
  const message = Buffer.alloc(16 + named.length + body.length);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(named.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  named.copy(message, 12);
  body.copy(message, 12 + named.length);
  message.writeUInt32BE(crc32(message.subarray(0, message.length - 4)), message.length - 4);
  return message;
}

function headerBytes(name: string, value: string): Buffer {
  const text = Buffer.from(value);
  return Buffer.concat([
    Buffer.of(name.length),
    Buffer.from(name),
    Buffer.of(7, text.length >> 8, text.length & 255),
    text,
  ]);
}

/** An event with a JSON document. */
export function event(type: string, document: object): Buffer {
  const headers = { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' };
  return eventMessage(headers, JSON.stringify(document));
}

/** An event of Claude's stream, as `InvokeModelWithResponseStream` wraps it. */
export function chunkEvent(document: object): Buffer {
  return event('chunk', { bytes: Buffer.from(JSON.stringify(document)).toString('base64'), p: 'abcd' });
}

/** An error in the middle of a stream. */
export function exceptionEvent(type: string, message: string): Buffer {
  const headers = { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' };
  return eventMessage(headers, JSON.stringify({ message }));
}
