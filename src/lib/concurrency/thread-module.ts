/** A module of a thread, beside the one that starts it. Compiled, the modules end in .js; run from source, in .ts. */
export function threadModule(name: string, besideUrl: string): URL {
  return new URL(`./${name}${besideUrl.endsWith('.ts') ? '.ts' : '.js'}`, besideUrl);
}
