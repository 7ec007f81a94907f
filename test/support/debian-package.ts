import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const update = ['apt-get', 'update'] as const

/**
 * Ensures that a program of a Debian package exists. Tests install the package when it is missing and the user is root;
 * otherwise, and in a benchmark, the error contains the command to run.
 * @param find looks for the program; undefined when it is missing
 * @param say receives progress messages for the user
 */
export async function findInPackage<Found>(
  name: string,
  find: () => Promise<Found | undefined>,
  say: (text: string) => void,
): Promise<Found> {
  const found = await find()
  if (found !== undefined) return found
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', name] as const
  const line = `${update.join(' ')} && ${install.join(' ')}`
  const isRoot = process.getuid?.() === 0
  // tap sets this variable in the processes of tests.
  if (!isRoot || process.env['TAP'] !== '1') {
    const command = isRoot ? line : `sudo sh -c '${line}'`
    throw new Error(`Debian's package ${name} is missing. Install it: ${command}`)
  }
  say(`Debian's package ${name} is missing; installing it: ${line}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const [command, ...args] of [update, install]) {
    // Waits while another process holds the package lock.
    await run(command, ['-o', 'DPkg::Lock::Timeout=600', ...args], { env }).catch((cause: Error) => {
      throw new Error(`${command} ${args.join(' ')} failed; run ${line} by hand`, { cause })
    })
  }
  const installed = await find()
  if (installed === undefined) throw new Error(`The program is still missing after: ${line}`)
  return installed
}
