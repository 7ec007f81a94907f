import { createSource } from '../../codegen/create-source.js'
import { type GeneratedFile, generate } from '../../codegen/index.js'
import { parseContract } from '../../contract/index.js'
import { configFiles } from './config-files.js'
import { exampleTest } from './example-test.js'
import type { ReadDocument } from './read-document.js'
import { readmeText } from './readme-text.js'
import { sampleHandlers } from './sample/handlers.js'
import { sampleTest } from './sample/test.js'
import { serverText } from './server-text.js'
import { standInFiles } from './stand-in-files.js'
import { standInsOf } from './stand-ins.js'
import type { Tools } from './tools.js'

/** What a project is made from. */
export interface ProjectOptions {
  /** The package's name. */
  readonly name: string
  readonly document: ReadDocument
  /** The sample has handlers and a test of its own. */
  readonly isSample: boolean
}

/** A new project, and what to tell of it. */
export interface Project {
  readonly files: readonly GeneratedFile[]
  /** What is left to do, and what stands in the way, a sentence each. */
  readonly remarks: readonly string[]
}

/**
 * All files of a new project.
 * @throws ContractError where the document cannot be used, or no code can be made of it
 */
export function projectOf({ name, document, isSample }: ProjectOptions, tools: Tools): Project {
  const contract = parseContract(document.text)
  const tool = { name: 'concordat', version: tools.version }
  const generated = generate(contract, tool)
  const standIns = standInsOf(createSource(contract, tool))
  const own = isSample
    ? [
        { path: 'src/handlers.ts', content: sampleHandlers },
        { path: 'test/service.test.ts', content: sampleTest },
      ]
    : [...standInFiles(standIns), { path: 'test/service.test.ts', content: exampleTest(standIns) }]
  const remarks = isSample ? [] : remarksOf(standIns, generated.leftOut.length)
  return {
    files: [
      { path: document.name, content: document.text },
      ...configFiles(name, document.name, tools),
      { path: 'README.md', content: readmeText({ name, contract, document: document.name, remarks }) },
      ...generated.files.map(({ path, content }) => ({ path: `generated/${path}`, content })),
      { path: 'src/server.ts', content: serverText(document.name) },
      ...own,
    ],
    remarks,
  }
}

function remarksOf(standIns: ReturnType<typeof standInsOf>, leftOut: number): readonly string[] {
  const shown = standIns.filter(({ kind }) => kind === 'example').length
  const silent = standIns.filter(({ kind }) => kind === 'silent').length
  const missing = standIns.length - shown - silent
  return [
    ...(standIns.length === 0
      ? ['The contract has no method yet: add one, then run `npm run generate`.']
      : []),
    ...(shown > 0
      ? [`${counted(shown, 'method answers', 'methods answer')} from the contract's examples.`]
      : []),
    ...(missing > 0
      ? [`${counted(missing, 'method has', 'methods have')} no example to answer from: not implemented yet.`]
      : []),
    ...(silent > 0 ? [`${counted(silent, 'notification does', 'notifications do')} nothing yet.`] : []),
    ...(leftOut > 0
      ? [
          `${counted(leftOut, 'example breaks', 'examples break')} the contract, which a conformance run may tell: see \`npm run lint\`.`,
        ]
      : []),
  ]
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
