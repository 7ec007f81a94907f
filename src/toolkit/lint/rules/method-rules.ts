import {
  arrayMember,
  createDocumentReader,
  errorPlaces,
  type JsonValue,
  joinPointer,
  type Method,
  member,
  sameJson,
} from '../../contract/index.js'
import type { LintProblem, LintRule, LintSubject } from '../lint-rule.js'

/** Codes that JSON-RPC 2.0 defines (section 5.1). The other codes from -32768 to -32100 are reserved. */
const definedCodes: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32603])

/** Rules about methods beyond the meta-schema. */
export const methodRules: readonly LintRule[] = [
  {
    name: 'reserved-method-name',
    severity: 'error',
    summary:
      'Method names do not begin with "rpc.", which JSON-RPC reserves (section 4), except "rpc.discover".',
    check: eachMethod(({ name, pointer }) =>
      name.startsWith('rpc.') && name !== 'rpc.discover'
        ? [
            {
              pointer: joinPointer(pointer, 'name'),
              message: `"${name}" begins with "rpc.", which JSON-RPC reserves: choose another name`,
            },
          ]
        : [],
    ),
  },
  {
    name: 'required-after-optional',
    severity: 'error',
    summary: 'If parameters are sent by position, required parameters precede optional ones.',
    check: eachMethod(requiredAfterOptional),
  },
  {
    name: 'duplicate-error-code',
    severity: 'error',
    summary: 'Error codes of a method are unique, so that callers can distinguish errors.',
    advice: 'change the code or remove the error',
    check: (subject) => subject.contract.methods.flatMap((method) => duplicateCodes(subject, method)),
  },
  {
    name: 'reserved-error-code',
    severity: 'error',
    summary: 'Codes from -32768 to -32100 are used only as JSON-RPC defines them.',
    check: ({ contract }) =>
      errorPlaces(contract).flatMap(({ code, pointer }) =>
        code >= -32768 && code < -32099 && !definedCodes.has(code)
          ? [
              {
                pointer: joinPointer(pointer, 'code'),
                message: `${code} is reserved by JSON-RPC: use -32099 to -32000, or a code outside -32768 to -32000`,
              },
            ]
          : [],
      ),
  },
  {
    name: 'method-without-example',
    severity: 'warning',
    summary: 'Every method has an example.',
    check: eachMethod(({ examples, pointer }) =>
      examples.length > 0 ? [] : [{ pointer, message: 'has no example: add one with "params" and "result"' }],
    ),
  },
  {
    name: 'method-without-errors',
    severity: 'warning',
    summary: 'Every method lists its errors. An empty list means that it has none.',
    check: eachMethod(({ statesErrors, pointer, result }) => {
      if (statesErrors || result === undefined) return []
      const message = 'has no "errors": list the errors that callers may receive, or [] if there are none'
      return [{ pointer, message }]
    }),
  },
]

function eachMethod(check: (method: Method) => readonly LintProblem[]) {
  return ({ contract }: LintSubject) => contract.methods.flatMap(check)
}

function requiredAfterOptional({ params, paramStructure }: Method): readonly LintProblem[] {
  if (paramStructure === 'by-name') return []
  const optional = params.findIndex(({ required }) => !required)
  return params.flatMap(({ name, required, pointer }, at) => {
    if (!required || optional < 0 || at < optional) return []
    const before = params[optional]?.name ?? ''
    return [
      { pointer, message: `"${name}" is required but follows optional "${before}": move it to the front` },
    ]
  })
}

/** Reads the document itself, because the model merges inline errors with the same code. */
function duplicateCodes({ documents }: LintSubject, method: Method): readonly LintProblem[] {
  const reader = createDocumentReader(documents)
  const value = reader.object({ $ref: method.pointer }, '#')?.value ?? {}
  const place = joinPointer(method.pointer, 'errors')
  const first = new Map<number, { readonly at: number; readonly item: JsonValue }>()
  return arrayMember(value, 'errors').flatMap((item, at) => {
    const error = reader.object(item, joinPointer(place, at))
    const code = error && member(error.value, 'code')
    if (typeof code !== 'number') return []
    const known = first.get(code)
    if (known === undefined) {
      first.set(code, { at, item })
      return []
    }
    const pointer = joinPointer(place, at)
    const message = `the code ${code} is already used at ${joinPointer(place, known.at)}`
    return [{ pointer, message, ...(sameJson(item, known.item) && { fix: [{ remove: pointer }] }) }]
  })
}
