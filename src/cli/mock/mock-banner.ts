import { type Contract, sessionOf } from '../../toolkit/contract/index.js'
import type { Mock, ShownCall } from '../../toolkit/mock/index.js'
import { printable, printableJson } from '../../toolkit/text/index.js'

/** Maximum number of method names, and of notes, that are shown. */
const shownMost = 12

/**
 * Formats the start message of a mock server: the contract, the URL, the source of results, and an example
 * call.
 * @param url undefined for standard input and output
 */
export function mockBanner(contract: Contract, mock: Mock, url: string | undefined, seed: string): string {
  const { title, version, methods } = contract
  const notifications = methods.filter(({ result }) => result === undefined).length
  const answered = methods.length - notifications - mock.withoutExample.length
  const facts = [
    url === undefined
      ? ['framing', `${sessionOf(contract).framing}, on standard input and output`]
      : ['url', url],
    ['methods', `${methods.length}: ${answered} answered from examples${notified(notifications)}`],
    ['generated', generatedText(mock.withoutExample)],
    ['seed', `${printable(JSON.stringify(seed))}, for generated values`],
  ]
  return `
  ${printable(title)} ${printable(version)}, a mock server

${facts.map(([name = '', text]) => `  ${name.padEnd(9)} ${text}`).join('\n')}
${mock.notes
  .slice(0, shownMost)
  .map((note) => `\n  note      ${printable(note)}`)
  .join('')}${more(mock.notes)}${url === undefined ? '' : curlLines(url, mock)}`
}

function curlLines(url: string, mock: Mock): string {
  return `
  curl -s ${url} -H 'content-type: application/json' \\
    -d '${shellText(curlBody(mock.shown))}'
`
}

function notified(count: number): string {
  return count === 0 ? '' : `, ${count} ${count === 1 ? 'notification' : 'notifications'}`
}

function generatedText(names: readonly string[]): string {
  const otherParams = 'other parameters than those of an example'
  if (names.length === 0) return `values that match the schemas, for ${otherParams}`
  const listed = names.slice(0, shownMost).map((name) => printable(name))
  const rest = names.length > listed.length ? ` and ${names.length - listed.length} more` : ''
  return `${listed.join(', ')}${rest} (no example), and ${otherParams}`
}

function more(notes: readonly string[]): string {
  if (notes.length === 0) return ''
  const rest = notes.length - shownMost
  return `${rest > 0 ? `\n  note      ${rest} more: concordat lint reports all problems in examples` : ''}\n`
}

/** Returns the shortest call that an example answers. */
function curlBody(shown: readonly ShownCall[]): string {
  const calls = shown.length > 0 ? shown : [{ method: 'rpc.discover', params: [] }]
  const texts = calls.map((call) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }))
  return texts.reduce((best, text) => (text.length < best.length ? text : best))
}

/** Escapes JSON for single quotes in a shell, and control characters for terminals. */
const shellText = (json: string): string => printableJson(json).replaceAll("'", "'\\''")
