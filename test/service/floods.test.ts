import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import t, { type Test } from 'tap'
import { limits } from '../../generated/contract.js'
import { startChild } from '../support/child.js'
import { type FloodCounts, type FloodName, floods } from '../support/floods.js'
import { startShippedHaproxy } from '../support/haproxy.js'
import { startHeldNode } from '../support/held-node.js'
import { startShippedNginx } from '../support/nginx.js'
import { startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/**
 * Callers without a key who never finish, in front of the shipped files, byte for byte, and of a service alone. Another
 * address loses no call and gets each connection that it opens.
 */
const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x10' })
const service = await startService({
  env: {
    CONCORDAT_NODES_TEST: node.url,
    CONCORDAT_NODES_MAIN: node.url,
    CONCORDAT_METRICS_PORT: '0',
    CONCORDAT_TRUSTED_PROXIES: '127.0.0.1',
    CONCORDAT_LOG_LEVEL: 'error',
    CONCORDAT_LIMIT_CONNECTIONS_PER_ADDRESS: String(limits.connectionsPerAddress),
    CONCORDAT_LIMIT_NEW_CONNECTIONS_PER_ADDRESS: String(limits.newConnectionsPerAddress),
  },
})
t.teardown(async () => {
  node.close()
  await service.stop()
})
const nginx = await startShippedNginx(t, [service.origin])
const haproxy = await startShippedHaproxy(t, [service])
const targets = { nginx: nginx.origin, HAProxy: haproxy, 'a service alone': service.origin }

const { pathname } = new URL(service.networks.test.url)
const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
const bystander = '127.0.0.2'
let floodAddresses = 2
/** Each flood has its own address, because that of the previous flood may still be blocked. */
const newFloodAddress = () => `127.0.0.${++floodAddresses}`
/** Time in which a caller gives up; far above that of an answer on a busy machine. */
const patienceMilliseconds = 20_000
/** Calls of the bystander on kept connections, and as many on new ones. */
const calls = 40
/** Windows of ten seconds, in which an address may open a number of connections. */
const windowSeconds = 10
/** Time in which a flood opens more connections than it may, unless the machine is too busy. */
const overMilliseconds = 60_000
/** Maximum connections of one address, including those that wait to be accepted and are then closed. */
const mostOfAddress = limits.connectionsPerAddress + 4_096 + 1_000

/** Sends a call of the bystander, and returns its status or error. */
const call = (origin: string, agent: Agent) =>
  new Promise<string>((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const options = { method: 'POST', agent, headers, localAddress: bystander }
    const asked = request(`${origin}${pathname}`, options, (response) => {
      response.resume()
      response.on('end', () => resolve(String(response.statusCode)))
      response.on('error', ({ message }) => resolve(message))
    })
    asked.setTimeout(patienceMilliseconds, () => asked.destroy(new Error('no answer')))
    asked.on('error', ({ message }) => resolve(message))
    asked.end(body)
  })

/** Sends calls one after another, and returns how often each status or error came. */
async function outcomes(origin: string, keepAlive: boolean): Promise<Record<string, number>> {
  const agent = new Agent({ keepAlive, maxSockets: 1 })
  const counts: Record<string, number> = {}
  for (let sent = 0; sent < calls; sent++) {
    const outcome = await call(origin, agent)
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  agent.destroy()
  return counts
}

/** Requests that the service refused because it does not know their keys. */
async function refused(): Promise<number> {
  const text = await (await fetch(service.metrics ?? '')).text()
  const found = text.matchAll(
    /^concordat_refused_total\{failure="(?:refusedKey|tooManyRefusedKeys)"\} (\d+)$/gm,
  )
  return [...found].reduce((sum, [, count]) => sum + Number(count), 0)
}

/** Connections that the service has accepted and not closed. */
async function connected(): Promise<number> {
  const text = await (await fetch(service.metrics ?? '')).text()
  return Number(/^concordat_connections (\d+)$/m.exec(text)?.[1])
}

/** The program of a flood, compiled once: tsx would take longer than most floods. */
const program = join(await temporaryFolder(t), 'flood.mjs')
await build({
  entryPoints: [fileURLToPath(new URL('../support/flood-process.ts', import.meta.url))],
  ...{ bundle: true, format: 'esm', platform: 'node', outfile: program },
})

/** Starts a flood and waits until its connections were opened or closed. */
async function flood(t: Test, name: FloodName, origin: string) {
  const child = startChild(pathToFileURL(program), [name, new URL(origin).port, newFloodAddress()])
  t.teardown(() => child.kill())
  const counts = (): FloodCounts => JSON.parse(child.lines.at(-1) ?? '{"opened":0,"open":0,"closed":0}')
  const reaches = async (isReached: (now: FloodCounts) => boolean) => {
    while (!isReached(counts())) await child.hasWritten(child.lines.length + 1)
  }
  await reaches(({ opened, closed }) => opened + closed >= floods[name].connections)
  return { counts, reaches, end: () => child.kill() }
}

for (const [target, origin] of Object.entries(targets))
  for (const name of Object.keys(floods) as FloodName[])
    t.test(`${target}: ${name} take nothing from another address`, async (t) => {
      // Balancers keep connections to the service that were needed before.
      const idle = await connected()
      const { counts, reaches, end } = await flood(t, name, origin)
      const [before, begun] = [await refused(), performance.now()]
      const [kept, fresh] = await Promise.all([outcomes(origin, true), outcomes(origin, false)])
      if (name === 'a connection for each request')
        await reaches(({ closed }) => closed > 0 || performance.now() - begun > overMilliseconds)
      const [arrived, flooded, accepted] = [(await refused()) - before, counts(), await connected()]
      const seconds = (performance.now() - begun) / 1_000
      // On a busy machine, the flood learns late which of its connections were closed.
      await reaches(({ open }) => open <= mostOfAddress)
      await end()
      t.comment(`${JSON.stringify(flooded)}, ${arrived} refused by the service`)
      t.same(kept, { 200: calls }, 'on a kept connection')
      t.same(fresh, { 200: calls }, 'on new connections')
      t.ok(
        accepted <= idle + limits.connectionsPerAddress + 200,
        `${accepted} are accepted by the service, ${idle} before the flood`,
      )
      if (target !== 'a service alone' && name === 'unfinished bodies')
        t.equal(arrived, 0, 'no request without its body arrives at the service')
      const windows = 2 + Math.ceil(seconds / windowSeconds)
      t.ok(arrived <= windows * limits.newConnectionsPerAddress, `${arrived} requests in ${seconds} seconds`)
    })
