import type { Contract } from '../../contract/index.js'
import type { Mock, ShownCall } from '../../mock/index.js'
import { printable } from '../printable.js'

/** So many names of methods, and so many notes, are told. */
const toldMost = 12

/** What a person sees once a mock server answers: what it serves, where, what it makes up, and a curl line. */
export function mockBanner(contract: Contract, mock: Mock, url: string, seed: string): string {
  const { title, version, methods } = contract
  const notifications = methods.filter(({ result }) => result === undefined).length
  const answered = methods.length - notifications - mock.withoutExample.length
  const facts = [
    ['url', url],
    ['methods', `${methods.length}: ${answered} answered from examples${notified(notifications)}`],
    ['made up', madeUp(mock.withoutExample)],
    ['seed', `${printable(JSON.stringify(seed))}, for the values that are made up`],
  ]
  return `
  ${printable(title)} ${printable(version)}, a mock server

${facts.map(([name = '', text]) => `  ${name.padEnd(9)} ${text}`).join('\n')}
${mock.notes
  .slice(0, toldMost)
  .map((note) => `\n  note      ${printable(note)}`)
  .join('')}${more(mock.notes)}
  curl -s ${url} -H 'content-type: application/json' \\
    -d '${shellText(curlBody(mock.shown))}'
`
}

function notified(count: number): string {
  return count === 0 ? '' : `, ${count} ${count === 1 ? 'notification' : 'notifications'}`
}

function madeUp(names: readonly string[]): string {
  const others = 'other parameters than those of an example'
  if (names.length === 0) return `values that fit the schemas, for ${others}`
  const told = names.slice(0, toldMost).map((name) => printable(name))
  const rest = names.length > told.length ? ` and ${names.length - told.length} more` : ''
  return `${told.join(', ')}${rest} (no example), and ${others}`
}

function more(notes: readonly string[]): string {
  if (notes.length === 0) return ''
  const rest = notes.length - toldMost
  return `${rest > 0 ? `\n  note      ${rest} more: concordat lint tells all that is wrong with examples` : ''}\n`
}

/** The shortest call that an example answers. */
function curlBody(shown: readonly ShownCall[]): string {
  const calls = shown.length > 0 ? shown : [{ method: 'rpc.discover', params: [] }]
  const texts = calls.map((call) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }))
  return texts.reduce((best, text) => (text.length < best.length ? text : best))
}

/** JSON within single quotes of a shell; what a terminal would obey is written as its code. */
function shellText(json: string): string {
  return json
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
      [...Array(character.length).keys()]
        .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
        .join(''),
    )
    .replaceAll("'", "'\\''")
}
