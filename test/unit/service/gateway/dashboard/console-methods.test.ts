import { readFileSync } from 'node:fs'
import t from 'tap'
import { methods } from '../../../../../generated/methods.js'
import {
  curlOf,
  describeAnswer,
  prettyText,
  sortHeaders,
  toRequest,
} from '../../../../../src/service/gateway/dashboard/assets/console-call.js'
import { readConsoleMethods } from '../../../../../src/service/gateway/dashboard/index.js'
import { parseContract } from '../../../../../src/toolkit/contract/index.js'

/** The console's view of the contract, and the values that it computes. */
const shownMethods = await readConsoleMethods()
const contract = parseContract(readFileSync(new URL('../../../../../openrpc.json', import.meta.url), 'utf8'))
const named = (name: string) => {
  const method = shownMethods.find((each) => each.name === name)
  if (method === undefined) throw new TypeError(name)
  return method
}

t.test('every method is listed once with the texts of its descriptor', async (t) => {
  t.same(shownMethods.map(({ name }) => name).sort(), Object.keys(methods).sort())
  for (const { name, params, writes, group, description } of shownMethods) {
    const descriptor = methods[name as keyof typeof methods]
    t.same(
      params.map((param) => ({ name: param.name, required: param.required })),
      descriptor.params.map((param) => ({ name: param.name, required: param.required })),
      name,
    )
    t.equal(writes, descriptor.extensions['x-effect'] === 'write', name)
    t.ok(group && description, name)
    for (const param of params) t.ok(param.description, `${name} ${param.name}`)
  }
})

t.test(
  'every example is sent as the contract states it, without values that a field cannot hold',
  async (t) => {
    const left: string[] = []
    for (const { name, examples } of contract.methods) {
      const { params, examples: shown } = named(name)
      for (const example of examples) {
        const found = shown.find((each) => each.name === example.name)
        if (found === undefined) {
          left.push(example.name)
          continue
        }
        const fields = params.map((param, place) => ({ ...param, text: found.texts[place] ?? '' }))
        const { body } = toRequest(name, fields)
        t.same(
          JSON.parse(body ?? ''),
          { jsonrpc: '2.0', id: 1, method: name, params: example.params.map(({ value }) => value) },
          example.name,
        )
      }
    }
    t.ok(left.length > 0)
    for (const name of left) t.equal(name, 'surplus-param', 'the extra parameter has no field')
  },
)

t.test('fields follow the schemas', async (t) => {
  const [call, selector] = named('eth_call').params
  t.match(call, { kind: 'json', required: true, fallback: undefined })
  t.match(
    call?.members.find(({ name }) => name === 'to'),
    { required: false, description: 'The called address. Absent for a contract creation.' },
  )
  t.match(selector, { kind: 'text', choices: ['latest', 'earliest', 'pending'], members: [] })
  t.notMatch(call?.form, 'Specification')
  t.match(named('eth_getBlockByHash').params, [{ kind: 'text' }, { kind: 'boolean', fallback: 'false' }])
  t.match(named('eth_getBalance').params[1], { required: false, fallback: 'latest' })
  t.match(named('eth_getLogs').params, [{ kind: 'json' }])
})

t.test('empty fields are omitted at the end and sent as null elsewhere', async (t) => {
  const field = (text: string, kind: 'text' | 'json' | 'boolean' = 'text') => ({ name: 'x', kind, text })
  const params = (...fields: ReturnType<typeof field>[]) =>
    JSON.parse(toRequest('m', fields).body ?? '').params
  t.same(params(field(''), field(' ')), [])
  t.same(params(field(''), field(' a ')), [null, 'a'])
  t.same(params(field('latest'), field(' {"blockNumber":"0x1"}')), ['latest', { blockNumber: '0x1' }])
  t.same(params(field('true', 'boolean'), field(' \n', 'json')), [true])
  t.same(params(field('0x1'), field('{"a":[1]}', 'json')), ['0x1', { a: [1] }])
  t.match(toRequest('m', [{ name: 'filter', kind: 'json', text: '{' }]), {
    problem: { name: 'filter', text: /^Invalid JSON: / },
  })
})

t.test('the console describes each kind of answer', async (t) => {
  const told = (text: string, isCut = false) =>
    describeAnswer({ status: 200, text, isCut, milliseconds: 3.4 })
  t.same(told('{"jsonrpc":"2.0","id":1,"result":null}'), {
    isGood: true,
    what: 'Result',
    details: 'HTTP 200 · 3 ms · 38 bytes',
  })
  t.match(told('{"error":{"code":-32602}}'), { isGood: false, what: 'Error -32602' })
  for (const text of ['', 'null', '<html>', '[]', '{}'])
    t.match(told(text), { isGood: false, what: 'Not a JSON-RPC answer' }, text)
  t.match(told('{"jsonrpc":"2.0","id":1,"result":["0x', true), {
    isGood: true,
    details: 'HTTP 200 · 3 ms · the first 37 bytes',
  })
  t.equal(prettyText('{"a":[1]}'), '{\n  "a": [\n    1\n  ]\n}')
  t.equal(prettyText('<html>'), '<html>')
})

t.test('a curl command quotes its body and contains no token', async (t) => {
  t.equal(
    curlOf('http://x/key', `{"a":"it's"}`, false),
    `curl -s http://x/key \\\n  -H 'content-type: application/json' \\\n  -d '{"a":"it'\\''s"}'`,
  )
  t.match(curlOf('http://x/key', '{}', true), '  -H "authorization: Bearer $TOKEN" \\\n')
})

t.test('headers of the service come first', async (t) => {
  const headers = ['date', 'retry-after', 'content-type', 'ratelimit'].map((name) => [name, name] as const)
  t.same(
    sortHeaders(headers).map(([name]) => name),
    ['ratelimit', 'retry-after', 'date', 'content-type'],
  )
})
