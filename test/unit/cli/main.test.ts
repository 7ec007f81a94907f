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

t.test('help NAME explains a command, and help alone lists the commands', async (t) => {
  t.match(await run('help', 'bundle'), { code: 0, out: /^Usage: concordat bundle / })
  t.match(await run('help'), { code: 0, out: /^Usage: concordat <command>/ })
})

const unknown = [
  [['strat'], "unknown command 'strat'. Did you mean start? See --help."],
  [['help', 'strat'], "unknown command 'strat'. Did you mean start? See --help."],
  [['strat', '--help'], "unknown command 'strat'. Did you mean start? See --help."],
  [['__proto__'], "unknown command '__proto__'. See --help."],
  [['constructor'], "unknown command 'constructor'. See --help."],
  [['--port'], "unknown option '--port'. See --help."],
] as const
for (const [args, message] of unknown) {
  t.test(`concordat ${args.join(' ')} is one line on standard error and exit code 2`, async (t) => {
    t.same(await run(...args), { code: 2, out: '', err: `concordat: ${message}` })
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
