import type { Expectation, Row } from './row.js'

/** The text of an expectation, as docs/integrator.md has it. */
function shown(expected: Expectation): string {
  if (expected.kind === 'cannot') return `cannot: ${expected.reason}; ${expected.instead}`
  const { settings = [] } = expected
  return settings.length === 0 ? 'works' : `works with ${settings.map((one) => `\`${one}\``).join(' and ')}`
}

/** Formats rows as the table of docs/integrator.md. Versions of which the same holds share a line. */
export function matrixTable(rows: readonly Row[]): string {
  const lines = new Map<string, { readonly row: Row; readonly versions: string[] }>()
  for (const row of rows) {
    const key = JSON.stringify([row.tool, row.form, shown(row.expected)])
    const line = lines.get(key) ?? { row, versions: [] }
    line.versions.push(row.version)
    lines.set(key, line)
  }
  const texts = [...lines.values()].map(({ row, versions }) => {
    const cells = [`${row.tool} ${versions.join(', ')}`, row.form, shown(row.expected)]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
  })
  return `| tool | form | result |\n|---|---|---|\n${texts.join('')}`
}
