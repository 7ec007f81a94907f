import { arrayMember, member } from '../json.js'
import { joinPointer } from '../json-pointer.js'
import { createDocumentReader } from '../load/document-reader.js'
import type { Method } from '../model/contract.js'
import type { LintProblem, LintRule, LintSubject } from './lint-rule.js'

/** Codes that JSON-RPC 2.0 defines (section 5.1); the others from -32768 to -32100 it keeps for itself. */
const definedCodes: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32603])

/** Rules about methods: what the meta-schema lets through and callers stumble over. */
export const methodRules: readonly LintRule[] = [
  {
    name: 'reserved-method-name',
    severity: 'error',
    summary: 'No method but "rpc.discover" begins with "rpc.", which JSON-RPC keeps for itself (section 4).',
    check: eachMethod(({ name, pointer }) =>
      name.startsWith('rpc.') && name !== 'rpc.discover'
        ? [
            {
              pointer: joinPointer(pointer, 'name'),
              message: `"${name}" begins with "rpc.", which JSON-RPC keeps for itself: choose another name`,
            },
          ]
        : [],
    ),
  },
  {
    name: 'required-after-optional',
    severity: 'error',
    summary: 'By position, a required parameter does not follow an optional one.',
    check: eachMethod(requiredAfterOptional),
  },
  {
    name: 'duplicate-error-code',
    severity: 'error',
    summary: 'No two errors of a method have one code: callers could not tell them apart.',
    advice: 'give one another code, or remove it',
    check: (subject) => subject.contract.methods.flatMap((method) => duplicateCodes(subject, method)),
  },
  {
    name: 'reserved-error-code',
    severity: 'error',
    summary: 'Codes from -32768 to -32100 are those that JSON-RPC defines.',
    check: ({ contract }) =>
      contract.errors.flatMap(({ code, pointer }) =>
        code >= -32768 && code < -32099 && !definedCodes.has(code)
          ? [
              {
                pointer: joinPointer(pointer, 'code'),
                message: `${code} is kept by JSON-RPC: use -32099 to -32000, or a code outside -32768 to -32000`,
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
    summary: 'Every method lists the errors that it may answer; an empty list says that there are none.',
    check: eachMethod(({ statesErrors, pointer, result }) => {
      if (statesErrors || result === undefined) return []
      const message =
        'has no "errors": list the errors that callers may have to catch, or [] where there are none'
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
      { pointer, message: `"${name}" is required and follows "${before}", which is not: put it in front` },
    ]
  })
}

/** The model joins errors that a method declares in place with one code, so the document itself is asked. */
function duplicateCodes({ documents }: LintSubject, method: Method): readonly LintProblem[] {
  const reader = createDocumentReader(documents)
  const value = reader.object({ $ref: method.pointer }, '#')?.value ?? {}
  const place = joinPointer(method.pointer, 'errors')
  const first = new Map<number, number>()
  return arrayMember(value, 'errors').flatMap((item, at) => {
    const error = reader.object(item, joinPointer(place, at))
    const code = error && member(error.value, 'code')
    if (typeof code !== 'number') return []
    const other = first.get(code)
    if (other === undefined) first.set(code, at)
    if (other === undefined) return []
    return [
      {
        pointer: joinPointer(place, at),
        message: `has the code ${code}, as has ${joinPointer(place, other)}`,
      },
    ]
  })
}
