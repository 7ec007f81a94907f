import {
  defaultsExtension,
  type ExtendedObject,
  type ExtensionDeclaration,
  extendedObjects,
  extensionDeclarations,
  type JsonObject,
  joinPointer,
} from '../../contract/index.js'
import type { LintProblem, LintRule, LintSubject } from '../lint-rule.js'

/** Rules about declared extensions. They apply only to documents that declare extensions. */
export const declarationRules: readonly LintRule[] = [
  {
    name: 'undeclared-extension',
    severity: 'warning',
    summary:
      'If a document declares extensions, it declares all that it uses. Schema extensions count if one is declared.',
    check: (subject) =>
      eachUse(subject, (name, { pointer }, declaration) =>
        declaration
          ? []
          : [
              {
                pointer: joinPointer(pointer, name),
                message: `"${name}" is not declared in "x-extensions": declare it so that its values are checked`,
              },
            ],
      ),
  },
  {
    name: 'misplaced-extension',
    severity: 'warning',
    summary: 'Extensions are used only on the kinds of object that they are declared for.',
    check: (subject) =>
      eachUse(subject, (name, { pointer, kind }, declaration) => {
        if (!declaration || declaration.kinds.includes(kind)) return []
        const { kinds } = declaration
        const list = kinds.length > 0 ? kinds.join(', ') : 'no object'
        const message = `"${name}" is declared for ${list}, not for ${kind}, so its value is not checked: add the kind to "restricted"`
        return [{ pointer: joinPointer(pointer, name), message }]
      }),
  },
  {
    name: 'unused-extension',
    severity: 'warning',
    summary: 'Every declared extension is used.',
    check: (subject) => {
      const used = new Set(
        extendedObjects(subject.contract, subject.documents).flatMap(({ value }) => extensionNames(value)),
      )
      return extensionDeclarations(subject.document)
        .filter(({ name }) => !used.has(name) && name !== defaultsExtension)
        .map(({ name, pointer }) => ({ pointer, message: `"${name}" is not used: remove the declaration` }))
    },
  },
]

function extensionNames(value: JsonObject): readonly string[] {
  return Object.keys(value).filter((name) => name.startsWith('x-'))
}

function eachUse(
  subject: LintSubject,
  check: (name: string, object: ExtendedObject, declaration?: ExtensionDeclaration) => readonly LintProblem[],
): readonly LintProblem[] {
  const declarations = new Map(
    extensionDeclarations(subject.document).map((declaration) => [declaration.name, declaration]),
  )
  if (declarations.size === 0) return []
  return extendedObjects(subject.contract, subject.documents).flatMap((object) =>
    extensionNames(object.value).flatMap((name) => check(name, object, declarations.get(name))),
  )
}
