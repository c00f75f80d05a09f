import { expect, test } from 'vitest';
import type { AgentParents } from '../domain/usage/call-context.ts';
import { sampleSubject } from './contract/sample-limits.ts';
import { AGENTS_ABOVE_MAX, type AgentQuestion, AgentTree } from './agent-tree.ts';

const SCOPE = { workspaceId: 'ws_a', keyId: 'key_a', session: 's' };

/** A tree with its ledger, which knows these parents. */
class SampleTree {
  readonly questions: AgentQuestion[] = [];
  readonly tree = new AgentTree((question) => this.questions.push(question));
  readonly steps: string[] = [];
  readonly stored: Record<string, string[]>;
  now = 0;

  constructor(stored: Record<string, string[]> = {}) {
    this.stored = stored;
  }

  /** Finds the agents above, after the ledger was asked; null = it must be asked again. */
  find(agent: string, parentAgent: string | null, scope = SCOPE) {
    if (this.#try(agent, parentAgent, scope) === null) {
      this.wait(agent, parentAgent, 2_000, scope);
      this.answer();
    }
    return this.#try(agent, parentAgent, scope);
  }

  #try(agent: string, parentAgent: string | null, scope: typeof SCOPE) {
    return this.tree.findAbove(scope, { session: scope.session, agent, parentAgent }, this.now);
  }

  wait(agent: string, parentAgent: string | null, until = 2_000, scope = SCOPE) {
    const waiter = {
      until,
      loaded: () => void this.steps.push(`${agent} goes on`),
      gaveUp: () => void this.steps.push(`${agent} gives up`),
    };
    const named = { session: scope.session, agent, parentAgent };
    if (!this.tree.wait(waiter, scope, named, this.now)) this.steps.push(`${agent} has no place`);
    return waiter;
  }

  /** Answers the oldest question. */
  answer(): void {
    const asked = this.questions.shift();
    if (!asked) return;
    const line = [...asked.agents];
    const found: AgentParents[] = [];
    for (const agent of line) {
      const parents = this.stored[agent] ?? [];
      found.push({ agent, parents });
      for (const parent of parents) if (!line.includes(parent)) line.push(parent);
    }
    this.tree.answer(asked.question, found);
  }
}

test('the main agent has no parent, and the ledger is asked once for an agent that it started', () => {
  const sample = new SampleTree();
  expect(sample.tree.findAbove(SCOPE, { session: 's', agent: null, parentAgent: null }, 0)).toEqual([]);
  expect(sample.find('a', null)).toEqual([]);
  expect(sample.find('a', null)).toEqual([]);
  expect(sample.questions).toEqual([]);
});

test('calls that wait for the same agents ask once, and the line is remembered', () => {
  const sample = new SampleTree({ c: ['b'], b: ['a'] });
  sample.wait('d', 'c');
  sample.wait('d', 'c');
  expect(sample.questions).toEqual([{ question: 1, ...SCOPE, agents: ['d', 'c'] }]);
  sample.answer();
  expect(sample.steps).toEqual(['d goes on', 'd goes on']);
  expect(sample.find('d', 'c')).toEqual(['b', 'a']);
  expect(sample.find('c', 'b')).toEqual(['a']);
  expect(sample.find('c', null, { ...SCOPE, session: 'other session' })).toEqual(['b', 'a']);
});

test('an agent stays under each parent that it named, even if it names another one or none', () => {
  const sample = new SampleTree();
  sample.find('b', 'a');
  sample.find('a', 'above');
  expect(sample.find('b', null)).toEqual(['a', 'above']);
  expect(sample.find('b', 'x')).toEqual(['a', 'above']);
  expect(sample.find('b', 'a')).toEqual(['x', 'above']);
  expect(sample.find('c', 'b')).toEqual(['a', 'x', 'above']);
});

test('an agent that is new in memory has the parents that the ledger knows', () => {
  const sample = new SampleTree({ b: ['a', 'x'], a: ['above'] });
  expect(sample.find('b', null)).toEqual(['a', 'x', 'above']);
  expect(sample.find('b', 'y')).toEqual(['a', 'x', 'above']);
});

test('another key changes nothing, even if it names the same session and agents', () => {
  const sample = new SampleTree();
  const other = { ...SCOPE, keyId: 'key_b' };
  sample.find('b', 'a', other);
  expect(sample.find('b', null)).toEqual([]);
  expect(sample.find('b', null, other)).toEqual(['a']);
});

test('agents that name each other as parents end the line at its start', () => {
  const sample = new SampleTree();
  sample.find('a', 'b');
  expect(sample.find('b', 'a')).toEqual([]);
  sample.find('x', 'y');
  sample.find('y', 'z');
  expect(sample.find('z', 'x')).toEqual(['y']);
});

test('an agent below too many others is refused, and the parent that caused it is not remembered', () => {
  const sample = new SampleTree();
  for (let depth = AGENTS_ABOVE_MAX; depth > 0; depth -= 1) sample.find(`a${depth}`, `a${depth - 1}`);
  expect(sample.find(`a${AGENTS_ABOVE_MAX}`, null)).toHaveLength(AGENTS_ABOVE_MAX);
  expect(() => sample.find('leaf', `a${AGENTS_ABOVE_MAX}`)).toThrow(/x-svc-parent-agent/);
  expect(sample.find('leaf', null)).toEqual([]);
});

test('a call is refused if the ledger does not answer, and a cancelled call is not resumed', () => {
  const sample = new SampleTree();
  sample.wait('b', 'a');
  sample.tree.cancel(sample.wait('c', 'a'));
  expect(sample.tree.waiting).toBe(1);
  sample.tree.sweep(1_999);
  sample.tree.sweep(2_000);
  expect(sample.steps).toEqual(['b gives up']);
});

test('no key takes all questions to the ledger', () => {
  const sample = new SampleTree();
  for (let agent = 0; agent <= 500; agent += 1) sample.wait(`a${agent}`, null);
  expect(sample.steps).toEqual(['a500 has no place']);
  sample.wait('other', null, 2_000, { ...SCOPE, keyId: 'key_b' });
  expect(sample.questions).toHaveLength(501);
});

test('an agent leaves memory when it is idle, but not while a call of it is open, nor before the ledger has its end', () => {
  const sample = new SampleTree();
  sample.find('b', 'a');
  const context = { session: 's', agent: 'b', parentAgent: 'a', run: null, requestClass: null };
  const node = sample.tree.hold(sampleSubject({ context }), 10);
  sample.tree.dropIdle(99, 99);
  expect(sample.tree.size).toBe(1);
  if (node) sample.tree.release(node, 99);
  sample.tree.dropIdle(99, 99);
  sample.tree.dropIdle(99, 99);
  expect(sample.find('b', null)).toEqual(['a']);
  sample.tree.dropIdle(100, 100);
  sample.tree.dropIdle(100, 100);
  expect(sample.tree.size).toBe(0);
  expect(sample.find('b', null)).toEqual([]);
});

test('after a limit on agents was created the ledger is asked again, and an answer to an earlier question is ignored', () => {
  const sample = new SampleTree();
  sample.find('b', 'a');
  sample.stored['b'] = ['before'];
  sample.wait('c', 'b');
  sample.tree.reread('ws_b');
  expect(sample.find('b', null)).toEqual(['a']);
  sample.tree.reread('ws_a');
  expect(sample.steps).toEqual(['b goes on', 'c goes on']);
  sample.answer();
  expect(sample.find('b', null)).toEqual(['a', 'before']);
});

test('an answer older than an agent in memory does not hide its parents', () => {
  const sample = new SampleTree();
  sample.find('b', 'a');
  sample.find('idle', null);
  sample.tree.reread('ws_a');
  sample.wait('c', 'b');
  const [asked] = sample.questions;
  sample.now = 100;
  sample.tree.dropIdle(100, 100);
  sample.tree.dropIdle(100, 100);
  const none = ['c', 'b', 'a', 'above'].map((agent) => ({ agent, parents: [] }));
  sample.tree.answer(asked?.question ?? 0, none);
  sample.questions.length = 0;
  expect(sample.find('c', 'b')).toEqual(['a']);
  // Nobody asked for this one, and it may have been in memory meanwhile.
  sample.stored['above'] = ['top'];
  expect(sample.find('above', null)).toEqual(['top']);
});

test('agents with long names take more places', () => {
  const sample = new SampleTree();
  let agents = 0;
  for (; sample.steps.length === 0 || !sample.steps.at(-1)?.endsWith('has no place'); agents += 1) {
    sample.steps.length = 0;
    sample.find(`${agents} `.padEnd(256, '-'), null, { ...SCOPE, session: '/'.repeat(256) });
  }
  // Each takes nine places of the 100,000 that one key may have.
  expect(sample.tree.size).toBe(11_112);
});

test('an agent without an admitted call leaves memory also while the ledger lags behind', () => {
  const sample = new SampleTree();
  sample.find('refused', 'a');
  sample.find('admitted', 'a');
  const context = { session: 's', agent: 'admitted', parentAgent: 'a', run: null, requestClass: null };
  const node = sample.tree.hold(sampleSubject({ context }), 10);
  if (node) sample.tree.release(node, 20);
  sample.tree.dropIdle(100, 20);
  expect(sample.find('admitted', null)).toEqual(['a']);
  expect(sample.find('refused', null)).toEqual([]);
});
