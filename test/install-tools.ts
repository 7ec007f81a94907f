/**
 * `npm run test:tools`: installs what tests use and `npm ci` does not install: Debian's packages with apt-get, if the
 * user is root, and packages of Python and a newer Node.js in `node_modules/.cache`. It prints what is left to do, and
 * exits with 1 if that is something.
 */
import { spawnSync } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { debianLine, type Tool, tools } from './support/tools.js'

/** Longest wait for another process that uses apt-get; seconds. */
const lockSeconds = 1_200
/** Pause between two attempts; seconds. */
const pauseSeconds = 5

/**
 * Runs apt-get. Its own time limit covers dpkg's lock, but not that of the lists, for which this waits.
 * @throws Error with the end of the output, if it fails for another reason or the lock is not freed
 */
async function aptGet(...args: readonly string[]): Promise<void> {
  const options = ['-o', `DPkg::Lock::Timeout=${lockSeconds}`]
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  for (let left = lockSeconds; ; left -= pauseSeconds) {
    const { status, error, stderr } = spawnSync('apt-get', [...options, ...args], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    if (error !== undefined) throw error
    if (status === 0) return
    const isLocked = /Could not get lock|Unable to lock/.test(stderr)
    if (!isLocked || left <= 0) throw new Error(`apt-get ${args.join(' ')} failed:\n${stderr.slice(-2_000)}`)
    console.log('Another process uses apt-get; waiting for it')
    await setTimeout(pauseSeconds * 1_000)
  }
}

async function missing(): Promise<readonly Tool[]> {
  const left: Tool[] = []
  for (const tool of Object.values<Tool>(tools)) if ((await tool.find()) === undefined) left.push(tool)
  return left
}

const packages = (await missing()).flatMap(({ debianPackage }) => debianPackage ?? [])
if (packages.length > 0 && process.getuid?.() === 0) {
  console.log(`Installing ${packages.join(', ')}`)
  await aptGet('update')
  await aptGet('install', '-y', '--no-install-recommends', ...packages)
}
for (const { name, command } of await missing()) {
  if (command === undefined) continue
  console.log(`Installing ${name}`)
  const [program = '', ...args] = command
  spawnSync(program, args, { stdio: 'inherit' })
}
const left = await missing()
const byHand = left.flatMap(({ debianPackage }) => debianPackage ?? [])
if (byHand.length > 0) console.log(`Left to do: ${debianLine(byHand)}`)
for (const { name, install, debianPackage } of left)
  if (debianPackage === undefined) console.log(`Left to do, for ${name}: ${install}`)
process.exit(left.length === 0 ? 0 : 1)
