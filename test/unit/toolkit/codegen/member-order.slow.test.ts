import fc from 'fast-check'
import t from 'tap'
import type { GeneratedFile } from '../../../../src/toolkit/codegen/index.js'
import {
  type Contract,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseContract,
} from '../../../../src/toolkit/contract/index.js'
import { everyNth, runs } from '../../../support/runs.js'
import { documents } from './arbitrary-documents.js'
import { filesOf, fixtureNames, loadFixture } from './fixtures.js'

/** Keywords with author-defined members. Their order is part of the contract and preserved. */
const named = `properties patternProperties definitions dependencies schemas contentDescriptors
  errors`.split(/\s+/)
/** Keywords with data values. */
const data =
  `const enum default examples example examplePairings examplePairingObjects links value info variables
  tags`.split(/\s+/)

/** The document with reordered members and reordered required members. */
function shuffled(value: JsonValue, next: () => number, keyword = ''): JsonValue {
  const inner = (item: JsonValue | undefined, key: string) => shuffled(item ?? null, next, key)
  if (keyword.startsWith('x-') || data.includes(keyword) || keyword === '$ref') return value
  if (isArray(value)) {
    const items = value.map((item) => inner(item, ''))
    return keyword === 'required' ? mixed(items, next) : items
  }
  if (!isObject(value)) return value
  const members = Object.entries(value)
  if (named.includes(keyword)) {
    return Object.fromEntries(members.map(([key, item]) => [key, inner(item, '')]))
  }
  const plain = members.filter(([key]) => !key.startsWith('x-'))
  const extensions = members.filter(([key]) => key.startsWith('x-'))
  return Object.fromEntries([
    ...mixed(plain, next).map(([key, item]) => [key, inner(item, key)]),
    ...extensions,
  ])
}

function mixed<Item>(items: readonly Item[], next: () => number): readonly Item[] {
  return items
    .map((item) => [next(), item] as const)
    .sort(([one], [other]) => one - other)
    .map(([, item]) => item)
}

/** The contract of a document. */
const contractFrom = (document: JsonValue) => parseContract(JSON.stringify(document))

/** The comparable files. Derived cases have their own order, and `document.ts` has that of the document. */
function textsOf(contract: Contract): readonly GeneratedFile[] {
  return filesOf(contract)
    .filter(({ path }) => path !== 'document.ts')
    .map(({ path, content }) => ({
      path,
      content: path === 'conformance.json' ? sorted(content) : content,
    }))
}

function sorted(conformance: string): string {
  const { scenarios } = JSON.parse(conformance) as { scenarios: readonly { readonly id: string }[] }
  const byId = [...scenarios].sort((one, other) => (one.id < other.id ? -1 : 1))
  return JSON.stringify(byId)
}

const numbers = fc.infiniteStream(fc.double({ noNaN: true }))
const streamOf = (stream: Iterator<number>) => () => stream.next().value as number

t.test('the order of keywords in a schema, and of required members, changes nothing', async (t) => {
  // Two documents refer to other documents and are excluded.
  const names = fixtureNames.filter((each) => !['several-files', 'later-drafts'].includes(each))
  for (const name of everyNth(4, names)) {
    const contract = await loadFixture(name)
    const [stream] = fc.sample(numbers, 1)
    if (!stream) throw new Error('no numbers')
    const other = shuffled(contract.document, streamOf(stream[Symbol.iterator]()))
    t.same(textsOf(contractFrom(other)), textsOf(contract), name)
  }
})

t.test('the same holds for any document', async () => {
  fc.assert(
    fc.property(documents(), numbers, (document, stream) => {
      const other = shuffled(document, streamOf(stream[Symbol.iterator]())) as JsonObject
      const [one, two] = [textsOf(contractFrom(document)), textsOf(contractFrom(other))]
      const changed = one.find(({ content }, at) => content !== two[at]?.content)
      if (changed) throw new Error(`${changed.path} differs`)
    }),
    { numRuns: runs(30) },
  )
})
