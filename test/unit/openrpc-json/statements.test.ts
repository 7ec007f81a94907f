/**
 * Every statement of the contract has a reader: code that serves or judges, a case of the suite, or generated code. Copies
 * of the contract (`contract.ts`, `document.ts`, the reference) do not count.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { type Members, readAuthored } from './authored-contract.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const contract = readAuthored()

/** The text of the files in a folder, without comments. */
function textOf(folder: string): string {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:tsx?|yaml)$/.test(name) && !/(?:^|\/)(?:dist|node_modules)\//.test(name))
    .map((name) => readFileSync(`${root}${folder}/${name}`, 'utf8'))
    .join('\n')
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s*(?:\/\/|#).*$/gm, '')
}

const serving = ['gateway', 'server', 'rpc', 'client', 'node-access', 'mock'].map((name) =>
  textOf(`src/${name}`),
)
const judging = [textOf('src/conformance'), textOf('conformance')]
const generating = [textOf('src/codegen'), textOf('src/contract/model')]
const words = new Set([...serving, ...judging, ...generating].join('\n').match(/x-[a-z-]+|[A-Za-z_]\w*/g))

/** The names of the members of objects, one level below the given objects. */
const namesIn = (values: readonly unknown[]) => [
  ...new Set(values.flatMap((value) => Object.keys(Object(value)))),
]
const info = (name: string): Members => contract.info[name] as Members

t.test('a name that nothing reads is found', async (t) => {
  t.notOk(words.has(['keyDatabase', 'PresenceSeconds'].join('')))
  t.ok(words.has('keyDatabaseAbsenceSeconds'))
})

t.test('every limit sets a value, is in a schema with a case, or is asked for by a case', async (t) => {
  for (const name of Object.keys(info('x-limits'))) t.ok(words.has(name), name)
})

t.test('every failure is an answer of the service', async (t) => {
  for (const name of Object.keys(info('x-failures'))) t.ok(words.has(name), name)
})

t.test('every member of the service-wide extensions is read', async (t) => {
  const shown = new Set(['title', 'description', 'section', 'summary'])
  const objects = {
    'x-networks': Object.values(info('x-networks')),
    'x-failures': Object.values(info('x-failures')),
    'x-limits': Object.values(info('x-limits')),
    'x-head': [info('x-head')],
    'x-node-calls': [info('x-node-calls')],
    'x-http': [info('x-http')],
    'x-envelope': [info('x-envelope')],
    'x-rules': Object.values(info('x-rules')),
    'x-derived-rules': Object.values(info('x-derived-rules')),
  }
  t.same(
    Object.keys(contract.info)
      .filter((name) => name.startsWith('x-') && name !== 'x-method-defaults')
      .sort(),
    Object.keys(objects).sort(),
  )
  for (const [extension, values] of Object.entries(objects)) {
    t.ok(words.has(extension), extension)
    for (const name of namesIn(values)) if (!shown.has(name)) t.ok(words.has(name), `${extension} ${name}`)
  }
})

t.test('every declared extension is read', async (t) => {
  for (const { name } of contract['x-extensions']) {
    t.ok(words.has(name) || name === 'x-method-defaults', name)
  }
})
