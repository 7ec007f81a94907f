import { dirname } from 'node:path'
import {
  connectionRoles,
  createPackage,
  createSource,
  type Generated,
  type GeneratedFile,
  generate,
  importedPackages,
  packageVersion,
} from '../../toolkit/codegen/index.js'
import type { ToolVersions } from '../package-file.js'
import { contractFolder } from './copied-files.js'
import { fillTemplate, type TemplateValues } from './fill-template.js'
import { localSpecifiers } from './own-package.js'
import { contractName } from './package-name.js'
import { jsonMember, type ProjectFacts, projectValues } from './project-values.js'
import type { ReadDocument } from './read-document.js'
import { readTemplates } from './read-templates.js'
import { type StandIn, standInsOf } from './stand-ins.js'

/** The output folder of `concordat generate`, which is the contract's package. */
const generatedFolder = `${contractFolder}/generated`

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
  /** Sentences about remaining work and problems. */
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
  const facts = {
    ...{ name, contract, document, versions, localSpecifier },
    ...{ isConnected, isSample, standIns, remarks },
  }
  const contractFiles = createPackage({
    ...versions,
    contract: document.contract,
    name: contract,
    version: packageVersion(document.contract.version) ?? firstVersion,
    names: generated.files.map(({ path }) => path),
    files: generated.files,
    range: `^${versions.version}`,
  })
  const inContract = [...contractFiles, ...generated.files].map(({ path, content }) => ({
    path: `${generatedFolder}/${path}`,
    content,
  }))
  return { files: [...(await filledTemplates(facts)), ...document.files, ...inContract], remarks }
}

/**
 * Fills the templates. Those of the sample replace others with the same path. A source file that is empty for this
 * contract is left out.
 */
async function filledTemplates(facts: ProjectFacts): Promise<readonly GeneratedFile[]> {
  const templates = [
    ...(await readTemplates('project')),
    ...(facts.isSample ? await readTemplates('sample') : []),
  ]
  const values = projectValues(facts)
  const fill = (wanted: (path: string) => boolean, all: TemplateValues) =>
    templates
      .filter(({ path }) => wanted(path))
      .map(({ path, content }) => [path, fillTemplate(content, all)] as const)
  const isSource = (path: string) => path.startsWith('service/src/')
  const sources = new Map(fill(isSource, values).filter(([, content]) => content !== ''))
  const { contract, versions, isConnected } = facts
  const files = [...sources].map(([path, content]) => ({ path, content }))
  const imported = importedPackages(files).map((used) => [
    used,
    used === contract ? '*' : `^${versions.version}`,
  ])
  const dependencies = { ...Object.fromEntries(imported), ...(isConnected ? { ws: versions.ws } : {}) }
  const others = fill((path) => !isSource(path) && !path.startsWith(contractFolder), {
    ...values,
    dependencies: jsonMember(dependencies),
  })
  return [...others.map(([path, content]) => ({ path, content })), ...files]
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
