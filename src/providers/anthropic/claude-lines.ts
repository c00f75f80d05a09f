/** Returns the lines of a first call of Claude with a TypeScript library of Anthropic. */
export function callClaudeInTypescript(model: string): readonly string[] {
  return [
    'const answer = await client.messages.create({',
    `  model: '${model}',`,
    '  max_tokens: 64,',
    "  messages: [{ role: 'user', content: 'Hello' }],",
    '});',
  ];
}

/**
 * Returns the lines of a first call of Claude with a Python library of Anthropic.
 * @param more further arguments, each as its line
 */
export function callClaudeInPython(model: string, more: readonly string[] = []): readonly string[] {
  return [
    'answer = client.messages.create(',
    `    model="${model}",`,
    '    max_tokens=64,',
    '    messages=[{"role": "user", "content": "Hello"}],',
    ...more.map((line) => `    ${line}`),
    ')',
  ];
}
