import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'

/** A JSON value with members to inspect. */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json }
/** A JSON object with members to inspect. */
export type Members = { [member: string]: Json }

/** A rule, as `info.x-rules` states it. */
export interface Rule {
  id: string
  section: string
  level?: string
  text: string
}

/** A failure, as `info.x-failures` states it. */
export interface Failure {
  httpStatus: number
  error: string
  message: string
  example?: string
  retryAfterSeconds?: number
  charge: number | string
  section: string
  description: string
}

/** A limit, as `info.x-limits` states it. */
export interface Limit {
  value: number | string
  unit: string
  section: string
  description: string
}

/** An example value of OpenRPC. */
export interface Example {
  name: string
  value: Json
}

/** An example pairing of OpenRPC, with its error. */
export interface Pairing {
  name: string
  description: string
  params: Example[]
  result?: Example
  error?: { name: string; value: { code: number; message: string; data?: Json } }
  'x-replay'?: 'exact'
  'x-network'?: string
}

/** A content descriptor of OpenRPC. */
export interface Descriptor {
  name: string
  description: string
  required: boolean
  schema: Members
}

/** A link object of OpenRPC. */
export interface Link {
  name: string
  method: string
  params: { [name: string]: string }
}

/** A method object of OpenRPC, with the members that this contract always writes. */
export interface Method {
  name: string
  summary: string
  description: string
  tags: { $ref: string }[]
  paramStructure: string
  params: Descriptor[]
  result: Descriptor
  errors: { $ref: string }[]
  links?: Link[]
  examples: Pairing[]
  'x-effect': string
  'x-cost': number
  'x-answer': 'node' | 'code' | { network: string } | { constant: Json }
  'x-about': Members
  'x-cache': string
  'x-empty'?: Json
  'x-lookup': boolean
  'x-batchable': boolean
  'x-laws'?: { law: string; method?: string; params?: Record<string, string> }[]
  'x-volatile': string[]
  'x-result-when'?: { param: string; value?: Json; matches?: { $ref: string }; schema: { $ref: string } }[]
  'x-rules': string[]
}

/** A declaration of an extension (OpenRPC, specification extensions). */
export interface Extension {
  name: string
  version: string
  required?: boolean
  restricted: string[]
  'x-restricted'?: string[]
  summary: string
  description: string
  schema: Members
}

/** The contract as it is written. */
export interface Authored {
  openrpc: string
  info: Members & {
    'x-method-defaults': Partial<Method>
    'x-rules': Rule[]
    'x-limits': { [name: string]: Limit }
    'x-failures': { [name: string]: Failure }
    'x-networks': { [name: string]: { chainId: string; netVersion: string; keySuffix: string } }
    'x-envelope': { idPattern: string } & Members
  }
  servers: { name: string; url: string; variables: { [name: string]: { default: string } } }[]
  methods: Method[]
  components: {
    schemas: { [key: string]: Members }
    errors: { [key: string]: { code: number; message: string; 'x-data-schema'?: Members } }
    examplePairings: { [key: string]: Pairing }
    links: { [key: string]: Link }
    tags: { [key: string]: Members }
  }
  'x-extensions': Extension[]
}

const path = new URL('../../../openrpc.json', import.meta.url)

/** The text of `openrpc.json`. */
export const contractText = readFileSync(path, 'utf8')

/** A new parse of `openrpc.json`, so that no test sees changes of another one. */
export function readAuthored(): Authored {
  return JSON.parse(contractText) as Authored
}

/**
 * A new parse of `openrpc.json`, in which every method has the errors and the members of `x-method-defaults`, and its
 * examples and links in place of references.
 */
export function readWrittenOut(): Authored {
  const authored = readAuthored()
  const { errors: shared = [], ...members } = authored.info['x-method-defaults']
  const { examplePairings, links } = authored.components
  const methods = authored.methods.map((method) => ({
    ...members,
    ...method,
    errors: [...(method.errors ?? []), ...shared],
    examples: method.examples.map((example) => referred(example, examplePairings)),
    ...(method.links === undefined ? {} : { links: method.links.map((link) => referred(link, links)) }),
  }))
  return { ...authored, methods }
}

function referred<Value extends object>(value: Value, components: { [key: string]: Value }): Value {
  const key = '$ref' in value ? String(value.$ref).split('/').at(-1) : undefined
  return key === undefined ? value : (components[key] ?? value)
}

const contract = readAuthored()
// ajv's optimizer takes a third of the compilation time. It pays off only for validators that run often.
const ajv = new Ajv({ strict: true, allErrors: true, code: { optimize: false } })
ajv.addKeyword({ keyword: 'x-ignored', schemaType: 'boolean' })
for (const keyword of ['x-form', 'x-decode', 'x-omitted', 'x-joined', 'x-null-when-pending', 'x-spellings'])
  ajv.addKeyword(keyword)
ajv.addSchema({ $id: 'contract:/openrpc', definitions: contract.components.schemas as object })

const compiled = new Map<string, ValidateFunction>()

/** Compiles a schema of the contract with its references unresolved, once per process. */
export function compile(schema: Members): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/components/schemas/', '"contract:/openrpc#/definitions/')
  const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object)
  compiled.set(text, validate)
  return validate
}

for (const [key, schema] of Object.entries(contract.components.schemas)) {
  const text = JSON.stringify(schema).replaceAll('"#/components/schemas/', '"#/definitions/')
  contract.components.schemas[key] = JSON.parse(text) as Members
}

/** Validates a value against a component schema; returns the verdict and the errors. */
export function judge(component: string, value: unknown): { valid: boolean; why: string } {
  const validate = compile({ $ref: `#/components/schemas/${component}` })
  const valid = validate(value) as boolean
  return { valid, why: valid ? '' : ajv.errorsText(validate.errors) }
}

/** Every nested object with its JSON pointer, the value itself first. */
export function* objectsIn(value: Json, pointer = '#'): Generator<[string, Members]> {
  if (value === null || typeof value !== 'object') return
  if (!Array.isArray(value)) yield [pointer, value]
  for (const [key, inner] of Object.entries(value)) {
    yield* objectsIn(inner, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
}

const parsed = readAuthored() as unknown as Json

/** The value at a JSON pointer of the contract, not to be changed; undefined when it is missing. */
export function at(pointer: string): Json | undefined {
  const steps = pointer
    .replace(/^#\/?/, '')
    .split('/')
    .filter((step) => step !== '')
  return steps.reduce<Json | undefined>(
    (here, step) => (here as Members | undefined)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')],
    parsed,
  )
}
