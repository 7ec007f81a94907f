import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { reader } from './reader.js'
import { cleanEnvironment } from './service.js'

const execute = promisify(execFile)
const tsconfig = fileURLToPath(new URL('../../tsconfig.json', import.meta.url))

/**
 * Runs TypeScript programs one after the other in one process, and returns the output of each. `concordat/…` is this
 * project's source for a reader who has no other installation.
 * @param folder made by `reader.newFolder`
 */
export async function runPrograms(
  folder: string,
  env: Readonly<Record<string, string>>,
  ...programs: readonly string[]
): Promise<readonly string[]> {
  const end = '-- end of a program --'
  for (const [at, code] of programs.entries()) await writeFile(join(folder, `example-${at}.mts`), code)
  const all = programs.map((_, at) => `await import('./example-${at}.mts')\nconsole.log('${end}')\n`)
  await writeFile(join(folder, 'all.mts'), all.join(''))
  const { stdout } = await execute(process.execPath, ['--import=tsx', 'all.mts'], {
    cwd: folder,
    env: cleanEnvironment(reader.isProject ? { ...env, TSX_TSCONFIG_PATH: tsconfig } : env),
  })
  return stdout.split(end).map((text) => text.trim())
}
