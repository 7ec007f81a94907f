/**
 * Reads the counts at the end of the output of `node --test`: TAP up to Node.js 22, the spec reporter from 23.
 * @param output the whole output
 */
export function nodeTestCounts(output: string): Readonly<Record<string, number>> {
  const lines = output.matchAll(/^(?:#|ℹ) (\w+) (\d+)$/gm)
  return Object.fromEntries([...lines].map(([, name, count]) => [name, Number(count)]))
}
