import { expect, test } from 'vitest';
import { AGENTS_ABOVE_MAX, type AgentQuestion, AgentTree } from './agent-tree.ts';

class SampleTree {
  readonly questions: AgentQuestion[] = [];
  readonly tree = new AgentTree((question) => this.questions.push(question));
  readonly steps: string[] = [];

  find(agent: string, parentAgent: string | null, session: string | null = 's') {
    return this.tree.findOlder('ws_a', { session, agent, parentAgent }, true);
  }

  wait(agent: string, parentAgent: string, until = 2_000) {
    const waiter = {
      until,
      loaded: () => void this.steps.push(`${agent} goes on`),
      gaveUp: () => void this.steps.push(`${agent} gives up`),
    };
    this.tree.wait(waiter, 'ws_a', { session: 's', agent, parentAgent });
    return waiter;
  }
}

test('an agent that was started by the main agent has none above it', () => {
  const { tree } = new SampleTree();
  expect(tree.findOlder('ws_a', { session: 's', agent: null, parentAgent: null }, true)).toEqual([]);
  expect(tree.findOlder('ws_a', { session: 's', agent: 'a', parentAgent: null }, true)).toEqual([]);
});

test('calls that wait for the same agent ask once, and its line is remembered', () => {
  const sample = new SampleTree();
  expect(sample.find('d', 'c')).toBeNull();
  sample.wait('d', 'c');
  sample.wait('e', 'c');
  expect(sample.questions).toEqual([{ question: 1, workspaceId: 'ws_a', session: 's', agent: 'c' }]);
  sample.tree.answer(1, ['b', 'a']);
  expect(sample.steps).toEqual(['d goes on', 'e goes on']);
  expect(sample.find('d', 'c')).toEqual(['b', 'a']);
  expect(sample.find('c', 'b')).toEqual(['a']);
  expect(sample.find('c', 'b', 'other session')).toBeNull();
});

test('a parent that was named by a call in this process is known without the ledger', () => {
  const sample = new SampleTree();
  sample.find('b', 'a');
  sample.wait('c', 'b');
  expect(sample.questions).toMatchObject([{ agent: 'a' }]);
  sample.tree.answer(1, []);
  expect(sample.find('c', 'b')).toEqual(['a']);
  expect(sample.questions).toHaveLength(1);
});

test('agents that name each other as parents end the line where it began', () => {
  const sample = new SampleTree();
  sample.find('a', 'b');
  expect(sample.find('b', 'a')).toEqual([]);
  sample.find('x', 'y');
  sample.find('y', 'z');
  expect(sample.find('z', 'x')).toEqual(['y']);
});

test('an agent below too many others is refused with the header that says so', () => {
  const sample = new SampleTree();
  for (let depth = AGENTS_ABOVE_MAX + 3; depth > 0; depth -= 1) sample.find(`a${depth}`, `a${depth - 1}`);
  const leaf = { session: 's', agent: 'leaf', parentAgent: `a${AGENTS_ABOVE_MAX + 3}` };
  expect(() => sample.find('leaf', leaf.parentAgent)).toThrow(/x-svc-parent-agent/);
  expect(sample.tree.findOlder('ws_a', leaf, false)).toHaveLength(AGENTS_ABOVE_MAX);
});

test('a call gives up when the ledger says nothing, and one that left is not resumed', () => {
  const sample = new SampleTree();
  sample.wait('b', 'a');
  sample.tree.cancel(sample.wait('c', 'a'));
  expect(sample.tree.waiting).toBe(1);
  sample.tree.sweep(1_999);
  sample.tree.sweep(2_000);
  expect(sample.steps).toEqual(['b gives up']);
});
