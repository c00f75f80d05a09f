import type { ReactNode } from 'react';

/** Strokes on a grid of 24: an icon library would be many times larger. */
const STROKES = {
  overview: 'M4 13h6V4H4zM14 9h6V4h-6zM14 20h6v-7h-6zM4 20h6v-3H4z',
  explore: 'M4 20V10M10 20V4M16 20v-8M22 20H2',
  calls: 'M4 6h16M4 12h10M4 18h13',
  sessions: 'M6 4v10a4 4 0 0 0 4 4h8M6 8h12M15 5l3 3-3 3M15 15l3 3-3 3',
  assistants: 'M4 5h16v12H4zM8 9l3 2.500-3 2.500M13 14h4M9 21h6',
  keys: 'M14 10a4 4 0 1 0-3.5 3.97L12 15.5h2V18h2.5v2.5H20V17l-6.2-6.2M9 9.5v.01',
  limits: 'M4 18a9 9 0 1 1 16 0M12 14l4-5',
  alerts: 'M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 21h4',
  webhooks: 'M9 8a3.5 3.5 0 1 1 5 3l-3 6M8 12a3.5 3.5 0 1 0 2 6h6M15 14a3.5 3.5 0 1 1 .5 6.5',
  reports: 'M6 3h9l4 4v14H6zM9 12h7M9 16h7M9 8h3',
  savings:
    'M12 3v18M16.5 7.5C16 6 14 5.5 12 5.5c-2.5 0-4.5 1-4.5 3.2 0 4.5 9.3 2.3 9.3 6.8 0 2.2-2.3 3-4.8 3-2.3 0-4.3-.8-4.8-2.5',
  prices: 'M4 12V4h8l8.5 8.5-8 8zM8 8v.01',
  nodes: 'M4 4h16v6H4zM4 14h16v6H4zM8 7v.01M8 17v.01',
  settings: 'M4 7h9M19 7h1M4 17h3M13 17h7M16 4.500v5M10 14.500v5',
  help: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.500 9.500a2.500 2.500 0 1 1 3.700 2.200c-.8.4-1.200 1-1.200 1.800M12 16.800v.01',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.500L20 20',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.600L7 7M17 17l1.4 1.400M18.4 5.600L17 7M7 17l-1.4 1.4',
  moon: 'M20 14.500A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.500z',
  calendar: 'M5 6h14v14H5zM5 10h14M9 3v4M15 3v4',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.500c1-4 4-5.5 7.5-5.500s6.5 1.5 7.5 5.5',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.500l4.5 4.500L19 7',
  warning: 'M12 4l9 16H3zM12 10v4.500M12 17.200v.01',
  down: 'M6 9l6 6 6-6',
  right: 'M9 6l6 6-6 6',
  up: 'M12 19V5M6 11l6-6 6 6',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  columns: 'M4 5h16v14H4zM9.500 5v14M14.500 5v14',
  plus: 'M12 5v14M5 12h14',
  swap: 'M7 4v13M4 14l3 3 3-3M17 20V7M14 10l3-3 3 3',
} as const;

export type IconName = keyof typeof STROKES;

/** A decorative icon: its meaning is always in the text next to it or in the label of its button. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }): ReactNode {
  return (
    <svg
      aria-hidden
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={STROKES[name]} />
    </svg>
  );
}
