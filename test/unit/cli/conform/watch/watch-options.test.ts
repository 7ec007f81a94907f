import t from 'tap'
import { defineConform, readConformOptions } from '../../../../../src/cli/conform/conform-options.js'
import { defineCommand } from '../../../../../src/cli/define-command.js'

const url = 'https://rpc.example.net/'
async function read(...args: readonly string[]) {
  const found: unknown[] = []
  const command = defineCommand({
    name: 'conform',
    description: 'Checks a service.',
    define: defineConform,
    examples: [
      { says: '', line: '' },
      { says: '', line: '' },
    ],
    notes: '',
    run: async (invocation) => found.push(readConformOptions(invocation)),
  })
  await command([url, ...args], { out: () => undefined, err: () => undefined, env: {} })
  return found[0]
}

t.test('a watch has an interval and a budget', async (t) => {
  t.match(await read('--watch', '60'), {
    watch: { seconds: 60, perHour: 500, metricsPort: undefined },
  })
  t.match(await read('--watch', '5', '--watch-budget', '9', '--metrics-port', '0'), {
    watch: { seconds: 5, perHour: 9, metricsPort: 0 },
  })
  t.match(await read(), { watch: undefined })
})

const refused: readonly (readonly [readonly string[], RegExp])[] = [
  [['--watch', '0'], /--watch needs a whole number from 1/],
  [['--watch-budget', '9'], /--watch-budget needs --watch SECONDS/],
  [['--watch', '60', '--metrics-port', '65536'], /--metrics-port needs a whole number from 0 to 65535/],
  [['--watch', '60', '--allow', 'write'], /--watch and --allow cannot be combined/],
  [['--watch', '60', '--plan'], /--watch and --plan cannot be combined/],
  [['--watch', '60', '--report', 'json=-'], /--watch and --report cannot be combined/],
  [['--watch', '60', '--explore', '5'], /--watch and --explore cannot be combined/],
  [['--watch', '60', '--require-complete'], /--watch and --require-complete cannot be combined/],
]

for (const [args, message] of refused) {
  t.test(`refused: ${args.join(' ')}`, async (t) => {
    await t.rejects(read(...args), { message })
  })
}
