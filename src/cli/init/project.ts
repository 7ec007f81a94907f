import { dirname } from 'node:path'
import {
  connectionRoles,
  createPackage,
  createSource,
  type Generated,
  type GeneratedFile,
  generate,
  packageVersion,
} from '../../toolkit/codegen/index.js'
import type { ToolVersions } from '../package-file.js'
import { exampleTest, needsScopes } from './example-test.js'
import { localSpecifiers } from './own-package.js'
import { contractName } from './package-name.js'
import { deploymentFiles, serviceParts } from './part-files.js'
import type { ReadDocument } from './read-document.js'
import { readmeText } from './readme-text.js'
import { sampleHandlers } from './sample/handlers.js'
import { sampleTest } from './sample/test.js'
import { serverText } from './server-text.js'
import { standInFiles } from './stand-in-files.js'
import { type StandIn, standInsOf } from './stand-ins.js'
import { generatedFolder, serviceFiles, workspaceFiles } from './workspace-files.js'

/** The version of a contract's package when the contract's own version is not a semantic version. */
const firstVersion = '0.1.0'

/** The inputs of a new project. */
export interface ProjectOptions {
  /** The name of the service's package. */
  readonly name: string
  /** Path of the project's folder, which may not exist yet. */
  readonly folder: string
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
 * @param versions versions of the dependencies
 * @throws ContractError when code cannot be generated from the contract
 */
export async function projectOf(options: ProjectOptions, versions: ToolVersions): Promise<Project> {
  const { name, folder, document, isSample } = options
  const contract = contractName(name)
  const tool = { name: 'concordat', version: versions.version }
  const generated = generate(document.contract, tool)
  const roles = connectionRoles(document.contract)
  const isConnected = roles.subscriptions.size > 0 || roles.called.length > 0
  const standIns = standInsOf(createSource(document.contract, tool), roles)
  const localSpecifier = await localSpecifiers(versions.version, folder)
  const remarks = [
    ...(isSample ? [] : remarksOf(standIns, generated)),
    ...archiveRemarks(localSpecifier('concordat')),
  ]
  const own = isSample
    ? [
        { path: 'service/src/handlers.ts', content: sampleHandlers(contract) },
        { path: 'service/src/service.test.ts', content: sampleTest(contract) },
      ]
    : [
        ...standInFiles(contract, standIns),
        { path: 'service/src/service.test.ts', content: exampleTest(contract, standIns) },
      ]
  const server = serverText(contract, isConnected, standIns.some(needsScopes))
  const sources = [
    ...own,
    ...serviceParts(document.contract, contract),
    { path: 'service/src/server.ts', content: server },
  ]
  const contractFiles = createPackage({
    ...versions,
    contract: document.contract,
    name: contract,
    version: packageVersion(document.contract.version) ?? firstVersion,
    names: generated.files.map(({ path }) => path),
    files: generated.files,
    range: `^${versions.version}`,
  })
  const workspace = { name, contract, document, versions, localSpecifier, isConnected }
  return {
    files: [
      ...workspaceFiles(workspace),
      { path: 'README.md', content: readmeText({ ...workspace, standIns, remarks }) },
      ...document.files,
      ...deploymentFiles(document),
      ...[...contractFiles, ...generated.files].map(({ path, content }) => ({
        path: `${generatedFolder}/${path}`,
        content,
      })),
      ...serviceFiles(workspace, sources),
      ...sources,
    ],
    remarks,
  }
}

/** @param specifier of this package; undefined for a version range */
function archiveRemarks(specifier = ''): readonly string[] {
  const [, archive] = /^file:(.+\.tgz)$/.exec(specifier) ?? []
  return archive === undefined
    ? []
    : [`Everyone who installs this project needs the archives of Concordat in ${dirname(archive)}.`]
}

function remarksOf(standIns: readonly StandIn[], generated: Generated): readonly string[] {
  const count = (kind: StandIn['kind']) => standIns.filter((standIn) => standIn.kind === kind).length
  const leftOut = generated.leftOut.length
  const sentences = [
    [count('example'), 'method returns', 'methods return', "the contract's examples."],
    [
      count('missing'),
      'method has no example and returns',
      'methods have no example and return',
      'an error until implemented.',
    ],
    [
      count('subscription'),
      'subscription sends',
      'subscriptions send',
      "the items of the contract's examples.",
    ],
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
