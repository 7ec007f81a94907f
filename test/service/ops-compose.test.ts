import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { limits } from '../../generated/contract.js'
import { readSettings } from '../../src/service/gateway/index.js'
import { startBalancer } from '../support/balancer.js'
import { freePort } from '../support/free-port.js'
import { startCommands } from '../support/guide.js'
import { post, startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { findTool } from '../support/tools.js'
import { until } from '../support/until.js'

const folder = fileURLToPath(new URL('../../deploy/', import.meta.url))
const compose = parse(await readFile(join(folder, 'compose.yaml'), 'utf8'))
const { concordat, haproxy } = compose.services

t.test('the Compose example uses only existing settings and files', async (t) => {
  const { environment, build } = concordat
  const env = {
    ...environment,
    CONCORDAT_SECRET: 's'.repeat(32),
    CONCORDAT_NODES_TEST: 'embedded',
    CONCORDAT_NODES_MAIN: 'http://127.0.0.1:8545',
    CONCORDAT_PUBLIC_URL_TEST: 'http://127.0.0.1',
    CONCORDAT_PUBLIC_URL_MAIN: 'http://127.0.0.1',
    CONCORDAT_PUBLIC_URL_DASHBOARD: 'http://127.0.0.1',
  }
  t.same(Object.keys(env).sort(), [...Object.keys(environment)].sort(), 'each with a value here')
  t.equal(readSettings(env, {}).metrics.port, 9464)
  await access(join(folder, build.context, build.dockerfile))
  const [[mounted = '']] = haproxy.volumes.map((volume: string) => volume.split(':'))
  await access(join(folder, mounted))
  t.same(concordat.volumes, undefined, 'a volume by name would be shared by all replicas')
  t.same(concordat.ports, undefined, 'and so would a port')
  const { subnet } = compose.networks.front.ipam.config[0]
  t.equal(environment.CONCORDAT_TRUSTED_PROXIES, subnet)
  t.ok(Number.parseInt(concordat.stop_grace_period, 10) > limits.gracefulStopSeconds)
})

/** The exit code of the health check of a container whose service has this address. */
async function health(address: string): Promise<number | null> {
  const [, program, ...args] = concordat.healthcheck.test
  const check = spawn(
    program,
    args.map((text: string) => text.replace('127.0.0.1:8080', address)),
  )
  const [code] = await once(check, 'exit')
  return code
}

/** A name server whose only name has the addresses of the replicas, as that of Docker has. */
async function startNameServer(t: { teardown: (work: () => unknown) => void }) {
  const program = await findTool('dnsmasq')
  const file = join(await temporaryFolder(t), 'hosts')
  const port = await freePort()
  let server: ChildProcess | undefined
  return {
    port,
    /** Replaces the addresses of the replicas. */
    async know(addresses: readonly string[]) {
      await writeFile(file, addresses.map((address) => `${address} concordat\n`).join(''), { mode: 0o644 })
      if (server !== undefined) return server.kill('SIGHUP')
      const listen = [`--port=${port}`, '--listen-address=127.0.0.1', '--bind-interfaces']
      const alone = ['--conf-file=/dev/null', '--no-resolv', '--no-hosts', '--user=root', '--pid-file=']
      server = spawn('setpriv', [
        '--pdeathsig',
        'TERM',
        program,
        '--keep-in-foreground',
        `--addn-hosts=${file}`,
        ...listen,
        ...alone,
      ])
      const ended = once(server, 'exit')
      t.teardown(async () => {
        server?.kill('SIGTERM')
        await ended
      })
      return true
    },
  }
}

t.test('HAProxy follows the number of replicas, with the command of the Compose example', async (t) => {
  const [port, metrics, front] = [await freePort(), await freePort(), await freePort()]
  const start = async (host: string) => {
    const env = {
      CONCORDAT_HOST: host,
      CONCORDAT_METRICS_PORT: String(metrics),
      CONCORDAT_TRUSTED_PROXIES: '127.0.0.0/8',
    }
    const service = await startService({ isChainless: true, env, args: ['--port', String(port)] })
    t.teardown(() => service.stop())
    return host
  }
  const replicas = [await start('127.0.0.2'), await start('127.0.0.3')]
  t.same(
    [await health(`127.0.0.2:${port}`), await health(`127.0.0.2:${front}`)],
    [0, 1],
    'a service, and none',
  )
  const names = await startNameServer(t)
  await names.know(['127.0.0.2'])

  const home = await temporaryFolder(t)
  const [shell, option, command] = haproxy.command
  t.same([shell, option], ['sh', '-c'])
  const file = join(home, 'haproxy.cfg')
  await startCommands(command.replace(/^exec .*$/m, ''), {
    cwd: home,
    places: {
      '/etc/haproxy/shipped.cfg': join(folder, 'haproxy.cfg'),
      '/tmp/haproxy.cfg': file,
      '127.0.0.11:53': `127.0.0.1:${names.port}`,
    },
  }).ended
  const [, options = ''] = /^exec haproxy (.*)$/m.exec(command) ?? []
  const written = await readFile(file, 'utf8')
  t.match(written, /^ {2}server-template concordat- 20 concordat:8080 /m)
  await writeFile(
    file,
    written
      .replace('bind :80', `bind 127.0.0.1:${front}`)
      .replace('concordat:8080', `concordat:${port}`)
      .replace('port 9464', `port ${metrics}`),
  )
  const args = options.replace('/tmp/haproxy.cfg', file).split(' ')
  await startBalancer(t, {
    program: await findTool('haproxy'),
    check: ['-c', ...args],
    args,
    port: front,
  })

  let callers = 0
  /** The replicas that answer: calls with many keys reach each of them. Refused keys are counted by address. */
  const answering = async () => {
    const counts = async () =>
      Promise.all(replicas.map(async (host) => (await fetch(`http://${host}:${metrics}/metrics`)).text()))
    const requests = (text = '') =>
      [...text.matchAll(/^concordat_refused_total\{.*\} (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0)
    const before = await counts()
    for (let sent = 0; sent < 12; sent += 1) {
      callers += 1
      const from = { 'x-forwarded-for': `198.18.${callers >> 8}.${callers & 255}` }
      const key = `${String(callers).padStart(30, 'k')}-T`
      const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
      const { status } = await post(`http://127.0.0.1:${front}/${key}`, call, from)
      if (status !== 401) return `${status}`
    }
    const after = await counts()
    return replicas.filter((_, at) => requests(after[at]) > requests(before[at])).join(' ')
  }
  await until(async () => (await answering()) === '127.0.0.2')
  await names.know(['127.0.0.2', '127.0.0.3'])
  await until(async () => (await answering()) === '127.0.0.2 127.0.0.3')
  await names.know(['127.0.0.3'])
  await until(async () => (await answering()) === '127.0.0.3')
  t.pass('one replica, two, and the other one')
})
