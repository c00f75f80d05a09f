import { hash } from 'node:crypto';
import type { ReportRows } from '../domain/reconciliation/provider-report.ts';

/** Rows in an order of their own, so that equal days are equal whatever the order they came in. */
export function sortRows<Row>(rows: readonly Row[]): Row[] {
  return rows
    .map((row) => ({ row, text: JSON.stringify(row) }))
    .toSorted((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)))
    .map(({ row }) => row);
}

/** Equal for equal days. */
export function digestReportDay({ kind, rows }: ReportRows): string {
  return hash('sha256', JSON.stringify([kind, sortRows<unknown>(rows)]), 'base64url');
}
