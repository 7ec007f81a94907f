import { readdir } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { shellWord } from '../../judge/index.js'
import { applyPlan, OutputError } from '../../toolkit/codegen/index.js'
import { ContractError } from '../../toolkit/contract/index.js'
import { printable } from '../../toolkit/text/index.js'
import { contractMessage } from '../contract-message.js'
import { defineCommand, type InvocationOf, type Program } from '../define-command.js'
import { allowRemoteOption, documentWords } from '../document-argument.js'
import { UsageError } from '../io.js'
import { readToolVersions } from '../package-file.js'
import { contractFolder } from './copied-files.js'
import { folderToBuild } from './own-package.js'
import { packageName } from './package-name.js'
import { type Project, projectOf } from './project.js'
import { readDocument, readFrom } from './read-document.js'
import { readTemplates } from './read-templates.js'

const define = (program: Program) =>
  program
    .usage('[options] [DOC] DIR')
    .argument(
      '[DOC]',
      `the document with the files that it refers to: ${documentWords} (default: a sample, a to-do list)`,
    )
    .argument('[DIR]', "the project's folder, new or empty; its name becomes the name of the service")
    .option(...allowRemoteOption)

/** Runs `concordat init`, which creates a project from a contract. */
export const initCommand = defineCommand({
  name: 'init',
  description: `Creates an npm workspace of two packages from an OpenRPC document. The contract's package has generated
code that integrators can install. The service has handlers to implement, a server and a test. The new project compiles,
starts and passes its test without changes.`,
  define,
  examples: [
    { says: 'a project from a sample', line: 'concordat init my-service' },
    { says: 'a project from a document of yours', line: 'concordat init openrpc.json my-service' },
  ],
  notes: `Until handlers are implemented, they return the document's examples. Methods without an example return an error.

Exit codes: 0 created, 2 failed; nothing is written then.`,
  run: init,
})

async function init({ args: [first, second], options, io }: InvocationOf<typeof define>): Promise<number> {
  if (first === undefined)
    throw new UsageError('the folder is missing: concordat init [DOC] DIR. See --help.')
  // The only argument is the folder.
  const [document, given] = second === undefined ? [undefined, first] : [first, second]
  const folder = resolve(given)
  await checkEmpty(folder, given)
  const project = await made(folder, document, options.allowRemote)
  await write(folder, project)
  for (const line of nextLines(project, given)) io.out(line)
  return 0
}

/** Rejects a folder with files, so that nothing is overwritten. A new Git repository is allowed. */
async function checkEmpty(folder: string, given: string): Promise<void> {
  const shown = printable(given)
  const found = await readdir(folder).catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT') return []
    if (code === 'ENOTDIR') {
      throw new UsageError(`${shown} is a file, or inside one: give the name of a new folder`)
    }
    throw new UsageError(`${shown} cannot be read (${code}): choose another folder`)
  })
  if (found.some((name) => name !== '.git')) {
    throw new UsageError(`${shown} is not empty: choose a new folder`)
  }
}

async function made(folder: string, document: string | undefined, allowRemote: boolean): Promise<Project> {
  const isSample = document === undefined
  try {
    const read = isSample
      ? await readFrom({ path: 'openrpc.json', text: await sampleText() }, false)
      : await readDocument(document, allowRemote)
    return await projectOf(
      { name: packageName(folder), folder, document: read, isSample },
      await readToolVersions(),
    )
  } catch (cause) {
    if (!(cause instanceof ContractError)) throw cause
    throw new UsageError(await contractMessage(document ?? 'the sample', cause), { cause })
  }
}

/** The contract of the sample, a to-do list. */
async function sampleText(): Promise<string> {
  const files = await readTemplates('sample')
  return files.find(({ path }) => path === `${contractFolder}/openrpc.json`)?.content ?? ''
}

async function write(folder: string, { files }: Project): Promise<void> {
  try {
    await applyPlan({ folder, missing: files, stale: [], unchanged: [], left: [] })
  } catch (cause) {
    if (!(cause instanceof OutputError)) throw cause
    throw new UsageError(cause.message, { cause })
  }
}

/** Lists the created files, the remaining work and the next commands. */
function nextLines({ files, remarks }: Project, given: string): readonly string[] {
  const folder = relative(process.cwd(), resolve(given)) || '.'
  return [
    `${printable(given)}: ${files.length} files`,
    ...remarks.map((remark) => `  ${printable(remark)}`),
    '',
    'Next:',
    ...(folderToBuild === undefined
      ? []
      : [
          `  npm run build --prefix ${shellWord(folderToBuild)}   # compiles concordat, which the project uses from there`,
        ]),
    ...(folder === '.' ? [] : [`  cd ${shellWord(folder)}`]),
    '  npm install',
    '  npm start',
    '',
    'See README.md for more.',
  ]
}
