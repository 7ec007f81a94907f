import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { openGuide } from '../support/guide.js'
import { awayFromMidnight } from '../support/midnight.js'
import { startPostgres } from '../support/postgres.js'
import { isLong } from '../support/runs.js'
import { runConcordat } from '../support/service.js'
import { startSteadyLoad } from '../support/steady-load.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { timeCode } from '../support/time-code.js'
import { until } from '../support/until.js'
import { createVisitor, newAddress, newClientAddress, password } from '../support/visitor.js'
import { createDeployment, type Machine } from './upgrade/deployment.js'

/** A change of the secret by the operator's guide, on two replicas under load. */
const root = fileURLToPath(new URL('../../', import.meta.url))
const guide = await openGuide('docs/operator.md', ['Change the secret'])
const [restart] = guide.commands()
const steps = guide.code('Change the secret', 'yaml').map((text) => text.trim().split('\n'))
const postgres = await startPostgres(t)
const databaseUrl = await postgres.createDatabase('service')
const env = {
  SECRET_OLD: 'the secret before the change, long',
  SECRET_NEW: 'the secret after the change, long',
}
const settings = [
  `databaseUrl: ${databaseUrl}`,
  // No node listens here, so the tests call methods that the service answers itself.
  'nodes: { test: [http://127.0.0.1:9], main: [http://127.0.0.1:9] }',
  'trustedProxies: [127.0.0.0/8]',
  'logLevel: error',
]
const before = (steps[0] ?? []).filter((line) => !line.startsWith('secretNext'))
// The short form begins with the settings of the first step.
const [initial, ...changes] = isLong ? [before, ...steps] : steps
const folder = join(await temporaryFolder(t), 'machines')
const deployment = await createDeployment(t, folder, [...settings, ...(initial ?? [])], env)
const { machines, balancer } = deployment
const [one, two] = machines
await Promise.all(machines.map((machine) => machine.install(root)))

/** A browser that sends its cookies to any machine. */
function createBrowser() {
  const cookies = new Map<string, string>()
  const address = newClientAddress()
  const visit = async <Page>(
    machine: Machine,
    act: (visitor: ReturnType<typeof createVisitor>) => Promise<Page>,
  ) => {
    const visitor = createVisitor(machine.origin, address)
    for (const [name, value] of cookies) visitor.cookies.set(name, value)
    const page = await act(visitor)
    cookies.clear()
    for (const [name, value] of visitor.cookies) cookies.set(name, value)
    return page
  }
  return { visit, cookies }
}

/** An account with a second factor. */
async function createOwner() {
  const email = newAddress()
  const { visit } = createBrowser()
  const factor = await visit(one, async ({ post }) => {
    await post('/signup', { email, password })
    const { html } = await post('/account/second-factor', { setUpPassword: password })
    const [, found = ''] = /secret=(\w+)/.exec(html) ?? []
    const confirmed = await post('/account/second-factor/confirm', { code: timeCode(found) })
    if (confirmed.status !== 200) throw new TypeError(`the second factor was refused: ${confirmed.status}`)
    return found
  })
  return { email, factor }
}

/** Enters the password at one machine and the code at another. */
async function logIn({ email, factor }: { email: string; factor: string }, first: Machine, second: Machine) {
  const { visit } = createBrowser()
  await visit(first, ({ post }) => post('/login', { email, password }, { from: '/login' }))
  const code = timeCode(factor, Date.now() + 30_000)
  const { location } = await visit(second, ({ post }) =>
    post('/login/code', { code }, { from: '/login/code' }),
  )
  return location
}

/** A key of a user, whose page decrypts it. */
interface OwnedKey {
  readonly user: ReturnType<typeof createBrowser>
  readonly path: string
  readonly text: string
}

/** The key that a page shows. */
const shownKey = async ({ user, path }: Omit<OwnedKey, 'text'>, machine: Machine) => {
  const { html } = await user.visit(machine, ({ get }) => get(path))
  return /data-secret-text="([^"]*)"/.exec(html)?.[1]
}
const keys: OwnedKey[] = []

const session = createBrowser()
const owners: { readonly email: string; readonly factor: string }[] = []

/** Each machine knows the session, the keys that each has made, and the second factor. */
async function check(t: Test, name: string) {
  const user = createBrowser()
  await user.visit(one, ({ post }) => post('/signup', { email: newAddress(), password }))
  for (const machine of machines) {
    const { status } = await session.visit(machine, ({ get }) => get('/account'))
    t.equal(status, 200, `${name}: the session is known`)
    const made = await user.visit(machine, ({ post }) => post('/keys', { name: 'a key', network: 'test' }))
    const path = made.location?.split('?')[0] ?? ''
    const text = await shownKey({ user, path }, machine)
    t.match(text, /^http/)
    keys.push({ user, path, text: text ?? '' })
  }
  const pathOf = (text: string | undefined) => new URL(text ?? 'http://none/').pathname
  for (const machine of machines)
    for (const key of keys)
      t.equal(pathOf(await shownKey(key, machine)), pathOf(key.text), `${name}: ${key.path} is shown`)
  for (const [first, second] of [
    [one, two],
    [two, one],
  ] as const)
    t.equal(
      await logIn(owners.pop() ?? { email: '', factor: '' }, first, second),
      '/keys',
      `${name}: the code works`,
    )
}

t.test('a change of the secret refuses no call, ends no session and loses no second factor', async (t) => {
  await awayFromMidnight()
  const wanted = ['--user', 'ada@example.com', '--network', 'test', '--name', 'wallet', '--json']
  const { out } = await runConcordat(['keys', 'create', ...wanted], {
    DATABASE_URL: databaseUrl,
    CONCORDAT_SECRET: env.SECRET_OLD,
  })
  await until(async () => (await fetch(`${balancer}/readyz`)).ok)
  const load = startSteadyLoad([`${balancer}${new URL(JSON.parse(out).url).pathname}`], 20, undefined, true)
  await session.visit(one, ({ post }) => post('/signup', { email: newAddress(), password }))

  const stages = 1 + changes.length
  while (owners.length < stages * 2) owners.push(await createOwner())

  await check(t, 'before the change')
  for (const [at, lines] of changes.entries()) {
    await deployment.configure([...settings, ...lines])
    for (const machine of machines) {
      t.match(await machine.run(restart, {}), { code: 0 })
      if (machine === one) await check(t, `step ${at + 1}, at one machine`)
    }
    // Sessions get a signature of the present secret when they are used.
    for (const { visit } of [session, ...keys.map(({ user }) => user)]) {
      const { status } = await visit(one, ({ get }) => get('/account'))
      t.equal(status, 200, `step ${at + 1}: the session is known`)
    }
  }
  const { codes, errors } = await load.stop()
  t.strictSame(Object.keys(codes).sort(), ['-32602', '0'], errors.join())
  const versions = await postgres.query(databaseUrl, 'select distinct secret_version from api_keys')
  t.equal(versions.length, 1, 'one secret has encrypted all keys')
  await deployment.stop()
})
