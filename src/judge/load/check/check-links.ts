import { joinPointer, member } from '../../../toolkit/contract/index.js'
import { nearestName } from '../../scenario/nearest-name.js'
import type { ScenarioProblem } from '../../scenario/scenario-error.js'
import { keysNeeded, listOf, type ScenarioFile, targetFacts } from '../scenario-file.js'

/** Known names, including files that could not be read. */
export interface KnownNames {
  readonly scenarios: readonly string[]
  readonly fixtures: readonly string[]
}

/** Checks that the names in `needs` and `after` exist and have no cycles. */
export function checkLinks(files: readonly ScenarioFile[], known: KnownNames): readonly ScenarioProblem[] {
  const scenarios = files.filter(({ kind }) => kind === 'scenario')
  const fixtures = files.filter(({ kind }) => kind === 'fixture')
  return [
    ...files.flatMap((file) =>
      unknownNames(file, 'needs', [...targetFacts, ...keysNeeded(file), ...known.fixtures]),
    ),
    ...scenarios.flatMap((file) => unknownNames(file, 'after', known.scenarios)),
    ...cycles(scenarios, 'after'),
    ...cycles(fixtures, 'needs'),
  ]
}

function unknownNames(
  { document, problemAt }: ScenarioFile,
  member: 'needs' | 'after',
  known: readonly string[],
): readonly ScenarioProblem[] {
  const what = member === 'needs' ? 'neither a fact of the target nor a fixture' : 'not a case'
  return listOf(document, member)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const nearest = nearestName(name, known)
      const hint = nearest === undefined ? ofWhat(member, known) : `did you mean "${nearest}"?`
      return problemAt({ pointer: placeOf(document, member, name), message: `"${name}" is ${what}; ${hint}` })
    })
}

function ofWhat(member: 'needs' | 'after', known: readonly string[]): string {
  return member === 'needs' ? `there are ${known.join(', ')}` : 'write the id as group/case'
}

/** Returns the place of a name in a list. A single string is at its member. */
function placeOf(document: ScenarioFile['document'], name: string, item: string): string {
  const value = member(document, name)
  const pointer = joinPointer('#', name)
  return Array.isArray(value) ? joinPointer(pointer, value.indexOf(item)) : pointer
}

/** Reports each cycle once, at its first file. */
function cycles(files: readonly ScenarioFile[], member: 'needs' | 'after'): readonly ScenarioProblem[] {
  const byId = new Map(files.map((file) => [file.id, file]))
  const done = new Set<string>()
  const problems: ScenarioProblem[] = []
  const visit = (file: ScenarioFile, path: readonly string[]): void => {
    for (const name of listOf(file.document, member)) {
      const next = byId.get(name)
      if (next === undefined || done.has(name)) continue
      const circle = [...path, file.id]
      if (circle.includes(name)) {
        const steps = [...circle.slice(circle.indexOf(name)), name].join(` ${member} `)
        const pointer = placeOf(file.document, member, name)
        problems.push(file.problemAt({ pointer, message: `a cycle: ${steps}; remove one of the links` }))
      } else visit(next, circle)
    }
    done.add(file.id)
  }
  for (const file of files) if (!done.has(file.id)) visit(file, [])
  return problems
}
