import { expect, test } from 'vitest';
import { claudeFolders } from './find-transcripts.ts';

test('on Windows, folders are those of the user and of the application, by its own variables or below the home', () => {
  const home = 'C:\\Users\\ada';
  expect(claudeFolders({ home, platform: 'win32', env: {} })).toEqual({
    projects: ['C:\\Users\\ada\\.claude\\projects', 'C:\\Users\\ada\\.config\\claude\\projects'],
    desktop: ['C:\\Users\\ada\\AppData\\Roaming\\Claude\\local-agent-mode-sessions'],
  });
  const env = { APPDATA: 'D:\\roaming', CLAUDE_CONFIG_DIR: '~\\mine,E:\\logs\\projects' };
  expect(claudeFolders({ home, platform: 'win32', env })).toEqual({
    projects: ['C:\\Users\\ada\\mine\\projects', 'E:\\logs\\projects'],
    desktop: ['D:\\roaming\\Claude\\local-agent-mode-sessions'],
  });
});

test('variables that are empty or not absolute paths are ignored', () => {
  const env = { CLAUDE_CONFIG_DIR: ' , ', XDG_CONFIG_HOME: 'relative' };
  expect(claudeFolders({ home: '/homes/ada', platform: 'linux', env }).projects).toEqual([
    '/homes/ada/.claude/projects',
    '/homes/ada/.config/claude/projects',
  ]);
});
