import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { main } from '../../../src/cli/main.js'
import { startConcordat } from '../../support/concordat-process.js'
import { everyNth } from '../../support/runs.js'
import { documentOf, inFolder, methodOf } from '../toolkit/codegen/fixtures.js'

/** Runs the command line in a process with a text as standard input. */
async function run(args: readonly string[], options: { readonly input?: string; readonly cwd?: string }) {
  const { ended, output } = startConcordat(args, {}, options)
  return { code: await ended, ...output() }
}

t.test('a closed output pipe is not a failure', async (t) => {
  const { child, ended, output } = startConcordat(['lint', '--rules'])
  child.stdout?.destroy()
  t.equal(await ended, 0)
  t.equal(output().err, '')
})

t.test('commands without a document use the one in the current folder', async (t) => {
  await inFolder(async (cwd) => {
    const document = join(cwd, 'openrpc.yaml')
    const isRun = async (command: string, wanted: object) =>
      t.match(await run([command], { cwd }), wanted, command)
    await writeFile(document, JSON.stringify(documentOf({ methods: [methodOf([])] }), null, 2))
    await isRun('lint', { code: 0, out: /^openrpc\.yaml:8:5 {2}warning/ })
    await isRun('generate', { code: 0, out: /\ngenerated: \d+ written/ })
    await writeFile(document, 'openrpc: 1.3.2')
    await isRun('mock', { code: 2, err: /^concordat mock: openrpc\.yaml: 2 problems\n/ })
    await rm(document)
    for (const command of everyNth(3, ['lint', 'generate', 'mock'])) {
      const problem = `concordat ${command}: the current folder: has no openrpc.json, openrpc.yaml`
      await isRun(command, { code: 2, err: problem })
    }
  })
})

t.test(
  'the help of each command fits 80 columns, and its two examples use options that it has',
  async (t) => {
    const before = process.env['COLUMNS']
    process.env['COLUMNS'] = '80'
    t.teardown(() => {
      if (before === undefined) delete process.env['COLUMNS']
      else process.env['COLUMNS'] = before
    })
    const help = async (...args: readonly string[]) => {
      const lines: string[] = []
      const io = { out: (text: string) => lines.push(...text.split('\n')), err: t.fail, env: {} }
      t.equal(await main([...args, '--help'], io), 0)
      return lines
    }
    const names = (await help()).flatMap((line) => /^ {2}([a-z]+) {2,}/.exec(line)?.[1] ?? [])
    t.ok(names.length > 15)
    for (const name of names) {
      const lines = await help(name)
      t.same(
        lines.filter((line) => line.length > 80),
        [],
        name,
      )
      const from = lines.indexOf('Examples:')
      const examples = lines
        .slice(from + 1, lines.indexOf('', from))
        .filter((line) => !line.startsWith('  #'))
      t.equal(examples.length, 2, name)
      const options = new Set(
        lines
          .slice(0, from)
          .join(' ')
          .match(/--[a-z-]+/g),
      )
      for (const example of examples) {
        t.match(example, new RegExp(`\\bconcordat ${name}\\b`))
        for (const option of example.match(/--[a-z-]+/g) ?? [])
          t.ok(options.has(option), `${name}: ${option}`)
      }
    }
  },
)

t.test('the examples of help name cases that exist, and reports that commands write', async (t) => {
  const output = async (...args: readonly string[]) => {
    const lines: string[] = []
    await main(args, { out: (text) => lines.push(...text.split('\n')), err: t.fail, env: {} })
    return lines
  }
  const examplesOf = async (name: string) =>
    (await output(name, '--help')).filter((line) => line.startsWith(`  concordat ${name} `))
  const cases = (await output('conform', '--list')).map((line) => line.split(' ')[0])
  for (const example of await examplesOf('case')) {
    const [, id] = /#(\S+)/.exec(example) ?? []
    t.ok(cases.includes(id), example)
  }
  // Patterns, formats and files are read before the service is called.
  const url = 'http://127.0.0.1:1/'
  await inFolder(async (cwd) => {
    for (const example of [...(await examplesOf('conform')), ...(await examplesOf('compare'))]) {
      const words = example.trim().split(' ').slice(1)
      const args = words.map((word) => word.replace(/^"\$\w+"$/, url).replaceAll("'", ''))
      const { code, err } = await run([...args, '--network', 'test'], { cwd })
      // A report to compare with is the reader's own.
      const expected = / \w+\.json /.test(example)
        ? 'before.json: the file does not exist'
        : 'cannot be reached'
      t.ok(code === 0 || err.includes(expected), example, { err })
    }
  })
})

t.test('one of the documents of diff may come from standard input', async (t) => {
  await inFolder(async (cwd) => {
    const document = (required: boolean) =>
      JSON.stringify(
        documentOf({ methods: [methodOf([{ name: 'id', required, schema: { type: 'string' } }])] }),
      )
    await writeFile(join(cwd, 'old.json'), document(false))
    const diff = (input: string, ...documents: readonly string[]) =>
      run(['diff', ...documents], { input, cwd })
    t.match(await diff(document(true), 'old.json', '-'), { code: 1, out: /became required/ })
    t.match(await diff(document(true), '-', 'old.json'), { code: 0, out: /became optional/ })
    t.match(await diff('{"openrpc":', 'old.json', '-'), {
      code: 2,
      out: '',
      err: /^concordat diff: standard input: /,
    })
  })
})
