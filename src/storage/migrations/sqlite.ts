import { entries001 } from './001-entries.ts';
import { records001 } from './001-records.ts';
import { entries002 } from './002-entries.ts';
import { records002 } from './002-records.ts';
import { entries003 } from './003-entries.ts';
import { entries004 } from './004-entries.ts';
import { records004 } from './004-records.ts';
import { records005 } from './005-records.ts';
import { entries006 } from './006-entries.ts';
import { records006 } from './006-records.ts';
import { records007 } from './007-records.ts';
import type { MigrationSteps } from './migrate.ts';

/** In order. A released migration is never edited: a change of the schema is a new file and a new line here. */
export const SQLITE_MIGRATIONS: MigrationSteps = {
  '001-first': [...records001, ...entries001],
  '002-limits': [...records002, ...entries002],
  '003-model-texts': entries003,
  '004-sessions': [...records004, ...entries004],
  '005-webhooks': records005,
  '006-reports': [...records006, ...entries006],
  '007-accounts': records007,
};
