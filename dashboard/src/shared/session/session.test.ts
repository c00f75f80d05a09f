import { expect, test } from 'vitest';
import { chooseWorkspace } from './account.ts';
import { may } from './rights.ts';

const own = { id: 'ws_own', name: 'Own', role: 'owner', timeZone: 'UTC' } as const;
const other = { id: 'ws_other', name: 'Other', role: 'viewer', timeZone: 'UTC' } as const;

test('the workspace in the address is shown, else the last one shown, else the first', () => {
  expect(chooseWorkspace([own, other], 'ws_other', 'ws_own')).toBe(other);
  expect(chooseWorkspace([own, other], undefined, 'ws_other')).toBe(other);
  expect(chooseWorkspace([own, other], undefined, null)).toBe(own);
  expect(chooseWorkspace([], 'ws_own', null)).toBeNull();
});

test('a workspace is never shown to people who are not members', () => {
  expect(chooseWorkspace([own], 'ws_foreign', 'ws_gone')).toBe(own);
});

test('viewers get no rights and members only theirs', () => {
  const rights = ['work', 'manage'] as const;
  const granted = (['viewer', 'member', 'admin', 'owner'] as const).map((role) =>
    rights.filter((right) => may(role, right)),
  );
  expect(granted).toEqual([[], ['work'], [...rights], [...rights]]);
});
