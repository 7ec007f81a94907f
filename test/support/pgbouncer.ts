import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accepts } from './accepts.js'
import { freePort } from './free-port.js'
import { asAccount, giveToAccount } from './postgres.js'
import { findTool } from './tools.js'
import { until } from './until.js'

type Test = { teardown: (work: () => unknown) => void }

/**
 * Starts pgbouncer in transaction mode: each transaction may get another server connection.
 * @param databaseUrl of the database
 * @returns the URL of the same database through pgbouncer
 */
export async function startPgbouncer(t: Test, databaseUrl: string): Promise<string> {
  const program = await findTool('pgbouncer')
  const { hostname, port: serverPort, username, password, pathname } = new URL(databaseUrl)
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'concordat-pgbouncer-'))
  const port = await freePort()
  const database = decodeURIComponent(pathname.slice(1))
  const server = `host=${hostname} port=${serverPort} user=${username} password=${password}`
  const configuration = `[databases]
${database} = ${server} dbname=${database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${folder}/users.txt
pool_mode = transaction
default_pool_size = 4
`
  const files = { 'pgbouncer.ini': configuration, 'users.txt': `"${username}" "${password}"\n` }
  const paths = Object.entries(files).map(async ([name, text]) => {
    const path = join(folder, name)
    await writeFile(path, text, { mode: 0o600 })
    return path
  })
  await giveToAccount([folder, ...(await Promise.all(paths))])
  const [command, args] = asAccount(program, ['-q', join(folder, 'pgbouncer.ini')])
  const pooler = spawn(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  pooler.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  t.teardown(async () => {
    if (pooler.exitCode === null && pooler.signalCode === null) {
      const ended = once(pooler, 'exit')
      pooler.kill('SIGKILL')
      await ended
    }
    await rm(folder, { recursive: true, force: true })
  })
  const hasExited = () => pooler.exitCode !== null || pooler.signalCode !== null
  await until(async () => hasExited() || (await accepts(port)))
  if (hasExited()) throw new Error(`pgbouncer exited before it was ready:\n${output}`)
  return `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`
}
