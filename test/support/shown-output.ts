import type { Test } from 'tap'

/** Replaces what differs between two runs, and aligns columns. Latencies of the machine are no part of the guide. */
function normalized(text: string): string {
  return text
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/0x[0-9a-f]{8}…/g, 'HASH')
    .replaceAll(/0x[0-9a-f]{64}/g, 'HASH')
    .replaceAll(/sha256 [0-9a-f]{12}…/g, 'SHA256')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
    .replaceAll(/\b\d+ (?:ms|s|min|h)\b(?: \d+ (?:s|min)\b)?/g, 'DURATION')
    .replaceAll(/\b\d+ requests?\b/g, 'REQUESTS')
    .replaceAll(/\\?"id\\?":\d+/g, '"id":ID')
    .replaceAll(/^ *Latency:.*\n/gm, '')
    .replaceAll(/^ *\d+ latencies higher.*\n/gm, '')
    .replaceAll(/^concordat conform: \d+ of \d+ cases after.*\n/gm, '')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/^ | $/gm, '')
    .replaceAll(/\n{2,}/g, '\n')
    .trim()
}

/** Checks that the parts of a shown output, which `…` separates, occur in order. */
export function shows(t: Test, output: string, wanted: string): unknown {
  let rest = `\n${normalized(output)}\n`
  const parts = wanted.split(/^…\n/m).map(normalized)
  for (const part of parts.filter((lines) => lines !== '')) {
    const at = rest.indexOf(`\n${part}\n`)
    if (at < 0) return t.equal(rest.trim(), part, 'the guide shows the output')
    rest = rest.slice(at + part.length + 1)
  }
  return t.pass('the guide shows the output')
}
