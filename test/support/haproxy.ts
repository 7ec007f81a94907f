import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BalancerTest, replaced, startBalancer, withEachServer } from './balancer.js'
import { freePort } from './free-port.js'
import { temporaryFolder } from './temporary-folder.js'

const shipped = fileURLToPath(new URL('../../deploy/haproxy.cfg', import.meta.url))

/**
 * Starts HAProxy with the shipped file, in which only addresses and ports are replaced, and the line of the service is
 * repeated for each of them. It is stopped when the test ends.
 * @param origins of the services, such as `http://127.0.0.1:8080`
 * @returns its own origin
 */
export async function startShippedHaproxy(t: BalancerTest, origins: readonly string[]): Promise<string> {
  const folder = await temporaryFolder(t)
  const port = await freePort()
  const hosts = origins.map((origin, at) => `service-${at} ${new URL(origin).host}`)
  const text = withEachServer(await readFile(shipped, 'utf8'), 'concordat-1 127.0.0.1:8080', hosts)
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, replaced(text, [['bind :80', `bind 127.0.0.1:${port}`]]))
  const args = ['-db', '-f', file]
  await startBalancer(t, {
    program: '/usr/sbin/haproxy',
    name: 'haproxy',
    check: ['-c', ...args],
    args,
    port,
  })
  return `http://127.0.0.1:${port}`
}
