import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { RpcError } from '@concordat/rpc'
import t from 'tap'
import { extensions, limits, rules, title, version } from '../../../../generated/contract.js'
import { errors, errorTable, failure, failures } from '../../../../generated/errors.js'
import { examples } from '../../../../generated/examples.js'
import { methods } from '../../../../generated/methods.js'
import { type GeneratedFile, generate } from '../../../../src/toolkit/codegen/index.js'
import {
  isObject,
  member,
  objectMember,
  parseContract,
  stringMember,
} from '../../../../src/toolkit/contract/index.js'
import { fileOf, filesOf, generatedOf, ownContract, tool } from './fixtures.js'

const path = (name: string) => fileURLToPath(new URL(`../../../../${name}`, import.meta.url))
const contract = await ownContract()

t.test("generated data equals the contract's, name for name", async (t) => {
  t.equal(title, contract.title)
  t.equal(version, contract.version)
  const authored = Object.entries(objectMember(contract.info, 'x-limits'))
  t.same(
    limits,
    Object.fromEntries(authored.map(([name, limit]) => [name, isObject(limit) && member(limit, 'value')])),
  )
  t.same(Object.keys(failures), Object.keys(objectMember(contract.info, 'x-failures')))
  t.same(extensions['x-networks'], contract.info['x-networks'])
  t.ok(Object.values(rules).every(({ text, section }) => text.length > 0 && section.length > 0))
  t.same(
    Object.keys(methods),
    contract.methods.map(({ name }) => name),
  )
  t.same(
    Object.keys(errorTable),
    contract.errors.map(({ key }) => key),
  )
})

t.test("every error and every failure creates an RpcError with the contract's facts", async (t) => {
  for (const [name, { code, message }] of Object.entries(errorTable)) {
    const error = errors[name as keyof typeof errors]({ data: '0x' as never })
    t.ok(error instanceof RpcError)
    t.match(error, { code, message, httpStatus: 200, data: '0x' })
  }
  for (const [name, authored] of Object.entries(objectMember(contract.info, 'x-failures'))) {
    if (!isObject(authored)) throw new Error(name)
    const error = failure(name as keyof typeof failures)
    t.equal(error.httpStatus, member(authored, 'httpStatus'), name)
    t.equal(error.message, stringMember(authored, 'message'), name)
    t.equal(error.code, errorTable[stringMember(authored, 'error') as keyof typeof errorTable].code, name)
    t.equal(error.retryAfterSeconds, member(authored, 'retryAfterSeconds'), name)
  }
})

t.test('message, data, cause and the values of a message can be given', async (t) => {
  const cause = new Error('underneath')
  t.match(errors.limitExceeded({ message: 'no {more}', cause }), { message: 'no {more}', cause })
  const over = failure('logsOverLimit', {
    values: { limit: 10, from: '0x1', to: '0x2' },
    data: { from: '0x1' },
  })
  t.match(over.message, /10.*\[0x1, 0x2\]/)
  t.same(over.data, { from: '0x1' })
  t.match(failure('logsOverLimit', { values: { toString: 1 } }).message, /\{limit\}/)
})

t.test('every example of the contract is valid', async (t) => {
  for (const { name, examples } of contract.methods) {
    const { validateParams, validateResult } = methods[name as keyof typeof methods]
    for (const example of examples) {
      const problems = validateParams(example.params.map(({ value }) => value))
      const refused =
        isObject(example.error) && member(example.error, 'code') === errorTable.invalidParams.code
      if (!refused) t.same(problems, [], `${example.name}: parameters`)
      if (example.result) t.same(validateResult(example.result.value), [], `${example.name}: result`)
    }
  }
})

t.test('no example and no link is omitted', async (t) => {
  t.same(generatedOf(contract).leftOut, [])
  for (const method of contract.methods) {
    const shown = examples[method.name as keyof typeof examples]
    t.same(
      shown.map(({ name }) => name),
      method.examples.map(({ name }) => name),
      method.name,
    )
  }
})

t.test(
  'lines of generated TypeScript have at most 120 characters, unless they hold one long text',
  async (t) => {
    const names = (await readdir(path('generated'))).filter((name) =>
      /^(?!document\.).*(?<!\.d)\.ts$/.test(name),
    )
    t.ok(names.length >= 8)
    for (const name of names) {
      const lines = (await readFile(path(`generated/${name}`), 'utf8')).split('\n')
      const long = lines.filter((line) => line.length > 120 && !/^\s*(?:[\w'-]+: )?(['"]).*\1,?$/.test(line))
      t.same(long, [], name)
    }
  },
)

t.test('generated code names the errors of every method once', async (t) => {
  const places = { errors: 'errors.parseError', methods: "'parseError'", client: "  | 'parseError'" }
  for (const [name, place] of Object.entries(places)) {
    const text = await readFile(path(`generated/${name}.ts`), 'utf8')
    t.equal(text.split(place).length, 2, name)
  }
  t.same(methods.eth_accounts.errors.slice(0, 2), ['parseError', 'invalidRequest'])
  t.equal(methods.eth_call.errors.at(-1), 'transactionRejected')
})

t.test('the published document has all that cases are made of', async (t) => {
  const scenariosIn = (files: readonly GeneratedFile[]) =>
    JSON.parse(fileOf(files, 'conformance.json')).scenarios
  const published = parseContract(JSON.stringify(contract.published()))
  t.same(
    scenariosIn(generate(published, tool, { only: ['conformance'] }).files),
    scenariosIn(filesOf(contract)),
  )
})
