import type { ClientLines, MakeClientLines } from './provider.ts';

/** Returns the lines of Vercel's AI SDK. @param create function of `library` that creates a provider */
export function vercelLines(library: string, create: string, model: string, version = ''): MakeClientLines {
  return (address, key) => ({
    client: `Vercel AI SDK (${library})`,
    lines: [
      "import { generateText } from 'ai';",
      `import { ${create} } from '${library}';`,
      '',
      `const provider = ${create}({`,
      `  apiKey: '${key}',`,
      `  baseURL: '${address}${version}',`,
      '});',
      'const { text } = await generateText({',
      `  model: provider('${model}'),`,
      "  prompt: 'Hello',",
      '});',
    ],
  });
}

/** Returns the lines of LangChain. @param name class of `library` */
export function langchainLines(library: string, name: string, model: string): MakeClientLines {
  return (address, key) => ({
    client: `LangChain (${library})`,
    lines: [
      `from ${library.replaceAll('-', '_')} import ${name}`,
      '',
      `model = ${name}(`,
      `    model="${model}",`,
      `    api_key="${key}",`,
      `    base_url="${address}",`,
      ')',
      'answer = model.invoke("Hello")',
    ],
  });
}

/** Returns the lines of LiteLLM. @param model with LiteLLM's name of the provider in front */
export function litellmLines(model: string): MakeClientLines {
  return (address, key) => ({
    client: 'LiteLLM (litellm)',
    lines: [
      'import litellm',
      '',
      'answer = litellm.completion(',
      `    model="${model}",`,
      `    api_key="${key}",`,
      `    api_base="${address}",`,
      '    messages=[{"role": "user", "content": "Hello"}],',
      ')',
    ],
  });
}

/** Returns the lines of OpenCode. @param provider its name of the provider */
export function opencodeLines(provider: string, version = ''): MakeClientLines {
  return (address, key): ClientLines => ({
    client: 'OpenCode: in ~/.config/opencode/opencode.json',
    lines: [
      '{',
      '  "provider": {',
      `    "${provider}": {`,
      '      "options": {',
      `        "baseURL": "${address}${version}",`,
      `        "apiKey": "${key}"`,
      '      }',
      '    }',
      '  }',
      '}',
    ],
  });
}
