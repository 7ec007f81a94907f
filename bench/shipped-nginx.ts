import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, constants, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findInPackage } from '../test/support/debian-package.js'
import { freePort } from '../test/support/free-port.js'
import { until } from '../test/support/until.js'

const program = '/usr/sbin/nginx'
const shipped = fileURLToPath(new URL('../deploy/nginx-compose.conf', import.meta.url))

/**
 * What nginx.conf itself has, by the comments of the shipped file. One process, whose user may write large bodies into
 * the folder.
 */
const main = (folder: string) => `daemon off;
master_process off;
pid ${folder}/nginx.pid;
worker_rlimit_nofile 20000;
events { worker_connections 8192; }
http {
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
  include ${folder}/default.conf;
}
`

/**
 * Starts nginx with `deploy/nginx-compose.conf` byte for byte, except for addresses and ports.
 * @param folder for its files
 * @param ports of the two services
 * @param endWith receives the process
 * @returns its origin
 */
export async function startShippedNginx(
  folder: string,
  ports: readonly [number, number],
  endWith: (child: ChildProcess) => void,
): Promise<string> {
  const found = () =>
    access(program, constants.X_OK).then(
      () => true,
      () => undefined,
    )
  await findInPackage('nginx-light', found, console.log)
  const port = await freePort()
  let text = await readFile(shipped, 'utf8')
  const replacements = [
    ['server concordat-1:8080', `server 127.0.0.1:${ports[0]}`],
    ['server concordat-2:8080', `server 127.0.0.1:${ports[1]}`],
    ['\n  listen 80;', `\n  listen 127.0.0.1:${port};`],
  ] as const
  for (const [from, to] of replacements) {
    if (text.split(from).length !== 2) throw new Error(`deploy/nginx-compose.conf has not one ${from.trim()}`)
    text = text.replace(from, to)
  }
  await writeFile(join(folder, 'default.conf'), text)
  await writeFile(join(folder, 'nginx.conf'), main(folder))
  const args = ['-c', join(folder, 'nginx.conf'), '-p', folder, '-e', join(folder, 'error.log')]
  // nginx exits with this process, however this process ends. Its log goes to /dev/stdout.
  const nginx = spawn('setpriv', ['--pdeathsig', 'TERM', program, ...args], { stdio: 'ignore' })
  endWith(nginx)
  const exited = once(nginx, 'exit').then(() => true)
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
  const isReady = until(answers).then(() => false)
  if (await Promise.race([exited, isReady]))
    throw new Error(`nginx ended: ${await readFile(join(folder, 'error.log'), 'utf8')}`)
  return `http://127.0.0.1:${port}`
}
