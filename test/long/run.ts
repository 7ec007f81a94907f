/**
 * `npm run test:long`: the tests that are too long for `npm test`. It runs the long forms, then all tests on newer
 * versions of Node.js, then this folder. Each step prints its figures; the first failure ends the run. With arguments
 * it runs only the steps with these names, so that several machines can share them: `npm run test:long -- node-22`.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installNode, nodeVersions } from '../../bin/install-node.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const tap = join(root, 'node_modules', '.bin', 'tap')

/** Runs a command with visible output; ends the process when the command fails. */
function run(
  what: string,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): void {
  const started = performance.now()
  console.log(`\n== ${what}`)
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`== ${what}: ${status === 0 ? 'passed' : 'failed'} in ${seconds} s`)
  if (status !== 0) process.exit(1)
}

/** The tests of `npm test` and `npm run test:system`. */
const tests = [
  'test/groups/*.test.ts',
  'test/unit/**/{scalars,*.process}.test.ts',
  'test/service/**/*.test.ts',
]

const steps: Readonly<Record<string, (name: string) => void | Promise<void>>> = {
  // Files that share a process share its time limit, too.
  'long-forms': (name) =>
    run(name, tap, ['run', '--timeout=7200', ...tests], { ...process.env, TEST_LENGTH: 'long' }),
  ...Object.fromEntries(
    nodeVersions.slice(1).map((version) => [
      `node-${version}`,
      async (name: string) => {
        const env = { ...process.env, PATH: await installNode(version) }
        run(name, 'node', [tap, 'run', ...tests], env)
      },
    ]),
  ),
  ...Object.fromEntries(
    readdirSync(join(root, 'test', 'long'))
      .filter((file) => file.endsWith('.long.ts'))
      .map((file) => [
        basename(file, '.long.ts'),
        (name: string) => run(name, tap, ['run', '--timeout=1200', join('test', 'long', file)]),
      ]),
  ),
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(steps)
const unknown = wanted.filter((name) => !(name in steps))
if (unknown.length > 0) {
  console.error(`unknown steps: ${unknown.join(', ')}; known: ${Object.keys(steps).join(', ')}`)
  process.exit(2)
}
run('build', 'npm', ['run', '--silent', 'build'])
run('tap, once after an install', tap, ['build'])
for (const name of wanted) await steps[name]?.(name)
