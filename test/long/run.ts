/**
 * `npm run test:long`: the tests that are too long for `npm test`. It runs the long forms, then `npm test` on newer
 * versions of Node.js, then this folder. Each step prints its figures; the first failure ends the run.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
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

run('tap, once after an install', tap, ['build'])
/** The tests as `npm test` runs them. */
const tests = [
  'test/groups/*.test.ts',
  'test/unit/**/{scalars,*.process}.test.ts',
  'test/service/**/*.test.ts',
]
const long = { ...process.env, TEST_LENGTH: 'long' }
// Files that share a process share its time limit, too.
run('the tests in long form', tap, ['run', '--timeout=7200', ...tests], long)
for (const version of nodeVersions.slice(1)) {
  const env = { ...process.env, PATH: await installNode(version) }
  run(`the tests on Node ${version}`, 'node', [tap, 'run', ...tests], env)
}
for (const file of readdirSync(join(root, 'test', 'long')).filter((name) => name.endsWith('.long.ts'))) {
  run(file, tap, ['run', '--timeout=1200', join('test', 'long', file)])
}
