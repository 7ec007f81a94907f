import {
  arrayMember,
  createDocumentReader,
  joinPointer,
  type Method,
  objectMember,
  stringMember,
} from '../../contract/index.js'
import type { LintProblem, LintRule, LintSubject } from '../lint-rule.js'

/** Rules about links (OpenRPC 1.3, link object). */
export const linkRules: readonly LintRule[] = [
  {
    name: 'link-unknown-method',
    severity: 'error',
    summary: 'The target method of a link exists in the contract.',
    advice: 'correct the name, or declare the method',
    check: (subject) =>
      links(subject).flatMap(({ pointer, method, target }) =>
        target
          ? []
          : [
              {
                pointer: joinPointer(pointer, 'method'),
                message: `the contract has no method "${method}"`,
              },
            ],
      ),
  },
  {
    name: 'link-unknown-parameter',
    severity: 'error',
    summary: 'A link only fills parameters that its target method has.',
    advice: 'correct the name, or declare the parameter',
    check: (subject) => links(subject).flatMap(unknownParams),
  },
]

interface Link {
  readonly pointer: string
  readonly method: string
  readonly target: Method | undefined
  readonly params: readonly string[]
}

/** Returns the links of all methods. A link without a method refers to its own method. */
function links({ contract, documents }: LintSubject): readonly Link[] {
  const reader = createDocumentReader(documents)
  return contract.methods.flatMap((method) => {
    const value = reader.object({ $ref: method.pointer }, '#')?.value ?? {}
    const found = reader.objects(arrayMember(value, 'links'), joinPointer(method.pointer, 'links'))
    return found.map(({ pointer, value: link }) => {
      const name = stringMember(link, 'method') ?? method.name
      const target = contract.methods.find((candidate) => candidate.name === name)
      return { pointer, method: name, target, params: Object.keys(objectMember(link, 'params')) }
    })
  })
}

function unknownParams({ pointer, method, target, params }: Link): readonly LintProblem[] {
  if (!target) return []
  const names = new Set(target.params.map(({ name }) => name))
  return params
    .filter((name) => !names.has(name))
    .map((name) => ({
      pointer: joinPointer(pointer, 'params', name),
      message: `"${method}" has no parameter "${name}"`,
    }))
}
