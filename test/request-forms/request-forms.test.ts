import { describe, expect, test } from 'vitest';
import { seedOfRun } from '../seeded.ts';
import { checkForm, hold } from './check-form.ts';
import { declaredFields } from './declared-fields.ts';
import { ANTHROPIC, CHAT, EMBEDDINGS, GOOGLE, RESPONSES } from './documented-fields.ts';
import { describeHole, playForms } from './play-forms.ts';
import { SCENES } from './scene.ts';
import { documentedFields } from './strangers.ts';

const FORMS = 20_000;
const SEED = seedOfRun();

test(`no form of a documented field costs more than its hold (TEST_SEED=${SEED})`, () => {
  const { forms, held, holes } = playForms(SEED, FORMS);
  expect(holes.map(describeHole)).toEqual([]);
  expect(forms).toBe(FORMS);
  // Refusing everything would keep the promise too.
  expect(held).toBeGreaterThan(FORMS / 4);
});

test('every documented field of a body is known: none is refused as unknown', () => {
  const bases = { anthropic: { max_tokens: 9, messages: [] }, google: { contents: [] }, chat: { messages: [] } };
  const unknown = SCENES.flatMap((scene) =>
    documentedFields(scene.dialect).flatMap(([name, value]) => {
      const body = { model: scene.model, input: 'a', ...bases[scene.dialect as keyof typeof bases], [name]: value };
      if (scene.dialect !== 'responses' && scene.dialect !== 'embeddings') Reflect.deleteProperty(body, 'input');
      const held = hold(scene, JSON.stringify(body));
      return held.kind === 'refused' && held.why.includes('not known') ? [`${scene.address}: ${name}`] : [];
    }),
  );
  expect([...new Set(unknown)]).toEqual([]);
});

describe('the fields that the forms are made of', () => {
  const groups = [...ANTHROPIC, ...GOOGLE, ...CHAT, ...RESPONSES, ...EMBEDDINGS];
  test.each(groups.map((group) => [`${group.library} ${group.type}`, group] as const))(
    'are those that the library declares: %s',
    (_name, { library, type, fields, deciding }) => {
      // A new field: say in documented-fields.ts where it stands and what it may say, and read it if it changes the bill.
      expect(Object.keys(fields).toSorted()).toEqual(declaredFields(library, type));
      expect(Object.keys(fields)).toEqual(expect.arrayContaining([...deciding]));
    },
  );
});

test('every model of the forms has a cost bound for text', () => {
  for (const scene of SCENES) {
    const body = {
      anthropic: { model: scene.model, max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] },
      google: { contents: [{ parts: [{ text: 'Hi' }] }], generationConfig: { maxOutputTokens: 10 } },
      chat: { model: scene.model, max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }], modalities: ['text'] },
      responses: { model: scene.model, max_output_tokens: 10, input: 'Hi' },
      embeddings: { model: scene.model, input: 'Hi' },
    }[scene.dialect];
    expect(hold(scene, JSON.stringify(body)).kind, `${scene.address} ${scene.model}`).toBe('held');
    expect(checkForm(scene, JSON.stringify(body)).short).toBeNull();
  }
});
