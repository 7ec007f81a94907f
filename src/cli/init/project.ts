import { createSource, type Generated, type GeneratedFile, generate } from '../../codegen/index.js'
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

/** The inputs of a new project. */
export interface ProjectOptions {
  /** The package's name. */
  readonly name: string
  readonly document: ReadDocument
  /** True for the sample, which has its own handlers and test. */
  readonly isSample: boolean
}

/** A new project and remarks for the user. */
export interface Project {
  readonly files: readonly GeneratedFile[]
  /** Remaining work and problems, one sentence each. */
  readonly remarks: readonly string[]
}

/**
 * Creates all files of a new project.
 * @param options the inputs of the project
 * @param tools versions of the dependencies
 * @throws ContractError when code cannot be generated from the contract
 */
export function projectOf(options: ProjectOptions, tools: Tools): Project {
  const { name, document, isSample } = options
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
    [count('example'), 'method returns', 'methods return', "the contract's examples."],
    [count('missing'), 'method has', 'methods have', 'no example and returns an error until implemented.'],
    [count('silent'), 'notification is', 'notifications are', 'ignored until implemented.'],
    [
      leftOut,
      'part of the contract is',
      'parts of the contract are',
      'left out of the generated code, which may fail a conformance run: see npm run lint.',
    ],
  ] as const
  return [
    ...sentences.flatMap(([number, one, many, rest]) =>
      number === 0 ? [] : [`${number} ${number === 1 ? one : many} ${rest}`],
    ),
    ...(hasCases(generated)
      ? []
      : ['The contract yields no conformance cases yet: add examples to its methods.']),
  ]
}

function hasCases({ files }: Generated): boolean {
  const derived = files.find(({ path }) => path === 'conformance.json')
  const { scenarios } = JSON.parse(derived?.content ?? '{"scenarios":[]}') as {
    readonly scenarios: readonly unknown[]
  }
  return scenarios.length > 0
}
