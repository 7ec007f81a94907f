import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { main } from '../../../../src/cli/main.js'
import { freePort } from '../../../support/free-port.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { type Answer, type Call, ownKey, startDeployment } from '../run/deployment.js'

/** A growing register: entries by number or by `last`, and volatile members. */
const contract = {
  openrpc: '1.3.2',
  info: {
    title: 'Register',
    version: '1.0.0',
    'x-networks': {
      north: { title: 'North', chainId: '0xa', netVersion: '10', keySuffix: 'N' },
      south: { title: 'South', chainId: '0xb', netVersion: '11', keySuffix: 'S' },
    },
    'x-http': { paths: ['/{key}'] },
    'x-limits': { age: { value: 0.2, unit: 'seconds', section: '1', description: 'Age of answers.' } },
    'x-head': {
      method: 'entry',
      params: ['last'],
      number: '$.result.number',
      hash: '$.result.hash',
      moving: ['last'],
      cachedFor: 'age',
      unsettled: ['next'],
    },
  },
  methods: [
    {
      name: 'entry',
      'x-effect': 'read',
      params: [{ name: 'which', required: true, schema: { type: 'string' } }],
      result: { name: 'entry', schema: {} },
      examples: ['last', 'next', '0x2', '0xff'].map((which) => ({
        name: which,
        params: [{ name: 'which', value: which }],
        result: { name: 'entry', value: null },
      })),
    },
    {
      name: 'list',
      'x-effect': 'read',
      params: [
        {
          name: 'filter',
          required: true,
          schema: {
            type: 'object',
            properties: {
              hash: { type: 'string' },
              from: { type: 'string', default: 'last' },
              to: { type: 'string', default: 'last' },
            },
            additionalProperties: false,
            if: { required: ['hash'] },
            // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
            then: { properties: { from: false, to: false } },
          },
        },
      ],
      result: {
        name: 'numbers',
        schema: { type: 'array', items: { type: 'object', properties: { number: {} } } },
      },
      examples: [{}, { to: 'last' }, { hash: 'hash of 2' }].map((filter, at) => ({
        name: `list-${at}`,
        params: [{ name: 'filter', value: filter }],
        result: { name: 'numbers', value: [] },
      })),
    },
    {
      name: 'clock',
      'x-effect': 'read',
      'x-volatile': [''],
      params: [],
      result: { name: 'time', schema: { type: 'integer' } },
    },
    { name: 'strike', 'x-effect': 'write', params: [], result: { name: 'done', schema: {} } },
    { name: 'unmarked', params: [], result: { name: 'done', schema: {} } },
  ].map((method) => ({
    examples: [{ name: 'plain', params: [], result: { name: 'r', value: 1 } }],
    ...method,
  })),
}

/** Entries up to a head. The hash of each derives from its number. */
const register =
  (head: number, others: Readonly<Record<string, (call: Call) => Answer | undefined>> = {}) =>
  (call: Call): Answer => {
    const other = others[call.method]?.(call)
    if (other !== undefined) return other
    if (call.method === 'clock') return { result: Math.floor(performance.now()) }
    if (call.method === 'list') {
      const [filter] = call.params
      const isRight = call.params.length === 1 && typeof filter === 'object' && !Array.isArray(filter)
      if (!isRight || Object.values(filter ?? { no: 0 }).some((value) => typeof value !== 'string'))
        return { error: { code: -32602, message: 'Which?' } }
      const { hash, from = 'last', to = 'last' } = filter as Record<string, string>
      const at = (which: string) => (which === 'last' ? head : Number(which))
      const [first, last] = hash === undefined ? [at(from), Math.min(at(to), head)] : [2, 2]
      const numbers = Array.from({ length: Math.max(0, last - first + 1) }, (_, add) => first + add)
      return { result: numbers.map((number) => ({ number })) }
    }
    const [which] = call.params
    if (call.method !== 'entry' || typeof which !== 'string')
      return { error: { code: -32602, message: 'Which?' } }
    const number = which === 'last' || which === 'next' ? head : Number(which)
    const isThere = Number.isInteger(number) && number <= head
    return {
      result: isThere ? { number: `0x${number.toString(16)}`, hash: `hash of ${number}`, size: 7 } : null,
    }
  }

type Script = Parameters<typeof startDeployment>[1]

async function compared(t: Test, scripts: readonly [Script, Script], args: readonly string[] = []) {
  const folder = await temporaryFolder(t)
  const document = join(folder, 'register.json')
  await writeFile(document, JSON.stringify(contract))
  const [a, b] = [await startDeployment(t, scripts[0]), await startDeployment(t, scripts[1])]
  const report = join(folder, 'report.json')
  const run = await compare([a.url, b.url, '--contract', document, '--report', `json=${report}`, ...args])
  const text = await readFile(report, 'utf8').catch(() => undefined)
  t.notMatch(run.out + run.err + text, ownKey, 'the key is never shown')
  return { ...run, a, b, document, json: text === undefined ? undefined : JSON.parse(text) }
}

async function compare(args: readonly string[]) {
  const out: string[] = []
  const err: string[] = []
  const io = { out: (line: string) => out.push(line), err: (line: string) => err.push(line), env: {} }
  const code = await main(['compare', ...args], io)
  return { code, out: out.join('\n'), err: err.join('\n') }
}

t.test('two equal services exit with 0, and volatile or unsettled values are not compared', async (t) => {
  const { code, out, err, json, a, b } = await compared(t, [register(9), register(9)])
  t.equal(code, 0, err)
  t.match(out, /Pinned +9 \(hash of 9\), which both have/)
  t.match(out, /\d+ alike, 1 not compared/)
  t.equal(json.schema, 'concordat-compare-report/1')
  t.equal(json.counts.different, 0)
  for (const { methods } of [a, b]) t.notOk(methods().includes('strike'), 'no writes are sent')
  t.notOk(b.methods().includes('unmarked'), 'and no method with an unknown effect')
  t.match(
    out,
    /not run +The contract does not say what "unmarked" does\. If it only reads, use --assume-read "unmarked"/,
  )
})

t.test('a lagging service is compared at the lower head', async (t) => {
  const { code, json, b } = await compared(t, [register(9), register(6)])
  t.equal(code, 0)
  t.same(json.pinned, { number: '0x6', hash: 'hash of 6' })
  t.ok(b.requests.some(({ body }) => body.includes('"params":["0x6"]')))
})

t.test('an omitted member that means the head is pinned, unless another member excludes it', async (t) => {
  const { code, json, b } = await compared(t, [register(9), register(6)], ['--only', 'derived/list/*'])
  t.same(
    json.requests.filter((one: { comparison: string }) => one.comparison === 'different'),
    [],
  )
  t.equal(code, 0)
  t.equal(json.counts.different, 0)
  const sent = b.requests.map(({ body }) => body)
  t.ok(sent.some((body) => body.includes('"params":[{"from":"0x6","to":"0x6"}]')))
  t.ok(sent.some((body) => body.includes('"to":"0x6"') && body.includes('"from":"0x6"')))
  t.ok(sent.some((body) => body.includes('"params":[{"hash":"hash of 2"}]')))
})

t.test('a call about a block above the common one depends on the head', async (t) => {
  const cases = await temporaryFolder(t)
  await mkdir(join(cases, 'list'))
  await writeFile(
    join(cases, 'list', 'later.yaml'),
    `scenario: A list to a later entry.
steps:
  - { call: entry, params: [last], capture: { head: $.result.number } }
  - { call: list, params: [{ to: '\${head + 3}' }], expect: { result: { $length: { $min: 1 } } } }`,
  )
  const { code, json, out } = await compared(
    t,
    [register(9), register(6)],
    ['--scenarios', cases, '--only', 'list/later'],
  )
  t.equal(code, 0, out)
  t.match(json.counts, { different: 0, inconclusive: 1 })
  t.match(json.requests[1], { reason: /depends on the head, which differed or moved/ })
})

t.test('members that the contract does not list are compared unless they are left out', async (t) => {
  const more = register(9, { list: () => ({ result: [{ number: 9, colour: 'red' }] }) })
  const less = register(9, { list: () => ({ result: [{ number: 9 }] }) })
  const only = ['--only', 'derived/list/*']
  t.equal((await compared(t, [more, less], only)).code, 1)
  t.equal((await compared(t, [more, less], [...only, '--members', 'listed'])).code, 0)
  const { code, err } = await compare([
    'http://127.0.0.1:1/',
    'http://127.0.0.1:2/',
    '--members',
    'some',
  ]).catch((error: Error) => ({ code: 2, err: error.message }))
  t.equal(code, 2)
  t.match(err, '--members takes all or listed')
})

t.test('a difference is reported with method, parameters, place, both values and curl lines', async (t) => {
  const wrong = register(9, {
    entry: ({ params: [which] }) =>
      which === '0x2' ? { result: { number: '0x2', hash: 'hash of 2', size: 8 } } : undefined,
  })
  const { code, out, json, a, b } = await compared(t, [register(9), wrong])
  t.equal(code, 1)
  t.equal(json.counts.different, 1)
  t.match(
    json.requests.find(({ comparison }: { comparison: string }) => comparison === 'different'),
    {
      case: 'derived/entry/example-0x2',
      methods: ['entry'],
      params: [['0x2']],
      differences: [{ where: '/result/size', a: '7', b: '8' }],
    },
  )
  t.match(
    out,
    /✗ entry +derived\/entry\/example-0x2\n +params +\["0x2"\]\n +at +\/result\/size\n +A +7\n +B +8\n/,
  )
  t.match(out, /\n +\$ curl -s "\$URL_A" .*\["0x2"\]/)
  t.match(out, /\n +\$ curl -s "\$URL_B" .*\["0x2"\]/)
  t.match(
    out,
    /again +npx concordat compare "\$URL_A" "\$URL_B" --contract .* --only derived\/entry\/example-0x2/,
  )
  const asked = ({ requests }: typeof a) => requests.filter(({ body }) => body.includes('"0x2"')).length
  t.ok(asked(a) >= 2 && asked(b) >= 2, 'the request was repeated')
})

t.test('a difference that disappears is inconclusive', async (t) => {
  let times = 0
  const once = register(9, {
    entry: ({ params: [which] }) =>
      which === '0x9' && ++times === 2
        ? { result: { number: '0x9', hash: 'hash of 9', size: 8 } }
        : undefined,
  })
  const { code, json, out } = await compared(
    t,
    [register(9), once],
    ['--require-complete', '--only', '*example-last'],
  )
  t.equal(json.counts.inconclusive, 1, out)
  t.equal(code, 2, 'no other method was compared')
  t.match(out, /inconclusive +the answers differed at first and were equal in a second attempt/)
})

t.test('a difference while the head moves is inconclusive, and both heads are reported', async (t) => {
  let head = 9
  const moving = register(9, {
    entry: ({ params: [which] }) =>
      which === 'last'
        ? { result: { number: `0x${(++head).toString(16)}`, hash: `h${head}`, size: 1 } }
        : undefined,
  })
  const odd =
    (size: number) =>
    ({ params: [which] }: Call) =>
      which === '0xff' ? { result: { number: '0xff', size } } : undefined
  const one = register(9, { entry: odd(1) })
  const { code, json, out } = await compared(
    t,
    [one, (call) => odd(2)(call) ?? moving(call)],
    ['--only', 'derived/entry/example-*', '--require-complete'],
  )
  const found = json.requests.filter(
    ({ comparison }: { comparison: string }) => comparison === 'inconclusive',
  )
  t.match(found, [
    {
      params: [['0xff']],
      reason: /the call depends on the head, which differed or moved: A 0x9 \(hash of 9\), B 0x/,
    },
  ])
  t.equal(json.counts.different, 0, out)
  t.equal(code, 3)
})

t.test('a cached head does not hide that the head moved', async (t) => {
  let times = 0
  let movedAt = Number.POSITIVE_INFINITY
  const sized = (size: number, head: () => number) => (call: Call) => {
    if (call.params[0] !== '0xff') return register(head())(call)
    // The second attempt begins.
    if (++times === 3) movedAt = performance.now()
    return { result: { number: '0xff', size } }
  }
  const late = () => (performance.now() > movedAt + 150 ? 10 : 9)
  const { json, out } = await compared(t, [sized(1, () => 9), sized(2, late)], ['--only', '*/example-*'])
  t.match(json.counts, { different: 0, inconclusive: 1 }, out)
})

t.test('an answer that may be cached since the head moved is no difference', async (t) => {
  /** @param cachedFor milliseconds after the first call in which the size is an old one */
  const sized = (cachedFor: number) => {
    let from: number | undefined
    return (call: Call) => {
      if (call.params[0] !== '0xff') return register(9)(call)
      from ??= performance.now()
      return { result: { number: '0xff', size: performance.now() < from + cachedFor ? 1 : 2 } }
    }
  }
  const different = async (cachedFor: number) =>
    (await compared(t, [sized(0), sized(cachedFor)], ['--only', '*/example-*'])).json.counts.different
  t.equal(await different(200), 0, 'it has expired when the call is repeated')
  t.equal(await different(Number.POSITIVE_INFINITY), 1, 'no answer is cached for so long')
})

t.test('a block that is replaced during the comparison is inconclusive', async (t) => {
  let times = 0
  const reorganised = register(9, {
    entry: ({ params: [which] }) =>
      which === '0x9' && ++times > 1 ? { result: { number: '0x9', hash: `h${times}` } } : undefined,
  })
  const { json, out } = await compared(t, [register(9), reorganised], ['--only', '*example-last'])
  t.match(
    json.requests,
    [{ comparison: 'inconclusive', reason: /the compared block changed meanwhile/ }],
    out,
  )
})

t.test('a missing answer is never agreement', async (t) => {
  const silent: readonly (readonly [Answer, RegExp])[] = [
    ['reset', /closed the connection before the whole answer arrived/],
    [{ status: 502, body: '<h1>Bad gateway</h1>' }, /HTTP 502 means that the deployment cannot answer/],
    [{ status: 503, body: '<h1>Unavailable</h1>' }, /HTTP 503 means that the deployment cannot answer/],
    [{ status: 200, body: 'hello' }, /HTTP 200 without a JSON-RPC answer/],
  ]
  for (const [answer, told] of silent) {
    const broken = register(9, { entry: ({ params: [which] }) => (which === '0x2' ? answer : undefined) })
    for (const scripts of [
      [register(9), broken],
      [broken, broken],
    ] as const) {
      const { code, json, out } = await compared(t, scripts)
      t.equal(code, 1, out)
      t.equal(json.counts.unanswered, 1)
      t.match(out, told)
    }
  }
})

t.test('a service that is unreachable or refuses the credentials is named', async (t) => {
  const { document, a } = await compared(t, [register(9), register(9)], ['--only', '*clock*'])
  const dead = `http://127.0.0.1:${await freePort()}/${ownKey}`
  for (const [urls, told] of [
    [
      [a.url, dead],
      /^concordat compare: B, http:\/\/127\.0\.0\.1:\d+\/•••••-N, cannot be reached: .*nothing listens on that port/,
    ],
    [[dead, a.url], /^concordat compare: A, .* cannot be reached/],
  ] as const) {
    const { code, out, err } = await compare([...urls, '--contract', document])
    t.equal(code, 2)
    t.equal(out, '')
    t.match(err, told)
    t.notMatch(err, ownKey)
  }
  const closed = await startDeployment(t, () => ({ status: 401, body: '{}' }))
  const refused = await compare([a.url, closed.url, '--contract', document])
  t.equal(refused.code, 2)
  t.match(refused.err, /B, .*, refuses access \(HTTP 401\)/)
})

t.test('services with different networks or histories are refused', async (t) => {
  const { document, a, b } = await compared(t, [register(9), register(9)], ['--only', '*clock*'])
  const south = b.url.replace(/N$/, 'S')
  const networks = await compare([a.url, south, '--contract', document])
  t.equal(networks.code, 2)
  t.match(
    networks.err,
    /A serves the network north, B serves south; use --only to compare selected calls anyway/,
  )
  const chosen = await compare([a.url, south, '--contract', document, '--only', '*clock*'])
  t.equal(chosen.code, 0)
  t.match(chosen.out, /Note +A serves the network north, B serves south/)
  const other = register(9, {
    entry: ({ params: [which] }) => ({
      result: { number: which === 'last' ? '0x9' : which, hash: `other ${which}` },
    }),
  })
  const histories = await compared(t, [register(9), other])
  t.equal(histories.code, 2)
  t.match(
    histories.err,
    /A and B have no common block below their heads \(0x9 and 0x9\): they serve different chains/,
  )
})

t.test('a budget, a report on standard output and a folder of scenarios are supported', async (t) => {
  const spent = await compared(t, [register(9), register(9)], ['--budget', '5'])
  t.match(spent.out, /not run +the budget is spent/)
  t.ok(spent.a.requests.length <= 5 && spent.b.requests.length <= 5)
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'entries'))
  const scenario = [
    'scenario: The second entry is its own.',
    'steps:',
    '  - { call: entry, params: ["0x2"], capture: { hash: $.result.hash }, expect: { result: { $not: null } } }',
    '  - { batch: [{ call: entry, params: ["0x1"] }, { call: entry, params: [last] }], expect: { body: { $length: 2 } } }',
  ]
  await writeFile(join(folder, 'entries', 'second.yaml'), scenario.join('\n'))
  const { code, out } = await compare([
    ...[spent.a.url, spent.b.url, '--contract', spent.document],
    ...['--scenarios', folder, '--only', 'entries/*', '--report', 'json=-'],
  ])
  t.equal(code, 0, out)
  t.match(JSON.parse(out).requests, [
    { methods: ['entry'], comparison: 'alike' },
    { methods: ['entry', 'entry'], params: [['0x1'], ['0x9']], comparison: 'alike' },
  ])
})

t.test('headers are sent to both services or to one, and never shown', async (t) => {
  const [common, own] = ['Bearer Aa1Bb2Cc3Dd4Ee5Ff6Gg7', 'Hh8Ii9Jj0Kk1Ll2Mm3Nn4Oo5']
  const wrong = register(9, {
    entry: ({ params: [which], got }) => (which === '0x2' ? { result: got.headers['x-own'] } : undefined),
  })
  const args = [
    '--header',
    `Authorization: ${common}`,
    '--header-b',
    `x-own: ${own}`,
    '--only',
    '*example-0x2',
  ]
  const { a, b, out, err, json } = await compared(t, [register(9), wrong], args)
  t.ok(a.requests.every(({ headers }) => headers.authorization === common && headers['x-own'] === undefined))
  t.ok(b.requests.every(({ headers }) => headers.authorization === common && headers['x-own'] === own))
  const written = out + err + JSON.stringify(json)
  for (const secret of [common.slice(7), own]) t.notMatch(written, secret)
  t.match(out, /"\$URL_B" -H 'authorization: •••••' -H 'x-own: •••••'/)
})

t.test('invalid options are refused in one line', async (t) => {
  for (const [args, told] of [
    [[], /missing required argument 'URL_A'\. See --help\./],
    [['http://a.example'], /missing required argument 'URL_B'\./],
    [['a', 'b', 'c'], /too many arguments\. Expected 2 arguments but got 3/],
    [['http://a.example', 'b.example', '--network', 'test'], /must be complete and start with/],
    [['a', 'b', '--report', 'html=x'], /--report needs json=FILE/],
    [['a', 'b', '--nothing'], /See --help/],
  ] as const) {
    const { code, err } = await compare(args)
    t.equal(code, 2)
    t.match(err, told)
  }
  const { code, out } = await compare(['--help'])
  t.equal(code, 0)
  t.match(out, /never counts as agreement/)
})
