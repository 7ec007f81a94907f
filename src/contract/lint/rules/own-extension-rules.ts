import { Ajv } from 'ajv'
import { arrayMember, type JsonObject, member, objectMember } from '../../json.js'
import { joinPointer } from '../../json-pointer.js'
import { danglingExtensions } from '../../model/extension-references.js'
import { extendedObjects, extensionDeclarations } from '../../model/extensions.js'
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
    name: 'unknown-extension-target',
    severity: 'error',
    summary: 'References in extensions have targets in the contract.',
    check: (subject) => [
      ...danglingExtensions(subject.contract, subject.documents, undeclared(subject)),
      ...headProblems(subject),
    ],
  },
]

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
