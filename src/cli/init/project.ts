import { createSource } from '../../codegen/create-source.js'
import { type Generated, type GeneratedFile, generate } from '../../codegen/index.js'
import { configFiles } from './config-files.js'
import { exampleTest } from './example-test.js'
import type { ReadDocument } from './read-document.js'
import { readmeText } from './readme-text.js'
import { sampleHandlers } from './sample/handlers.js'
import { sampleTest } from './sample/test.js'
import { serverText } from './server-text.js'
import { standInFiles } from './stand-in-files.js'
import { type StandIn, standInsOf } from './stand-ins.js'
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
 * @throws ContractError where no code can be made of the contract
 */
export function projectOf({ name, document, isSample }: ProjectOptions, tools: Tools): Project {
  const { contract } = document
  const tool = { name: 'concordat', version: tools.version }
  const generated = generate(contract, tool)
  const standIns = standInsOf(createSource(contract, tool))
  const own = isSample
    ? [
        { path: 'src/handlers.ts', content: sampleHandlers },
        { path: 'test/service.test.ts', content: sampleTest },
      ]
    : [...standInFiles(standIns), { path: 'test/service.test.ts', content: exampleTest(standIns) }]
  const remarks = isSample ? [] : remarksOf(standIns, generated)
  return {
    files: [
      ...document.files,
      ...configFiles(name, document, tools),
      { path: 'README.md', content: readmeText({ name, document, standIns, remarks }) },
      ...generated.files.map(({ path, content }) => ({ path: `generated/${path}`, content })),
      { path: 'src/server.ts', content: serverText(document) },
      ...own,
    ],
    remarks,
  }
}

function remarksOf(standIns: readonly StandIn[], generated: Generated): readonly string[] {
  const count = (kind: StandIn['kind']) => standIns.filter((standIn) => standIn.kind === kind).length
  const leftOut = generated.leftOut.length
  const sentences = [
    [count('example'), 'method answers', 'methods answer', "from the contract's examples."],
    [count('missing'), 'method has', 'methods have', 'no example to answer from: not implemented yet.'],
    [count('silent'), 'notification does', 'notifications do', 'nothing yet.'],
    [
      leftOut,
      'part',
      'parts',
      'of the contract had to be left out, and a conformance run may fail by it: npm run lint.',
    ],
  ] as const
  return [
    ...sentences.flatMap(([number, one, many, rest]) =>
      number === 0 ? [] : [`${number} ${number === 1 ? one : many} ${rest}`],
    ),
    ...(hasCases(generated)
      ? []
      : ['No case for a conformance run follows from the contract yet: give it methods with examples.']),
  ]
}

function hasCases({ files }: Generated): boolean {
  const derived = files.find(({ path }) => path === 'conformance.json')
  const { scenarios } = JSON.parse(derived?.content ?? '{"scenarios":[]}') as {
    readonly scenarios: readonly unknown[]
  }
  return scenarios.length > 0
}
