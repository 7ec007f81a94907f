import t from 'tap'
import { readWrittenOut } from './authored-contract.js'

const contract = readWrittenOut()
const rules = contract.info['x-rules']
const ids = new Set(rules.map(({ id }) => id))
const groups = [
  'batch',
  'block',
  'call',
  'defaults',
  'envelope',
  'estimate-gas',
  'hashing',
  'http',
  'identity',
  'keys',
  'log',
  'logs',
  'lookup',
  'quota',
  'receipt',
  'send-raw',
  'state',
  'transaction',
  'uncle',
]

t.test('rule ids are unique and belong to the known groups', async (t) => {
  t.equal(ids.size, rules.length)
  t.same([...new Set(rules.map(({ id }) => id.split('.')[0]))].sort(), groups)
})

t.test('every rule has at least one sentence and a section of the specification', async (t) => {
  for (const { id, text, section } of rules) {
    t.match(text, /^[A-Z0-9`].*\.$/, id)
    t.match(section, /^\d(\.\d)?( rule \d)?$/, `${id}: section`)
  }
})

t.test('every rule of a method exists, and no method names one twice', async (t) => {
  for (const { name, 'x-rules': named } of contract.methods) {
    t.ok(named.length > 0, `${name} has rules`)
    t.equal(new Set(named).size, named.length, `${name}: each once`)
    for (const id of named) if (!ids.has(id)) t.fail(`${name}: ${id} does not exist`)
  }
})

t.test('a limit in a rule is a limit of the contract', async (t) => {
  const limits = contract.info['x-limits']
  const members = new Set(
    Object.values(contract.components.schemas).flatMap((schema) => Object.keys(schema['properties'] ?? {})),
  )
  for (const { id, text } of rules) {
    for (const [, word = ''] of text.matchAll(/`([a-z]+[A-Z][A-Za-z]*)`/g)) {
      t.ok(word in limits || members.has(word), `${id}: ${word}`)
    }
  }
})

t.test('lookups, states and defaults name the rule about missing objects', async (t) => {
  for (const method of contract.methods) {
    const named = method['x-rules']
    const errors = method.errors.map(({ $ref }) => $ref.split('/').at(-1))
    if (method['x-lookup'])
      t.ok(
        named.some((id) => /null$/.test(id)),
        `${method.name}: null`,
      )
    t.equal(
      named.includes('state.unknown-block'),
      errors.includes('blockNotFound'),
      `${method.name}: unknown block`,
    )
    t.equal(
      named.includes('defaults.filled-in'),
      method.params.some((param) => !param.required),
      `${method.name}: defaults`,
    )
    t.equal(
      named.includes('defaults.missing-param'),
      method.params.some((param) => param.required),
      `${method.name}: missing`,
    )
  }
})

t.test('every section of the specification with rules is covered', async (t) => {
  const sections = new Set(rules.map(({ section }) => section.split(' ')[0]))
  const wanted = [
    '2.1',
    '2.2',
    '2.3',
    '2.4',
    '2.5',
    '2.6',
    '2.7',
    '2.8',
    '3',
    '4',
    '4.1',
    '4.2',
    '4.3',
    '5.1',
    '5.2',
    '5.3',
    '5.5',
    '5.6',
    '6',
  ]
  for (const section of [...wanted, '7.1', '7.3', '7.5', '8', '9']) t.ok(sections.has(section), section)
})
