import {
  isObject,
  type JsonObject,
  type JsonValue,
  type Method,
  reachableSchemas,
} from '../../contract/index.js'
import type { Emitter, Source } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { group, indentRest, literal, literalKey } from '../text.js'
import { createDecodePlans, type DecodePlans, quantityKind } from '../types/decode-plan.js'
import { identifiersIn, inOwnNames } from '../types/own-names.js'
import { caseSchemas } from '../types/result-types.js'
import { bodyOf } from '../types/schema-type.js'
import { namedSchemas, type TypedSchema } from '../types/type-names.js'
import { createTypeWriter, type TypeWriter } from '../types/type-writer.js'
import { clientMemberNames } from './client/client-table.js'
import { clientInterfaces } from './client/emit-client.js'
import { aliasDeclarations, methodTables, namedType, paramsDeclaration } from './emit-types.js'

/** What the interfaces of a client may import. */
const runtimeNames = [
  'BatchCall',
  'CallKind',
  'CallOptions',
  'JsonObject',
  'JsonValue',
  'OptionsOf',
  'Outcomes',
  'OwnMethod',
  'Quota',
  'Returned',
  'TransportError',
]
const errorNames = ['MethodError', 'ServiceError']

/**
 * Emits decoded.ts: the types and the codec of clients whose quantities are `bigint` or `number`. A contract without
 * `x-decode` gets no file.
 */
export const emitDecoded: Emitter = inOwnNames((source) => {
  const { contract, names, paths } = source
  const plans = createDecodePlans(contract, names)
  const table = tableText(source, plans)
  if (table === undefined) return undefined
  const writer = createTypeWriter(contract, names, true)
  // The data of errors is not decoded.
  const reached = new Set(
    reachableSchemas({ ...contract, schemas: caseSchemas(contract), errors: [] }).map(({ pointer }) =>
      names.get(pointer),
    ),
  )
  const own = namedSchemas(contract, names).filter(
    (schema) => reached.has(schema.name) && plans.planOf(schema) !== undefined,
  )
  const ownParams = contract.methods.filter((method) => methodPlan(plans, method)['params'] !== undefined)
  const types = [
    ...own.map((schema) => declaration(writer, schema)),
    aliasDeclarations(
      writer,
      [...names.aliases].filter(([, name]) => own.some((schema) => schema.name === name)),
    ),
    ...ownParams.map((method) => paramsDeclaration(writer, method)),
    methodTables(source, writer),
    clientInterfaces(source, writer, clientMemberNames(paths)),
  ]
    .filter((text) => text !== '')
    .join('\n')
  const content = `${codeHeader(source)}${imports(source, types)}
/** The types without quantities are those of clients without decoded values. */
export type * from './types.js'

${types}
/** The option \`decode\` of \`createClient\`: quantities are \`bigint\` or \`number\`. */
export const quantities: Codec<Client> = /* @__PURE__ */ createCodec<Client>(${table})
`
  return { path: 'decoded.ts', content }
})

/** Returns the declaration of a type with quantities. The description of a quantity is about its wire form. */
function declaration(writer: TypeWriter, schema: TypedSchema): string {
  if (quantityKind(schema) === undefined) return namedType(writer, schema)
  return `/** @see ${schema.pointer} */\nexport type ${schema.name} = ${bodyOf(writer, schema).text}\n`
}

function imports({ names }: Source, text: string): string {
  const words = identifiersIn(text)
  const declared = new Set(
    Array.from(text.matchAll(/^export (?:type|interface) ([\p{ID_Continue}$]+)/gmu), ([, name]) => name),
  )
  const others = [...names.values(), ...names.params.values()]
    .filter((name) => words.has(name) && !declared.has(name))
    .map((name) => names.imported(name))
  const runtime = ['Codec', ...runtimeNames.filter((name) => words.has(name))].map((name) => `type ${name}`)
  const errors = errorNames.filter((name) => words.has(name))
  const line = (list: readonly string[], from: string) =>
    list.length === 0 ? '' : `import type ${group('{', [...new Set(list)].sort(), '}')} from '${from}'\n`
  return [
    `import ${group('{', [...runtime, 'createCodec'], '}')} from '@concordat/client'\n`,
    line(errors, './client.js'),
    line(others, './types.js'),
  ].join('')
}

/** Returns the table of quantities, or undefined if no method has any. */
function tableText({ contract }: Source, plans: DecodePlans): string | undefined {
  const methods = contract.methods.flatMap((method) => {
    const plan = methodPlan(plans, method)
    return Object.keys(plan).length === 0 ? [] : [entry(method.name, plan)]
  })
  if (methods.length === 0) return undefined
  const schemas = Object.entries(plans.named()).map(([name, plan]) => entry(name, plan as JsonValue))
  return `{\n  methods: {\n${methods.join('')}  },\n  schemas: {\n${schemas.join('')}  },\n}`
}

function entry(name: string, plan: JsonValue): string {
  const members = isObject(plan) ? Object.entries(plan) : []
  const texts = members.map(([key, value = null]) => `${literalKey(key)}: ${literal(value)}`)
  const text = isObject(plan) ? group('{', texts, '}', 88 - name.length) : literal(plan)
  return `    ${literalKey(name)}: ${indentRest(indentRest(text))},\n`
}

/** The plans of a method's parameters, with their positions, and of its result. */
function methodPlan({ planOf }: DecodePlans, { params, result }: Method): JsonObject {
  const stated = params.flatMap(({ name, schema }, position) => {
    const plan = planOf(schema)
    return plan === undefined ? [] : [[name, [position, plan]] as const]
  })
  const ofResult = result && planOf(result.schema)
  return {
    ...(stated.length > 0 ? { params: Object.fromEntries(stated) } : {}),
    ...(ofResult === undefined ? {} : { result: ofResult }),
  }
}
