import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Answers each command as a mail server does (RFC 5321), where `says` has nothing else to say. */
export async function startMailServer(says: (command: string, socket: Socket) => string | null = () => null) {
  const commands: string[] = [];
  const mails: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let isData = false;
    socket.on('error', () => {});
    socket.write('220 ready\r\n');
    socket.on('data', (piece) => {
      for (const line of String(piece).split('\r\n').filter(Boolean)) {
        if (isData && line !== '.') {
          mails.push(line);
          continue;
        }
        isData = line === 'DATA';
        commands.push(line);
        const answer = says(line, socket) ?? (isData ? '354 go on' : line === 'QUIT' ? '221 bye' : '250 fine');
        if (answer !== '') socket.write(`${answer}\r\n`);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { commands, mails, url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
