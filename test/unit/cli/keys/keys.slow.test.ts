import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { limits } from '../../../../generated/contract.js'
import type { CommandIo } from '../../../../src/cli/io.js'
import { keysCommand } from '../../../../src/cli/keys/keys.js'
import { loadSecret, openStore, serveControl } from '../../../../src/service/gateway/index.js'
import { createKeyCommands, createKeys } from '../../../../src/service/gateway/keys/index.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'

const dataDir = join(await temporaryFolder(t), 'data')

/** Runs `concordat keys` as the command line does; an error is one line and exit code 2. */
async function keys(args: readonly string[], env: CommandIo['env'] = {}) {
  const out: string[] = []
  const err: string[] = []
  const io = { out: (line: string) => out.push(line), err: (line: string) => err.push(line), env }
  const code = await keysCommand(args, io).catch((error: Error) => {
    if (error.name !== 'UsageError') throw error
    err.push(error.message)
    return 2
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}
const onData = (...args: string[]) => keys([...args, '--data', dataDir])
const create = (name: string, ...more: string[]) =>
  onData('create', '--user', 'ada@example.com', '--network', 'test', '--name', name, ...more)

t.test('--help prints the usage', async (t) => {
  for (const args of [['--help'], ['-h'], ['create', '--help']]) {
    const { code, out } = await keys(args)
    t.equal(code, 0)
    for (const word of [
      'create',
      'list',
      'set',
      '--daily-limit',
      '--allow-addresses',
      '--jwt-key',
      'rotate',
      'disable',
      'enable',
      'delete',
      '--json',
      'CONCORDAT_DATA',
    ]) {
      t.ok(out.includes(word), word)
    }
  }
})

for (const [args, reason] of [
  [[], /missing required argument 'ACTION'\. See --help\./],
  [['make'], /ACTION takes create, list, set/],
  [['create'], /needs --user/],
  [['create', '--user', 'a@b.co'], /needs --network/],
  [['create', '--user', 'a@b.co', '--network', 'test'], /needs --name/],
  [['create', '--user'], /--user/],
  [['create', 'x', '--user', 'a@b.co', '--network', 'test', '--name', 'n'], /keys create takes no id/],
  [['rotate'], /needs the id of a key/],
  [['delete', 'a', 'b'], /too many arguments/],
  [['list', '--name', 'n'], /--name is an option of keys create and set only/],
  [['set', 'k', '--user', 'a@b.co'], /--user is an option of keys create only/],
  [['create', '--daily-limit', '5'], /--daily-limit is an option of keys set only/],
  [['disable', 'k', '--grace', '1'], /--grace is an option of keys rotate only/],
  [['rotate', 'k', '--grace', '25'], /--grace/],
  [['set'], /needs the id of a key/],
  [['set', 'k'], /needs at least one change/],
  [['set', 'k', '--daily-limit', 'many'], /--daily-limit must be an integer or "none"$/],
  [['set', 'k', '--jwt-audience', 'app'], /--jwt-audience needs a --jwt-key/],
  [['list', '--nonsense'], /--nonsense/],
  [['list', '--data', ''], /--data needs/],
] as const) {
  t.test(`keys ${args.join(' ')}: one line, exit 2`, async (t) => {
    const { code, out, err } = await keys(args)
    t.equal(code, 2)
    t.match(err, reason)
    t.equal(out, '')
    t.notMatch(err, /\n/)
  })
}

t.test('only create makes a missing folder, and not for invalid input', async (t) => {
  for (const action of [['list'], ['disable', 'key_1']]) {
    const { code, err } = await onData(...action)
    t.equal(code, 2)
    t.match(err, `The data folder ${dataDir} does not exist`)
  }
  t.notOk(existsSync(dataDir))
})

t.test('without a service the command works on the database itself', async (t) => {
  const made = await create('first', '--description', 'of the tests')
  t.equal(made.code, 0, made.err)
  t.match(made.out, /^http:\/\/127\.0\.0\.1:8080\/[A-Za-z0-9]{30}-T$/, 'only the URL')
  const id = /key_\w+/.exec(made.err)?.[0] ?? ''
  const listed = await onData('list')
  for (const word of [id, 'ada@example.com', 'test', 'enabled', 'first', 'of the tests'])
    t.match(listed.out, word)
  t.notMatch(listed.out, made.out.slice(-32))
  t.match(await onData('delete', 'key_x'), { code: 1, err: /Unknown key/ })
})

t.test('an unusable folder is one line with exit code 2', async (t) => {
  const file = join(dataDir, 'secret')
  t.match(await keys(['create', '--user', 'a@b.co', '--network', 'test', '--name', 'n', '--data', file]), {
    code: 2,
  })
  t.match(await keys(['list', '--data', dataDir], { CONCORDAT_SECRET: 'short' }), {
    code: 2,
    err: /CONCORDAT_SECRET/,
  })
})

t.test('the environment names the folder and the port, and empty variables count as unset', async (t) => {
  const env = {
    CONCORDAT_DATA: dataDir,
    CONCORDAT_PUBLIC_URL_TEST: '',
    CONCORDAT_PORT: '9',
    CONCORDAT_SECRET: '',
  }
  const { out } = await keys(['create', '--user', 'eve@example.com', '--network', 'test', '--name', 'n'], env)
  t.match(out, /^http:\/\/127\.0\.0\.1:9\//)
})

t.test('the configuration file of the service names them as well', async (t) => {
  const file = join(await temporaryFolder(t), 'concordat.yaml')
  const own = join(await temporaryFolder(t), 'data')
  await writeFile(file, `dataFolder: ${own}\nport: 12\npublicUrls: { main: 'https://rpc.example.net/' }\n`)
  const make = (network: string, ...more: string[]) =>
    keys([
      'create',
      '--user',
      'eve@example.com',
      '--network',
      network,
      '--name',
      'n',
      '--config',
      file,
      ...more,
    ])
  t.match(await make('test'), { code: 0, out: /^http:\/\/127\.0\.0\.1:12\// })
  t.match(await make('main'), { code: 0, out: /^https:\/\/rpc\.example\.net\/\w{30}-M$/ })
  t.match(
    await keys(['list', '--data', own, '--json']),
    { out: /eve@example\.com/ },
    'the keys are in that folder',
  )
  const other = join(await temporaryFolder(t), 'data')
  t.match(await make('test', '--data', other), { code: 0 })
  t.ok(existsSync(other), 'an option takes precedence')
  const nodes = "nodes: { test: [{ url: '${A_NODE_URL}' }] }\nsmtpUrl: '${A_MAIL_URL}'\n"
  await writeFile(file, `dataFolder: ${own}\n${nodes}`)
  t.match(await make('test'), { code: 0 }, 'settings that this command does not use may be incomplete')
  for (const used of [
    "dataFolder: '${A_FOLDER}'",
    "publicUrls: { test: '${A_URL}' }",
    "secret: '${A_SECRET}'",
  ]) {
    await writeFile(file, `${used}\n${nodes}`)
    const { code, err } = await make('test')
    t.equal(code, 2)
    t.match(err, /concordat\.yaml:1:\d+ \S+ refers to A_(?:FOLDER|URL|SECRET), which is not set/)
    t.notMatch(err, /A_NODE_URL|A_MAIL_URL/)
  }
  await writeFile(file, 'prot: 12\n')
  t.match(await make('test'), { code: 2, err: /concordat\.yaml:1:7 prot is not a setting/ })
  t.match(await keys(['list', '--config', '']), { code: 2, err: /--config needs/ })
})

t.test('invalid input creates no folder', async (t) => {
  const missing = join(await temporaryFolder(t), 'missing')
  const creating = (user: string, network: string, name: string, ...more: string[]) => [
    'create',
    '--user',
    user,
    '--network',
    network,
    '--name',
    name,
    '--data',
    missing,
    ...more,
  ]
  const rows: [string[], NodeJS.ProcessEnv][] = [
    [creating('nobody', 'test', 'n'), {}],
    [creating('a@b.co', 'rinkeby', 'n'), {}],
    [creating('a@b.co', 'test', ''), {}],
    [creating('a@b.co', 'test', 'n'.repeat(65)), {}],
    [creating('a@b.co', 'test', 'n', '--description', 'd'.repeat(257)), {}],
    [creating('a@b.co', 'test', 'n'), { CONCORDAT_SECRET: 'short' }],
  ]
  for (const [args, env] of rows) {
    const { code, err } = await keys(args, env)
    t.equal(code, 2, args.join(' '))
    t.equal(err.trim().split('\n').length, 1, err)
    t.notOk(existsSync(missing))
  }
})

t.test('concurrent commands on one folder wait for their turn, and the fifth key is refused', async (t) => {
  const outcomes = await Promise.all([2, 3, 4, 5].map((n) => create(`key ${n}`)))
  t.same(outcomes.map(({ code }) => code).sort(), [0, 0, 0, 1])
  t.match(outcomes.find(({ code }) => code === 1)?.err, /key_limit_reached/)
})

t.test('a running service performs the command and prints its URL', async (t) => {
  const store = await openStore({ dataDir })
  t.teardown(() => store.close())
  const service = createKeys({
    store,
    secret: await loadSecret(dataDir),
    limits,
  })
  const urls = { test: 'http://127.0.0.1:4711', main: 'http://127.0.0.1:4712' }
  serveControl(store.folder, { handlers: { ...createKeyCommands(service), 'service.urls': () => urls } })
  const bob = ['create', '--user', 'bob@example.com', '--network', 'main', '--name', 'n']

  const { id, url, key } = JSON.parse((await onData(...bob, '--json')).out)
  t.equal(url, `http://127.0.0.1:4712/${key}`)
  t.match(await service.lookup(key), { id, network: 'main' })
  const env = { CONCORDAT_PUBLIC_URL_MAIN: 'https://rpc.example.net/' }
  t.match((await keys([...bob, '--data', dataDir], env)).out, /^https:\/\/rpc\.example\.net\/\w{30}-M$/)

  t.match(await onData('disable', id), { code: 0, out: `${id} disabled` })
  t.match(await service.lookup(key), { keyId: id, rule: 'disabled' }, 'immediately')
  t.match(await onData('enable', id, '--json'), { code: 0, out: /"state": "enabled"/ })
  await service.setDisabledByOperator(id, true)
  const ofOperator = `${id} enabled, but refused: an operator has disabled the key`
  t.match(await onData('enable', id), { code: 0, out: ofOperator })
  t.match((await onData('list', id)).out, / disabled .*\n.*\n {2}refused: an operator has disabled the key/)
  await service.setDisabledByOperator(id, false)
  await store.connection.query('update users set disabled_at = now()')
  t.match(await onData('enable', id), { out: /^key_\w+ enabled, but refused: .* disabled the account$/ })
  t.match(await onData('rotate', id), { err: /rotated, but refused: .* the account\. This URL is shown/ })
  t.match(
    (await onData('list', id)).out,
    / disabled .*\n.*\n {2}refused: an operator has disabled the account/,
  )
  t.match(JSON.parse((await onData('list', id, '--json')).out), [{ accountDisabled: true }])
  t.match(await onData('disable', id), { out: `${id} disabled` })
  await store.connection.query('update users set disabled_at = null')
  await onData('enable', id)
  const rotated = JSON.parse((await onData('rotate', id, '--json')).out)
  t.match(rotated, { id, url: `http://127.0.0.1:4712/${rotated.key}` })
  t.match(await service.lookup(rotated.key), { id })
  const again = JSON.parse((await onData('rotate', id, '--grace', '24', '--json')).out)
  t.match(again.graceUntil, /^\d{4}-.*Z$/)
  t.match(await service.lookup(rotated.key), { id })
  t.match(await service.lookup(again.key), { id })
  t.match(JSON.parse((await onData('list', id, '--json')).out), [
    { id, state: 'enabled', email: 'bob@example.com' },
  ])
  await trySet(t, id, () => service.lookup(rotated.key))
  t.match(await onData('delete', id), { code: 0, out: `${id} deleted` })

  for (const action of ['list', 'rotate', 'enable', 'disable', 'delete']) {
    t.match(await onData(action, id), { code: 1, err: /Unknown key/ }, action)
  }
  t.match(await create('one too many'), { code: 1, err: /key_limit_reached/ })
  t.match(await create('n'.repeat(65)), { code: 2, err: /at most 64/ })
  t.match(await create('a\nb'), { code: 2, err: /control characters/ })
  t.match(await onData(...bob.map((word) => word.replace('bob@example.com', 'bob'))), {
    code: 2,
    err: /e-mail/,
  })
  t.match(await onData(...bob.map((word) => word.replace('main', 'x'))), { code: 2, err: /test or main/ })
})

type Test = Parameters<typeof temporaryFolder>[0] & { match(found: unknown, wanted: unknown): unknown }

/** Changes limits and rules of a key, one after another. */
async function trySet(t: Test, id: string, lookup: () => unknown): Promise<void> {
  const folder = await temporaryFolder(t)
  const { publicKey } = generateKeyPairSync('ed25519')
  const files = [join(folder, 'backend.pem'), join(folder, 'other.json')]
  await writeFile(files[0] ?? '', publicKey.export({ type: 'spki', format: 'pem' }))
  await writeFile(
    files[1] ?? '',
    JSON.stringify({ ...publicKey.export({ format: 'jwk' }), kid: 'the other' }),
  )
  const jwtKeys = ['--jwt-key', files[0] ?? '', '--jwt-key', files[1] ?? '']

  t.match(await onData('set', id, '--daily-limit', '10', '--allow-addresses', '10.0.0.0/8, ::1'), {
    code: 0,
    out: `${id} changed`,
  })
  t.match(await onData('set', id, ...jwtKeys, '--jwt-audience', 'app', '--allow-methods', 'eth_call'), {
    code: 0,
  })
  const keysOf = [
    { id: 'backend', algorithm: 'EdDSA', audience: 'app' },
    { id: 'the other', algorithm: 'EdDSA', audience: 'app' },
  ]
  t.match(await lookup(), {
    dailyLimit: 10,
    access: { addresses: ['10.0.0.0/8', '::1/128'], methods: ['eth_call'], jwt: { keys: keysOf } },
  })
  t.match(
    (await onData('list', id)).out,
    /10 a day, only for listed (addresses|methods|jwt)(, (addresses|methods|jwt)){2}$/m,
  )
  const lifted = [
    '--daily-limit',
    'none',
    '--jwt-key',
    'none',
    '--allow-methods',
    'none',
    '--name',
    'new name',
  ]
  t.match(JSON.parse((await onData('set', id, ...lifted, '--json')).out), {
    name: 'new name',
    dailyLimit: null,
  })
  t.match(await lookup(), { dailyLimit: null, access: { addresses: ['10.0.0.0/8', '::1/128'] } })

  for (const [args, reason] of [
    [['--allow-addresses', 'everywhere'], /Invalid client addresses: "everywhere"/],
    [['--monthly-limit', '0'], /whole number from 1/],
    [['--jwt-key', join(folder, 'missing')], /cannot be read: .*missing/],
    [['--name', ''], /must not be empty/],
  ] as const) {
    t.match(await onData('set', id, ...args), { code: 2, err: reason })
  }
  t.match(await onData('set', 'key_x', '--monthly-limit', '5'), { code: 1, err: /Unknown key/ })
}

t.test('a path that is not a folder is reported as such', async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'database'))
  t.match(await keys(['list', '--data', folder]), { code: 2, err: /contains no database/ })
})
