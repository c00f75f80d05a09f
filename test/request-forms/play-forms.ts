import { Dice } from '../simulation/dice.ts';
import { checkForm, type Cut, type Verdict } from './check-form.ts';
import { ANTHROPIC, CHAT, COMPATIBLE, EMBEDDINGS, type FieldGroup, GOOGLE, RESPONSES } from './documented-fields.ts';
import { type Draft, draftOf, objectAt } from './draft.ts';
import { bodyText, FORM_NAMES, type Members, NAME_FORM_NAMES, putField, valueIn } from './forms.ts';
import { type Scene, SCENES } from './scene.ts';
import { SETTINGS, STRANGERS } from './strangers.ts';

type Group = Omit<FieldGroup, 'library' | 'type'>;

const GROUPS: Readonly<Record<Scene['dialect'], readonly Group[]>> = {
  anthropic: ANTHROPIC,
  google: GOOGLE,
  chat: [...CHAT, ...COMPATIBLE],
  responses: RESPONSES,
  embeddings: EMBEDDINGS,
};

interface Field {
  readonly group: Group;
  readonly field: string;
}

/** Fields to draw from. */
function fieldsIn(dialect: Scene['dialect'], which: 'all' | 'deciding'): Field[] {
  return GROUPS[dialect].flatMap((group) => {
    const names = which === 'all' ? Object.keys(group.fields) : group.deciding;
    return names.filter((field) => group.fields[field]!.length > 0).map((field) => ({ group, field }));
  });
}

const BASES: Readonly<Record<Scene['dialect'], (model: string) => object>> = {
  anthropic: (model) => ({ model, max_tokens: 2_000, messages: [{ role: 'user', content: 'Hi' }] }),
  google: () => ({
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    generationConfig: { maxOutputTokens: 2_000 },
  }),
  chat: (model) => ({ model, max_tokens: 2_000, messages: [{ role: 'user', content: 'Hi' }] }),
  responses: (model) => ({ model, max_output_tokens: 2_000, input: 'Hi' }),
  embeddings: (model) => ({ model, input: 'Hi' }),
};

export interface Form {
  readonly scene: Scene;
  readonly body: string;
  /** What was done to it: field, form of its value, form of its name. */
  readonly fields: readonly string[];
  readonly cut: Cut;
}

function addMissing(members: Members, more: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(more))
    if (!members.some(([each]) => each === JSON.stringify(name))) members.push([JSON.stringify(name), draftOf(value)]);
}

/** One form of a request: one to three documented fields, each written in some way. */
export function drawForm(dice: Dice, scene = dice.pick(SCENES) ?? SCENES[0]!): Form {
  const root = draftOf(BASES[scene.dialect](scene.model));
  const fields: string[] = [];
  for (let left = dice.whole(1, 3); left > 0; left--) {
    const { group, field } = dice.pick(fieldsIn(scene.dialect, dice.chance(0.75) ? 'deciding' : 'all'))!;
    if (root.kind === 'object') addMissing(root.members, group.body ?? {});
    const valueForm = dice.chance(0.3) ? 'plain' : (dice.pick(FORM_NAMES) ?? 'plain');
    const nameForm = dice.chance(0.7) ? 'plain' : (dice.pick(NAME_FORM_NAMES) ?? 'plain');
    const value = valueIn(valueForm, dice.pick(group.fields[field]!), dice);
    putField(objectAt(root, group.at, group.with ?? {}), nameForm, field, value, dice);
    fields.push(`${[...group.at, field].join('.')} (${valueForm}, name ${nameForm})`);
  }
  if (dice.chance(STRANGER_CHANCE)) fields.push(putStranger(dice, scene, root));
  const cut = dice.chance(0.5) ? drawCut(dice) : { output: null, toolUses: null };
  return { scene, body: bodyText(root.kind === 'object' ? root.members : []), fields, cut };
}

function drawCut(dice: Dice): Cut {
  return {
    output: dice.chance(0.7) ? dice.whole(1, 100) / 100 : null,
    toolUses: dice.chance(0.7) ? dice.whole(1, 6) : null,
  };
}

/** How often a form has a member that no documentation names. */
const STRANGER_CHANCE = 0.06;

function putStranger(dice: Dice, scene: Scene, root: Draft): string {
  const settings = SETTINGS[scene.dialect];
  const at = settings.length > 0 && dice.chance(0.7) ? (dice.pick(settings) ?? '').split('.') : [];
  const name = dice.pick(Object.keys(STRANGERS)) ?? 'hologram';
  const form = dice.pick(FORM_NAMES) ?? 'plain';
  putField(objectAt(root, at, {}), 'plain', name, valueIn(form, STRANGERS[name], dice), dice);
  return `${[...at, name].join('.')} (${form})`;
}

export interface Hole extends Form {
  /** Which of the forms from this seed. */
  readonly seed: number;
  readonly verdict: Verdict;
}

export interface Played {
  readonly forms: number;
  readonly held: number;
  readonly holes: readonly Hole[];
}

/** Draws forms from seeds that count up, each on its own, and gathers those whose bill may pass what is held. */
export function playForms(seed: number, forms: number, holesMax = 20): Played {
  const holes: Hole[] = [];
  let held = 0;
  let played = 0;
  for (; played < forms && holes.length < holesMax; played++) {
    const form = drawForm(new Dice(seed + played));
    const verdict = checkForm(form.scene, form.body, form.cut);
    if (verdict.held.kind === 'held') held++;
    if (verdict.short !== null) holes.push({ ...form, seed: seed + played, verdict });
  }
  return { forms: played, held, holes };
}

const SHOWN_CHARS_MAX = 600;

export function describeHole({ seed, scene, body, fields, cut, verdict }: Hole): string {
  const held = verdict.held.kind === 'held' ? verdict.held.nano : 0;
  const text = body.replaceAll(/ {20,}/g, (spaces) => `<${spaces.length} spaces>`).slice(0, SHOWN_CHARS_MAX);
  return `seed ${seed}: ${scene.address} ${scene.model}: ${fields.join('; ')}; cut to ${JSON.stringify(cut)}\n  held ${held} nano-USD, the bill may be ${verdict.short} more\n  ${text}`;
}
