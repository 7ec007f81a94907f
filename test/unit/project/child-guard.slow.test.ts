import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import t from 'tap'
import '../../support/plain-children.js'
import { gone } from '../../support/processes.js'

const guard = new URL('../../support/child-guard.ts', import.meta.url).href

/** Starts a shell with a program below it, and a process that has ended already. */
const program = `
import { spawn, spawnSync } from 'node:child_process'
await import(${JSON.stringify(guard)})
spawn('true')
const shell = spawn('sh', ['-c', 'trap "" TERM; sleep 1000 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] })
shell.stdout.on('data', (text) => console.log(shell.pid, String(text).trim()))
`

t.test('a killed process leaves no child processes, not even those that ignore SIGTERM', async (t) => {
  const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', program]
  const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface({ input: parent.stdout }), 'line')
  const children = String(line).split(' ').map(Number)
  t.equal(children.length, 2)
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  for (const pid of children) await gone(pid)
})
