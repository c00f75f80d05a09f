import { expect, test } from 'vitest';
import { checkTag, type HeaderBag, parseTags, readTags, TAG_WARNINGS_MAX } from './tags.ts';

const read = (headers: HeaderBag, keyTags: Record<string, string> = {}, baggage = false) =>
  readTags(headers, keyTags, { baggage });

test('without a tag header a call has the key’s own tags', () => {
  const own = { team: 'a' };
  const reading = read({ host: 'x', 'x-svc-taggy': 'no', 'content-type': 'json', baggage: 'a=b' }, own);
  expect(reading.tags).toBe(own);
  expect(reading.warnings).toEqual([]);
});

test.each<[string, HeaderBag, Record<string, string>]>([
  ['a list', { 'x-svc-tags': 'team=ai, env=prod' }, { team: 'ai', env: 'prod' }],
  ['a percent-encoded list', { 'x-svc-tags': 'team=a%2Cb%3Dc,env=%C3%BC' }, { team: 'a,b=c', env: 'ü' }],
  ['a value with an equals sign', { 'x-svc-tags': 'q=a=b' }, { q: 'a=b' }],
  ['a JSON object', { 'x-svc-tags': '{"team":"ai","n":12,"on":true}' }, { team: 'ai', n: '12', on: 'true' }],
  ['empty items', { 'x-svc-tags': ',,a=1,,' }, { a: '1' }],
  ['one header per tag', { 'x-svc-tag-team': 'ai', 'x-svc-tag-env': ' prod ' }, { team: 'ai', env: 'prod' }],
  ['keys in any case', { 'x-svc-tags': 'Team=ai' }, { team: 'ai' }],
  ['UTF-8 bytes in a header', { 'x-svc-tag-city': Buffer.from('Köln').toString('latin1') }, { city: 'Köln' }],
  ['Latin-1 bytes in a header', { 'x-svc-tag-city': 'Köln' }, { city: 'Köln' }],
  ['Cloudflare', { 'cf-aig-metadata': '{"team":"ai","user":12}' }, { team: 'ai', user: '12' }],
  ['Portkey', { 'x-portkey-metadata': '{"_user":"u1"}' }, { _user: 'u1' }],
  ['Helicone', { 'helicone-property-session': 's-1' }, { session: 's-1' }],
  ['LiteLLM', { 'x-litellm-tags': 'job:4:2,nightly' }, { job: '4:2', nightly: 'true' }],
  ['repeated headers', { 'x-svc-tags': ['a=1', 'b=2'] }, { a: '1', b: '2' }],
])('reads %s', (_, headers, tags) => {
  expect(read(headers)).toEqual({ tags, warnings: [] });
});

test('baggage is read only if it is enabled', () => {
  expect(read({ baggage: 'team=x;p=1;q,env=prod' }, {}, true).tags).toEqual({ team: 'x', env: 'prod' });
  expect(read({ baggage: 'team=x' }).tags).toEqual({});
});

test('the key’s own tags win, and the client gets a warning', () => {
  const headers = { 'x-svc-tags': 'team=theirs,env=prod', 'x-svc-tag-team': 'other' };
  expect(read(headers, { team: 'ours' })).toEqual({
    tags: { team: 'ours', env: 'prod' },
    warnings: ['team is set by the wrapped key'],
  });
});

test('sources rank x-svc-tags, x-svc-tag-*, Cloudflare, Portkey, Helicone, LiteLLM, baggage, in any order of headers', () => {
  const all: [string, string][] = [
    ['x-svc-tags', 't=1'],
    ['x-svc-tag-t', '2'],
    ['cf-aig-metadata', '{"t":"3"}'],
    ['x-portkey-metadata', '{"t":"4"}'],
    ['helicone-property-t', '5'],
    ['x-litellm-tags', 't:6'],
    ['baggage', 't=7'],
  ];
  for (let from = 0; from < all.length; from += 1)
    expect(read(Object.fromEntries(all.slice(from).toReversed()), {}, true).tags).toEqual({ t: String(from + 1) });
});

test.each<[string, HeaderBag, string]>([
  ['a prototype name in a list', { 'x-svc-tags': '__proto__=x' }, 'key __proto__ is reserved'],
  ['a prototype name in JSON', { 'x-svc-tags': '{"__proto__":"x"}' }, 'key __proto__ is reserved'],
  ['a prototype name as header', { 'x-svc-tag-constructor': 'x' }, 'key constructor is reserved'],
  ['a nested JSON value', { 'x-svc-tags': '{"a":{"b":1}}' }, 'the value of a is not a text, number or boolean'],
  ['a JSON null', { 'cf-aig-metadata': '{"a":null}' }, 'the value of a is not a text, number or boolean'],
  ['broken JSON', { 'x-svc-tags': '{"a":' }, 'x-svc-tags is no JSON object'],
  ['a JSON array', { 'x-portkey-metadata': '["a"]' }, 'x-portkey-metadata is no JSON object'],
  ['deeply nested JSON', { 'x-portkey-metadata': '['.repeat(20_000) }, 'x-portkey-metadata is no JSON object'],
  ['an item without a value', { 'x-svc-tags': 'lonely' }, 'lonely has no value'],
  ['an item without a key', { 'x-svc-tags': '=x' }, 'a tag has no key'],
  ['a header without a key', { 'x-svc-tag-': 'x' }, 'a tag has no key'],
  ['a wrapped key as a value', { 'x-svc-tags': 'team=svc_sk_AbCdEf0123' }, 'a tag holds a secret'],
  ['a wrapped key as a key', { 'x-svc-tag-svc_sk_abcdef0123': 'x' }, 'a tag holds a secret'],
  ['a broken escape', { 'x-svc-tags': 'a=%zz' }, 'a=%zz is not percent-encoded'],
  ['an overlong escape', { 'x-svc-tags': 'a=%c0%80' }, 'a=%c0%80 is not percent-encoded'],
  ['a line break in a value', { 'x-svc-tags': 'a=b%0d%0aset-cookie:x' }, 'the value of a has control characters'],
  ['a NUL in a value', { 'x-svc-tags': 'a=%00' }, 'the value of a has control characters'],
  ['a line break in a key', { 'x-svc-tags': 'a%0d%0ab=c' }, 'key a??b has characters other than a-z 0-9 _ . -'],
  [
    'a space in a key',
    { 'x-svc-tags': '{"cost centre":"x"}' },
    'key cost?centre has characters other than a-z 0-9 _ . -',
  ],
  ['a lone surrogate', { 'x-svc-tags': '{"a":"\\ud800"}' }, 'the value of a is not well-formed text'],
  ['a long key', { 'x-svc-tags': `${'k'.repeat(65)}=v` }, `key ${'k'.repeat(40)} is longer than 64 characters`],
  ['a long value', { 'x-svc-tag-a': 'v'.repeat(257) }, 'the value of a is longer than 256 characters'],
])('leaves out and names %s', (_, headers, warning) => {
  const reading = read(headers);
  expect(Object.keys(reading.tags)).toEqual([]);
  expect(reading.warnings).toEqual([warning]);
});

test('an invalid tag does not remove valid ones', () => {
  expect(read({ 'x-svc-tags': 'a=1,b,c=3' })).toEqual({ tags: { a: '1', c: '3' }, warnings: ['b has no value'] });
});

test('the longest key and value are accepted, counted in characters', () => {
  const value = '😀'.repeat(256);
  expect(read({ 'x-svc-tags': `${'k'.repeat(64)}=${encodeURIComponent(value)}` }).tags).toEqual({
    ['k'.repeat(64)]: value,
  });
});

test('at most 16 tags, the key’s own first', () => {
  const own = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`own${i}`, 'x']));
  const reading = read({ 'x-svc-tags': 'a=1,b=2,c=3' }, own);
  expect(reading.tags).toEqual({ ...own, a: '1' });
  expect(reading.warnings).toEqual(['more than 16 tags']);
});

test('at most 2,048 bytes of tags, the key’s own first, and smaller tags still fit', () => {
  const own = { team: 'é'.repeat(200) };
  const long = ['a', 'b', 'c'].map((key) => `${key}=${encodeURIComponent('😀'.repeat(200))}`);
  const reading = read({ 'x-svc-tags': [...long, 'd=1'].join(',') }, own);
  expect(Object.keys(reading.tags)).toEqual(['team', 'a', 'b', 'd']);
  expect(reading.warnings).toEqual(['more than 2048 bytes of tags']);
});

test('too many tags are cut off, and warnings stay few and fit into a header', () => {
  const flood = Array.from({ length: 10_000 }, (_, i) => `k${i}\u00ff"\n`).join(',');
  const { warnings } = read({ 'x-svc-tags': flood });
  expect(warnings.length).toBe(TAG_WARNINGS_MAX);
  for (const warning of warnings) expect(warning).toMatch(/^[\x20-\x7e]{1,120}$/);
});

test('tags never change a prototype', () => {
  const { tags } = read({ 'x-svc-tags': '{"__proto__":{"polluted":1},"a":"1"}' });
  expect(Object.getPrototypeOf(tags)).toBe(Object.prototype);
  expect('polluted' in {}).toBe(false);
});

test('checkTag returns the tag as it is stored', () => {
  expect(checkTag(' Team ', ' a b ')).toEqual({ key: 'team', value: 'a b', problem: null });
});

test('a key’s own tags are normalized, and malformed ones are errors', () => {
  expect(parseTags({ Team: ' a ' })).toEqual({ team: 'a' });
  expect(() => parseTags({ 'a b': 'c' })).toThrow("can't be used: key a?b");
  expect(() => parseTags({ team: 'a', TEAM: 'b' })).toThrow('given twice');
  expect(() => parseTags(Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v'])))).toThrow('16 tags');
});
