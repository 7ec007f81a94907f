/**
 * The counts at the end of what `node --test` writes: as TAP up to Node.js 22, and for people from 23 on.
 * @param output all that it wrote
 */
export function nodeTestCounts(output: string): Readonly<Record<string, number>> {
  const lines = output.matchAll(/^(?:#|ℹ) (\w+) (\d+)$/gm)
  return Object.fromEntries([...lines].map(([, name, count]) => [name, Number(count)]))
}
