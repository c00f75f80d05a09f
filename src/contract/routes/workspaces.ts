import { z } from 'zod';
import { adminKey, askedSync } from '../admin-keys.ts';
import { name, wholeNumber, timeZone, retentionDays } from '../fields.ts';
import {
  auditPage,
  periodQuery,
  doctorReport,
  backupResult,
  renewedJournal,
  rotatedSecret,
  workspace,
} from '../usage.ts';
import { coverageAnswer } from '../coverage.ts';
import { reconciliationAnswer } from '../reconciliation.ts';
import { seen } from '../seen.ts';
import { ownWorkspace } from '../tools.ts';
import type { RouteTable } from '../route.ts';

export const DAYS_MAX = 31;

export const workspaceRoutes = {
  'GET /api/manage/admin-keys': {
    summary: 'Admin keys of organizations, and how far their reports were read',
    scope: 'admin',
    right: 'read',
    answer: z.array(adminKey),
  },
  'POST /api/manage/admin-keys': {
    summary: 'Add an admin key of an organization',
    description:
      'It is tried out at once; then the reports of the organization are read with it, the newest days first.',
    scope: 'admin',
    right: 'manage',
    body: z.strictObject({
      name,
      provider: z.string().meta({ description: 'One that has reports' }),
      adminKey: z.string().min(1).meta({ description: 'Kept encrypted and never shown again' }),
    }),
    answer: adminKey,
    status: 201,
  },
  'PATCH /api/manage/admin-keys/{id}': {
    summary: 'Pause or resume an admin key',
    description: 'What was read stays; one that is resumed goes on where it was.',
    scope: 'admin',
    right: 'manage',
    body: z.strictObject({ paused: z.boolean() }),
    answer: adminKey,
  },
  'POST /api/manage/admin-keys/{id}/replace': {
    summary: 'Put another admin key of the same organization in the place of one',
    description: 'It is tried out at once; what was read stays, and reading goes on where it was.',
    scope: 'admin',
    right: 'manage',
    body: z.strictObject({ adminKey: z.string().min(1).meta({ description: 'Kept encrypted and never shown again' }) }),
    answer: adminKey,
  },
  'DELETE /api/manage/admin-keys/{id}': {
    summary: 'Remove an admin key, with all that was read with it',
    description: 'The key is erased at once, what it read soon after. To keep that, pause it.',
    scope: 'admin',
    right: 'manage',
    answer: z.object({ removed: z.string() }),
  },
  'POST /api/manage/admin-keys/{id}/sync': {
    summary: 'Read the reports of an organization now',
    scope: 'admin',
    right: 'manage',
    answer: askedSync,
  },
  'GET /api/manage/audit': {
    summary: 'Who changed what, newest first',
    description:
      'The rows are chained by their hashes, so that a changed or missing one shows. The owner, who names no workspace, sees those of all.',
    scope: 'admin',
    right: 'manage',
    query: z.object({
      limit: wholeNumber(1, 500).default(50).meta({ description: 'Default: 50' }),
      cursor: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
    }),
    answer: auditPage,
  },
  'GET /api/manage/coverage': {
    summary: 'How much of organizations’ spend passes the gate, over time',
    description:
      'By UTC days that the provider changes no more, at list price; absent: of today and the 29 days before. Every workspace’s gate is meant: a key may be wrapped in any.',
    scope: 'admin',
    right: 'read',
    query: periodQuery.extend({ step: z.enum(['day', 'week', 'month']).default('week') }),
    answer: coverageAnswer,
  },
  'GET /api/manage/doctor': {
    summary: 'Check the installation',
    scope: 'admin',
    right: 'operate',
    query: z.object({
      online: z.enum(['true', 'false']).default('false').meta({ description: 'Also reach the providers' }),
    }),
    answer: doctorReport,
  },
  'POST /api/manage/backup': {
    summary: 'Write a consistent copy of the book and the journal while everything runs',
    scope: 'admin',
    right: 'folder',
    body: z.strictObject({ folder: z.string().min(1).meta({ description: 'On this machine; must not exist yet' }) }),
    answer: backupResult,
    status: 201,
  },
  'POST /api/manage/journal/renew': {
    summary: 'Give up a journal that is lost; the next start begins another',
    description: 'Calls of the last moments of the lost one are in neither journal nor ledger: no limit counts them.',
    scope: 'admin',
    right: 'folder',
    body: z.strictObject({}),
    answer: renewedJournal,
  },
  'POST /api/manage/secret/rotate': {
    summary: 'Encrypt every stored secret anew under a new master secret',
    scope: 'admin',
    right: 'folder',
    body: z.strictObject({
      secret: z.string().nullable().default(null).meta({ description: 'null = a random one, kept in the data folder' }),
    }),
    answer: rotatedSecret,
  },
  'GET /api/manage/reconciliation': {
    summary: 'Book and provider reports compared, with a reason for each difference',
    description: `Whole UTC days, ${DAYS_MAX} at most; absent: today and the 29 days before. Keys are matched with the provider keys of all workspaces.`,
    scope: 'admin',
    right: 'read',
    query: periodQuery,
    answer: reconciliationAnswer,
  },
  'GET /api/manage/workspaces': {
    summary: 'List workspaces; a token sees its own',
    scope: 'admin',
    right: 'read',
    answer: z.array(workspace),
  },
  'POST /api/manage/workspaces': {
    summary: 'Make a workspace',
    scope: 'admin',
    right: 'operate',
    body: z.strictObject({ name, timeZone: timeZone.default('UTC'), retentionDays: retentionDays.optional() }),
    answer: workspace,
    status: 201,
  },
  'PATCH /api/manage/workspaces/{id}': {
    summary: 'Rename a workspace, set its time zone or how long its entries are kept',
    scope: 'admin',
    right: 'manage',
    body: z.strictObject({
      name: name.optional(),
      timeZone: timeZone.optional(),
      retentionDays: retentionDays.optional(),
      seen,
    }),
    answer: workspace,
  },
  'GET /api/mcp/workspace': {
    summary: "The access token's workspace, whose time zone decides what today is",
    scope: 'usage:read',
    right: 'read',
    answer: ownWorkspace,
  },
} as const satisfies RouteTable;
