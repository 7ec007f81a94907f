import { execFile } from 'node:child_process'
import { mkdir, rename, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const cache = fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url))

/** The long-term versions of Node.js that are supported, the newest last. */
export const nodeVersions = ['20', '22', '24'] as const

/** The newest long-term version. */
export const newestNode = nodeVersions[2]

/** Maximum duration of an installation, in milliseconds. */
const longestMs = 300_000

/**
 * Installs a version of Node.js from the npm registry, unless `node_modules/.cache` has it.
 * @returns a PATH that begins with the version
 * @throws Error with the registry's message when the package cannot be installed within five minutes
 */
export async function installNode(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`
  const folder = join(cache, version)
  const bin = join(folder, 'node_modules', name, 'bin')
  const path = `${bin}${delimiter}${process.env['PATH']}`
  const isInstalled = await run(join(bin, 'node'), ['--version']).then(
    () => true,
    () => false,
  )
  if (isInstalled) return path
  const unfinished = `${folder}.${process.pid}`
  await mkdir(unfinished, { recursive: true })
  try {
    const flags = ['--no-save', '--no-audit', '--no-fund', '--prefix', unfinished]
    await run('npm', ['install', ...flags, `${name}@${version}`], { timeout: longestMs })
    await rm(folder, { recursive: true, force: true })
    await rename(unfinished, folder)
  } catch (cause) {
    const { stderr } = cause as { readonly stderr?: string }
    const reason = stderr || `no answer within ${longestMs / 60_000} minutes`
    throw new Error(`Node.js ${version} cannot be installed from the npm registry: ${reason}`, { cause })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return path
}
