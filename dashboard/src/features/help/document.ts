/** A help page as data: help/documents.mjs makes it from a Markdown file of docs/. */
export interface HelpDocument {
  readonly title: string;
  readonly blocks: readonly HelpBlock[];
}

export type HelpBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly id: string; readonly children: readonly HelpInline[] }
  | { readonly kind: 'paragraph'; readonly children: readonly HelpInline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly HelpBlock[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly (readonly HelpBlock[])[] }
  | {
      readonly kind: 'table';
      readonly head: readonly (readonly HelpInline[])[];
      readonly rows: readonly (readonly (readonly HelpInline[])[])[];
    };

export type HelpInline =
  | string
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em' | 'group'; readonly children: readonly HelpInline[] }
  | {
      readonly kind: 'link';
      /** Name of the linked help page; null = this page or another site. */
      readonly page: string | null;
      /** `#heading` or an address; '' = the top of the linked page. */
      readonly href: string;
      readonly children: readonly HelpInline[];
    };
