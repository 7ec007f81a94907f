import { Ajv } from 'ajv'
import { closest, distance } from 'fastest-levenshtein'
import {
  arrayMember,
  danglingExtensions,
  type ExtendedObject,
  extendedObjects,
  extensionDeclarations,
  isObject,
  type JsonObject,
  joinPointer,
  matchesPattern,
  member,
  messagePattern,
  objectMember,
  readLaws,
  stringMember,
} from '../../contract/index.js'
import type { LintProblem, LintRule, LintSubject } from '../lint-rule.js'
import { type OwnExtension, ownExtensions } from '../own-extensions.js'

/** Rules about the extensions that the tools of this project read. */
export const ownExtensionRules: readonly LintRule[] = [
  {
    name: 'extension-value',
    severity: 'warning',
    summary: 'Extensions that concordat reads have valid values.',
    check: (subject) => {
      const own = undeclared(subject)
      const ajv = new Ajv({ strict: false, logger: false })
      return extendedObjects(subject.contract, subject.documents).flatMap(({ kind, pointer, value }) =>
        own
          .filter(({ kinds, name }) => kinds.includes(kind) && member(value, name) !== undefined)
          .filter(({ name, schema }) => !ajv.validate(schema as JsonObject, member(value, name)))
          .map(({ name, words }) => ({
            pointer: joinPointer(pointer, name),
            message: `concordat expects ${words}`,
          })),
      )
    },
  },
  {
    name: 'extension-place',
    severity: 'warning',
    summary: 'Extensions that concordat reads are at the objects where it reads them.',
    check: (subject) => {
      const own = undeclared(subject)
      return objectsOf(subject).flatMap(({ kind, pointer, value }) =>
        Object.keys(value).flatMap((name) => {
          const kinds = own
            .filter((extension) => extension.name === name)
            .flatMap((extension) => extension.kinds)
          if (kinds.length === 0 || kinds.includes(kind)) return []
          const message = `concordat reads "${name}" at ${kinds.map((each) => placeNames[each] ?? each).join(' and ')} only, so it has no effect here: move it`
          return [{ pointer: joinPointer(pointer, name), message }]
        }),
      )
    },
  },
  {
    name: 'extension-name',
    severity: 'warning',
    summary: 'No extension differs in a few letters from one that concordat reads.',
    check: (subject) => {
      const declared = new Set(extensionDeclarations(subject.document).map(({ name }) => name))
      const own = [...new Set(ownExtensions.map(({ name }) => name))]
      return objectsOf(subject).flatMap(({ pointer, value }) =>
        Object.keys(value).flatMap((name) => {
          const isKnown = declared.has(name) || own.some((known) => known === name)
          if (!name.startsWith('x-') || isKnown) return []
          const meant = closest(name, own)
          if (distance(name, meant) > (name.length - 'x-'.length) / lettersPerMistake) return []
          return [
            { pointer: joinPointer(pointer, name), message: `"${name}" is not known: is "${meant}" meant?` },
          ]
        }),
      )
    },
  },
  {
    name: 'unknown-extension-target',
    severity: 'error',
    summary: 'References in extensions have targets in the contract.',
    check: (subject) => [
      ...danglingExtensions(subject.contract, subject.documents, undeclared(subject)),
      ...headProblems(subject),
    ],
  },
  {
    name: 'law',
    severity: 'error',
    summary: 'Laws (`x-laws`) are known and complete, and what they name exists in the contract.',
    check: ({ contract }) => readLaws(contract).flatMap(({ problems }) => problems),
  },
  {
    name: 'failure-message',
    severity: 'error',
    summary: 'Messages of failures match the patterns that programs look for.',
    check: ({ info }) =>
      Object.entries(objectMember(info, 'x-failures')).flatMap(([name, failure]) =>
        isObject(failure) ? messageProblems(failure, joinPointer('#/info/x-failures', name)) : [],
      ),
  },
]

/** A mistyped name differs from the right one in at most one of so many letters. */
const lettersPerMistake = 5

const placeNames: Readonly<Record<string, string>> = {
  infoObject: '"info"',
  methodObject: 'methods',
  errorObject: 'errors',
  examplePairingObject: 'examples',
}

/** The objects that may carry extensions, and the document itself. */
function objectsOf({ contract, documents, document }: LintSubject): readonly ExtendedObject[] {
  return [{ kind: 'openrpcObject', pointer: '#', value: document }, ...extendedObjects(contract, documents)]
}

/** Compares the example of a failure's message with the message and with `messageSchema`. */
function messageProblems(failure: JsonObject, pointer: string): readonly LintProblem[] {
  const schema = member(failure, 'messageSchema')
  const example = stringMember(failure, 'example')
  if (example === undefined)
    return isObject(schema)
      ? [{ pointer, message: 'has a messageSchema but no "example": add a message that matches it' }]
      : []
  const at = joinPointer(pointer, 'example')
  const isOfMessage = messagePattern(stringMember(failure, 'message') ?? '').test(example)
  const unmatched = arrayMember(objectMember(failure, 'messageSchema'), 'allOf')
    .filter(isObject)
    .filter((one) => matchesPattern(stringMember(one, 'pattern') ?? '', example) !== true)
  return [
    ...(isOfMessage ? [] : [{ pointer: at, message: 'does not have the form of "message"' }]),
    ...unmatched.map((one) => ({
      pointer: at,
      message: `does not match the pattern of ${stringMember(one, 'title') ?? 'a program'}: ${stringMember(one, 'pattern')}`,
    })),
  ]
}

/** Returns the extensions of this project's tools that the document does not declare. */
function undeclared({ document }: LintSubject): readonly OwnExtension[] {
  const declared = extensionDeclarations(document).map(({ name }) => name)
  return ownExtensions.filter(({ name }) => !declared.includes(name))
}

function headProblems({ info }: LintSubject): readonly LintProblem[] {
  const head = objectMember(info, 'x-head')
  const [moving, params] = [arrayMember(head, 'moving'), arrayMember(head, 'params')]
  if (moving.length === 0 || params.some((param) => moving.includes(param))) return []
  const message = 'none of these names is in "params": add one, so that clients can request other blocks'
  return [{ pointer: '#/info/x-head/moving', message }]
}
