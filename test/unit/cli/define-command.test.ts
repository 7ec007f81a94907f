import t from 'tap'
import { defineCommand, oneOf, texts, wholeNumber } from '../../../src/cli/define-command.js'
import { UsageError } from '../../../src/cli/io.js'

const sample = defineCommand({
  name: 'sample',
  description:
    'Copies a file to a place that can be far away, so that the description needs more than one line of\nhelp.',
  define: (program) =>
    program
      .argument('<FROM>', 'the file')
      .argument('[TO]', 'the place')
      .option('--name <TEXT>', 'a name')
      .option('--note <TEXT>', 'a note, which may be empty', String)
      .option('--tag <TAG>', 'a tag (repeatable)', texts, [])
      .option('--size <N>', 'a size', wholeNumber(1, 9), 3)
      .optionsGroup('Form:')
      .option('--mode <MODE>', 'a mode', oneOf('fast', 'safe'))
      .option(
        '--dry-run',
        `copy nothing, and print what would be copied
        instead`,
      ),
  examples: [
    { says: 'a copy', line: 'concordat sample a b' },
    { says: 'a safe one', line: "concordat sample a --mode safe --name 'c d'" },
  ],
  notes: `Environment:
  SAMPLE_TOKEN          a token, which needs so many words that its description does not fit into one line of this help
  SAMPLE                another
    kept   as it is

Exit codes: 0 copied, 2 could not run.`,
  run: async ({ args, options, io }) => {
    io.out(JSON.stringify({ args, options }))
    return 3
  },
})

/** Runs the sample and returns its exit code and output, or the message of its UsageError. */
async function run(...args: readonly string[]) {
  const out: string[] = []
  const io = { out: (line: string) => out.push(line), err: () => t.fail('no output of errors'), env: {} }
  try {
    return { code: await sample(args, io), out: out.join('\n') }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    t.same(out, [])
    return error.message
  }
}

t.test('arguments and options are parsed, and the exit code is that of the command', async (t) => {
  const parsed: readonly (readonly [readonly string[], readonly (string | undefined)[], object])[] = [
    [['a'], ['a', undefined], {}],
    [
      ['a', 'b', '--size', '9', '--mode=safe', '--dry-run'],
      ['a', 'b'],
      { size: 9, mode: 'safe', dryRun: true },
    ],
    [['--tag', 'x', 'a', '--tag=y', 'b'], ['a', 'b'], { tag: ['x', 'y'] }],
    [['--name=-x=y', '--note=', '--', '-a', '--help'], ['-a', '--help'], { name: '-x=y', note: '' }],
    [['-', '--name', '-'], ['-', undefined], { name: '-' }],
    [['a', '--name', 'x', '--name', 'y'], ['a', undefined], { name: 'y' }],
  ]
  for (const [given, args, options] of parsed) {
    const out = JSON.stringify({ args, options: { tag: [], size: 3, ...options } })
    t.same(await run(...given), { code: 3, out }, given.join(' '))
  }
})

t.test('invalid arguments are one line that says what to do, without their values', async (t) => {
  const rows: readonly (readonly [readonly string[], string])[] = [
    [[], "missing required argument 'FROM'. See --help."],
    [['a', 'b', 'secret'], 'too many arguments. Expected 2 arguments but got 3. See --help.'],
    [[''], 'FROM needs a value'],
    [['a', '--name='], '--name needs a value'],
    [['a', '--name', ''], '--name needs a value'],
    [['a', '--name'], "option '--name <TEXT>' needs a value. See --help."],
    [
      ['a', '--name', '--dry-run'],
      "option '--name <TEXT>' needs a value, or --name=VALUE if it starts with a hyphen. See --help.",
    ],
    [
      ['a', '--size', '-1'],
      "option '--size <N>' needs a value, or --size=VALUE if it starts with a hyphen. See --help.",
    ],
    [['a', '--name', '--', 'b'], "option '--name <TEXT>' needs a value. See --help."],
    [['a', '--size', '0'], '--size needs a whole number from 1 to 9'],
    [['a', '--size', '10'], '--size needs a whole number from 1 to 9'],
    [['a', '--size', '1e0'], '--size needs a whole number from 1 to 9'],
    [['a', '--mode', 'constructor'], '--mode takes fast or safe'],
    [['a', '--dry-run=secret'], "option '--dry-run' takes no value. See --help."],
    [['a', '--dry-rum'], "unknown option '--dry-rum'. Did you mean --dry-run? See --help."],
    [['a', '--token=secret=secret'], "unknown option '--token'. See --help."],
    [['a', "--it's=se'cret\nsecret"], "unknown option '--it's'. See --help."],
    [['a', '-x'], "unknown option '-x'. See --help."],
    [['a', '--\u001b[2J'], "unknown option '--\\u001b[2J'. See --help."],
  ]
  for (const [args, message] of rows) t.equal(await run(...args), message, JSON.stringify(args))
})

t.test('--help is shown whatever else is given, and wraps its texts', async (t) => {
  const help = `Usage: concordat sample [options] <FROM> [TO]

Copies a file to a place that can be far away, so that the description needs more than one line of
help.

Arguments:
  FROM           the file
  TO             the place

Options:
  --name <TEXT>  a name
  --note <TEXT>  a note, which may be empty
  --tag <TAG>    a tag (repeatable)
  --size <N>     a size (default: 3)
  -h, --help     show this help

Form:
  --mode <MODE>  a mode
  --dry-run      copy nothing, and print what would be copied instead

Examples:
  # a copy
  concordat sample a b
  # a safe one
  concordat sample a --mode safe --name 'c d'

Environment:
  SAMPLE_TOKEN  a token, which needs so many words that its description does not fit into one line
                of this help
  SAMPLE        another
    kept   as it is

Exit codes: 0 copied, 2 could not run.`
  for (const args of [['--help'], ['a', '-h'], ['--size', 'x', '--what', '--help'], ['--name', '--help']]) {
    t.same(await run(...args), { code: 0, out: help })
  }
})

t.test('help fits a narrow terminal and a pager', async (t) => {
  const before = process.env['COLUMNS']
  t.teardown(() => {
    if (before === undefined) delete process.env['COLUMNS']
    else process.env['COLUMNS'] = before
  })
  process.env['COLUMNS'] = '60'
  const { out } = (await run('--help')) as { readonly out: string }
  t.same(
    out.split('\n').filter((line) => line.length > 60),
    [],
  )
  t.match(out, 'this help\n  SAMPLE        another')
})
