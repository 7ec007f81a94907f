import { readdir, readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import {
  applyPlan,
  type ChosenNames,
  createPackage,
  EmitterError,
  type EmitterPlugin,
  type Generated,
  type GeneratedFile,
  generate,
  isPackageName,
  isStale,
  OutputError,
  type Part,
  packageVersion,
  parts,
  planWrite,
  readPackageJson,
  refuseTwice,
  runEmitter,
  updatePackageJson,
  type WritePlan,
} from '../../toolkit/codegen/index.js'
import {
  type Contract,
  ContractError,
  loadContract,
  problemText,
  stringMember,
} from '../../toolkit/contract/index.js'
import { printable } from '../../toolkit/text/index.js'
import { configName, type ProjectConfig, withProjectNames } from '../config/project-config.js'
import { contractMessage } from '../contract-message.js'
import {
  defineCommand,
  type InvocationOf,
  type Program,
  refuseBeside,
  texts,
  ValueError,
} from '../define-command.js'
import { allowRemoteOption, documentHelp, folderOf, projectDocument } from '../document-argument.js'
import { type EmitterReference, loadEmitter } from '../emitters/load-emitter.js'
import { type CommandIo, UsageError } from '../io.js'
import { readToolVersions, type ToolVersions } from '../package-file.js'
import { dryRunLines } from './generate-dry-run.js'

const define = (program: Program) =>
  program
    .argument('[DOC]', documentHelp)
    .option('--out <DIR>', 'output folder (default: the folder "generated" next to DOC)')
    .option(
      '--only <PARTS>',
      `write only these parts, separated by commas, and leave all other files unchanged. Parts: ${parts.join(', ')}; or
      none`,
      (list: string) => partsOf(list.split(','), refuseOption),
    )
    .option(
      '--emit <PLUGIN>',
      `also write the files of this emitter plug-in: the name of a package, or a path that starts with ./ or /
      (repeatable; with --only, emitters of the configuration are left out)`,
      texts,
      [],
    )
    .option(
      '--package <NAME>',
      `also create package.json, tsconfig.json and README.md, so that DIR can be published as npm package NAME. Later
      runs, with or without this option, update only exports, typesVersions, files and dependency versions in
      package.json.`,
      (name: string) => nameOf(name, refuseOption),
    )
    .option(
      '--config <FILE>',
      `the project's settings (default: the nearest ${configName}); its member "generate" applies to its own document,
      and the options above win`,
    )
    .option('--check', 'write nothing; exit with 1 and list the files of DIR that are out of date')
    .option(
      '--dry-run',
      'write nothing; show what would change in each file; each emitter runs twice, and a difference is an error',
      false,
    )
    .option(...allowRemoteOption)

/** Runs `concordat generate`, which writes code from a contract. */
export const generateCommand = defineCommand({
  name: 'generate',
  description: `Writes TypeScript (types, method descriptors, validators, errors, the service's interface) and a
reference page from an OpenRPC document. Only changed files are written. Files of an earlier run that are no longer
generated are removed. Files that were not generated are never changed.`,
  define,
  examples: [
    { says: "write the code of the project's document", line: 'concordat generate' },
    {
      says: 'fail in CI if the code is out of date',
      line: 'concordat generate openrpc.json --out generated --check',
    },
  ],
  notes: 'Exit codes: 0 success, 1 problems in DOC, or out of date (with --check), 2 could not run.',
  run: generateCode,
})

async function generateCode({
  args: [named],
  options,
  given,
  io,
}: InvocationOf<typeof define>): Promise<number> {
  const { allowRemote, check, dryRun: isDry } = options
  refuseBeside('--check', ['--dry-run'], given)
  const { source: document, config, isOwn } = await projectDocument(named, options)
  const settings = isOwn ? config.generate : undefined
  const ofConfig = (member: 'only' | 'package') => (message: string) =>
    config.refusal(['generate', member], message)
  const folder = await outputFolder(document, options.out, settings && config)
  const planOptions = {
    isTrial: isDry,
    allowRemote,
    only: options.only ?? (settings?.only && partsOf(settings.only, ofConfig('only'))),
    names: settings?.names,
    emitters: await emittersOf(options.only === undefined ? settings?.emitters : [], options.emit, config),
    name: options.package ?? (settings?.package && nameOf(settings.package, ofConfig('package'))),
  }
  try {
    const { plan, leftOut } = await withProjectNames(config, () => makePlan(document, folder, planOptions))
    if (check) return report(plan, io)
    for (const problem of leftOut) io.err(`warning: ${printable(problemText(problem))}`)
    if (!isDry) await applyPlan(plan)
    for (const line of isDry ? dryRunLines(plan) : changes(plan, writing)) io.out(line)
    io.out(summary(plan, isDry))
    return 0
  } catch (cause) {
    if (cause instanceof OutputError || cause instanceof EmitterError)
      throw new UsageError(cause.message, { cause })
    if (!(cause instanceof ContractError)) throw cause
    const message = await contractMessage(document, cause)
    if (cause.problems.some(({ pointer }) => pointer === '')) throw new UsageError(message, { cause })
    io.err(`concordat generate: ${message}`)
    return 1
  }
}

/** Returns the folder of `--out`, otherwise of the configuration, otherwise `generated` next to the document. */
async function outputFolder(
  document: string,
  given: string | undefined,
  config: ProjectConfig | undefined,
): Promise<string> {
  if (given !== undefined) return resolve(given)
  const out = config?.generate?.out
  return config && out !== undefined
    ? resolve(config.folder, out)
    : resolve(join(await folderOf(document), 'generated'))
}

type Refusal = (message: string) => Error

const refuseOption: Refusal = (message) => new ValueError(`is invalid: ${message}`)

/** Loads the emitter plug-ins of the configuration and those of `--emit`. */
function emittersOf(
  configured: readonly EmitterReference[] = [],
  given: readonly string[] = [],
  config: ProjectConfig,
): Promise<readonly EmitterPlugin[]> {
  return Promise.all([
    ...configured.map((reference, at) =>
      loadEmitter(reference, config.folder, (message) =>
        config.refusal(['generate', 'emitters', at], message),
      ),
    ),
    ...given.map((use) => loadEmitter({ use }, process.cwd())),
  ])
}

/** Checks names of parts. */
function partsOf(names: readonly string[], refusal: Refusal): readonly Part[] {
  if (names.join() === 'none') return []
  return names.map((name) => {
    const part = parts.find((known) => known === name.trim())
    if (part === undefined) throw refusal(`unknown part "${name}"; parts: ${parts.join(', ')}`)
    return part
  })
}

/** Checks the name of a package. */
function nameOf(name: string, refusal: Refusal): string {
  if (isPackageName(name)) return name
  throw refusal(`"${printable(name)}" is not a valid npm name, such as orders or @acme/orders`)
}

/** The planned changes, and the parts of the contract that generated code leaves out. */
interface Planned extends Pick<Generated, 'leftOut'> {
  readonly plan: WritePlan
}

interface PlanOptions {
  readonly allowRemote: boolean
  readonly only: readonly Part[] | undefined
  readonly names: ChosenNames | undefined
  readonly emitters: readonly EmitterPlugin[]
  /** Whether emitters run twice, and must return the same files. */
  readonly isTrial: boolean
  /** The name of the package to create. */
  readonly name: string | undefined
}

/** Plans what to write: the files of the contract and of the emitters, and package.json. */
async function makePlan(
  document: string,
  folder: string,
  { allowRemote, only, names, emitters, isTrial, name }: PlanOptions,
): Promise<Planned> {
  const contract = await loadContract(document, { allowRemote })
  const versions = await readToolVersions()
  const tool = { name: 'concordat', version: versions.version }
  const isPartial = only !== undefined
  const { files, leftOut } = generate(contract, tool, { only, names })
  const added: { readonly name: string; readonly files: readonly GeneratedFile[] }[] = []
  for (const emitter of emitters) {
    const output = await runEmitter(emitter, contract, tool)
    if (isTrial) refuseDifference(emitter.name, output, await runEmitter(emitter, contract, tool))
    added.push({ name: emitter.name, files: output })
  }
  refuseTwice([{ name: tool.name, files }, ...added])
  const code = await planWrite(folder, [...files, ...added.flatMap((output) => output.files)], tool.name)
  const plan = isPartial ? { ...code, left: [] } : code
  return { plan: await planPackage(plan, { name, contract, files, isPartial, versions }), leftOut }
}

/**
 * Compares two runs of an emitter, because `generate --check` needs the same files from each run.
 * @throws EmitterError if they differ
 */
function refuseDifference(
  name: string,
  files: readonly GeneratedFile[],
  again: readonly GeneratedFile[],
): void {
  const other = new Map(again.map(({ path, content }) => [path, content]))
  const differing = files.find(({ path, content }) => other.get(path) !== content)
  if (differing === undefined && files.length === again.length) return
  const what = differing === undefined ? 'more files' : `another ${differing.path}`
  throw new EmitterError(`emitter ${name}: a second run returned ${what}`)
}

/** What decides about the package.json of an output folder. */
interface PackagePlanOptions {
  /** The value of `--package`. */
  readonly name: string | undefined
  readonly contract: Contract
  /** All files of this run. */
  readonly files: readonly GeneratedFile[]
  /** True if other generated files of the folder stay, too. */
  readonly isPartial: boolean
  readonly versions: ToolVersions
}

/**
 * Adds package.json, tsconfig.json and README.md to a plan. They are created if `--package` is given. Afterwards, the
 * plan updates package.json with or without the option.
 * @throws UsageError if the name or the existing package.json does not fit
 */
async function planPackage(plan: WritePlan, options: PackagePlanOptions): Promise<WritePlan> {
  const { name, contract, files, isPartial, versions } = options
  const { folder } = plan
  const present = await readdir(folder).catch((): readonly string[] => [])
  const names = [...files.map(({ path }) => path), ...(isPartial ? present : [])]
  const parts = { names, files, range: `^${versions.version}` }
  const path = 'package.json'
  if (!present.includes(path)) {
    if (name === undefined) return plan
    const created = createPackage({ ...versions, ...parts, contract, name, version: versionOf(contract) })
    return { ...plan, missing: [...plan.missing, ...created.filter((file) => !present.includes(file.path))] }
  }
  const { text: previous, value: parsed } = await readExisting(join(folder, path))
  if (parsed === undefined) {
    if (name === undefined) return plan
    throw new UsageError(
      `${path} in ${folder} was not created by concordat and is not changed: move it or choose another folder`,
    )
  }
  const current = stringMember(parsed, 'name')
  if (name !== undefined && name !== current) {
    throw new UsageError(`--package: the package in ${folder} is named "${current}", not "${name}"`)
  }
  const content = updatePackageJson(previous, parsed, parts)
  return content === previous
    ? { ...plan, unchanged: [...plan.unchanged, path] }
    : { ...plan, stale: [...plan.stale, { path, content, previous }] }
}

async function readExisting(path: string) {
  try {
    const text = await readFile(path, 'utf8')
    return { text, value: readPackageJson(text) }
  } catch (cause) {
    throw new UsageError(`${path} cannot be read as JSON: ${(cause as Error).message}`, { cause })
  }
}

function versionOf({ version }: Contract): string {
  const found = packageVersion(version)
  if (found !== undefined) return found
  throw new UsageError(
    `--package: the contract's version "${printable(version)}" is not a semantic version, such as 1.2.0: change info.version`,
  )
}

function report(plan: WritePlan, io: CommandIo): number {
  if (!isStale(plan)) {
    io.out(`${shown(plan.folder)} is current: ${plan.unchanged.length} files`)
    return 0
  }
  for (const line of changes(plan, checking)) io.out(line)
  io.err(`concordat generate: ${shown(plan.folder)} is out of date: run "concordat generate"`)
  return 1
}

/** Labels for missing, outdated and surplus files. */
type Words = Readonly<Record<'missing' | 'stale' | 'left', string>>

const writing: Words = { missing: 'new', stale: 'changed', left: 'removed' }
const checking: Words = { missing: 'missing', stale: 'stale', left: 'left' }

function changes({ missing, stale, left }: WritePlan, words: Words): readonly string[] {
  const line = (word: string, path: string) => `${word.padEnd(8)} ${path}`
  return [
    ...missing.map(({ path }) => line(words.missing, path)),
    ...stale.map(({ path }) => line(words.stale, path)),
    ...left.map((path) => line(words.left, path)),
  ]
}

function summary({ folder, missing, stale, left, unchanged }: WritePlan, dryRun: boolean): string {
  const written = missing.length + stale.length
  const verb = dryRun ? 'would be ' : ''
  return `${shown(folder)}: ${written} ${verb}written, ${left.length} ${verb}removed, ${unchanged.length} unchanged`
}

function shown(path: string): string {
  const short = relative(process.cwd(), path)
  return short === '' ? '.' : short.startsWith('..') ? path : short
}
