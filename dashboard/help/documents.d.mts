import type { Plugin } from 'vite';
import type { HelpDocument } from '../src/features/help/document.ts';

export function helpDocuments(): Plugin;
export function parseDocument(text: string, names: ReadonlySet<string>): HelpDocument;
