import {
  arrayMember,
  type Contract,
  documentOf,
  failureCode,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  type LocatedSchema,
  member,
  objectMember,
  pointerOf,
  pointerTokens,
  stringMember,
  valueAt,
} from '../../toolkit/contract/index.js'
import type { Problem } from '../expect/schema-check.js'
import type { Checks } from './checks.js'
import { createErrorCheck } from './error-check.js'
import { formSchemas, formsFor } from './result-forms.js'
import { orderProblems } from './result-order.js'
import { CheckError, createSchemaChecker } from './schema-checker.js'
import { schemaDocument, schemaKey } from './schema-document.js'
import { hasValidParams } from './valid-params.js'

/** The response object of JSON-RPC 2.0, section 5. */
const responseObject: JsonObject = {
  title: 'Response',
  type: 'object',
  required: ['jsonrpc', 'id'],
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'number', 'null'] },
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'integer' }, message: { type: 'string' } },
    },
  },
  oneOf: [{ required: ['result'] }, { required: ['error'] }],
}

const envelopePointer = '#/info/x-envelope/response'

/**
 * Creates the checks of a contract. They use its schemas as written, without dereferencing. Each schema is
 * compiled on first use.
 */
export function createChecks(contract: Contract): Checks {
  const envelope = contractEnvelope(contract)
  const check = createContractChecker(contract, envelope ? [envelope] : [])
  const ownEnvelope = createSchemaChecker({ [schemaKey('#')]: responseObject })
  const methods = new Map(contract.methods.map((method) => [method.name, method]))
  return {
    schema: (pointer, value) => check(placeOf(pointer), value),
    result: (name, params, value) => {
      const method = methods.get(name)
      if (!method?.result) return []
      const problems = check(method.result.schema.pointer, value)
      if (problems.length > 0 || value === null) return problems
      const forms = formsFor(method, params, (pointer, sent) => check(pointer, sent).length === 0)
      const ofForm = forms.flatMap(({ schema }) => check(schema.pointer, value))
      return ofForm.length > 0 ? ofForm : orderProblems(method, value)
    },
    params: (name, params = []) => {
      const at = isArray(params) ? (_: string, index: number) => String(index) : (param: string) => param
      return (methods.get(name)?.params ?? []).flatMap((param, index) => {
        const key = at(param.name, index)
        const value = isArray(params) || isObject(params) ? valueAt(params, [key]) : undefined
        const pointer = joinPointer('', key)
        if (value === undefined) return param.required ? [{ path: pointer, message: 'must be present' }] : []
        return check(param.schema.pointer, value).map(({ path, message }) => ({
          path: pointer + path,
          message,
        }))
      })
    },
    takes: (name, params) => {
      const method = methods.get(name)
      return (
        method !== undefined &&
        hasValidParams(method, params, ({ pointer }, value) => check(pointer, value).length === 0)
      )
    },
    envelope: (answer) => (envelope ? check(envelope.pointer, answer) : ownEnvelope('#', answer)),
    error: createErrorCheck(contract, ({ pointer }, value) => check(pointer, value)),
    errorStatuses: createErrorStatuses(contract),
    refusedScopes: createRefusedScopes(contract),
    effects: new Map(
      contract.methods.flatMap(({ name, extensions }) => {
        const effect = extensions['x-effect']
        return effect === 'read' || effect === 'write' ? [[name, effect] as const] : []
      }),
    ),
    methods: new Set(methods.keys()),
    invalidParamsCode: failureCode(contract, 'invalidParams'),
    areBatchesOrdered:
      member(objectMember(objectMember(contract.info, 'x-http'), 'rules'), 'batchOrder') !== undefined,
  }
}

function createRefusedScopes({ info, errors, methods }: Contract): Checks['refusedScopes'] {
  const forbidden = stringMember(objectMember(objectMember(info, 'x-failures'), 'forbidden'), 'error')
  const code = errors.find(({ key }) => key === forbidden)?.code ?? usualForbidden
  const scopes = new Map(
    methods.map(({ name, extensions }) => [name, arrayMember(extensions, 'x-scopes')] as const),
  )
  return (method, refusal) => (refusal === code ? (scopes.get(method) ?? []) : [])
}

/** The code of `forbidden` where a contract names no error for it. */
const usualForbidden = -32016

/** Creates the schema checker. Schemas outside of OpenRPC's own places are added on first use. */
function createContractChecker(contract: Contract, others: readonly LocatedSchema[]) {
  const known = [...formSchemas(contract), ...others]
  let document = schemaDocument(contract, known)
  let check = createSchemaChecker(document)
  return (pointer: string, value: JsonValue): readonly Problem[] => {
    if (member(document, schemaKey(pointer)) === undefined) {
      known.push(schemaAt(contract, pointer))
      document = schemaDocument(contract, known)
      check = createSchemaChecker(document)
    }
    return check(pointer, value)
  }
}

function schemaAt(contract: Contract, pointer: string): LocatedSchema {
  try {
    return contract.resolve(pointer, '#')
  } catch (cause) {
    throw new CheckError(`The contract has no schema at ${pointer}.`, { cause })
  }
}

/** Normalizes a pointer in the forms `#/…`, `/…` or with a file name before `#`. */
function placeOf(pointer: string): string {
  const whole = pointer.startsWith('/') ? `#${pointer}` : pointer
  const tokens = whole.includes('#') ? pointerTokens(pointerOf(whole)) : undefined
  if (tokens === undefined) throw new CheckError(`"${pointer}" is not a JSON pointer into the contract.`)
  return joinPointer(`${documentOf(whole)}#`, ...tokens)
}

function contractEnvelope({ info }: Contract): LocatedSchema | undefined {
  const schema = member(objectMember(info, 'x-envelope'), 'response')
  return isObject(schema) ? { pointer: envelopePointer, schema } : undefined
}

/**
 * Parse error, invalid request and internal error (JSON-RPC 2.0, section 5.1): these can concern the whole
 * HTTP request.
 */
const requestCodes: ReadonlySet<number> = new Set([-32700, -32600, -32603])

/**
 * Returns a function that maps an error code to its allowed HTTP statuses (`x-http-status`, `x-failures`). The default
 * is 200. It returns undefined, which allows any status, for JSON-RPC's request errors that the contract does not declare.
 */
function createErrorStatuses({ info, errors }: Contract): Checks['errorStatuses'] {
  const failures = Object.values(objectMember(info, 'x-failures')).filter(isObject)
  const stated = errors.flatMap(({ key, code, httpStatus }) =>
    [...failures.filter(({ error }) => error === key), { httpStatus }].map((failure) => ({
      code,
      status: failure.httpStatus ?? httpStatus,
    })),
  )
  if (failures.length === 0 && stated.every(({ status }) => status === undefined)) return () => undefined
  const statuses = new Map<number, Set<number>>()
  for (const { code, status } of stated) {
    if (typeof status === 'number') statuses.set(code, (statuses.get(code) ?? new Set()).add(status))
  }
  const declared = new Set(errors.map(({ code }) => code))
  const ofCalls: ReadonlySet<number> = new Set([200])
  const isUndeclared = (code: number) => requestCodes.has(code) && !declared.has(code)
  return (code) => statuses.get(code) ?? (isUndeclared(code) ? undefined : ofCalls)
}
