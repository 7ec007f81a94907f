import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { startConcordat } from '../support/concordat-process.js'
import { openGuide } from '../support/guide.js'
import { spendAll } from '../support/load.js'
import { startMailServer } from '../support/mail-server.js'
import { awayFromMidnight } from '../support/midnight.js'
import { buildCommit, findCommit } from '../support/older-commit.js'
import { startPostgres } from '../support/postgres.js'
import { isLong } from '../support/runs.js'
import { post, runConcordat } from '../support/service.js'
import { startSteadyLoad } from '../support/steady-load.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { findTool } from '../support/tools.js'
import { until } from '../support/until.js'
import { createVisitor, newAddress, password } from '../support/visitor.js'
import { createDeployment, type Machine } from './upgrade/deployment.js'

/** This version and the version before it on one database, under load, in both orders and back. */
const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const commit = await findTool('version before')
const versions = { before: join(await buildCommit(commit), '../..'), present: root }
type Version = keyof typeof versions
const launcherOf = (version: Version) => join(versions[version], 'bin', 'concordat.js')

const guide = await openGuide('docs/operator.md', ['Upgrade and roll back'])
const [backupBlock, upgradeBlock, rollBackBlock] = guide.commands()
const folder = await temporaryFolder(t)
const postgres = await startPostgres(t)
const secret = 'the secret that both versions share'
const limit = 3_000
const perSecond = 20
/** Users of the steady load. Below 2,000 remaining requests, leases of other processes could cause refusals. */
const users = isLong ? 10 : 3
/** Requests of a user at a low rate that stay counted when the process that leased them dies. */
const lostByDeath = 10
const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
/** HTTP requests of the steady load in each state of the upgrade. */
const requestsEach = isLong ? 400 : 40

/** Runs a command of a version. The present one runs in this process, which takes less time. */
async function runVersion(version: Version, env: Readonly<Record<string, string>>, ...args: string[]) {
  if (version === 'present') return runConcordat(args, env)
  const { ended, output } = startConcordat(args, env, { launcher: launcherOf(version) })
  return { code: await ended, ...output() }
}

/** Two machines on a new database, with keys of several users. */
async function prepare(t: Test, name: string, settings: readonly string[] = []) {
  const databaseUrl = await postgres.createDatabase(name)
  const deployment = await createDeployment(t, join(folder, name), [
    `databaseUrl: ${databaseUrl}`,
    `secret: ${secret}`,
    `limits: { requestsPerDay: ${limit} }`,
    // No node listens here, so the tests call methods that the service answers itself.
    'nodes: { test: [http://127.0.0.1:9], main: [http://127.0.0.1:9] }',
    'logLevel: error',
    ...settings,
  ])
  const newKey = async (version: Version, user: string) => {
    const wanted = ['--user', `${user}@example.com`, '--network', 'test', '--name', user, '--json']
    const env = { DATABASE_URL: databaseUrl, CONCORDAT_SECRET: secret }
    const { code, out, err } = await runVersion(version, env, 'keys', 'create', ...wanted)
    if (code !== 0) throw new TypeError(err)
    const { id, url } = JSON.parse(out)
    return { id: String(id), path: new URL(url).pathname }
  }
  const query = (text: string) => postgres.query(databaseUrl, text)
  return { ...deployment, databaseUrl, newKey, query }
}
type Prepared = Awaited<ReturnType<typeof prepare>>

const listed = (ids: readonly string[]) => `(${ids.map((id) => `'${id}'`).join()})`

/** Sums of the requests of keys: by error code in statistics, and in the counts of their users' days. */
async function countsOf({ query }: Prepared, keys: readonly { readonly id: string }[]) {
  const ids = listed(keys.map(({ id }) => id))
  const statistics = async (table: string) => {
    const rows = await query(
      `select code, sum(requests)::int as requests from ${table} where key_id in ${ids} group by code order by code`,
    )
    return Object.fromEntries(rows.map(({ code, requests }) => [String(code), requests]))
  }
  const [day] = await query(`
    select sum(granted)::int as granted, sum(used)::int as used from quota_counts
    where period = 'day' and subject in (select user_id from api_keys where id in ${ids})`)
  return { minutes: await statistics('usage_minutes'), hours: await statistics('usage_hours'), day }
}

/** A browser that is logged in, whose next request can go to any machine. */
async function logIn({ origin }: Machine) {
  const { cookies, post } = createVisitor(origin)
  await post('/signup', { email: newAddress(), password })
  return async (machine: Machine) => {
    const visitor = createVisitor(machine.origin)
    for (const [name, value] of cookies) visitor.cookies.set(name, value)
    return (await visitor.get('/account')).status
  }
}

/** Runs the guide's commands for one version after the other on a machine. */
async function change(t: Test, machine: Machine, to: Version) {
  const [block, place] =
    to === 'present'
      ? ([upgradeBlock, '/opt/concordat-new'] as const)
      : ([rollBackBlock, '/opt/concordat-before'] as const)
  const done = await machine.run(block, { [place]: versions[to] })
  t.match(done, { code: 0, out: /"status":/ }, `the commands for the ${to} version`)
}

/** The service of a version on two machines, under load, with a session and keys of both versions. */
async function serve(t: Test, first: Version, second: Version) {
  await awayFromMidnight()
  const prepared = await prepare(t, `${first}_first`)
  const { machines, balancer, newKey } = prepared
  const [one, two] = machines
  await Promise.all([
    one.install(versions[first]),
    isLong || first === 'before' ? two.install(versions[first]) : 0,
  ])
  const keys: { readonly id: string; readonly path: string }[] = []
  for (let at = 0; at < users; at += 1) keys.push(await newKey(first, `user${at}`))
  await until(async () => (await fetch(`${balancer}/readyz`)).ok)
  const load = startSteadyLoad(
    keys.map(({ path }) => `${balancer}${path}`),
    perSecond,
    undefined,
    true,
  )
  /** Sessions that both versions must know. A version without digests of tokens knows those from a day before it joined. */
  const sessions = first === 'before' ? [await logIn(one)] : []
  return {
    ...prepared,
    async answerMore() {
      const enough = load.answered() + requestsEach
      await until(() => load.answered() >= enough)
    },
    /** Starts a session on each machine. Both know every session, also earlier ones. */
    async checkSessions() {
      for (const machine of machines) sessions.push(await logIn(machine))
      for (const machine of machines) for (const session of sessions) t.equal(await session(machine), 200)
    },
    /** Together, both machines admit exactly the limit of a user. */
    async check() {
      const key = await newKey(second, 'exact')
      const outcome = await spendAll({ url: `${balancer}${key.path}`, atOnce: 16, untilRefused: 60 })
      t.match(outcome, { admitted: limit, unanswered: 0 }, JSON.stringify(outcome))
      keys.push(key)
    },
    /** Stops everything and compares what callers were answered with the counts of the database. */
    async end() {
      const { codes, statuses, errors } = await load.stop()
      t.comment(JSON.stringify({ codes, statuses, errors }))
      t.strictSame(Object.keys(codes).sort(), ['-32602', '0'])
      await prepared.stop()
      const requests = Object.values(codes).reduce((sum, each) => sum + each, 0)
      const steady = { minutes: codes, hours: codes, day: { granted: requests, used: requests } }
      t.strictSame(await countsOf(prepared, keys.slice(0, users)), steady)
      for (const key of keys.slice(users)) {
        const { minutes, hours, day } = await countsOf(prepared, [key])
        const exact = { 0: limit }
        t.match(
          { minutes, hours, day },
          { minutes: exact, hours: exact, day: { granted: limit, used: limit } },
        )
      }
    },
  }
}

t.test('the present version joins the one before, replaces it, and is rolled back', async (t) => {
  const service = await serve(t, 'before', 'present')
  const { machines, config, query, answerMore, check, checkSessions } = service
  const [one, two] = machines
  const journal = 'select * from drizzle.__drizzle_migrations order by id'
  const applied = await query(journal)
  const places = { '/opt/concordat-new': versions.present, '/etc/concordat/concordat.yaml': config }
  t.match(await one.run(backupBlock, places), { code: 0 })
  t.same(await query(journal), applied, 'the backup has migrated nothing')
  const restored = await postgres.createDatabase('restored')
  const file = join(folder, 'before_first', 'a', 'upgrade.backup')
  const env = { DATABASE_URL: restored, CONCORDAT_SECRET: secret }
  t.match(await runConcordat(['restore', file], env), { code: 0 })

  await change(t, one, 'present')
  t.not((await query(journal)).length, applied.length, 'the tables are those of the present version')
  await answerMore()
  await checkSessions()
  await check()
  if (isLong) {
    await change(t, two, 'present')
    await answerMore()
    await change(t, two, 'before')
    await answerMore()
  }
  await change(t, one, 'before')
  await checkSessions()
  await answerMore()
  await service.end()

  t.same(await postgres.query(restored, journal), await query(journal), 'the restored tables were migrated')
  const [copy, present] = [await postgres.dump(restored), await postgres.dump(service.databaseUrl)]
  for (const name of ['users', 'credentials']) {
    const table = Object.keys(copy).find((each) => each.startsWith(`public.${name} `)) ?? ''
    t.ok((copy[table] ?? []).length > 0)
    t.same(
      copy[table]?.filter((row) => !present[table]?.includes(row)),
      [],
      `each row of ${name}`,
    )
  }
})

t.test('the version before joins the present one, on tables of the present one', async (t) => {
  const service = await serve(t, 'present', 'before')
  const { machines, answerMore, check, checkSessions } = service
  const [one, two] = machines
  if (isLong) await change(t, two, 'before')
  else await two.install(versions.before)
  await answerMore()
  await checkSessions()
  await check()
  if (isLong) {
    for (const machine of [one, two]) {
      await change(t, machine, 'before')
      await answerMore()
    }
    for (const machine of [two, one]) {
      await change(t, machine, 'present')
      await answerMore()
    }
  }
  await service.end()
})

t.test('a process of the present version that dies beside the one before returns its leases', async (t) => {
  await awayFromMidnight()
  const prepared = await prepare(t, 'death')
  const { machines, balancer, newKey, stop } = prepared
  const [one, two] = machines
  await one.install(versions.before)
  await two.install(versions.present)
  const key = await newKey('present', 'died')
  const used = 5
  for (let sent = 0; sent < used; sent++)
    t.match(await post(`${two.origin}${key.path}`, chainId), { status: 200 })
  const granted = async () => Number((await countsOf(prepared, [key])).day?.['granted'])
  const leased = await granted()
  await two.crash()
  const counted = await until(async () => (await granted()) < leased && granted())
  t.ok(counted >= used && counted <= used + lostByDeath, `${counted} of ${leased} leased stay counted`)
  const outcome = await spendAll({ url: `${balancer}${key.path}`, atOnce: 16, untilRefused: 60 })
  t.match(outcome, { admitted: limit - counted, unanswered: 0 }, 'both versions admit exactly the rest')
  await stop()
})

t.test('mailed links of each version work on the other one, and after a roll-back', async (t) => {
  const mail = await startMailServer()
  t.teardown(() => mail.close())
  const dashboard = 'http://dashboard.example'
  const settings = [`smtpUrl: ${mail.url}`, `publicUrls: { dashboard: ${dashboard} }`]
  const { machines, stop } = await prepare(t, 'links', settings)
  const [one, two] = machines
  await one.install(versions.before)
  await two.install(versions.present)
  const send = ({ origin }: Machine, path: string, fields: Readonly<Record<string, string>>) =>
    createVisitor(origin).post(path, fields, { from: '/login', headers: { origin: dashboard } })
  const mailedToken = async (email: string, words: RegExp) => {
    const { text } = await mail.mail((sent) => sent.to.includes(email) && words.test(sent.text))
    return /token=(\S+)/.exec(text)?.[1] ?? ''
  }
  /** Requests links at a machine: to confirm an address, and to set a new password. */
  const links = async (machine: Machine) => {
    const email = newAddress()
    await send(machine, '/signup', { email, password })
    const verification = await mailedToken(email, /Confirm the address/)
    await send(machine, '/forgot', { email })
    return { verification, reset: await mailedToken(email, /Set a new password/) }
  }
  const works = async (machine: Machine, { verification, reset }: Awaited<ReturnType<typeof links>>) => {
    t.equal((await send(machine, '/verify', { token: verification, password })).location, '/login')
    const next = 'another long password'
    t.equal((await send(machine, '/reset', { token: reset, password: next })).location, '/login')
  }
  for (const [asked, used] of [
    [one, two],
    [two, one],
  ] as const)
    await works(used, await links(asked))
  const ofPresent = await links(two)
  await change(t, two, 'before')
  await works(two, ofPresent)
  await stop()
})

t.test('a shallow clone says that it lacks the version before', async (t) => {
  const [source, shallow] = [join(folder, 'source'), join(folder, 'shallow')]
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args])
  await git('init', '--quiet', source)
  for (const message of ['one', 'two'])
    await git('-C', source, 'commit', '--quiet', '--allow-empty', '--message', message)
  const { stdout } = await git('-C', source, 'rev-parse', 'HEAD~1')
  await git('clone', '--quiet', '--depth', '1', `file://${source}`, shallow)
  const earlier = stdout.trim()
  t.equal(await findCommit(earlier, source), earlier)
  await t.rejects(findCommit(earlier, shallow), {
    message: `This clone has no commit ${earlier}, which is compared with the present version. Fetch the whole history: git fetch --unshallow`,
  })
})
