/**
 * Every statement of the contract has a reader: changing it changes an answer, a case or generated code. Copies of the
 * contract (`contract.ts`, `document.ts`) do not count. `npm test` changes statements of some kinds, the long form of all.
 */

import t from 'tap'
import { ContractError } from '../../../src/toolkit/contract/index.js'
import { isLong } from '../../support/runs.js'
import { type Members, readAuthored } from './authored-contract.js'
import { aroundStatement, kindOf, mutationsOf, type Place, statementsOf, valuesByKind } from './mutations.js'
import { namedStatement } from './named-statement.js'
import { type Readings, readingsOf } from './readers.js'

const contract = readAuthored() as unknown as Members
const values = valuesByKind(contract)
const kinds = new Map<string, Place[]>()
for (const place of statementsOf(contract))
  kinds.set(kindOf(place), [...(kinds.get(kindOf(place)) ?? []), place])

/** Statements that no change leaves valid: others name them, or they have no other value. */
const fixed: ReadonlySet<string> = new Set([
  'info/x-method-defaults/x-contract-addresses',
  'info/x-head/method',
  'methods/*/params',
  'methods/*/params/*/name',
  'methods/*/x-about',
  'methods/*/x-about/head',
  'methods/*/x-about/transaction',
  'methods/*/x-contract-addresses',
  'methods/*/x-contract-addresses/*/receiverOf',
])
/** Statements that OpenRPC asks for, whether or not something reads them. */
const unread: ReadonlySet<string> = new Set(['methods/*/result/name'])

/**
 * Changes a statement until a reader notices.
 * @returns what happened to the last change: a reader noticed it, none did, or the contract was refused
 */
async function outcomeOf(place: Place, document = contract): Promise<'read' | 'unread' | 'refused'> {
  const small = aroundStatement(document, place)
  const isForPeople = /^(?:methods|components|servers)\/|^info\/x-rules\//.test(place.join('/'))
  const before = readingsOf(small.document, isForPeople)
  let outcome: 'unread' | 'refused' = 'refused'
  for (const { apply } of mutationsOf(small.document, small.place, values.get(kindOf(place)) ?? new Set())) {
    const changed = structuredClone(small.document)
    apply(changed)
    try {
      if (await differ(before, readingsOf(changed, isForPeople))) return 'read'
      outcome = 'unread'
    } catch (error) {
      if (!(error instanceof ContractError)) throw error
    }
  }
  return outcome
}

async function differ(before: Readings, after: Readings): Promise<boolean> {
  for (const [at, reading] of before.entries()) if ((await reading()) !== (await after[at]?.())) return true
  return false
}

/** Statements of a kind that are tried: the first ones, and the last one. */
const tried = (places: readonly Place[]) => [
  ...new Set([...places.slice(0, isLong ? 3 : 1), ...(isLong ? places.slice(-1) : [])]),
]

t.test('a change of a statement changes an answer, a case or generated code', async (t) => {
  const mutable = [...kinds].filter(([, [place = []]]) => !namedStatement.test(place.join('/')))
  const sample = mutable.filter((_, at) => isLong || at % 24 === 7)
  for (const [kind, places] of sample) {
    const outcomes = []
    for (const place of tried(places)) outcomes.push([await outcomeOf(place), place.join('/')] as const)
    const want = fixed.has(kind) ? ['refused', 'read'] : unread.has(kind) ? ['unread', 'read'] : ['read']
    const others = outcomes.filter(([outcome]) => !want.includes(outcome) && outcome !== 'refused')
    t.same(others, [], kind)
    if (!fixed.has(kind))
      t.ok(
        outcomes.some(([outcome]) => want.includes(outcome)),
        `${kind} is not refused alone`,
      )
  }
})

t.test('a statement that nothing reads is found', async (t) => {
  const document = readAuthored() as unknown as Members
  const http = (document['info'] as Members)['x-http'] as Members
  http['cors'] = { ...(http['cors'] as Members), maximum: 1 }
  t.equal(await outcomeOf(['info', 'x-http', 'cors', 'maximum'], document), 'unread')
})
