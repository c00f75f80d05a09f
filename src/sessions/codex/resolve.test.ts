import { describe, expect, it } from 'vitest';
import { NO_USAGE, RolloutDraft, timedId, usageRow } from '../../../test/sessions/codex-rollout.ts';
import type { LocalCall } from '../../domain/sessions/local-call.ts';
import { ROLLOUTS } from './rollouts.ts';

const NOON = Date.UTC(2026, 8, 10, 12);
const MINUTE = 60_000;
const PARENT = 'thread-parent';
const CHILD = 'thread-child';

/** What the calls come to, in the order of time: input as logged and output. */
function sums(calls: readonly LocalCall[]): string[] {
  return calls.map(({ usage }) => {
    const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0 } = usage.inferences[0]?.tokens ?? {};
    return `${input + cacheRead + cacheWrite}+${output}`;
  });
}

function callsOf(...drafts: readonly (RolloutDraft | string)[]): LocalCall[] {
  const files = drafts.map((draft, index) => parsed(typeof draft === 'string' ? draft : draft.text, index, draft));
  const calls = ROLLOUTS.resolve(files);
  expect(ROLLOUTS.resolve(files.toReversed())).toStrictEqual(calls);
  return [...calls];
}

function parsed(text: string, index: number, draft: RolloutDraft | string) {
  const thread = typeof draft === 'string' ? `file-${index}` : draft.thread;
  const file = {
    path: `/s/${index}-${thread}`,
    sessionId: thread,
    size: text.length,
    modifiedAt: 0,
    inode: `${index}`,
  };
  const reader = ROLLOUTS.read(file, null);
  const bytes = Buffer.from(text);
  reader.block(bytes, 0, bytes.length);
  return { file, facts: reader.facts() };
}

function start(thread: string, meta = {}, at = NOON): RolloutDraft {
  return new RolloutDraft({ thread, at, meta });
}

/** Two turns of 100 and 200 tokens. */
function parent(): RolloutDraft {
  return start(PARENT)
    .turn('turn-1')
    .wait(MINUTE)
    .count({ input: 100, output: 10 })
    .tell()
    .wait(MINUTE)
    .turn('turn-2')
    .wait(MINUTE)
    .count({ input: 200, output: 20 });
}

describe('one rollout', () => {
  it('counts a request once, however often its total is repeated', () => {
    const draft = start(PARENT)
      .turn('t')
      .count({ input: 100, output: 10 })
      .tell()
      .tell()
      .count({ input: 50, output: 5 });
    expect(sums(callsOf(draft.tell()))).toEqual(['100+10', '50+5']);
  });

  it('has classes that do not overlap, and the length of the prompt', () => {
    const usage = { input: 100, cached: 60, written: 30, output: 20, thinking: 15 };
    expect(callsOf(start(PARENT).turn('t').count(usage))[0]?.usage).toEqual({
      inferences: [
        { model: null, tokens: { input: 10, cacheRead: 60, cacheWrite: 30, output: 20 }, promptTokens: 100 },
      ],
      uses: {},
      thinking: 15,
      terms: { tier: null, speed: null, geo: null },
    });
  });

  it('takes the growth of the total if the last request is missing, with unknown prompt length', () => {
    const draft = start(PARENT).turn('t').count({ input: 100, output: 10 });
    draft.total = { input: 250, output: 30 };
    const calls = callsOf(draft.tell(null));
    expect(sums(calls)).toEqual(['100+10', '150+20']);
    expect(calls[1]?.usage.inferences[0]?.promptTokens).toBeNull();
  });

  it('treats a smaller total as a restart', () => {
    const draft = start(PARENT).turn('t').count({ input: 900, output: 90 });
    draft.total = { input: 30, output: 3 };
    expect(sums(callsOf(draft.tell(null)))).toEqual(['900+90', '30+3']);
  });

  it('skips counters without usage', () => {
    const draft = start(PARENT).turn('t').event('token_count', { info: null, rate_limits: null }).tell(NO_USAGE);
    expect(callsOf(draft)).toEqual([]);
  });

  it('names the model of the turn, and assumes gpt-5 before the first one', () => {
    const draft = start(PARENT).count({ input: 1, output: 1 }).turn('a', 'gpt-5.5').count({ input: 2, output: 1 });
    const calls = callsOf(draft.turn('b', 'gpt-5.6-luna').count({ input: 3, output: 1 }));
    expect(calls.map(({ model }) => model)).toEqual(['gpt-5', 'gpt-5.5', 'gpt-5.6-luna']);
    expect(calls.map(({ modelAssumed }) => modelAssumed)).toEqual([true, undefined, undefined]);
  });

  it('does not assume OpenAI’s model for another provider', () => {
    const draft = start(PARENT, { model_provider: 'xai', originator: 'grok' }).count({ input: 1, output: 1 });
    expect(callsOf(draft)[0]).toMatchObject({ model: 'unknown', modelAssumed: true });
  });

  it('names the model behind a review by its day', () => {
    const before = new RolloutDraft({ thread: 'a', at: Date.UTC(2026, 6, 29, 23, 59) });
    const after = new RolloutDraft({ thread: 'b', at: Date.UTC(2026, 6, 30) });
    for (const draft of [before, after]) draft.turn('t', 'codex-auto-review').count({ input: 1, output: 1 });
    expect(callsOf(before, after).map(({ model }) => model)).toEqual(['gpt-5.4', 'gpt-5.6-luna']);
  });

  it('takes the service tier from the settings, until they name another', () => {
    const draft = start(PARENT).turn('t').count({ input: 1, output: 1 });
    for (const [index, tier] of ['fast', undefined, 'default', 'Priority', 'hyper'].entries())
      draft.settings({ model: 'gpt-5.5', ...(tier && { service_tier: tier }) }).count({ input: 2 + index, output: 1 });
    const tiers = callsOf(draft).map(({ usage }) => usage.terms.tier);
    expect(tiers).toEqual([null, 'priority', 'priority', 'default', 'priority', 'hyper']);
  });

  it('treats long prompts as answered at default speed', () => {
    const draft = start(PARENT).turn('t').settings({ service_tier: 'priority' });
    draft.count({ input: 272_000, output: 1 }).count({ input: 272_001, output: 1 });
    expect(callsOf(draft).map(({ usage }) => usage.terms.tier)).toEqual(['priority', null]);
  });

  it('lists calls of a sub-agent under the session that began it, with the folder it worked in', () => {
    const draft = start(CHILD, { session_id: 'root', cwd: '/w/größe' }).turn('t').count({ input: 1, output: 1 });
    expect(callsOf(draft)[0]).toMatchObject({ sessionId: 'root', project: '/w/größe', at: NOON });
  });

  it('reads rows in other formats: spaces, other order, CRLF, incomplete and foreign lines', () => {
    const rows = start(PARENT).turn('t').count({ input: 100, output: 10 }).count({ input: 5, output: 5 }).rows;
    const spaced = rows.map((row) => {
      const { timestamp, type, payload } = JSON.parse(row) as Record<string, object>;
      return JSON.stringify(
        { payload: Object.fromEntries(Object.entries(payload!).toReversed()), type, timestamp },
        null,
        1,
      ).replaceAll('\n', ' ');
    });
    const torn = rows.at(-1)!.slice(0, 200);
    const text = `${['', 'null', '[1]', '{"type":"event_msg","payload":null}', torn, ...spaced].join('\r\n')}\r\n`;
    expect(sums(callsOf(text))).toEqual(['100+10', '5+5']);
  });

  it('is not misled by contents that look like rows', () => {
    const fake = start(PARENT).count({ input: 7, output: 7 }).rows.at(-1);
    const draft = start(PARENT)
      .turn('t')
      .row('response_item', { type: 'message', content: [{ text: fake }] });
    expect(callsOf(draft.row('compacted', { message: '', latest_token_usage_record: fake }))).toEqual([]);
  });
});

describe('counters', () => {
  it('count a request once when an old total is repeated long after others followed', () => {
    const draft = start(PARENT).turn('a').count({ input: 400, output: 100 });
    const stale = { total: draft.total, last: { input: 400, output: 100 } };
    draft.count({ input: 1_200, output: 300 });
    const newest = draft.total;
    draft.turn('b').wait(MINUTE).tellLane('codex', stale.total, stale.last).tellLane('codex', newest, NO_USAGE);
    draft.tellLane('codex', newest, { input: 1_200, output: 300 }).tellLane('codex', stale.total, stale.last);
    expect(sums(callsOf(draft))).toEqual(['400+100', '1200+300']);
  });

  it('count a request once when two limits repeat it in turn, with a counter each or one for both', () => {
    const [one, other] = [
      { input: 1_000, output: 12 },
      { input: 2_000, output: 500 },
    ];
    const own = start(PARENT).turn('a');
    for (let round = 0; round < 3; round++) own.tellLane('codex', one, one).tellLane('codex_other', other, other);
    const next = { input: 2_900, output: 600 };
    own.tellLane('codex_other', next, { input: 900, output: 100 }).tellLane('codex', one, one);
    expect(sums(callsOf(own))).toEqual(['1000+12', '2000+500', '900+100']);
    const shared = start(PARENT).turn('a');
    for (const lane of ['codex', 'codex_other', 'codex']) shared.tellLane(lane, one, one);
    for (const lane of ['codex_other', 'codex'])
      shared.tellLane(lane, { input: 1_500, output: 20 }, { input: 500, output: 8 });
    expect(sums(callsOf(shared))).toEqual(['1000+12', '500+8']);
  });

  it('grow by limit if no last request is reported', () => {
    const draft = start(PARENT).turn('a');
    draft
      .tellLane('codex', { input: 100_000, output: 0 }, null)
      .tellLane('codex_other', { input: 1_000, output: 0 }, null);
    draft
      .tellLane('codex', { input: 101_000, output: 0 }, null)
      .tellLane('codex_other', { input: 6_000, output: 0 }, null);
    draft.tellLane('codex', { input: 100_000, output: 0 }, null).tellLane('codex', { input: 102_000, output: 0 }, null);
    expect(sums(callsOf(draft))).toEqual(['100000+0', '1000+0', '1000+0', '5000+0', '1000+0']);
  });

  it('that name no limit continue the one named before, and the first one named in those without', () => {
    const draft = start(PARENT).turn('a');
    draft.lane = null;
    draft.tell(null);
    for (const [lane, input] of [
      [null, 100],
      ['codex', 150],
      [null, 175],
      ['codex', 200],
    ] as const) {
      [draft.lane, draft.total] = [lane, { input, output: 1 }];
      draft.tell(null);
    }
    expect(sums(callsOf(draft))).toEqual(['100+1', '50+0', '25+0', '25+0']);
  });

  it('count an inherited total that is repeated later as nothing', () => {
    const total = { input: 300, output: 30 };
    const child = new RolloutDraft({ thread: CHILD, at: NOON, meta: { forked_from_id: PARENT }, total });
    child.turn('turn-9').tell(null).tellLane('codex', { input: 307, output: 37 }, null);
    expect(sums(callsOf(child.tellLane('codex', total, null)))).toEqual(['7+7']);
  });
});

describe('the model', () => {
  it.each([
    { info: { model: 'gpt-5.5' } },
    { info: { model_name: 'gpt-5.5' } },
    { info: { metadata: { model: 'gpt-5.5' } } },
    { payload: { model: 'gpt-5.5' } },
    { payload: { model_name: 'gpt-5.5' } },
    { payload: { metadata: { user: 'a', model: 'gpt-5.5' } } },
    { info: { model: '', model_name: null, metadata: { model: 'gpt-5.5' } }, payload: { model: 'gpt-4.1' } },
  ])('is taken from the row that reports the usage: %j', (fields) => {
    const draft = start(PARENT);
    draft.total = { input: 100, output: 10 };
    draft.tell({ input: 100, output: 10 }, fields);
    const spread = draft.rows.map((row) => JSON.stringify(JSON.parse(row), null, 1).replaceAll('\n', ' ')).join('\n');
    for (const one of [draft, spread]) {
      const [call] = callsOf(one);
      expect(call?.model).toBe('gpt-5.5');
      expect(call?.modelAssumed).toBeUndefined();
    }
  });

  it('of a row applies until a turn names one, even for a named answer', () => {
    const draft = start(PARENT).record('resp_1', { input: 1, output: 1 }, { model: 'gpt-5.5' });
    draft.record('resp_2', { input: 2, output: 2 }, { model: 'gpt-5.4' });
    draft.row('turn_context', { turn_id: 'b', metadata: { model: 'gpt-5.1' } });
    draft.record('resp_3', { input: 3, output: 3 }, { model: 'gpt-5.5' });
    expect(callsOf(draft).map(({ model }) => model)).toEqual(['gpt-5.5', 'gpt-5.4', 'gpt-5.1']);
  });
});

describe('a thread', () => {
  it('is named by its session if it has no id, and ignores the session rows of others', () => {
    const draft = start(PARENT, { id: undefined, session_id: 'only-session' }).turn('a').count({ input: 1, output: 1 });
    expect(callsOf(draft)[0]).toMatchObject({ sessionId: 'only-session', project: '/w/shop' });
    const fork = start(CHILD, { forked_from_id: 'only-session' }, NOON + MINUTE).replay(draft.rows, 5);
    fork.wait(MINUTE).turn('b').count({ input: 2, output: 2 });
    expect(sums(callsOf(draft, fork))).toEqual(['1+1', '2+2']);
  });
});

describe('named requests', () => {
  it.each(['record first', 'counter first'])('count once though the counter includes them too: %s', (order) => {
    const draft = start(PARENT).turn('t');
    for (const response of ['resp_1', 'resp_2', 'resp_3']) {
      const usage = { input: 100, output: 10 };
      if (order === 'record first') draft.record(response, usage).count(usage).tell();
      else draft.count(usage).record(response, usage).tell();
    }
    expect(sums(callsOf(draft))).toEqual(['100+10', '100+10', '100+10']);
  });

  it('count in addition to equal ones that an earlier version logged only as a counter', () => {
    const usage = { input: 100, output: 10 };
    const draft = start(PARENT).turn('t-1', 'gpt-5.5').count(usage).wait(MINUTE);
    const calls = callsOf(draft.turn('t-2').record('resp_1', usage).count(usage));
    expect(sums(calls)).toEqual(['100+10', '100+10']);
    expect(calls.map(({ model }) => model)).toEqual(['gpt-5.5', 'gpt-5.6-sol']);
  });

  it('include a compaction that the total leaves out', () => {
    const draft = start(PARENT)
      .turn('t')
      .record('resp_1', { input: 100, output: 10 })
      .count({ input: 100, output: 10 });
    draft.record('resp_2', { input: 80, output: 8 }).row('compacted', { compaction_response_id: 'resp_2' }).tell();
    draft.record('resp_3', { input: 30, output: 3 }).count({ input: 30, output: 3 });
    expect(sums(callsOf(draft))).toEqual(['100+10', '80+8', '30+3']);
  });

  it('include a compaction on this machine once, and not the estimate of what is left', () => {
    const draft = start(PARENT).turn('t').record('resp_1', { input: 80, output: 8 }).count({ input: 80, output: 8 });
    draft.row('compacted', { message: 'so far' }).tell({ input: 0, output: 0 });
    expect(sums(callsOf(draft))).toEqual(['80+8']);
  });

  it('count once over all files, under the session that made them', () => {
    const first = start(PARENT)
      .turn('t')
      .record('resp_1', { input: 100, output: 10 })
      .count({ input: 100, output: 10 });
    const fork = start(CHILD, { forked_from_id: PARENT }, NOON + MINUTE).replay(first.rows.slice(1));
    fork.turn('u').record('resp_2', { input: 7, output: 7 }).count({ input: 7, output: 7 });
    const calls = callsOf(first, fork);
    expect(sums(calls)).toEqual(['100+10', '7+7']);
    expect(calls.map(({ sessionId }) => sessionId)).toEqual([PARENT, CHILD]);
    expect(callsOf(fork).map(({ sessionId }) => sessionId)).toEqual([PARENT, CHILD]);
  });
});

describe('inherited history', () => {
  it('is not counted if a fork repeats its parent, in full or in part', () => {
    for (const kept of [-1, undefined] as const) {
      const child = start(CHILD, { forked_from_id: PARENT }, NOON + 9 * MINUTE).replay(parent().rows.slice(0, kept), 5);
      child.wait(MINUTE).turn('turn-3').count({ input: 7, output: 7 });
      expect(sums(callsOf(parent(), child))).toEqual(['100+10', '200+20', '7+7']);
    }
  });

  it('is not counted in forks of forks, after a slow copy, or in turns without IDs', () => {
    const first = start(PARENT).turn(null).wait(MINUTE).count({ input: 100, output: 10 }).wait(MINUTE);
    first.count({ input: 200, output: 20 });
    const child = start(CHILD, { forked_from_id: PARENT }, NOON + 9 * MINUTE).replay(first.rows, 3_000);
    child.wait(MINUTE).turn(null).count({ input: 7, output: 7 });
    const grandchild = start('grand', { forked_from_id: CHILD }, NOON + 20 * MINUTE).replay(child.rows, 10);
    grandchild.wait(MINUTE).turn(null).count({ input: 8, output: 8 });
    expect(sums(callsOf(first, child, grandchild))).toEqual(['100+10', '200+20', '7+7', '8+8']);
  });

  it('leaves a sub-agent unchanged whose own counter begins at zero', () => {
    const child = start(CHILD, { forked_from_id: PARENT, session_id: PARENT }, NOON + 5 * MINUTE).turn('turn-9');
    child.wait(200).count({ input: 100, output: 10 }).wait(200).count({ input: 60, output: 6 });
    expect(sums(callsOf(parent(), child))).toEqual(['100+10', '200+20', '100+10', '60+6']);
    expect(sums(callsOf(child))).toEqual(['100+10', '60+6']);
  });

  it('is not counted if only the total is inherited', () => {
    const child = new RolloutDraft({
      thread: CHILD,
      at: NOON + 5 * MINUTE,
      meta: { forked_from_id: PARENT },
      total: parent().total,
    });
    child.turn('turn-9').tell(NO_USAGE).wait(MINUTE).count({ input: 7, output: 7 });
    expect(sums(callsOf(parent(), child))).toEqual(['100+10', '200+20', '7+7']);
    expect(sums(callsOf(child))).toEqual(['7+7']);
  });

  it('is a baseline if the first counter has no last request', () => {
    const total = { input: 300, output: 30 };
    const child = new RolloutDraft({ thread: CHILD, at: NOON, meta: { forked_from_id: PARENT }, total });
    child.turn('turn-9').tell(null);
    child.total = { input: 307, output: 37 };
    expect(sums(callsOf(child.tell(null)))).toEqual(['7+7']);
  });

  it('is in the other pages of a thread, each of which has its own calls', () => {
    const page = new RolloutDraft({
      thread: PARENT,
      at: NOON + 10 * MINUTE,
      meta: { forked_from_id: 'ancestor', history_mode: 'paginated', history_base: { thread_id: PARENT } },
      total: parent().total,
    });
    page.wait(MINUTE).turn('turn-3').tell({ input: 200, output: 20 }).wait(MINUTE).count({ input: 7, output: 7 });
    const calls = callsOf(parent(), page);
    expect(sums(calls)).toEqual(['100+10', '200+20', '7+7']);
    expect(new Set(calls.map(({ sessionId }) => sessionId))).toEqual(new Set([PARENT]));
  });

  it('is in the parent if a fork says where its history ends', () => {
    const meta = { forked_from_id: PARENT, history_base: { thread_id: PARENT, end_ordinal_exclusive: 42 } };
    const child = new RolloutDraft({ thread: CHILD, at: NOON + 10 * MINUTE, meta, total: parent().total });
    child.turn('turn-3').count({ input: 200, output: 20 });
    expect(sums(callsOf(parent(), child))).toEqual(['100+10', '200+20', '200+20']);
  });

  it('is not counted if a fork leaves out the turns that it repeats', () => {
    const child = start(CHILD, { forked_from_id: PARENT }, NOON + 9 * MINUTE).describe(PARENT);
    child.replay(
      parent().rows.filter((row) => row.includes('token_count')),
      5,
    );
    child.wait(MINUTE).turn('turn-3').count({ input: 7, output: 7 });
    expect(sums(callsOf(parent(), child))).toEqual(['100+10', '200+20', '7+7']);
  });

  it('is not counted if the parent names its own history and a fork repeats all of it', () => {
    const meta = { forked_from_id: PARENT, history_base: { thread_id: PARENT } };
    const child = new RolloutDraft({ thread: CHILD, at: NOON + 9 * MINUTE, meta, total: parent().total });
    child.turn('turn-3').wait(MINUTE).count({ input: 7, output: 7 });
    const grandchild = start('grand', { forked_from_id: CHILD }, NOON + 20 * MINUTE);
    grandchild
      .replay([...parent().rows.slice(1), ...child.rows.slice(1)], 5)
      .wait(MINUTE)
      .turn('turn-4');
    const calls = callsOf(parent(), child, grandchild.count({ input: 8, output: 8 }));
    expect(sums(calls)).toEqual(['100+10', '200+20', '7+7', '8+8']);
  });

  it('needs more than one equal request without turns, times or session rows', () => {
    const first = start(PARENT).wait(MINUTE).count({ input: 100, output: 10 }).wait(MINUTE);
    first.count({ input: 200, output: 20 });
    const fork = start(CHILD, { forked_from_id: PARENT }, NOON + 9 * MINUTE).wait(5_000);
    fork.replay(first.rows.slice(1), 3_000).wait(MINUTE).count({ input: 7, output: 7 });
    expect(sums(callsOf(first, fork))).toEqual(['100+10', '200+20', '7+7']);
    const agent = start(CHILD, { forked_from_id: PARENT }, NOON + 9 * MINUTE).wait(5_000);
    agent.count({ input: 100, output: 10 }).wait(5_000).count({ input: 60, output: 6 });
    expect(callsOf(first, agent)).toHaveLength(4);
  });

  it('is not searched if there are no totals', () => {
    const withoutTotal = { info: { last_token_usage: usageRow({ input: 100, output: 10 }) } };
    const pages = [0, 1].map((page) =>
      start(PARENT, {}, NOON + page * MINUTE)
        .turn('t')
        .event('token_count', withoutTotal),
    );
    expect(sums(callsOf(...pages))).toEqual(['100+10', '100+10']);
  });

  it('never takes a turn that is younger than its thread', () => {
    const old = start(PARENT).count({ input: 100, output: 10 });
    const madeAt = NOON + MINUTE;
    const child = start(timedId(madeAt, 'c'), { forked_from_id: PARENT }, madeAt);
    child.turn(timedId(madeAt, 'd')).count({ input: 100, output: 10 });
    expect(callsOf(old, child)).toHaveLength(2);
  });

  it('leaves a sub-agent unchanged that begins as its parent did', () => {
    const child = start(CHILD, { forked_from_id: PARENT }, NOON + 5 * MINUTE).turn('turn-9');
    child.count({ input: 100, output: 10 }).count({ input: 200, output: 20 });
    expect(callsOf(parent(), child)).toHaveLength(4);
  });

  it('leaves equal requests of unrelated sessions alone', () => {
    const other = start('other').turn('turn-1').count({ input: 100, output: 10 }).count({ input: 200, output: 20 });
    expect(callsOf(parent(), other)).toHaveLength(4);
  });
});

/** As `sums`, with a star where a call is known only from copies; in the order of their text. */
function starred(calls: readonly LocalCall[]): string[] {
  return calls.map((call) => `${sums([call])[0]}${call.copied ? '*' : ''}`).toSorted();
}

describe('history of a deleted parent', () => {
  const madeAt = NOON + 30 * MINUTE;
  const thread = timedId(madeAt, 'c');
  const [one, two] = ['100+10*', '200+20*'];

  it('is recognized by the age of its turns, and has their time', () => {
    const old = start('gone').turn(timedId(NOON, '1')).count({ input: 100, output: 10 });
    old.turn(timedId(NOON + MINUTE, '2')).count({ input: 200, output: 20 });
    const child = start(thread, { forked_from_id: 'gone' }, madeAt).replay(old.rows, 2_000);
    child.turn(timedId(madeAt + MINUTE, '3')).count({ input: 7, output: 7 });
    const calls = callsOf(child);
    expect(starred(calls)).toEqual([one, two, '7+7']);
    expect(calls.slice(0, 2).map(({ at }) => at)).toEqual([NOON, NOON + MINUTE]);
  });

  it('is recognized by when its turns began', () => {
    const child = start(CHILD, { forked_from_id: 'gone' }, madeAt);
    child
      .event('task_started', { turn_id: 'a', started_at: NOON / 1_000 })
      .wait(5_000)
      .count({ input: 100, output: 10 });
    child.event('task_started', { turn_id: 'b', started_at: madeAt / 1_000 + 9 }).count({ input: 7, output: 7 });
    expect(starred(callsOf(child))).toEqual([one, '7+7']);
  });

  it('is recognized by rows that are older than the thread', () => {
    const child = start(CHILD, { parent_thread_id: 'gone' }, madeAt);
    child.at = NOON;
    child.count({ input: 100, output: 10 }).wait(MINUTE).count({ input: 200, output: 20 });
    child.at = madeAt + 5_000;
    const calls = callsOf(child.turn('t').count({ input: 7, output: 7 }));
    expect(starred(calls)).toEqual([one, two, '7+7']);
    expect(calls[0]?.at).toBe(NOON);
  });

  it('ends where the file says', () => {
    const child = start(CHILD, { parent_thread_id: 'gone', subagent_history_start_ordinal: 4 }, madeAt).turn('t');
    child.wait(5_000).count({ input: 100, output: 10 }).count({ input: 7, output: 7 });
    expect(starred(callsOf(child))).toEqual([one, '7+7']);
  });

  it('ends where an agent triggers the thread, also without a description of the ancestor', () => {
    const agents = ['agent-1', 'agent-2'].map((name, index) => {
      const draft = start(name, { parent_thread_id: 'gone' }, madeAt + index * MINUTE);
      draft.replay(parent().rows.slice(1), 4_000).turn(`turn-${name}`);
      draft.row('inter_agent_communication_metadata', { trigger_turn: true }).wait(MINUTE);
      draft.count({ input: 7 + index, output: 7 }).wait(MINUTE);
      // A later message is no beginning.
      draft.row('inter_agent_communication_metadata', { trigger_turn: true }).count({ input: 50 + index, output: 1 });
      return draft;
    });
    expect(starred(callsOf(agents[0]!))).toEqual([one, two, '50+1', '7+7']);
    expect(starred(callsOf(...agents))).toEqual([one, two, '50+1', '51+1', '7+7', '8+7']);
  });

  it('is nothing where an agent repeats descriptions and turns alone, as Codex 0.169 does', () => {
    const old = start('gone')
      .turn(timedId(NOON, '1'))
      .count({ input: 100, output: 10 })
      .turn(timedId(madeAt - 500, '2'));
    const agents = [1, 2].map((number) => {
      const at = madeAt + number;
      const meta = {
        forked_from_id: 'gone',
        parent_thread_id: 'gone',
        session_id: 'gone',
        subagent_history_start_ordinal: 6,
      };
      const draft = start(timedId(at, `a${number}`), meta, at).replay(old.rows.filter((row) => !row.includes('token')));
      draft
        .wait(20)
        .turn(timedId(at + 18, `b${number}`))
        .wait(10);
      draft.row('inter_agent_communication_metadata', { trigger_turn: true }).wait(60);
      return draft.record(`resp_${number}`, { input: 7, output: 7 }).count({ input: 7, output: 7 });
    });
    expect(starred(callsOf(...agents))).toEqual(['7+7', '7+7']);
    expect(starred(callsOf(old, ...agents))).toEqual(['100+10', '7+7', '7+7']);
  });

  it('is nothing where an agent triggers the thread before its first request', () => {
    const child = start(CHILD, { parent_thread_id: 'gone' }, madeAt).turn('turn-9');
    child.row('inter_agent_communication_metadata', { trigger_turn: true }).count({ input: 7, output: 7 });
    expect(starred(callsOf(child))).toEqual(['7+7']);
  });

  it('is counted once for all its heirs, under the first, however far each goes', () => {
    const heirs = ['heir-1', 'heir-2', 'heir-3'].map((name, index) => {
      const draft = start(name, { forked_from_id: 'gone' }, madeAt + index * MINUTE);
      draft.replay(parent().rows.slice(1, index === 0 ? 4 : undefined), 4_000).wait(MINUTE);
      return draft.turn(`turn-${name}`).count({ input: 7 + index, output: 7 });
    });
    const calls = callsOf(...heirs);
    expect(starred(calls)).toEqual([one, two, '7+7', '8+7', '9+7']);
    expect(calls.filter((call) => call.copied).map(({ sessionId }) => sessionId)).toEqual(['heir-1', 'heir-2']);
  });

  it('is counted once where forks and agents have it, one with the ids of its answers and one without', () => {
    const old = start('gone').turn(timedId(NOON, '1')).record('resp_1', { input: 100, output: 10 });
    old.count({ input: 100, output: 10 });
    const fork = start(timedId(madeAt, 'a'), { forked_from_id: 'gone' }, madeAt).replay(old.rows, 5);
    fork.turn(timedId(madeAt + MINUTE, '2')).count({ input: 7, output: 7 });
    const agent = start(timedId(madeAt + MINUTE, 'b'), { parent_thread_id: 'gone' }, madeAt + MINUTE);
    agent.replay(old.rows.filter((row) => !row.includes('token_usage_record')));
    agent.turn(timedId(madeAt + 2 * MINUTE, '3')).count({ input: 8, output: 8 });
    expect(starred(callsOf(fork, agent))).toEqual([one, '7+7', '8+8']);
    expect(starred(callsOf(old, fork, agent))).toEqual(['100+10', '7+7', '8+8']);
  });

  it('is found in a thread further back by the time in the ids of its turns', () => {
    const old = start('first').turn(timedId(NOON, '1')).count({ input: 100, output: 10 });
    const child = start(thread, { forked_from_id: 'gone' }, madeAt).replay(old.rows.slice(1), 5);
    child.turn(timedId(madeAt + MINUTE, '3')).count({ input: 7, output: 7 });
    expect(starred(callsOf(old, child))).toEqual(['100+10', '7+7']);
  });

  it('is counted once where only an earlier file of the parent is gone', () => {
    const page = new RolloutDraft({
      thread: 'half-gone',
      at: NOON + 10 * MINUTE,
      meta: { history_mode: 'paginated', history_base: { thread_id: 'half-gone' } },
      total: parent().total,
    });
    page.wait(MINUTE).turn('turn-3').count({ input: 5, output: 5 });
    const heirs = ['heir-1', 'heir-2'].map((name, index) => {
      const draft = start(name, { forked_from_id: 'half-gone' }, madeAt + index * MINUTE);
      draft.replay([...parent().rows.slice(1), ...page.rows.slice(1)], 10).wait(MINUTE);
      return draft.turn(`turn-${name}`).count({ input: 7 + index, output: 7 });
    });
    expect(starred(callsOf(page, ...heirs))).toEqual([one, two, '5+5', '7+7', '8+7']);
  });

  it('ends with the first turn after the ancestor’s description of itself', () => {
    const child = start(CHILD, { forked_from_id: 'gone' }, madeAt).replay(parent().rows, 4_000);
    child.describe('gone').turn('turn-9').wait(MINUTE).count({ input: 7, output: 7 });
    expect(starred(callsOf(child))).toEqual([one, two, '7+7']);
  });

  it('is everything written in one go, and counted only in turns, for any later turns', () => {
    const rows = parent().rows.slice(1);
    const bare = rows.filter((row) => row.includes('token_count'));
    for (const [kept, counted] of [
      [rows, [one, two]],
      [bare, []],
    ] as const)
      for (const [name, turn] of [
        [CHILD, 'turn-9'],
        [thread, timedId(madeAt + MINUTE, 'd')],
      ] as const) {
        const child = start(name, { forked_from_id: 'gone' }, madeAt).replay(kept, 10).wait(MINUTE);
        expect(starred(callsOf(child.turn(turn).count({ input: 7, output: 7 })))).toEqual([...counted, '7+7']);
      }
  });

  it('is not a quick answer in a turn that is younger than the thread', () => {
    const dated = start(thread, { forked_from_id: 'gone' }, madeAt).describe('gone').turn(timedId(madeAt, 'd'));
    expect(starred(callsOf(dated.count({ input: 7, output: 7 })))).toEqual(['7+7']);
    const fork = start(CHILD, { forked_from_id: 'gone' }, madeAt).replay(parent().rows, 10);
    expect(starred(callsOf(fork.turn('turn-9').wait(400).count({ input: 7, output: 7 })))).toEqual([one, two, '7+7']);
  });

  it('is a total that counters repeat within a second of the fork, and is not counted', () => {
    const child = start(CHILD, { forked_from_id: 'gone' }, madeAt);
    child.wait(3).count({ input: 1_000, output: 100 }).wait(2).count({ input: 1_000, output: 100 });
    const calls = callsOf(child.wait(MINUTE).turn('turn-9').count({ input: 700, output: 50 }));
    expect(starred(calls)).toEqual(['700+50']);
  });

  it('is reported in a note, with how much of it there is', () => {
    const note = (draft: RolloutDraft): readonly string[] | undefined => {
      const file = parsed(draft.turn('turn-9').count({ input: 7, output: 7 }).text, 0, draft);
      return ROLLOUTS.warnings?.([file], ROLLOUTS.resolve([file]));
    };
    const fork = (gap: number, rows: readonly string[]): RolloutDraft =>
      start(CHILD, { forked_from_id: 'gone' }, madeAt).replay(rows, gap).wait(MINUTE);
    const { rows } = parent();
    expect(
      note(
        fork(
          10,
          rows.filter((row) => row.includes('token_count')),
        ),
      ),
    ).toContain(
      'Codex: 2 calls (330 tokens) at the start of forks have the time of the fork, because deleted sessions made them. They are not counted.',
    );
    expect(note(fork(4_000, rows).describe('gone'))).toEqual([
      'Codex: 2 calls (330 tokens) are known only from copies in other sessions, because their original session files were deleted. Each is counted once, under the first session that has it.',
    ]);
  });
});

it('output of codex exec --json is not counted, and a note says so', () => {
  const rows = [
    { type: 'thread.started', thread_id: 't' },
    { type: 'turn.completed', usage: { input_tokens: 100, output_tokens: 10 } },
  ];
  const file = parsed(rows.map((row) => `${JSON.stringify(row)}\n`).join(''), 0, 'output');
  expect(ROLLOUTS.resolve([file])).toEqual([]);
  expect(ROLLOUTS.warnings?.([file], [])).toEqual([
    expect.stringContaining('1 file holds output of "codex exec --json"'),
  ]);
});
