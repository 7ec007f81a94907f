import { execFile, execFileSync } from 'node:child_process'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { linkPackages } from '../../support/compiled-package.js'
import '../../support/plain-children.js'
import { isLong } from '../../support/runs.js'
import { findTool } from '../../support/tools.js'
import { documentOf, inFolder, methodOf } from '../toolkit/codegen/fixtures.js'
import { libraryService, passing } from './conform/conform-harness.js'

interface Step {
  readonly name: string
  readonly run: string
}

const example = (name: string) => readFile(new URL(`../../../examples/ci/${name}`, import.meta.url), 'utf8')
const action: { readonly runs: { readonly steps: readonly Step[] } } = parse(await example('action.yml'))
const hooks: {
  readonly repos: readonly { readonly hooks: readonly { readonly id: string; readonly entry: string }[] }[]
} = parse(await example('.pre-commit-config.yaml'))

/** A step of the action, or a hook, by a word of its name. */
const commands = new Map([
  ...action.runs.steps.map(({ name, run }) => [name, run] as const),
  ...hooks.repos.flatMap((repo) => repo.hooks.map(({ id, entry }) => [id, entry] as const)),
])

const method = (name: string) => ({
  ...methodOf([], { type: 'integer' }),
  name,
  errors: [],
  examples: [{ name: 'one', params: [], result: { name: 'r', value: 1 } }],
})
const text = (version: string, ...names: readonly string[]) =>
  JSON.stringify(documentOf({ info: { title: 'T', version }, methods: names.map(method) }), null, 2)

/**
 * Runs a command in bash and returns its exit code and output. `npx` is left out, because its start takes longer than
 * that of most commands.
 */
function shell(
  cwd: string,
  command: string,
  variables: Readonly<Record<string, string>> = { BASE: 'main' },
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    const path = `${join(cwd, 'node_modules', '.bin')}:${process.env['PATH']}`
    const env = { ...process.env, PATH: path, ...variables }
    const options = { cwd, env, encoding: 'utf8' } as const
    const child = execFile(
      'bash',
      ['-e', '-o', 'pipefail', '-c', command.replaceAll('npx concordat', 'concordat')],
      options,
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })
}

t.test('the commands of the action and of the hooks find what is wrong', async (t) => {
  await findTool('git')
  await inFolder(async (dir) => {
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: dir })
    await linkPackages(join(dir, 'node_modules'), ['concordat'], ['concordat'])
    await mkdir(join(dir, 'contract'))
    const document = join(dir, 'contract/openrpc.json')
    const config = join(dir, 'concordat.config.yaml')
    const settings = 'document: contract/openrpc.json\ngenerate: { out: generated, only: [types] }\n'
    await writeFile(join(dir, '.gitignore'), 'node_modules\ngenerated\n')
    await writeFile(config, settings)
    await writeFile(document, text('1.0.0', 'count', 'sum'))
    git('init', '-q', '-b', 'main')
    git('add', '.')
    git('commit', '-q', '-m', 'first')
    t.equal((await shell(dir, 'concordat generate')).code, 0)

    const outputs = new Map<string, string>()
    const codes = async (names: readonly string[] = [...commands.keys()]) => {
      const results = await Promise.all(
        names.map(async (name) => {
          const { code, output } = await shell(dir, commands.get(name) ?? 'exit 99')
          outputs.set(name, output)
          return [name, code] as const
        }),
      )
      return Object.fromEntries(results)
    }
    const fine = {
      Lint: 0,
      'Write the changes for code scanning': 0,
      'Compare with the base branch': 0,
      'Check the generated code': 0,
      'concordat-lint': 0,
      'concordat-diff': 0,
      'concordat-generate': 0,
    }
    await writeFile(document, text('1.1.0', 'count', 'duplicate', 'duplicate'))
    t.same(
      await codes(['Lint', 'Write the changes for code scanning']),
      { Lint: 1, 'Write the changes for code scanning': 1 },
      'the document is invalid',
    )

    await writeFile(document, text('1.1.0', 'count', 'more'))
    const changed = {
      ...fine,
      'Compare with the base branch': 1,
      'Check the generated code': 1,
      'concordat-diff': 1,
      'concordat-generate': 1,
    }
    t.same(await codes(), changed, 'a method is removed')
    const sarif = JSON.parse(await readFile(join(dir, 'contract.sarif'), 'utf8'))
    t.match(sarif.runs[0].results[0], { ruleId: 'method-removed', level: 'error' })
    t.match(
      outputs.get('Compare with the base branch'),
      /^::error file=contract\/openrpc\.json,line=\d+,col=\d+,title=breaking for both%3A method-removed::/,
    )

    t.equal((await shell(dir, 'concordat generate')).code, 0)
    const accepted =
      'diff: { accepted: [{ version: 1.1.0, at: "#/methods/sum", reason: no client calls it }] }\n'
    await writeFile(config, settings + accepted)
    // The short form repeats only the commands that failed.
    const repeated = Object.entries(changed).flatMap(([name, code]) => (isLong || code !== 0 ? name : []))
    const wanted = Object.fromEntries(repeated.map((name) => [name, 0]))
    t.same(await codes(repeated), wanted, 'the change is accepted')
  })
})

t.test(
  'the action for a service annotates failures, writes a summary and compares with a baseline',
  async (t) => {
    const conform: typeof action & {
      readonly inputs: Readonly<Record<string, { readonly default?: string }>>
    } = parse(await example('conform/action.yml'))
    const [step] = conform.runs.steps
    const shelves = new Map([[8, 'x']])
    const hostile = '::error::injected%0A'
    const { deployment, contract, suite } = await libraryService(
      t,
      { 'books/one.yaml': passing, 'books/two.yaml': passing.replace('[7]', '[8]') },
      {
        book: ({ params: [number] }) => ({ result: shelves.has(Number(number)) ? { title: hostile } : null }),
      },
    )
    await inFolder(async (dir) => {
      await linkPackages(join(dir, 'node_modules'), ['concordat'], ['concordat'])
      await mkdir(join(dir, 'previous'))
      const [summary, output] = [join(dir, 'step-summary.md'), join(dir, 'output')]
      const run = async (more: readonly string[] = [], url = deployment.url) => {
        for (const file of [summary, output]) await writeFile(file, '')
        const options = [`--contract=${contract}`, `--scenarios=${suite[3]}`, '', '--only=books/*', ...more]
        const result = await shell(dir, step?.run ?? 'exit 99', {
          RPC_URL: url,
          OPTIONS: options.join('\n'),
          BASELINE: conform.inputs['baseline']?.default ?? '',
          FAIL_ON: 'new',
          GITHUB_STEP_SUMMARY: summary,
          GITHUB_OUTPUT: output,
        })
        t.equal(await readFile(output, 'utf8'), `exit-code=${result.code}\n`)
        return { ...result, summary: await readFile(summary, 'utf8') }
      }

      const first = await run()
      t.equal(first.code, 1)
      t.match(first.summary, '### Failures\n\n- `books/two`')
      const [, token = 'none', shown = '', after = ''] =
        /^::stop-commands::(\w{32})\n(.*)^::\1::\n(.*)$/ms.exec(first.output) ?? []
      t.match(shown, '✗ books/two', token)
      t.same(after.match(/^::\w+/gm), ['::error'])
      t.match(after, /^::error title=books\.missing-null%3A books\/two::.*injected%250A/)

      await copyFile(join(dir, 'report.json'), join(dir, 'previous/report.json'))
      t.match(await run(), { code: 0, summary: '### Still failing\n\n- `books/two`' })
      shelves.set(7, 'x')
      t.match(await run(), { code: 1, summary: '### New failures\n\n- `books/one`' })

      const unreachable = await run([], 'http://127.0.0.1:1')
      t.match(unreachable, { code: 2, summary: '' })
      t.notMatch(unreachable.output, /^::error/m, 'annotations of an earlier run are not repeated')
    })
  },
)
