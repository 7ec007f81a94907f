import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BalancerTest, replaced, startBalancer, withEachServer } from './balancer.js'
import { freePort } from './free-port.js'
import type { RunningService } from './service.js'
import { temporaryFolder } from './temporary-folder.js'
import { findTool } from './tools.js'

const shipped = fileURLToPath(new URL('../../deploy/haproxy.cfg', import.meta.url))

/** A service behind HAProxy: its origin, such as `http://127.0.0.1:8080`, and the URL of its metrics. */
type Served = Pick<RunningService, 'origin' | 'metrics'>

/**
 * Starts HAProxy with the shipped file, and stops it when the test ends. Only addresses, ports and timeouts are
 * replaced in the file, and its line of the service is repeated for each service.
 * @param options.slowness factor of the timeouts of connections and checks. The default is long: a service that misses a
 * check on a busy machine would lose its calls to another one, which also counts them.
 * @param options.change makes additional replacements in the file
 * @returns origin of HAProxy
 */
export async function startShippedHaproxy(
  t: BalancerTest,
  services: readonly Served[],
  {
    slowness = 10,
    change = (text: string) => text,
  }: { readonly slowness?: number; readonly change?: (text: string) => string } = {},
): Promise<string> {
  const folder = await temporaryFolder(t)
  const port = await freePort()
  const servers = services.map(
    ({ origin, metrics = '' }, at) => `service-${at} ${new URL(origin).host} port ${new URL(metrics).port}`,
  )
  const shownServer = 'concordat-1 127.0.0.1:8080 port 9464'
  const text = withEachServer(change(await readFile(shipped, 'utf8')), shownServer, servers)
  const file = join(folder, 'haproxy.cfg')
  const changes = [
    ['bind :80', `bind 127.0.0.1:${port}`],
    ['timeout connect 2s', `timeout connect ${Math.ceil(2_000 * slowness)}ms`],
    ['timeout check 1250ms', `timeout check ${Math.ceil(1_250 * slowness)}ms`],
  ] as const
  await writeFile(file, replaced(text, changes))
  const args = ['-db', '-f', file]
  await startBalancer(t, {
    program: await findTool('haproxy'),
    check: ['-c', ...args],
    args,
    port,
  })
  return `http://127.0.0.1:${port}`
}
