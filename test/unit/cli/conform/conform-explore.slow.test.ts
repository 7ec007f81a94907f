import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import type { Report } from '../../../../src/judge/index.js'
import type { Call } from '../../judge/run/deployment.js'
import { conform, libraryService, passing, runCommand } from './conform-harness.js'

/** Answers as the contract says, except for large numbers. */
const large = ({ params }: Call) => {
  const [number] = params
  if (params.length !== 1 || !Number.isInteger(number) || Number(number) < 0) {
    return { error: { code: -32602, message: 'Invalid params' } }
  }
  return { result: Number(number) > 1000 ? { shelf: 1 } : null }
}

t.test('a generated call finds a fault, is shrunk, replayed, saved, and then fails as a case', async (t) => {
  const { deployment, suite, folder, contract } = await libraryService(
    t,
    { 'books/one.yaml': passing },
    { book: large },
  )
  const json = join(folder, 'report.json')
  const args = [
    '--explore',
    '80',
    '--seed',
    '3',
    '--only',
    'explored/*',
    '--save',
    folder,
    '--report',
    `json=${json}`,
  ]
  const { code, out, err } = await conform([deployment.url, ...suite, ...args])
  t.equal(code, 1, err)
  t.match(out, /expected {2}\/result {2}must have the member "title"/)
  t.match(out, /smallest {2}found in \d+ requests?: book\(\[1\d{3}\]\)/)
  const id = /--replay (explored\/book\/3-\d+)/.exec(out)?.[1] ?? ''
  t.match(err, /wrote .*explored.book-3-\d+\.yaml/)

  const report = JSON.parse(await readFile(json, 'utf8')) as Report
  t.ok(report.cases.find((one) => one.id === id)?.generated?.shrunkIn)
  t.same(report.coverage?.methods.never, ['lend', 'unmarked'])

  const again = await conform([deployment.url, ...suite, '--replay', id])
  t.equal(again.code, 1)
  t.match(again.out, /book\(\[1\d{3}\]\)/, 'the same smallest call')

  const [file = ''] = await readdir(join(folder, 'explored'))
  const saved = parse(await readFile(join(folder, 'explored', file), 'utf8')) as {
    readonly steps: readonly unknown[]
  }
  t.equal(saved.steps.length, 1)
  const asCase = await conform([
    deployment.url,
    '--contract',
    contract,
    '--scenarios',
    folder,
    '--only',
    `explored/${file.replace('.yaml', '')}`,
  ])
  t.equal(asCase.code, 1, asCase.err)
  t.match(asCase.out, /must have the member "title"/)

  const verified = await runCommand('verify', [json, '--contract', contract, ...suite.slice(2)])
  t.equal(verified.code, 1, verified.err)
  t.notMatch(verified.out, /explored.*(unknown|no longer)/, 'generated cases are judged again, too')
})

t.test('a call that fails only in its form is saved with it', async (t) => {
  const answer = (call: Call) => {
    const isCompressed = call.got.headers['accept-encoding'] === 'gzip'
    const right = large(call)
    return isCompressed && 'result' in right && right.result === null ? { result: { title: 7 } } : right
  }
  const { deployment, suite, folder } = await libraryService(
    t,
    { 'books/one.yaml': passing },
    { book: answer },
  )
  const args = ['--only', 'explored/*', '--explore', '80', '--seed', '3', '--save', folder]
  const { code, out, err } = await conform([deployment.url, ...suite, ...args])
  t.equal(code, 1, out + err)
  const files = await readdir(join(folder, 'explored'))
  const saved = await Promise.all(files.map((file) => readFile(join(folder, 'explored', file), 'utf8')))
  t.match(
    saved.find((text) => text.includes('headers:')),
    / {4}headers:\n {6}accept-encoding: gzip\n/,
  )
  t.ok(
    saved.some((text) => !text.includes('headers:')),
    'other calls fail in every form',
  )
  const asCases = await conform([
    deployment.url,
    ...suite.slice(0, 2),
    '--scenarios',
    folder,
    '--only',
    'explored/*',
  ])
  t.match(asCases.out, new RegExp(`${files.length} failed`), 'each saved case fails')
})

t.test('the saved cases of methods with any name run', async (t) => {
  for (const name of ['lib_getBook', 'Lib.Bücher/alle', '書']) {
    const { deployment, folder, contract } = await libraryService(t, {}, { [name]: large })
    const renamed = (await readFile(contract, 'utf8')).replaceAll('"book"', JSON.stringify(name))
    await writeFile(contract, renamed)
    const document = [deployment.url, '--contract', contract]
    const cases = join(folder, 'cases')
    const args = ['--explore', '60', '--seed', '3', '--only', 'explored/*', '--save', cases]
    t.equal((await conform([...document, ...args])).code, 1)
    const { code, out, err } = await conform([...document, '--scenarios', cases, '--only', 'explored/*'])
    t.equal(code, 1, err)
    t.match(out, /must have the member "title"/)
  }
})

t.test('the gate of coverage names what is missing', async (t) => {
  const { deployment, suite } = await libraryService(t, { 'books/one.yaml': passing })
  const only = [deployment.url, ...suite, '--only', 'books/*']
  const passed = await conform([...only, '--min-coverage', 'methods=25,errors=0'])
  t.equal(passed.code, 0, passed.err)
  const both = ['--min-coverage', 'methods=26', '--min-coverage', 'branches=100']
  const { code, err } = await conform([...only, ...both])
  t.equal(code, 1)
  t.match(err, 'methods: 1 of 4 covered, 26 % required; never seen: newest, lend, unmarked')
  t.match(err, 'branches: 1 of 2 covered, 100 % required; never seen: #/methods/1/result/schema/oneOf/1')
})

t.test('options that cannot be used are explained', async (t) => {
  const { deployment, suite } = await libraryService(t, { 'books/one.yaml': passing })
  for (const [args, message] of [
    [['--explore', '0'], /--explore needs a whole number from 1/],
    [['--explore', '1', '--seed', 'x'], /--seed needs a whole number from 0/],
    [['--save', ''], /--save needs a value/],
    [['--min-coverage', 'methods'], /--min-coverage needs percentages such as methods=100/],
    [['--min-coverage', 'methods=9', '--min-coverage', 'methods=8'], /--min-coverage methods is given twice/],
    [['--min-coverage', 'methods=101'], /--min-coverage needs percentages/],
    [['--min-coverage', 'rules=1'], /known are methods, members, branches, errors/],
    [['--replay', 'explored/book/x'], /unknown case "explored\/book\/x"/],
    [['--replay', 'explored/lend/1-1'], /unknown case "explored\/lend\/1-1"/],
  ] as const) {
    const { code, err } = await conform([deployment.url, ...suite, ...args])
    t.equal(code, 2, args.join(' '))
    t.match(err, message)
  }
})

t.test('methods without a stated effect are called only if the user says that they read', async (t) => {
  const { deployment, suite } = await libraryService(
    t,
    { 'books/one.yaml': passing },
    { unmarked: () => ({ result: 1 }) },
  )
  const explore = [deployment.url, ...suite, '--explore', '60', '--only', 'explored/*']
  await conform(explore)
  t.notOk(deployment.methods().includes('unmarked'))
  t.notOk(deployment.methods().includes('lend'))
  await conform([...explore, '--assume-read', 'unmarked'])
  t.ok(deployment.methods().includes('unmarked'))
  await conform([...explore, '--allow', 'write'])
  t.ok(deployment.methods().includes('lend'))
})
