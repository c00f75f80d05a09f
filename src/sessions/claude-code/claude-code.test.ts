import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LocalCall } from '../../domain/sessions/local-call.ts';
import { loadSessions } from '../reading/load-sessions.ts';

type Fields = Record<string, unknown>;

const AT = '2026-09-10T10:00:00.000Z';
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'claude-code-'));
});
afterEach(() => rmSync(home, { recursive: true }));

/** A row of Claude Code, but for what is said. */
function row({ usage, message, ...rest }: { usage?: Fields; message?: Fields } & Fields = {}): Fields {
  return {
    parentUuid: null,
    isSidechain: false,
    cwd: '/w/p',
    sessionId: 's1',
    message: {
      model: 'claude-opus-5',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'text', text: 'hello' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 310, ...usage },
      ...message,
    },
    requestId: 'req_1',
    type: 'assistant',
    uuid: 'u1',
    timestamp: AT,
    ...rest,
  };
}

function write(path: string, ...rows: readonly (Fields | string)[]): void {
  const file = join(home, '.claude', 'projects', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, rows.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join(''));
}

async function load(env: Record<string, string> = {}, platform: NodeJS.Platform = 'linux') {
  return loadSessions({ sources: ['claude_code'], host: { home, platform, env }, cacheFolder: null });
}

/** What every call used, one text each: `session model input/output/read/5m/1h`. */
async function used(env: Record<string, string> = {}, platform: NodeJS.Platform = 'linux'): Promise<string[]> {
  const { calls } = await load(env, platform);
  return calls.map(textOf).toSorted();
}

function textOf({ sessionId, model, usage: { inferences } }: LocalCall): string {
  const passes = inferences.map(({ model: own, tokens }) => {
    const { input = 0, output = 0, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0 } = tokens;
    return `${own ? `${own} ` : ''}${input}/${output}/${cacheRead}/${cacheWrite5m}/${cacheWrite1h}`;
  });
  return `${sessionId} ${model} ${passes.join(' + ')}`;
}

const ONE = 's1 claude-opus-5 3/310/0/0/0';

describe('rows of one answer', () => {
  it('are one call, with the output of the last', async () => {
    write('-w-p/s1.jsonl', row({ usage: { output_tokens: 1 } }), row({ usage: { output_tokens: 1 } }), row());
    expect(await used()).toEqual([ONE]);
  });

  it('are one call even if the complete row comes first', async () => {
    write('-w-p/s1.jsonl', row(), row({ usage: { output_tokens: 1 } }));
    expect(await used()).toEqual([ONE]);
  });

  it('are dated by the first, even if a later one is on the next day', async () => {
    const first = row({ usage: { output_tokens: 1 }, timestamp: '2026-09-10T23:59:59.000Z' });
    write('-w-p/s1.jsonl', row({ timestamp: '2026-09-11T00:00:03.000Z' }), first);
    const { calls } = await load();
    expect(calls.map(({ at }) => new Date(at).toISOString())).toEqual(['2026-09-10T23:59:59.000Z']);
  });

  it('are found with members in any order and with spaces', async () => {
    const { message, ...rest } = row() as { message: Fields };
    const { usage, ...others } = message;
    write('-w-p/s1.jsonl', JSON.stringify({ message: { usage, ...others }, ...rest }, null, 1).replaceAll('\n', ' '));
    expect(await used()).toEqual([ONE]);
  });

  it('are found with Windows line ends and a byte order mark', async () => {
    write('-w-p/s1.jsonl', `\ufeff${JSON.stringify(row())}\r`, `${JSON.stringify(row({ requestId: 'req_2' }))}\r`);
    expect(await used()).toEqual([ONE, ONE]);
  });

  it('are not found in content that looks like them', async () => {
    const said = [
      { type: 'text', text: '],"stop_reason":"x","usage":{"input_tokens":9}' },
      {
        type: 'tool_use',
        input: { content: [{ stop_reason: 1 }], list: [1], stop_reason: 2, usage: { output_tokens: 7 } },
      },
    ];
    const { message, ...rest } = row({ message: { content: said } }) as { message: Fields };
    const { stop_reason: stop, usage, content, ...others } = message;
    write('-w-p/s1.jsonl', JSON.stringify({ message: { stop_reason: stop, content, usage, ...others }, ...rest }));
    write('-w-p/s2.jsonl', row({ message: { content: said }, sessionId: 's2', requestId: 'req_2' }));
    expect(await used()).toEqual([ONE, ONE.replace('s1', 's2')]);
  });

  it('keep models and folders beyond ASCII unchanged', async () => {
    write('-w-p/s1.jsonl', row({ cwd: '/w/prøject', message: { model: 'modèle' } }));
    const { calls } = await load();
    expect(calls).toMatchObject([{ project: '/w/prøject', model: 'modèle' }]);
  });
});

describe('usage', () => {
  it('splits cache writes by how long they live', async () => {
    const split = { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 90 };
    write('-w-p/s1.jsonl', row({ usage: { cache_creation_input_tokens: 100, cache_creation: split } }));
    expect(await used()).toEqual(['s1 claude-opus-5 3/310/0/10/90']);
  });

  it('treats writes without a split as five-minute writes', async () => {
    write('-w-p/s1.jsonl', row({ usage: { cache_creation_input_tokens: 100, cache_creation: null } }));
    expect(await used()).toEqual(['s1 claude-opus-5 3/310/0/100/0']);
  });

  it('treats null as 0', async () => {
    const usage = { cache_read_input_tokens: null, server_tool_use: null, iterations: null, service_tier: null };
    write('-w-p/s1.jsonl', row({ usage, requestId: 'req_1' }));
    expect(await used()).toEqual([ONE]);
  });

  it('counts an advisor under its own model, a compaction under the call’s, and no other pass again', async () => {
    const pass = { input_tokens: 3, output_tokens: 310 };
    const iterations = [
      { type: 'message', model: null, ...pass },
      { type: 'advisor_message', model: 'claude-fable-5', input_tokens: 7, output_tokens: 8 },
      { type: 'compaction', input_tokens: 1, output_tokens: 2 },
    ];
    write('-w-p/s1.jsonl', row({ usage: { iterations } }));
    expect(await used()).toEqual([`${ONE} + claude-fable-5 7/8/0/0/0 + 1/2/0/0/0`]);
  });

  it('has the prompt of each pass if they add up, and none if only their sum is known', async () => {
    const half = { type: 'message', input_tokens: 150_000, output_tokens: 5 };
    const usage = { input_tokens: 300_000, output_tokens: 10, iterations: [half, half] };
    const searched = { input_tokens: 300_000, output_tokens: 10, server_tool_use: { web_search_requests: 2 } };
    write('-w-p/s1.jsonl', row({ usage }), row({ usage: searched, message: { id: 'msg_2' } }));
    const { calls } = await load();
    expect(calls.map(({ usage: { inferences } }) => inferences.map(({ promptTokens }) => promptTokens))).toEqual([
      [150_000, 150_000],
      [null],
    ]);
    expect(calls[1]?.usage.uses).toEqual({ webSearch: 2 });
  });

  it('has speed, tier, geography and thinking', async () => {
    const details = { output_tokens_details: { thinking_tokens: 90 } };
    write(
      '-w-p/s1.jsonl',
      row({ usage: { speed: 'fast', service_tier: 'standard', inference_geo: 'us', ...details } }),
    );
    const { calls } = await load();
    expect(calls[0]?.usage).toMatchObject({ thinking: 90, terms: { speed: 'fast', tier: 'standard', geo: 'us' } });
  });

  it('that is not plausible is not counted, with a warning', async () => {
    write('-w-p/s1.jsonl', row({ usage: { input_tokens: -5 } }), '{"usage":{"input_tokens":', row({ requestId: 'r2' }));
    const { calls, warnings } = await load();
    expect(calls).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining('2 lines')]);
  });

  it('of messages that Claude Code writes itself is not counted', async () => {
    const zero = { input_tokens: 0, output_tokens: 0 };
    write(
      '-w-p/s1.jsonl',
      row({ usage: zero, message: { model: '<synthetic>' } }),
      row({ isApiErrorMessage: true, requestId: 'req_2' }),
      row({ usage: zero, requestId: 'req_3' }),
      { type: 'user', toolUseResult: { usage: { input_tokens: 5 } }, message: { role: 'user' } },
      { type: 'summary', message: { usage: { input_tokens: 5 } } },
    );
    expect(await used()).toEqual([]);
  });

  it('logged only at the start of an answer is counted as logged, with a warning', async () => {
    write('-w-p/s1.jsonl', row({ usage: { output_tokens: 1 }, message: { stop_reason: null } }));
    const { calls, warnings } = await load();
    expect(calls).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining('only the start of 1 answer was logged')]);
    write(
      '-w-p/s2.jsonl',
      row({ requestId: 'req_2', usage: { output_tokens: 1 }, message: { id: 'msg_2', stop_reason: null } }),
    );
    expect((await load()).warnings).toEqual([expect.stringContaining('only the start of 2 answers was logged')]);
  });

  it('is sorted by time, whichever files have it', async () => {
    const at = (timestamp: string) => row({ timestamp, message: { id: `msg_${timestamp}` }, requestId: timestamp });
    write('-w-p/s1.jsonl', at('2026-09-12T10:00:00.000Z'), at('2026-09-13T10:00:00.000Z'));
    write('-w-p/s2.jsonl', at('2026-09-10T10:00:00.000Z'), at('2026-09-14T10:00:00.000Z'));
    write('-w-p/s3.jsonl', at('2026-09-11T10:00:00.000Z'));
    const { calls } = await load();
    expect(calls.map((call) => new Date(call.at).getUTCDate())).toEqual([10, 11, 12, 13, 14]);
  });
});

describe('the same answer in several files', () => {
  it('is one call of the session whose rows it has, whichever file is first', async () => {
    write('-w-p/s0.jsonl', row());
    write('-w-p/s1.jsonl', row());
    expect(await used()).toEqual([ONE]);
  });

  it('belongs to the session from which another was forked', async () => {
    write('-w-p/s0.jsonl', row({ sessionId: 's0', forkedFrom: { sessionId: 's1', messageUuid: 'u' } }));
    write('-w-p/s1.jsonl', row());
    expect(await used()).toEqual([ONE]);
  });

  it('belongs to the older session if both claim it', async () => {
    const later = row({
      requestId: 'req_2',
      sessionId: 's0',
      timestamp: '2026-09-12T10:00:00.000Z',
      message: { id: 'msg_2' },
    });
    write('-w-p/s0.jsonl', row({ sessionId: 's0' }), later);
    write('-w-p/s1.jsonl', row());
    expect(await used()).toEqual(['s0 claude-opus-5 3/310/0/0/0', ONE]);
  });

  it('stays with the older session if that continues after the fork', async () => {
    const own = (sessionId: string, time: string) =>
      row({ requestId: `req_${time}`, sessionId, timestamp: `2026-09-10T${time}Z`, message: { id: `msg_${time}` } });
    const begin = (time: string) => ({ type: 'queue-operation', timestamp: `2026-09-10T${time}Z` });
    write('-w-p/s0.jsonl', begin('10:30:00.000'), row({ sessionId: 's0' }), own('s0', '10:31:00.000'));
    write('-w-p/s1.jsonl', begin('09:59:00.000'), row());
    expect(await used()).toEqual(['s0 claude-opus-5 3/310/0/0/0', ONE]);
    write('-w-p/s1.jsonl', begin('09:59:00.000'), row(), own('s1', '11:00:00.000'));
    expect(await used()).toEqual(['s0 claude-opus-5 3/310/0/0/0', ONE, ONE]);
  });

  it('belongs to the session that requested it, if the fork names it, even if its file was deleted', async () => {
    const copy = row({ sessionId: 's0', requestSessionId: 's1' });
    const own = row({ requestId: 'req_2', sessionId: 's0', message: { id: 'msg_2' } });
    write('-w-p/s0.jsonl', copy, own);
    expect(await used()).toEqual(['s0 claude-opus-5 3/310/0/0/0', ONE]);
    write('-w-p/s1.jsonl', row(), row({ requestId: 'req_3', timestamp: '2026-09-13T10:00:00.000Z' }));
    expect(await used()).toEqual(['s0 claude-opus-5 3/310/0/0/0', ONE, ONE]);
    expect((await load()).calls.map(({ project }) => project)).toEqual(['/w/p', '/w/p', '/w/p']);
  });

  it('has the output of the most complete copy', async () => {
    write('-w-p/s0.jsonl', row({ usage: { output_tokens: 400 } }));
    write('-w-p/s1.jsonl', row());
    expect(await used()).toEqual(['s1 claude-opus-5 3/400/0/0/0']);
  });

  it('is one session per file, for any sessions named in its rows', async () => {
    write('-w-p/s1.jsonl', row(), row({ sessionId: 'other', requestId: 'req_2', message: { id: 'msg_2' } }));
    expect(await used()).toEqual([ONE, ONE]);
  });

  it('replayed by a side question counts once, and the side question’s own answer counts', async () => {
    const replay = row({ requestId: 'req_9', isSidechain: true, usage: { output_tokens: 999 } });
    write('-w-p/s1.jsonl', row());
    write(
      '-w-p/s1/subagents/agent-aside_question-a.jsonl',
      replay,
      row({ isSidechain: true, message: { id: 'msg_2' } }),
    );
    expect(await used()).toEqual([ONE, ONE]);
  });

  it('counts a repetition of a subagent’s row only if nothing else has the call', async () => {
    const progress = (id: string) => {
      const { isSidechain: _, ...inner } = row({ message: { id }, usage: { output_tokens: 2 } });
      return {
        type: 'progress',
        sessionId: 's1',
        cwd: '/w/p',
        timestamp: AT,
        data: { type: 'agent_progress', message: inner },
      };
    };
    write('-w-p/s1.jsonl', progress('msg_1'), progress('msg_7'));
    write('-w-p/s1/subagents/agent-a.jsonl', row({ isSidechain: true }));
    expect(await used()).toEqual(['s1 claude-opus-5 3/2/0/0/0', ONE]);
  });

  it('without a request id joins the call with one, if its id is the provider’s', async () => {
    write('-w-p/s0.jsonl', row({ requestId: undefined, sessionId: 's0' }));
    write('-w-p/s1.jsonl', row(), row({ requestId: null }));
    expect(await used()).toHaveLength(1);
  });

  it('without a request id is one call per session if ids repeat, but a copy keeps its time', async () => {
    const foreign = (sessionId: string, timestamp: string) =>
      row({ requestId: undefined, sessionId, timestamp, message: { id: 'ocgo' } });
    write('-w-p/s1.jsonl', foreign('s1', AT), foreign('s1', AT));
    write('-w-p/s2.jsonl', foreign('s2', '2026-09-11T10:00:00.000Z'));
    write('-w-p/s3.jsonl', foreign('s3', AT));
    expect(await used()).toHaveLength(2);
  });

  it('of two requests, neither of a sidechain, are two calls', async () => {
    write('-w-p/s1.jsonl', row(), row({ requestId: 'req_2' }));
    expect(await used()).toEqual([ONE, ONE]);
  });
});

describe('files', () => {
  it('of subagents belong to the session, also in the folder of versions before 2.1.2', async () => {
    write('-w-p/s1/subagents/agent-a.jsonl', row({ isSidechain: true }));
    write('-w-p/s1/subagents/workflows/w1/agent-b.jsonl', row({ isSidechain: true, message: { id: 'msg_2' } }));
    write('-w-p/agent-c.jsonl', row({ isSidechain: true, message: { id: 'msg_3' } }));
    expect(await used()).toEqual([ONE, ONE, ONE]);
    const { files } = await load();
    expect(files.map(({ sessionId }) => sessionId)).toEqual(['s1', 's1', 's1']);
  });

  it('name the project by their folder if no row does', async () => {
    write('-w-p/s1.jsonl', row({ cwd: null }));
    expect((await load()).calls).toMatchObject([{ project: '-w-p' }]);
  });

  it('count the last row without its line end if it is whole, and not if it is torn', async () => {
    const text = JSON.stringify(row({ message: { id: 'msg_2' } }));
    for (const [end, calls] of [
      [text, 2],
      [text.slice(0, -1), 1],
    ] as const) {
      write('-w-p/s1.jsonl', row());
      writeFileSync(join(home, '.claude/projects/-w-p/s1.jsonl'), `${JSON.stringify(row())}\n${end}`);
      expect(await used()).toHaveLength(calls);
    }
  });

  it('are found in both folders, in those of CLAUDE_CONFIG_DIR instead, and through links', async () => {
    write('-w-p/s1.jsonl', row());
    const put = (folder: string, id: string) => {
      mkdirSync(join(home, folder, 'projects', 'p'), { recursive: true });
      writeFileSync(
        join(home, folder, 'projects', 'p', `${id}.jsonl`),
        `${JSON.stringify(row({ message: { id } }))}\n`,
      );
    };
    put('.config/claude', 'msg_x');
    put('xdg/claude', 'msg_y');
    put('one', 'msg_1a');
    put('two', 'msg_2a');
    symlinkSync(join(home, 'two', 'projects', 'p'), join(home, 'one', 'projects', 'linked'));
    expect(await used()).toHaveLength(2);
    expect(await used({ XDG_CONFIG_HOME: join(home, 'xdg') })).toHaveLength(2);
    expect(await used({ CLAUDE_CONFIG_DIR: '~/one' })).toEqual([
      'msg_1a claude-opus-5 3/310/0/0/0',
      'msg_2a claude-opus-5 3/310/0/0/0',
    ]);
    expect(await used({ CLAUDE_CONFIG_DIR: `${join(home, 'one', 'projects')}, ~/two ,` })).toHaveLength(2);
  });

  it.each([
    ['linux', '.config/Claude', {}],
    ['darwin', 'Library/Application Support/Claude', {}],
    ['linux', 'xdg/Claude', { XDG_CONFIG_HOME: 'xdg' }],
  ] as const)('of the desktop application are found on %s below %s', async (platform, folder, env) => {
    const below = join(home, folder, 'local-agent-mode-sessions', 'a', 'b', 'local_1', '.claude', 'projects', '-w-p');
    mkdirSync(below, { recursive: true });
    writeFileSync(join(below, 's1.jsonl'), `${JSON.stringify(row())}\n`);
    const absolute = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, join(home, value)]));
    expect(await used(absolute, platform)).toEqual([ONE]);
  });
});
