import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import { parseAddress } from '../../src/domain/identity/address-range.ts';

export interface DnsDouble {
  readonly port: number;
  /** Names that were asked for, one entry for each question of an IPv4 address. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

const HEADER_BYTES = 12;
const TYPE_A = 1;
const TYPE_AAAA = 28;
const REFUSES_NAME = 3;
const CLASS_IN = 1;
/** A name as the question has it. */
const POINTER_TO_QUESTION = 0xc00c;

/** A name server over UDP on the loopback address. Each question for IPv4 addresses gets the next answer. */
export async function startDnsDouble(
  names: Readonly<Record<string, readonly (readonly string[])[]>>,
  port = 0,
): Promise<DnsDouble> {
  const asked: string[] = [];
  const current = new Map<string, readonly string[]>();
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    const { name, type, end } = readQuestion(message);
    const answers = names[name];
    if (type === TYPE_A) {
      const at = asked.filter((one) => one === name).length;
      asked.push(name);
      current.set(name, answers?.[Math.min(at, answers.length - 1)] ?? []);
    }
    const addresses = current.get(name) ?? answers?.[0] ?? [];
    const records = addresses.filter((ip) => isIPv4(ip) === (type === TYPE_A)).map((ip) => record(ip, type));
    const header = Buffer.alloc(HEADER_BYTES);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8580 | (answers ? 0 : REFUSES_NAME), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([header, message.subarray(HEADER_BYTES, end), ...records]), from.port, from.address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    asked,
    close: () => new Promise((resolve) => void socket.close(resolve)),
  };
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function record(ip: string, type: number): Buffer {
  const groups = parseAddress(ip) ?? [];
  const data = Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff])).subarray(type === TYPE_A ? 12 : 0);
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16BE(POINTER_TO_QUESTION, 0);
  head.writeUInt16BE(type === TYPE_A ? TYPE_A : TYPE_AAAA, 2);
  head.writeUInt16BE(CLASS_IN, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
