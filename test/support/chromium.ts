import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, constants } from 'node:fs/promises'

const path = '/usr/bin/chromium'
const update = ['apt-get', 'update'] as const
const install = ['apt-get', 'install', '-y', '--no-install-recommends', 'chromium'] as const
const line = `${update.join(' ')} && ${install.join(' ')}`

/** Switches that silence Chromium and stop its background requests. */
const switches = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Finds Debian's Chromium and the arguments to start it. Installs it when it is missing and the user is root; otherwise
 * the error contains the command to run.
 * @param say receives progress messages for the user
 */
export async function findChromium(say: (text: string) => void) {
  if (!(await isThere())) {
    if (process.getuid?.() !== 0) throw new Error(`Chromium is missing. Install it: sudo sh -c '${line}'`)
    say(`Chromium is missing; installing Debian's package: ${line}`)
    await run(update)
    await run(install)
    if (!(await isThere())) throw new Error(`${path} is not there after: ${line}`)
    say('Chromium is installed')
  }
  return { executablePath: path, args: switches }
}

const isThere = () =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

/** Runs an apt command and waits for the package lock. The error contains the output of a failed command. */
async function run([command, ...args]: readonly [string, ...string[]]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const child = spawn(command, ['-o', 'DPkg::Lock::Timeout=600', ...args], { env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} failed; run ${line} by hand:\n${output.slice(-2000)}`)
}
