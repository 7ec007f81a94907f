import { readFile } from 'node:fs/promises'
import t from 'tap'
import { faults } from '../../../lab/faults/index.js'
import { contractTerms } from '../../../src/judge/index.js'
import { parseContract } from '../../../src/toolkit/contract/index.js'

const contract = parseContract(await readFile('openrpc.json', 'utf8'))
const rules = new Set(contractTerms(contract).rules.map(({ id }) => id))

t.test('every theme of the contract has faults', async (t) => {
  t.ok(faults.length >= 60, `${faults.length} faults`)
  const themes = new Set(faults.map(({ rule }) => rule.split('.')[0]))
  const stated = new Set([...rules].map((id) => id.split('.')[0]))
  t.same([...themes].sort(), [...stated].sort())
})

t.test(
  'each fault has a unique name, a rule of the contract and a description of one sentence',
  async (t) => {
    const names = faults.map(({ name }) => name)
    t.same([...new Set(names)], names)
    for (const { name, rule, description } of faults) {
      t.match(name, /^[a-z0-9]+(-[a-z0-9]+)*$/, name)
      t.ok(rules.has(rule), `${name}: ${rule} is a rule`)
      t.match(description, /^\S.*[^.]\.$/, name)
      t.notMatch(description, /\. [A-Z]/, `${name}: one sentence`)
    }
  },
)

t.test('each fault starts with new state', async (t) => {
  for (const { name, begin } of faults) {
    const [one, two] = [begin(), begin()]
    t.not(one, two, name)
    t.ok(Object.keys(one).length > 0, `${name} has a hook`)
  }
})
