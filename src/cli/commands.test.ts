import { expect, test } from 'vitest';
import { runLine } from '../../test/run-line.ts';
import { topics } from './commands.ts';

/** They serve, or print what another program reads as it is. */
const WITHOUT_JSON = ['serve', 'tools', 'statusline', 'export'];

test('every command has the name in the help, and prints JSON if requested', async () => {
  for (const { name, commands } of topics)
    for (const command of Object.keys(commands)) {
      const words = name === null ? command : `${name} ${command}`;
      const { code, out } = await runLine(`${words} --help`, { env: {} });
      expect({ words, code, json: out.includes('--json'), first: out.slice(0, 16 + words.length + 1) }).toEqual({
        words,
        code: 0,
        json: !WITHOUT_JSON.includes(words),
        first: `Usage: tollbook ${words} `,
      });
    }
});

test('the help lists all commands, and a typo gets a suggestion', async () => {
  const whole = await runLine('--help', { env: {} });
  for (const { name, commands } of topics)
    for (const word of name === null ? Object.keys(commands) : [name]) expect(whole.out).toContain(`\n  ${word} `);
  const topic = await runLine('keys --help', { env: {} });
  for (const word of Object.keys(topics.find(({ name }) => name === 'keys')?.commands ?? {}))
    expect(topic.out).toContain(`\n  ${word} `);
  for (const line of ['kays list', 'keys lst', 'keys constructor', 'constructor']) {
    const { code, err } = await runLine(line, { env: {} });
    expect({ line, code, told: /unknown command/.test(err) }).toEqual({ line, code: 2, told: true });
  }
});
