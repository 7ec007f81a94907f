import { mkdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { startConcordat } from '../../test/support/concordat-process.js'
import { strictCompile } from '../../test/unit/toolkit/codegen/strict-compile.js'

/** The result of a step: an empty text on success, otherwise its output. */
type Outcome = string

/** Maximum length of the shown output of a step, in characters. */
const shownMost = 2000

/**
 * Runs the whole toolkit on OpenRPC documents: lint, generate, a strict compilation, `generate --check`, and conform
 * against the mock. Prints a line for each document, and the output of the steps that failed.
 * @param folder an empty folder for generated code
 * @param documents paths of the documents
 */
export async function tryDocuments(folder: string, documents: readonly string[]): Promise<void> {
  for (const document of documents) {
    const name = basename(document, extname(document))
    const started = performance.now()
    const outcomes = await outcomesOf(document, join(folder, name))
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const cells = Object.entries(outcomes).map(([step, told]) => `${step} ${told === '' ? 'ok' : 'FAILED'}`)
    console.log([name.padEnd(28), ...cells, `${seconds} s`].join('  '))
    for (const [step, told] of Object.entries(outcomes)) {
      if (told !== '') console.log(`  ${step}: ${told.slice(0, shownMost).replaceAll('\n', '\n    ')}`)
    }
  }
}

async function outcomesOf(document: string, folder: string): Promise<Readonly<Record<string, Outcome>>> {
  await mkdir(folder, { recursive: true })
  const code = join(folder, 'generated')
  const lint = await run('lint', document)
  const generate = await run('generate', document, '--out', code)
  if (generate !== '') return { lint, generate }
  return {
    lint,
    generate,
    compile: (await strictCompile(folder)).trim(),
    check: await run('generate', document, '--out', code, '--check'),
    ...(await conformed(document, folder)),
  }
}

async function run(...args: readonly string[]): Promise<Outcome> {
  const program = startConcordat(args)
  const exit = await program.ended
  const { out, err } = program.output()
  return exit === 0 ? '' : `exit ${exit}\n${out}${err}`.trim()
}

async function conformed(document: string, folder: string): Promise<Readonly<Record<string, Outcome>>> {
  const ready = join(folder, 'ready.json')
  const mock = startConcordat(['mock', document, '--port', '0', '--ready-file', ready])
  const text = await mock.ready(ready)
  if (text === undefined) return { mock: mock.output().err }
  try {
    const { url } = JSON.parse(text) as { readonly url: string }
    return {
      mock: '',
      conform: await run('conform', url, '--contract', document, '--assume-read', '*', '--explore', '300'),
    }
  } finally {
    await mock.stop()
  }
}
