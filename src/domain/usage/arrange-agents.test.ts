import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AgentLink, arrangeAgents } from './arrange-agents.ts';

function link(agent: string | null, parentAgent: string | null = null, firstAt = 0): AgentLink {
  return { agent, parentAgent, firstAt };
}

function shape(links: readonly AgentLink[]): string[] {
  return arrangeAgents(links).map(({ agent, depth }) => `${'-'.repeat(depth)}${agent ?? 'main'}`);
}

test('agents follow their parents, below the main agent', () => {
  expect(shape([link(null), link('a'), link('b'), link('c', 'a'), link('d', 'c')])).toEqual([
    'main',
    '-a',
    '--c',
    '---d',
    '-b',
  ]);
});

test('the main agent and a parent have places even without calls', () => {
  expect(shape([link('c', 'a')])).toEqual(['main', '-a', '--c']);
});

test('an agent with several parents stays with the first', () => {
  expect(shape([link('a'), link('b'), link('c', 'b', 5), link('c', 'a', 2)])).toEqual(['main', '-a', '--c', '-b']);
});

test('agents in a cycle are cut off there', () => {
  expect(shape([link('a', 'b'), link('b', 'a'), link('c', 'c')])).toEqual(['main', '-b', '--a', '-c']);
});

test('every agent has exactly one place, after its parent', () => {
  const name = fc.constantFrom(null, 'a', 'b', 'c', 'd', 'e', '__proto__', 'constructor');
  const links = fc.array(fc.record({ agent: name, parentAgent: name, firstAt: fc.nat(9) }), { maxLength: 12 });
  fc.assert(
    fc.property(links, (given) => {
      const places = arrangeAgents(given);
      const agents = places.map(({ agent }) => agent);
      expect(new Set(agents).size).toBe(agents.length);
      for (const { agent } of given) expect(agents).toContain(agent);
      for (const [index, { agent, parentAgent, depth }] of places.entries()) {
        if (agent === null) continue;
        const parent = agents.indexOf(parentAgent);
        expect(parent).toBeLessThan(index);
        expect(places[parent]?.depth).toBe(depth - 1);
      }
    }),
  );
});
