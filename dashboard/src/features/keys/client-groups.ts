import type { KeyClients } from '../../../../src/contract/keys.ts';

export interface ClientGroup {
  /** What stands on the tab: "curl", "Codex". */
  readonly name: string;
  readonly steps: readonly { readonly title: string; readonly text: string }[];
}

/** Clients with the steps that each needs; a step that goes on from the one before ("and then …") stays with it. */
export function clientGroups({ placeholder, clients }: KeyClients, secret: string | null): readonly ClientGroup[] {
  const groups: { name: string; steps: { title: string; text: string }[] }[] = [];
  for (const { client, lines } of clients) {
    const text = lines.join('\n');
    const step = { title: client, text: secret === null ? text : text.replaceAll(placeholder, secret) };
    const last = groups.at(-1);
    if (client.startsWith('and then') && last) last.steps.push(step);
    else groups.push({ name: client.split(/[:(]/)[0]?.trim() ?? client, steps: [step] });
  }
  return groups;
}
