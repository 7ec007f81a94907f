import { readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Validator } from '@concordat/rpc'
import type { Emitter } from '../../../../src/toolkit/codegen/generated-file.js'
import {
  createSource,
  type Generated,
  type GeneratedFile,
  generate,
} from '../../../../src/toolkit/codegen/index.js'
import { emitValidators } from '../../../../src/toolkit/codegen/validators/emit-validators.js'
import {
  type Contract,
  type JsonObject,
  type JsonValue,
  loadContract,
  parseContract,
} from '../../../../src/toolkit/contract/index.js'

export const tool = { name: 'concordat', version: '9.9.9' }

const folder = new URL('../../../fixtures/contracts/', import.meta.url)

/** The fixture documents of this project: a file each, or a folder for documents of several files. */
export const fixtureNames: readonly string[] = readdirSync(folder)
  .map((entry) => entry.replace(/\.\w+$/, ''))
  .sort()

export function fixturePath(name: string): string {
  const file = readdirSync(folder).find((entry) => entry.replace(/\.\w+$/, '') === name)
  if (file === undefined) throw new Error(`no fixture ${name}`)
  return fileURLToPath(new URL(file, folder))
}

const fixtures = new Map<string, Promise<Contract>>()

/** A fixture's contract, loaded once per process. */
export function loadFixture(name: string): Promise<Contract> {
  const known = fixtures.get(name) ?? loadContract(fixturePath(name))
  fixtures.set(name, known)
  return known
}

let own: Promise<Contract> | undefined

/** The contract of this repository, loaded once per process. */
export function ownContract(): Promise<Contract> {
  own ??= loadContract(fileURLToPath(new URL('../../../../openrpc.json', import.meta.url)))
  return own
}

/** A document with only these parts. */
export function documentOf(parts: { readonly [name: string]: JsonValue } = {}): JsonObject {
  return { openrpc: '1.3.2', info: { title: 'T', version: '1.0.0' }, methods: [], ...parts }
}

export function contractOf(parts: { readonly [name: string]: JsonValue } = {}): Contract {
  return parseContract(JSON.stringify(documentOf(parts)))
}

/** A method by position with parameters of these schemas, and a result. */
export function methodOf(
  params: readonly JsonObject[],
  result: JsonValue = {},
  parts: JsonObject = {},
): JsonObject {
  return { name: 'm', paramStructure: 'by-position', params, result: { name: 'r', schema: result }, ...parts }
}

/** The output of one emitter for a contract; `''` when it writes nothing. */
export function emitted(emit: Emitter, contract: Contract): string {
  return emit(createSource(contract, tool))?.content ?? ''
}

const generated = new WeakMap<Contract, Generated>()

/** The generated files of a contract, computed once per process. */
export function generatedOf(contract: Contract): Generated {
  const known = generated.get(contract) ?? generate(contract, tool)
  generated.set(contract, known)
  return known
}

/** All files of a contract, generated once per process. */
export const filesOf = (contract: Contract): readonly GeneratedFile[] => generatedOf(contract).files

export function fileOf(files: readonly GeneratedFile[], path: string): string {
  const found = files.find((file) => file.path === path)
  if (!found) throw new Error(`no ${path} was generated`)
  return found.content
}

type Validators = Readonly<Record<string, { readonly params: Validator; readonly result: Validator }>>

const validatorsOf = new WeakMap<Contract, Promise<Validators>>()

/** The validators of a contract, loaded once per process from a folder without access to packages. */
export function loadValidators(contract: Contract): Promise<Validators> {
  const known =
    validatorsOf.get(contract) ??
    inFolder(async (dir) => {
      await write(dir, { path: 'package.json', content: '{"type":"module"}' })
      await write(dir, { path: 'validators.js', content: emitted(emitValidators, contract) })
      const module = (await import(pathToFileURL(join(dir, 'validators.js')).href)) as {
        validators: Validators
      }
      return module.validators
    })
  validatorsOf.set(contract, known)
  return known
}

/** Runs a function in a new folder, which is removed afterwards. */
export async function inFolder<Value>(work: (dir: string) => Promise<Value>): Promise<Value> {
  const dir = await mkdtemp(join(tmpdir(), 'concordat-codegen-'))
  try {
    return await work(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

export async function write(dir: string, { path, content }: GeneratedFile): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true })
  await writeFile(join(dir, path), content)
}

/** Maps imports of `concordat/…` in generated code to this repository's runtime. */
const runtime = (part: string) =>
  pathToFileURL(fileURLToPath(new URL(`../../../../src/${part}/index.ts`, import.meta.url))).href

/** Loads generated TypeScript with this repository's runtime. */
export async function loadModules(
  contract: Contract,
  names: readonly string[],
): Promise<readonly Record<string, unknown>[]> {
  return inFolder(async (dir) => {
    await write(dir, { path: 'package.json', content: '{"type":"module"}' })
    for (const { path, content } of filesOf(contract)) {
      const local = content.replaceAll(
        /'concordat\/(rpc|client)'/g,
        (_, part: string) => `'${runtime(part)}'`,
      )
      await write(dir, { path, content: local })
    }
    return Promise.all(
      names.map((name) => import(pathToFileURL(join(dir, name)).href) as Promise<Record<string, unknown>>),
    )
  })
}
