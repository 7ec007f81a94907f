import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { emitTypes } from '../../src/toolkit/codegen/emit/emit-types.js'
import type { Contract, JsonValue, LocatedSchema } from '../../src/toolkit/contract/index.js'
import { createValues, unlessNone } from '../../src/toolkit/values/index.js'
import { tsc } from '../../test/support/tsc.js'
import { emitted, fixtureNames, loadFixture } from '../../test/unit/toolkit/codegen/fixtures.js'

/** Number of schemas, maximum number of one fixture, and maximum number of valid and of invalid values of each. */
const schemasMost = 70
const ofFixtureMost = 4
const valuesMost = 4

const root = fileURLToPath(new URL('../../', import.meta.url))
const places = {
  typeRoots: [join(root, 'node_modules/@types')],
  paths: { '@concordat/rpc': [join(root, 'src/runtime/rpc/index.ts')] },
}

/** The part of the peer that is used: TypeScript for a schema. */
interface Peer {
  readonly compile: (schema: unknown, name: string, options: object) => Promise<string>
}

/** A component of a fixture, and values that fit it and that do not. */
interface Tried {
  readonly contract: Contract
  readonly name: string
  readonly valid: readonly JsonValue[]
  readonly invalid: readonly JsonValue[]
}

/**
 * Compares the types of schemas with those of json-schema-to-typescript: how many values that a schema refuses do not
 * compile, and whether any value that fits does not compile. The schemas are components of the fixtures of the tests.
 * @param folder an empty folder for the code
 */
export async function benchSchemaTypes(folder: string): Promise<void> {
  const tried = (await triedSchemas()).slice(0, schemasMost)
  const peer = await installedPeer()
  const tools = {
    ours: ourTypes,
    ...(peer && { 'json-schema-to-typescript': (each: Tried) => peerTypes(peer, each) }),
  }
  for (const [tool, typesOf] of Object.entries(tools)) {
    const own = join(folder, tool)
    await mkdir(own, { recursive: true })
    for (const [at, each] of tried.entries()) {
      const uses = [...each.valid, ...each.invalid].map(
        (value, index) => `export const value${index}: Type = ${literalOf(value)}`,
      )
      const types = await typesOf(each)
      await writeFile(join(own, `types-${at}.ts`), types)
      const other = `${each.name}_`
      const isRenamed =
        !each.contract.schemas.some(({ key }) => key === other) &&
        new RegExp(`^export \\w+ ${other}\\b`, 'm').test(types)
      const name = isRenamed ? other : each.name
      const head = `import type { ${name} as Type } from './types-${at}.js'`
      await writeFile(join(own, `values-${at}.ts`), [head, ...uses].join('\n'))
    }
    await writeFile(
      join(own, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          module: 'nodenext',
          types: ['node'],
          target: 'es2022',
          ...places,
        },
        include: ['*.ts'],
      }),
    )
    report(tool, tried, await tsc(['-p', own]))
  }
}

/** The folder of json-schema-to-typescript, because the project does not depend on it. */
const peerFolder = 'node_modules/.cache/json-schema-to-typescript'

/** Loads json-schema-to-typescript; without it, prints how to install it. */
async function installedPeer(): Promise<Peer | undefined> {
  try {
    const place = createRequire(join(root, peerFolder, 'package.json')).resolve('json-schema-to-typescript')
    const { default: own, ...named } = await import(pathToFileURL(place).href)
    return named.compile === undefined ? own : named
  } catch {
    const command = `npm install --prefix ${peerFolder} json-schema-to-typescript@16`
    process.stdout.write(`json-schema-to-typescript is not installed: ${command}\n`)
    return undefined
  }
}

async function triedSchemas(): Promise<readonly Tried[]> {
  const found: Tried[] = []
  for (const name of fixtureNames) {
    const contract = await loadFixture(name).catch(() => undefined)
    if (contract === undefined) continue
    const ofFixture = contract.schemas.flatMap(({ key, pointer, schema }): readonly Tried[] => {
      if (!/^[A-Z]\w*$/.test(key) || pointer !== `#/components/schemas/${key}`) return []
      const { valid, invalid } = valuesOf(contract, { pointer, schema })
      return valid.length > 0 && invalid.length > 0 ? [{ contract, name: key, valid, invalid }] : []
    })
    found.push(...ofFixture.slice(0, ofFixtureMost))
  }
  return found
}

function valuesOf(contract: Contract, located: LocatedSchema) {
  const { valid, nearlyValid } = createValues(contract, { varied: true })
  const distinct = (values: readonly JsonValue[] = []) =>
    [...new Map(values.map((value) => [JSON.stringify(value), value])).values()].slice(0, valuesMost)
  const sampled = <Value>(make: () => fc.Arbitrary<Value>) =>
    unlessNone(() => fc.sample(make(), { seed: 1, numRuns: 20 }))
  return {
    valid: distinct(sampled(() => valid([located]))),
    invalid: distinct(sampled(() => nearlyValid(located))?.map(({ value }) => value)),
  }
}

/**
 * A value as one line of TypeScript, which counts U+2028 as the end of a line. A literal with the member `__proto__` would
 * have another prototype instead.
 */
function literalOf(value: JsonValue): string {
  const text = JSON.stringify(value).replaceAll('"__proto__":', '["__proto__"]:')
  return text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

function ourTypes({ contract }: Tried): string {
  return emitted(emitTypes, contract)
}

/** The peer names a type by its title, otherwise as it is told. */
async function peerTypes({ compile }: Peer, { contract, name }: Tried): Promise<string> {
  const schemas = Object.fromEntries(contract.schemas.map(({ key, schema }) => [key, schema]))
  const { title: _title, ...schema } = schemas[name] as { readonly title?: string }
  const copy = structuredClone({ ...schema, components: { schemas } })
  const options = { bannerComment: '', format: false, unreachableDefinitions: false }
  return compile(copy, name, options).catch((cause: unknown) => {
    console.log(`json-schema-to-typescript cannot compile ${name}: ${String(cause).split('\n')[0]}`)
    return `export type ${name} = unknown`
  })
}

/** Prints how many values did not compile, and the valid ones among them. */
function report(tool: string, tried: readonly Tried[], output: string): void {
  const lines = new Set(
    [...output.matchAll(/values-(\d+)\.ts\((\d+),/g)].map(([, at, line]) => `${at} ${Number(line) - 2}`),
  )
  const ofTypes = new Set([...output.matchAll(/\/?types-(\d+)\.ts\(/g)].map(([, at]) => Number(at)))
  const isRefused = (at: number, index: number) => lines.has(`${at} ${index}`)
  const refused = tried.flatMap(({ name, valid, invalid }, at) => [
    ...valid.map((value, index) => ({ name, value, isValid: true, isRefused: isRefused(at, index) })),
    ...invalid.map((value, index) => ({
      ...{ name, value, isValid: false },
      isRefused: isRefused(at, valid.length + index),
    })),
  ])
  const count = (isValid: boolean) => {
    const all = refused.filter((each) => each.isValid === isValid)
    return `${all.filter((each) => each.isRefused).length} of ${all.length}`
  }
  console.log(
    `${tool}: ${tried.length} schemas; refused by types: ${count(false)} invalid values, ${count(true)} valid values`,
  )
  if (ofTypes.size > 0)
    console.log(`  types that do not compile: ${[...ofTypes].map((at) => tried[at]?.name).join(', ')}`)
  for (const { name, value } of refused.filter((each) => each.isValid && each.isRefused))
    console.log(`  valid, refused: ${name} ${JSON.stringify(value).slice(0, 200)}`)
}
