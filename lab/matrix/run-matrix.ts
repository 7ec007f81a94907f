import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { archivesOf, type PackedPackage } from '../../bin/pack-packages.js'
import type { Row } from './row.js'
import { rows } from './rows.js'
import { environment, type Outcome, runRows, shell } from './run-rows.js'

/**
 * Installs packages of this project from their archives.
 * @param home a new folder, which becomes a project
 * @returns the folder
 * @throws Error with npm's output when they cannot be installed
 */
async function install(home: string, archives: readonly string[]): Promise<string> {
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'package.json'), '{ "name": "project", "version": "1.0.0", "private": true }\n')
  const command = `npm install --ignore-scripts --prefer-offline --no-audit --no-fund ${archives.join(' ')}`
  const { code, output } = await shell(home, command, environment())
  if (code !== 0) throw new Error(`${command} failed:\n${output}`)
  return home
}

/** Starts the service that is installed in a project, on a free port, with development chains. */
async function startService(home: string) {
  const readyFile = join(home, 'ready.json')
  const launcher = join(home, 'node_modules/concordat/bin/concordat.js')
  const args = [launcher, 'start', '--port', '0', '--data', join(home, 'data'), '--ready-file', readyFile]
  const env = Object.entries(environment()).filter(([name]) => !/^CONCORDAT_|^DATABASE_URL$/.test(name))
  const child = spawn(process.execPath, args, {
    env: Object.fromEntries(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const ended = once(child, 'close')
  for (;;) {
    const ready = await readFile(readyFile, 'utf8').catch(() => '')
    const stop = async () => {
      child.kill()
      await ended
    }
    if (ready !== '') return { url: JSON.parse(ready).networks.test.url as string, stop }
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the service exited before it was ready:\n${output}`)
    await setTimeout(100)
  }
}

/**
 * Runs rows of the matrix from archives: the client is installed once and copied for each set of tools, and calls the
 * service of the same archives.
 * @param folder an existing folder for the installations
 * @param wanted all rows by default
 * @throws Error when the packages cannot be installed, or the service does not start
 */
export async function* runMatrix(
  packed: readonly PackedPackage[],
  folder: string,
  wanted: readonly Row[] = rows,
): AsyncGenerator<Outcome> {
  const home = await install(join(folder, 'integrator'), await archivesOf('@concordat/node-access', packed))
  const gateway = await install(join(folder, 'operator'), await archivesOf('@concordat/gateway', packed))
  const { url, stop } = await startService(gateway)
  try {
    yield* runRows(wanted, { home, folder, url })
  } finally {
    await stop()
  }
}
