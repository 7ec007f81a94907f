import t from 'tap'
import type { CommandIo } from '../../../src/cli/io.js'
import { main } from '../../../src/cli/main.js'

/** Runs the command line in this process and captures its output. */
async function run(...args: string[]) {
  const out: string[] = []
  const err: string[] = []
  const io: CommandIo = { out: (line) => out.push(line), err: (line) => err.push(line), env: {} }
  return { code: await main(args, io), out: out.join('\n'), err: err.join('\n') }
}

t.test('--help lists every command and exits with 0', async (t) => {
  const { code, out } = await run('--help')
  t.equal(code, 0)
  for (const name of ['start', 'generate', 'keys', 'lint', 'diff', 'mock', 'conform', 'selftest'])
    t.match(out, new RegExp(`^  ${name} `, 'm'))
})

t.test('without a command the help is shown and the exit code is 2', async (t) => {
  const { code, out } = await run()
  t.equal(code, 2)
  t.match(out, /^Usage: concordat/)
})

t.test('--version prints the version of package.json', async (t) => {
  const { code, out } = await run('--version')
  t.equal(code, 0)
  t.match(out, /^\d+\.\d+\.\d+$/)
})

for (const name of ['strat', '__proto__', 'constructor', '--port']) {
  t.test(`the unknown command ${name} is one line on standard error and exit code 2`, async (t) => {
    const { code, out, err } = await run(name)
    t.equal(code, 2)
    t.equal(out, '')
    t.match(err, `unknown command "${name}"`)
    t.equal(err.split('\n').length, 1)
  })
}

t.test('an internal error is shown completely, with its own exit code', async (t) => {
  const err: string[] = []
  const out = () => {
    throw new TypeError('the output is gone')
  }
  const code = await main(['generate', '--help'], { out, err: (line) => err.push(line), env: {} })
  t.equal(code, 2)
  t.match(err.join(), /^concordat generate: TypeError: the output is gone\n +at /)
})
