import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { archivesOf, type PackedPackage } from '../../bin/pack-packages.js'
import { startService } from '../../test/support/service.js'
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
  const service = await startService({ launcher: join(gateway, 'node_modules/concordat/bin/concordat.js') })
  try {
    yield* runRows(wanted, { home, folder, url: service.networks.test.url })
  } finally {
    await service.stop()
  }
}
